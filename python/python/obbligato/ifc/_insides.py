"""Depths of points of one mesh in another."""

from __future__ import annotations

import numpy
from numpy.typing import NDArray

from obbligato.ifc._distances import Doubles, points_to_triangles
from obbligato.ifc.scene import Scene, Whole, all_of, batches, leading, spread

INSIDE, SURFACE, OUTSIDE, UNKNOWN = 0, 1, 2, 3
# Points whose distances are computed in one round, of each pair.
_ROUND = 16


def states(scene: Scene, points: Doubles, meshes: Whole) -> NDArray[numpy.int8]:
    """Returns where points are relative to meshes: INSIDE, SURFACE or OUTSIDE, or UNKNOWN if the mesh is not closed."""
    result = numpy.full(len(points), OUTSIDE, numpy.int8)
    rounded = points.astype(numpy.float32)
    bounds = scene.bounds[meshes]
    near = numpy.flatnonzero(all_of((rounded >= bounds[:, :3]) & (rounded <= bounds[:, 3:])))
    order = near[numpy.argsort(meshes[near], kind="stable")]
    for places in numpy.split(order, numpy.flatnonzero(numpy.diff(meshes[order])) + 1):
        if len(places):
            solid = scene.closed(int(meshes[places[0]]))
            result[places] = UNKNOWN if solid is None else solid.locate(rounded[places])
    return result


def to_surfaces(scene: Scene, points: Doubles, meshes: Whole, limits: Doubles) -> tuple[Doubles, Doubles]:
    """Returns the distances of points to the surfaces of meshes, and the closest points; infinity if beyond the limits."""
    limits = limits + 1e-6
    best, closest = numpy.full(len(points), numpy.inf), numpy.zeros((len(points), 3))
    sizes = numpy.diff(scene.face_starts)[meshes]
    for begin, end in batches(sizes):
        row, place = spread(sizes[begin:end])
        faces = scene.face_starts[meshes[begin:end]][row] + place
        reach, at = limits[begin:end][row][:, None], numpy.take(points[begin:end], row, axis=0)
        low, high = (numpy.take(bounds, faces, axis=0) for bounds in scene.face_bounds)
        near = numpy.flatnonzero(all_of((at >= low - reach) & (at <= high + reach)))
        row, faces = row[near], faces[near]
        far, on = points_to_triangles(at[near], numpy.take(scene.corners, faces, axis=0))
        first = leading(row, far)
        best[begin + row[first]], closest[begin + row[first]] = far[first], on[first]
    return best, closest


def deepest(scene: Scene, pair: Whole, points: Doubles, meshes: Whole, limits: Doubles) -> tuple[Whole, Doubles, Doubles]:
    """Returns for each pair that has points the place of its deepest point, how deep it is, and the closest surface point.

    All points are inside of their meshes, and no deeper than their limits. Those with the highest limits are examined
    first, and the others of a pair as long as they may be deeper.
    """
    bounds = scene.bounds[meshes].astype(numpy.float64)
    sides = numpy.hstack([points - bounds[:, :3], bounds[:, 3:] - points]).min(axis=1)
    limits = numpy.minimum(limits, sides)
    order = numpy.lexsort((-limits, pair))
    names, starts, counts = numpy.unique(pair[order], return_index=True, return_counts=True)
    place, depth, on = numpy.full(len(names), -1), numpy.zeros(len(names)), numpy.zeros((len(names), 3))
    done, step = numpy.zeros(len(names), numpy.int64), 1
    limits = numpy.where(limits > 0, limits, 0)
    while True:
        left = numpy.flatnonzero(done < counts)
        left = left[limits[order[starts[left] + done[left]]] > depth[left]]
        if not len(left):
            return numpy.where(place < 0, order[starts], place), depth, on
        sizes = numpy.minimum(counts[left] - done[left], step)
        row, within = spread(sizes)
        chosen = order[starts[left][row] + done[left][row] + within]
        far, closest = to_surfaces(scene, points[chosen], meshes[chosen], limits[chosen])
        first = leading(row, -far)
        better = far[first] > depth[left]
        at, best = left[better], first[better]
        place[at], depth[at], on[at] = chosen[best], far[best], closest[best]
        done[left] += sizes
        step = min(step * 2, _ROUND)
