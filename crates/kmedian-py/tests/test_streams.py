"""Demand that comes part after part: whatever hands out Arrow record batches is never collected."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from kmedian import Ledger, PrivateKMedian, ReleaseFailed, count

RNG = np.random.default_rng(5)
ITEMS = RNG.random((40, 2)).round(3)
IDS = [f"s{at}" for at in range(40)]
KEYS = [IDS[at] for at in RNG.integers(0, 30, 700)] + ["nowhere", None]
USERS = [f"u{at}" for at in RNG.integers(0, 60, 701)] + [None]
TABLE = pd.DataFrame({"stop": KEYS, "user": USERS, "other": np.arange(702)})

FORMS = {
    "dataset": lambda path: ds.dataset(path),
    "reader": lambda path: ds.dataset(path).scanner().to_reader(),
    "scanner": lambda path: ds.dataset(path).scanner(batch_size=100),
    "duckdb": lambda path: duckdb.sql(f"select * from '{path}'"),
    "polars": lambda path: pl.scan_parquet(path),
    "stream": lambda path: Streamed(pq.read_table(path)),
}


class Streamed:
    """Something that has nothing but Arrow's C stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.Table.from_pandas(TABLE, preserve_index=False), file, row_group_size=100)
    return str(file)


def released(demand, **options):
    params = {name: options.pop(name) for name in ("max_per_unit", "ledger", "dataset") if name in options}
    private = PrivateKMedian(3, epsilon=1, random_state=1, noise_seed_for_experiments=1, **params)
    with pytest.warns(UserWarning, match="anybody can repeat"):
        return private.fit(ITEMS, demand, ids=IDS, key="stop", **options).release_.to_json()


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_is_the_table(form, path):
    assert released(FORMS[form](path)) == released(TABLE)
    units = {"unit": "user", "max_per_unit": 2}
    assert released(FORMS[form](path), **units) == released(TABLE, **units)
    found = PrivateKMedian(epsilon=1, max_per_unit=2).dry_run_not_private(
        ITEMS, FORMS[form](path), ids=IDS, key="stop", unit="user"
    )
    assert (found.records, found.unknown, found.without_unit) == (702, 2, 0)
    whole = count(ITEMS, TABLE, ids=IDS, key="stop")
    assert (count(ITEMS, FORMS[form](path), ids=IDS, key="stop") == whole).all() and whole.sum() == 700


def test_what_can_be_read_again_can_be_checked_first(path):
    with pytest.raises(ValueError, match="2 of 702 records name no item"):
        PrivateKMedian(epsilon=1).fit(
            ITEMS, pl.scan_parquet(path), ids=IDS, key="stop", check_demand_not_private=True
        )
    known = pl.scan_parquet(path).filter(pl.col("stop").is_in(IDS))
    assert released(known, check_demand_not_private=True) == released(TABLE)
    with pytest.raises(ValueError, match="a reader can be read once"):
        PrivateKMedian(epsilon=1).fit(
            ITEMS, FORMS["reader"](path), ids=IDS, key="stop", check_demand_not_private=True
        )


@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_layout_costs_nothing(form, path, tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    private = PrivateKMedian(3, epsilon=1, ledger=ledger, dataset="visits")
    for options, message in [
        ({"ids": IDS, "key": "shop"}, "there is no column 'shop'; there are stop, user, other"),
        ({"ids": IDS}, "say which column names the item"),
        ({"key": "stop"}, "the keys are text, but without ids"),
        ({"ids": IDS, "key": "other"}, "the keys are numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            private.fit(ITEMS, FORMS[form](path), **options)
    owned = PrivateKMedian(3, epsilon=1, max_per_unit=1, ledger=ledger, dataset="visits")
    for unit, message in [(USERS, "unit must be a column"), ("who", "there is no column 'who'")]:
        with pytest.raises(ValueError, match=message):
            owned.fit(ITEMS, FORMS[form](path), ids=IDS, key="stop", unit=unit)
    assert ledger.dataset("visits").spent == 0


def test_a_query_that_fails_on_a_record_says_nothing_of_it(tmp_path):
    """It runs only after ε is spent, and what it raises may quote a record."""
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 2)
    secret = pd.DataFrame({"word": ["1", "2", "very-secret"]})  # noqa: F841 - DuckDB finds it by its name.
    failing = [
        duckdb.sql("select cast(word as integer) as stop from secret"),
        pl.LazyFrame({"word": ["1", "very-secret"]}).select(stop=pl.col("word").cast(pl.Int64)),
    ]
    for at, demand in enumerate(failing):
        private = PrivateKMedian(2, epsilon=1, ledger=ledger, dataset="visits")
        with pytest.raises(ReleaseFailed, match="stays spent") as told:
            private.fit(ITEMS, demand)
        assert "secret" not in str(told.value) and told.value.__context__ is None
        assert ledger.dataset("visits").spent == at + 1


def test_a_stream_without_records_has_no_demand(path):
    empty = released(pl.scan_parquet(path).filter(pl.col("other") < 0))
    assert empty == released(TABLE[:0])


MEMORY = """
import sys
import numpy as np
from kmedian import count
form, path, out = sys.argv[1:]
if form == "dataset":
    import pyarrow.dataset; demand = pyarrow.dataset.dataset(path)
elif form == "duckdb":
    import duckdb; demand = duckdb.sql(f"select * from '{path}'")
elif form == "polars":
    import polars; demand = polars.scan_parquet(path)
else:
    import pyarrow.parquet; demand = pyarrow.parquet.read_table(path)
found = count(np.arange(1000.0)[:, None], demand, key="stop")
status = open("/proc/self/status").read().splitlines()
peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
open(out, "w").write(f"{int(found.sum())} {peak}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak")
@pytest.mark.parametrize("form", ["dataset", "duckdb", "polars"])
def test_memory_does_not_grow_with_the_records(form, tmp_path):
    """Random numbers of 64 bits, so that sixteen million records take 128 MB. What readers fetch ahead varies by some 20."""

    def peak(form: str, parts: int) -> int:
        file = tmp_path / f"{parts}.parquet"
        if not file.exists():
            with pq.ParquetWriter(file, pa.schema([("stop", pa.int64())])) as writer:
                for _ in range(parts):
                    writer.write_table(pa.table({"stop": RNG.integers(0, 1000, 200_000)}))
        # DuckDB draws its progress on standard output.
        out = tmp_path / "peak.txt"
        subprocess.run([sys.executable, "-c", MEMORY, form, file, out], check=True, stdout=subprocess.DEVNULL)
        records, peak = map(int, out.read_text().split())
        assert records == parts * 200_000
        return peak

    assert peak(form, 80) < peak(form, 4) + 60
    # That this test can fail.
    assert peak("table", 80) > peak("table", 4) + 90
