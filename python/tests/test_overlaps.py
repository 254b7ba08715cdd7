"""Overlap volumes, and the example of detections."""

import runpy
from pathlib import Path

import numpy
import pytest
from conftest import row

import obbligato

EXAMPLE = Path(__file__).parents[1] / "examples" / "detections.py"
CHECKER = obbligato.Checker(backend="cpu")


def rotated(low, high, turn, move):
    """Boxes between corners, all turned about the origin by one quaternion x y z w, and moved."""
    *axis, w = turn
    at = (low + high) / 2
    at = at + 2 * numpy.cross(axis, numpy.cross(axis, at) + w * at)
    return numpy.column_stack([at + move, (high - low) / 2, numpy.tile(turn, (len(at), 1))])


def test_volumes_are_those_of_intervals():
    """Boxes that are turned alike overlap as if they were not turned."""
    random = numpy.random.default_rng(5)
    # Whole numbers: many touch, and many are equal or contained.
    low = random.integers(0, 4, (400, 3)).astype(float)
    high = low + random.integers(1, 4, (400, 3))
    boxes = rotated(low, high, [0.6, 0, 0, 0.8], [0, 0, 0])
    pairs = random.integers(0, 400, (20_000, 2))
    found = CHECKER.overlaps(boxes, pairs)
    a, b = pairs.T
    shared = numpy.maximum(numpy.minimum(high[a], high[b]) - numpy.maximum(low[a], low[b]), 0).prod(axis=1)
    sizes = (high - low).prod(axis=1)
    assert len(found) == 20_000 and (shared == 0).sum() > 3000 < (shared > 0).sum()
    # Rotations are rounded to float32.
    assert numpy.allclose(found.volumes, shared, atol=1e-5)
    assert numpy.allclose(found.ious, shared / (sizes[a] + sizes[b] - shared), atol=1e-5)
    same = (low[a] == low[b]).all(axis=1) & (high[a] == high[b]).all(axis=1)
    assert same.any() and (found.ious[same] == 1).all()
    swapped = CHECKER.overlaps(boxes, pairs[:, ::-1])
    assert (swapped.volumes == found.volumes).all() and (swapped.ious == found.ious).all()


def test_two_lists_planes_and_periods():
    first, second = row(0, 5), row(9, 6)
    found = obbligato.overlaps(first, [[1, 1], [0, 0]], against=second, backend="cpu")
    assert found.volumes.tolist() == [4, 0] and found.ious.tolist() == [1 / 3, 0] and found.images is None
    assert repr(found) == "<Overlaps: 2 pairs>"
    found = CHECKER.overlaps(row(0.5, 9.5), [[0, 1]], period=[10, None, None])
    assert found.volumes.tolist() == [4] and found.images.tolist() == [[-1, 0, 0]]
    flat = [[x, 0, 0, 1, 1, 2, 0, 0, 0, 1] for x in (0, 1.5)]
    assert CHECKER.overlaps(flat, [[0, 1]], in_plane=True).volumes.tolist() == [1]
    assert CHECKER.overlaps(flat, [[0, 1]]).volumes.tolist() == [4]


def test_float64_centers_stay():
    far = numpy.array([[5e6 + x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1.75)])
    assert CHECKER.overlaps(far, [[0, 1]]).volumes.tolist() == [1]


def test_what_has_no_volume_is_refused():
    with pytest.raises(obbligato.Error, match="give boxes|boxes") as caught:
        CHECKER.overlaps(obbligato.Spheres([[0, 0, 0, 1], [1, 0, 0, 1]]), [[0, 1]])
    assert "\n" not in str(caught.value)
    with pytest.raises(obbligato.Error, match="leave out period"):
        CHECKER.overlaps(row(0, 1), [[0, 1]], period=[9, 9, None], in_plane=True)


def test_detections_match_all_pairs():
    """The example, against loops over all pairs."""
    example = runpy.run_path(str(EXAMPLE))
    boxes, scores, groups, objects = example["made_up"](300, 7)
    kept = example["suppress"](boxes, scores, groups, 0.25)
    everything = numpy.array([[a, b] for a in range(300) for b in range(300)])
    ious = CHECKER.overlaps(boxes, everything).ious.reshape(300, 300)
    expected = []
    for one in sorted(range(300), key=lambda k: (-scores[k], k)):
        if not any(groups[one] == groups[other] and ious[one, other] > 0.25 for other in expected):
            expected.append(one)
    assert kept.tolist() == expected and 30 < len(kept) < 200

    found = example["matched"](boxes, scores, groups, objects, groups[::8], 0.5)
    pairs = numpy.array([[a, b] for a in range(300) for b in range(len(objects))])
    ious = CHECKER.overlaps(boxes, pairs, against=objects).ious.reshape(300, -1)
    free, wanted = set(range(len(objects))), {}
    for one in sorted(range(300), key=lambda k: (-scores[k], k)):
        near = [(-ious[one, k], k) for k in free if groups[8 * k] == groups[one] and ious[one, k] >= 0.5]
        wanted[one] = min(near)[1] if near else -1
        free.discard(wanted[one])
    assert found.tolist() == [wanted[k] for k in range(300)]
    assert len(set(found[found >= 0])) == (found >= 0).sum() > 30

    # Right, wrong, right: precisions 1, 1/2, 2/3 at recalls 1/4 and 2/4.
    precision = example["average_precision"]([0.9, 0.8, 0.7], [3, -1, 0], 4)
    assert precision == pytest.approx((1 + 2 / 3) / 4)
    assert example["average_precision"]([], [], 0) == 0


def test_the_example_runs(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(EXAMPLE), "2000"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert " of 2000 detections kept, average precision 0." in capsys.readouterr().out
