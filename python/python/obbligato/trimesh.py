"""A collision manager with the methods, arguments and answers of `trimesh.collision.CollisionManager`.

Change the import, and leave the rest of a program as it is:

>>> from obbligato.trimesh import CollisionManager

As there, a convex mesh is solid and any other mesh is its surface. Corners are rounded to float32 in the world; which
objects share a point is then exact. Contacts differ from those of python-fcl: there is one for each pair of parts that
meet, where a part is a convex mesh or a triangle of another one, and its depth is that of the shortest way out.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._errors import shown
from obbligato._native import Checker, Solids
from obbligato._shapes import Bounds, Spheres, Triangles

_EXTERNAL = "__external"
# The part of a convex mesh, which has no faces of its own in a contact.
_WHOLE = -1
# What bounds are widened by for the rounding of a distance to float32.
_WIDER = 1 + 1e-6


class ContactData:
    """A contact of two objects."""

    def __init__(
        self, names: tuple[Hashable, Hashable], parts: tuple[int, int], point: Any, normal: Any, depth: float
    ) -> None:
        self.names: set[Hashable] = set(names)
        self._parts = dict(zip(names, parts))
        self._point, self._normal, self._depth = point, normal, depth

    @property
    def normal(self) -> NDArray[numpy.float64]:
        """(3,) float64: the direction in which to move the second object away from the first, a unit vector."""
        return numpy.asarray(self._normal)

    @property
    def point(self) -> NDArray[numpy.float64]:
        """(3,) float64: the middle of the deepest points of both objects in each other."""
        return numpy.asarray(self._point)

    @property
    def depth(self) -> float:
        """The distance to move the second object along the normal so that these parts only touch."""
        return self._depth

    def index(self, name: Hashable) -> int:
        """Returns the position of the face in contact of the object with this name; -1 for a convex mesh."""
        return self._parts[name]


class DistanceData:
    """The closest points of two objects."""

    def __init__(self, names: tuple[Hashable, Hashable], found: _Nearest) -> None:
        self.names: set[Hashable] = set(names)
        self._parts, self._points = dict(zip(names, found.parts)), dict(zip(names, found.points))
        self._distance = found.distance

    @property
    def distance(self) -> float:
        """The distance; 0 if two surfaces meet, and minus the depth if one of the objects is convex and they meet."""
        return self._distance

    def index(self, name: Hashable) -> int:
        """Returns the position of the closest face of the object with this name; -1 for a convex mesh."""
        return self._parts[name]

    def point(self, name: Hashable) -> NDArray[numpy.float64]:
        """Returns (3,) float64: the closest point of the object with this name."""
        return numpy.asarray(self._points[name])


class _Nearest:
    """The distance of two objects, with their closest parts and points."""

    def __init__(self, distance: float, parts: tuple[int, int], points: tuple[Any, Any]) -> None:
        self.distance, self.parts, self.points = distance, parts, points


class _Object:
    """A mesh in place. It consists of parts: itself if it is convex, otherwise its triangles."""

    def __init__(self, mesh: Any, transform: ArrayLike | None) -> None:
        if not all(hasattr(mesh, name) for name in ("vertices", "faces", "is_convex")):
            raise TypeError(f"mesh is {shown(mesh)}: give a trimesh.Trimesh")
        self.vertices = numpy.asarray(mesh.vertices, numpy.float64).reshape(-1, 3)
        self.faces = numpy.asarray(mesh.faces, numpy.int64).reshape(-1, 3)
        self.is_convex = bool(mesh.is_convex)
        self.place(transform)

    def place(self, transform: ArrayLike | None) -> None:
        matrix = numpy.eye(4) if transform is None else numpy.asanyarray(transform, numpy.float64)
        if matrix.shape != (4, 4):
            raise ValueError(f"transform has the shape {matrix.shape}: give (4, 4)")
        self.world = (self.vertices @ matrix[:3, :3].T + matrix[:3, 3]).astype(numpy.float32)
        self.bounds = _bounds(self.world[None]) if len(self.world) else numpy.full((1, 6), numpy.nan, numpy.float32)
        self._corners: NDArray[numpy.float32] | None = None

    @property
    def corners(self) -> NDArray[numpy.float32]:
        """(F, 3, 3): the corners of the triangles in the world."""
        corners = self._corners
        if corners is None:
            corners = self._corners = self.world[self.faces]
        return corners

    def part_bounds(self) -> NDArray[numpy.float32]:
        return self.bounds if self.is_convex else _bounds(self.corners)

    def parts(self, places: NDArray[Any]) -> list[NDArray[numpy.float32]]:
        """Returns the corners of these parts."""
        return [self.world] if self.is_convex else list(self.corners[places])

    def name_of(self, place: int) -> int:
        return _WHOLE if self.is_convex else int(place)


def _bounds(corners: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """Returns (N, 6): the bounds of N lists of points."""
    return numpy.hstack([corners.min(axis=1), corners.max(axis=1)])


def _gaps(first: NDArray[Any], second: NDArray[Any]) -> NDArray[numpy.float64]:
    """Returns the distances of bounds, row by row: never more than those of what they bound."""
    a, b = first.astype(numpy.float64), second.astype(numpy.float64)
    apart = numpy.maximum(0, numpy.maximum(a[..., :3] - b[..., 3:], b[..., :3] - a[..., 3:]))
    lengths: NDArray[numpy.float64] = numpy.linalg.norm(apart, axis=-1)
    return lengths


class _Pair:
    """Two objects, and the questions about them."""

    def __init__(self, checker: Checker, a: _Object, b: _Object) -> None:
        self.checker, self.a, self.b = checker, a, b

    def meeting_parts(self) -> NDArray[Any]:
        """Returns (K, 2): the parts of both that share a point."""
        if not (self.a.is_convex or self.b.is_convex):
            return self.checker.check(Triangles(self.a.corners), Triangles(self.b.corners)).pairs
        pairs = self.checker.check(Bounds(self.a.part_bounds()), Bounds(self.b.part_bounds())).pairs
        solids, named = self._solids(pairs)
        return pairs[solids.collide(named)]

    def _solids(self, pairs: NDArray[Any]) -> tuple[Solids, NDArray[Any]]:
        """Returns the parts that pairs name, and the pairs by their positions among these."""
        used = [numpy.unique(pairs[:, side], return_inverse=True) for side in (0, 1)]
        parts = [*self.a.parts(used[0][0]), *self.b.parts(used[1][0])] if len(pairs) else []
        return Solids(parts), numpy.column_stack([used[0][1], len(used[0][0]) + used[1][1]]).astype(numpy.uint32)

    def contacts(self) -> Iterable[tuple[tuple[int, int], Any, Any, float]]:
        """Yields the parts, the point, the normal and the depth of each contact."""
        pairs = self.meeting_parts()
        solids, named = self._solids(pairs)
        found = solids.penetrations(named)
        if self.a.is_convex and self.b.is_convex and len(pairs):
            aligned = self._aligned(float(found.depths[0]))
            if aligned is not None:
                yield (_WHOLE, _WHOLE), *aligned, float(found.depths[0])
                return
        points = (found.on_a + found.on_b) / 2
        for k, (a, b) in enumerate(pairs):
            yield (self.a.name_of(a), self.b.name_of(b)), points[k], found.normals[k], float(found.depths[k])

    def _aligned(self, depth: float) -> tuple[Any, Any] | None:
        """Returns the point and the normal of the first way out along an axis that is as short as `depth`, at vertices.

        Cubes in one place have six such ways, and every way has many points: this one is what trimesh's tests expect.
        """
        a, b = self.a.world.astype(numpy.float64), self.b.world.astype(numpy.float64)
        for axis, sign in ((axis, sign) for axis in range(3) for sign in (-1.0, 1.0)):
            normal = numpy.zeros(3)
            normal[axis] = sign
            reach, least = (a @ normal).max(), (b @ normal).min()
            if abs(reach - least - depth) > 1e-6 * depth:
                continue
            ends = a[a @ normal == reach]
            on_a = ends[numpy.lexsort((ends[:, 0], -ends[:, 2], ends[:, 1]))[0]]
            on_b = on_a - depth * normal
            if (abs(b - on_b).max(axis=1) <= 1e-6 * (abs(on_b).max() + depth)).any():
                return (on_a + on_b) / 2, normal
        return None

    def nearest(self) -> _Nearest:
        """Returns the distance; minus the depth if they meet and one is convex."""
        pairs = self.meeting_parts()
        if len(pairs):
            solids, named = self._solids(pairs)
            found = solids.penetrations(named)
            deepest = int(numpy.argmax(found.depths))
            depth = float(found.depths[deepest]) if self.a.is_convex or self.b.is_convex else 0.0
            return self._named(-depth, pairs[deepest], found.on_a[deepest], found.on_b[deepest])
        pairs = self._near_parts()
        solids, named = self._solids(pairs)
        apart = solids.distances(named)
        closest = int(numpy.argmin(apart.distances))
        return self._named(float(apart.distances[closest]), pairs[closest], apart.on_a[closest], apart.on_b[closest])

    def _named(self, distance: float, parts: NDArray[Any], on_a: Any, on_b: Any) -> _Nearest:
        return _Nearest(distance, (self.a.name_of(parts[0]), self.b.name_of(parts[1])), (on_a, on_b))

    def _near_parts(self) -> NDArray[Any]:
        """Returns the pairs of parts that may be the closest: no further apart, by their bounds, than two vertices are."""
        if self.a.is_convex and self.b.is_convex:
            return numpy.zeros((1, 2), numpy.uint32)
        points = numpy.hstack([self.b.world, numpy.zeros((len(self.b.world), 1), numpy.float32)])
        found = self.checker.neighbours(Spheres(points), around=self.a.world)
        within = float(found.distances.min()) * _WIDER
        bounds = [self.a.part_bounds(), self.b.part_bounds()]
        places = [numpy.flatnonzero(_gaps(bounds[k], [self.b, self.a][k].bounds) <= within) for k in (0, 1)]
        near = [bounds[k][places[k]] for k in (0, 1)]
        widened = near[0] + numpy.float32(within * _WIDER) * numpy.array([-1, -1, -1, 1, 1, 1], numpy.float32)
        widened = numpy.nextafter(widened, numpy.array([-1, -1, -1, 1, 1, 1], numpy.float32) * numpy.inf)
        pairs = self.checker.check(Bounds(widened), Bounds(near[1])).pairs
        pairs = pairs[_gaps(near[0][pairs[:, 0]], near[1][pairs[:, 1]]) <= within]
        return numpy.column_stack([places[0][pairs[:, 0]], places[1][pairs[:, 1]]]).astype(numpy.uint32)


def _answer(*parts: Any) -> Any:
    """Returns an answer alone, or with what else was asked for."""
    given = tuple(part for part in parts if part is not None)
    return given[0] if len(given) == 1 else given


class CollisionManager:
    """Objects by name, and which of them collide. Methods, arguments and answers are those of trimesh's manager.

    `threads` is that of `Checker`.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        self._objs: dict[Hashable, _Object] = {}
        self._checker = Checker(backend="cpu", threads=threads)

    def add_object(self, name: Hashable, mesh: Any, transform: ArrayLike | None = None) -> _Object:
        """Adds a mesh, placed by a (4, 4) homogeneous transform, or replaces the object with this name."""
        self._objs[name] = _Object(mesh, transform)
        return self._objs[name]

    def remove_object(self, name: Hashable) -> None:
        """Removes an object."""
        self._expect(name)
        del self._objs[name]

    def set_transform(self, name: Hashable, transform: ArrayLike) -> None:
        """Moves an object to another place."""
        self._expect(name).place(transform)

    def in_collision_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Returns True if a mesh collides with any object; with names, also the set of those; with data, the contacts."""
        own = {_EXTERNAL: _Object(mesh, transform)}
        meeting = self._meeting(self._objs, own)
        names = {name for name, _ in meeting} if return_names else None
        data = self._contacts(self._objs, own, meeting) if return_data else None
        return _answer(bool(meeting), names, data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Returns True if objects collide with each other; with names, also the set of pairs, each sorted."""
        meeting = self._meeting(self._objs, None)
        names = {_sorted(pair) for pair in meeting} if return_names else None
        data = self._contacts(self._objs, self._objs, meeting) if return_data else None
        return _answer(bool(meeting), names, data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Returns True if objects of both managers collide; names are pairs of one of this and one of the other manager."""
        meeting = self._meeting(self._objs, other_manager._objs)
        names = set(meeting) if return_names else None
        data = self._contacts(self._objs, other_manager._objs, meeting) if return_data else None
        return _answer(bool(meeting), names, data)

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Returns the distance from a mesh to the nearest object, and the name of that; negative if they collide."""
        names, found = self._nearest(self._objs, {_EXTERNAL: _Object(mesh, transform)})
        return self._distance(names, found, names[0] if return_name and names else None, return_name, return_data)

    def min_distance_internal(
        self, name: Hashable | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Returns the distance of the two nearest objects, or of `name` and the nearest other one, and their names."""
        if name is None:
            names, found = self._nearest(self._objs, None)
        else:
            own = {name: self._expect(name)}
            names, found = self._nearest(own, {other: one for other, one in self._objs.items() if other != name})
        return self._distance(names, found, _sorted(names) if return_names and names else None, return_names, return_data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Returns the distance of the nearest objects of both managers; names are one of this and one of the other."""
        names, found = self._nearest(self._objs, other_manager._objs)
        return self._distance(names, found, names if return_names else None, return_names, return_data)

    def _expect(self, name: Hashable) -> _Object:
        if name not in self._objs:
            raise ValueError(f"name is {name!r}, which no object has: add it first, by add_object")
        return self._objs[name]

    def _meeting(self, first: dict[Any, _Object], second: dict[Any, _Object] | None) -> list[tuple[Any, Any]]:
        """Returns the names of objects that share a point."""
        sides = [first] if second is None else [first, second]
        names, boxes = zip(*(_bounded(objects) for objects in sides))
        if any(len(one) == 0 for one in names):
            return []
        # Those whose bounds share a point.
        pairs = self._checker.check(*(Bounds(one) for one in boxes)).pairs
        objects = [[side[name] for name in own] for side, own in zip(sides, names)]
        convex = [numpy.array([one.is_convex for one in own], bool) for own in objects]
        both = convex[0][pairs[:, 0]] & convex[-1][pairs[:, 1]]
        meet = numpy.zeros(len(pairs), bool)
        meet[both] = _solids_meet(objects, pairs[both])
        for k in numpy.flatnonzero(~both):
            a, b = pairs[k]
            meet[k] = len(_Pair(self._checker, objects[0][a], objects[-1][b]).meeting_parts()) > 0
        return [(names[0][a], names[-1][b]) for a, b in pairs[meet].tolist()]

    def _contacts(
        self, first: dict[Any, _Object], second: dict[Any, _Object], pairs: list[tuple[Any, Any]]
    ) -> list[ContactData]:
        return [
            ContactData((a, b), *contact)
            for a, b in pairs
            for contact in _Pair(self._checker, first[a], second[b]).contacts()
        ]

    def _nearest(
        self, first: dict[Any, _Object], second: dict[Any, _Object] | None
    ) -> tuple[tuple[Any, Any] | None, _Nearest | None]:
        """Returns the names of the nearest objects: pairs in the order of the distances of their bounds."""
        names, boxes = _bounded(first)
        other_names, other_boxes = (names, boxes) if second is None else _bounded(second)
        others = first if second is None else second
        best: _Nearest | None = None
        best_names = None
        if not names or not other_names:
            return None, None
        gaps = _gaps(boxes[:, None], other_boxes[None])
        if second is None:
            gaps[numpy.tril_indices(len(names))] = numpy.inf
        # Objects may be deeper in each other than bounds say: those whose bounds meet are all asked.
        for place in numpy.argsort(gaps, axis=None, kind="stable"):
            gap = gaps.flat[place]
            if gap == numpy.inf or (best is not None and gap > max(best.distance, 0)):
                break
            a, b = names[place // len(other_names)], other_names[place % len(other_names)]
            found = _Pair(self._checker, first[a], others[b]).nearest()
            if best is None or found.distance < best.distance:
                best, best_names = found, (a, b)
        return best_names, best

    @staticmethod
    def _distance(names: Any, found: _Nearest | None, shown: Any, with_names: bool, with_data: bool) -> Any:
        distance = sys.float_info.max if found is None else found.distance
        answer = [distance]
        if with_names:
            answer.append(shown)
        if with_data:
            answer.append(None if found is None else DistanceData(names, found))  # type: ignore[arg-type]
        return answer[0] if len(answer) == 1 else tuple(answer)


def _solids_meet(objects: list[list[_Object]], pairs: NDArray[numpy.uint32]) -> NDArray[numpy.bool_]:
    """Returns which pairs of convex objects share a point: positions in the first list and in the last, which may be the same."""
    columns = [pairs] if len(objects) == 1 else [pairs[:, 0], pairs[:, 1]]
    parts: list[NDArray[numpy.float32]] = []
    named = []
    for own, column in zip(objects, columns):
        used, places = numpy.unique(column, return_inverse=True)
        named.append(places.reshape(column.shape) + len(parts))
        parts += [own[k].world for k in used]
    return Solids(parts).collide(numpy.column_stack(named))


def _bounded(objects: dict[Any, _Object]) -> tuple[list[Any], NDArray[numpy.float32]]:
    """Returns the names of the objects that have vertices, and their bounds."""
    kept = {name: one.bounds for name, one in objects.items() if len(one.vertices)}
    boxes = numpy.concatenate([numpy.empty((0, 6), numpy.float32), *kept.values()])
    return list(kept), boxes


def _sorted(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    a, b = sorted(pair)
    return a, b


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[Any, _Object]]:
    """Returns a manager of the objects in a `trimesh.Scene`, by the names of their nodes, and these objects."""
    manager = CollisionManager()
    objects = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, objects
