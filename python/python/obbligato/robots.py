"""Robots from URDF: thousands of configurations checked at once.

>>> import obbligato.robots

The package yourdfpy reads the file: `pip install obbligato[robots]`.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._errors import FileError, InvalidInput
from obbligato._files import read
from obbligato._native import Checker, PreparedScene
from obbligato._shapes import BODIES, Bodies, Listed, Triangles

# Numbers of all configurations: quaternions are (4, K), x y z w, and places (3, K).
_Doubles: TypeAlias = NDArray[numpy.float64]

# Groups are 32 bits: with more links, pairs of links are sorted out after the check.
_MOST_GROUPS = 32
# The parts of the greatest distance that are looked within before the whole.
_PARTS = (1 / 256, 1 / 64, 1 / 16, 1 / 4)


@dataclass(frozen=True, eq=False, repr=False)
class RobotReport:
    """What configurations of a robot collide with, from `Robot.check`."""

    colliding: NDArray[numpy.bool_]
    """(K,) bool: True for each configuration in which links collide with each other or with the scene."""
    self_pairs: NDArray[numpy.int64]
    """(P, 3) int64: configuration, and the positions in `Robot.links` of two links that collide, sorted, each once."""
    scene_pairs: NDArray[numpy.int64]
    """(Q, 3) int64: configuration, link, and the position in the scene of what it collides with, sorted, each once."""

    def __repr__(self) -> str:
        return f"<RobotReport: {int(self.colliding.sum())} of {len(self.colliding)} configurations collide>"


class Robot:
    """A robot whose links are boxes, capsules and spheres.

    Cylinders of the file become capsules around them, and meshes their bounding boxes along the axes of the link, so that
    a configuration that is said to be free is free. Links that a joint connects never count as colliding, nor do
    the pairs that an SRDF file disables.
    """

    joints: list[str]
    """The names of the joints that move, in the order of the columns of configurations."""
    links: list[str]
    """The names of the links."""

    def __init__(self, path: str | os.PathLike[str], srdf: str | os.PathLike[str] | None = None, **settings: Any) -> None:
        """Reads a robot. `settings` are those of `Checker`."""
        try:
            import yourdfpy
        except ImportError:
            raise ImportError("robots need the package yourdfpy: pip install obbligato[robots]") from None
        _expect_file(path, "URDF")
        try:
            model = yourdfpy.URDF.load(
                os.fspath(path), build_scene_graph=False, build_collision_scene_graph=False, load_meshes=False
            )
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise FileError(f"{os.fspath(path)}: not read as URDF ({reason}): fix it", "Parse") from None
        self._folder = Path(path).parent
        self._settings = settings
        self._checker = Checker(**settings)
        self.joints = list(model.actuated_joint_names)
        self.links = [link.name for link in model.robot.links]
        self._tree = [self._joint(*one) for one in _in_order(model.robot.joints, self.links)]
        self._bodies = {kind: _Bodies() for kind in BODIES}
        for place, link in enumerate(model.robot.links):
            for collision in link.collisions:
                self._add(place, collision)
        self._allow(model.robot.joints, srdf)

    def __repr__(self) -> str:
        bodies = sum(len(kind.links) for kind in self._bodies.values())
        return f"<Robot: {len(self.links)} links, {len(self.joints)} joints, {bodies} bodies>"

    def poses(self, configurations: ArrayLike) -> NDArray[numpy.float64]:
        """Returns (K, links, 4, 4) float64: where each link is in each of the configurations, (K, joints) radians or meters."""
        turns, places = self._frames(configurations)
        count = turns[0].shape[1]
        poses = numpy.zeros((count, len(self.links), 4, 4))
        poses[..., 3, 3] = 1
        for link, (turn, place) in enumerate(zip(turns, places)):
            for k, unit in enumerate(numpy.eye(3)):
                poses[:, link, :3, k] = _turned(turn, unit).T
            poses[:, link, :3, 3] = place.T
        return poses

    def check(self, configurations: ArrayLike, scene: Listed | PreparedScene | None = None) -> RobotReport:
        """Checks configurations, (K, joints), for collisions of links with each other and with a scene.

        A scene that stays is best prepared once by `prepare`.
        """
        bodies, of_configuration, of_link, count = self._placed(configurations)
        groups = self._groups[of_link] if len(self.links) <= _MOST_GROUPS else None
        pairs = self._checker.check(bodies, worlds=of_configuration, groups=groups).pairs
        links = numpy.sort(of_link[pairs], axis=1)
        kept = numpy.flatnonzero(self._may_collide[links[:, 0], links[:, 1]])
        self_pairs = _once([of_configuration[pairs[kept, 0]], *links[kept].T], len(self.links), len(self.links))
        scene_pairs = numpy.empty((0, 3), numpy.int64)
        if scene is not None:
            prepared = scene if isinstance(scene, PreparedScene) else self.prepare(scene)
            at_rest, mover = self._checker.check_movers(prepared, bodies).pairs.T
            most = int(at_rest.max(initial=0)) + 1
            scene_pairs = _once([of_configuration[mover], of_link[mover], at_rest], len(self.links), most)
        colliding = numpy.zeros(count, bool)
        colliding[self_pairs[:, 0]] = True
        colliding[scene_pairs[:, 0]] = True
        return RobotReport(colliding, self_pairs, scene_pairs)

    def distances(self, configurations: ArrayLike, scene: Listed, within: float) -> NDArray[numpy.float64]:
        """Returns (K,) float64: the distance of the robot and the scene in each configuration, 0 if they collide.

        It is infinite where nothing is `within` this distance, in the unit of the file.
        """
        if not 0 <= within < numpy.inf:
            raise InvalidInput(f"within is {within}: give a distance that is finite and not negative", "InvalidMargin")
        bodies, of_configuration, _, count = self._placed(configurations)
        last = Checker(**{**self._settings, "margin": within})
        prepared = last.prepare(scene)
        nearest = numpy.full(count, numpy.inf)
        # Most configurations are far nearer than `within`: what is not found within a part of it is looked for further away.
        for part in _PARTS:
            reach = float(numpy.float32(part * within))
            near = self._checker.check_movers(prepared, bodies, margins=numpy.full(len(bodies), reach, numpy.float32)).pairs
            found = self._checker.distances(scene, near, bodies).distances
            numpy.minimum.at(nearest, of_configuration[near[:, 1]], found)
            left = numpy.isinf(nearest)[of_configuration]
            bodies, of_configuration = _some(bodies, left), of_configuration[left]
        pairs = last.check_movers(prepared, bodies).pairs
        numpy.minimum.at(nearest, of_configuration[pairs[:, 1]], last.distances(scene, pairs, bodies).distances)
        return nearest

    def prepare(self, scene: Listed) -> PreparedScene:
        """Sorts a scene at rest once, for many calls of `check`."""
        return self._checker.prepare(scene)

    def _joint(self, parent: int, child: int, joint: Any) -> _Joint:
        """Reads a joint."""
        name, factor, offset = joint.name, 1.0, 0.0
        if joint.mimic is not None:
            name = joint.mimic.joint
            factor = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
            offset = joint.mimic.offset or 0.0
        moves = joint.type in ("revolute", "continuous", "prismatic")
        axis = numpy.asarray([1, 0, 0] if joint.axis is None else joint.axis, numpy.float64)
        return _Joint(
            parent=parent,
            child=child,
            pose=_Pose.of(_origin(joint.origin)),
            column=self.joints.index(name) if moves else None,
            factor=factor,
            offset=offset,
            axis=axis / numpy.linalg.norm(axis) if moves else axis,
            slides=joint.type == "prismatic",
        )

    def _frames(self, configurations: ArrayLike) -> tuple[list[_Doubles], list[_Doubles]]:
        """Returns the quaternion and the place of each link in all configurations."""
        values = numpy.asarray(configurations, numpy.float64)
        if values.ndim != 2 or values.shape[1] != len(self.joints):
            raise ValueError(
                f"configurations has the shape {values.shape}: give (K, {len(self.joints)}), one column for each of {self.joints}"
            )
        if not numpy.isfinite(values).all():
            row = int(numpy.argmin(numpy.isfinite(values).all(axis=1)))
            raise ValueError(f"configurations[{row}] has a number that is not finite: fix or remove the row")
        still = numpy.zeros((4, len(values)))
        still[3] = 1
        turns, places = [still] * len(self.links), [numpy.zeros((3, len(values)))] * len(self.links)
        for joint in self._tree:
            turn, place = joint.pose.within(turns[joint.parent], places[joint.parent])
            if joint.column is not None:
                value = values[:, joint.column] * joint.factor + joint.offset
                if joint.slides:
                    place = place + _turned(turn, joint.axis) * value
                else:
                    half = value / 2
                    turn = _product(turn, [*(joint.axis[:, None] * numpy.sin(half)), numpy.cos(half)])
            turns[joint.child], places[joint.child] = turn, place
        return turns, places

    def _add(self, link: int, collision: Any) -> None:
        """Adds the body of a link."""
        geometry, pose = collision.geometry, _origin(collision.origin)
        if geometry.box is not None:
            self._bodies["box"].add(link, pose, numpy.asarray(geometry.box.size, numpy.float64) / 2)
        elif geometry.sphere is not None:
            self._bodies["sphere"].add(link, pose, [geometry.sphere.radius])
        elif geometry.cylinder is not None:
            self._bodies["capsule"].add(link, pose, [geometry.cylinder.length / 2, geometry.cylinder.radius])
        elif geometry.mesh is not None:
            mesh = read(self._mesh_path(geometry.mesh.filename))
            if not isinstance(mesh, Triangles) or mesh.origin is None:
                raise ValueError(f"{geometry.mesh.filename} is not a mesh: name a file .obj, .stl, .ply, .glb or .gltf")
            scale = 1.0 if geometry.mesh.scale is None else numpy.asarray(geometry.mesh.scale)
            points = (mesh.corners.reshape(-1, 3).astype(numpy.float64) + mesh.origin) * scale
            low, high = points.min(axis=0), points.max(axis=0)
            middle = numpy.eye(4)
            middle[:3, 3] = (low + high) / 2
            self._bodies["box"].add(link, pose @ middle, (high - low) / 2)

    def _mesh_path(self, name: str) -> Path:
        """Returns the place of a mesh: relative to the file, or to a folder above it that has the package."""
        name = name.removeprefix("file://")
        if not name.startswith("package://"):
            return self._folder / name
        name = name.removeprefix("package://")
        inside = name.partition("/")[2]
        places = [folder / part for folder in [self._folder, *self._folder.resolve().parents] for part in (name, inside)]
        return next((place for place in places if place.exists()), self._folder / inside)

    def _allow(self, joints: list[Any], srdf: str | os.PathLike[str] | None) -> None:
        """Notes which links may collide."""
        count = len(self.links)
        may = ~numpy.eye(count, dtype=bool)
        pairs = [(joint.parent, joint.child) for joint in joints]
        if srdf is not None:
            _expect_file(srdf, "SRDF")
            try:
                root = ElementTree.parse(srdf).getroot()
            except ElementTree.ParseError as error:
                raise FileError(f"{os.fspath(srdf)}: not read as SRDF ({error}): fix it", "Parse") from None
            for one in root.iter("disable_collisions"):
                pairs.append((one.get("link1", ""), one.get("link2", "")))
        for names in pairs:
            unknown = [name for name in names if name not in self.links]
            if unknown:
                raise ValueError(f"srdf names the link {unknown[0]!r}, which the robot does not have: fix or remove the pair")
            a, b = (self.links.index(name) for name in names)
            may[a, b] = may[b, a] = False
        self._may_collide = may
        if count <= _MOST_GROUPS:
            bits = numpy.uint64(1) << numpy.arange(count, dtype=numpy.uint64)
            self._groups = numpy.column_stack([bits, may @ bits]).astype(numpy.uint32)

    def _placed(self, configurations: ArrayLike) -> tuple[Bodies, NDArray[numpy.uint32], NDArray[numpy.int64], int]:
        """Returns the bodies in all configurations, the configuration and the link of each, and the number of configurations."""
        turns, places = self._frames(configurations)
        count = turns[0].shape[1]
        arrays, of_configuration, of_link = [], [], []
        for kind, own in self._bodies.items():
            names = BODIES[kind]
            rows = numpy.empty((count, len(own.links), len(names)), numpy.float32)
            at = names.index("qx") if "qx" in names else None
            for k, (link, pose) in enumerate(zip(own.links, own.poses)):
                turn, place = pose.within(turns[link], places[link])
                rows[:, k, :3] = place.T
                if at is not None:
                    rows[:, k, at : at + 4] = turn.T
            # Sizes are the other columns, in the same order.
            rest = [column for column in range(3, len(names)) if at is None or not at <= column < at + 4]
            rows[:, :, rest] = own.sizes
            arrays.append(rows.reshape(-1, len(names)))
            of_configuration.append(numpy.repeat(numpy.arange(count, dtype=numpy.uint32), len(own.links)))
            of_link.append(numpy.tile(own.links, count))
        return Bodies(*arrays), numpy.concatenate(of_configuration), numpy.concatenate(of_link), count


@dataclass(frozen=True, eq=False)
class _Pose:
    """A pose within a link."""

    turn: _Doubles | None
    """A quaternion; None if nothing is turned."""
    place: _Doubles

    @classmethod
    def of(cls, matrix: _Doubles) -> _Pose:
        turned = not (matrix[:3, :3] == numpy.eye(3)).all()
        return cls(_quaternions(matrix[:3, :3]) if turned else None, matrix[:3, 3])

    def within(self, turn: _Doubles, place: _Doubles) -> tuple[_Doubles, _Doubles]:
        """Returns the pose in the world, of a link that is there."""
        if self.place.any():
            place = place + _turned(turn, self.place)
        return (turn if self.turn is None else _product(turn, self.turn)), place


@dataclass(frozen=True, eq=False)
class _Joint:
    """A joint: the pose of its child in its parent, and how that moves."""

    parent: int
    child: int
    pose: _Pose
    column: int | None
    """The column of configurations that moves it, if any does."""
    factor: float
    offset: float
    axis: _Doubles
    slides: bool


class _Bodies:
    """The bodies of one kind: their links, their poses in these, and their sizes."""

    def __init__(self) -> None:
        self.links = numpy.empty(0, numpy.int64)
        self.poses: list[_Pose] = []
        self.sizes = numpy.empty((0, 1))

    def add(self, link: int, pose: NDArray[numpy.float64], sizes: ArrayLike) -> None:
        row = numpy.asarray(sizes, numpy.float64)[None]
        self.sizes = numpy.concatenate([self.sizes, row]) if len(self.links) else row
        self.links = numpy.append(self.links, link)
        self.poses.append(_Pose.of(pose))


def _expect_file(path: str | os.PathLike[str], kind: str) -> None:
    if not os.path.isfile(path):
        raise FileError(f"{os.fspath(path)}: there is no such file: give the path of a {kind} file", "Io")


def _some(bodies: Bodies, kept: NDArray[numpy.bool_]) -> Bodies:
    """Returns some of the bodies, by a mark for each."""
    boxes, capsules, _ = numpy.split(kept, numpy.cumsum([len(bodies.boxes), len(bodies.capsules)]))
    return Bodies(bodies.boxes[boxes], bodies.capsules[capsules], bodies.spheres[kept[len(boxes) + len(capsules) :]])


def _origin(origin: Any) -> NDArray[numpy.float64]:
    return numpy.eye(4) if origin is None else numpy.asarray(origin, numpy.float64)


def _in_order(joints: list[Any], links: list[str]) -> list[tuple[int, int, Any]]:
    """Returns the joints with the positions of their links, each after those that its parent hangs on."""
    placed = set(links) - {joint.child for joint in joints}
    waiting, ordered = list(joints), []
    while waiting:
        ready = [joint for joint in waiting if joint.parent in placed]
        if not ready:
            raise ValueError(f"the joint {waiting[0].name!r} is its own ancestor: fix its parent")
        ordered += [(links.index(joint.parent), links.index(joint.child), joint) for joint in ready]
        placed |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint not in ready]
    return ordered


def _product(a: Any, b: Any) -> _Doubles:
    """Returns the products of quaternions."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return numpy.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def _turned(turn: _Doubles, vector: _Doubles) -> _Doubles:
    """Returns a vector, turned by each of some quaternions."""
    qx, qy, qz, qw = turn
    x, y, z = vector
    # Twice the cross product of the quaternion's vector and this one.
    cx, cy, cz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
    return numpy.stack(
        [x + qw * cx + qy * cz - qz * cy, y + qw * cy + qz * cx - qx * cz, z + qw * cz + qx * cy - qy * cx]
    )


