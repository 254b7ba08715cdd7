"""Checks by Ray, on clusters of this machine's own."""

import dataclasses
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy
import pyarrow
import pytest
import ray
from pyarrow import fs, parquet
from ray._private.node import Node
from ray.cluster_utils import Cluster
from test_documents import HERE, commands

import obbligato
from obbligato import cluster
from obbligato.cluster import __main__ as program_of_cluster, run, tasks
from obbligato.cluster.plan import Plan
from obbligato.cluster.source import NUMBERS, Source
from obbligato.cluster.storage import Storage

COUNT = 12_000
GATED = Path(__file__).with_name("gated.py")
# Ray stops a node whose own processes need more than 15 s to start, which no setting changes. On a machine that is busy with other work,
# it is started again.
LATE, ATTEMPTS = "timed out during startup", 20
# In seconds: far more than a busy machine takes.
PATIENCE = 1800


def write(path, boxes, rows=1500, **columns):
    """A scene in Parquet, with row groups of so many rows."""
    table = {name: boxes[:, column] for column, name in enumerate(NUMBERS)}
    parquet.write_table(pyarrow.table({**columns, **table}), path, row_group_size=rows)


def pairs_of(out):
    """All pairs that are written, in order."""
    table = parquet.read_table(out / "pairs")
    pairs = numpy.column_stack([table["a"].to_numpy(), table["b"].to_numpy()])
    return pairs[numpy.lexsort((pairs[:, 1], pairs[:, 0]))]


def options(source, out, **others):
    return cluster.Options(**{"source": str(source), "out": str(out), "backend": "cpu", "tile_boxes": 1000, "split_rows": 3000, **others})


def tile_files(out):
    """Returns the inode of the file of each tile: a tile that is not checked again keeps it."""
    return {path.name: path.stat().st_ino for path in (out / "pairs").glob("tile-*.parquet")}


def patiently(start):
    """Starts a node of Ray, again and again while it is late."""
    for attempt in range(ATTEMPTS):
        try:
            return start()
        except Exception as error:
            if LATE not in str(error) or attempt == ATTEMPTS - 1:
                raise
            stop_half_started(error)


def stop_half_started(error):
    """Stops the processes of a node that did not start: only the frame that raised the error has the node."""
    trace = error.__traceback__
    while trace:
        node = trace.tb_frame.f_locals.get("self")
        if isinstance(node, Node):
            node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)
        trace = trace.tb_next


