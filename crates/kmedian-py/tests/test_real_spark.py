"""Executors of real Spark that are killed in the middle of the work: the answers are the same, and counts are exact."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator

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


def working(spark: Any) -> dict[str, int]:
    """The executors that the driver knows, and how many tasks each of them runs."""
    listed = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    known = [listed.apply(at) for at in range(listed.size())]
    return {executor.id(): executor.activeTasks() for executor in known if executor.id() != "driver"}


def process(executor: str) -> int:
    """The process of an executor of this test's own driver."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], check=True, capture_output=True, text=True).stdout
    marks = ("CoarseGrainedExecutorBackend", os.environ["SPARK_HOME"], f"--executor-id {executor} ")
    (found,) = [line for line in listed.splitlines() if all(mark in line for mark in marks) and "java" in line]
    return int(found.split()[0])


def wait_for_two(spark: Any) -> None:
    until = time.monotonic() + PATIENCE
    while len(working(spark)) < 2:
        assert time.monotonic() < until, f"no second executor within {PATIENCE} s"
        time.sleep(0.2)


def slowed(given: Any, mark: Path) -> Any:
    """Rows that take a while to read, so that there is time to kill. That they are read is told by a file."""
    told = str(mark)

    def slowly(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            open(told, "w").close()
            time.sleep(0.5)
            yield batch

    return given.mapInArrow(slowly, given.schema)


def killing_one(spark: Any, mark: Path, work: Callable[[], Any]) -> Any:
    """Does some work on rows that are ``slowed``, and kills an executor while they are read."""
    wait_for_two(spark)
    mark.unlink(missing_ok=True)
    killed: list[int] = []

    def kill() -> None:
        while not killed and not done.wait(0.05):
            busy = [executor for executor, tasks in working(spark).items() if tasks]
            if busy and mark.exists():
                killed.append(process(busy[0]))
                os.kill(killed[0], signal.SIGKILL)

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


def test_a_fit_survives_the_loss_of_an_executor(spark, tmp_path):  # noqa: F811
    # Read from files, partitions have the same rows in the same order however often they are computed. After a shuffle
    # they come as they are fetched.
    table = pa.table({"features": pa.array(list(POINTS))})
    frame(spark, table, 6).write.parquet(str(tmp_path / "points"))
    given = slowed(spark.read.parquet(str(tmp_path / "points")), tmp_path / "read")
    plan = KMedian(20, seed=1, memory=2000 * (24 * 4 + 160))
    undisturbed = plan.fit(given)
    disturbed = killing_one(spark, tmp_path / "read", lambda: plan.fit(given))
    assert np.array_equal(disturbed.clusterCenters(), undisturbed.clusterCenters())
    assert disturbed.summary.costs == undisturbed.summary.costs
    assert disturbed.summary.sizes.sum() == len(POINTS)


@pytest.mark.parametrize("unit", [None, "user"])
def test_private_counts_survive_the_loss_of_an_executor(spark, unit, tmp_path):  # noqa: F811
    universe = np.random.default_rng(0).random((ITEMS, 2)).astype(np.float32)
    rows = pd.DataFrame({"item": np.arange(RECORDS) * 7919 % ITEMS, "user": np.arange(RECORDS) * 104_729 % 20_000})
    given = slowed(frame(spark, rows, 8), tmp_path / "read")
    most = None if unit is None else 5
    columns = {"key": "item"} if unit is None else {"key": "item", "unit": unit}

    def released() -> Any:
        private = PrivateKMedian(5, epsilon=1, max_per_unit=most, noise_seed_for_experiments=3, effort="fast")
        with pytest.warns(NotPrivateWarning):
            return private.fit(universe, given, **columns).release_

    undisturbed = released()
    assert killing_one(spark, tmp_path / "read", released).to_json() == undisturbed.to_json()
    exact = np.bincount(rows["item"], minlength=ITEMS)
    counted = killing_one(spark, tmp_path / "read", lambda: count(universe, given, key="item"))
    assert (counted == exact).all()
