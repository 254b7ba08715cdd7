"""Other threads go on, and forks are told."""

import multiprocessing
import os
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


def test_other_threads_keep_running():
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
        shares = []
        while not shares or shares[-1] >= 0.8:
            assert len(shares) < 3, f"{name}: the other thread waited for {min(shares):.0%} of the call"
            shares.append(share_of_others(call))


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
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


@pytest.mark.skipif(not hasattr(multiprocessing, "get_context") or sys.platform == "win32", reason="there are no forks")
def test_forks():
    prelude = """
        import os, warnings
        import numpy
        import obbligato
        warnings.simplefilter("ignore")
        boxes = numpy.ones((100_000, 10), numpy.float32)
        boxes[:, :3] = numpy.arange(100_000)[:, None]
        boxes[:, 6:9] = 0
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


LONG = {
    # Calls that take a second and more if nobody ends them: what they need, and the call.
    "check": ("", "checker.check(pile)"),
    "check of counts": ("", "counter.check(pile)"),
    "check of doubles": ("pile = pile.astype(float)", "counter.check(pile)"),
    "two lists": ("", "counter.check(pile[::2], against=pile[1::2])"),
    "movers": ("scene = counter.prepare(pile[::2])", "counter.check_movers(scene, pile[1::2])"),
    "pairs": ("pairs = some(10)", "counter.check_pairs(turned, pairs)"),
    "contacts": ("pairs = some(1)[:3_000_000]", "checker.contacts(turned, pairs)"),
    "distances": ("turned[:, 0] = 4 * numpy.arange(3000); pairs = some(2)", "checker.distances(turned, pairs)"),
    "sweep": ("boxes = numpy.tile(turned, (2, 1))", "checker.sweep(boxes, spin, 1.0)"),
    "track": ("tracker = obbligato.Tracker(backend='cpu'); ids = numpy.arange(len(pile))", "tracker.update(pile, ids)"),
    "threads": ("counter = obbligato.Checker(backend='cpu', output='count', threads=3)", "counter.check(pile)"),
    "one of the functions": ("", "obbligato.check(pile, backend='cpu', output='count')"),
    # On one thread, it takes as long on a machine with many cores.
    "while another thread works": (
        "counter = obbligato.Checker(backend='cpu', output='count', threads=1); other.start(); time.sleep(0.1)",
        "counter.check(pile[:10])",
    ),
    "on a GPU": ("counter = obbligato.Checker(backend='gpu', output='count'); counter.check(pile[:9])", "counter.check(pile)"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_long_call(name):
    # The machine may be busy with other work, or so fast that a call ends before the signal.
    for delay in (0.2, 0.2, 0.1, 0.1, 0.05, 0.05):
        found = run(interrupted(*LONG[name], delay))
        if found == ["interrupted", "4950"]:
            return
    raise AssertionError(found)


def interrupted(prepare, call, delay):
    return f"""
        import os, signal, threading, time
        import numpy, obbligato
        pile = numpy.tile(numpy.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1], numpy.float32), (80_000, 1))
        turned = pile[:3000].copy()
        turned[:, 6:] = numpy.random.default_rng(1).normal(size=(3000, 4))
        turned[:, 6:] /= numpy.linalg.norm(turned[:, 6:], axis=1, keepdims=True)
        spin = numpy.ones((6000, 6), numpy.float32)
        checker = obbligato.Checker(backend="cpu")
        counter = obbligato.Checker(backend="cpu", output="count")
        some = lambda times: numpy.tile(checker.check(pile[:3000]).pairs, (times, 1))
        done = []
        other = threading.Thread(target=lambda: done.append(counter.check(pile[:20_000]).colliding_pairs))
        {prepare}
        sent = []

        def send():
            time.sleep({delay})
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        try:
            threading.Thread(target=send).start()
            {call}
            print("it was no long call")
        except KeyboardInterrupt:
            late = time.perf_counter() - sent[0]
            # A call returns after 0.07 s at most, on a machine that has the time for it.
            print("interrupted" if late < 0.1 else f"{{late}} s late", flush=True)
        # Other work goes on, with the same checker too, and what another thread does was not ended.
        if other.ident:
            other.join()
            assert done == [20_000 * 19_999 // 2], done
        print(counter.check(pile[:100]).colliding_pairs, flush=True)
        os._exit(0)
    """


def test_interrupts_between_calls():
    script = """
        import _thread, threading, time
        import obbligato
        boxes = obbligato.scene("dense", 200_000)
        checker = obbligato.Checker(backend="cpu")
        threading.Timer(0.05, _thread.interrupt_main).start()
        try:
            end = time.monotonic() + 30
            while time.monotonic() < end:
                checker.check(boxes)
        except KeyboardInterrupt:
            print("interrupted", checker.check(boxes).complete)
    """
    assert run(script) == ["interrupted", "True"]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_number_of_threads(threads, crowd):
    expected = obbligato.check(crowd, backend="cpu")
    checker = obbligato.Checker(backend="cpu", threads=threads)
    for boxes in (crowd, obbligato.scene("uniform", 50_000)):
        report = checker.check(boxes)
        assert report.threads == threads
    assert checker.check(crowd).checksum == expected.checksum
    assert obbligato.check(crowd, backend="cpu", threads=None).threads == expected.threads
    assert obbligato.Tracker(backend="cpu", threads=threads).update(crowd).pairs.tolist() == expected.pairs.tolist()
    for wrong, error in [(0, ValueError), (100_000, ValueError), (-1, ValueError), ("all", TypeError)]:
        with pytest.raises(error):
            obbligato.Checker(threads=wrong)


@pytest.mark.skipif(sys.platform != "linux", reason="the variable is Linux's")
def test_drivers_do_not_complain():
    environment = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    for script in [
        "import obbligato; obbligato.check(obbligato.scene('crowd', 10), backend='gpu')",
        "import obbligato; obbligato.adapters()",
        "import obbligato; obbligato.check(obbligato.scene('crowd', 20_000))",
    ]:
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
