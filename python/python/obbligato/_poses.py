"""Poses of links in many configurations at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

# Numbers of all configurations: quaternions are (4, K), x y z w, and places (3, K).
Doubles: TypeAlias = NDArray[numpy.float64]


@dataclass(frozen=True, eq=False)
class Pose:
    """A pose within a link."""

    turn: Doubles | None
    """A quaternion; None if nothing is turned."""
    place: Doubles

    @classmethod
    def of(cls, matrix: Doubles) -> Pose:
        is_turned = not (matrix[:3, :3] == numpy.eye(3)).all()
        return cls(quaternions(matrix[:3, :3]) if is_turned else None, matrix[:3, 3])

    def within(self, turn: Doubles, place: Doubles) -> tuple[Doubles, Doubles]:
        """Returns the pose in the world, of a link that is there."""
        if self.place.any():
            place = place + turned(turn, self.place)
        return (turn if self.turn is None else product(turn, self.turn)), place


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint: the pose of its child in its parent, and how that moves."""

    parent: int
    child: int
    pose: Pose
    column: int | None
    """The column of configurations that moves it, if any does."""
    factor: float
    offset: float
    axis: Doubles
    slides: bool


def matrix_of(origin: Any) -> Doubles:
    """Returns the matrix of a pose, which may be missing."""
    return numpy.eye(4) if origin is None else numpy.asarray(origin, numpy.float64)


def product(a: Any, b: Any) -> Doubles:
    """Returns the products of quaternions."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return numpy.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def turned(turn: Doubles, vector: Doubles) -> Doubles:
    """Returns a vector, turned by each of some quaternions."""
    qx, qy, qz, qw = turn
    x, y, z = vector
    # Twice the cross product of the quaternion's vector and this one.
    cx, cy, cz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
    return numpy.stack(
        [x + qw * cx + qy * cz - qz * cy, y + qw * cy + qz * cx - qx * cz, z + qw * cz + qx * cy - qy * cx]
    )


def quaternions(matrices: NDArray[numpy.float64]) -> Doubles:
    """Returns (..., 4): unit quaternions x y z w of rotation matrices, by the largest of four components."""
    m = matrices
    diagonal = numpy.stack([m[..., k, k] for k in range(3)], axis=-1)
    trace = diagonal.sum(axis=-1, keepdims=True)
    # Four times the product of each pair of components.
    squares = numpy.concatenate([1 - trace + 2 * diagonal, 1 + trace], axis=-1)
    products = numpy.zeros((*m.shape[:-2], 4, 4))
    for k in range(4):
        products[..., k, k] = squares[..., k]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        products[..., a, b] = products[..., b, a] = m[..., a, b] + m[..., b, a]
        last = 3 - a - b
        sign = 1 if (a, b) != (0, 2) else -1
        products[..., last, 3] = products[..., 3, last] = sign * (m[..., b, a] - m[..., a, b])
    largest = squares.argmax(axis=-1)
    row = numpy.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    turns: NDArray[numpy.float64] = row / numpy.linalg.norm(row, axis=-1, keepdims=True)
    return turns
