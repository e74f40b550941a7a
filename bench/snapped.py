"""Raw coordinates of private records: how long it takes to snap them to the items, and in how much memory.

Ten million records lie round 50,000 random places. They are written as CSV and as Parquet, once with coordinates and once
with the id of the nearest place, which SciPy finds. All ways to read them must give the same release: with seeded noise a
release has the same bytes if and only if the counts are the same. Each way is a process of its own, of which the
processor time and the peak of memory are printed. Run by hand, with the Python package, scipy, pyarrow, polars and duckdb
installed, and the command built:

    python bench/snapped.py target/release/kmedian [RECORDS [FOLDER]]

That the releases are the same without noise too, at an infinite ε, which neither command nor package offers, a test shows
on the files of that folder:

    KMEDIAN_SNAPPED=FOLDER cargo test -p kmedian-cli --lib ten_million -- --ignored

The files stay in the folder, if one is given, and are made only once.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from scipy.spatial import cKDTree

ITEMS = 50_000
BATCH = 1_000_000

PUBLIC = ["--id", "id", "--columns", "lat,lon", "--metric", "haversine", "-k", "10", "--epsilon", "1", "--seed", "1"]
NOISE = ["--seeded-noise-not-private", "1"]
# The search for centers that follows takes longer than all the rest unless it is fast; one row has the default options.
SEARCH = ["--effort", "fast", "--memory", "64MiB"]

PYTHON = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from kmedian import PrivateKMedian
way, out = sys.argv[1:]
if way == "python, dataset of Parquet":
    import pyarrow.dataset; demand = pyarrow.dataset.dataset("raw.parquet")
elif way == "python, dataset of CSV":
    import pyarrow.dataset; demand = pyarrow.dataset.dataset("raw.csv", format="csv")
elif way == "python, DuckDB":
    import duckdb; demand = duckdb.sql("select * from 'raw.parquet'")
else:
    import polars; demand = polars.scan_parquet("raw.parquet")
items = pd.read_csv("items.csv")
private = PrivateKMedian(
    10, epsilon=1, metric="haversine", effort="fast", memory="64MiB", random_state=1, noise_seed_for_experiments=1)
private.fit(items[["lat", "lon"]], demand, snap=True).release_.save(out)
"""


def unit(places: np.ndarray) -> np.ndarray:
    """Places on the unit sphere, whose chords are in the order of great-circle distances."""
    lat, lon = np.radians(places.T)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def make(records: int) -> None:
    """Writes the items, and the records in four files."""
    rng = np.random.default_rng(18)
    # As 32-bit floats hold them, so that everybody has the same items.
    items = (rng.random((ITEMS, 2)) * [0.5, 0.8] + [52.1, 4.6]).astype(np.float32).astype(np.float64)
    with open("items.csv", "w") as file:
        file.write("id,lat,lon\n")
        file.writelines(f"p{at},{lat!r},{lon!r}\n" for at, (lat, lon) in enumerate(items.tolist()))
    tree, busy = cKDTree(unit(items)), rng.integers(0, ITEMS, 500)
    kinds = {"raw": pa.schema([("lat", pa.float64()), ("lon", pa.float64())]), "keyed": pa.schema([("id", pa.string())])}
    parquet = {name: pa.parquet.ParquetWriter(f"{name}.parquet", kind) for name, kind in kinds.items()}
    csv = {name: pa.csv.CSVWriter(f"{name}.csv", kind) for name, kind in kinds.items()}
    for at in range(0, records, BATCH):
        count = min(BATCH, records - at)
        round_them = items[rng.choice(busy, count)] + rng.normal(0, 0.02, (count, 2))
        places = np.where(rng.random((count, 1)) < 0.5, round_them, rng.random((count, 2)) * [0.5, 0.8] + [52.1, 4.6])
        places = places.round(6)
        nearest = tree.query(unit(places))[1]
        tables = {
            "raw": pa.table({"lat": places[:, 0], "lon": places[:, 1]}),
            "keyed": pa.table({"id": np.char.add("p", nearest.astype(str))}),
        }
        for name, table in tables.items():
            parquet[name].write_table(table)
            csv[name].write_table(table)
    for writer in [*parquet.values(), *csv.values()]:
        writer.close()


def measured(what: str, command: list[str], out: str) -> str:
    """Runs a process, prints what it took, and returns the hash of the release that it wrote."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if status:
        sys.exit(f"{what}: {errors.decode()}")
    print(
        f"{what:26} {used.ru_utime + used.ru_stime:6.1f} s of processors, {wall:6.1f} s, {used.ru_maxrss / 1024:5.0f} MiB",
        flush=True,
    )
    return hashlib.sha256(Path(out).read_bytes()).hexdigest()


def main() -> None:
    command = str(Path(sys.argv[1]).resolve())
    records = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(sys.argv[3] if len(sys.argv) > 3 else temporary)
        if not Path("keyed.parquet").exists():
            make(records)
        print(f"{records:,} records, {ITEMS:,} items")
        releases = {}
        for form in ("csv", "parquet"):
            for name, how in (("keyed", ["--key", "id"]), ("raw", ["--snap", "lat,lon"])):
                out, what = f"{name}-{form}.json", f"command, {name} {form}"
                run = [command, "private", "items.csv", *PUBLIC, *NOISE, *SEARCH]
                run += ["--demand", f"{name}.{form}", *how]
                Path(out).unlink(missing_ok=True)
                releases[what] = measured(what, [*run, "--release", out], out)
        what, out = "command, default options", "default.json"
        Path(out).unlink(missing_ok=True)
        run = [command, "private", "items.csv", *PUBLIC, *NOISE, "--demand", "raw.parquet", "--snap", "lat,lon"]
        releases[what] = measured(what, [*run, "--release", out], out)
        for way in ("dataset of CSV", "dataset of Parquet", "DuckDB", "Polars"):
            what = f"python, {way}"
            out = f"{way.replace(' ', '-')}.json"
            Path(out).unlink(missing_ok=True)
            releases[what] = measured(what, [sys.executable, "-c", PYTHON, what, out], out)
        same = len(set(releases.values())) == 1
        print("all releases are the same" if same else f"RELEASES DIFFER: {releases}")


if __name__ == "__main__":
    main()
