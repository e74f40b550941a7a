"""``KMedian.fit`` of a dataset that is read in chunks, and never collected."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from engine import random_points
from kmedian import KMeansMedoids, KMedian

POINTS = random_points(5, 9000, 4).astype(np.float32)
# Room for about 1,500 rows.
MEMORY = 1500 * (24 * 4 + 160)


@pytest.fixture
def folder(tmp_path):
    for at in range(3):
        part = POINTS[at * 3000 : (at + 1) * 3000]
        pq.write_table(pa.table(list(part.T), names=list("abcd")), tmp_path / f"{at}.parquet", row_group_size=700)
    return str(tmp_path)


@pytest.mark.parametrize("estimator", [KMedian, KMeansMedoids])
def test_a_dataset_costs_what_a_table_does(estimator, folder):
    large = estimator(10, random_state=1, memory=MEMORY).fit(ds.dataset(folder))
    small = estimator(10, random_state=1).fit(POINTS)
    assert large.inertia_ <= 1.02 * small.inertia_
    assert (POINTS[large.medoid_indices_] == large.cluster_centers_).all()
    assert large.summary_.chunks >= 6 and large.summary_.items == 9000
    assert -large.score(POINTS) == pytest.approx(large.inertia_, rel=1e-5)
    assert len(large.predict(POINTS)) == 9000


def test_same_seed_same_answer_with_any_number_of_threads(folder):
    found = [KMedian(6, random_state=3, memory=MEMORY, n_jobs=jobs).fit(ds.dataset(folder)) for jobs in (1, 2)]
    assert (found[0].medoid_indices_ == found[1].medoid_indices_).all()
    lazy = KMedian(6, random_state=3, memory=MEMORY).fit(pl.scan_parquet(f"{folder}/*.parquet"))
    assert (lazy.medoid_indices_ == found[0].medoid_indices_).all()


def test_the_command_finds_the_same(folder, command):
    """The command reads the same rows in the same chunks, so that its centers are the same."""
    large = KMedian(10, random_state=1, memory=MEMORY).fit(ds.dataset(folder))
    options = ["-k", "10", "--seed", "1", "--memory", str(MEMORY), "--json"]
    ran = subprocess.run([command, "fit", f"{folder}/*.parquet", *options], check=True, capture_output=True, text=True)
    (found,) = json.loads(ran.stdout)["fits"]
    assert found["center_indices"] == large.medoid_indices_.tolist()
    assert found["cost"] == pytest.approx(large.inertia_, rel=1e-9)


def test_what_cannot_be_is_refused(folder, tmp_path):
    dataset = ds.dataset(folder)
    bad = POINTS[:100].copy()
    bad[41, 2] = np.nan
    pq.write_table(pa.table(list(bad.T), names=list("abcd")), tmp_path / "x.parquet")
    for given, options, message in [
        (dataset, {"n_restarts": 1}, "n_restarts is for items that fit memory"),
        (dataset, {"metric": "precomputed"}, "are vectors"),
        (dataset, {"memory": 1000}, "too little for chunks"),
        (dataset, {"n_clusters": 9001}, "9001|9000"),
        (dataset.filter(ds.field("a") > 1e9), {}, "X has no rows"),
        (ds.dataset(str(tmp_path / "x.parquet")), {}, "column 'c', row 41 .*is not finite"),
    ]:
        with pytest.raises(ValueError, match=message):
            KMedian(**{"n_clusters": 3, **options}).fit(given)


MEASURED = """
import sys
import pyarrow.dataset as ds
from kmedian import KMedian
found = KMedian(20, random_state=0, memory="32MiB").fit(ds.dataset(sys.argv[1]))
status = open("/proc/self/status").read().splitlines()
print(found.summary_.items, next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    def peak(parts: int) -> int:
        rng = np.random.default_rng(0)
        file = tmp_path / f"{parts}.parquet"
        with pq.ParquetWriter(file, pa.schema([(name, pa.float32()) for name in "abcdefgh"])) as writer:
            for _ in range(parts):
                writer.write_table(pa.table(list(rng.random((8, 50_000), dtype=np.float32)), names=list("abcdefgh")))
        out = subprocess.run([sys.executable, "-c", MEASURED, file], check=True, capture_output=True, text=True).stdout
        items, found = map(int, out.split())
        assert items == parts * 50_000
        return found

    # In one chunk, 450,000 more rows would take 158 MB more.
    assert peak(12) < peak(3) + 80