@pytest.fixture(scope="module")
def machines():
    """A cluster on this machine, with two workers that may read buckets, without the processes of Ray that no test needs."""
    head = {"num_cpus": 2, "include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        started = patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
        yield started
        started.shutdown()


@pytest.fixture(scope="module")
def nodes(machines):
    """The cluster, joined."""
    yield ray.init(machines.address, log_to_driver=False)
    ray.shutdown()


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "dense.parquet"
    boxes = obbligato.scene("dense", COUNT)
    write(path, boxes)
    return path, obbligato.check(boxes, backend="cpu")


@pytest.mark.parametrize("scene", ["clusters", "giants", "bricks"])
@pytest.mark.parametrize("tile_boxes", [100_000, 700])
def test_pairs_match_a_single_check(nodes, tmp_path, scene, tile_boxes):
    boxes = obbligato.scene(scene, 5000)
    write(tmp_path / "scene.parquet", boxes)
    out = tmp_path / "out"
    report = cluster.check(options(tmp_path / "scene.parquet", out, tile_boxes=tile_boxes, margin=0.02))
    whole = obbligato.check(boxes, backend="cpu", margin=0.02)
    assert numpy.array_equal(pairs_of(out), whole.pairs) and len(whole.pairs) > 500
    assert report["tiles"] == -(-5000 // tile_boxes)
    for name in ["boxes", "colliding_pairs", "touching_pairs", "near_pairs", "checksum"]:
        assert report[name] == getattr(whole, name)
    assert json.loads((out / "report.json").read_text()) == report
    assert not (out / "work").exists()


def test_ids_groups_folders_and_doubles(nodes, tmp_path):
    boxes = obbligato.scene("dense", 4000)
    ids = numpy.random.default_rng(1).permutation(100_000)[:4000].astype(numpy.uint32)
    groups = numpy.array([1, 2], numpy.uint32)[numpy.arange(4000) % 2]
    (tmp_path / "scene").mkdir()
    for number, part in enumerate(numpy.split(numpy.arange(4000), 4)):
        columns = {"id": ids[part].astype("int64"), "memberships": groups[part], "filter": groups[part]}
        write(tmp_path / "scene" / f"{number}.parquet", boxes[part].astype("float64"), rows=300, **columns)
    report = cluster.check(options(tmp_path / "scene", tmp_path / "out"))
    records = obbligato.records(boxes)
    records["memberships"] = records["filter"] = groups
    order = numpy.argsort(ids)
    expected = ids[order][obbligato.check(records[order], backend="cpu").pairs]
    assert numpy.array_equal(pairs_of(tmp_path / "out"), expected) and len(expected) > 1000
    assert report["checksum"] == obbligato.checksum(expected)


def test_a_gpu_finds_the_same(nodes, tmp_path, dense):
    path, whole = dense
    cluster.check(options(path, tmp_path, backend="gpu"), gpus=0)
    assert numpy.array_equal(pairs_of(tmp_path), whole.pairs)


def test_the_same_check_is_not_done_twice(nodes, tmp_path, dense):
    path, _ = dense
    report = cluster.check(options(path, tmp_path))
    files = tile_files(tmp_path)
    assert cluster.check(options(path, tmp_path)) == report
    (tmp_path / "report.json").unlink()
    with pytest.raises(obbligato.InvalidInput, match="has the results of another check"):
        cluster.check(options(path, tmp_path))
    with pytest.raises(obbligato.InvalidInput, match="has the results of another check"):
        cluster.check(options(path, tmp_path, margin=0.5))
    assert tile_files(tmp_path) == files


class Late(Exception):
    """Ray was late, and the program has ended."""


def begun(source, out, *more, gate=None):
    """The program, started; its tiles wait at the gate, if there is one."""
    program = [sys.executable, "-m", "obbligato.cluster"] if gate is None else [sys.executable, GATED, gate]
    command = [*program, "check", str(source), "--out", str(out), "--backend", "cpu", "--tile-boxes", "200", "--quiet", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def stopped_at_the_end(program):
    """A program that is no longer there after a test, whatever the test found."""
    try:
        yield program
    finally:
        program.kill()
        program.communicate(timeout=PATIENCE)


def completed(*arguments):
    """The exit status of the program, and what it prints on stdout and stderr."""
    for _ in range(ATTEMPTS):
        with stopped_at_the_end(begun(*arguments)) as program:
            stdout, stderr = program.communicate(timeout=PATIENCE)
        if LATE not in stderr:
            break
    return program.returncode, stdout, stderr


def open_gate(gate, count):
    """Lets so many tiles pass. By a rename: a reader sees the number before or the number after."""
    following = gate.with_suffix(".next")
    following.write_text(str(count))
    following.replace(gate)


def wait_until(holds, what, program=None):
    """Waits while the program runs. At the end of the wait, `what` says what there is."""
    end = time.monotonic() + PATIENCE / 3
    while not holds():
        if program is not None and program.poll() is not None and not holds():
            _, stderr = program.communicate()
            if LATE in stderr:
                raise Late(stderr)
            raise AssertionError(f"the program ended with status {program.returncode} and {what()}: {stderr}")
        assert time.monotonic() < end, what()
        time.sleep(0.01)


def wait_for_tiles(out, count, program):
    """Until so many tiles are there: as many as the gate lets pass."""
    wait_until(lambda: len(tile_files(out)) >= count, lambda: f"{len(tile_files(out))} of {count} tiles", program)
    done = tile_files(out)
    assert len(done) == count
    return done


def killed_after(count, path, out, gate):
    """Kills the program, and Ray with it, when so many tiles are there. Returns them."""
    open_gate(gate, count)
    for _ in range(ATTEMPTS):
        with stopped_at_the_end(begun(path, out, gate=gate)) as program:
            try:
                return wait_for_tiles(out, count, program)
            except Late as error:
                late = error
    raise late


def test_a_wait_ends_with_the_program(tmp_path):
    """With what it said, and with what there is at the end: not with what there was at the beginning."""
    (tmp_path / "pairs").mkdir()
    script = "import pathlib, sys; pathlib.Path(sys.argv[1], 'pairs', 'tile-0.parquet').touch(); sys.exit(sys.argv[2])"
    for words, error in [("disk full", AssertionError), (f"The node {LATE}.", Late)]:
        command = [sys.executable, "-c", script, tmp_path, words]
        with stopped_at_the_end(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)) as program:
            with pytest.raises(error, match=f"status 1 and 1 of 2 tiles: {words}" if error is AssertionError else words):
                wait_for_tiles(tmp_path, 2, program)


def test_a_worker_is_killed(nodes, tmp_path, dense, monkeypatch):
    """Once before its tile is written, and once after, before it has answered."""
    path, whole = dense
    folder = str(tmp_path)

    # A worker gets it by value: it may name modules, and nothing of this one.
    def deadly(plan, number):
        killed = Path(folder) / f"killed-{number}"
        result = None if number == 10 else tasks.check_tile(plan, number, "here")
        if number in (10, 25) and not killed.exists():
            tiles = (Path(folder) / "pairs").glob("tile-*.parquet")
            killed.write_text(json.dumps({path.name: path.stat().st_ino for path in tiles}))
            os.kill(os.getpid(), signal.SIGKILL)
        return result or tasks.check_tile(plan, number, "here")

    monkeypatch.setattr(run, "_check_tile", deadly)
    report = cluster.check(options(path, tmp_path, tile_boxes=200))
    assert report["tiles"] == 60 and numpy.array_equal(pairs_of(tmp_path), whole.pairs)
    # What was done was not done again.
    after = tile_files(tmp_path)
    assert len(after) == 60
    for number in (10, 25):
        before = json.loads((tmp_path / f"killed-{number}").read_text())
        assert len(before) >= number - 2 and before.items() <= after.items()
        assert (f"tile-{number:06}.parquet" in before) == (number == 25)


def test_work_resumes_after_everything_is_killed(tmp_path, dense):
    path, whole = dense
    out, gate = tmp_path / "out", tmp_path / "gate"
    done = {}
    for count in (5, 20):
        now = killed_after(count, path, out, gate)
        assert done.items() <= now.items()
        done = now
    status, stdout, stderr = completed(path, out)
    assert status == 0 and stderr == ""
    assert json.loads(stdout)["checksum"] == whole.checksum
    assert numpy.array_equal(pairs_of(out), whole.pairs)
    assert done.items() <= tile_files(out).items()


@pytest.fixture
def bucket(machines, tmp_path):
    """Object storage: a bucket, and what its URLs end with."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        at = "127.0.0.1:%d" % free.getsockname()[1]
    with open(tmp_path / "server.log", "w") as log:
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", at.split(":")[1]], stdout=log, stderr=log)
    store = fs.S3FileSystem(endpoint_override=at, scheme="http", region="us-east-1", allow_bucket_creation=True)

    def answers():
        try:
            store.create_dir("bucket")
        except OSError:
            assert server.poll() is None, (tmp_path / "server.log").read_text()
            return False
        return True

    try:
        wait_until(answers, lambda: f"the server does not answer: {(tmp_path / 'server.log').read_text()}")
        yield store, f"?endpoint_override={at}&scheme=http&region=us-east-1"
    finally:
        server.kill()
        server.wait(timeout=PATIENCE)


def test_object_storage(bucket, machines, dense):
    (store, ending), (path, whole) = bucket, dense
    scene, out = f"s3://bucket/scene.parquet{ending}", f"s3://bucket/out{ending}"
    with store.open_output_stream("bucket/scene.parquet") as stream:
        stream.write(path.read_bytes())
    status, stdout, stderr = completed(scene, out, "--address", machines.address)
    assert status == 0, stderr
    assert json.loads(stdout)["checksum"] == whole.checksum
    files = store.get_file_info(fs.FileSelector("bucket/out", recursive=True))
    tiles = sorted(file.path for file in files if file.base_name.startswith("tile-"))
    assert len(tiles) == 60 and not any(file.base_name == "work" for file in files)
    found = pyarrow.concat_tables(parquet.read_table(store.open_input_file(tile)) for tile in tiles)
    pairs = numpy.column_stack([found["a"].to_numpy(), found["b"].to_numpy()])
    assert obbligato.checksum(pairs) == whole.checksum and len(pairs) == len(whole.pairs)


@pytest.fixture
def plan(tmp_path, dense):
    """A plan of 12 tiles and 4 parts, without Ray."""
    path, _ = dense
    chosen = options(path, tmp_path)
    return Plan.new(chosen, Source(chosen.source), obbligato.tile(obbligato.scene("dense", COUNT), 12))


def found_by(plan):
    for number in range(len(plan.splits)):
        tasks.scatter(plan, number)
    totals = tasks.Totals()
    for number in range(len(plan.tiling)):
        totals.add(tasks.check_tile(plan, number, "here").totals)
    return totals


class Short:
    """A checker on a machine with memory for few boxes."""

    def __init__(self, most):
        self.most, self.checks, self.checker = most, 0, obbligato.Checker(backend="cpu")

    def check_tile(self, tile, boxes):
        self.checks += 1
        if len(boxes) > self.most:
            raise obbligato.OutOfMemory("no memory", "OutOfMemory", needed=1)
        return self.checker.check_tile(tile, boxes)


def test_a_tile_that_is_too_large_is_cut(plan, dense, monkeypatch):
    short = Short(500)
    monkeypatch.setattr(tasks, "_checker", lambda options: short)
    totals = found_by(plan)
    assert short.checks > 3 * 12
    assert numpy.array_equal(pairs_of(Path(plan.options.out)), dense[1].pairs)
    assert (totals.colliding_pairs, totals.touching_pairs) == (dense[1].colliding_pairs, dense[1].touching_pairs)
    assert f"{totals.checksum:016x}" == dense[1].checksum


def test_a_tile_that_cannot_be_cut_is_an_error(plan, monkeypatch):
    monkeypatch.setattr(tasks, "_checker", lambda options: Short(1))
    with pytest.raises(obbligato.OutOfMemory):
        found_by(plan)


def test_rows_beyond_32_bits(plan, dense, monkeypatch):
    beyond = 2**40
    monkeypatch.setattr(plan.source, "id_type", numpy.uint64)
    read = Source.boxes

    def far(source, split):
        ids, boxes = read(source, split)
        return ids + numpy.uint64(beyond), boxes

    monkeypatch.setattr(Source, "boxes", far)
    assert found_by(plan).checksum is None
    pairs = pairs_of(Path(plan.options.out))
    assert pairs.dtype == numpy.uint64 and numpy.array_equal(pairs - numpy.uint64(beyond), dense[1].pairs)


# Ways to damage a file.
FAULTS = {
    "emptied": lambda data: b"",
    "a byte shorter": lambda data: data[:-1],
    "cut in half": lambda data: data[: len(data) // 2],
    "longer": lambda data: data + bytes(8),
    "zeros": lambda data: bytes(len(data)),
    **{
        f"another byte at {percent} %": lambda data, percent=percent: bytes(
            byte ^ 4 if place == (len(data) - 1) * percent // 100 else byte for place, byte in enumerate(data)
        )
        for percent in range(0, 101, 4)
    },
}


def test_damaged_files_never_give_another_answer(plan, dense):
    totals, out = found_by(plan), Path(plan.options.out)
    for name in ["work/part-000001.arrow", "pairs/tile-000003.parquet"]:
        whole = (out / name).read_bytes()
        for words, fault in FAULTS.items():
            (out / name).write_bytes(fault(whole))
            # One tile is to be done in any case.
            (out / "pairs" / "tile-000005.parquet").unlink()
            try:
                tasks.check_tile(plan, 5, "here")
            except obbligato.Error as error:
                assert "is damaged" in str(error), words
            assert found_by(plan) == totals, f"{name}: {words}"
            assert numpy.array_equal(pairs_of(out), dense[1].pairs), f"{name}: {words}"


def test_damaged_plans_and_reports_are_errors_or_rebuilt(nodes, tmp_path, dense):
    path, _ = dense
    report = cluster.check(options(path, tmp_path), keep=True)
    kept = {name: (tmp_path / name).read_bytes() for name in ["work/plan.json", "report.json"]}
    for name in kept:
        for words, fault in FAULTS.items():
            for other, data in kept.items():
                (tmp_path / other).write_bytes(data)
            (tmp_path / name).write_bytes(fault(kept[name]))
            if name != "report.json":
                (tmp_path / "report.json").unlink()
            try:
                again = cluster.check(options(path, tmp_path), keep=True)
            except obbligato.InvalidInput as error:
                assert f"{name}: is damaged" in str(error), words
            else:
                assert again["checksum"] == report["checksum"] and again["tiles"] == report["tiles"], words


def test_foreign_files_stay_unchanged(nodes, tmp_path, dense):
    path, _ = dense
    for name in ["part-000000.arrow", "notes.unfinished", "plan.json", "part-7.npy"]:
        out = tmp_path / name
        (out / "work").mkdir(parents=True)
        (out / "work" / name).write_text("somebody's")
        with pytest.raises(obbligato.InvalidInput, match="is damaged or belongs to no check|has files that belong to no check"):
            cluster.check(options(path, out))
        assert (out / "work" / name).read_text() == "somebody's"
    # What comes there meanwhile, and a report of something else.
    out = tmp_path / "out"
    cluster.check(options(path, out), keep=True)
    (out / "report.json").unlink()
    (out / "work" / "notes.unfinished").write_text("somebody's")
    cluster.check(options(path, out))
    assert [path.name for path in (out / "work").iterdir()] == ["notes.unfinished"]
    (out / "report.json").write_text("{}")
    with pytest.raises(obbligato.InvalidInput, match="report.json: is damaged or belongs to no check"):
        cluster.check(options(path, out))


def test_work_of_another_check_without_results_is_replaced(nodes, tmp_path, dense):
    path, whole = dense
    cluster.check(options(path, tmp_path, margin=0.5), keep=True)
    (tmp_path / "report.json").unlink()
    for tile in (tmp_path / "pairs").iterdir():
        tile.unlink()
    left = tmp_path / "work" / f"part-000001.arrow.{'0' * 32}.unfinished"
    left.write_text("half of it")
    cluster.check(options(path, tmp_path))
    assert numpy.array_equal(pairs_of(tmp_path), whole.pairs)
    assert not (tmp_path / "work").exists()


class Losing:
    """A file system that loses the last byte of each file."""

    def __init__(self, files):
        self.files = files

    def __getattr__(self, name):
        return getattr(self.files, name)

    @contextmanager
    def open_output_stream(self, path):
        with self.files.open_output_stream(path) as stream:
            yield stream
        os.truncate(path, os.path.getsize(path) - 1)


def test_a_disk_that_loses_bytes_is_an_error(tmp_path):
    storage = Storage(str(tmp_path))
    storage._files = Losing(storage._files)
    with pytest.raises(OSError, match="has 5 of 6 bytes after it was written"):
        storage.put("pairs/tile-000000.parquet", "sixsix")
    assert not list((tmp_path / "pairs").iterdir())


def test_existing_work_is_reused_unless_damaged(plan):
    first = tasks.scatter(plan, 0)
    part, damaged = (Path(plan.options.out) / "work" / f"part-00000{number}.arrow" for number in range(2))
    file = part.stat().st_ino
    assert numpy.array_equal(tasks.scatter(plan, 0), first) and part.stat().st_ino == file
    damaged.write_bytes(part.read_bytes()[:-50])
    found_by(plan)
    with pytest.raises(obbligato.Error, match="is damaged or of another check"):
        damaged.write_bytes(part.read_bytes()[:-50])
        (Path(plan.options.out) / "pairs" / "tile-000003.parquet").unlink()
        tasks.check_tile(plan, 3, "here")


def test_files_of_another_plan_are_not_used(plan):
    found_by(plan)
    other = Plan.new(dataclasses.replace(plan.options, margin=0.5), plan.source, plan.tiling)
    whole = obbligato.check(obbligato.scene("dense", COUNT), backend="cpu", margin=0.5)
    assert f"{found_by(other).checksum:016x}" == whole.checksum
    assert numpy.array_equal(pairs_of(Path(plan.options.out)), whole.pairs)


def test_a_lost_box_is_detected(nodes, tmp_path, dense, monkeypatch):
    whole = tasks.scatter

    def loses_one(plan, number):
        counts = whole(plan, number)
        counts[2] += number == 1
        return counts

    monkeypatch.setattr(tasks, "scatter", loses_one)
    with pytest.raises(obbligato.Error, match="tile 2 was checked with [0-9]+ of its"):
        cluster.check(options(dense[0], tmp_path))
    assert not (tmp_path / "report.json").exists()


WRONG = {
    "there is no file": (lambda path: None, "is neither a Parquet file"),
    "text": (lambda path: path.write_text("a,b"), "is not a Parquet table"),
    "a missing column": (lambda path: parquet.write_table(pyarrow.table({"cx": [1.0]}), path), "has the column cy 0 times"),
    "an owner": (lambda path: write(path, obbligato.scene("dense", 9), owner=range(9)), "has a column owner"),
    "text in a column": (lambda path: write(path, numpy.array([list("0000000001")])), "holds string in column cx"),
    "an id that is negative": (lambda path: write(path, obbligato.scene("dense", 2), id=[1, -1]), "column id: .* 32 bits"),
    "an id that is missing": (lambda path: write(path, obbligato.scene("dense", 2), id=[1, None]), "lacks 1 entries of column id"),
    "an id twice": (lambda path: write(path, obbligato.scene("dense", 9), rows=3, id=[8, 1, 2, 3, 4, 5, 6, 7, 1]), "the id 1 occurs twice"),
    "ids beside one another": (lambda path: write(path, obbligato.scene("dense", 4), id=[3, 2, 1, 2]), "the id 2 occurs twice"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_scenes(nodes, tmp_path, name):
    make, message = WRONG[name]
    make(tmp_path / "scene.parquet")
    with pytest.raises(obbligato.InvalidInput, match=message):
        cluster.check(options(tmp_path / "scene.parquet", tmp_path / "out", split_rows=3))
    assert not (tmp_path / "out" / "report.json").exists()


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, 1e300])
def test_a_wrong_box_is_named(nodes, tmp_path, value):
    boxes = obbligato.scene("dense", 5000).astype("float64")
    boxes[3210, 1] = value
    write(tmp_path / "scene.parquet", boxes)
    with pytest.raises(obbligato.InvalidInput, match="scene.parquet: row 3210: "):
        cluster.check(options(tmp_path / "scene.parquet", tmp_path / "out", split_rows=2000))


def test_wrong_settings(nodes, tmp_path, dense):
    path, _ = dense
    for wrong, kind in [
        ({"margin": -1.0}, obbligato.InvalidInput),
        ({"precision": "perfect"}, ValueError),
        ({"tile_boxes": 0}, obbligato.InvalidInput),
        ({"tile_boxes": 10**12}, obbligato.Unavailable),
    ]:
        with pytest.raises(kind):
            cluster.check(options(path, tmp_path, **wrong))
    with pytest.raises(obbligato.Unavailable, match="no node of the cluster has 1 CPUs, 1 GPUs"):
        cluster.check(options(path, tmp_path, backend="gpu"))


def test_progress(nodes, tmp_path, dense):
    """Each stage is told up to its end, and what the function raises ends the check, whose work is resumed."""

    def stop(stage, done, of):
        raise KeyError(stage)

    path, whole = dense
    asked = options(path, tmp_path / "out", tile_boxes=3000)
    with pytest.raises(KeyError, match="sampling|reading"):
        cluster.check(asked, progress=stop)
    said = []
    report = cluster.check(asked, progress=lambda *one: said.append(one))
    assert report["checksum"] == whole.checksum
    last = {stage: (done, of) for stage, done, of in said}
    assert {"reading", "checking"} <= set(last) and all(done == of > 0 for done, of in last.values())


def test_no_boxes(nodes, tmp_path):
    write(tmp_path / "scene.parquet", numpy.empty((0, 10), numpy.float32))
    report = cluster.check(options(tmp_path / "scene.parquet", tmp_path / "out"))
    assert (report["boxes"], report["colliding_pairs"], report["checksum"]) == (0, 0, "0" * 16)
    assert len(pairs_of(tmp_path / "out")) == 0


def test_without_ray():
    program = "import sys; sys.modules['ray'] = None\nimport obbligato\nimport obbligato.cluster"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 1 and "pip install 'obbligato[cluster]'" in ended.stderr


def test_errors_of_the_program(machines, tmp_path):
    status, stdout, stderr = completed(tmp_path / "nothing.parquet", tmp_path / "out", "--address", machines.address)
    assert status == 2 and stdout == ""
    assert re.fullmatch(r"obbligato\.cluster: .*nothing\.parquet: is neither a Parquet file.*\n", stderr)
    assert not (tmp_path / "out").exists()


def test_ray_that_does_not_start_is_an_error(tmp_path, monkeypatch, capsys):
    """Ray raises an Exception, of no class of its own, for a node that is late."""

    def late(*arguments, **options):
        raise Exception(f"The current node {LATE}. This could\nhappen.")

    monkeypatch.setattr(ray, "init", late)
    monkeypatch.setattr(sys, "argv", ["cluster", "check", str(tmp_path / "scene.parquet"), "--out", str(tmp_path / "out")])
    assert program_of_cluster.main() == 3
    stdout, stderr = capsys.readouterr()
    assert stdout == "" and stderr == (
        f"obbligato.cluster: Ray cannot be started or joined at local: The current node {LATE}. This could happen. Start again when the "
        "machine is less busy, or name another cluster with --address\n"
    )


def test_the_commands_of_documents(machines, tmp_path, monkeypatch):
    """On the cluster that is there, whose workers are in another working directory."""
    monkeypatch.setenv("RAY_ADDRESS", machines.address)
    boxes = obbligato.scene("crowd", 3000)
    write(tmp_path / "city.parquet", boxes)
    (tmp_path / "python").mkdir()
    shutil.copy(HERE / "skew.py", tmp_path / "python")
    ran = set()
    for command in commands():
        words = command.split()
        # Fewer boxes than in the document.
        words[0], ran = sys.executable, ran | {" ".join(words[1:4])}
        words = ["2000" if word == "2000000" else "20" if word == "2000" else word for word in words]
        ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        assert ended.returncode == 0 and ended.stdout, ended.stderr
    assert {"-m obbligato.cluster check"} <= ran
    report = json.loads((tmp_path / "clashes" / "report.json").read_text())
    assert len(tile_files(tmp_path / "clashes")) == report["tiles"] and len(pairs_of(tmp_path / "clashes")) == report["colliding_pairs"] > 0


def test_an_added_node_helps_and_a_lost_node_does_no_harm(machines, tmp_path, dense):
    path, whole = dense
    out, gate = tmp_path / "out", tmp_path / "gate"
    open_gate(gate, 3)
    with stopped_at_the_end(begun(path, out, "--address", machines.address, gate=gate)) as program:
        wait_for_tiles(out, 3, program)
        added, lost = (patiently(lambda: machines.add_node(num_cpus=1)) for _ in range(2))
        at_gate = [gate.with_name(f"gate.waiting.{node.node_id}") for node in (added, lost)]
        wait_until(
            lambda: all(path.exists() for path in at_gate),
            lambda: f"tiles on {[path.exists() for path in at_gate].count(True)} of the 2 nodes that were added",
            program,
        )
        open_gate(gate, 30)
        wait_for_tiles(out, 30, program)
        # It has a tile, which waits at the gate.
        machines.remove_node(lost, allow_graceful=False)
        open_gate(gate, 60)
        stdout, stderr = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, stderr
    tiles_of_nodes = json.loads(stdout)["tiles_of_nodes"]
    assert sum(tiles_of_nodes.values()) == 60 and tiles_of_nodes[added.node_id] > 0
    assert numpy.array_equal(pairs_of(out), whole.pairs)
