"""Groups of points, from each of the forms that calls accept."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._arrays import floats, whole
from obbligato._errors import InvalidInput


def groups(points: Any, offsets: Any, in_plane: bool, double: bool) -> tuple[NDArray[Any], list[int]]:
    """Returns the points of all groups, (K, 3), and where in them each group begins and the last one ends."""
    width = 2 if in_plane else 3
    if isinstance(points, (list, tuple)) and offsets is None:
        each = [_rows(f"points[{row}]", group, width, double) for row, group in enumerate(points)]
        flat = numpy.concatenate(each) if each else numpy.empty((0, width), numpy.float32)
        lengths = [len(group) for group in each]
    else:
        array = floats("points", points, double)
        if array.ndim == 3 and offsets is None and array.shape[2] == width:
            lengths, flat = [array.shape[1]] * len(array), array.reshape(-1, width)
        else:
            flat = _rows("points", array, width, double)
            lengths = [len(flat)] if offsets is None else _lengths(offsets, len(flat))
    if in_plane:
        flat = numpy.column_stack([flat, numpy.zeros(len(flat), flat.dtype)])
    return numpy.require(flat, None, ["C", "A"]), [0, *numpy.cumsum(lengths, dtype=int).tolist()]


def _rows(what: str, value: Any, width: int, double: bool) -> NDArray[Any]:
    """Returns points as rows of this many coordinates."""
    rows = floats(what, value, double)
    if rows.shape == (0,):
        return rows.reshape(0, width)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(
            f"{what} has the shape {rows.shape}: give (K, {width}), one row per point ({'x y' if width == 2 else 'x y z'}), and for "
            "several groups a list of these arrays, or offsets"
        )
    return rows


def _lengths(offsets: Any, count: int) -> list[int]:
    """Returns the number of points of each group."""
    starts = whole("offsets", offsets)
    if starts.ndim != 1 or not len(starts):
        raise ValueError(f"offsets has the shape {starts.shape}: give (G + 1,), the start of each group and the end of the last one")
    wrong = numpy.flatnonzero(numpy.diff(starts.astype(numpy.int64)) < 0)
    if len(wrong):
        row = int(wrong[0]) + 1
        raise InvalidInput(
            f"offsets: row {row} has {starts[row]}, which is below {starts[row - 1]} in the row before: give them in ascending order",
            argument="offsets",
            index=row,
        )
    for row, end in ((0, 0), (len(starts) - 1, count)):
        if starts[row] != end:
            raise InvalidInput(
                f"offsets: row {row} has {starts[row]}, but there are {count} points: give offsets from 0 to {count}",
                argument="offsets",
                index=row,
            )
    lengths: list[int] = numpy.diff(starts).tolist()
    return lengths
