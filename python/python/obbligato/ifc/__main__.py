"""The program: `python -m obbligato.ifc`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from obbligato._errors import DeviceError, Error, OutOfMemory
from obbligato.ifc import report
from obbligato.ifc._written import written
from obbligato.ifc.elements import Model
from obbligato.ifc.reading import read_telling
from obbligato.ifc.rules import TOLERANCE, Rule, Rules, read_rules

_EXAMPLE = "example: python -m obbligato.ifc building.ifc services.ifc --types IfcWall,IfcPipeSegment --clashes clashes.csv"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"obbligato.ifc: {message}: see python -m obbligato.ifc --help", file=sys.stderr)
        sys.exit(2)


def arguments() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m obbligato.ifc",
        description="Find the clashes of the elements of an IFC model, or of those of two models with each other. "
        "All lengths are in metres. An output - is stdout.",
        epilog=_EXAMPLE,
    )
    parser.add_argument("model", metavar="MODEL.ifc")
    parser.add_argument("other", metavar="OTHER.ifc", nargs="?", help="clashes between the two models only")
    parser.add_argument("--pairs", metavar="OUT.csv", help="a,b: the GlobalIds of all pairs")
    parser.add_argument("--clashes", metavar="OUT.csv", help="a row for each clash, the deepest first")
    parser.add_argument("--boxes", metavar="OUT.csv", help="a box around each element, as a scene for the program obbligato")
    parser.add_argument("--bcf", metavar="OUT.bcf", help="a topic for each clash, with a snapshot; an archive that is there is updated")
    parser.add_argument("--bcf-version", choices=report.VERSIONS, help="of a new archive (default 2.1)")
    parser.add_argument("--json", metavar="FILE", help="counts and times as one object")
    parser.add_argument(
        "--types",
        metavar="A,B",
        action="append",
        type=_types,
        default=[],
        help="only pairs of these types, such as IfcWall,IfcPipeSegment; * is any; may be repeated",
    )
    parser.add_argument("--rules", metavar="FILE.toml", help="types, tolerances and clearances as a file")
    parser.add_argument("--tolerance", metavar="T", type=float, help="overlaps that are no deeper only touch (default 0.001)")
    parser.add_argument("--clearance", metavar="D", type=float, help="also elements that are no further apart")
    parser.add_argument("--min-depth", metavar="D", type=float, help="leave out clashes that are less deep")
    parser.add_argument("--baseline", metavar="PAIRS.csv", help="pairs or clashes of an earlier run: a column status (new, kept)")
    parser.add_argument("--kernel", default="opencascade", help="ifcopenshell's geometry kernel (default %(default)s)")
    parser.add_argument(
        "--cache", metavar="FOLDER", help="store meshes there, and read those of files that have not changed (default: none)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="CPU threads (default one per core)")
    parser.add_argument("--backend", choices=["auto", "gpu", "cpu"], default="auto")
    parser.add_argument("--adapter", metavar="TEXT", help="part of a GPU's name")
    return parser


def _types(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} is not a pair of types: give two, such as IfcWall,IfcPipeSegment")
    return names[0], names[1]


def main(given: Sequence[str] | None = None) -> int:
    parsed = arguments().parse_args(given)
    try:
        return _run(parsed)
    except ImportError as error:
        return _failed(error, 2)
    except (DeviceError, OutOfMemory) as error:
        return _failed(error, 3)
    except Error as error:
        return _failed(error, 2)
    except BrokenPipeError:
        # The reader of stdout has gone: Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _failed(error: Exception, code: int) -> int:
    print(f"obbligato.ifc: {' '.join(str(error).split())}", file=sys.stderr)
    return code


def _run(parsed: argparse.Namespace) -> int:
    started = time.perf_counter()
    chosen = _rules(parsed)
    if parsed.bcf_version is not None and parsed.bcf is None:
        raise Error("--bcf-version is given without --bcf: give both, or leave it out", "InvalidVersion")
    outputs = [parsed.pairs, parsed.clashes, parsed.boxes, parsed.bcf, parsed.json]
    _check_paths(outputs, [parsed.model, parsed.other, parsed.rules, parsed.baseline])
    earlier = None if parsed.baseline is None else report.read_pairs(parsed.baseline)
    progress = _show if sys.stderr.isatty() else None
    models = [
        read_telling(path, parsed.kernel, parsed.threads, parsed.cache, progress, _warn_of)
        for path in (parsed.model, parsed.other)
        if path is not None
    ]
    loaded = time.perf_counter()
    other = models[1] if len(models) > 1 else None
    found = report.check(models[0], other, chosen, backend=parsed.backend, adapter=parsed.adapter, threads=parsed.threads)
    if parsed.min_depth is not None:
        found = found.deeper_than(parsed.min_depth)
    found.milliseconds.update(load=(loaded - started) * 1e3, total=(time.perf_counter() - started) * 1e3)
    _warn(models, found.rounding, chosen.tolerance)
    summary = found.summary()
    status = None
    if earlier is not None:
        pairs = found.guids()
        status = ["kept" if pair in earlier else "new" for pair in pairs]
        gone = sorted(earlier - set(pairs))
        summary.update(new=status.count("new"), gone=len(gone), kept=status.count("kept"))
        print("".join(f"gone: {a},{b}\n" for a, b in gone), end="", file=sys.stderr)
    for path, write in ((parsed.pairs, found.write_pairs), (parsed.boxes, found.write_boxes)):
        if path is not None:
            write(path)
    if parsed.clashes is not None:
        found.write_clashes(parsed.clashes, status)
    if parsed.bcf is not None:
        summary["topics"] = found.write_bcf(parsed.bcf, parsed.bcf_version)
    if parsed.json is not None:
        with written(parsed.json) as file:
            print(json.dumps(summary, indent=2), file=file)
    print(_table(summary), file=sys.stderr if "-" in outputs else sys.stdout)
    return 0


def _check_paths(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """Tests, before the work, that outputs can be written, and that each differs from the others and from the inputs."""
    if outputs.count("-") > 1:
        raise Error("-: several outputs are stdout: give files for all but one", "Io")
    taken = {os.path.realpath(path): "is also an input" for path in inputs if path is not None}
    for path in outputs:
        if path is None or path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise Error(f"{path}: {taken[place]}: give each its own file", "Io")
        if not os.path.isdir(os.path.dirname(place)):
            raise Error(f"{path}: is in a folder that does not exist: create the folder first", "Io")
        taken[place] = "is also another output"


def _rules(parsed: argparse.Namespace) -> Rules:
    """Returns the rules of the options."""
    if parsed.rules is not None:
        if parsed.types:
            raise Error("--types and --rules are both given: give the types in the file, with only = true", "InvalidRule")
        return read_rules(parsed.rules, parsed.tolerance, parsed.clearance)
    named = [Rule(types) for types in parsed.types]
    tolerance = TOLERANCE if parsed.tolerance is None else parsed.tolerance
    return Rules(named, tolerance, parsed.clearance or 0.0, only=bool(named))


def _warn_of(text: str) -> None:
    print(f"obbligato.ifc: warning: {text}", file=sys.stderr)


def _warn(models: Sequence[Model], rounding: float, tolerance: float) -> None:
    """Names what is not checked, or not exactly."""
    if 4 * rounding > tolerance:
        print(
            f"obbligato.ifc: warning: corners were rounded by up to {rounding:.2g} m, as elements are far apart: remove those "
            "that are far from all others",
            file=sys.stderr,
        )
    for model in models:
        if model.failed:
            first = model.failed[0]
            print(
                f"obbligato.ifc: warning: {model.name}: ifcopenshell made no mesh of {len(model.failed)} elements, which are not "
                f"checked; the first is {first.type} {first.guid}",
                file=sys.stderr,
            )
        if not len(model):
            print(f"obbligato.ifc: warning: {model.name}: there is no element with a mesh", file=sys.stderr)


def _show(what: str, done: int, of: int) -> None:
    """Prints progress, overwriting the line."""
    print(f"\r{what} {done} of {of}", end="\n" if done == of else "", file=sys.stderr, flush=True)


def _table(summary: dict[str, Any]) -> str:
    """Returns the counts as a table for people: a row for each pair of types, a column for each kind that occurs."""
    kinds = [kind for kind, count in summary["kinds"].items() if count]
    lines = [["", "", *kinds, "all"]]
    for row in summary["types"]:
        counts = [row[kind] for kind in kinds]
        lines.append([row["a"], row["b"], *(str(count or "") for count in counts), str(sum(counts))])
    totals = [summary["kinds"][kind] for kind in kinds]
    lines.append(["all", "", *map(str, totals), str(sum(totals))])
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    text = ["  ".join(_padded(k, cell, widths[k]) for k, cell in enumerate(line)) for line in lines]
    names = " and ".join(model["name"] for model in summary["models"])
    head = f"{summary['elements']} elements of {names}, {summary['without_mesh']} more without a mesh"
    if "new" in summary:
        head += f"; {summary['new']} new, {summary['kept']} kept, {summary['gone']} gone"
    if "topics" in summary:
        head += "; topics: " + ", ".join(f"{count} {name}" for name, count in summary["topics"].items())
    return "\n".join([head, *(line.rstrip() for line in text)])


def _padded(column: int, cell: str, width: int) -> str:
    """Returns a cell as wide as its column: names to the left, numbers to the right."""
    return cell.ljust(width) if column < 2 else cell.rjust(width)


if __name__ == "__main__":
    sys.exit(main())
