"""Non-maximum suppression, and the average precision of a detector of oriented boxes in space.

`python detections.py 100000` prints the time for that many detections.

Detections belong to groups: a number for each scene and class. Only detections and objects of one group are compared. Groups are
worlds, so that one check finds the pairs of all of them.
"""

from __future__ import annotations

import sys
import time
from typing import TypeAlias

import numpy
from numpy.typing import ArrayLike, NDArray

import obbligato

Numbers: TypeAlias = NDArray[numpy.float64]


def by_score(scores: ArrayLike) -> NDArray[numpy.intp]:
    """Returns the positions of scores, the highest first; of equal ones the first in the list."""
    return numpy.argsort(-numpy.asarray(scores, numpy.float64), kind="stable")


def suppress(boxes: ArrayLike, scores: ArrayLike, groups: ArrayLike, iou: float) -> NDArray[numpy.intp]:
    """Returns the positions of the detections that are kept, by descending score.

    Each detection that is not yet suppressed is kept, and suppresses all later ones of its group whose IoU with it is greater.
    """
    checker = obbligato.Checker(backend="cpu")
    pairs = checker.check(boxes, worlds=groups).pairs
    pairs = pairs[checker.overlaps(boxes, pairs).ious > iou]
    order = by_score(scores)
    rank = numpy.empty(len(order), numpy.intp)
    rank[order] = numpy.arange(len(order))
    # The better detection of each pair first, in the order of the better ones.
    ranks = numpy.sort(rank[pairs], axis=1)
    ranks = ranks[numpy.lexsort(ranks.T[::-1])]
    kept = numpy.ones(len(order), bool)
    for better, worse in ranks.tolist():
        if kept[better]:
            kept[worse] = False
    return order[kept]


def matched(
    boxes: ArrayLike, scores: ArrayLike, groups: ArrayLike, objects: ArrayLike, object_groups: ArrayLike, iou: float
) -> NDArray[numpy.int64]:
    """Returns the object that each detection finds, or -1.

    By descending score, each detection finds the object of its group that it overlaps most, among those that no better detection
    has found, if their IoU is at least `iou`, which is above 0. Of objects that it overlaps equally, it finds the first in the list.
    """
    checker = obbligato.Checker(backend="cpu")
    pairs = checker.check(boxes, against=obbligato.BoxSet(objects, worlds=object_groups), worlds=groups).pairs
    ious = checker.overlaps(boxes, pairs, against=objects).ious
    pairs, ious = pairs[ious >= iou], ious[ious >= iou]
    order = by_score(scores)
    rank = numpy.empty(len(order), numpy.intp)
    rank[order] = numpy.arange(len(order))
    found = numpy.full(len(order), -1, numpy.int64)
    taken = set()
    for detection, wanted in pairs[numpy.lexsort((pairs[:, 1], -ious, rank[pairs[:, 0]]))].tolist():
        if found[detection] < 0 and wanted not in taken:
            found[detection] = wanted
            taken.add(wanted)
    return found


def average_precision(scores: ArrayLike, found: ArrayLike, objects: int) -> float:
    """Returns the area under the curve of precision over recall.

    The precision at a recall is the greatest at that recall or any higher one, as in the PASCAL VOC Challenge since 2010 (Everingham
    and others, "The PASCAL Visual Object Classes Challenge: A Retrospective", 2015).
    """
    right = numpy.asarray(found)[by_score(scores)] >= 0
    precision = numpy.cumsum(right) / numpy.arange(1, len(right) + 1)
    best = numpy.maximum.accumulate(precision[::-1])[::-1]
    return float(best[right].sum() / objects) if objects else 0.0


def made_up(count: int, seed: int) -> tuple[NDArray[numpy.float32], NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.float32]]:
    """Returns detections, eight of each object: boxes, scores and groups, and the objects, whose groups are those of every eighth."""
    random = numpy.random.default_rng(seed)
    cars = -(-count // 8)
    side = 6 * cars**0.5
    centers = numpy.column_stack([random.uniform(0, side, (cars, 2)), numpy.full(cars, 0.8)])
    yaw = random.uniform(0, 6, cars)

    def boxes(centers: Numbers, halves: Numbers, yaw: Numbers) -> NDArray[numpy.float32]:
        zero = numpy.zeros_like(yaw)
        return numpy.column_stack([centers, halves, zero, zero, numpy.sin(yaw / 2), numpy.cos(yaw / 2)]).astype(numpy.float32)

    objects = boxes(centers, numpy.tile([2.2, 0.9, 0.8], (cars, 1)), yaw)
    of = numpy.repeat(numpy.arange(cars), 8)[:count]
    halves = numpy.array([2.2, 0.9, 0.8]) * random.uniform(0.9, 1.1, (count, 1))
    detections = boxes(centers[of] + random.uniform(-0.15, 0.15, (count, 3)), halves, yaw[of] + random.uniform(0, 0.2, count))
    # Few digits, so that some scores are equal.
    scores = numpy.floor(random.uniform(0, 100, count)) / 100
    return detections, scores, of % 3, objects


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    boxes, scores, groups, objects = made_up(count, 1)
    start = time.perf_counter()
    kept = suppress(boxes, scores, groups, 0.25)
    found = matched(boxes[kept], scores[kept], groups[kept], objects, groups[::8], 0.7)
    seconds = time.perf_counter() - start
    precision = average_precision(scores[kept], found, len(objects))
    print(f"{len(kept)} of {count} detections kept, average precision {precision:.3f}, in {seconds:.3f} s")


if __name__ == "__main__":
    main()
