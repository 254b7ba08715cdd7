"""Boxes as records."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._options import Rows

BOX = numpy.dtype(
    [
        ("rotation", numpy.float32, 4),
        ("center", numpy.float32, 3),
        ("half_extents", numpy.float32, 3),
        ("memberships", numpy.uint32),
        ("filter", numpy.uint32),
    ]
)
"""The 48-byte record of a box that the engine reads. Arrays of it are neither converted nor copied."""


def records(boxes: Rows) -> NDArray[Any]:
    """Returns boxes as records of the dtype `BOX`, in all groups or in those of a table's columns.

    Records have float32 centers: float64 boxes are rejected.

    >>> import obbligato
    >>> boxes = records(obbligato.scene("uniform", 1000))
    >>> boxes["memberships"] = 1
    >>> boxes["filter"] = 2  # No box is in group 2.
    >>> obbligato.check(boxes).colliding_pairs
    0
    """
    from obbligato import _arrays

    rows, _, rules = _arrays.boxes("boxes", boxes, double=False)
    if rows.dtype == BOX:
        return rows.copy()
    made = numpy.empty(len(rows), BOX)
    made["center"] = rows[:, 0:3]
    made["half_extents"] = rows[:, 3:6]
    made["rotation"] = rows[:, 6:10]
    groups = rules.get("groups", numpy.full((len(rows), 2), 0xFFFFFFFF, numpy.uint32))
    made["memberships"], made["filter"] = groups[:, 0], groups[:, 1]
    return made
