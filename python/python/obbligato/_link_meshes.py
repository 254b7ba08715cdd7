"""Bodies of which some are the bounding boxes of meshes, and which of their pairs the meshes decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._native import Checker, MeshBody, PreparedScene
from obbligato._shapes import Bodies, Triangles

# The part of its numbers by which a bounding box is enlarged: more than the rounding of a mesh in the frame of another body.
_SLACK = 2.0**-20
# The corners of a cuboid in half extents, and its triangles.
_CORNERS = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], numpy.float32)
_FACES = numpy.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)


def enlarged(half: NDArray[Any], center: NDArray[Any]) -> NDArray[Any]:
    """Returns half extents of boxes, by which they contain meshes after all rounding."""
    sums: NDArray[Any] = abs(center).sum(axis=-1, keepdims=True) + half.sum(axis=-1, keepdims=True)
    return half + _SLACK * sums + numpy.finfo(numpy.float32).tiny


@dataclass(frozen=True, eq=False)
class Meshed:
    """Bodies, of which boxes may stand for meshes."""

    listed: Bodies | PreparedScene
    meshes: Sequence[MeshBody] = ()
    which: NDArray[numpy.int64] | None = None
    """The position of each body's mesh, -1 for bodies that are no meshes; None if all are none."""
    poses: NDArray[numpy.float32] | None = None
    """(N, 7): the poses of the meshes, if they are not those of the bodies."""

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies. Those of a scene are copied once they are needed."""
        return self.listed.bodies if isinstance(self.listed, PreparedScene) else self.listed

    @classmethod
    def at_rest(cls, meshes: Sequence[MeshBody]) -> Meshed:
        """Returns meshes in the frame of the world."""
        bounds = numpy.array([mesh.bounds for mesh in meshes], numpy.float64)
        center, half = (bounds[:, :3] + bounds[:, 3:]) / 2, (bounds[:, 3:] - bounds[:, :3]) / 2
        still = numpy.tile([0, 0, 0, 1], (len(meshes), 1))
        boxes = numpy.hstack([center, enlarged(half, center), still]).astype(numpy.float32)
        poses = numpy.hstack([numpy.zeros_like(center), still]).astype(numpy.float32)
        return cls(Bodies(boxes), meshes, numpy.arange(len(meshes)), poses)

    def some(self, kept: NDArray[numpy.bool_]) -> Meshed:
        """Returns some of the bodies, by a mark for each."""
        own = self.bodies
        boxes, capsules, spheres = numpy.split(kept, numpy.cumsum([len(own.boxes), len(own.capsules)]))
        bodies = Bodies(own.boxes[boxes], own.capsules[capsules], own.spheres[spheres])
        which = None if self.which is None else self.which[kept]
        return Meshed(bodies, self.meshes, which, None if self.poses is None else self.poses[kept])

    def are_meshes(self, rows: NDArray[Any]) -> NDArray[numpy.bool_]:
        """Returns which of the bodies are meshes."""
        return numpy.zeros(len(rows), bool) if self.which is None else self.which[rows] >= 0

    def instances(self, rows: NDArray[Any]) -> tuple[list[MeshBody], NDArray[numpy.float32], NDArray[numpy.float32]]:
        """Returns the mesh, the pose and the radius of some bodies.

        Bodies that are no meshes are cuboids; capsules and spheres are flat ones with a radius.
        """
        first, second = len(self.bodies.boxes), len(self.bodies.boxes) + len(self.bodies.capsules)
        boxes, capsules, spheres = rows < first, (first <= rows) & (rows < second), second <= rows
        own = self.bodies
        poses, half, radii = (numpy.zeros((len(rows), width), numpy.float32) for width in (7, 3, 1))
        poses[:, 6] = 1
        for mask, numbers, turn in (
            (boxes, own.boxes[rows[boxes]], slice(6, 10)),
            (capsules, own.capsules[rows[capsules] - first], slice(4, 8)),
        ):
            poses[mask] = numpy.hstack([numbers[:, :3], numbers[:, turn]])
        half[boxes] = own.boxes[rows[boxes], 3:6]
        half[capsules, 2] = own.capsules[rows[capsules] - first, 3]
        radii[capsules, 0] = own.capsules[rows[capsules] - first, 8]
        poses[spheres, :3], radii[spheres, 0] = own.spheres[rows[spheres] - second, :3], own.spheres[rows[spheres] - second, 3]
        if self.poses is not None:
            poses = self.poses[rows]
        which = numpy.full(len(rows), -1) if self.which is None else self.which[rows]
        plain = numpy.flatnonzero(which < 0)
        sizes, size_of = numpy.unique(half[plain], axis=0, return_inverse=True)
        cuboids = MeshBody.from_each([Triangles(_cuboid(size)) for size in sizes])
        which[plain] = len(self.meshes) + size_of.reshape(-1)
        meshes = [*self.meshes, *cuboids]
        return [meshes[k] for k in which], poses, radii[:, 0]


def _cuboid(half: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """Returns the triangles of a cuboid, or one around the segment or the point that it is."""
    if half[0] == half[1] == 0:
        return numpy.array([[[0, 0, -half[2]], [0, 0, half[2]], [0, 0, half[2]]]], numpy.float32)
    triangles: NDArray[numpy.float32] = (_CORNERS * half)[_FACES]
    return triangles


def apart(
    checker: Checker, first: Meshed, second: Meshed, pairs: NDArray[Any], reach: NDArray[numpy.float64] | None = None
) -> NDArray[numpy.float64]:
    """Returns the distance of each pair of bodies, 0 if they meet, and infinite beyond the margin of the checker.

    To this, `reach` adds a distance for each body of the second list. A pair is a position in each of both lists, and is
    given once.
    """
    used = [numpy.unique(pairs[:, side], return_inverse=True) for side in (0, 1)]
    sides = [side.instances(rows) for side, (rows, _) in zip((first, second), used)]
    before = len(used[0][0])
    named = numpy.column_stack([used[0][1].reshape(-1), before + used[1][1].reshape(-1)])
    radii = numpy.concatenate([radii for *_, radii in sides])
    margins = radii.astype(numpy.float64)
    if reach is not None:
        margins[before:] += reach[used[1][0]]
        margins = numpy.nextafter(margins.astype(numpy.float32), numpy.float32(numpy.inf))
    found = checker.mesh_scene(
        [mesh for meshes, *_ in sides for mesh in meshes],
        numpy.concatenate([poses for _, poses, _ in sides]),
        pairs=named,
        margins=margins.astype(numpy.float32),
    )
    keys = named @ numpy.array([len(radii), 1])
    order = numpy.argsort(keys)
    places = order[numpy.searchsorted(keys[order], found.pairs.astype(numpy.int64) @ numpy.array([len(radii), 1]))]
    distances = numpy.full(len(pairs), numpy.inf)
    distances[places] = numpy.maximum(found.distances - radii.astype(numpy.float64)[named[places]].sum(axis=1), 0)
    return distances
