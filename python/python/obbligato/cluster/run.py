"""The check: hands tasks to workers, and combines their answers."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy
import ray
from ray.exceptions import RayTaskError

from obbligato._errors import Error, InvalidInput, Unavailable
from obbligato._native import Checker, Tiling, tile
from obbligato._progress import Progress
from obbligato._records import BOX
from obbligato.cluster import tasks
from obbligato.cluster.plan import Options, Plan, is_unfinished, part_name, sealed, unsealed
from obbligato.cluster.source import Source
from obbligato.cluster.storage import Storage

# The number of boxes in the sample: per tile, and at most.
_SAMPLE_OF_TILE = 4096
_MOST_SAMPLE = 1 << 21
# The maximum number of splits that the sample is taken from.
_SAMPLED_SPLITS = 256
# The maximum number of tasks that run or wait in Ray at a time.
_WINDOW = 1000
# The number of workers that a task may lose before the check fails, in case the task itself kills its workers.
_RETRIES = 10
# The memory of a worker in addition to its lists, in bytes.
_BESIDES = 300 << 20
# The number of pairs per box that memory is reserved for. A tile with more pairs is divided.
_PAIRS_OF_BOX = 3


def check(
    options: Options, *, cpus: int = 1, gpus: float | None = None, keep: bool = False, progress: Progress | None = None
) -> dict[str, Any]:
    """Finds all pairs of a scene in Parquet, on the cluster that `ray.init` has joined, and writes them to `options.out`.

    Returns the content of `report.json`. `cpus` and `gpus` are those of one task; the default is a whole GPU with the
    backend "gpu", otherwise none. With `keep`, the parts stay in `work`.

    Finished work of the same check is reused. `progress` is called with a stage, the number of its tasks that are done, and that
    of all. What it raises ends the call.
    """
    begin = time.monotonic()
    if gpus is None:
        gpus = 1 if options.backend == "gpu" else 0
    # Invalid settings raise an error before anything is read.
    Checker(backend="cpu", precision=options.precision, margin=options.margin)  # type: ignore[arg-type]
    if options.tile_boxes < 1 or options.split_rows < 1:
        raise InvalidInput("a tile or a split has no boxes: give at least 1")
    source, storage = Source(options.source), Storage(options.out)
    # The workers of a cluster that runs are in another working directory.
    options = replace(options, out=storage.url)
    subject = options.key(source)
    report = _earlier_report(storage)
    if report is not None and report["of"] == subject:
        return report
    workers = _Workers(options, cpus, gpus, progress or (lambda stage, done, of: None))
    plan = _plan(options, source, storage, workers)
    held = ray.put(plan)
    unique = workers.start(tasks.expect_unique_ids, source, plan.splits) if source.has_ids else None
    counts = numpy.zeros(len(plan.tiling), numpy.int64)
    for count in workers.each("reading", tasks.scatter, held, range(len(plan.splits))):
        counts += count
    totals, nodes = tasks.Totals(), Counter[str]()
    results = workers.each("checking", _check_tile, held, range(len(plan.tiling)))
    for result in sorted(results, key=lambda result: result.number):
        if result.totals.boxes != counts[result.number]:
            raise Error(
                f"tile {result.number} was checked with {result.totals.boxes} of its {counts[result.number]} boxes: remove "
                f"{storage.url} and start again",
                "File",
            )
        totals.add(result.totals)
        nodes[result.node] += 1
    if unique is not None:
        _answer(unique)
    report = {
        **_report(plan, totals),
        "tiles_of_nodes": dict(nodes),
        "seconds": round(time.monotonic() - begin, 3),
        "of": subject,
    }
    found: dict[str, Any] = json.loads(sealed(report))
    storage.put("report.json", json.dumps(found, indent=2) + "\n")
    if not keep:
        _remove_work(storage, len(plan.splits))
    return found


def _earlier_report(storage: Storage) -> dict[str, Any] | None:
    """Returns the existing report, if there is one."""
    if not storage.has("report.json"):
        return None
    report = unsealed(storage.data("report.json"))
    if report is None or "of" not in report:
        raise InvalidInput(f"{storage.url}/report.json: is damaged or belongs to no check: name another folder, or remove it", "File")
    return report


def _remove_work(storage: Storage, parts: int) -> None:
    """Removes the files of a check with this number of parts from `work`, the plan last, and the folder if it is empty."""
    storage.remove(name for name in storage.names("work") if is_unfinished(name))
    storage.remove(part_name(number) for number in range(parts))
    storage.remove(["work/plan.json"])
    storage.remove_empty("work")


class _Workers:
    """The cluster, and the resources that a task requires."""

    def __init__(self, options: Options, cpus: int, gpus: float, progress: Progress) -> None:
        self._progress = progress
        estimate = Checker(backend="cpu").memory_estimate(options.tile_boxes, _PAIRS_OF_BOX * options.tile_boxes)
        gathered = 2 * (BOX.itemsize + 8) * options.tile_boxes
        memory = estimate["host_bytes"] + gathered + _BESIDES
        needed = {"CPU": cpus, "GPU": gpus, "memory": memory}
        if not any(
            all(node["Resources"].get(name, 0) >= amount for name, amount in needed.items())
            for node in ray.nodes()
            if node["Alive"]
        ):
            raise Unavailable(
                f"no node of the cluster has {cpus} CPUs, {gpus} GPUs and {memory >> 20} MiB of memory for one task: ask for fewer, or "
                "make tiles smaller",
                "Cluster",
            )
        self._options: dict[str, Any] = {
            "num_cpus": cpus,
            "num_gpus": gpus,
            "memory": memory,
            # A worker keeps its GPU's checker from task to task.
            "max_calls": 0,
            "max_retries": _RETRIES,
            # Errors of a disk or a network. An error that obbligato raises would occur again.
            "retry_exceptions": [OSError],
            "runtime_env": {"env_vars": {"RAYON_NUM_THREADS": str(cpus)}},
        }

    def _remote(self, task: Callable[..., Any]) -> Any:
        return ray.remote(**self._options)(task)

    def start(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Starts a task."""
        return self._remote(task).remote(*arguments)

    def each(self, stage: str, task: Callable[..., Any], shared: Any, items: Iterable[Any]) -> list[Any]:
        """Runs `task` with `shared` and each of the items. Returns the answers, in any order."""
        remote = self._remote(task)
        waiting = list(items)[::-1]
        count = len(waiting)
        running: list[Any] = []
        answers: list[Any] = []
        try:
            while waiting or running:
                while waiting and len(running) < _WINDOW:
                    running.append(remote.remote(shared, waiting.pop()))
                done, running = ray.wait(running)
                answers.extend(map(_answer, done))
                self._progress(stage, len(answers), count)
        except BaseException:
            for task in running:
                ray.cancel(task)
            raise
        return answers


