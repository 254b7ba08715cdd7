"""Surfaces that meet: lines that triangles have in common, and edges that pass through triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato.ifc._distances import Doubles, cross, dot
from obbligato.ifc.scene import Scene, Whole, batches, least, most, spread

# Rays that are followed from the lines of a triangle and another mesh, at most.
_RAYS = 8


@dataclass(frozen=True, eq=False)
class Meetings:
    """Triangles that share a point: rows of a place in a list of pairs, a triangle of the first mesh and one of the second."""

    pair: Whole
    first: Whole
    second: Whole

    def __len__(self) -> int:
        return len(self.pair)

    def at(self, chosen: NDArray[Any]) -> Meetings:
        return Meetings(self.pair[chosen], self.first[chosen], self.second[chosen])

    def swapped(self) -> Meetings:
        return Meetings(self.pair, self.second, self.first)


def levels(scene: Scene, of: Whole, over: Whole) -> Doubles:
    """Returns (K, 3): how far in front of the planes of some triangles the corners of others are."""
    result = numpy.empty((len(of), 3))
    for begin, end in batches(numpy.ones(len(of), numpy.int64)):
        faces = over[begin:end]
        normals, planes = numpy.take(scene.normals, faces, axis=0), numpy.take(scene.planes, faces)
        for k in range(3):
            result[begin:end, k] = dot(numpy.take(scene.vertices[k], of[begin:end], axis=0), normals) - planes
    return result


def entering(scene: Scene, meetings: Meetings, tolerances: Doubles) -> NDArray[numpy.bool_]:
    """Tests for which meetings each triangle reaches behind the plane of the other, by more than the tolerance.

    Where bodies overlap, the border of what they have in common runs along such triangles. Of a mesh that is not oriented
    both sides count as behind.
    """
    within = tolerances[meetings.pair]
    result = numpy.ones(len(meetings), bool)
    for one in (meetings, meetings.swapped()):
        places = numpy.flatnonzero(result)
        level = levels(scene, one.first[places], one.second[places])
        behind = least(level) < -within[places]
        front = most(level) > within[places]
        result[places] = behind | (front & ~scene.oriented[scene.owners[one.second[places]]])
    return result


def _span(scene: Scene, faces: Whole, level: Doubles, along: Doubles, slack: float) -> tuple[Doubles, Doubles]:
    """Returns where triangles begin and end, along a direction, in a plane over which their corners have these levels."""
    places = numpy.column_stack([dot(numpy.take(corners, faces, axis=0), along) for corners in scene.vertices])
    flat = abs(level) <= slack
    low, high = least(numpy.where(flat, places, numpy.inf)), most(numpy.where(flat, places, -numpy.inf))
    for k in range(3):
        m = (k + 1) % 3
        crosses = level[:, k] * level[:, m] < 0
        share = numpy.divide(level[:, k], level[:, k] - level[:, m], out=numpy.zeros(len(level)), where=crosses)
        at = places[:, k] + share * (places[:, m] - places[:, k])
        low, high = numpy.where(crosses, numpy.minimum(low, at), low), numpy.where(crosses, numpy.maximum(high, at), high)
    return low, high


def _lines(scene: Scene, meetings: Meetings) -> tuple[Doubles, Doubles, NDArray[numpy.bool_]]:
    """Returns the middles and directions of the lines that triangles have in common, and which are more than a point."""
    slack = 1e-9
    mine, other = (numpy.take(scene.normals, faces, axis=0) for faces in (meetings.first, meetings.second))
    along = cross(mine, other)
    sine = numpy.linalg.norm(along, axis=1)
    along = numpy.divide(along, sine[:, None], out=numpy.zeros_like(along), where=sine[:, None] > 1e-9)
    over, under = levels(scene, meetings.first, meetings.second), levels(scene, meetings.second, meetings.first)
    low, high = _span(scene, meetings.first, over, along, slack)
    low_of_other, high_of_other = _span(scene, meetings.second, under, along, slack)
    low, high = numpy.maximum(low, low_of_other), numpy.minimum(high, high_of_other)
    valid = (sine > 1e-9) & (high > low) & numpy.isfinite(low) & numpy.isfinite(high)
    low, high = numpy.where(valid, low, 0), numpy.where(valid, high, 0)
    # A point of the line: in both planes, from the corner of the first triangle that is nearest to the second plane.
    nearest = abs(over).argmin(axis=1)
    rows = numpy.arange(len(meetings))
    start = scene.corners[meetings.first][rows, nearest]
    inward = cross(along, mine)
    slope = dot(inward, other)
    step = numpy.divide(over[rows, nearest], slope, out=numpy.zeros(len(rows)), where=abs(slope) > 1e-12)
    start = start - step[:, None] * inward
    middle = (low + high) / 2 - dot(start, along)
    return start + middle[:, None] * along, along, valid


def _exits(scene: Scene, faces: Whole, starts: Doubles, towards: Doubles) -> Doubles:
    """Returns how far rays within triangles run until they leave them."""
    reach = numpy.full(len(faces), numpy.inf)
    for sides, places in scene.rims:
        out = numpy.take(sides, faces, axis=0)
        speed, left = dot(towards, out), numpy.take(places, faces) - dot(starts, out)
        at = numpy.divide(left, speed, out=numpy.full(len(faces), numpy.inf), where=speed > 1e-12)
        reach = numpy.minimum(reach, at)
    result: Doubles = numpy.maximum(reach, 0)
    return result


def within_triangles(scene: Scene, points: Doubles, faces: Whole, slack: float) -> NDArray[numpy.bool_]:
    """Tests which points in the planes of triangles are in them, or no further away than the slack."""
    result = numpy.ones(len(faces), bool)
    for sides, places in scene.rims:
        result &= dot(points, numpy.take(sides, faces, axis=0)) - numpy.take(places, faces) <= slack
    return result


def _offer_hits(
    scene: Scene, ray: Whole, faces: Whole, starts: Doubles, towards: Doubles, slack: float, best: Doubles
) -> None:
    """Lowers how far rays run to where they meet triangles, other than where they start."""
    normals, begins, ways = (numpy.take(*one, axis=0) for one in ((scene.normals, faces), (starts, ray), (towards, ray)))
    speed, height = dot(ways, normals), numpy.take(scene.planes, faces) - dot(begins, normals)
    at = numpy.divide(height, speed, out=numpy.full(len(ray), numpy.inf), where=abs(speed) > 1e-12)
    ahead = numpy.flatnonzero((at > slack) & (at < best[ray]))
    hits = begins[ahead] + at[ahead, None] * ways[ahead]
    ahead = ahead[within_triangles(scene, hits, faces[ahead], slack)]
    numpy.minimum.at(best, ray[ahead], at[ahead])


def _first_hits(scene: Scene, meetings: Meetings, rows: Whole, starts: Doubles, towards: Doubles) -> Doubles:
    """Returns how far rays in triangles run until they meet the other mesh again."""
    order = numpy.lexsort((meetings.first, meetings.pair))
    keys = meetings.pair * len(scene.owners) + meetings.first
    ordered = keys[order]
    low, high = numpy.searchsorted(ordered, keys[rows], "left"), numpy.searchsorted(ordered, keys[rows], "right")
    result = numpy.full(len(rows), numpy.inf)
    sizes = high - low
    for begin, end in batches(sizes):
        ray, place = spread(sizes[begin:end])
        ray += begin
        faces = meetings.second[order[low[ray] + place]]
        _offer_hits(scene, ray, faces, starts, towards, 1e-7, result)
    return result


def hits_along(scene: Scene, points: Doubles, towards: Doubles, meshes: Whole) -> Doubles:
    """Returns how far rays run until they meet a surface of a mesh, other than where they start."""
    result = numpy.full(len(points), numpy.inf)
    sizes = numpy.diff(scene.face_starts)[meshes]
    for begin, end in batches(sizes):
        ray, place = spread(sizes[begin:end])
        ray += begin
        _offer_hits(scene, ray, scene.face_starts[meshes[ray]] + place, points, towards, scene.slack, result)
    return result


def halfway(scene: Scene, meetings: Meetings, chosen: Whole) -> tuple[Whole, Doubles, Doubles, Whole]:
    """Returns points of the first meshes that may be in the second ones: pairs, points, how deep at most, and triangles.

    From the middle of each chosen line, a ray in the first triangle runs to where it leaves the triangle or the second
    mesh. Its middle is such a point.
    """
    middles, along, valid = _lines(scene, meetings.at(chosen))
    chosen, middles, along = chosen[valid], middles[valid], along[valid]
    keys = meetings.pair[chosen] * len(scene.owners) + meetings.first[chosen]
    order = numpy.argsort(keys, kind="stable")
    _, starts, counts = numpy.unique(keys[order], return_index=True, return_counts=True)
    rank = numpy.empty(len(keys), numpy.int64)
    group, place = spread(counts)
    rank[order] = place % -(-counts[group] // _RAYS)
    kept = rank == 0
    chosen, middles, along = chosen[kept], middles[kept], along[kept]
    first, second = meetings.first[chosen], meetings.second[chosen]
    towards = cross(along, scene.normals[first])
    slope = dot(towards, scene.normals[second])
    towards *= numpy.where(slope > 0, -1.0, 1.0)[:, None]
    # A mesh that is not oriented may have its inside on the other side.
    unsure = numpy.flatnonzero(~scene.oriented[scene.owners[second]])
    chosen, first = numpy.append(chosen, chosen[unsure]), numpy.append(first, first[unsure])
    middles, towards = numpy.vstack([middles, middles[unsure]]), numpy.vstack([towards, -towards[unsure]])
    reach = _exits(scene, first, middles, towards)
    reach = numpy.minimum(reach, _first_hits(scene, meetings, chosen, middles, towards))
    reach = numpy.where(numpy.isfinite(reach), reach, 0)
    return meetings.pair[chosen], middles + (reach / 2)[:, None] * towards, reach / 2, first


def crossings(scene: Scene, meetings: Meetings) -> tuple[Whole, Whole]:
    """Returns pairs, and the edges of their first meshes that pass through a triangle of their second ones."""
    _, edges_of = scene.edges
    level = levels(scene, meetings.first, meetings.second)
    slack = scene.slack
    pairs, edges = [], []
    for k in range(3):
        m = (k + 1) % 3
        ends = level[:, k], level[:, m]
        rows = numpy.flatnonzero((numpy.minimum(*ends) < -slack) & (numpy.maximum(*ends) > slack))
        share = level[rows, k] / (level[rows, k] - level[rows, m])
        first = meetings.first[rows]
        start, end = (numpy.take(scene.vertices[n], first, axis=0) for n in (k, m))
        hits = start + share[:, None] * (end - start)
        rows = rows[within_triangles(scene, hits, meetings.second[rows], slack)]
        pairs.append(meetings.pair[rows])
        edges.append(edges_of[meetings.first[rows], k])
    keys = numpy.unique(numpy.concatenate(pairs) * max(len(scene.edges[0]), 1) + numpy.concatenate(edges))
    return keys // max(len(scene.edges[0]), 1), keys % max(len(scene.edges[0]), 1)
