"""How long a check of a million boxes takes from Python, and how long in Rust: `python bench.py [SCENE] [ROUNDS]`.

Rust's program and this one take turns, so that both meet the same noise. Where there is much of it, the last column still tells: how much longer
a call takes than the library says that its own part of that call took.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import obbligato

FRAMES = 10


def in_rust(scene: str) -> tuple[list[float], list[float]]:
    """Milliseconds of each frame, the first of a new checker."""
    command = ["cargo", "run", "--quiet", "--release", "--example", "million", "--", scene, str(FRAMES)]
    # As maturin builds it, so that the library is compiled once.
    environment = os.environ | {"PYO3_BUILD_EXTENSION_MODULE": "1", "PYO3_PYTHON": sys.executable}
    here = Path(__file__).parent
    ended = subprocess.run(command, cwd=here, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [float(line) for line in ended.stdout.split()], [1.0]


def in_python(boxes: Any) -> tuple[list[float], list[float]]:
    """The same, and the parts of the calls."""
    times, parts = [], []
    start = time.perf_counter()
    checker = obbligato.Checker(backend="cpu")
    for _ in range(FRAMES + 1):
        report = checker.check(boxes)
        assert len(report.pairs) == report.colliding_pairs
        times.append(1e3 * (time.perf_counter() - start))
        parts.append(times[-1] / report.timings["total"])
        start = time.perf_counter()
    return times, parts[1:]


def main() -> None:
    scene = sys.argv[1] if len(sys.argv) > 1 else "uniform"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rows = obbligato.scene(scene, 1_000_000)
    records = obbligato.records(rows)
    takers = {
        "Rust": lambda: in_rust(scene),
        "Python, records": lambda: in_python(records),
        "Python, float32": lambda: in_python(rows),
    }
    in_rust(scene)  # It may have to be built.
    found: dict[str, list[list[float]]] = {name: [[], [], []] for name in takers}
    for _ in range(rounds):
        for name, take in takers.items():
            times, parts = take()
            first, others, shares = found[name]
            first.append(times[0])
            others += times[1:]
            shares += parts
    least, middle = (how(found["Rust"][1]) for how in (min, median))
    print(f"{scene}: milliseconds of a new checker, median of the frames after it, least of them; both to Rust's; calls to their checks")
    for name, (first, others, shares) in found.items():
        print(
            f"{name:16} {median(first):8.1f} {median(others):8.1f} {min(others):8.1f}"
            f" {median(others) / middle:8.3f} {min(others) / least:8.3f} {median(shares):8.3f}"
        )


if __name__ == "__main__":
    main()
