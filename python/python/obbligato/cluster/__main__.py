"""The program: `python -m obbligato.cluster`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys

import ray

from obbligato._errors import Error
from obbligato.cluster.plan import Options
from obbligato.cluster.run import check


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m obbligato.cluster", description="Checks scenes that are larger than a machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "check",
        help="find all pairs of a scene",
        description="Finds all pairs of a scene in Parquet. OUT gets pairs/*.parquet and, once all is done, report.json. "
        "The same command goes on where an earlier one was stopped.",
    )
    command.add_argument("source", metavar="SCENE", help="a Parquet file or a folder of them: a path that all nodes have, or a URL (s3://...)")
    command.add_argument("--out", required=True, help="a folder that all nodes have, or a URL")
    command.add_argument(
        "--address",
        default=os.environ.get("RAY_ADDRESS", "local"),
        help="the cluster: auto, or host:port (default: RAY_ADDRESS, or else this machine alone)",
    )
    command.add_argument("--margin", type=float, default=0.0, metavar="D", help="find pairs that are no further apart than this")
    command.add_argument("--precision", choices=["exact", "fast", "conservative"], default="exact")
    command.add_argument("--backend", choices=["auto", "gpu", "cpu"], default="auto")
    command.add_argument("--adapter", help="part of a GPU's name")
    command.add_argument("--cpus", type=int, default=1, help="CPUs of a task (default 1)")
    command.add_argument("--gpus", type=float, help="GPUs of a task (default 1 with --backend gpu, else 0)")
    command.add_argument("--tile-boxes", type=int, default=Options.tile_boxes, metavar="N", help="about as many boxes a tile (default %(default)s)")
    command.add_argument("--split-rows", type=int, default=Options.split_rows, metavar="N", help="about as many rows a part (default %(default)s)")
    command.add_argument("--keep", action="store_true", help="leave OUT/work where it is")
    command.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return parser


def main() -> int:
    parsed = arguments().parse_args()
    options = Options(
        source=parsed.source,
        out=parsed.out,
        margin=parsed.margin,
        precision=parsed.precision,
        backend=parsed.backend,
        adapter=parsed.adapter,
        tile_boxes=parsed.tile_boxes,
        split_rows=parsed.split_rows,
    )
    # Ray says on stdout what becomes of workers and nodes, up to the end of the process.
    result, sys.stdout = sys.stdout, sys.stderr
    progress = None if parsed.quiet or not sys.stderr.isatty() else show
    try:
        ray.init(parsed.address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        report = check(options, cpus=parsed.cpus, gpus=parsed.gpus, keep=parsed.keep, progress=progress)
    except (Error, OSError, ConnectionError, ray.exceptions.RayError) as error:
        print(f"obbligato.cluster: {' '.join(str(error).split())}", file=sys.stderr)
        return 3 if isinstance(error, (ray.exceptions.RayError, ConnectionError)) else 2
    print(json.dumps(report, indent=2), file=result)
    return 0


def show(stage: str, done: int, of: int) -> None:
    """A line that is written over and over."""
    print(f"\r{stage} {done} of {of}", end="\n" if done == of else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
