"""Boxes as records."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

BOX = numpy.dtype(
    [
        ("rotation", numpy.float32, 4),
        ("center", numpy.float32, 3),
        ("half_extents", numpy.float32, 3),
        ("memberships", numpy.uint32),
        ("filter", numpy.uint32),
    ]
)
"""The record of a box, 48 bytes: what the engine reads. Arrays of it are not converted, nor copied."""


def records(boxes: ArrayLike) -> NDArray[Any]:
    """Boxes as records of the dtype `BOX`, in all groups.

    Centers in float64 are rounded.

    >>> import obbligato
    >>> boxes = records(obbligato.scene("uniform", 1000))
    >>> boxes["memberships"] = 1
    >>> boxes["filter"] = 2  # No box is in group 2.
    >>> obbligato.check(boxes).colliding_pairs
    0
    """
    rows = numpy.asarray(boxes)
    made = numpy.empty(len(rows), BOX)
    made["center"] = rows[:, 0:3]
    made["half_extents"] = rows[:, 3:6]
    made["rotation"] = rows[:, 6:10]
    made["memberships"] = made["filter"] = 0xFFFFFFFF
    return made
