"""Scenes, meshes and pairs as files, in all formats that the program has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import ArrayLike

from obbligato import _native
from obbligato._errors import shown
from obbligato._options import Rows
from obbligato._shapes import Bodies, Shapes, Triangles

_MESHES = {".obj", ".stl", ".ply", ".glb", ".gltf"}


def read(
    path: str | os.PathLike[str],
    *,
    frame: int | None = None,
    id_column: str | None = None,
    motions: bool = False,
    double: bool = False,
) -> Bodies | Triangles:
    """Reads a scene or a mesh, by the file's extension.

    A mesh (.obj, .stl, .ply, .glb, .gltf) becomes `Triangles`, whose `origin` was subtracted from the corners if it is
    not 0. A scene (.csv, .csv.gz, .npy, .parquet) becomes `Bodies` with the ids and rules of its columns, which any
    question takes along. `frame` picks a frame of several, `id_column` is the column of a CSV file with the ids, `motions`
    reads motions into `Bodies.motions`, and `double` reads centers as float64.

    A file that cannot be read or parsed raises `FileError`, which names the row and the remedy.

    >>> import obbligato, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "balls.csv"
    >>> obbligato.write(path, obbligato.Bodies(spheres=[[0, 0, 0, 1], [1, 0, 0, 1]], ids=["left", "right"]))
    >>> obbligato.check(obbligato.read(path), backend="cpu").pair_ids.tolist()
    [['left', 'right']]
    """
    given = path_of(path)
    if given.suffix.lower() in _MESHES:
        rows, origin, _ = _native.read_triangles(given)
        mesh = Triangles(rows)
        mesh.origin = numpy.array(origin)
        return mesh
    fields = _native.read_scene(given, frame, id_column, motions, double)
    scene = Bodies(fields["boxes"], fields["capsules"], fields["spheres"], ids=fields.get("ids"))
    scene.rules, scene.motions, scene.is_flat = fields["rules"], fields.get("motions"), fields["in_plane"]
    return scene


def write(path: str | os.PathLike[str], what: Rows | Bodies | Shapes | _native.Report, motions: ArrayLike | None = None) -> None:
    """Writes a scene, with its ids and rules, or the pairs of a report, by the file's extension: .csv, .npy, .parquet.

    `what` is any list of boxes, capsules, spheres or upright cuboids, or a `Report`, whose pairs are written as ids if
    these are whole numbers. `motions` are those of `Checker.sweep`. NPY files have only numbers: no ids, and only boxes.
    """
    if isinstance(what, _native.Report):
        _native.write_pairs(path_of(path), _numbers(what))
        return
    own = what.motions if isinstance(what, Bodies) else None
    _native.write_scene(path_of(path), what, own if motions is None else motions)


def path_of(path: Any) -> Path:
    """Returns the path that an argument is."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {shown(path)}: give a text or a pathlib.Path")
    return Path(path)


def _numbers(report: _native.Report) -> Any:
    pairs = report.pair_ids
    if pairs.dtype.kind not in "iu":
        raise TypeError("the ids of the report are texts, which files of pairs do not hold: write report.pairs, or report.pair_ids as a table")
    return pairs
