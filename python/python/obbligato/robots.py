"""Robots from URDF: thousands of configurations checked at once.

>>> import obbligato.robots

The package yourdfpy reads the file: `pip install obbligato[robots]`.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._errors import FileError, InvalidInput, Unavailable, shown
from obbligato._files import read
from obbligato._link_meshes import Meshed, apart, enlarged
from obbligato._native import Checker, MeshBody, PreparedScene
from obbligato._poses import Doubles, Joint, Pose, matrix_of, product, turned
from obbligato._progress import Progress, blocks
from obbligato._shapes import BODIES, Bodies, Listed, Triangles

# Groups are 32 bits: with more links, pairs of links are sorted out after the check.
_MOST_GROUPS = 32
# The parts of the greatest distance that are looked within before the whole.
_PARTS = (1 / 256, 1 / 64, 1 / 16, 1 / 4)
# The number of configurations that are checked at once, without and with meshes, which take longer.
_BLOCKS = (1 << 16, 1 << 12)


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
    """A robot whose links are boxes, capsules, spheres and meshes.

    Cylinders of the file become capsules around them, and meshes their bounding boxes along the axes of the link, so that
    a configuration that is said to be free is free. Links that a joint connects never count as colliding, nor do
    the pairs that an SRDF file disables.

    With `meshes="triangles"` the boxes only find candidates, and the meshes themselves decide: see `Checker.mesh_scene`.
    Their corners are rounded to float32 once. As there, a closed mesh is solid, so that it collides with what is inside
    it, and an open mesh is a surface. Boxes, capsules and spheres are always solid.
    """

    joints: list[str]
    """The names of the joints that move, in the order of the columns of configurations."""
    links: list[str]
    """The names of the links."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        srdf: str | os.PathLike[str] | None = None,
        *,
        meshes: Literal["boxes", "triangles"] = "boxes",
        **settings: Any,
    ) -> None:
        """Reads a robot. `settings` are those of `Checker`."""
        if meshes not in ("boxes", "triangles"):
            raise InvalidInput(f"meshes is {shown(meshes)}: give 'boxes' or 'triangles'", "InvalidMeshes")
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
        # Distances of meshes are computed on the CPU, without a margin.
        self._exact = Checker(backend="cpu", threads=settings.get("threads"))
        self.joints = list(model.actuated_joint_names)
        self.links = [link.name for link in model.robot.links]
        self._tree = [self._joint(*one) for one in _in_order(model.robot.joints, self.links)]
        self._bodies = {kind: _Bodies() for kind in BODIES}
        self._as_triangles = meshes == "triangles"
        self._meshes: dict[tuple[Any, ...], tuple[MeshBody | None, Doubles, Doubles]] = {}
        for place, link in enumerate(model.robot.links):
            for collision in link.collisions:
                self._add(place, collision)
        self._allow(model.robot.joints, srdf)

    def __repr__(self) -> str:
        bodies = sum(len(kind.links) for kind in self._bodies.values())
        return f"<Robot: {len(self.links)} links, {len(self.joints)} joints, {bodies} bodies>"

    def poses(self, configurations: ArrayLike) -> NDArray[numpy.float64]:
        """Returns (K, links, 4, 4) float64: where each link is in each of the configurations, (K, joints) radians or meters."""
        turns, places = self._frames(self._valid(configurations))
        count = turns[0].shape[1]
        poses = numpy.zeros((count, len(self.links), 4, 4))
        poses[..., 3, 3] = 1
        for link, (turn, place) in enumerate(zip(turns, places)):
            for k, unit in enumerate(numpy.eye(3)):
                poses[:, link, :3, k] = turned(turn, unit).T
            poses[:, link, :3, 3] = place.T
        return poses

    def check(
        self,
        configurations: ArrayLike,
        scene: Listed | PreparedScene | Sequence[MeshBody] | None = None,
        *,
        progress: Progress | None = None,
    ) -> RobotReport:
        """Checks configurations, (K, joints), for collisions of links with each other and with a scene.

        A scene is bodies, or a list of `MeshBody` in the frame of the world, which are meshes whatever the links are. Bodies that
        stay are best prepared once by `prepare`. `progress` is called with "configurations", the number of those that are
        checked, and that of all: after every few thousand. What it raises ends the call.
        """
        values = self._valid(configurations)
        at_rest = None if scene is None else self._at_rest(self._checker, scene)
        self_pairs, scene_pairs = [numpy.empty((0, 3), numpy.int64)], [numpy.empty((0, 3), numpy.int64)]
        for block in blocks("configurations", len(values), self._block(at_rest), progress):
            placed = self._placed(values[block], block.start)
            self_pairs.append(self._self_pairs(placed))
            if at_rest is not None:
                scene_pairs.append(self._scene_pairs(placed, *at_rest))
        report = RobotReport(numpy.zeros(len(values), bool), numpy.concatenate(self_pairs), numpy.concatenate(scene_pairs))
        report.colliding[report.self_pairs[:, 0]] = True
        report.colliding[report.scene_pairs[:, 0]] = True
        return report

    def distances(
        self,
        configurations: ArrayLike,
        scene: Listed | Sequence[MeshBody],
        within: float,
        *,
        progress: Progress | None = None,
    ) -> NDArray[numpy.float64]:
        """Returns (K,) float64: the distance of the robot and the scene in each configuration, 0 if they collide.

        It is infinite where nothing is `within` this distance, in the unit of the file. `scene` and `progress` are those of `check`.
        """
        if not 0 <= within < numpy.inf:
            raise InvalidInput(f"within is {within}: give a distance that is finite and not negative", "InvalidMargin")
        values = self._valid(configurations)
        last = Checker(**{**self._settings, "margin": within})
        # On a GPU, each checker has its own memory.
        (first_scene, at_rest), (last_scene, _) = self._at_rest(self._checker, scene), self._at_rest(last, scene)
        nearest = numpy.full(len(values), numpy.inf)
        for block in blocks("configurations", len(values), self._block((first_scene, at_rest)), progress):
            placed = self._placed(values[block], block.start)
            # Most configurations are far nearer than `within`: what is not found within a part of it is looked for further away.
            for part in _PARTS:
                reach = float(numpy.float32(part * within))
                margins = numpy.full(len(placed.own.bodies), reach, numpy.float32)
                near = self._checker.check_movers(first_scene, placed.own.bodies, margins=margins).pairs
                self._lower(nearest, placed, at_rest, near, (reach, reach))
                placed = placed.some(numpy.isinf(nearest)[placed.of_configuration])
            near = last.check_movers(last_scene, placed.own.bodies).pairs
            self._lower(nearest, placed, at_rest, near, (numpy.inf, within))
        return nearest

    def prepare(self, scene: Listed) -> PreparedScene:
        """Sorts a scene at rest once, for many calls of `check`."""
        return self._checker.prepare(scene)

    def _at_rest(
        self, checker: Checker, scene: Listed | PreparedScene | Sequence[MeshBody]
    ) -> tuple[PreparedScene, Meshed]:
        """Returns a scene that is sorted, and its bodies."""
        if isinstance(scene, (list, tuple)) and any(isinstance(one, MeshBody) for one in scene):
            meshes: list[MeshBody] = []
            for row, one in enumerate(scene):
                if not isinstance(one, MeshBody):
                    raise TypeError(f"scene[{row}] is {shown(one)}: give a list of MeshBody, or bodies alone")
                meshes.append(one)
            meshed = Meshed.at_rest(meshes)
            return checker.prepare(meshed.bodies), meshed
        if isinstance(scene, Triangles):
            raise Unavailable("a robot in a scene of triangles is not offered: give MeshBody(triangles), in a list", "Unavailable")
        prepared = scene if isinstance(scene, PreparedScene) else checker.prepare(scene)  # type: ignore[arg-type]
        return prepared, Meshed(prepared)

    def _block(self, at_rest: tuple[PreparedScene, Meshed] | None) -> int:
        """Returns the number of configurations that are checked at once."""
        own = [mesh for kind in self._bodies.values() for mesh in kind.meshes if mesh is not None]
        return _BLOCKS[len(own) > 0 or at_rest is not None and len(at_rest[1].meshes) > 0]

    def _self_pairs(self, placed: _Placed) -> NDArray[numpy.int64]:
        """Returns the configurations and the pairs of links that collide."""
        groups = self._groups[placed.of_link] if len(self.links) <= _MOST_GROUPS else None
        bodies = placed.own.bodies
        pairs = self._checker.check(bodies, worlds=placed.of_configuration - placed.first, groups=groups).pairs
        links = numpy.sort(placed.of_link[pairs], axis=1)
        pairs = pairs[self._may_collide[links[:, 0], links[:, 1]]]
        pairs = pairs[_meet(self._checker, placed.own, placed.own, pairs)]
        links = numpy.sort(placed.of_link[pairs], axis=1)
        return _once([placed.of_configuration[pairs[:, 0]], *links.T], len(self.links), len(self.links))

    def _scene_pairs(self, placed: _Placed, prepared: PreparedScene, at_rest: Meshed) -> NDArray[numpy.int64]:
        """Returns the configurations, the links and what of the scene they collide with."""
        pairs = self._checker.check_movers(prepared, placed.own.bodies).pairs
        of_scene, mover = pairs[_meet(self._checker, at_rest, placed.own, pairs)].T
        most = int(of_scene.max(initial=0)) + 1
        return _once([placed.of_configuration[mover], placed.of_link[mover], of_scene], len(self.links), most)

    def _lower(
        self, nearest: Doubles, placed: _Placed, at_rest: Meshed, near: NDArray[Any], most: tuple[float, float]
    ) -> None:
        """Lowers the distances of configurations to those of pairs, up to the `most` of plain bodies and of meshes."""
        own, of_configuration, asked = placed.own, placed.of_configuration[near[:, 1]], _of_meshes(at_rest, placed.own, near)
        found = self._checker.distances(at_rest.bodies, near[~asked], own.bodies).distances
        # The margin of the checker finds more.
        numpy.minimum.at(nearest, of_configuration[~asked], numpy.where(found <= most[0], found, numpy.inf))
        if not asked.any():
            return
        near, of_configuration = near[asked], of_configuration[asked]
        # Meshes are no nearer than their boxes. The nearest pair of boxes shows which others are needed, and how far to look.
        least = self._exact.distances(at_rest.bodies, near, own.bodies).distances
        order = numpy.lexsort((least, of_configuration))
        is_first = numpy.zeros(len(near), bool)
        is_first[order[numpy.unique(of_configuration[order], return_index=True)[1]]] = True
        for turn in (is_first, ~is_first):
            part = turn & (least < nearest[of_configuration])
            reach = numpy.minimum(nearest, most[1])[placed.of_configuration]
            found = apart(self._exact, at_rest, own, near[part], reach)
            numpy.minimum.at(nearest, of_configuration[part], numpy.where(found <= most[1], found, numpy.inf))

    def _joint(self, parent: int, child: int, joint: Any) -> Joint:
        """Reads a joint."""
        name, factor, offset = joint.name, 1.0, 0.0
        if joint.mimic is not None:
            name = joint.mimic.joint
            factor = 1.0 if joint.mimic.multiplier is None else joint.mimic.multiplier
            offset = joint.mimic.offset or 0.0
        moves = joint.type in ("revolute", "continuous", "prismatic")
        axis = numpy.asarray([1, 0, 0] if joint.axis is None else joint.axis, numpy.float64)
        return Joint(
            parent=parent,
            child=child,
            pose=Pose.of(matrix_of(joint.origin)),
            column=self.joints.index(name) if moves else None,
            factor=factor,
            offset=offset,
            axis=axis / numpy.linalg.norm(axis) if moves else axis,
            slides=joint.type == "prismatic",
        )

    def _valid(self, configurations: ArrayLike) -> Doubles:
        """Returns configurations, or raises an error that says what is wrong with them."""
        values = numpy.asarray(configurations, numpy.float64)
        if values.ndim != 2 or values.shape[1] != len(self.joints):
            raise ValueError(
                f"configurations has the shape {values.shape}: give (K, {len(self.joints)}), one column for each of {self.joints}"
            )
        if not numpy.isfinite(values).all():
            row = int(numpy.argmin(numpy.isfinite(values).all(axis=1)))
            raise ValueError(f"configurations[{row}] has a number that is not finite: fix or remove the row")
        return values

    def _frames(self, values: Doubles) -> tuple[list[Doubles], list[Doubles]]:
        """Returns the quaternion and the place of each link in all configurations."""
        still = numpy.zeros((4, len(values)))
        still[3] = 1
        turns, places = [still] * len(self.links), [numpy.zeros((3, len(values)))] * len(self.links)
        for joint in self._tree:
            turn, place = joint.pose.within(turns[joint.parent], places[joint.parent])
            if joint.column is not None:
                value = values[:, joint.column] * joint.factor + joint.offset
                if joint.slides:
                    place = place + turned(turn, joint.axis) * value
                else:
                    half = value / 2
                    turn = product(turn, [*(joint.axis[:, None] * numpy.sin(half)), numpy.cos(half)])
            turns[joint.child], places[joint.child] = turn, place
        return turns, places

    def _add(self, link: int, collision: Any) -> None:
        """Adds the body of a link."""
        geometry, pose = collision.geometry, matrix_of(collision.origin)
        if geometry.box is not None:
            self._bodies["box"].add(link, pose, numpy.asarray(geometry.box.size, numpy.float64) / 2)
        elif geometry.sphere is not None:
            self._bodies["sphere"].add(link, pose, [geometry.sphere.radius])
        elif geometry.cylinder is not None:
            self._bodies["capsule"].add(link, pose, [geometry.cylinder.length / 2, geometry.cylinder.radius])
        elif geometry.mesh is not None:
            mesh, center, half = self._mesh(geometry.mesh)
            middle = numpy.eye(4)
            middle[:3, 3] = center
            self._bodies["box"].add(link, pose @ middle, half, mesh if self._as_triangles else None)

    def _mesh(self, geometry: Any) -> tuple[MeshBody | None, Doubles, Doubles]:
        """Returns a mesh in the frame of its bounding box, and the center and the half extents of that, once for each file and scale."""
        path = self._mesh_path(geometry.filename)
        scale = numpy.broadcast_to(1.0 if geometry.scale is None else numpy.asarray(geometry.scale, numpy.float64), 3)
        key = (path, *scale.tolist())
        if key not in self._meshes:
            mesh = read(path)
            if not isinstance(mesh, Triangles) or mesh.origin is None:
                raise ValueError(f"{geometry.filename} is not a mesh: name a file .obj, .stl, .ply, .glb or .gltf")
            if not len(mesh):
                raise FileError(f"{geometry.filename} has no triangles: give a mesh that has some", "Mesh")
            points = (mesh.corners.reshape(-1, 3).astype(numpy.float64) + mesh.origin) * scale
            low, high = points.min(axis=0), points.max(axis=0)
            center, half = (low + high) / 2, (high - low) / 2
            own = MeshBody(Triangles((points - center).astype(numpy.float32).reshape(-1, 9))) if self._as_triangles else None
            self._meshes[key] = own, center, half
        return self._meshes[key]

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

    def _placed(self, values: Doubles, first: int) -> _Placed:
        """Returns the bodies in configurations, of which the first has this number."""
        turns, places = self._frames(values)
        count = len(values)
        arrays, of_configuration, of_link, which = [], [], [], []
        meshes = [mesh for own in self._bodies.values() for mesh in own.meshes if mesh is not None]
        for kind, own in self._bodies.items():
            names = BODIES[kind]
            rows = numpy.empty((count, len(own.links), len(names)), numpy.float32)
            at = names.index("qx") if "qx" in names else None
            # Sizes are the other columns, in the same order.
            rest = [column for column in range(3, len(names)) if at is None or not at <= column < at + 4]
            rows[:, :, rest] = own.sizes
            for k, (link, pose, mesh) in enumerate(zip(own.links, own.poses, own.meshes)):
                turn, place = pose.within(turns[link], places[link])
                rows[:, k, :3] = place.T
                if at is not None:
                    rows[:, k, at : at + 4] = turn.T
                if mesh is not None:
                    rows[:, k, rest] = enlarged(own.sizes[k], place.T)
            arrays.append(rows.reshape(-1, len(names)))
            of_configuration.append(numpy.repeat(numpy.arange(first, first + count, dtype=numpy.uint32), len(own.links)))
            of_link.append(numpy.tile(own.links, count))
            which.append(numpy.tile([-1 if mesh is None else meshes.index(mesh) for mesh in own.meshes], count))
        of_meshes = numpy.concatenate(which).astype(numpy.int64) if meshes else None
        return _Placed(Meshed(Bodies(*arrays), meshes, of_meshes), numpy.concatenate(of_configuration), numpy.concatenate(of_link), first)


