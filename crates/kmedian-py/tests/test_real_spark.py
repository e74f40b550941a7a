"""Executors of real Spark that are killed in the middle of the work: the answers are the same, and counts are exact."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from typing import Any, Callable

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


def executors() -> list[int]:
    """The processes of the executors of this test's own driver."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], check=True, capture_output=True, text=True).stdout
    home = os.environ["SPARK_HOME"]
    lines = (line for line in listed.splitlines() if "CoarseGrainedExecutorBackend" in line and home in line)
    return [int(line.split()[0]) for line in lines]


def killing_one(spark: Any, work: Callable[[], Any]) -> Any:
    """Does some work, and kills an executor once tasks of it run."""
    killed: list[int] = []
    tracker = spark.sparkContext.statusTracker()

    def kill() -> None:
        while not killed and not done.is_set():
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage is not None and stage.numActiveTasks for stage in stages):
                running = executors()
                if len(running) == 2:
                    os.kill(running[0], signal.SIGKILL)
                    killed.append(running[0])
            time.sleep(0.05)

    done = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = work()
    finally:
        done.set()
        killer.join()
    assert len(killed) == 1, "no executor was killed, so that nothing was tested"
    waited = time.monotonic() + 60
    while len(executors()) < 2 and time.monotonic() < waited:
        time.sleep(0.2)
    return found


def test_a_fit_survives_the_loss_of_an_executor(spark, tmp_path):  # noqa: F811
    # Read from files, partitions have the same rows in the same order however often they are computed. After a shuffle
    # they come as they are fetched.
    table = pa.table({"features": pa.array(list(POINTS))})
    frame(spark, table, 6).write.parquet(str(tmp_path / "points"))
    given = spark.read.parquet(str(tmp_path / "points"))
    plan = KMedian(20, seed=1, memory=2000 * (24 * 4 + 160))
    undisturbed = plan.fit(given)
    disturbed = killing_one(spark, lambda: plan.fit(given))
    assert np.array_equal(disturbed.clusterCenters(), undisturbed.clusterCenters())
    assert disturbed.summary.costs == undisturbed.summary.costs
    assert disturbed.summary.sizes.sum() == len(POINTS)


@pytest.mark.parametrize("unit", [None, "user"])
def test_private_counts_survive_the_loss_of_an_executor(spark, unit):  # noqa: F811
    universe = np.random.default_rng(0).random((ITEMS, 2)).astype(np.float32)
    rows = pd.DataFrame({"item": np.arange(RECORDS) * 7919 % ITEMS, "user": np.arange(RECORDS) * 104_729 % 20_000})
    given = frame(spark, rows, 8)
    most = None if unit is None else 5
    columns = {"key": "item"} if unit is None else {"key": "item", "unit": unit}

    def released() -> Any:
        private = PrivateKMedian(5, epsilon=1, max_per_unit=most, noise_seed_for_experiments=3, effort="fast")
        with pytest.warns(NotPrivateWarning):
            return private.fit(universe, given, **columns).release_

    undisturbed = released()
    assert killing_one(spark, released).to_json() == undisturbed.to_json()
    exact = np.bincount(rows["item"], minlength=ITEMS)
    assert (killing_one(spark, lambda: count(universe, given, key="item")) == exact).all()
