"""Sweeps and frames."""

import numpy
import pytest
from conftest import cubes, row

import obbligato


def test_a_bullet_meets_a_plate(backend):
    boxes = numpy.array(
        [[-10, 0, 0, 0.005, 0.005, 0.005, 0, 0, 0, 1], [0, 0, 0, 0.0005, 1, 1, 0, 0, 0, 1]], numpy.float32
    )
    found = obbligato.sweep(boxes, [[1000, 0, 0], [0, 0, 0]], 1 / 60, backend=backend)
    assert found.pairs.tolist() == [[0, 1]] and found.starting.tolist() == [False]
    assert found.times[0] == pytest.approx(9.9945e-3, abs=1e-6)
    assert found.normals[0].tolist() == pytest.approx([1, 0, 0], abs=1e-6)
    assert abs(found.points[0, 0]) < 1e-3 and found.resolved.tolist() == [True]
    assert found.earliest.tolist() == [0, 0] and len(found) == 1
    assert (found.backend, found.boxes) == (backend, 2)
    assert found.checksum == obbligato.checksum([[0, 1]])
    assert repr(found).startswith("<Impacts: 1 of 2 boxes, ")
    # Without the sweep nobody would know.
    assert obbligato.check(boxes, backend=backend).colliding_pairs == 0


def test_all_kinds_of_motion():
    cube, other = cubes((0, 0, 0), (4, 0, 0))
    checker = obbligato.Checker(backend="cpu")
    boxes = numpy.array([cube, other])

    def times(*numbers):
        return checker.sweep(boxes, [numbers, [0] * len(numbers)], 1.0).times.tolist()

    assert times(4, 0, 0) == pytest.approx([0.5], abs=1e-5)
    # Turning by an eighth, a corner is further out: sqrt(2).
    assert times(4, 0, 0, 0, 0, numpy.pi / 2)[0] < 0.5
    assert times(0, 0, 0, 0, 0, 0, 8, 0, 0) == pytest.approx([0.5**0.5], abs=1e-3)
    assert times(4, 0, 0, 0, 0, 0, 0, 0, 0, 1)[0] < 0.5
    assert times(1, 0, 0) == []


def test_two_lists_in_motion(backend):
    checker = obbligato.Checker(backend=backend)
    found = checker.sweep(row(0, 0), [[4, 0, 0], [0, 1, 0]], 1.0, against=row(4), against_motions=[[0, 0, 0]])
    assert found.pairs.tolist() == [[0, 0]] and found.earliest.tolist() == [0, -1, 0]
    with pytest.raises(TypeError, match="go together"):
        checker.sweep(row(0), [[0, 0, 0]], 1.0, against=row(4))


def test_wrong_motions():
    checker = obbligato.Checker(backend="cpu")
    with pytest.raises(ValueError, match=r"motions has the shape \(1, 4\)"):
        checker.sweep(row(0), [[0, 0, 0, 0]], 1.0)
    with pytest.raises(obbligato.InvalidInput, match="2 bodies but 1 motions"):
        checker.sweep(row(0, 1), [[0, 0, 0]], 1.0)
    with pytest.raises(obbligato.InvalidInput) as caught:
        checker.sweep(row(0, 1), [[0, 0, 0], [numpy.inf, 0, 0]], 1.0)
    assert (caught.value.kind, caught.value.index) == ("InvalidMotion", 1)
    with pytest.raises(obbligato.InvalidInput, match="dt is -1"):
        checker.sweep(row(0), [[0, 0, 0]], -1.0)


@pytest.mark.parametrize("coherence", ["auto", "fattened", "sweep-lists", "none"])
def test_frames_match_fresh_checks(coherence, crowd):
    tracker = obbligato.Tracker(backend="cpu", coherence=coherence)
    boxes, before = crowd.copy(), set()
    heading = numpy.random.default_rng(5).uniform(-0.05, 0.05, (len(boxes), 2)).astype(numpy.float32)
    for _ in range(6):
        frame = tracker.update(boxes)
        now = set(map(tuple, obbligato.check(boxes, backend="cpu").pairs.tolist()))
        for found, expected in [
            (frame.pairs, now),
            (frame.begin, now - before),
            (frame.end, before - now),
            (frame.persist, now & before),
        ]:
            assert [tuple(pair) for pair in found.tolist()] == sorted(expected)
        assert (tracker.safe_distances() >= 0).all() and frame.boxes == len(boxes)
        boxes[:, :2] += heading
        before = now
    assert frame.work["coherent"] == (coherence != "none") or coherence == "auto"
    assert len(frame.begin) > 0 and len(frame.end) > 0
    assert repr(frame) == f"<Frame: 2000 boxes, {len(now)} pairs, {len(frame.begin)} begin, {len(frame.end)} end>"


def test_ids(backend):
    tracker = obbligato.Tracker(backend=backend)
    assert tracker.update(row(0, 1), ids=[17, 4]).begin.tolist() == [[4, 17]]
    assert tracker.update(row(0, 5, 1), ids=[17, 8, 4]).persist.tolist() == [[4, 17]]
    assert tracker.update(row(0), ids=[17]).end.tolist() == [[4, 17]]
    with pytest.raises(obbligato.InvalidInput, match="id 7 names bodies 0 and 1") as caught:
        tracker.update(row(0, 1), ids=[7, 7])
    assert caught.value.id == 7
    with pytest.raises(obbligato.InvalidInput, match="2 bodies but 1 ids"):
        tracker.update(row(0, 1), ids=[7])


def test_frames_in_a_loop():
    frames = [row(0, 5), row(0, 1), row(0)]
    with pytest.warns(UserWarning, match="the number of boxes has changed, and they have no ids") as warned:
        found = [(frame.begin.tolist(), frame.end.tolist()) for frame in obbligato.track(frames, backend="cpu")]
    assert found == [([], []), ([[0, 1]], []), ([], [[0, 1]])] and len(warned) == 1


def test_ids_stay_when_a_wall_is_spawned():
    pairs = row(*(9 * (k // 2) + k % 2 for k in range(1000)))
    with_wall = numpy.concatenate([cubes((0, 99, 0)), pairs])
    ids = numpy.arange(1000)
    named, unnamed = obbligato.Tracker(backend="cpu"), obbligato.Tracker(backend="cpu")
    assert len(named.update(pairs, ids).begin) == len(unnamed.update(pairs).begin) == 500
    frame = named.update(with_wall, [5000, *ids])
    assert len(frame.begin) == len(frame.end) == 0 and len(frame.persist) == 500
    with pytest.warns(UserWarning, match="give ids to Tracker.update"):
        frame = unnamed.update(with_wall)
    assert len(frame.begin) == len(frame.end) == 500
