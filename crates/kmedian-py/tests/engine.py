"""A Spark engine for tests: Sail, in this process and without Java, or real Spark."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

# What it says about itself, on standard error.
os.environ.setdefault("RUST_LOG", "error")


# The master of real Spark, where the tests are to run on it: `cargo xtask spark` says so.
MASTER = os.environ.get("KMEDIAN_SPARK")

# A Java machine that compiles little: jobs of tests are too short for more.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on the loopback interface: of Sail, or of real Spark if that is asked for."""
    yield from real_spark(MASTER) if MASTER else sail()


def sail() -> Iterator[Any]:
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def real_spark(master: str) -> Iterator[Any]:
    import pyspark
    from pyspark.sql import SparkSession

    # Executors are processes of their own, which find Spark and Python by these.
    os.environ.update(
        SPARK_HOME=str(Path(pyspark.__file__).parent), SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable
    )
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        # Three Java machines on one core that others use, too, start within minutes. None of them is to be given up.
        "spark.driver.extraJavaOptions": QUICK_START,
        "spark.executor.extraJavaOptions": QUICK_START,
        "spark.executor.heartbeatInterval": "60s",
        "spark.executor.memory": "1g",
        "spark.log.level": "ERROR",
        "spark.network.timeout": "900s",
        "spark.python.authenticate.socketTimeout": "600s",
        "spark.sql.shuffle.partitions": "4",
        "spark.task.maxFailures": "8",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.worker.timeout": "600",
    }
    builder = SparkSession.builder.master(master)
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


SERVER = """
import sys
from pysail.spark import SparkConnectServer

server = SparkConnectServer("127.0.0.1", 0)
server.start()
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


@contextmanager
def executors_that_have(spark: Any, folder: Path, name: str, module: str) -> Iterator[Any]:
    """A session whose executors find another module of some name, of which the text is given, and none else."""
    folder.mkdir()
    (folder / f"{name}.py").write_text(module)
    if MASTER:
        # What workers of Python are started with.
        variables = spark.sparkContext.environment
        variables["PYTHONPATH"] = str(folder)
        try:
            yield spark
        finally:
            del variables["PYTHONPATH"]
        return
    from pyspark.sql import SparkSession

    # A server in a process of its own, which runs tasks, too.
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{int(server.stdout.readline())}").create()
        yield session
        session.stop()
    finally:
        server.kill()
        server.wait()


def frame(spark: Any, table: pd.DataFrame | pa.Table, parts: int = 3) -> Any:
    """A table as a DataFrame in several partitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = spark.createDataFrame(table)
    return made.repartition(parts)


def random_points(seed: int, n: int, dims: int) -> np.ndarray:
    """Points of a few clusters, as 64-bit floats."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(10, dims)) * 10
    return places[rng.integers(10, size=n)] + rng.normal(size=(n, dims))
