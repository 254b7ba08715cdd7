"""Many meshes in one list of triangles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._errors import InvalidInput
from obbligato._native import ClosedMesh
from obbligato._shapes import Triangles
from obbligato.ifc._distances import Doubles, cross, dot

Whole = NDArray[numpy.int64]
# Meshes that are further apart than this do not touch, however coarse the rounding.
_COARSE = 1e-4
# Rows that are computed at once.
_BATCH = 1 << 18


def spread(counts: Whole) -> tuple[Whole, Whole]:
    """Returns, for lists of these lengths one after the other, the list of each entry and its position in the list."""
    rows = numpy.repeat(numpy.arange(len(counts)), counts)
    starts = numpy.concatenate([[0], numpy.cumsum(counts)])[:-1]
    return rows, numpy.arange(len(rows)) - starts[rows]


def batches(counts: Whole) -> Iterator[tuple[int, int]]:
    """Yields ranges of lists of these lengths, which together have not many more entries than fit into caches."""
    ends, begin = numpy.cumsum(counts), 0
    while begin < len(counts):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(numpy.searchsorted(ends, before + _BATCH, "right")))
        yield begin, end
        begin = end


def leading(rows: Whole, values: Doubles) -> Whole:
    """Returns the position of the least value of each row that occurs, in ascending order of rows."""
    order = numpy.lexsort((values, rows))
    first: Whole = order[numpy.diff(rows[order], prepend=-1) > 0]
    return first


def all_of(tests: NDArray[numpy.bool_]) -> NDArray[numpy.bool_]:
    """Returns for each row of (K, 3) whether all are true: much faster than NumPy's reduction of short rows."""
    result: NDArray[numpy.bool_] = tests[:, 0] & tests[:, 1] & tests[:, 2]
    return result


def least(values: Doubles) -> Doubles:
    """Returns the least of the three along axis 1: much faster than NumPy's reduction of short axes."""
    result: Doubles = numpy.minimum(numpy.minimum(values[:, 0], values[:, 1]), values[:, 2])
    return result


def most(values: Doubles) -> Doubles:
    """Returns the greatest of the three along axis 1."""
    result: Doubles = numpy.maximum(numpy.maximum(values[:, 0], values[:, 1]), values[:, 2])
    return result


