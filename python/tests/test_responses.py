"""Steps from impact to impact against the laws of impacts, and placements against going back step by step in numpy."""

import numpy
import oracle
import pytest
from conftest import cubes, row
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import obbligato

CHECKER = obbligato.Checker(backend="cpu")
SKIN = 1e-3
quick = settings(max_examples=60, deadline=None)


def along_x(*speeds):
    return numpy.array([[speed, 0, 0] for speed in speeds], numpy.float32)


@quick
@given(st.floats(0.5, 4), st.floats(-0.5, 0.25), st.floats(0.5, 8), st.floats(0.5, 8), st.sampled_from([0.0, 0.25, 1.0]))
def test_m10_two_boxes_bounce(fast, slow, first, second, restitution):
    # Half a metre apart, so that they meet in the first second or two.
    masses, before = numpy.array([first, second]), numpy.float32([fast, slow]).astype(float)
    meet = 0.5 / (before[0] - before[1])
    moved = CHECKER.advance(row(0, 2.5), along_x(fast, slow), meet + 1, SKIN, masses=masses, restitution=restitution)
    together = (masses @ before) / masses.sum()
    after = together + restitution * masses[::-1] * (before[::-1] - before) / masses.sum()
    assert moved.motions[:, 0] == pytest.approx(after, abs=1e-5) and not moved.motions[:, 1:].any()
    assert moved.impacts == 1 and moved.left == 0 and len(moved) == 2
    places = numpy.array([0, 2.5]) + before * meet + after
    assert moved.boxes[:, 0] == pytest.approx(places, abs=10 * SKIN)
    assert moved.boxes[1, 0] - moved.boxes[0, 0] > 2


def test_m10_they_stop_without_masses():
    moved = CHECKER.advance(row(0, 3, 9), along_x(1, 0, 2), 4, SKIN)
    assert not moved.motions[:2].any() and moved.motions[2, 0] == 2
    assert moved.boxes[:, 0] == pytest.approx([1, 3, 17], abs=2 * SKIN)
    assert (moved.impacts, moved.boxes.dtype, moved.motions.shape) == (1, numpy.float32, (3, 10))


def test_m10_walls_do_not_move():
    # Between two walls a box goes 4 there and back, 3 times and a half in 7 seconds.
    moved = CHECKER.advance(row(-3, 0, 3), along_x(0, 4, 0), 7, SKIN, masses=[numpy.inf, 1, numpy.inf])
    assert moved.boxes[[0, 2], 0].tolist() == [-3, 3] and not moved.motions[[0, 2]].any()
    assert abs(moved.motions[1, 0]) == 4 and moved.impacts == 14
    assert abs(moved.boxes[1, 0]) < 1
    cut = CHECKER.advance(row(-3, 0, 3), along_x(0, 4, 0), 7, SKIN, masses=[numpy.inf, 1, numpy.inf], limit=3)
    assert cut.sweeps == 3 and 5 < cut.left < 7
    free = CHECKER.advance(row(-3, 0, 3), along_x(0, 4, 0), 7, SKIN, owners=[5, 5, 5])
    assert free.boxes[1, 0] == 28 and free.impacts == 0


def test_m10_momentum_and_energy_are_kept():
    random = numpy.random.default_rng(11)
    places = numpy.argwhere(numpy.ones((4, 4, 4))) * 3.0
    boxes, motions = cubes(*places), random.normal(size=(64, 3)).astype(numpy.float32)
    masses = random.uniform(0.5, 3, 64)
    moved = CHECKER.advance(boxes, motions, 2.0, SKIN, masses=masses)
    assert moved.impacts > 20 and moved.left == 0
    found, touching = oracle.contacts(moved.boxes)
    assert found == [] and touching == 0
    speeds, turns = moved.motions[:, :3].astype(float), moved.motions[:, 3:6].astype(float)
    before = motions.astype(float)
    numpy.testing.assert_allclose(masses @ speeds, masses @ before, atol=1e-4)
    # Of a cube all moments of inertia are 2/3 of its mass, for half extents of 1.
    energy = (masses @ (speeds**2 + 2 / 3 * turns**2)).sum()
    assert energy == pytest.approx((masses @ before**2).sum(), rel=1e-4)


def balls_meet(balls):
    apart = balls[:, None, :3].astype(float) - balls[None, :, :3]
    meet = (apart**2).sum(axis=2) <= (balls[:, None, 3].astype(float) + balls[None, :, 3]) ** 2
    numpy.fill_diagonal(meet, False)
    return meet


def balls(rows):
    """Multiples of 1/4, whose distances float64 compares without rounding."""
    places = arrays(numpy.int32, (rows, 3), elements=st.integers(-10, 10))
    return places.map(lambda whole: numpy.hstack([whole / 4, numpy.full((rows, 1), 0.5)]).astype(numpy.float32))


@quick
@given(balls(14), balls(14))
def test_m10_bodies_go_back(safe, wanted):
    wanted = wanted.copy()
    wanted[::3] = safe[::3]
    placed = wanted.copy()
    while True:
        moved = (placed != safe).any(axis=1)
        # All that collide go back, also the unmoved, until none of those that collide is elsewhere.
        going = balls_meet(placed).any(axis=1) & moved
        if not going.any():
            break
        placed[going] = safe[going]
    back = CHECKER.roll_back(obbligato.Spheres(safe), obbligato.Spheres(wanted))
    assert back.dtype == bool and back.tolist() == (placed != wanted).any(axis=1).tolist()
    mixed = CHECKER.roll_back(*(obbligato.Bodies(row(50), spheres=list_) for list_ in (safe, wanted)))
    assert mixed.tolist() == [False, *back.tolist()]


def test_m10_rules_of_going_back():
    safe, wanted = row(0, 4), row(0, 1)
    assert CHECKER.roll_back(safe, wanted).tolist() == [False, True]
    assert CHECKER.roll_back(safe, wanted, owners=[1, 1]).tolist() == [False, False]
    wide = obbligato.Checker(backend="cpu", margin=1)
    assert wide.roll_back(row(0, 4), row(0, 2.5)).tolist() == [False, True]
    assert CHECKER.roll_back(row(0, 4), row(0, 2.5)).tolist() == [False, False]
