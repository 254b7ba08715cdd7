"""The examples run, in small, and say what they should."""

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
# The arguments, and what is printed: the first group of a pattern, if it has one, is a number above 0.
SAID = {
    "detections.py": (["2000"], [r"(\d+) of 2000 detections kept, average precision 0\.[5-9]"]),
    "robot_cell.py": (["500"], [r"(\d+) of 500 configurations are free, \d+ of these nearer", "links that meet the cell: .*gripper"]),
    "granular.py": (["300"], ["300 grains, 30 steps", r"deepest contact: 0\.[01]\d+ m before, 0\.0[01]\d+ m after, of (\d+) contacts"]),
    "mesh_clash.py": (
        [],
        [r"(\d+) pairs of 2304 and 12 triangles meet", r"first mesh in the other one: (\d+) of 1152", "second mesh .*: 0 of 8", "within"],
    ),
    "parquet_boxes.py": (["1000"], [r"1000 boxes, (\d+) pairs; the first is brick \d+ and brick \d+"]),
}


def test_all_examples_are_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_examples(name, monkeypatch, capsys):
    arguments, patterns = SAID[name]
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(patterns), lines
    for line, pattern in zip(lines, patterns):
        found = re.search(pattern, line)
        assert found and all(int(number) > 0 for number in found.groups()), line


def test_meshes_come_from_files(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.obj").write_text("v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "b.obj").write_text("v 0 0 -1\nv 0 0 1\nv 0 3 0\nf 1 2 3\n")
    monkeypatch.setattr(sys, "argv", ["mesh_clash.py", str(tmp_path / "a.obj"), str(tmp_path / "b.obj")])
    runpy.run_path(str(EXAMPLES / "mesh_clash.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "1 pairs of 1 and 1 triangles meet" in said and "open edges, with an odd number of triangles: close it" in said