class Scene:
    """Meshes by position, with a common origin near their middle.

    Corners are relative to the origin, which is subtracted in float64: `points` are exact to float64, and `rounded`, of
    which pairs are found, are these in float32, off by no more than `rounding` along each axis.
    """

    def __init__(self, meshes: Sequence[tuple[ArrayLike, ArrayLike]], origin: ArrayLike | None = None) -> None:
        """Takes vertices (V, 3) float64 in the world and faces (F, 3) of each mesh. No mesh may be empty."""
        vertices = [numpy.asarray(vertices, numpy.float64).reshape(-1, 3) for vertices, _ in meshes]
        faces = [numpy.asarray(faces, numpy.int64).reshape(-1, 3) for _, faces in meshes]
        self.point_starts = numpy.cumsum([0, *map(len, vertices)])
        self.face_starts = numpy.cumsum([0, *map(len, faces)])
        points = numpy.concatenate([numpy.empty((0, 3)), *vertices])
        middle = (points.min(axis=0) + points.max(axis=0)) / 2 if len(points) else numpy.zeros(3)
        self.origin: Doubles = numpy.round(middle) if origin is None else numpy.asarray(origin, numpy.float64)
        self.points: Doubles = points - self.origin
        self.rounded = self.points.astype(numpy.float32)
        self.rounding = float(abs(self.rounded - self.points).max(initial=0))
        # More than two corners are moved apart by the rounding, unless that is coarse.
        self.slack = min(4 * self.rounding + 1e-9, _COARSE)
        self.point_owners: Whole = numpy.repeat(numpy.arange(len(meshes)), numpy.diff(self.point_starts))
        self.owners: Whole = numpy.repeat(numpy.arange(len(meshes)), numpy.diff(self.face_starts))
        self.faces: Whole = numpy.concatenate([numpy.empty((0, 3), numpy.int64), *faces])
        self.faces += self.point_starts[self.owners][:, None]
        self._closed: dict[int, ClosedMesh | None] = {}

    def __len__(self) -> int:
        return len(self.face_starts) - 1

    @cached_property
    def bounds(self) -> NDArray[numpy.float32]:
        """(N, 6) float32: the bounds of each mesh."""
        starts = self.point_starts[:-1]
        if not len(self):
            return numpy.empty((0, 6), numpy.float32)
        return numpy.hstack([numpy.minimum.reduceat(self.rounded, starts), numpy.maximum.reduceat(self.rounded, starts)])

    @cached_property
    def face_bounds(self) -> tuple[Doubles, Doubles]:
        """The least and greatest coordinates of each triangle, (F, 3) each."""
        a, b, c = self.vertices
        return numpy.minimum(numpy.minimum(a, b), c), numpy.maximum(numpy.maximum(a, b), c)

    @cached_property
    def corners(self) -> Doubles:
        """(F, 3, 3): the corners of the triangles."""
        return numpy.take(self.points, self.faces, axis=0)

    @cached_property
    def vertices(self) -> list[Doubles]:
        """Three arrays (F, 3): the first, second and third corner of each triangle."""
        return [numpy.take(self.points, self.faces[:, k], axis=0) for k in range(3)]

    @cached_property
    def triangles(self) -> NDArray[numpy.float32]:
        """(F, 9) float32: the rounded corners of the triangles."""
        return self.rounded[self.faces].reshape(-1, 9)

    @cached_property
    def normals(self) -> Doubles:
        """(F, 3): unit normals, outward where the mesh is oriented; 0 for triangles without an area."""
        a, b, c = self.vertices
        normals = cross(b - a, c - a)
        lengths = numpy.linalg.norm(normals, axis=1)
        units = numpy.divide(normals, lengths[:, None], out=numpy.zeros_like(normals), where=lengths[:, None] > 0)
        signs = numpy.where(self.volumes < 0, -1.0, 1.0)
        oriented: Doubles = units * signs[self.owners][:, None]
        return oriented

    @cached_property
    def planes(self) -> Doubles:
        """(F,): how far the plane of each triangle is from the origin along its normal."""
        return dot(self.vertices[0], self.normals)

    @cached_property
    def rims(self) -> list[tuple[Doubles, Doubles]]:
        """For each side of the triangles (F, 3), the unit vector out of the triangle in its plane, and (F,), its place along it."""
        result = []
        for k in range(3):
            start, end, third = (self.vertices[(k + m) % 3] for m in range(3))
            out = cross(end - start, self.normals)
            length = numpy.linalg.norm(out, axis=1)
            out = numpy.divide(out, length[:, None], out=numpy.zeros_like(out), where=length[:, None] > 0)
            out *= numpy.where(dot(third - start, out) > 0, -1.0, 1.0)[:, None]
            result.append((out, dot(start, out)))
        return result

    @cached_property
    def volumes(self) -> Doubles:
        """(N,): the signed volume that the triangles of each mesh enclose, from its own middle."""
        middles = (self.bounds[:, :3] / 2 + self.bounds[:, 3:] / 2).astype(numpy.float64)
        a, b, c = (corners - middles[self.owners] for corners in self.vertices)
        parts = dot(a, cross(b, c)) / 6
        return numpy.bincount(self.owners, parts, len(self)).astype(numpy.float64)

    @cached_property
    def edges(self) -> tuple[Whole, Whole]:
        """The edges of all meshes, (E, 2) points in ascending order, and (F, 3), the edges of each triangle."""
        ends = numpy.stack([self.faces, numpy.roll(self.faces, -1, axis=1)], axis=2)
        low, high = numpy.minimum(ends[..., 0], ends[..., 1]), numpy.maximum(ends[..., 0], ends[..., 1])
        keys, places = numpy.unique(low * len(self.points) + high, return_inverse=True)
        edges = numpy.column_stack([keys // max(len(self.points), 1), keys % max(len(self.points), 1)])
        return edges, places.reshape(-1, 3)

    @cached_property
    def oriented(self) -> NDArray[numpy.bool_]:
        """(N,) bool: True for meshes in which each edge runs both ways equally often, as on a consistently oriented surface."""
        edges, places = self.edges
        forward: Doubles = numpy.where(self.faces < numpy.roll(self.faces, -1, axis=1), 1.0, -1.0)
        forward[self.faces == numpy.roll(self.faces, -1, axis=1)] = 0
        balance = numpy.bincount(places.ravel(), forward.ravel(), len(edges))
        result = numpy.ones(len(self), bool)
        result[self.point_owners[edges[balance != 0, 0]]] = False
        return result

    def closed(self, mesh: int) -> ClosedMesh | None:
        """Returns a mesh as a solid for tests of points, or None if it is not closed."""
        if mesh not in self._closed:
            triangles = Triangles(self.triangles[self.face_starts[mesh] : self.face_starts[mesh + 1]])
            found: ClosedMesh | None = None
            # Parity holds for faces in any order; the winding number also for shells in one another.
            rules: tuple[Literal["winding", "parity"], ...] = ("winding", "parity")
            for rule in rules:
                try:
                    found = ClosedMesh(triangles, rule)
                    break
                except InvalidInput:
                    continue
            self._closed[mesh] = found
        return self._closed[mesh]

    def convex(self, meshes: Whole, hulls: Doubles) -> NDArray[numpy.bool_]:
        """Tests which meshes are closed and convex, given the volumes of their convex hulls.

        No corner of a convex mesh is in front of the plane of any of its triangles, up to the rounding.
        """
        slack = 2 * self.slack
        full = abs(self.volumes[meshes]) >= 0.999 * hulls
        likely = self.oriented[meshes] & (hulls > 0) & full
        for k in numpy.flatnonzero(likely):
            first, last = self.face_starts[meshes[k]], self.face_starts[meshes[k] + 1]
            points = self.points[self.point_starts[meshes[k]] : self.point_starts[meshes[k] + 1]]
            normals = self.normals[first:last]
            likely[k] = (points @ normals.T - self.planes[first:last]).max() <= slack
        return likely
