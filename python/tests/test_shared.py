"""Memory of other libraries: DLPack, and the PyCapsules of Arrow."""

import sys

import numpy
import pyarrow
import pytest
from conftest import cubes, row

import obbligato

NAMES = "cx cy cz hx hy hz qx qy qz qw".split()


class Shared:
    """An array that only DLPack hands over."""

    def __init__(self, array, device=None):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device or self.array.__dlpack_device__()


class Stream:
    """A table that only a stream of Arrow hands over."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Structure:
    """A table that only an array of Arrow hands over."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def test_arrays_come_by_dlpack():
    boxes = cubes((0, 0, 0), (1, 0, 0), (9, 0, 0))
    checker = obbligato.Checker(backend="cpu")
    assert checker.check(Shared(boxes)).pairs.tolist() == [[0, 1]]
    assert checker.check(Shared(boxes.astype(numpy.float64)), owners=Shared(numpy.array([7, 7, 8]))).pairs.tolist() == []
    still = numpy.zeros((3, 3), numpy.float32)
    assert checker.sweep(boxes, Shared(still), 1.0).pairs.tolist() == [[0, 1]]
    assert checker.contacts(boxes, Shared(numpy.array([[0, 1]]))).depths.tolist() == [1]
    # Pinned memory is the host's.
    assert checker.check(Shared(boxes, (3, 0))).colliding_pairs == 1


# The devices of DLPack: CUDA, OpenCL, Vulkan, Metal, ROCm, CUDA managed, WebGPU.
@pytest.mark.parametrize("device", [2, 4, 7, 8, 10, 13, 15])
def test_arrays_on_a_gpu_say_what_to_do(device):
    boxes = Shared(cubes((0, 0, 0)), (device, 0))
    message = r"(boxes|pairs|motions|owners) is an array on a GPU, which is not supported: copy it to the host first, as by \.cpu\(\)"
    checker = obbligato.Checker(backend="cpu")
    for call in [
        lambda: checker.check(boxes),
        lambda: checker.contacts(row(0, 1), boxes),
        lambda: checker.sweep(row(0), boxes, 1.0),
        lambda: checker.check(row(0), owners=boxes),
    ]:
        with pytest.raises(TypeError, match=message):
            call()


def test_what_dlpack_cannot_share_is_refused():
    class Broken(Shared):
        def __dlpack__(self, **options):
            raise BufferError("bfloat16 is unknown")

    with pytest.raises(TypeError, match="boxes cannot be shared by DLPack .bfloat16 is unknown.: convert it to float32"):
        obbligato.check(Broken(cubes((0, 0, 0))), backend="cpu")


def test_results_go_by_dlpack():
    boxes = row(0, 1, 9)
    checker = obbligato.Checker(backend="cpu")
    report = checker.check(boxes)
    # Those of reports cannot be written to, which libraries other than numpy may refuse.
    for array in [report.pairs.copy(), checker.contacts(boxes, report.pairs).depths, checker.neighbours(boxes).distances]:
        shared = numpy.from_dlpack(array)
        assert numpy.shares_memory(shared, array) and array.__dlpack_device__()[0] == 1


def table(**others):
    return pyarrow.table({**dict(zip(NAMES, row(0, 1, 9).T)), **others})


ARROW = {
    "a stream": lambda made: Stream(made),
    "several chunks": lambda made: Stream(pyarrow.concat_tables([made[:1], made[1:]])),
    "a structure": lambda made: Structure(made.combine_chunks().to_batches()[0]),
}


@pytest.mark.parametrize("kind", ARROW)
def test_tables_come_by_capsules_of_arrow(kind):
    made = ARROW[kind](table(id=["wall", "beam", "door"], owner=[7, 8, 9]))
    checker = obbligato.Checker(backend="cpu")
    assert checker.check(made).pair_ids.tolist() == [["wall", "beam"]]
    assert checker.check(row(0), against=made).pair_ids.tolist() == [[0, "wall"], [0, "beam"]]
    assert checker.check_movers(checker.prepare(made), row(1)).pair_ids[:, 0].tolist() == ["wall", "beam"]
    assert checker.check(ARROW[kind](table(world=[1, 2, 3]))).colliding_pairs == 0
    moves = ARROW[kind](pyarrow.table({"vx": numpy.array([0, 0, -6.5], numpy.float32)}))
    assert checker.sweep(row(0, 1, 9), moves, 1.0).pairs.tolist() == [[0, 1], [1, 2]]
    spheres = ARROW[kind](pyarrow.table({name: numpy.array([0, 1], numpy.float32) for name in ("cx", "cy", "cz", "radius")}))
    assert checker.check(obbligato.Spheres(spheres)).colliding_pairs == 0
    with pytest.raises(ValueError, match="boxes lacks the columns hx, hz"):
        checker.check(ARROW[kind](table().drop_columns(["hx", "hz"])))


@pytest.mark.parametrize("kind", ARROW)
def test_without_pyarrow_the_error_says_to_install_it(kind, monkeypatch):
    made = ARROW[kind](table())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(TypeError, match="boxes is a table of Arrow, which pyarrow reads: pip install pyarrow"):
        obbligato.check(made, backend="cpu")


def test_what_has_no_columns_is_no_table():
    for wrong in (Structure(pyarrow.array([1.0, 2.0])), Stream(pyarrow.chunked_array([[1.0], [2.0]]))):
        with pytest.raises(TypeError, match="boxes is not an Arrow table .*: give a structure or a table with named columns"):
            obbligato.check(wrong, backend="cpu")
