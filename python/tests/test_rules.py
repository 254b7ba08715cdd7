"""Which pairs rules leave out."""

import functools

import numpy
import pytest
from conftest import row

import obbligato

# Four boxes in one place: all pairs collide.
BOXES = row(0, 0, 0, 0)


# The rules of a call are no longer those of the next one. A GPU's kernels are compiled once.
checker_of = functools.cache(lambda backend: obbligato.Checker(backend=backend))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
        ({"owners": [0, 0, 1, 1]}, [[0, 2], [0, 3], [1, 2], [1, 3]]),
        ({"owners": [0, 0, obbligato.NO_OWNER, obbligato.NO_OWNER]}, [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
        ({"worlds": [5, 5, 6, 7]}, [[0, 1]]),
        ({"statics": [True, True, True, False]}, [[0, 3], [1, 3], [2, 3]]),
        ({"active": [False, False, False, True]}, [[0, 3], [1, 3], [2, 3]]),
        ({"excluded": [[0, 1], [3, 0]]}, [[0, 2], [1, 2], [1, 3], [2, 3]]),
        ({"groups": [[1, 2], [2, 1], [2, 3], [4, 7]]}, [[0, 1], [0, 2]]),
        ({"worlds": [0, 0, 0, 1], "owners": [0, 0, 1, 1]}, [[0, 2], [1, 2]]),
        ({"owners": None}, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
    ],
)
def test_rules(rules, expected, backend):
    assert obbligato.check(BOXES, backend=backend, **rules).pairs.tolist() == expected
    # Of all calls that take rules.
    checker = checker_of(backend)
    assert checker.check(obbligato.BoxSet(BOXES, **rules)).pairs.tolist() == expected
    everyone = [[a, b] for a in range(4) for b in range(a + 1, 4)]
    assert checker.check_pairs(BOXES, everyone, **rules).pairs.tolist() == expected
    assert obbligato.Tracker(backend=backend).update(BOXES, **rules).pairs.tolist() == expected
    swept = checker.sweep(BOXES, numpy.zeros((4, 3), numpy.float32), 1.0, **rules)
    assert sorted(swept.pairs.tolist()) == expected


def test_any_integer_types(backend):
    for dtype in (numpy.int8, numpy.int64, numpy.uint16, numpy.uint64):
        owners = numpy.array([0, 0, 1, 1], dtype)
        assert obbligato.check(BOXES, backend=backend, owners=owners).colliding_pairs == 4
    every_other = numpy.arange(8, dtype=numpy.uint32)[::2] // 4
    assert obbligato.check(BOXES, backend=backend, owners=every_other).colliding_pairs == 4


def test_rules_of_two_lists(backend):
    arms = obbligato.BoxSet(BOXES[:2], owners=[0, 1])
    other = obbligato.BoxSet(BOXES[:2], owners=[1, 0], worlds=[0, 9])
    assert obbligato.check(arms, against=other, backend=backend).pairs.tolist() == [[0, 0]]
    assert obbligato.check(BOXES[:2], against=other, backend=backend, owners=[0, 1]).pairs.tolist() == [[0, 0]]
    assert arms.rules == {"owners": [0, 1]} and arms.boxes is not None


def test_rules_of_prepared_scenes(backend):
    checker = obbligato.Checker(backend=backend)
    scene = checker.prepare(BOXES, owners=[0, 1, 2, 3])
    assert checker.check_movers(scene, BOXES[:1], owners=[2]).pairs.tolist() == [[0, 0], [1, 0], [3, 0]]


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({"owners": [0, 0]}, obbligato.InvalidInput, "owners"),
        ({"owners": [0, 0, -1, 0]}, ValueError, "owners has the number -1: give numbers from 0 to 4294967295"),
        ({"owners": [0.5, 0, 0, 0]}, TypeError, "owners has the dtype float64: give whole numbers"),
        ({"owners": [[0, 0, 0, 0]]}, ValueError, r"owners has the shape \(1, 4\)"),
        ({"statics": [0, 1, 0, 2]}, ValueError, "statics has numbers other than 0 and 1: give bool"),
        ({"statics": [0.0, 1.0, 0.0, 1.0]}, TypeError, "statics has the dtype float64: give bool"),
        ({"margins": [0, 0, -1, 0]}, obbligato.InvalidInput, "margins"),
        ({"groups": [1, 2, 3, 4]}, ValueError, r"groups has the shape \(4,\)"),
        ({"excluded": [[0, 9]]}, obbligato.InvalidInput, "excluded"),
        ({"owner": [0, 0, 0, 0]}, TypeError, "no rule or setting owner|no setting owner"),
    ],
)
def test_wrong_rules_are_refused(rules, error, message):
    with pytest.raises(error, match=message):
        obbligato.check(BOXES, **rules)


def test_rules_are_given_once():
    with pytest.raises(TypeError, match="BoxSet"):
        obbligato.check(obbligato.BoxSet(BOXES), owners=[0, 0, 1, 1])
    with pytest.raises(TypeError, match="no rule or setting margin"):
        obbligato.BoxSet(BOXES, margin=1)
