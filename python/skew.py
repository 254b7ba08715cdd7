"""How even tiles are: scenes cut by a sample as a cluster cuts them, and handed to workers one tile after the other.

    python skew.py [BOXES] [TILES] [SAMPLE OF A TILE] [WORKERS]

A tile costs as much as its boxes and its pairs. `longest` is the time of the worker that ends last, over that of workers that share all
evenly; `copies` is boxes that tiles need, over boxes of the scene.
"""

from __future__ import annotations

import heapq
import sys

import numpy

import obbligato

SCENES = ["uniform", "dense", "mixed", "giants", "crowd", "bricks", "clusters", "sticks", "particles"]


def longest(costs: numpy.ndarray, workers: int) -> float:
    """Whoever is free takes the next tile."""
    ends = [0.0] * workers
    for cost in costs:
        heapq.heappush(ends, heapq.heappop(ends) + cost)
    return max(ends) * workers / costs.sum()


def main() -> None:
    given = [int(number) for number in sys.argv[1:]]
    boxes, tiles, sample, workers = given + [2_000_000, 2_000, 42, 40][len(given) :]
    print(f"{boxes} boxes, {tiles} tiles by {sample} boxes of each, {workers} workers\n")
    print("| scene | copies | largest tile, boxes over mean | cost over mean | longest |\n|---|---|---|---|---|")
    checker = obbligato.Checker(backend="cpu")
    chosen = numpy.random.default_rng(1).choice(boxes, sample * tiles, replace=False)
    for name in SCENES:
        scene = obbligato.scene(name, boxes)
        tiling = obbligato.tile(scene[chosen], tiles)
        places = tiling.assign(scene)
        needed = numpy.bincount(places[:, 0], minlength=len(tiling))
        order = numpy.argsort(places[:, 0], kind="stable")
        parts = numpy.split(places[order, 1], numpy.cumsum(needed)[:-1])
        pairs = [checker.check_tile(tile, scene[part]).candidate_pairs for tile, part in zip(tiling.tiles, parts)]
        costs = needed + numpy.array(pairs)
        ratios = [len(places) / boxes, needed.max() / needed.mean(), costs.max() / costs.mean(), longest(costs, workers)]
        print(f"| {name} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
