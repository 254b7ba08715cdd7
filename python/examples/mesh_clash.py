"""Where two meshes clash: their triangles that meet, and the corners of each that are in the other.

`python mesh_clash.py a.stl b.obj` reads files; without any, a ring and a slab that it goes through are made.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy

import obbligato
from obbligato import ClosedMesh, Triangles


def ring(around: int = 48, across: int = 24) -> Triangles:
    """Returns a ring in the plane y = 0."""
    u, v = numpy.meshgrid(*(numpy.linspace(0, 2 * numpy.pi, count, endpoint=False) for count in (around, across)), indexing="ij")
    reach = 1 + 0.25 * numpy.cos(v)
    points = numpy.stack([reach * numpy.cos(u), 0.25 * numpy.sin(v), reach * numpy.sin(u)], axis=-1).reshape(-1, 3)
    here = numpy.arange(around * across).reshape(around, across)
    right, up = numpy.roll(here, -1, axis=0), numpy.roll(here, -1, axis=1)
    corner = numpy.roll(right, -1, axis=1)
    faces = numpy.concatenate([numpy.stack([here, right, corner], -1), numpy.stack([here, corner, up], -1)]).reshape(-1, 3)
    return Triangles.of(points.astype(numpy.float32), faces)


def slab() -> Triangles:
    """Returns a slab around the plane z = 0."""
    corners = numpy.array([[x, y, z] for x in (-2, 2) for y in (-2, 2) for z in (-0.1, 0.1)], numpy.float32)
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return Triangles.of(corners, [three for a, b, c, d in sides for three in ([a, b, c], [a, c, d])])


def mesh(path: str) -> Triangles:
    found = obbligato.read(Path(path))
    if not isinstance(found, Triangles):
        raise SystemExit(f"{path} has no triangles: give a mesh")
    return found


def main() -> None:
    a, b = map(mesh, sys.argv[1:3]) if len(sys.argv) > 2 else (ring(), slab())
    checker = obbligato.Checker(backend="cpu")
    pairs = checker.check(a, b).pairs
    print(f"{len(pairs)} pairs of {len(a)} and {len(b)} triangles meet")
    for name, one, other in (("first", a, b), ("second", b, a)):
        corners = numpy.unique(one.corners.reshape(-1, 3), axis=0)
        try:
            inside = int((ClosedMesh(other).locate(corners) == 0).sum())
        except obbligato.InvalidInput as error:
            print(f"corners of the {name} mesh: not located, {error}")
            continue
        print(f"corners of the {name} mesh in the other one: {inside} of {len(corners)}")
    if len(pairs):
        points = a.corners[numpy.unique(pairs[:, 0])].reshape(-1, 3)
        print(f"the triangles of the first that meet are within {points.min(axis=0).round(2)} to {points.max(axis=0).round(2)}")


if __name__ == "__main__":
    main()
