"""What arrays are taken, and whose memory results are."""

import gc
import tracemalloc
import weakref

import numpy
import pytest
from conftest import row

import obbligato


def test_records_are_boxes(crowd, backend):
    records = obbligato.records(crowd)
    assert records.dtype == obbligato.BOX and obbligato.BOX.itemsize == 48
    expected = obbligato.check(crowd, backend=backend)
    assert numpy.array_equal(obbligato.check(records, backend=backend).pairs, expected.pairs)


def test_many_boxes_are_converted_on_all_threads():
    # More than one thread takes at a time, and not a multiple of it.
    boxes = obbligato.scene("uniform", 100_003)
    of_rows, of_records = (obbligato.check(list, backend="cpu") for list in (boxes, obbligato.records(boxes)))
    assert of_rows.checksum == of_records.checksum
    assert obbligato.check(boxes.astype(numpy.float64), backend="cpu").checksum == of_rows.checksum


def test_records_are_not_copied():
    records = obbligato.records(obbligato.scene("uniform", 100_000))
    rows = obbligato.scene("uniform", 100_000)
    checker = obbligato.Checker(backend="cpu")
    for boxes in (records, rows):
        tracemalloc.start()
        checker.check(boxes)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000, "numpy has made an array"


@pytest.mark.parametrize("shift", [0, 4, 8, 12, 1])
def test_records_may_lie_anywhere(shift, crowd):
    records = obbligato.records(crowd)
    room = numpy.zeros(records.nbytes + 64, numpy.uint8)
    start = -room.ctypes.data % 16 + shift
    placed = room[start : start + records.nbytes].view(obbligato.BOX)
    placed[:] = records
    assert placed.ctypes.data % 16 == shift
    checker = obbligato.Checker(backend="cpu")
    assert checker.check(placed).checksum == checker.check(crowd).checksum
    assert checker.check(placed.astype(obbligato.BOX), against=row(0)).boxes == len(crowd) + 1


def test_groups_of_records(backend):
    records = obbligato.records(row(0, 0, 0))
    records["memberships"] = [1, 2, 4]
    records["filter"] = [2, 1 | 4, 1]
    assert obbligato.check(records, backend=backend).pairs.tolist() == [[0, 1]]


def test_strided_and_read_only_arrays(crowd):
    expected = obbligato.check(crowd[::2]).checksum
    other_order = numpy.asfortranarray(crowd)
    assert obbligato.check(other_order[::2]).checksum == expected
    assert obbligato.check(obbligato.records(crowd)[::2]).checksum == expected
    frozen = crowd[::2].copy()
    frozen.flags.writeable = False
    assert obbligato.check(frozen).checksum == expected


@pytest.mark.parametrize(
    ("boxes", "error", "message"),
    [
        (numpy.zeros((3, 9), numpy.float32), ValueError, r"boxes has the shape \(3, 9\): give \(N, 10\)"),
        (numpy.zeros(10, numpy.float32), ValueError, r"shape \(10,\)"),
        (numpy.zeros((1, 10), numpy.int32), TypeError, "dtype int32: give float32, float64"),
        (numpy.zeros((1, 10), ">f4"), TypeError, "dtype >f4"),
        (numpy.zeros((1, 10), numpy.float16), TypeError, "dtype float16"),
        (numpy.zeros((1, 1), obbligato.BOX), ValueError, "2 dimensions"),
        (object(), TypeError, "boxes is a object: give a numpy array"),
        ([["a"] * 10], ValueError, "could not convert string to float"),
    ],
)
def test_other_arrays_are_refused(boxes, error, message):
    with pytest.raises(error, match=message):
        obbligato.check(boxes)
    if not isinstance(boxes, list):
        with pytest.raises(error, match=message.replace("boxes", "against")):
            obbligato.check(row(0), against=boxes)


def test_arrays_on_a_gpu_are_refused():
    class OnGpu:
        __cuda_array_interface__ = {"shape": (1, 10)}

    with pytest.raises(TypeError, match="boxes is an array on a GPU, which is not taken: copy it to the host"):
        obbligato.check(OnGpu())


def test_plain_lists_are_float32(backend):
    touching = [[0.1, 0, 0, 0.1, 1, 1, 0, 0, 0, 1], (0.3, 0, 0, 0.1, 1, 1, 0, 0, 0, 1)]
    as_array = numpy.array(touching, numpy.float32)
    checker = obbligato.Checker(backend=backend)
    assert checker.check(touching).pairs.tolist() == checker.check(as_array).pairs.tolist()
    assert checker.distances(touching, [[0, 1]]).distances == checker.distances(as_array, [[0, 1]]).distances
    assert checker.check([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1]], against=()).boxes == 1


def test_only_check_takes_float64():
    boxes = row(0, 1).astype(numpy.float64)
    checker = obbligato.Checker(backend="cpu")
    for call in (
        lambda: checker.contacts(boxes, [[0, 1]]),
        lambda: checker.distances(boxes, [[0, 1]]),
        lambda: checker.sweep(boxes, numpy.zeros((2, 3)), 1.0),
        lambda: checker.prepare(boxes),
        lambda: checker.check_pairs(boxes, [[0, 1]]),
        lambda: obbligato.Tracker(backend="cpu").update(boxes),
    ):
        with pytest.raises(TypeError, match="float64, which `check` alone takes"):
            call()


def test_results_show_the_memory_of_the_report():
    report = obbligato.check(row(0, 1, 2), list_touching=True)
    for name in ("pairs", "touching"):
        first, second = getattr(report, name), getattr(report, name)
        assert first.base is report and not first.flags.owndata
        assert numpy.shares_memory(first, second)
        with pytest.raises(ValueError, match="read-only"):
            first[0] = 7
        with pytest.raises(ValueError, match="WRITEABLE"):
            first.flags.writeable = True
    degrees = obbligato.check(row(0, 1, 2), output="degrees")
    assert degrees.degrees.base is degrees
    adjacency = report.adjacency()
    assert adjacency.neighbours.base is adjacency and adjacency.offsets.base is adjacency


def test_results_outlive_the_report(crowd):
    pairs = obbligato.check(crowd).pairs
    copy = pairs.copy()
    gc.collect()
    others = [obbligato.check(crowd[k:]).pairs for k in range(10)]
    assert numpy.array_equal(pairs, copy) and len(others) == 10
    assert pairs.base.colliding_pairs == len(pairs)


def test_arrays_are_let_go(crowd):
    boxes = crowd.copy()
    gone = weakref.ref(boxes)
    checker = obbligato.Checker(backend="cpu")
    report = checker.check(boxes, owners=numpy.arange(len(boxes)))
    del boxes
    gc.collect()
    assert gone() is None and report.boxes == len(crowd)


def test_manifolds_take_over_memory():
    boxes = row(0, 1, 2)
    found = obbligato.contacts(boxes, obbligato.check(boxes).pairs)
    for name in ("normals", "on_a", "on_b", "features"):
        array = getattr(found, name)
        assert array is getattr(found, name) and not array.flags.owndata and array.flags.writeable
