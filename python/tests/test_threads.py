"""Other threads go on, and forks are told."""

import multiprocessing
import subprocess
import sys
import textwrap
import threading
import time

import numpy
import pytest
from conftest import row

import obbligato


def share_of_others(call):
    """The longest pause of another Python thread during a call, as a part of the call."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    start = time.perf_counter()
    call()
    end = time.perf_counter()
    stop.set()
    other.join()
    during = [start, *(moment for moment in ticks if start < moment < end), end]
    return max(after - before for before, after in zip(during, during[1:])) / (end - start)


def test_other_threads_go_on():
    boxes = obbligato.scene("dense", 300_000)
    checker = obbligato.Checker(backend="cpu")
    pairs = checker.check(boxes).pairs
    motions = numpy.zeros((len(boxes), 3), numpy.float32)
    tracker = obbligato.Tracker(backend="cpu")
    calls = {
        "check": lambda: checker.check(boxes),
        "check of doubles": lambda: checker.check(boxes.astype(numpy.float64)),
        "contacts": lambda: checker.contacts(boxes, pairs),
        "distances": lambda: checker.distances(boxes, pairs),
        "sweep": lambda: checker.sweep(boxes, motions, 1.0),
        "track": lambda: tracker.update(boxes),
        "prepare": lambda: checker.prepare(boxes),
    }
    for name, call in calls.items():
        share = min(share_of_others(call) for _ in range(3))
        assert share < 0.8, f"{name}: the other thread waited for {share:.0%} of the call"


def test_two_threads_with_one_checker(crowd):
    checker = obbligato.Checker(backend="cpu")
    lists = [crowd, crowd[:500], obbligato.records(crowd), row(0, 1)]
    expected = [checker.check(boxes).checksum for boxes in lists]
    wrong = []

    def work(k):
        for _ in range(50):
            if checker.check(lists[k]).checksum != expected[k]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(lists))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def run(script):
    """What a process prints."""
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


@pytest.mark.skipif(not hasattr(multiprocessing, "get_context") or sys.platform == "win32", reason="there are no forks")
def test_forks():
    prelude = """
        import os, warnings
        import obbligato
        warnings.simplefilter("ignore")
        boxes = obbligato.scene("uniform", 100_000)
        def child():
            if os.fork() == 0:
                try:
                    print("ok", obbligato.check(boxes, backend="cpu").colliding_pairs > 0, flush=True)
                except obbligato.Error as error:
                    print(error.kind, "spawn" in str(error), flush=True)
                os._exit(0)
            os.wait()
    """
    # Before the first call a fork is like any process; afterwards its threads are missing.
    assert run(prelude + "\n        child()") == ["ok", "True"]
    assert run(prelude + "\n        obbligato.check(boxes, backend='cpu'); child()") == ["Forked", "True"]


def test_spawned_processes(crowd):
    expected = obbligato.check(crowd, backend="cpu").colliding_pairs
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(count, [crowd, crowd]) == [expected, expected]


def count(boxes):
    return obbligato.check(boxes, backend="cpu").colliding_pairs


def test_an_interrupt_comes_after_the_call():
    script = """
        import _thread, threading, time
        import obbligato
        boxes = obbligato.scene("dense", 200_000)
        checker = obbligato.Checker(backend="cpu")
        threading.Timer(0.05, _thread.interrupt_main).start()
        done = 0
        try:
            end = time.monotonic() + 30
            while time.monotonic() < end:
                checker.check(boxes)
                done += 1
        except KeyboardInterrupt:
            print("interrupted", checker.check(boxes).complete)
    """
    assert run(script) == ["interrupted", "True"]
