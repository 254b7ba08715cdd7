"""What the logger "obbligato" is told."""

import logging
import subprocess
import sys

import numpy
from conftest import row

import obbligato


def told(caplog):
    said = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "obbligato"]
    caplog.clear()
    return said


def test_checks_are_debugging_and_engines_are_information(caplog, backend):
    caplog.set_level(logging.DEBUG, "obbligato")
    checker = obbligato.Checker(backend=backend)
    assert told(caplog) == []
    boxes = row(0, 1, 9)
    report = checker.check(boxes)
    (level, engine), (other, check) = told(caplog)
    where = "the CPU" if backend == "cpu" else f"the GPU {report.adapter}"
    assert level == "INFO" and engine == f"checks run on {where}: {checker.choice}"
    assert other == "DEBUG" and check.startswith(f"check of 3 shapes on {backend}: 1 pairs in ")
    assert check.endswith(" ms; broad phase {}: {}".format(*report.broad_phase))
    # The engine is no news any more.
    calls = [
        lambda: checker.check(boxes, boxes),
        lambda: checker.check_pairs(boxes, [[0, 1]]),
        lambda: checker.check_bounds(numpy.zeros((2, 6), numpy.float32)),
        lambda: checker.check_movers(checker.prepare(boxes), boxes),
        lambda: checker.check_tile(obbligato.tile(boxes, 1).tiles[0], boxes),
    ]
    for call in calls:
        call()
        ((level, check),) = told(caplog)
        assert level == "DEBUG" and check.startswith("check of ")
    checker.check_pairs(boxes, [[0, 1]])
    assert told(caplog)[0][1].endswith("; pairs were given")
    caplog.set_level(logging.INFO, "obbligato")
    checker.check(boxes)
    assert told(caplog) == []


def test_few_boxes_look_for_no_gpu(caplog):
    caplog.set_level(logging.INFO, "obbligato")
    checker = obbligato.Checker()
    checker.check(row(0, 1))
    assert told(caplog) == [("INFO", "checks run on the CPU")]


def test_warnings_of_checkers_are_told_once(caplog, tmp_path):
    (tmp_path / "file").write_text("")
    checker = obbligato.Checker(backend="gpu", pipeline_cache=tmp_path / "file" / "cache")
    for _ in range(2):
        checker.check(row(0, 1))
    warnings = [text for level, text in told(caplog) if level == "WARNING"]
    assert warnings == checker.warnings and len(warnings) == 1


def test_nothing_appears_that_nobody_asked_for(tmp_path):
    (tmp_path / "file").write_text("")
    script = f"""
import numpy, obbligato
checker = obbligato.Checker(backend="gpu", pipeline_cache={str(tmp_path / "file" / "cache")!r})
checker.check(obbligato.scene("crowd", 10))
assert len(checker.warnings) == 1
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