def _answer(reference: Any) -> Any:
    """Returns the answer of a task, or raises the error that the task raised."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        if isinstance(error.cause, Exception):
            raise error.cause from None
        raise


def _check_tile(plan: Plan, number: int) -> tasks.TileResult:
    return tasks.check_tile(plan, number, ray.get_runtime_context().get_node_id())


def _sample(source: Source, of: tuple[Any, int]) -> Any:
    return tasks.sample(source, *of)


def _plan(options: Options, source: Source, storage: Storage, workers: _Workers) -> Plan:
    """Returns the stored plan, or makes and stores one if there is none."""
    note = None
    if storage.has("work/plan.json"):
        note = unsealed(storage.data("work/plan.json"))
        if note is None:
            raise InvalidInput(f"{storage.url}/work/plan.json: is damaged or belongs to no check: name another folder, or remove work", "File")
        plan = Plan.of_note(note, options, source)
        if plan is not None:
            return plan
    if storage.names("pairs"):
        raise InvalidInput(f"{storage.url}: has the results of another check: name another folder, or remove it", "File")
    if note is not None:
        _remove_work(storage, note["parts"])
    elif not all(map(is_unfinished, storage.names("work"))):
        raise InvalidInput(f"{storage.url}/work: has files that belong to no check: name another folder", "File")
    plan = Plan.new(options, source, _tiling(options, source, workers))
    storage.put("work/plan.json", plan.to_json())
    return plan


def _tiling(options: Options, source: Source, workers: _Workers) -> Tiling:
    tiles = max(1, -(-source.rows // options.tile_boxes))
    if tiles == 1:
        return tile(numpy.empty(0, BOX), 1)
    splits = source.splits(options.split_rows)
    step = -(-len(splits) // _SAMPLED_SPLITS)
    chosen = splits[::step]
    count = -(-min(_SAMPLE_OF_TILE * tiles, _MOST_SAMPLE) // len(chosen))
    some = workers.each("sampling", _sample, source, [(split, count) for split in chosen])
    return tile(numpy.concatenate(some), tiles)


def _report(plan: Plan, totals: tasks.Totals) -> dict[str, Any]:
    found = dict(vars(totals), boxes=plan.source.rows)
    if totals.checksum is not None:
        found["checksum"] = f"{totals.checksum:016x}"
    return {
        **found,
        "complete": True,
        "precision": plan.options.precision,
        "margin": plan.options.margin,
        "tiles": len(plan.tiling),
    }
