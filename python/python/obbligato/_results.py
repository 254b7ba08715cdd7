"""Results that consist of arrays alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy
from numpy.typing import NDArray


def _slice(offsets: NDArray[numpy.uint64], row: int) -> slice:
    if not 0 <= row < len(offsets) - 1:
        raise IndexError(f"there is no row {row}: rows are 0 to {len(offsets) - 2}")
    return slice(int(offsets[row]), int(offsets[row + 1]))


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    """The nearest neighbours of bodies or points, from `Checker.neighbours` or `Tree.nearest`, one row after the other."""

    offsets: NDArray[numpy.uint64]
    """(N + 1,) uint64: the neighbours of row k are `offsets[k]:offsets[k + 1]`."""
    neighbours: NDArray[numpy.uint32]
    """(K,) uint32: the positions of the neighbours, the nearest of each row first."""
    distances: NDArray[numpy.float64]
    """(K,) float64: their distances, in the caller's unit."""
    cut: NDArray[numpy.bool_]
    """(N,) bool: True if a row has fewer neighbours than are within the distance, because of `nearest`."""

    def row(self, row: int) -> NDArray[numpy.uint32]:
        """Returns the positions of the neighbours in a row, the nearest first."""
        return self.neighbours[_slice(self.offsets, row)]

    def distances_of(self, row: int) -> NDArray[numpy.float64]:
        """Returns the distances of the neighbours in a row."""
        return self.distances[_slice(self.offsets, row)]

    def __len__(self) -> int:
        return len(self.cut)

    def __repr__(self) -> str:
        return f"<Neighbours: {len(self)} rows, {len(self.neighbours)} neighbours>"


@dataclass(frozen=True, eq=False, repr=False)
class Overlaps:
    """The volumes that the boxes of pairs share, from `Checker.overlaps`, in the order of the pairs.

    A volume is off by at most 1e-9 of the smaller box's. Volume and IoU are exactly 0 for boxes that only touch, and the IoU of equal
    boxes is exactly 1.
    """

    volumes: NDArray[numpy.float64]
    """(P,) float64: the volume of the intersection, in the caller's unit to the third power; in the plane, its area."""
    ious: NDArray[numpy.float64]
    """(P,) float64: that volume over the volume of the union, from 0 to 1 (intersection over union)."""
    images: NDArray[numpy.int64] | None
    """(P, 3) int64: the whole numbers of periods by which the second box is moved along each axis, if space repeats; else None."""

    def __len__(self) -> int:
        return len(self.volumes)

    def __repr__(self) -> str:
        return f"<Overlaps: {len(self)} pairs>"


class IouMatrix(NamedTuple):
    """The volumes that each box of one list shares with each of another, from `iou_matrix`. They are as exact as in `Overlaps`."""

    volumes: NDArray[numpy.float64]
    """(N, M) float64: the volume of the intersection, in the caller's unit to the third power; in the plane, its area."""
    ious: NDArray[numpy.float64]
    """(N, M) float64: that volume over the volume of the union, from 0 to 1 (intersection over union)."""

    def __repr__(self) -> str:
        rows, columns = self.ious.shape
        return f"<IouMatrix: {rows} x {columns} boxes>"


@dataclass(frozen=True, eq=False, repr=False)
class Approaches:
    """The pairs that come within a distance during a step, from `Checker.approaches`, sorted by time."""

    boxes: int
    """The number of bodies, in both lists."""
    candidate_pairs: int
    """The number of pairs whose swept bounds are within the distance."""
    pairs: NDArray[numpy.uint32]
    """(P, 2) uint32: the positions of the bodies."""
    times: NDArray[numpy.float64]
    """(P,) float64: when they are nearest, in seconds from the start of the step."""
    distances: NDArray[numpy.float64]
    """(P,) float64: their distance at that time, in the caller's unit; 0 if they meet."""
    resolved: NDArray[numpy.bool_]
    """(P,) bool: False if the search ended early: the bodies may be nearer at another time."""
    pair_ids: NDArray[numpy.generic]
    """(P, 2): the pairs as ids of their bodies; positions for bodies without ids."""
    backend: str
    """The backend that found the candidate pairs: "gpu" or "cpu"."""
    milliseconds: float
    """The time of the question in milliseconds."""
    images: NDArray[numpy.int64] | None
    """(P, 3) int64: the whole numbers of periods by which the second body is moved along each axis, if space repeats; else None."""

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"<Approaches: {len(self)} of {self.boxes} bodies, {self.backend}, {self.milliseconds:.1f} ms>"


@dataclass(frozen=True, eq=False, repr=False)
class Advanced:
    """Boxes after a step from impact to impact, from `Checker.advance`."""

    boxes: NDArray[numpy.float32]
    """(N, 10) float32: the boxes at the end of the step."""
    motions: NDArray[numpy.float32]
    """(N, 10) float32: their motions from then on, as `Checker.sweep` takes them."""
    impacts: int
    """The number of impacts that were answered."""
    sweeps: int
    """The number of sweeps that were needed."""
    shortened: int
    """The number of times that boxes went less far than to the next impact, because they would have collided there."""
    left: float
    """The seconds that were left out because the limit of sweeps was reached."""

    def __len__(self) -> int:
        return len(self.boxes)

    def __repr__(self) -> str:
        return f"<Advanced: {len(self)} boxes, {self.impacts} impacts, {self.sweeps} sweeps>"


