"""Grains that settle in a box: pairs, contacts and a correction of places, step by step.

`python granular.py 20000` drops that many balls. Each step moves the balls by gravity, and then moves balls that overlap apart, by
half of the depth of their contact each, a few times over.
"""

from __future__ import annotations

import sys
import time

import numpy
from numpy.typing import NDArray

import obbligato

STEPS, ROUNDS = 30, 16
GRAVITY, DT = numpy.array([0, 0, -9.81]), 1 / 60


class Grains:
    """Balls in a box without a lid."""

    def __init__(self, count: int, seed: int = 1) -> None:
        random = numpy.random.default_rng(seed)
        self.radius = random.uniform(0.04, 0.06, count)
        self.side = 0.2 * max(count / 8, 1) ** (1 / 3)
        self.place = random.uniform(0, 1, (count, 3)) * [self.side, self.side, 1.2 * self.side]
        self.speed = numpy.zeros((count, 3))
        self.checker = obbligato.Checker(backend="cpu")

    def shapes(self) -> obbligato.Spheres:
        return obbligato.Spheres(numpy.column_stack([self.place, self.radius]).astype(numpy.float32))

    def step(self) -> None:
        """Moves the balls on, and the overlapping ones apart."""
        before = self.place.copy()
        self.speed += GRAVITY * DT
        self.place += self.speed * DT
        for _ in range(ROUNDS):
            self.separate()
        self.speed = (self.place - before) / DT
        # Grains do not bounce: what moves them apart gives them no speed upwards.
        self.speed[:, 2] = numpy.minimum(self.speed[:, 2], 0)

    def separate(self) -> None:
        shapes = self.shapes()
        pairs = self.checker.check(shapes).pairs
        found = self.checker.contacts(shapes, pairs)
        push = found.normals * (found.depths / 2)[:, None]
        for side, sign in ((0, -1), (1, 1)):
            for axis in range(3):
                self.place[:, axis] += numpy.bincount(pairs[:, side], sign * push[:, axis], len(self.place))
        low = self.radius[:, None]
        high = numpy.column_stack([self.side - self.radius, self.side - self.radius, numpy.full(len(self.radius), numpy.inf)])
        self.place = numpy.clip(self.place, low, numpy.maximum(low, high))

    def depths(self) -> NDArray[numpy.float64]:
        """Returns the depths of all contacts."""
        shapes = self.shapes()
        return self.checker.contacts(shapes, self.checker.check(shapes).pairs).depths


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    grains = Grains(count)
    first = grains.depths()
    start = time.perf_counter()
    for _ in range(STEPS):
        grains.step()
    seconds = time.perf_counter() - start
    last = grains.depths()
    print(f"{count} grains, {STEPS} steps of {ROUNDS} corrections in {seconds:.2f} s")
    print(f"deepest contact: {first.max(initial=0):.4f} m before, {last.max(initial=0):.4f} m after, of {len(last)} contacts")


if __name__ == "__main__":
    main()
