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


def scattered(count, seed):
    """Boxes of which about one in fifty pairs meet; some are equal, some only touch."""
    random = numpy.random.default_rng(seed)
    turns = random.normal(size=(count, 4))
    turns[::3] = [0, 0, 0, 1]
    turns /= numpy.linalg.norm(turns, axis=1, keepdims=True)
    boxes = numpy.column_stack([random.integers(0, 9, (count, 3)), random.integers(1, 4, (count, 3)) / 2, turns])
    boxes[-9:] = boxes[:9]
    return boxes.astype(numpy.float32)


def test_matrices_are_the_overlaps_of_all_pairs():
    first, second = scattered(130, 1), scattered(170, 2)
    second[:20] = first[30:50]
    everything = numpy.array([[a, b] for a in range(130) for b in range(170)])
    expected = CHECKER.overlaps(first, everything, against=second)
    volumes, ious = matrix = obbligato.iou_matrix(first, second)
    assert volumes.shape == ious.shape == (130, 170) and repr(matrix) == "<IouMatrix: 130 x 170 boxes>"
    assert (volumes.ravel() == expected.volumes).all() and (ious.ravel() == expected.ious).all()
    assert 200 < (volumes > 0).sum() < 5000 and (ious == 1).sum() >= 20
    # To the bit, in either order and with any number of threads.
    swapped = obbligato.iou_matrix(second, first, threads=1)
    assert (swapped.volumes.T == volumes).all() and (swapped.ious.T == ious).all()


def test_the_matrix_of_one_list_is_symmetric():
    boxes = scattered(150, 3)
    found, between = obbligato.iou_matrix(boxes), obbligato.iou_matrix(boxes, boxes)
    assert (found.volumes == between.volumes).all() and (found.ious == between.ious).all()
    assert (found.volumes == found.volumes.T).all() and (found.ious == found.ious.T).all()
    assert (found.ious.diagonal() == 1).all() and (found.ious[range(9), range(141, 150)] == 1).all()
    flat = numpy.column_stack([boxes[:, :2], 0 * boxes[:, :1], boxes[:, 3:6], numpy.tile([0, 0, 0, 1], (150, 1))])
    areas = obbligato.iou_matrix(flat, in_plane=True).volumes
    assert numpy.allclose(areas.diagonal(), 4 * flat[:, 3] * flat[:, 4])


def test_matrices_of_worlds_and_of_nothing():
    boxes = row(0, 1, 2)
    second = obbligato.BoxSet(boxes, worlds=[0, 0, 1])
    assert obbligato.iou_matrix(boxes, second, worlds=[0, 1, 1]).volumes.tolist() == [[8, 4, 0], [0, 0, 4], [0, 0, 8]]
    assert obbligato.iou_matrix(boxes, worlds=[0, 0, 1]).volumes.tolist() == [[8, 4, 0], [4, 8, 0], [0, 0, 8]]
    empty = numpy.empty((0, 10), numpy.float32)
    for first, other, shape in [(empty, boxes, (0, 3)), (boxes, empty, (3, 0)), (empty, empty, (0, 0)), (empty, None, (0, 0))]:
        assert obbligato.iou_matrix(first, other).ious.shape == shape


def test_matrices_without_memory_or_volumes_are_refused(monkeypatch):
    with pytest.raises(obbligato.Unavailable, match="list pairs of boxes"):
        obbligato.iou_matrix(obbligato.Spheres([[0, 0, 0, 1]]))

    def refused(shape):
        raise MemoryError

    monkeypatch.setattr(numpy, "zeros", refused)
    with pytest.raises(obbligato.OutOfMemory, match="2 x 3 volumes .* take 96 bytes: compare fewer") as caught:
        obbligato.iou_matrix(row(0, 1), row(0, 1, 2))
    assert caught.value.needed == 96 and caught.value.kind == "OutOfMemory"


def test_corners_of_boxes_become_boxes():
    """As the guide's section about PyTorch3D says."""
    boxes = scattered(100, 4)
    at = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])[None] * boxes[:, None, 3:6].astype(float)
    axis, w = boxes[:, None, 6:9].astype(float), boxes[:, None, 9:].astype(float)
    at = at + 2 * numpy.cross(axis, numpy.cross(axis, at) + w * at) + boxes[:, None, :3]
    fitted = obbligato.fit_boxes(at)
    assert numpy.allclose(obbligato.iou_matrix(boxes, fitted).ious.diagonal(), 1, atol=1e-5)


def test_what_has_no_volume_is_refused():
    with pytest.raises(obbligato.Error, match="give boxes|boxes") as caught:
        CHECKER.overlaps(obbligato.Spheres([[0, 0, 0, 1], [1, 0, 0, 1]]), [[0, 1]])
    assert "\n" not in str(caught.value)


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