@dataclass(frozen=True, eq=False, repr=False)
class Enclosures:
    """Where bodies are relative to a room or a closed mesh, from `Checker.enclosures`."""

    states: NDArray[numpy.int8]
    """(N,) int8: 0 inside, 1 crossing a wall, 2 outside."""
    walls: NDArray[numpy.uint8] | None
    """(N,) uint8: a bit for each wall that a body reaches: 1 min x, 2 max x, 4 min y, 8 max y, 16 min z, 32 max z. None for
    a mesh."""

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        inside, crossing, outside = numpy.bincount(self.states, minlength=3)
        return f"<Enclosures: {inside} inside, {crossing} crossing, {outside} outside>"


@dataclass(frozen=True, eq=False, repr=False)
class FirstHits:
    """The first body that each ray meets, from `Tree.first_hits`, in the order of the rays."""

    positions: NDArray[numpy.int64]
    """(R,) int64: the positions of the bodies, -1 for a ray that meets none."""
    t: NDArray[numpy.float32]
    """(R,) float32: where the ray enters the bounds, in lengths of its direction; 0 if it begins in them, infinite if it meets
    none."""

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<FirstHits: {numpy.count_nonzero(self.positions >= 0)} of {len(self)} rays>"


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """The bodies of a `Tree` that each point or each of some bounds meets, one row after the other."""

    offsets: NDArray[numpy.uint64]
    """(Q + 1,) uint64: the bodies of row k are `offsets[k]:offsets[k + 1]`."""
    positions: NDArray[numpy.uint32]
    """(K,) uint32: the positions of the bodies, ascending in each row."""

    def row(self, row: int) -> NDArray[numpy.uint32]:
        """Returns the positions of the bodies in a row."""
        return self.positions[_slice(self.offsets, row)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Lists: {len(self)} rows, {len(self.positions)} bodies>"


@dataclass(frozen=True, eq=False, repr=False)
class Hits:
    """All bodies that each ray meets, from `Tree.all_hits`, one ray after the other."""

    offsets: NDArray[numpy.uint64]
    """(R + 1,) uint64: the bodies of ray k are `offsets[k]:offsets[k + 1]`."""
    positions: NDArray[numpy.uint32]
    """(K,) uint32: the positions of the bodies, in the order in which the ray enters their bounds."""
    t: NDArray[numpy.float32]
    """(K,) float32: where the ray enters them, in lengths of its direction; 0 if it begins in them."""

    def row(self, row: int) -> NDArray[numpy.uint32]:
        """Returns the positions of the bodies that a ray meets."""
        return self.positions[_slice(self.offsets, row)]

    def t_of(self, row: int) -> NDArray[numpy.float32]:
        """Returns where a ray enters them."""
        return self.t[_slice(self.offsets, row)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Hits: {len(self)} rays, {len(self.positions)} bodies>"


@dataclass(frozen=True, eq=False, repr=False)
class Penetrations:
    """The shortest translations that separate pairs of solids, from `Solids.penetrations`, in the order of the pairs."""

    depths: NDArray[numpy.float64]
    """(P,) float64: the distance to move the second solid, in the caller's unit; NaN if they do not collide."""
    normals: NDArray[numpy.float64]
    """(P, 3) float64: the direction to move it in, a unit vector; NaN if they do not collide."""
    on_a: NDArray[numpy.float64]
    """(P, 3) float64: the deepest point of the first solid."""
    on_b: NDArray[numpy.float64]
    """(P, 3) float64: the deepest point of the second solid."""

    def __len__(self) -> int:
        return len(self.depths)

    def __repr__(self) -> str:
        return f"<Penetrations: {len(self)} pairs>"


@dataclass(frozen=True, eq=False, repr=False)
class MeshPairs:
    """The pairs of meshes that share a point or are near, from `Checker.mesh_scene`, sorted."""

    RELATIONS: ClassVar[list[str]] = ["overlap", "touch", "a contains b", "b contains a", "near"]
    """The names of relations.

    Meshes overlap if triangles pass through each other, or a point of one mesh is inside the other. They touch if their surfaces
    share a point and none of the examined points is inside: corners, middles of triangles, and a point below each surface. One
    contains the other if it is inside and their surfaces share no point. Meshes are near if they share no point, and are no further
    apart than the margin.
    """

    pairs: NDArray[numpy.uint32]
    """(P, 2) uint32: the positions of the instances, the lower one first."""
    relations: NDArray[numpy.int8]
    """(P,) int8: how they lie relative to each other, as positions in `RELATIONS`."""
    triangles: NDArray[numpy.int64]
    """(P, 2) int64: a triangle of each that share a point or are nearest to each other; -1 if the surfaces share no point and no
    distance was computed."""
    distances: NDArray[numpy.float64]
    """(P,) float64: the distance of the surfaces, in the caller's unit, if they are near; otherwise 0."""

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        counts = numpy.bincount(self.relations, minlength=len(self.RELATIONS))
        return "<MeshPairs: " + ", ".join(f"{count} {name}" for count, name in zip(counts, self.RELATIONS)) + ">"
