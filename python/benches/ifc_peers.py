"""How long clashes of building models take with obbligato and with ifcopenshell's own tools, IfcClash and `ifcopenshell.geom.tree`.

`python benches/ifc_peers.py [--rounds N] MODEL.ifc ...`, after `pip install 'obbligato[ifc]' ifcclash`. Programs are whole processes,
from the file to a file of clashes; calls are made in one process, on meshes that are there. All take turns, so that other work on the
machine slows none more than the others. The figures are the least of the rounds, and their median.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from peers import library, machine

import obbligato.ifc
from obbligato.ifc import Rules

# In metres. The tolerance is that of IfcClash's documentation.
TOLERANCE, CLEARANCE = 0.002, 0.05
Call = Callable[[], Any]


def program(words: list[str]) -> None:
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


def clash_set(model: Path, folder: Path, name: str, **mode: Any) -> Path:
    """Writes what IfcClash is to do, and returns the path."""
    path = folder / f"{model.stem} {name}.json"
    path.write_text(json.dumps([{"name": name, "a": [{"file": str(model)}], **mode}]))
    return path


def programs(model: Path, folder: Path) -> Iterator[tuple[str, Call]]:
    """Yields whole runs of the programs."""
    own = ["-m", "obbligato.ifc", str(model), "--tolerance", str(TOLERANCE), "--clashes", str(folder / "clashes.csv")]
    yield "obbligato.ifc", partial(program, own)
    yield "obbligato.ifc --kernel cgal-simple", partial(program, [*own, "--kernel", "cgal-simple"])
    cached = [*own, "--cache", str(folder / "cache")]
    program(cached)
    yield "obbligato.ifc --cache, of a model that has not changed", partial(program, cached)
    yield "the same, with --clearance", partial(program, [*cached, "--clearance", str(CLEARANCE)])
    if library("ifcclash") is None:
        return
    modes: dict[str, dict[str, Any]] = {
        "intersection": {"tolerance": TOLERANCE, "check_all": True},
        "collision": {"allow_touching": True},
        "clearance": {"clearance": CLEARANCE, "check_all": True},
    }
    for name, settings in modes.items():
        words = ["-m", "ifcclash", str(clash_set(model, folder, name, mode=name, **settings)), "-o", str(folder / "theirs.json")]
        yield f"ifcclash, {name}", partial(program, words)


def calls(path: Path) -> Iterator[tuple[str, Call]]:
    """Yields the calls that look for clashes, whose meshes are made before."""
    model = obbligato.ifc.read(path)
    for name, clearance in (("obbligato.ifc.check", 0.0), ("obbligato.ifc.check, with a clearance", CLEARANCE)):
        yield name, partial(obbligato.ifc.check, model, rules=Rules(tolerance=TOLERANCE, clearance=clearance), backend="cpu")
    import ifcopenshell.geom

    file = ifcopenshell.open(str(path))
    elements = [one for one in file.by_type("IfcElement") if one.Representation and not one.is_a("IfcFeatureElement")]
    tree = ifcopenshell.geom.tree(backend="opencascade.trianglebvh")
    for shape in ifcopenshell.geom.iterator(ifcopenshell.geom.settings(), file, 1, include=elements):
        tree.add_element(shape)
    yield "tree.clash_intersection_many", partial(tree.clash_intersection_many, elements, elements, TOLERANCE, True)
    yield "tree.clash_collision_many", partial(tree.clash_collision_many, elements, elements, True)
    yield "tree.clash_clearance_many", partial(tree.clash_clearance_many, elements, elements, CLEARANCE, True)


def _processor() -> float:
    """Returns the seconds of the processor that this process and those that it has started took."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def in_turns(jobs: list[tuple[str, Call]], rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    """Returns the times of each job by the clock and of the processor, a round after the other."""
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name, _ in jobs}
    for _ in range(rounds):
        for name, call in jobs:
            start, own_start = time.perf_counter(), _processor()
            call()
            taken[name][1].append(_processor() - own_start)
            taken[name][0].append(time.perf_counter() - start)
    return taken


def measured(model: Path, rounds: int, folder: Path) -> Iterator[tuple[str, list[float], list[float]]]:
    """Yields each job on a model, and its times."""
    for jobs in (list(programs(model, folder)), list(calls(model))):
        for name, (clock, processor) in in_turns(jobs, rounds).items():
            yield name, clock, processor


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL.ifc", type=Path)
    parser.add_argument("--rounds", type=int, default=5, help="(default %(default)s)")
    parsed = parser.parse_args()
    print(machine())
    print("| model | job | seconds | median | of the processor | median |\n|---|---|---|---|---|---|")
    for model in parsed.models:
        with tempfile.TemporaryDirectory() as folder:
            for name, *times in measured(model, parsed.rounds, Path(folder)):
                cells = [f"{value:.3f}" for one in times for value in (min(one), statistics.median(one))]
                print(f"| {model.name} | {name} | {' | '.join(cells)} |", flush=True)
    if hasattr(os, "getloadavg"):
        print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
