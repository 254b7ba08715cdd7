"""Many meshes in one list of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._native import Surfaces

Doubles = NDArray[numpy.float64]
Whole = NDArray[numpy.int64]
# Meshes that are further apart than this do not touch, however coarse the rounding.
_COARSE = 1e-4


def spread(counts: Whole) -> tuple[Whole, Whole]:
    """Returns, for lists of these lengths one after the other, the list of each entry and its position in the list."""
    rows = numpy.repeat(numpy.arange(len(counts)), counts)
    starts = numpy.concatenate([[0], numpy.cumsum(counts)])[:-1]
    return rows, numpy.arange(len(rows)) - starts[rows]


class Scene:
    """Meshes by position, with a common origin near their middle.

    Corners are relative to the origin, which is subtracted in float64: `points` are exact to float64, and `rounded`, of
    which pairs are found, are these in float32, off by no more than `rounding` along each axis.
    """

    def __init__(self, meshes: Sequence[tuple[ArrayLike, ArrayLike]], origin: ArrayLike | None = None) -> None:
        """Takes vertices (V, 3) float64 in the world and faces (F, 3) of each mesh. No mesh may be empty."""
        vertices = [numpy.asarray(vertices, numpy.float64).reshape(-1, 3) for vertices, _ in meshes]
        faces = [numpy.asarray(faces, numpy.int64).reshape(-1, 3) for _, faces in meshes]
        self.point_starts: Whole = numpy.cumsum([0, *map(len, vertices)], dtype=numpy.int64)
        self.face_starts: Whole = numpy.cumsum([0, *map(len, faces)], dtype=numpy.int64)
        points = numpy.concatenate([numpy.empty((0, 3)), *vertices])
        middle = (points.min(axis=0) + points.max(axis=0)) / 2 if len(points) else numpy.zeros(3)
        self.origin: Doubles = numpy.round(middle) if origin is None else numpy.asarray(origin, numpy.float64)
        self.points: Doubles = points - self.origin
        self.rounded = self.points.astype(numpy.float32)
        self.rounding = float(abs(self.rounded - self.points).max(initial=0))
        # More than two corners are moved apart by the rounding, unless that is coarse.
        self.slack = min(4 * self.rounding + 1e-9, _COARSE)
        self.owners: Whole = numpy.repeat(numpy.arange(len(meshes)), numpy.diff(self.face_starts))
        self.faces: Whole = numpy.concatenate([numpy.empty((0, 3), numpy.int64), *faces])
        self.faces += self.point_starts[self.owners][:, None]

    def __len__(self) -> int:
        return len(self.face_starts) - 1

    @cached_property
    def surfaces(self) -> Surfaces:
        """What tests of points and triangles need."""
        return Surfaces(self.points, self.faces, self.point_starts, self.face_starts)

    @cached_property
    def bounds(self) -> NDArray[numpy.float32]:
        """(N, 6) float32: the bounds of each mesh."""
        return self.surfaces.bounds

    @cached_property
    def triangles(self) -> NDArray[numpy.float32]:
        """(F, 9) float32: the rounded corners of the triangles."""
        return numpy.take(self.rounded, self.faces, axis=0).reshape(-1, 9)

    @cached_property
    def face_bounds(self) -> Doubles:
        """(F, 6): the least and greatest coordinates of each triangle."""
        return self.surfaces.face_bounds

    @cached_property
    def normals(self) -> Doubles:
        """(F, 3): unit normals, outward where the mesh is oriented; 0 for triangles without an area."""
        return self.surfaces.normals

    @cached_property
    def volumes(self) -> Doubles:
        """(N,): the signed volume that the triangles of each mesh enclose, from its own middle."""
        return self.surfaces.volumes

    @cached_property
    def oriented(self) -> NDArray[numpy.bool_]:
        """(N,): True for meshes in which each edge runs both ways equally often, as on a consistently oriented surface."""
        return self.surfaces.oriented

    def closed(self, meshes: Whole) -> NDArray[numpy.bool_]:
        """Tests which meshes are closed: consistently oriented ones are, whatever their triangles."""
        result = self.oriented[meshes]
        result[~result] = self.surfaces.closed(meshes[~result])
        return result

    def convex(self, meshes: Whole) -> NDArray[numpy.bool_]:
        """Tests which meshes are oriented, with no corner in front of the plane of any triangle, up to the rounding."""
        result = self.oriented[meshes]
        result[result] = self.surfaces.convex(meshes[result], 2 * self.slack)
        return result
