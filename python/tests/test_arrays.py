"""What arrays are taken, and whose memory results are."""

import gc
import tracemalloc
import weakref

import numpy
import pytest
from conftest import cubes, row

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
def test_records_may_have_any_alignment(shift, crowd):
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
        (numpy.zeros((1, 10), bool), TypeError, "dtype bool: give float32, float64"),
        (numpy.zeros((1, 10), numpy.complex64), TypeError, "dtype complex64: give float32, float64$"),
        (numpy.zeros((1, 10), numpy.longdouble), TypeError, r"give .* as by boxes.astype\(numpy.float64\)"),
        (numpy.zeros((1, 10), "datetime64[s]"), TypeError, "dtype datetime64"),
        (numpy.full((1, 10), 2**53 + 1), ValueError, r"number 9007199254740993, and float64 .*boxes.astype\(numpy.float64\)"),
        (numpy.ma.array(numpy.zeros((1, 10), numpy.float32), mask=numpy.eye(1, 10)), ValueError, "masked entries"),
        (numpy.zeros((1, 1), obbligato.BOX), ValueError, "2 dimensions"),
        (object(), TypeError, "boxes is an object: give a numpy array"),
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

    with pytest.raises(TypeError, match="boxes is an array on a GPU, which is not supported: copy it to the host"):
        obbligato.check(OnGpu())


def test_plain_lists_are_float32(backend):
    touching = [[0.1, 0, 0, 0.1, 1, 1, 0, 0, 0, 1], (0.3, 0, 0, 0.1, 1, 1, 0, 0, 0, 1)]
    as_array = numpy.array(touching, numpy.float32)
    checker = obbligato.Checker(backend=backend)
    assert checker.check(touching).pairs.tolist() == checker.check(as_array).pairs.tolist()
    assert checker.distances(touching, [[0, 1]]).distances == checker.distances(as_array, [[0, 1]]).distances
    assert checker.check([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1]], against=()).boxes == 1


# Every call that takes numbers, by the dtype and the layout of one of its arrays. Each gets `change(numbers)`.
FLOATS = {
    "check": lambda checker, change: checker.check(change(BOXES)),
    "check against": lambda checker, change: checker.check(BOXES, against=change(BOXES)),
    "contacts": lambda checker, change: checker.contacts(change(BOXES), PAIRS),
    "distances": lambda checker, change: checker.distances(BOXES, PAIRS, against=change(BOXES)),
    "overlaps": lambda checker, change: checker.overlaps(BOXES, PAIRS, against=change(BOXES)),
    "check_tile": lambda checker, change: checker.check_tile(TILE, change(BOXES)),
    "a tile": lambda checker, change: checker.check_tile(change(TILE), BOXES),
    "check_pairs": lambda checker, change: checker.check_pairs(change(BOXES), PAIRS),
    "check_bounds": lambda checker, change: checker.check_bounds(change(BOUNDS)),
    "prepare": lambda checker, change: checker.check_movers(checker.prepare(change(BOXES)), BOXES),
    "check_movers": lambda checker, change: checker.check_movers(checker.prepare(BOXES), change(BOXES)),
    "sweep": lambda checker, change: checker.sweep(change(BOXES), STILL, 1.0),
    "motions": lambda checker, change: checker.sweep(BOXES, change(STILL), 1.0),
    "motions against": lambda checker, change: checker.sweep(BOXES, STILL, 1.0, against=BOXES, against_motions=change(STILL)),
    "margins": lambda checker, change: checker.check(BOXES, margins=change(numpy.ones(3, numpy.float32))),
    "track": lambda checker, change: obbligato.Tracker(backend="cpu").update(change(BOXES), ids=[1, 2, 3]),
    "tile": lambda checker, change: obbligato.tile(change(BOXES), 2),
    "assign": lambda checker, change: obbligato.tile(BOXES, 2).assign(change(BOXES)),
    "records": lambda checker, change: obbligato.records(change(BOXES)),
    "a set": lambda checker, change: checker.check(obbligato.BoxSet(change(BOXES))),
}
# Those where the engine has centers in float64.
DOUBLES = ["check", "check against", "contacts", "distances", "overlaps", "a set"]
WHOLE = {
    "pairs": lambda checker, change: checker.check_pairs(BOXES, change(PAIRS)),
    "contacts": lambda checker, change: checker.contacts(BOXES, change(PAIRS)),
    "distances": lambda checker, change: checker.distances(BOXES, change(PAIRS)),
    "overlaps": lambda checker, change: checker.overlaps(BOXES, change(PAIRS)),
    "owners": lambda checker, change: checker.check(BOXES, owners=change(numpy.arange(3))),
    "worlds": lambda checker, change: checker.check(BOXES, worlds=change(numpy.zeros(3, int))),
    "groups": lambda checker, change: checker.check(BOXES, groups=change(numpy.ones((3, 2), int))),
    "excluded": lambda checker, change: checker.check(BOXES, excluded=change(PAIRS)),
    "ids": lambda checker, change: obbligato.Tracker(backend="cpu").update(BOXES, ids=change(numpy.arange(3))),
    "checksum": lambda checker, change: obbligato.checksum(change(PAIRS)),
}
FLAGS = {
    "statics": lambda checker, change: checker.check(BOXES, statics=change(numpy.array([True, False, True]))),
    "active": lambda checker, change: checker.check(BOXES, active=change(numpy.array([True, False, True]))),
}
# Numbers that every dtype holds.
BOXES = numpy.array([[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1, 5)], numpy.float32)
BOUNDS = numpy.array([[x, 0, 0, x + 1, 1, 1] for x in (0, 1, 5)], numpy.float32)
PAIRS = numpy.array([[0, 1], [1, 2]], numpy.uint32)
STILL = numpy.zeros((3, 3), numpy.float32)
TILE = numpy.array([[-9, -9, -9], [9, 9, 9]], numpy.float32)

