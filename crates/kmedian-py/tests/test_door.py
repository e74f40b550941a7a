"""The one door into Rust: other threads go on, Ctrl-C is heard, a child of a fork works."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from conftest import lacking, made_up
from kmedian import KMedian

SLOW = dict(metric="l1", init="random", n_restarts=10_000, random_state=0)


def seconds(work, *more) -> float:
    started = time.perf_counter()
    work(*more)
    return time.perf_counter() - started


def test_python_goes_on_meanwhile():
    """A thread that only counts must get on while a fit is running."""
    X, counted, done = made_up(1, 3000, 20), [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    taken = seconds(lambda: KMedian(20, n_jobs=1, time_limit=1.0, **SLOW).fit(X))
    done.set()
    counter.join()
    assert taken > 0.5 and counted[0] > 100 * taken


def long_fit(_=None):
    X = made_up(2, 4000, 40)
    KMedian(30, n_jobs=1, metric="l1", init="random", n_restarts=3, random_state=0).fit(X)


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core")
def test_two_fits_in_two_threads_run_in_parallel():
    """Two threads of one interpreter take no longer than two processes, whatever else the machine is doing.

    Were they to wait for each other, they would take twice as long.
    """
    ratios = []
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for pool in (threads, processes):
            list(pool.map(long_fit, range(2)))
        for _ in range(5):
            apart = seconds(lambda: list(processes.map(long_fit, range(2))))
            ratios.append(seconds(lambda: list(threads.map(long_fit, range(2)))) / apart)
            if ratios[-1] < 1.3:
                return
    pytest.fail(f"two threads took {ratios} of the time of two processes")


INTERRUPTED = """
    import os, signal, threading, time
    import numpy as np
    from kmedian import KMedian

    sent = []
    def press():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def once_it_searches(step, numbers):
        # The first step of a search may come too soon after one of the tree to be told.
        if step != "tree" and not sent:
            press()

    {data}
    if estimator.callback is None:
        threading.Timer(0.7, press).start()
    try:
        estimator.fit(X)
        print("finished")
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0])

    # The work has ended when this process does nothing but sleep.
    ended, used = time.monotonic(), time.process_time()
    while time.monotonic() - ended < 0.3:
        time.sleep(0.05)
        if time.process_time() - used > 0.02:
            ended, used = time.monotonic(), time.process_time()
    print(ended - sent[0])
"""

LONG = {
    "search": """
        X = np.random.default_rng(0).random((4000, 20), dtype=np.float32)
        estimator = KMedian(20, metric="l1", n_restarts=10**6)
    """,
    "one long step": """
        X = np.random.default_rng(0).random((30_000, 500), dtype=np.float32)
        estimator = KMedian(3, metric="l1", n_jobs=1)
    """,
    "all distances measured": """
        X = np.random.default_rng(0).random((10_000, 2400), dtype=np.float32)
        estimator = KMedian(3, metric="l1", n_jobs=1, callback=once_it_searches)
    """,
    "inner products": """
        rng = np.random.default_rng(0)
        X = (rng.random((12_000, 40), dtype=np.float32) @ rng.random((40, 3000), dtype=np.float32))
        estimator = KMedian(3, n_jobs=1, callback=once_it_searches)
    """,
    "slow function": """
        X = np.random.default_rng(0).random((500, 2))
        estimator = KMedian(3, metric=lambda a, b: (time.sleep(0.01), float(abs(a - b).sum()))[1])
    """,
}


@pytest.mark.skipif(os.name != "posix", reason="signals are sent by kill")
@pytest.mark.parametrize("case", LONG)
def test_ctrl_c_is_heard_within_a_second(case):
    """The exception comes, and the work behind it ends. A machine that is busy with other work may need
    several attempts."""
    program = textwrap.dedent(INTERRUPTED).replace("{data}", textwrap.dedent(LONG[case]).strip())
    seen = []
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        raised, ended = map(float, done.stdout.split())
        if raised < 1.0 and ended < 1.5:
            return
        seen.append((raised, ended))
    pytest.fail(f"raised and ended after {seen} seconds")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_small_matrix_has_the_same_centers_on_every_thread():
    """The first thread searches it at once, others have it searched."""
    rows = made_up(3, 200, 3)
    matrix = np.abs(rows[:, None] - rows[None]).sum(axis=2).astype(np.float32)

    def found(n_jobs=None, **more):
        return KMedian(7, metric="precomputed", random_state=5, n_jobs=n_jobs, **more).fit(matrix)

    here = found()
    with ThreadPoolExecutor(4) as threads:
        elsewhere = [there.result() for there in [threads.submit(found) for _ in range(20)]]
    told = found(callback=lambda *_: None)
    for there in (*elsewhere, told, found(2), found(1)):
        assert there.medoid_indices_.tolist() == here.medoid_indices_.tolist()
        assert there.inertia_ == here.inertia_


def test_a_child_of_a_fork_works():
    """The threads of the parent's pool are not in the child."""
    program = """
        import os
        import numpy as np
        from kmedian import KMedian

        X = np.random.default_rng(0).random((3000, 8), dtype=np.float32)
        here = KMedian(5, random_state=0).fit(X).medoid_indices_
        child = os.fork()
        if child == 0:
            there = KMedian(5, random_state=0).fit(X).medoid_indices_
            os._exit(0 if (here == there).all() else 1)
        assert os.waitpid(child, 0)[1] == 0
    """
    program = textwrap.dedent(program)
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)


def test_a_panic_is_an_exception():
    """It asks for a report, and the interpreter lives on. Only builds with debug assertions can panic on purpose."""
    from kmedian import _core

    if not hasattr(_core, "_panic_on_purpose"):
        lacking("a release build has nothing to panic with")
    with pytest.raises(RuntimeError, match="this is a bug in kmedian, please report it: on purpose"):
        _core._panic_on_purpose()
    assert KMedian(2, random_state=0).fit(np.eye(4)).inertia_ > 0


def test_the_program_ends_while_a_metric_is_asked():
    """Work that is left behind must not be found inside Python when the interpreter ends."""
    program = """
        import threading, time
        import numpy as np
        from kmedian import KMedian

        def slow(a, b):
            until = time.perf_counter() + 0.3
            while time.perf_counter() < until:
                pass
            return float(abs(a - b).sum())

        fit = KMedian(2, metric=slow).fit
        threading.Thread(target=fit, args=(np.arange(30.0)[:, None],), daemon=True).start()
        time.sleep(0.5)
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
