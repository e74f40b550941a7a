r"""What is in docs/SCALE.md: counting private demand, and clustering items, beyond one machine's memory.

    python bench/scale.py count 1000000 10000000     # rows that Sail makes where they are counted
    python bench/scale.py items 200000 1000          # items of 16 values and k, against one machine
    python bench/scale.py points 2000000 1000 --folder points   # writes such items into Parquet files
    /usr/bin/time -v kmedian fit 'points/*.parquet' -k 1000 --memory 256MiB --json
    python bench/scale.py kmeans 1000 --folder points           # Spark ML's KMeans of them, snapped to items
    python bench/scale.py executors 100 3 --folder points       # two executors against one, three times each

A line of JSON a measurement: elapsed seconds, processor seconds of this process (in which Sail runs
its tasks) and of processes that it has started (Java), and the peak of its memory. Needs
kmedian[spark] and pysail; kmeans and executors need pyspark and Java instead, and kmeans no kmedian.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import resource
import sys
import tempfile
import time
import warnings
from typing import Any, Callable

import numpy as np

os.environ.setdefault("RUST_LOG", "error")
warnings.simplefilter("ignore")

ITEMS = 3376
DIMS = 16
FILE = 1_000_000
_RUNNING: list[Any] = []


def measured(what: str, work: Callable[[], Any], **more: Any) -> Any:
    """Does something, and prints what it took."""
    wall, cpu = time.perf_counter(), _processor()
    found = work()
    row = {
        "what": what,
        **more,
        "seconds": round(time.perf_counter() - wall, 2),
        "processor_seconds": round(_processor() - cpu, 2),
        "peak_MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(row), flush=True)
    return found


def _processor() -> float:
    """Processor seconds of this process, and of the processes that it and they have started."""
    fields = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                pid, rest = file.read().split(" ", 1)
        except OSError:
            continue
        rest = rest.rsplit(")", 1)[1].split()
        fields[int(pid)] = (int(rest[1]), int(rest[11]) + int(rest[12]))
    mine, ticks = [os.getpid()], 0
    for process in mine:
        ticks += fields.get(process, (0, 0))[1]
        mine += [pid for pid, (parent, _) in fields.items() if parent == process]
    return ticks / os.sysconf("SC_CLK_TCK")


def session() -> Any:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start()
    # It ends when it is forgotten.
    _RUNNING.append(server)
    return SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()


def kmeans(folder: str, k: int) -> None:
    """What Spark ML's KMeans costs once each of its means is replaced by the item nearest to it."""
    import pyarrow.parquet as pq
    from pyspark.ml.clustering import KMeans
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[1]").config("spark.driver.memory", "4g").config("spark.ui.enabled", "false")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    table = spark.read.parquet(folder)
    rows = VectorAssembler(inputCols=table.columns, outputCol="features").transform(table).select("features").cache()
    n = rows.count()
    found = measured("Spark ML KMeans", lambda: KMeans(k=k, seed=1).fit(rows).clusterCenters(), rows=n, k=k)
    spark.stop()
    items = np.column_stack(pq.read_table(folder).columns).astype(np.float32)
    snapped = items[_nearest(np.asarray(found, dtype=np.float32), items)[0]]
    print(json.dumps({"what": "cost of KMeans, snapped", "rows": n, "k": k, "cost": float(_nearest(items, snapped)[1].sum())}))


