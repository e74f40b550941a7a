"""Parquet files as Arrow's own writer makes them, read by the command: what only that writer does."""

from __future__ import annotations

import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def universe(tmp_path):
    rows = "".join(f"s{item},{item},{item % 3}\n" for item in range(8))
    (tmp_path / "stops.csv").write_text("stop,x,y\n" + rows)
    return tmp_path


def private(command, folder, name, *more):
    """Counts a table; how that ends, and what is said."""
    fixed = ["private", "stops.csv", "--id", "stop", "--epsilon", "1", "-k", "2", "--demand", name]
    return subprocess.run([command, *fixed, *more], cwd=folder, capture_output=True, text=True)


def stops(*names):
    return pa.table({"stop": pa.array(names, pa.string())})


def test_no_record_ends_like_one(command, universe):
    for name, groups in {
        "none": [],
        "empty": [stops()],
        "one": [stops("s1")],
        "some": [stops("s1"), stops(), stops("s2", "s3"), stops()],
    }.items():
        with pq.ParquetWriter(universe / f"{name}.parquet", stops().schema) as writer:
            for group in groups:
                writer.write_table(group)
    ends = [private(command, universe, f"{name}.parquet") for name in ("none", "empty", "one", "some")]
    assert [(end.returncode, end.stderr) for end in ends] == [(0, ends[0].stderr)] * 4


def test_items_may_be_in_groups_without_rows(command, universe):
    table = pa.table({"x": [1.0, 2.0, 9.0]})
    with pq.ParquetWriter(universe / "items.parquet", table.schema) as writer:
        for group in (table.slice(0, 0), table, table.slice(0, 0)):
            writer.write_table(group)
    done = subprocess.run([command, "fit", "items.parquet", "-k", "3"], cwd=universe, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_decompressed_costs_nothing(command, universe):
    pq.write_table(stops("s1", "s2"), universe / "visits.parquet", compression="brotli")
    made = [command, "ledger", "create", "l.db", "--dataset", "a", "--budget", "1"]
    subprocess.run(made, cwd=universe, check=True, capture_output=True)
    refused = private(command, universe, "visits.parquet", "--ledger", "l.db", "--dataset", "a")
    assert refused.returncode == 2
    assert "brotli" in refused.stderr and "spent" not in refused.stderr
    shown = subprocess.run([command, "ledger", "list", "l.db"], cwd=universe, capture_output=True, text=True, check=True)
    assert "0" in shown.stdout.split()
