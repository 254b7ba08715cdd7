"""Pairs and contact points of the previous frame, compared with dictionaries."""

import numpy
import pytest

import obbligato


def test_pairs_are_found_by_their_numbers():
    random = numpy.random.default_rng(1)
    for count in (0, 1, 5, 2000):
        frames = [numpy.unique(random.integers(0, 60, (count, 2), dtype=numpy.uint32), axis=0) for _ in range(2)]
        before, now = (random.permutation(frame) for frame in frames)
        places = {tuple(pair): row for row, pair in enumerate(before.tolist())}
        expected = [places.get(tuple(pair), -1) for pair in now.tolist()]
        assert obbligato.previous_pairs(before, now).tolist() == expected
        assert obbligato.previous_pairs(before.astype(numpy.int64), now.tolist() or before[:0]).tolist() == expected
    largest = [[4294967295, 4294967295]]
    assert obbligato.previous_pairs(largest, [[0, 0], *largest]).tolist() == [-1, 0]


def test_c3_points_are_found_by_their_features():
    boxes = obbligato.scene("dense", 400)
    moved = boxes.copy()
    moved[:, :3] += numpy.random.default_rng(2).normal(scale=0.02, size=(400, 3)).astype(numpy.float32)
    pairs = [obbligato.check(frame, backend="cpu").pairs for frame in (boxes, moved)]
    before, now = (obbligato.contacts(frame, found, backend="cpu") for frame, found in zip((boxes, moved), pairs))
    rows = obbligato.previous_pairs(*pairs)
    found = obbligato.previous_points(before, now, rows)

    def named(contacts, pair):
        points = contacts.points_of(pair)
        features = [tuple(feature) for feature in contacts.point_features[points].tolist()]
        return [(feature, features[:k].count(feature)) for k, feature in enumerate(features)]

    expected = []
    for pair, row in enumerate(rows):
        first = int(before.offsets[row])
        old = {name: first + k for k, name in enumerate(named(before, row))} if row >= 0 else {}
        expected += [old.get(name, -1) for name in named(now, pair)]
    assert found.tolist() == expected
    assert 0.2 < (found >= 0).mean() < 1 and (rows < 0).any()
    assert (obbligato.previous_points(before, now, numpy.full(len(rows), -1)) == -1).all()
    none = obbligato.contacts(boxes, numpy.empty((0, 2), numpy.uint32), backend="cpu")
    assert obbligato.previous_points(before, none, []).shape == (0,)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda c: obbligato.previous_pairs([[0.5, 1]], [[0, 1]]), "before has shape (1, 2) and dtype float64"),
        (lambda c: obbligato.previous_pairs([[0, 1]], [0, 1]), "now has shape (2,)"),
        (lambda c: obbligato.previous_pairs([[0, 1]], [[0, 1], [0, -1]]), "now has [0, -1] in row 1"),
        (lambda c: obbligato.previous_pairs([[0, 1], [2, 3], [0, 1]], [[0, 1]]), "before has [0, 1] in row 2 a second time"),
        (lambda c: obbligato.previous_points(c, c, [0, 0]), "rows has shape (2,)"),
        (lambda c: obbligato.previous_points(c, c, [1]), "rows has 1 in row 0"),
    ],
)
def test_wrong_lists_are_named(call, words):
    cubes = numpy.array([[0, 0, z, 1, 1, 1, 0, 0, 0, 1] for z in (0, 1.75)], numpy.float32)
    with pytest.raises(obbligato.InvalidInput) as error:
        call(obbligato.contacts(cubes, [[0, 1]], backend="cpu"))
    assert words in str(error.value)
