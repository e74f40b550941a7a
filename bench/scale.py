r"""What is in docs/SCALE.md: counting private demand, and clustering items, beyond one machine's memory.

    python bench/scale.py count 1000000 10000000     # rows that Sail makes where they are counted
    python bench/scale.py items 200000 1000          # items of 16 values and k, against one machine

A line of JSON a measurement: elapsed seconds, processor seconds of this process (in which Sail runs
its tasks), and the peak of its memory. Needs kmedian[spark] and pysail.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
import warnings
from typing import Any, Callable

import numpy as np

os.environ.setdefault("RUST_LOG", "error")
warnings.simplefilter("ignore")

ITEMS = 3376
DIMS = 16
_RUNNING: list[Any] = []


def measured(what: str, work: Callable[[], Any], **more: Any) -> Any:
    """Does something, and prints what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    row = {
        "what": what,
        **more,
        "seconds": round(time.perf_counter() - wall, 2),
        "processor_seconds": round(time.process_time() - cpu, 2),
        "peak_MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(row), flush=True)
    return found


def session() -> Any:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start()
    # It ends when it is forgotten.
    _RUNNING.append(server)
    return SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()


def count(sizes: list[int]) -> None:
    """Private counts of rows that the cluster makes, by key, with and without units; at the end that
    they are exact."""
    from kmedian import PrivateKMedian
    from kmedian import count as counted

    spark = session()
    universe = np.random.default_rng(0).random((ITEMS, 2)).astype(np.float32)
    for rows in sizes:
        made = spark.range(0, rows, 1, 16).selectExpr(
            f"(id * 2654435761) % {ITEMS} as item", f"(id * 40503) % {max(rows // 20, 1)} as user"
        )
        private = PrivateKMedian(20, epsilon=1, random_state=0, effort="fast")
        measured("private, records", lambda: private.fit(universe, made.select("item")), rows=rows)
        owned = PrivateKMedian(20, epsilon=1, max_per_unit=5, random_state=0, effort="fast")
        measured("private, units of at most 5", lambda: owned.fit(universe, made, key="item", unit="user"), rows=rows)
        exact = np.bincount(np.arange(rows) * 2654435761 % ITEMS, minlength=ITEMS)
        print(json.dumps({"what": "exact", "rows": rows, "same": bool((counted(universe, made.select("item")) == exact).all())}))


def items(n: int, k: int) -> None:
    """The cost of rounds over a folder of Parquet files, in bounded memory, against one machine."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq
    from kmedian import KMedian

    rng = np.random.default_rng(1)
    places = rng.normal(size=(2 * k, DIMS)) * 3
    names = [f"x{at}" for at in range(DIMS)]
    with tempfile.TemporaryDirectory() as folder:
        with pq.ParquetWriter(f"{folder}/points.parquet", pa.schema([(name, pa.float32()) for name in names])) as writer:
            for at in range(0, n, 100_000):
                rows = min(100_000, n - at)
                part = (places[rng.integers(2 * k, size=rows)] + rng.normal(size=(rows, DIMS))).astype(np.float32)
                writer.write_table(pa.table(list(part.T), names=names))
        memory = max(n // 8, 5 * k) * (24 * DIMS + 160)
        large = KMedian(k, random_state=0, memory=memory)
        measured("rounds", lambda: large.fit(ds.dataset(folder)), rows=n, k=k, memory_MiB=memory >> 20)
        whole = pq.read_table(folder).to_pandas().to_numpy()
        one = KMedian(k, random_state=0, effort="balanced")
        measured("one machine, balanced", lambda: one.fit(whole), rows=n, k=k)
        said = {"rounds": large.inertia_, "costs": large.summary_.costs, "one": one.inertia_}
        print(json.dumps({"what": "cost", **said, "ratio": large.inertia_ / one.inertia_}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["count", "items"])
    parser.add_argument("numbers", type=int, nargs="+")
    given = parser.parse_args()
    if given.what == "count":
        count(given.numbers)
    else:
        items(*given.numbers)
