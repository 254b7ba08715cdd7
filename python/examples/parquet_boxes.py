"""Boxes from Parquet, and their pairs by id back to Parquet, by pyarrow or by obbligato itself.

`python parquet_boxes.py boxes.parquet pairs.parquet` reads the columns cx cy cz hx hy hz qx qy qz qw and id; without files, a scene
of bricks is written to a temporary folder first. It needs `pip install pyarrow`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy
import pyarrow
from pyarrow import parquet

import obbligato

NAMES = "cx cy cz hx hy hz qx qy qz qw".split()


def bricks(path: Path, count: int) -> None:
    """Writes a wall of bricks with names for ids."""
    boxes = obbligato.scene("bricks", count)
    columns: dict[str, Any] = {name: boxes[:, k] for k, name in enumerate(NAMES)}
    parquet.write_table(pyarrow.table({**columns, "id": [f"brick {k}" for k in range(count)]}), path)


def write_pairs(path: Path, table: Any) -> int:
    """Writes the colliding pairs of a table with columns for boxes, by their ids, and returns their number."""
    pairs = obbligato.check(table, backend="cpu").pair_ids
    parquet.write_table(pyarrow.table({"a": pairs[:, 0].tolist(), "b": pairs[:, 1].tolist()}), path)
    return len(pairs)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = [Path(text) for text in sys.argv[1:3]] if len(sys.argv) > 2 else []
        source, target = given if given else (Path(folder) / "bricks.parquet", Path(folder) / "pairs.parquet")
        if not given:
            bricks(source, int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
        table = parquet.read_table(source)
        count = write_pairs(target, table)
        # Without pyarrow, obbligato reads the same scene from the file.
        again = obbligato.check(obbligato.read(source), backend="cpu")
        assert again.colliding_pairs == count
        pairs = parquet.read_table(target)
        first = [numpy.asarray(pairs.column(name))[0] for name in "ab"] if count else []
        print(f"{table.num_rows} boxes, {count} pairs; the first is {' and '.join(map(str, first)) or 'none'}")


if __name__ == "__main__":
    main()