@dataclass(frozen=True, eq=False)
class _Placed:
    """The bodies of a robot in some configurations."""

    own: Meshed
    of_configuration: NDArray[numpy.uint32]
    """The configuration of each body."""
    of_link: NDArray[numpy.int64]
    """Its link."""
    first: int
    """The first of the configurations."""

    def some(self, kept: NDArray[numpy.bool_]) -> _Placed:
        """Returns some of the bodies, by a mark for each."""
        return replace(
            self, own=self.own.some(kept), of_configuration=self.of_configuration[kept], of_link=self.of_link[kept]
        )


def _of_meshes(first: Meshed, second: Meshed, pairs: NDArray[Any]) -> NDArray[numpy.bool_]:
    """Returns which pairs have a mesh."""
    return first.are_meshes(pairs[:, 0]) | second.are_meshes(pairs[:, 1])


def _meet(checker: Checker, first: Meshed, second: Meshed, pairs: NDArray[Any]) -> NDArray[numpy.bool_]:
    """Returns which of the pairs of colliding bodies, one from each list, collide if the meshes decide."""
    meet = numpy.ones(len(pairs), bool)
    asked = _of_meshes(first, second, pairs)
    if asked.any():
        meet[asked] = numpy.isfinite(apart(checker, first, second, pairs[asked]))
    return meet


