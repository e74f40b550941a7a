"""Executors of real Spark that are killed in the middle of the work: the answers are the same, and counts are exact."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import kmedian.spark
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from engine import MASTER, frame, random_points, spark  # noqa: F401 - a fixture.
from kmedian import NotPrivateWarning, PrivateKMedian, count
from kmedian.spark import KMedian

pytestmark = pytest.mark.skipif(
    MASTER is None, reason="needs Java and a cluster whose executors may be killed: cargo xtask spark"
)

POINTS = random_points(3, 20_000, 4)
ITEMS = 200
RECORDS = 400_000

# The most seconds until a new executor has taken the place of a killed one.
PATIENCE = 600


def executors(spark: Any) -> int:
    """How many executors the driver knows."""
    listed = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    return sum(listed.apply(at).id() != "driver" for at in range(listed.size()))


def wait_for_two(spark: Any) -> None:
    until = time.monotonic() + PATIENCE
    while executors(spark) < 2:
        assert time.monotonic() < until, f"no second executor within {PATIENCE} s"
        time.sleep(0.2)


class Trap:
    """Kills an executor while it runs a task.

    Once the trap is set, each task that reads the rows it is ``on`` writes the process of its executor into a file. The
    first that finds it there as often as was asked for takes the trap, and waits until it is killed with its executor.
    Tasks of the other executor, and the task that is run in its place, go on.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder

    def on(self, given: Any) -> Any:
        """The same rows, read by tasks that can be trapped."""
        folder, most = str(self.folder), PATIENCE

        # A function inside a function is sent as code: executors have no modules of tests.
        def watched(batches: Iterator[Any]) -> Iterator[Any]:
            import os
            import time
            from pathlib import Path

            def executor() -> int:
                """The first Java machine among the processes that have started this one."""
                process = os.getppid()
                while Path(f"/proc/{process}/comm").read_text().strip() != "java":
                    process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
                return process

            def taken() -> bool:
                """Whether it is this task that is trapped."""
                try:
                    nth = int((at / "set").read_text())
                    with open(at / "tasks", "a") as tasks:
                        tasks.write(f"{executor()}\n")
                    if (at / "tasks").read_text().splitlines().count(str(executor())) < nth:
                        return False
                    # Only one task can take it away.
                    os.rename(at / "set", at / "taken")
                except FileNotFoundError:
                    return False
                return True

            at = Path(folder)
            for number, batch in enumerate(batches):
                if number == 0 and taken():
                    (at / "written").write_text(str(executor()))
                    os.rename(at / "written", at / "executor")
                    until = time.monotonic() + most
                    while not (at / "killed").exists() and time.monotonic() < until:
                        time.sleep(0.02)
                    raise SystemExit("its executor is killed")
                yield batch

        return given.mapInArrow(watched, given.schema)

    def set(self, nth: int) -> None:
        """From now on, the nth task of an executor is trapped."""
        (self.folder / "written").write_text(str(nth))
        os.rename(self.folder / "written", self.folder / "set")

    def around(self, spark: Any, work: Callable[[], Any]) -> Any:
        """Does some work that sets the trap, and kills the executor of the task that is trapped."""
        wait_for_two(spark)
        for old in self.folder.iterdir():
            old.unlink()
        killed: list[int] = []

        def kill() -> None:
            while not killed and not done.wait(0.02):
                if (self.folder / "executor").exists():
                    process = int((self.folder / "executor").read_text())
                    assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes()
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
                    (self.folder / "killed").touch()

        done = threading.Event()
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            found = work()
        finally:
            done.set()
            killer.join()
        assert len(killed) == 1, "no executor was killed, so that nothing was tested"
        return found


# The passes over chunks that a fit makes: the number of coordinates, the coresets, and then the rounds.
@pytest.mark.parametrize("disturbed", [2, 3], ids=["coresets", "round"])
def test_a_fit_survives_the_loss_of_an_executor(spark, tmp_path, monkeypatch, disturbed):  # noqa: F811
    # Read from files, partitions have the same rows in the same order however often they are computed. After a shuffle
    # they come as they are fetched.
    table = pa.table({"features": pa.array(list(POINTS))})
    frame(spark, table, 6).write.parquet(str(tmp_path / "points"))
    trap = Trap(tmp_path / "trap")
    given = trap.on(spark.read.parquet(str(tmp_path / "points")))
    plan = KMedian(20, seed=1, memory=2000 * (24 * 4 + 160))
    expected = plan.fit(given)
    passes = []
    plain = kmedian.spark._ran

    def ran(*of: Any) -> Any:
        passes.append(of)
        if len(passes) == disturbed:
            trap.set(1)
        return plain(*of)

    monkeypatch.setattr(kmedian.spark, "_ran", ran)
    found = trap.around(spark, lambda: plan.fit(given))
    assert len(passes) >= disturbed and expected.summary.chunks > 1
    assert np.array_equal(found.clusterCenters(), expected.clusterCenters())
    assert found.summary.costs == expected.summary.costs
    assert found.summary.sizes.sum() == len(POINTS)


@pytest.mark.parametrize("unit", [None, "user"])
def test_private_counts_survive_the_loss_of_an_executor(spark, unit, tmp_path):  # noqa: F811
    universe = np.random.default_rng(0).random((ITEMS, 2)).astype(np.float32)
    rows = pd.DataFrame({"item": np.arange(RECORDS) * 7919 % ITEMS, "user": np.arange(RECORDS) * 104_729 % 20_000})
    trap = Trap(tmp_path / "trap")
    given = trap.on(frame(spark, rows, 8))
    most = None if unit is None else 5
    columns = {"key": "item"} if unit is None else {"key": "item", "unit": unit}

    def released() -> Any:
        private = PrivateKMedian(
            5, epsilon=1, max_per_unit=most, random_state=1, noise_seed_for_experiments=3, effort="fast"
        )
        with pytest.warns(NotPrivateWarning):
            return private.fit(universe, given, **columns).release_

    def trapped(work: Callable[[], Any]) -> Any:
        # An executor runs one task at a time: at its second, it has finished another, and what that found is lost.
        trap.set(2)
        return work()

    expected = released()
    assert trap.around(spark, lambda: trapped(released)).to_json() == expected.to_json()
    exact = np.bincount(rows["item"], minlength=ITEMS)
    counted = trap.around(spark, lambda: trapped(lambda: count(universe, given, key="item")))
    assert (counted == exact).all()