def _once(columns: list[NDArray[Any]], second: int, third: int) -> NDArray[numpy.int64]:
    """Returns (N, 3): rows of three columns, sorted, each once. The numbers of the last two columns are below these."""
    first, *rest = (column.astype(numpy.int64) for column in columns)
    keys = numpy.unique((first * second + rest[0]) * third + rest[1])
    return numpy.column_stack([keys // third // second, keys // third % second, keys % third])


def _quaternions(matrices: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """Returns (..., 4): unit quaternions x y z w of rotation matrices, by the largest of four components."""
    m = matrices
    diagonal = numpy.stack([m[..., k, k] for k in range(3)], axis=-1)
    trace = diagonal.sum(axis=-1, keepdims=True)
    # Four times the product of each pair of components.
    squares = numpy.concatenate([1 - trace + 2 * diagonal, 1 + trace], axis=-1)
    products = numpy.zeros((*m.shape[:-2], 4, 4))
    for k in range(4):
        products[..., k, k] = squares[..., k]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        products[..., a, b] = products[..., b, a] = m[..., a, b] + m[..., b, a]
        last = 3 - a - b
        sign = 1 if (a, b) != (0, 2) else -1
        products[..., last, 3] = products[..., 3, last] = sign * (m[..., b, a] - m[..., a, b])
    largest = squares.argmax(axis=-1)
    row = numpy.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    turns: NDArray[numpy.float64] = row / numpy.linalg.norm(row, axis=-1, keepdims=True)
    return turns
