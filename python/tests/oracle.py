"""Which boxes share a point, by a method of its own: the separating axes in float64, and in fractions where that is too close to call."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy

# Far above the rounding errors of the scenes here, which are some 1e-12.
CLOSE = 1e-6


def contact(a, b):
    """-1 apart, 0 only touching, 1 overlapping: of two boxes with volume, for exactly the numbers that they have."""
    boxes = [[Fraction(float(number)) for number in row] for row in (a, b)]
    axes = [_axes(row[6:10]) for row in boxes]
    apart = [q - p for p, q in zip(boxes[0][:3], boxes[1][:3])]
    touching = False
    for axis in _candidates(axes):
        reach = sum(
            half * abs(_dot(axis, own)) for row, three in zip(boxes, axes) for half, own in zip(row[3:6], three)
        )
        gap = abs(_dot(axis, apart)) - reach
        if gap > 0:
            return -1
        touching |= gap == 0 and any(axis)
    return 0 if touching else 1


def contacts(boxes):
    """The sorted pairs of boxes that share a point, and how many of them only touch."""
    rows = numpy.asarray(boxes, numpy.float64)
    found, touching = [], 0
    axes = numpy.array([_float_axes(row[6:10]) for row in rows])
    for a in range(len(rows)):
        near = a + 1 + numpy.flatnonzero(_may_touch(rows, axes, a))
        for b in near:
            state = _float_contact(rows, axes, a, b)
            if state is None:
                state = contact(boxes[a], boxes[b])
            if state >= 0:
                found.append([a, int(b)])
                touching += state == 0
    return found, touching


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def _axes(quaternion):
    """The axes of a box. A quaternion is not quite of length 1: the rotation is its matrix over the square of its length."""
    x, y, z, w = quaternion
    square = x * x + y * y + z * z + w * w
    columns = [
        (w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z),
    ]
    return [[number / square for number in column] for column in columns]


def _candidates(axes):
    yield from axes[0]
    yield from axes[1]
    for a, b in product(*axes):
        yield [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _float_axes(quaternion):
    return numpy.array(_axes([float(number) for number in quaternion]))


def _may_touch(rows, axes, a):
    """The boxes after `a` that are near it, by their bounding spheres."""
    radii = numpy.linalg.norm(rows[:, 3:6], axis=1)
    apart = numpy.linalg.norm(rows[a + 1 :, :3] - rows[a, :3], axis=1)
    return apart <= radii[a] + radii[a + 1 :] + CLOSE


def _float_contact(rows, axes, a, b):
    """As `contact`, or None where that is too close to call."""
    candidates = numpy.array(list(_candidates([axes[a], axes[b]])))
    lengths = numpy.linalg.norm(candidates, axis=1)
    apart = abs(candidates @ (rows[b, :3] - rows[a, :3]))
    reach = abs(candidates @ axes[a].T) @ rows[a, 3:6] + abs(candidates @ axes[b].T) @ rows[b, 3:6]
    gaps = apart - reach
    if (gaps > CLOSE).any():
        return -1
    if (gaps < -CLOSE).all() and (lengths > 1e-3).all():
        return 1
    return None
