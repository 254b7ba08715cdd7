"""The progress of long calls: the same function for all of them."""

import threading

import numpy
import pytest
from conftest import row
from test_robots import ARM

import obbligato
from obbligato._progress import blocks
from obbligato.robots import Robot


class Stopped(Exception):
    pass


def calls(tmp_path, monkeypatch):
    """Calls that work in blocks, each with its stage, its total and its number of blocks."""
    monkeypatch.setattr("obbligato.robots._BLOCKS", (100, 100))
    monkeypatch.setattr("obbligato._OVERLAPS_AT_ONCE", 100)
    (tmp_path / "arm.urdf").write_text(ARM)
    arm, values = Robot(tmp_path / "arm.urdf", backend="cpu"), numpy.zeros((250, 3))
    boxes = obbligato.scene("dense", 200)
    # Each box also meets itself.
    pairs = 200 + obbligato.check(boxes, backend="cpu").colliding_pairs
    return [
        ("configurations", 250, 3, lambda progress: arm.check(values, row(3), progress=progress)),
        ("configurations", 250, 3, lambda progress: arm.distances(values, row(3), 0.5, progress=progress)),
        ("overlaps", pairs, -(-pairs // 100), lambda progress: obbligato.iou_matrix(boxes, progress=progress)),
    ]


def test_calls_say_what_is_done(tmp_path, monkeypatch):
    for stage, total, count, call in calls(tmp_path, monkeypatch):
        said = []
        found = call(lambda *one: said.append(one))
        assert [done for _, done, _ in said] == [min(100 * (k + 1), total) for k in range(count)]
        assert {(name, of) for name, _, of in said} == {(stage, total)} and count > 2
        again = call(None)
        for one, other in zip(*(vars(answer).values() if hasattr(answer, "__dict__") else answer for answer in (found, again))):
            assert numpy.array_equal(one, other)


def test_what_the_function_raises_ends_the_call(tmp_path, monkeypatch):
    for _, _, count, call in calls(tmp_path, monkeypatch):
        said = []

        def stop(stage, done, of):
            said.append((done, threading.current_thread() is threading.main_thread()))
            if len(said) == 2:
                raise Stopped("enough")

        with pytest.raises(Stopped, match="enough"):
            call(stop)
        # In the thread of the call, which holds the interpreter's lock then, and not again.
        assert len(said) == 2 < count and all(own for _, own in said)


def test_nothing_has_no_blocks():
    assert list(blocks("stage", 0, 10, pytest.fail)) == []