class _Bodies:
    """The bodies of one kind: their links, their poses in these, and their sizes."""

    def __init__(self) -> None:
        self.links = numpy.empty(0, numpy.int64)
        self.poses: list[Pose] = []
        self.sizes = numpy.empty((0, 1))
        self.meshes: list[MeshBody | None] = []

    def add(self, link: int, pose: NDArray[numpy.float64], sizes: ArrayLike, mesh: MeshBody | None = None) -> None:
        row = numpy.asarray(sizes, numpy.float64)[None]
        self.sizes = numpy.concatenate([self.sizes, row]) if len(self.links) else row
        self.links = numpy.append(self.links, link)
        self.poses.append(Pose.of(pose))
        self.meshes.append(mesh)


def _expect_file(path: str | os.PathLike[str], kind: str) -> None:
    if not os.path.isfile(path):
        raise FileError(f"{os.fspath(path)}: there is no such file: give the path of a {kind} file", "Io")


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


def _once(columns: list[NDArray[Any]], second: int, third: int) -> NDArray[numpy.int64]:
    """Returns (N, 3): rows of three columns, sorted, each once. The numbers of the last two columns are below these."""
    first, *rest = (column.astype(numpy.int64) for column in columns)
    keys = numpy.unique((first * second + rest[0]) * third + rest[1])
    return numpy.column_stack([keys // third // second, keys // third % second, keys % third])
