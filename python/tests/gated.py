"""`python -m obbligato.cluster` with a gate before the tiles: `python gated.py GATE check ...`.

The file GATE holds a number: a tile waits until it is larger than the tile's own. While it waits, `GATE.waiting.NODE` is there, for
each node that has come to the gate. So a test says how far a check has come when something happens to it, however fast the machine is.
"""

import sys
import time
from pathlib import Path

import ray

from obbligato.cluster import __main__ as program
from obbligato.cluster import run, tasks


def gated(gate):
    """The task of a tile, with the gate: one that workers get by value, as they cannot import this file."""

    def check_tile(plan, number):
        node = ray.get_runtime_context().get_node_id()
        while int(Path(gate).read_text() or 0) <= number:
            Path(f"{gate}.waiting.{node}").touch()
            time.sleep(0.01)
        return tasks.check_tile(plan, number, node)

    return check_tile


if __name__ == "__main__":
    run._check_tile = gated(sys.argv.pop(1))
    sys.exit(program.main())
