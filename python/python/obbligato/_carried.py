"""The places of pairs and contact points in the previous frame."""

from __future__ import annotations

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._errors import InvalidInput
from obbligato._native import Contacts


def previous_pairs(before: ArrayLike, now: ArrayLike) -> NDArray[numpy.int64]:
    """Returns for each pair of `now` its row in `before`, or -1 if it is not there: (P,) int64.

    Both are (P, 2) arrays of whole numbers from 0 to 4294967295 that name bodies, the same ones in both frames: `pairs` of a scene
    whose bodies stay in their places, or the pairs of ids of a `Tracker`. Each pair is there once, in any order.

    >>> import numpy, obbligato
    >>> before, now = [[0, 1], [0, 4], [2, 3]], [[0, 4], [1, 2], [2, 3]]
    >>> rows = obbligato.previous_pairs(before, now)
    >>> rows.tolist()
    [1, -1, 2]
    >>> warmth = numpy.array([0.5, 0.25, 0.75])
    >>> numpy.where(rows < 0, 0.0, warmth[rows]).tolist()
    [0.25, 0.0, 0.75]
    """
    return _rows(_keys("before", before), _keys("now", now))


def previous_points(before: Contacts, now: Contacts, rows: ArrayLike) -> NDArray[numpy.int64]:
    """Returns for each contact point of `now` its row among the points of `before`, or -1 if it is new: (K,) int64.

    `rows` has for each pair of `now` its row among the pairs of `before`, or -1: the result of `previous_pairs`. Points are the same
    contact if they have the same features of both bodies. If a pair has several of these, they are taken in their order.

    >>> import numpy, obbligato
    >>> floor = [0, 0, 0, 9, 9, 1, 0, 0, 0, 1]
    >>> frames = [numpy.array([floor, [x, 0, 1.75, 1, 1, 1, 0, 0, 0, 1]], numpy.float32) for x in (0, 0.5)]
    >>> before, now = (obbligato.contacts(boxes, [[0, 1]]) for boxes in frames)
    >>> obbligato.previous_points(before, now, [0]).tolist()  # It has slid, and rests on the same corners.
    [0, 1, 2, 3]
    """
    places = numpy.asarray(rows)
    if places.shape != (len(now),) or not (places.size == 0 or numpy.issubdtype(places.dtype, numpy.integer)):
        raise InvalidInput(
            f"rows has shape {places.shape} and dtype {places.dtype}: give one whole number for each of the {len(now)} pairs of now"
        )
    wrong = numpy.flatnonzero((places < -1) | (places >= len(before)))
    if wrong.size:
        raise InvalidInput(
            f"rows has {places[wrong[0]]} in row {wrong[0]}: give -1 or the row of one of the {len(before)} pairs of before"
        )
    of_before = _point_keys(before, numpy.arange(len(before)))
    of_now = _point_keys(now, places.astype(numpy.int64))
    is_new = numpy.repeat(places < 0, numpy.diff(now.offsets).astype(numpy.int64))
    found = _rows(of_before, of_now)
    found[is_new] = -1
    return found


def _keys(name: str, pairs: ArrayLike) -> NDArray[numpy.uint64]:
    """The pairs, each as one number."""
    array = numpy.asarray(pairs)
    if array.size == 0:
        return numpy.empty(0, numpy.uint64)
    if array.ndim != 2 or array.shape[1] != 2 or not numpy.issubdtype(array.dtype, numpy.integer):
        raise InvalidInput(f"{name} has shape {array.shape} and dtype {array.dtype}: give whole numbers in an array of shape (P, 2)")
    wrong = numpy.flatnonzero(((array < 0) | (array > 0xFFFF_FFFF)).any(axis=1))
    if wrong.size:
        raise InvalidInput(f"{name} has {array[wrong[0]].tolist()} in row {wrong[0]}: give numbers from 0 to 4294967295")
    keys: NDArray[numpy.uint64] = array[:, 0].astype(numpy.uint64) << numpy.uint64(32) | array[:, 1].astype(numpy.uint64)
    ordered = numpy.sort(keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if twice.size:
        row = numpy.flatnonzero(keys == twice[0])[1]
        raise InvalidInput(f"{name} has {array[row].tolist()} in row {row} a second time: give each pair once")
    return keys


def _point_keys(contacts: Contacts, places: NDArray[numpy.int64]) -> NDArray[numpy.uint64]:
    """The points, each as one number: the row of its pair, its features, and how many of the pair's points before it have the same."""
    row = numpy.repeat(places, numpy.diff(contacts.offsets).astype(numpy.int64)).astype(numpy.uint64)
    features = contacts.point_features.astype(numpy.uint64)
    keys: NDArray[numpy.uint64] = row << numpy.uint64(24) | features[:, 0] << numpy.uint64(16) | features[:, 1] << numpy.uint64(8)
    order = numpy.argsort(keys, kind="stable")
    ordered = keys[order]
    first = numpy.flatnonzero(numpy.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(keys) else numpy.empty(0, int)
    lengths = numpy.diff(numpy.append(first, len(keys)))
    rank = numpy.arange(len(keys)) - numpy.repeat(first, lengths)
    keys[order] += rank.astype(numpy.uint64)
    return keys


def _rows(before: NDArray[numpy.uint64], now: NDArray[numpy.uint64]) -> NDArray[numpy.int64]:
    """The row of each number of `now` in `before`, or -1."""
    order = numpy.argsort(before)
    ordered = before[order]
    at = numpy.searchsorted(ordered, now)
    inside = numpy.minimum(at, max(len(before) - 1, 0))
    if not len(before):
        return numpy.full(len(now), -1, numpy.int64)
    return numpy.where(ordered[inside] == now, order[inside], -1).astype(numpy.int64)