def _nearest(rows: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row the nearest of others, and how far it is."""
    norms = (others.astype(np.float64) ** 2).sum(axis=1)
    found = []
    for part in np.array_split(rows, max(1, len(rows) * len(others) // 10_000_000)):
        found.append((norms - 2 * (part @ others.T)).argmin(axis=1))
    nearest = np.concatenate(found)
    return nearest, np.sqrt(((rows.astype(np.float64) - others[nearest]) ** 2).sum(axis=1))


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


def points(folder: str, n: int, k: int) -> None:
    """Writes items round 2·k places into a folder, a file for each million of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    places = rng.normal(size=(2 * k, DIMS)).astype(np.float32) * 3
    names = [f"x{at}" for at in range(DIMS)]
    os.makedirs(folder, exist_ok=True)
    for file, first in enumerate(range(0, n, FILE)):
        with pq.ParquetWriter(f"{folder}/{file:03}.parquet", pa.schema([(name, pa.float32()) for name in names])) as writer:
            for at in range(first, min(n, first + FILE), 100_000):
                rows = min(100_000, n - at)
                noise = rng.standard_normal(size=(rows, DIMS), dtype=np.float32)
                writer.write_table(pa.table(list((places[rng.integers(2 * k, size=rows)] + noise).T), names=names))


def items(n: int, k: int) -> None:
    """The cost of rounds over a folder of Parquet files, in bounded memory, against one machine."""
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq
    from kmedian import KMedian

    with tempfile.TemporaryDirectory() as folder:
        points(folder, n, k)
        memory = max(n // 8, 5 * k) * (24 * DIMS + 160)
        large = KMedian(k, random_state=0, memory=memory)
        measured("rounds", lambda: large.fit(ds.dataset(folder)), rows=n, k=k, memory_MiB=memory >> 20)
        whole = pq.read_table(folder).to_pandas().to_numpy()
        one = KMedian(k, random_state=0, effort="balanced")
        measured("one machine, balanced", lambda: one.fit(whole), rows=n, k=k)
        said = {"rounds": large.inertia_, "costs": large.summary_.costs, "one": one.inertia_}
        print(json.dumps({"what": "cost", **said, "ratio": large.inertia_ / one.inertia_}))


def executors(folder: str, k: int, times: int) -> None:
    """A fit of a folder of Parquet files by one executor of real Spark and by two, in turns: the time
    of each, the same centers, and at the end the ratio of the medians of the times."""
    from kmedian.spark import KMedian

    took: dict[int, list[float]] = {1: [], 2: []}
    costs = set()
    for _ in range(times):
        for number in took:
            spark = _cluster(number)
            table = spark.read.parquet(folder)
            # The same seed over the same partitions is the same work, in three rounds at most.
            plan = KMedian(k, featuresCol=table.columns, seed=1, memory="256MiB", tol=0.0, maxRounds=3)
            # Starts the workers of Python, which load kmedian.
            plan.fit(table.limit(20 * k))
            begun = time.perf_counter()
            fitted = measured("fit on Spark", lambda: plan.fit(table), executors=number, k=k)
            took[number].append(time.perf_counter() - begun)
            costs.add(fitted.summary.cost)
            said = {"rows": fitted.summary.items, "chunks": fitted.summary.chunks, "rounds": fitted.summary.rounds}
            print(json.dumps({"what": "cost", "executors": number, "cost": fitted.summary.cost, **said}), flush=True)
            spark.stop()
    ratio = float(np.median(took[1]) / np.median(took[2]))
    print(json.dumps({"what": "one executor against two", "ratio": round(ratio, 2), "same": len(costs) == 1}))


def _cluster(number: int) -> Any:
    """A session of real Spark with so many executors of one core and 1,024 MiB, all of which are up."""
    import pyspark
    from pyspark.sql import SparkSession

    # Executors are processes of their own, which find Spark and Python by these.
    os.environ.update(SPARK_HOME=os.path.dirname(pyspark.__file__), SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.log.level": "ERROR",
        # As many partitions however many executors there are.
        "spark.sql.files.minPartitionNum": "16",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[{number},1,1024]")
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    # The driver is one of those that report memory.
    while spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < number + 1:
        time.sleep(0.2)
    return spark


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["count", "items", "points", "kmeans", "executors"])
    parser.add_argument("numbers", type=int, nargs="+")
    parser.add_argument("--folder", default="points")
    given = parser.parse_args()
    if given.what == "count":
        count(given.numbers)
    elif given.what == "items":
        items(*given.numbers)
    else:
        {"points": points, "kmeans": kmeans, "executors": executors}[given.what](given.folder, *given.numbers)