LAYOUTS = {
    "as it is": lambda array: array,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "every second": lambda array: numpy.repeat(array, 2, axis=0)[::2],
    "backwards": lambda array: array[::-1].copy()[::-1],
    "Fortran": numpy.asfortranarray,
    "unaligned": lambda array: shifted(array),
    "read-only": lambda array: numpy.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),
    "masked by nothing": numpy.ma.asarray,
}


def shifted(array):
    room = numpy.zeros(array.nbytes + 1, numpy.uint8)[1:].view(array.dtype).reshape(array.shape)
    room[...] = array
    return room


def said(result):
    """What a call has found, without its times."""
    if isinstance(result, numpy.ndarray):
        return result.tobytes()
    if isinstance(result, str):
        return result
    names = ["pairs", "tiles", "distances", "depths", "times"]
    # As text: what is no number equals itself there.
    return repr([getattr(result, name).tolist() for name in names if hasattr(result, name)])


def of_dtypes(calls, taken):
    return [(name, dtype, layout) for name in calls for dtype in taken for layout in LAYOUTS]


FLOAT_TYPES = ["f2", "f4", "i1", "i2", "i4", "i8"]


@pytest.mark.parametrize(("name", "dtype", "layout"), of_dtypes(FLOATS, FLOAT_TYPES))
def test_every_call_takes_the_same_dtypes(name, dtype, layout):
    checker = obbligato.Checker(backend="cpu")
    expected = said(FLOATS[name](checker, lambda array: array))
    assert said(FLOATS[name](checker, lambda array: LAYOUTS[layout](array.astype(dtype)))) == expected


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FLOATS)
def test_float64_is_accepted_or_refused_with_the_cast_to_use(name, layout):
    checker = obbligato.Checker(backend="cpu")

    def call():
        return FLOATS[name](checker, lambda array: LAYOUTS[layout](array.astype(numpy.float64)))

    if name in DOUBLES:
        assert said(call()) == said(FLOATS[name](checker, lambda array: array))
    else:
        with pytest.raises(TypeError, match=r"(\w+) has the dtype [<>]?f(loat)?(64|8).*: give \1\.astype\(numpy\.float32\)"):
            call()


