"""The program: `python -m obbligato.cluster`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys

import ray
from ray.exceptions import RayError

from obbligato._errors import Error
from obbligato.cluster.plan import Options
from obbligato.cluster.run import check


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m obbligato.cluster", description="Check scenes that are larger than one machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "check",
        help="find all pairs of a scene",
        description="Find all pairs of a scene in Parquet. OUT gets pairs/*.parquet and, at the end, report.json. "
        "A repeated command resumes an interrupted check.",
    )
    command.add_argument("source", metavar="SCENE", help="a Parquet file or a folder of Parquet files: a path on all nodes, or a URL (s3://...)")
    command.add_argument("--out", required=True, help="a folder on all nodes, or a URL")
    command.add_argument(
        "--address",
        default=os.environ.get("RAY_ADDRESS", "local"),
        help="the cluster: auto, or host:port (default: RAY_ADDRESS, or only this machine)",
    )
    command.add_argument("--margin", type=float, default=0.0, metavar="D", help="find all pairs no further apart than this distance")
    command.add_argument("--precision", choices=["exact", "fast", "conservative"], default="exact")
    command.add_argument("--backend", choices=["auto", "gpu", "cpu"], default="auto")
    command.add_argument("--adapter", help="part of a GPU's name")
    command.add_argument("--cpus", type=int, default=1, help="CPUs per task (default 1)")
    command.add_argument("--gpus", type=float, help="GPUs per task (default 1 with --backend gpu, otherwise 0)")
    command.add_argument(
        "--tile-boxes", type=int, default=Options.tile_boxes, metavar="N", help="approximate number of boxes per tile (default %(default)s)"
    )
    command.add_argument(
        "--split-rows", type=int, default=Options.split_rows, metavar="N", help="approximate number of rows per part (default %(default)s)"
    )
    command.add_argument("--keep", action="store_true", help="keep the folder OUT/work")
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
    # Ray reports on workers and nodes on stdout until the process ends.
    result, sys.stdout = sys.stdout, sys.stderr
    progress = None if parsed.quiet or not sys.stderr.isatty() else show
    try:
        join(parsed.address)
        report = check(options, cpus=parsed.cpus, gpus=parsed.gpus, keep=parsed.keep, progress=progress)
    except (Error, OSError, ConnectionError, RayError) as error:
        print(f"obbligato.cluster: {' '.join(str(error).split())}", file=sys.stderr)
        return 3 if isinstance(error, (RayError, ConnectionError)) else 2
    print(json.dumps(report, indent=2), file=result)
    return 0


def join(address: str) -> None:
    """Joins a cluster, or starts Ray on this machine."""
    try:
        ray.init(address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        # Ray raises an Exception, of no class of its own, if its processes need more than 15 s to start.
        raise ConnectionError(
            f"Ray cannot be started or joined at {address}: {error} Start again when the machine is less busy, or name another cluster "
            "with --address"
        ) from error


def show(stage: str, done: int, of: int) -> None:
    """Prints progress, overwriting the line."""
    print(f"\r{stage} {done} of {of}", end="\n" if done == of else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
