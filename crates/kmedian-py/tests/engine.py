"""A Spark engine in this process, for tests: Sail, which needs no Java."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

# What it says about itself, on standard error.
os.environ.setdefault("RUST_LOG", "error")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Sail on the loopback interface."""
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