@pytest.mark.parametrize("dtype", ["u8", "i8", "u4", "i4"])
@pytest.mark.parametrize("name", FLOATS)
def test_integers_beyond_float_precision_are_refused(name, dtype):
    checker = obbligato.Checker(backend="cpu")

    def call(largest):
        def change(array):
            changed = numpy.abs(array).astype(dtype)
            changed.flat[0] = largest
            return changed

        return FLOATS[name](checker, change)

    if name not in DOUBLES or dtype in ("u8", "i8"):
        with pytest.raises(ValueError, match=r"has the number .*does not hold all whole numbers.*: give \w+\.astype\(numpy\."):
            call(2**24 + 1 if name not in DOUBLES else 2**53 + 1)


@pytest.mark.parametrize("dtype", ["c8", "?", "M8[s]", "U4"])
@pytest.mark.parametrize("name", FLOATS)
def test_arrays_of_other_types_are_refused_alike(name, dtype):
    checker = obbligato.Checker(backend="cpu")
    with pytest.raises(TypeError, match=r"has the dtype .*: give float32"):
        FLOATS[name](checker, lambda array: array.astype("i8").astype(dtype))


@pytest.mark.parametrize(("name", "dtype", "layout"), of_dtypes(WHOLE, ["u1", "i1", "u2", "i4", "u4", "i8", "u8"]))
def test_every_call_takes_the_same_integers(name, dtype, layout):
    checker = obbligato.Checker(backend="cpu")
    expected = said(WHOLE[name](checker, lambda array: array))
    assert said(WHOLE[name](checker, lambda array: LAYOUTS[layout](array.astype(dtype)))) == expected


@pytest.mark.parametrize("name", WHOLE)
def test_other_integers_are_refused_alike(name):
    checker = obbligato.Checker(backend="cpu")
    for dtype in ["f2", "f4", "f8", "?", "c8"]:
        with pytest.raises(TypeError, match=r"has the dtype .*: give whole numbers"):
            WHOLE[name](checker, lambda array: array.astype(dtype))
    for wrong in (-1, 2**32):
        with pytest.raises(ValueError, match=f"has the number {wrong}: give numbers from 0 to 4294967295"):
            WHOLE[name](checker, lambda array: numpy.full(array.shape, wrong))


@pytest.mark.parametrize(("name", "dtype", "layout"), of_dtypes(FLAGS, ["?", "u1", "i8"]))
def test_flags(name, dtype, layout):
    checker = obbligato.Checker(backend="cpu")
    expected = said(FLAGS[name](checker, lambda array: array))
    assert said(FLAGS[name](checker, lambda array: LAYOUTS[layout](array.astype(dtype)))) == expected
    with pytest.raises(TypeError, match="has the dtype float32: give bool"):
        FLAGS[name](checker, lambda array: array.astype(numpy.float32))
    with pytest.raises(ValueError, match="numbers other than 0 and 1: give bool"):
        FLAGS[name](checker, lambda array: array.astype(int) + 1)


def test_contacts_in_float64(backend):
    # In float32 the second stands half a metre elsewhere.
    near = cubes((0, 0, 0), (0.5, 0, 1.75), (9, 0, 0)).astype(numpy.float64)
    far = near + [4e6, 5.5e6, 120, 0, 0, 0, 0, 0, 0, 0]
    checker = obbligato.Checker(backend=backend)
    pairs = checker.check(far).pairs
    assert pairs.tolist() == [[0, 1]]
    found = checker.contacts(far, pairs)
    assert found.depths.tolist() == [0.25] and found.normals.tolist() == [[0, 0, 1]]
    assert sorted((found.on_a[:, :2] - far[0, :2]).tolist()) == [[-0.5, -1], [-0.5, 1], [1, -1], [1, 1]]
    assert checker.distances(far, [[0, 2], [1, 2]]).distances.tolist() == [7, 6.5]
    assert checker.distances(far[:1], [[0, 0]], against=cubes((9, 0, 0))).distances[0] > 5e6
    far[1, 3] = -1
    with pytest.raises(obbligato.InvalidInput, match="box 1 has a negative half extent"):
        checker.contacts(far, pairs)


def test_results_share_the_memory_of_the_report():
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


def test_arrays_are_released(crowd):
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
