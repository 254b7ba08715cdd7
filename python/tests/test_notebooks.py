"""The notebooks run, say what they should, and are stored without what they said."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
# What is printed, line by line, and how many pictures there are.
SAID = {
    "detections.ipynb": (
        [
            "2000 detections of 250 cars",
            r"\d{4} pairs, of which [78]\d% have an IoU above 0.25",
            "2[45]. of 2000 detections are kept",
            r"average precision 0\.9\d at IoU 0.10, 0\.0\d at 0.95",
        ],
        3,
    ),
    "granular.ipynb": (
        [
            r"1000 grains, deepest contact 0\.09\d m before, 0\.0[01]\d\d m after 32 steps",
            r"each grain touches [1-9]\.\d others, at most \d+",
        ],
        3,
    ),
    "mesh_clash.ipynb": (
        [
            r"\d{3} pairs of 2304 and 12 triangles meet",
            r"1\d{3} of 2\d{4} points in the ring are in the slab, too",
            # The ring's radius, and half of the slab's thickness.
            r"free from a height of 1\.35000",
        ],
        2,
    ),
    "parquet_boxes.ipynb": (
        [
            r"50000 people of [34]\d bytes each",
            r"74884 pairs, \d+ ns for each of the people",
            "8 tiles, the same pairs: True",
        ],
        2,
    ),
    "robot_cell.ipynb": (
        [
            r"<Robot: 5 links, 3 joints, 5 bodies> \['shoulder', 'elbow', 'lift'\]",
            "8.% of 6561 configurations are free",
            r"fore +right post in \d+, left post in \d+",
            r"spindle +crate in \d+, right post in \d+, left post in \d+",
            r"gripper +crate in \d+, right post in \d+, left post in \d+",
            r"both ends are free: True, [1-9]\d* of 200 configurations between them are not",
        ],
        2,
    ),
}


def read(name):
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    nbformat.validate(notebook)
    return notebook


def test_all_notebooks_are_run():
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_notebooks_are_stored_without_outputs(name):
    for cell in read(name).cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None, f"{name}: clear all outputs, and save it"


@pytest.mark.parametrize("name", SAID)
def test_notebooks(name):
    notebook = read(name)
    NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    lines = [line for output in outputs if output.output_type == "stream" for line in output.text.splitlines()]
    patterns, pictures = SAID[name]
    assert len(lines) == len(patterns), lines
    for line, pattern in zip(lines, patterns):
        assert re.fullmatch(pattern, line), line
    assert sum("image/png" in output.get("data", {}) for output in outputs) == pictures
