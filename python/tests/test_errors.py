"""Errors carry what the library says."""

import pickle
import subprocess
import sys
import textwrap

import numpy
import pytest
from conftest import row

import obbligato


def invalid(column, value):
    boxes = row(0, 1, 2)
    boxes[1:, column] = value
    return boxes


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (0, numpy.nan, "box 1 has a number that is NaN or infinite"),
        (3, -1, "box 1 has a negative half extent"),
        (9, 2, "box 1 has a rotation whose length is not 1"),
        (2, 1e30, "box 1 has a coordinate beyond"),
    ],
)
def test_the_first_bad_box_is_named(column, value, message, backend):
    checker = obbligato.Checker(backend=backend)
    boxes = invalid(column, value)
    for given in (boxes, obbligato.records(boxes), boxes.astype(numpy.float64)):
        with pytest.raises(obbligato.InvalidInput, match=message) as caught:
            checker.check(given)
        error = caught.value
        assert (error.kind, error.index, error.count) == ("InvalidBox", 1, 2)
        assert "(2 invalid boxes in all): fix or remove them" in str(error)
        assert isinstance(error, obbligato.Error) and isinstance(error, ValueError)
    assert checker.check(row(0, 1)).colliding_pairs == 1, "the checker goes on"


def test_settings():
    for settings, message in [
        ({"precision": "perfect"}, 'no precision is named "perfect": choose one of exact, fast, conservative'),
        ({"backend": "tpu"}, "choose one of auto, gpu, cpu"),
        ({"broad_phase": "quadtree"}, "no broad_phase is named"),
        ({"timeout": -1}, "timeout"),
    ]:
        with pytest.raises(ValueError, match=message):
            obbligato.Checker(**settings)
    with pytest.raises(TypeError, match="there is no setting colour: the settings are backend"):
        obbligato.Checker(colour="red")
    with pytest.raises(TypeError, match="no setting colour"):
        obbligato.check(row(0), colour="red")
    with pytest.raises(TypeError, match="owners, go to each call"):
        obbligato.Checker(owners=[0])
    with pytest.raises(obbligato.InvalidInput, match="the margin -1 is not a valid distance"):
        obbligato.Checker(margin=-1)
    with pytest.raises(ValueError, match="no scene is named moon"):
        obbligato.scene("moon", 10)


def test_devices():
    with pytest.raises(obbligato.DeviceError, match="no GPU adapter for .*none of this name") as caught:
        obbligato.Checker(backend="gpu", adapter="none of this name")
    assert caught.value.kind == "NoAdapter" and isinstance(caught.value, RuntimeError)
    with pytest.raises(obbligato.Unavailable, match="cannot compute this broad phase on a GPU"):
        obbligato.Checker(backend="gpu", broad_phase="octree")


def test_rules_are_named():
    with pytest.raises(obbligato.InvalidInput) as caught:
        obbligato.check(row(0, 1), owners=[0])
    assert (caught.value.kind, caught.value.rule) == ("InvalidRule", "owners")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process so")
def test_missing_memory_is_an_error():
    # 10,000 boxes in one place have 50 million pairs, of 8 bytes each.
    script = """
        import resource
        import numpy, obbligato
        boxes = numpy.tile(numpy.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1], numpy.float32), (10_000, 1))
        checker = obbligato.Checker(backend="cpu")
        checker.check(boxes[:3000])
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (200 << 20), resource.RLIM_INFINITY))
        try:
            checker.check(boxes)
        except obbligato.OutOfMemory as error:
            print(error.kind, error.needed > 0, isinstance(error, MemoryError))
        print(checker.check(boxes[:10]).colliding_pairs)
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=900)
    assert ended.stdout.split() == ["OutOfMemory", "True", "True", "45"], ended.stderr


def test_errors_travel_between_processes():
    with pytest.raises(obbligato.InvalidInput) as caught:
        obbligato.check(invalid(3, -1))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is obbligato.InvalidInput and str(copy) == str(caught.value)
    assert (copy.kind, copy.index, copy.count) == ("InvalidBox", 1, 2)


def test_classes():
    assert issubclass(obbligato.OutOfMemory, MemoryError)
    for name in ("InvalidInput", "OutOfMemory", "DeviceError", "LimitExceeded", "Unavailable"):
        assert issubclass(getattr(obbligato, name), obbligato.Error)
