"""The clashes of many meshes: which share a point, how, and how deep they are in each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._native import Checker, Solids
from obbligato._shapes import Bounds, Shapes, Triangles
from obbligato.ifc.scene import Doubles, Scene, Whole, spread

KINDS = ["duplicate", "contain", "pierce", "overlap", "touch", "near"]
"""The kinds of clashes: two meshes with the same corners; one wholly in the other; one that passes through the other; any
other overlap; a common point, up to the rounding, but no overlap deeper than the tolerance; and, with a clearance, no
common point."""
DUPLICATE, CONTAIN, PIERCE, OVERLAP, TOUCH, NEAR = range(len(KINDS))
_APART = -1
# Where a point is relative to a mesh. UNKNOWN means that the mesh is not closed.
INSIDE, SURFACE, OUTSIDE, UNKNOWN = 0, 1, 2, 3
# The number of points of coinciding surfaces to examine, for each pair.
_FLUSH = 8


@dataclass(frozen=True, eq=False)
class Meetings:
    """Triangles that share a point: rows of a place in a list of pairs, a triangle of the first mesh and one of the second."""

    pair: Whole
    first: Whole
    second: Whole

    def at(self, chosen: NDArray[Any]) -> Meetings:
        return Meetings(self.pair[chosen], self.first[chosen], self.second[chosen])

    @property
    def arrays(self) -> tuple[Whole, Whole, Whole]:
        return self.pair, self.first, self.second


@dataclass(frozen=True, eq=False, repr=False)
class Clashes:
    """Clashes of meshes, sorted by their positions."""

    pairs: Whole
    """(P, 2) int64: the positions of the meshes."""
    kinds: NDArray[numpy.int8]
    """(P,) int8: positions in `KINDS`."""
    inner: NDArray[numpy.int8]
    """(P,) int8: of `contain` and `pierce`, 0 if the first mesh is in the second one or passes through it, 1 if the second is or
    does; otherwise -1."""
    depths: Doubles
    """(P,) float64, in metres: the shortest translation that separates two convex meshes; of others, how far a point of one
    is in the other one, the deepest of those examined; 0 for meshes that only touch; NaN if neither is closed, for duplicates that
    are not convex, and for meshes that are apart."""
    exact: NDArray[numpy.bool_]
    """(P,) bool: True where the depth is that of two convex meshes."""
    distances: Doubles
    """(P,) float64, in metres: the distance of the surfaces; 0 for meshes that share a point, or one in the other."""
    normals: Doubles
    """(P, 3) float64: the direction to move the second mesh in, away from the first; NaN if not known."""
    points: Doubles
    """(P, 3) float64: a point at the clash, in the world."""

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        counts = numpy.bincount(self.kinds, minlength=len(KINDS))
        return "<Clashes: " + ", ".join(f"{count} {kind}" for kind, count in zip(KINDS, counts)) + ">"

    def at(self, chosen: NDArray[Any]) -> Clashes:
        """Returns some of the clashes, by a mask or by positions."""
        return Clashes(*(getattr(self, field.name)[chosen] for field in fields(self)))


def find(
    scene: Scene, candidates: Whole, tolerances: Doubles, clearances: Doubles, checker: Checker, split: int | None = None
) -> Clashes:
    """Finds the clashes among candidate pairs of meshes: see `Clashes`. Tolerances and clearances are those of each pair.

    With `split`, pairs are of one of the first `split` meshes and one of the others.
    """
    search = _Search(scene, candidates, tolerances, checker, split)
    search.convex_pairs()
    search.meetings()
    search.others()
    search.refine()
    search.near(clearances)
    return search.result()


class _Search:
    """The state of a search: one entry in every array for each candidate pair."""

    def __init__(self, scene: Scene, pairs: Whole, tolerances: Doubles, checker: Checker, split: int | None) -> None:
        self.scene, self.pairs, self.tolerances, self.checker, self.split = scene, pairs, tolerances, checker, split
        self.surfaces = scene.surfaces
        count = len(pairs)
        self.kinds = numpy.full(count, _APART, numpy.int8)
        self.depths, self.distances = numpy.full(count, numpy.nan), numpy.full(count, numpy.inf)
        self.exact, self.inner = numpy.zeros(count, bool), numpy.full(count, -1, numpy.int8)
        self.normals, self.points = numpy.full((count, 3), numpy.nan), numpy.full((count, 3), numpy.nan)
        # How deep the points of the first meshes are in the second ones, and the other way round, if not both are convex.
        self.reaches = numpy.zeros((2, count))
        self.meet = Meetings(*(numpy.empty(0, numpy.int64) for _ in range(3)))

    def convex_pairs(self) -> None:
        """Decides the pairs of convex meshes, except for what kinds of overlaps they are."""
        used, places = numpy.unique(self.pairs, return_inverse=True)
        named = places.reshape(-1, 2)
        convex = self.scene.convex(used)
        numbers, meshes = numpy.cumsum(convex) - 1, used[convex]
        solids = Solids([self.scene.rounded[self.scene.point_starts[k] : self.scene.point_starts[k + 1]] for k in meshes])
        # Flat ones have no inside, and damaged ones do not fill their hulls.
        hulls = solids.volumes
        convex[convex] = (hulls > 0) & (abs(self.scene.volumes[meshes]) >= 0.999 * hulls)
        chosen = numpy.flatnonzero(convex[named].all(axis=1))
        found = solids.penetrations(numbers[named[chosen]].astype(numpy.uint32))
        self.exact[chosen] = True
        self.depths[chosen], self.normals[chosen] = found.depths, found.normals
        self.points[chosen] = (found.on_a + found.on_b) / 2
        meeting = chosen[~numpy.isnan(found.depths)]
        self.distances[meeting] = 0
        self.kinds[meeting] = numpy.where(self.depths[meeting] > self.tolerances[meeting], OVERLAP, TOUCH)

    def meetings(self) -> None:
        """Finds the triangles that share a point, of all pairs that are not decided."""
        wanted = numpy.flatnonzero(~self.exact | (self.kinds == OVERLAP))
        self.meet = self._matched(wanted, 0, lambda faces: Triangles(self.scene.triangles[faces]))
        meeting = numpy.unique(self.meet.pair)
        self.distances[meeting] = 0
        meeting = meeting[~self.exact[meeting]]
        self.kinds[meeting], self.depths[meeting] = TOUCH, 0
        self._middles()

    def _sided(self, wanted: Whole, side: int) -> Whole:
        """Returns the meshes of some pairs, the one of a side first."""
        return numpy.ascontiguousarray(self.pairs[wanted][:, [side, 1 - side]])

    def _faces_in_reach(self, wanted: Whole, side: int, margin: float) -> Whole:
        """Returns the triangles of one mesh of some pairs that are no further from the bounds of the other than a margin."""
        return self.surfaces.faces_in_reach(self._sided(wanted, side), margin + 4 * self.scene.rounding)

    def _matched(self, wanted: Whole, margin: float, shapes_of: Callable[[Whole], Shapes]) -> Meetings:
        """Returns the shapes of triangles that share a point, of some pairs."""
        near = [self._faces_in_reach(wanted, side, margin) for side in (0, 1)]
        lists = near if self.split is not None else [numpy.union1d(*near)]
        shapes = [shapes_of(faces) for faces in lists]
        owners = self.scene.owners[lists[0]] if self.split is None else None
        found = self.checker.check(*shapes, owners=owners).pairs
        # Meshes are in ascending order, and so are their triangles.
        places, first, second = self.surfaces.matched(found, lists[0], lists[-1], self.pairs[wanted])
        return Meetings(wanted[places], first, second)

    def _middles(self) -> None:
        """Places each clash that has no point yet in the middle of where the triangles may meet."""
        middles = self.surfaces.middles(self.meet.arrays, len(self.pairs))
        unknown = numpy.isnan(self.points[:, 0])
        self.points[unknown] = middles[unknown]

    def others(self) -> None:
        """Decides which pairs overlap, and how deep, where one of them is not convex."""
        meet = self.meet.at(~self.exact[self.meet.pair])
        entered = numpy.flatnonzero(self.surfaces.entering(meet.arrays, self.tolerances, False))
        crossed = numpy.zeros(len(self.pairs), bool)
        crossed[meet.pair[entered]] = True
        # Surfaces that share no point may belong to meshes in each other.
        asked = numpy.flatnonzero(~self.exact & (crossed | (self.kinds == _APART)))
        known = numpy.zeros(len(self.pairs), bool)
        for side in (0, 1):
            corners = self._corners_in_reach(asked, side)
            middles = self.surfaces.halfway(meet.arrays, entered, bool(side))
            pair, points = numpy.append(corners[0], middles[0]), numpy.vstack([corners[1], middles[1]])
            self._deepen(side, pair, points, numpy.append(numpy.full(len(corners[0]), numpy.inf), middles[2]))
            self._flush(side, middles[0], middles[1], middles[3])
            places = numpy.flatnonzero(crossed)
            known[places] |= self.scene.closed(self.pairs[places, 1 - side])
        inside = ~self.exact & (self.depths > 0)
        self.kinds[inside] = numpy.where(self.depths[inside] > self.tolerances[inside], OVERLAP, TOUCH)
        self.distances[inside] = 0
        self._open_pairs(meet.at(entered), crossed & ~known)

    def _corners_in_reach(self, asked: Whole, side: int) -> tuple[Whole, Doubles]:
        """Returns the corners of one mesh of each pair that are within the bounds of the other."""
        found = self.surfaces.corners_in_reach(self._sided(asked, side))
        return asked[found[:, 0]], self.scene.points[found[:, 1]]

    def _corners(self, asked: Whole, side: int) -> tuple[Whole, Whole]:
        """Returns the corners of one mesh of each pair: rows in `asked`, and positions."""
        meshes = self.pairs[asked, side]
        row, place = spread(numpy.diff(self.scene.point_starts)[meshes])
        return row, self.scene.point_starts[meshes][row] + place

    def _deepen(self, side: int, pair: Whole, points: Doubles, limits: Doubles) -> None:
        """Takes the deepest of some points of one mesh in the other, for each pair that has a deeper one than before."""
        meshes = self.pairs[pair, 1 - side]
        inside = numpy.flatnonzero(self.surfaces.states(points, meshes) == INSIDE)
        if not len(inside):
            return
        pair, points = pair[inside], points[inside]
        place, depth, on = self.surfaces.deepest(pair, points, meshes[inside], limits[inside])
        at = pair[place]
        self.reaches[side, at] = numpy.maximum(self.reaches[side, at], depth)
        better = ~(self.depths[at] >= depth)
        at, depth, on, deep = at[better], depth[better], on[better], points[place[better]]
        out = (deep - on) if side == 0 else (on - deep)
        self.depths[at], self.points[at] = depth, (deep + on) / 2
        self.normals[at] = numpy.divide(out, depth[:, None], out=numpy.full_like(out, numpy.nan), where=depth[:, None] > 0)

    def _flush(self, side: int, pair: Whole, points: Doubles, faces: Whole) -> None:
        """Looks for points in both meshes where their surfaces coincide, so that no point of one is in the other.

        From points of one surface on the other, rays run inwards to where they leave either mesh.
        """
        scene = self.scene
        rows = numpy.flatnonzero(~(self.depths[pair] > self.tolerances[pair]))
        # There the other mesh is on the same side of the surface.
        below = points[rows] - (2 * self.tolerances[pair[rows]] + scene.slack)[:, None] * scene.normals[faces[rows]]
        rows = rows[self.surfaces.states(below, self.pairs[pair[rows], 1 - side]) == INSIDE]
        # A few points of each pair say enough.
        rows = rows[numpy.argsort(pair[rows], kind="stable")]
        _, counts = numpy.unique(pair[rows], return_counts=True)
        rows = rows[spread(counts)[1] < _FLUSH]
        pair, points, inward = pair[rows], points[rows], -scene.normals[faces[rows]]
        both = [self.pairs[pair, k] for k in (0, 1)]
        reach = numpy.minimum(*(self.surfaces.hits_along(points, inward, meshes, scene.slack) for meshes in both))
        points = points + numpy.where(numpy.isfinite(reach), reach / 2, 0)[:, None] * inward
        inside = numpy.ones(len(pair), bool)
        for meshes in both:
            inside &= self.surfaces.states(points, meshes) == INSIDE
        pair, points, both = pair[inside], points[inside], [meshes[inside] for meshes in both]
        limits = numpy.full(len(pair), numpy.inf)
        depth = numpy.minimum(*(self.surfaces.to_surfaces(points, meshes, limits) for meshes in both))
        # The deepest of each pair.
        order = numpy.lexsort((-depth, pair))
        first = order[numpy.diff(pair[order], prepend=-1) > 0]
        at = pair[first]
        self.depths[at], self.points[at], self.normals[at] = depth[first], points[first], numpy.nan

    def _open_pairs(self, entered: Meetings, chosen: NDArray[numpy.bool_]) -> None:
        """Decides pairs of meshes neither of which is closed: they overlap if a triangle is on both sides of another."""
        meet = entered.at(chosen[entered.pair])
        through = meet.pair[self.surfaces.entering(meet.arrays, self.tolerances, True)]
        self.kinds[through], self.depths[through] = OVERLAP, numpy.nan

    def refine(self) -> None:
        """Distinguishes the kinds of overlaps."""
        overlapping = numpy.flatnonzero(self.kinds == OVERLAP)
        meet = self.meet.at(self.kinds[self.meet.pair] == OVERLAP)
        crossed = [self.surfaces.crossings(meet.arrays, bool(side), self.scene.slack) for side in (0, 1)]
        for side in (0, 1):
            self._pierce(side, crossed[side])
        for side in (0, 1):
            self._contain(side, overlapping)
        first, second = (self.scene.bounds[self.pairs[:, k]].astype(numpy.float64) for k in (0, 1))
        alike = (self.kinds != _APART) & (abs(first - second).max(axis=1, initial=0) <= self.tolerances)
        for k in numpy.flatnonzero(alike):
            if self._same(int(self.pairs[k, 0]), int(self.pairs[k, 1]), float(self.tolerances[k])):
                self.kinds[k], self.inner[k] = DUPLICATE, -1
                # No point of either is deep in the other.
                self.depths[k] = self.depths[k] if self.exact[k] else numpy.nan

    def _pierce(self, side: int, cut: Whole) -> None:
        """Finds the meshes that fall apart where they are outside of another one: those pass through it.

        `cut` has pairs, and edges that pass through the other mesh.
        """
        asked = numpy.unique(cut[:, 0])
        for exactly in (False, True):
            row, at = self._corners(asked, side)
            meshes = self.pairs[asked[row], 1 - side]
            # All is outside of a mesh that is not closed.
            outside = self.surfaces.states(self.scene.points[at], meshes) >= OUTSIDE
            if exactly:
                outside = self._further_out(outside, at, meshes, self.tolerances[asked[row]])
            asked = asked[self.surfaces.falls_apart(asked, self.pairs[asked, side], outside, cut)]
            if not len(asked):
                return
        # Of two that pass through each other, neither is the inner one.
        self.inner[asked] = numpy.where(self.kinds[asked] == PIERCE, -1, side)
        self.kinds[asked] = PIERCE

    def _further_out(
        self, outside: NDArray[numpy.bool_], points: Whole, meshes: Whole, tolerances: Doubles
    ) -> NDArray[numpy.bool_]:
        """Returns which of the corners that are outside are further away than the tolerance."""
        bounds, at = self.scene.bounds[meshes].astype(numpy.float64), self.scene.points[points]
        slack = (tolerances + self.scene.slack)[:, None]
        near = numpy.flatnonzero(outside & ((at >= bounds[:, :3] - slack) & (at <= bounds[:, 3:] + slack)).all(axis=1))
        result = outside.copy()
        result[near] = self.surfaces.to_surfaces(at[near], meshes[near], tolerances[near]) > tolerances[near]
        return result

    def _contain(self, side: int, asked: Whole) -> None:
        """Finds the meshes all of whose corners are in another one, with none of its surface in them."""
        asked = asked[self.reaches[1 - side, asked] <= self.tolerances[asked]]
        inner, outer = (self.scene.bounds[self.pairs[asked, k]].astype(numpy.float64) for k in (side, 1 - side))
        slack = self.tolerances[asked][:, None]
        nested = (inner[:, :3] >= outer[:, :3] - slack) & (inner[:, 3:] <= outer[:, 3:] + slack)
        asked = asked[nested.all(axis=1)]
        row, at = self._corners(asked, side)
        meshes = self.pairs[asked[row], 1 - side]
        state = self.surfaces.states(self.scene.points[at], meshes)
        outside = self._further_out(state == OUTSIDE, at, meshes, self.tolerances[asked[row]]) | (state == UNKNOWN)
        wholly = asked[numpy.bincount(row, outside, len(asked)) == 0]
        self.kinds[wholly], self.inner[wholly] = CONTAIN, side

    def _same(self, a: int, b: int, tolerance: float) -> bool:
        """Tests whether two meshes have the same corners and volume, up to the tolerance."""
        scene = self.scene
        points = [numpy.unique(scene.points[scene.point_starts[k] : scene.point_starts[k + 1]], axis=0) for k in (a, b)]
        gaps = [
            max(float(numpy.linalg.norm(other - point, axis=1).min()) for point in one)
            for one, other in (points, points[::-1])
        ]
        size = numpy.prod(numpy.diff(scene.bounds[a].astype(numpy.float64).reshape(2, 3), axis=0))
        volumes = abs(abs(scene.volumes[a]) - abs(scene.volumes[b]))
        return max(gaps) <= tolerance and bool(volumes <= 1e-3 * size)

    def near(self, clearances: Doubles) -> None:
        """Finds the pairs that share no point, and are no further apart than the clearance.

        Those that may be apart only because of the rounding touch.
        """
        clearances = numpy.maximum(clearances, self.scene.slack)
        asked = numpy.flatnonzero(self.kinds == _APART)
        meet = self._near_triangles(asked, clearances)
        self._set_near(*self.surfaces.nearest(meet.arrays, clearances))

    def _set_near(self, at: Whole, distances: Doubles, on_a: Doubles, on_b: Doubles) -> None:
        touching = distances <= self.scene.slack
        self.kinds[at], self.exact[at] = numpy.where(touching, TOUCH, NEAR), False
        self.depths[at] = numpy.where(touching, 0, numpy.nan)
        self.distances[at], self.points[at] = distances, (on_a + on_b) / 2
        apart, length = on_b - on_a, distances[:, None]
        self.normals[at] = numpy.divide(apart, length, out=numpy.full_like(apart, numpy.nan), where=length > 0)

    def _near_triangles(self, asked: Whole, clearances: Doubles) -> Meetings:
        """Returns the triangles of pairs whose bounds are no further apart than the clearance along each axis."""
        within = float(clearances[asked].max(initial=0)) / 2 + 2 * self.scene.rounding
        sides = numpy.array([-1, -1, -1, 1, 1, 1], numpy.float32)
        bounds = self.scene.face_bounds.astype(numpy.float32)
        widened = numpy.nextafter(bounds + sides * numpy.float32(within * (1 + 1e-6)), sides * numpy.float32(numpy.inf))
        return self._matched(asked, 2 * within, lambda faces: Bounds(widened[faces]))

    def result(self) -> Clashes:
        kept = numpy.flatnonzero(self.kinds != _APART)
        kept = kept[numpy.lexsort(self.pairs[kept].T[::-1])]
        depths = numpy.where(self.kinds == TOUCH, numpy.where(self.exact, self.depths, 0.0), self.depths)
        found = Clashes(
            self.pairs, self.kinds, self.inner, depths, self.exact, self.distances, self.normals, self.points + self.scene.origin
        )
        return found.at(kept)
