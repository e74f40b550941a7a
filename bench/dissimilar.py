"""Texts, sets, sparse rows and mixed tables: kmedian against the matrix that others need.

All data is of one public text, the 31,102 verses that Debian's package `bible-kjv` ships: 20,000
of them as rows of TF-IDF (scikit-learn), 5,000 of its words as strings, 5,000 verses as sets of
words, and 5,000 as a table of three numbers and three categories. The peer is `kmedoids`
(FasterPAM) on a full matrix, made by what is usual for it (scikit-learn, rapidfuzz, SciPy, the
package `gower`) and read in the memory order that it is fastest in.

    apt-get install bible-kjv
    pip install kmedian kmedoids scikit-learn scipy pandas rapidfuzz gower
    python bench/dissimilar.py [--repeat N] [--only JOB]    # N runs of each, 3 unless told
    python bench/dissimilar.py --tables                     # from the kept rows; runs nothing

Every run is a process of its own, on one thread, and the methods take turns; a repeat's number is
its seed. Seconds are processor time from the data in memory to the centers; MiB are the peak of
what the process took beyond the data and the packages, which are loaded, and have clustered a few
of the items, before. Costs are computed here from the centers, the same way for both.
Rows are kept in `results/dissimilar.jsonl`; medians and verdicts are printed from them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas
    import scipy.sparse

    Items = list[str] | list[list[str]] | scipy.sparse.csr_matrix | pandas.DataFrame
    Row = dict[str, str | int | float]

K = 20
KEPT = Path(__file__).parent / "results" / "dissimilar.jsonl"
UNSORTED = "tf-idf unsorted, angular"
JOBS = ["tf-idf, angular", "tf-idf, cosine", UNSORTED]
JOBS += ["words, levenshtein", "sets, jaccard", "table, gower"]
METHODS = ["kmedian", "matrix + kmedoids"]

# What is imported before the clock runs, for both.
PACKAGES = ["gower", "kmedian", "kmedoids", "rapidfuzz.process", "sklearn.preprocessing"]

# How many of the items each method clusters before the clock runs, so that what is loaded on first
# use, such as pages of code, does not count as memory.
FIRST = 200

# By how much float32 sums of a peer's matrix may tell two costs apart that are the same.
ROUNDING = 1e-6


def verses() -> list[tuple[str, str]]:
    """The name of every verse, such as `Ge1:1`, and its text."""
    whole = ["bible", "-f", "gen1:1-rev22:21"]
    printed = subprocess.run(whole, capture_output=True, check=True).stdout.decode("latin-1")
    return [tuple(line.split(" ", 1)) for line in printed.splitlines()]


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def data(job: str) -> Items:
    """What is to be clustered."""
    all_of_them = verses()
    rng = np.random.default_rng(20)
    if job.startswith("words"):
        words = sorted({word for _, text in all_of_them for word in words_of(text)})
        return [words[at] for at in rng.permutation(len(words))[:5000]]
    wanted = 20_000 if job.startswith("tf-idf") else 5000
    some = [all_of_them[at] for at in np.sort(rng.permutation(len(all_of_them))[:wanted])]
    names, texts = [name for name, _ in some], [text for _, text in some]
    if job.startswith("tf-idf"):
        from sklearn.feature_extraction.text import TfidfVectorizer

        rows = TfidfVectorizer(dtype=np.float32).fit_transform(texts)
        if job != UNSORTED:
            # As SciPy's own rows are; kmedian uses such rows where they are, and copies others.
            rows.sort_indices()
        return rows
    if job.startswith("sets"):
        return [sorted(set(words_of(text))) for text in texts]
    import pandas

    return pandas.DataFrame(
        {
            "book": [re.match(r"\d?[A-Za-z]+", name)[0] for name in names],
            "chapter": [int(re.search(r"(\d+):", name)[1]) for name in names],
            "verse": [int(re.search(r":(\d+)", name)[1]) for name in names],
            "letters": [len(text) for text in texts],
            "begins": [text.split()[0].lower() for text in texts],
            "ends": [text[-1] for text in texts],
        }
    )


def matrix(job: str, items: Items) -> np.ndarray:
    """All distances, by what is usual for them, in 32 bits: floats, or whole numbers of edits."""
    if job.startswith("tf-idf"):
        from sklearn.preprocessing import normalize

        cosines = products(normalize(items))
        np.fill_diagonal(np.clip(cosines, -1, 1, out=cosines), 1)
        if job.endswith("cosine"):
            return np.subtract(1, cosines, out=cosines)
        return np.divide(np.arccos(cosines, out=cosines), np.float32(np.pi), out=cosines)
    if job.startswith("words"):
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        return cdist(items, items, scorer=Levenshtein.distance, dtype=np.int32, workers=1)
    if job.startswith("sets"):
        from sklearn.preprocessing import MultiLabelBinarizer

        # By products of SciPy's sparse matrices, as its `pdist` takes minutes.
        rows = MultiLabelBinarizer(sparse_output=True).fit_transform(items).astype(np.float32)
        common, sizes = products(rows), np.asarray(rows.sum(axis=1)).ravel()
        for row, size in zip(common, sizes, strict=True):
            row /= size + sizes - row
        return np.subtract(1, common, out=common)
    return beside(items, items)


def products(rows: scipy.sparse.csr_matrix) -> np.ndarray:
    """The inner products of all sparse rows; a thousand rows at a time, to save memory."""
    found = np.empty((rows.shape[0], rows.shape[0]), dtype=np.float32)
    for at in range(0, len(found), 1000):
        found[at : at + 1000] = (rows[at : at + 1000] @ rows.T).toarray()
    return found


def beside(table: pandas.DataFrame, others: pandas.DataFrame) -> np.ndarray:
    """Gower's dissimilarity of the rows of a table to some of them. Categories are numbered, as
    the package compares numbers many times as fast as texts."""
    import gower
    import pandas

    categories = [not pandas.api.types.is_numeric_dtype(table[name]) for name in table]
    coded = {
        name: table[name].factorize()[0] if category else table[name]
        for name, category in zip(table, categories, strict=True)
    }
    rows = pandas.DataFrame(coded, table.index, dtype=np.float64)
    return gower.gower_matrix(
        rows.to_numpy(), rows.loc[others.index].to_numpy(), cat_features=categories
    )


def ours(job: str, items: Items, seed: int) -> np.ndarray:
    from kmedian import KMedian

    # One search, as theirs is.
    chosen = {"metric": job.split(", ")[1], "effort": "certified", "n_restarts": 0, "n_jobs": 1}
    return KMedian(K, random_state=seed, **chosen).fit(items).medoid_indices_


def theirs(job: str, items: Items, seed: int) -> np.ndarray:
    import kmedoids

    # Symmetric, so its transpose is free, and FasterPAM reads columns.
    distances = matrix(job, items).T
    return np.asarray(kmedoids.fasterpam(distances, K, random_state=seed, n_cpu=1).medoids)


def cost(job: str, items: Items, centers: np.ndarray) -> float:
    """The sum of the distances to the nearest of the centers."""
    if job.startswith("tf-idf"):
        rows = items.astype(np.float64)
        norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1))).ravel()
        cosines = (rows @ rows[centers].T).toarray() / norms[:, None] / norms[centers]
        nearest = np.clip(cosines, -1, 1).max(axis=1)
        return float((1 - nearest if job.endswith("cosine") else np.arccos(nearest) / np.pi).sum())
    if job.startswith("table"):
        return float(beside(items, items.iloc[centers]).astype(np.float64).min(axis=1).sum())
    return float(matrix(job, items)[:, centers].astype(np.float64).min(axis=1).sum())


def memory(of: str) -> float:
    """The MiB that the kernel says this process has (`VmRSS`), or had at most (`VmHWM`)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{of}:\s+(\d+) kB", status)[1]) / 1024


def run(job: str, method: str, folder: str, seed: str) -> None:
    """One method in this process; prints what it took."""
    with open(Path(folder, "items.pickle"), "rb") as file:
        items = pickle.load(file)
    for package in PACKAGES:
        importlib.import_module(package)
    some = items.iloc[:FIRST] if hasattr(items, "iloc") else items[:FIRST]
    cluster = ours if method == "kmedian" else theirs
    cluster(job, some, int(seed))
    Path("/proc/self/clear_refs").write_text("5")  # The peak is that from now on.
    before, began = memory("VmRSS"), time.process_time()
    centers = cluster(job, items, int(seed))
    taken = time.process_time() - began
    mib = memory("VmHWM") - before
    np.save(Path(folder, "centers.npy"), centers)
    print(json.dumps({"seconds": round(taken, 3), "mib": round(mib, 2)}))


def measured(job: str, repeats: int) -> list[Row]:
    """The rows of a job."""
    items = data(job)
    shape = {"job": job, "n": len(items) if isinstance(items, list) else items.shape[0], "k": K}
    if hasattr(items, "indptr"):
        bytes_of = items.data.nbytes + items.indices.nbytes + items.indptr.nbytes
        shape["data_mib"] = round(bytes_of / 2**20, 2)
    one = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        with open(Path(folder, "items.pickle"), "wb") as file:
            pickle.dump(items, file)
        for repeat in range(repeats):
            for method in METHODS:
                command = [sys.executable, __file__, "--run", job, method, folder, str(repeat)]
                done = subprocess.run(
                    command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | one
                )
                row = shape | {"method": method, "repeat": repeat} | json.loads(done.stdout)
                row["cost"] = cost(job, items, np.load(Path(folder, "centers.npy")))
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    return rows


def tables(rows: list[Row]) -> None:
    """Prints medians, and what they show."""
    print("| | items | | seconds | × | MiB | × | cost | × |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    verdicts = []
    for job in dict.fromkeys(row["job"] for row in rows):
        middle = {}
        for method in METHODS:
            of = [row for row in rows if (row["job"], row["method"]) == (job, method)]
            middles = {key: median(row[key] for row in of) for key in ["seconds", "mib", "cost"]}
            middle[method] = middles
        peer = middle[METHODS[1]]
        for method, here in middle.items():
            cells = [f"{here['seconds']:.2f}", f"{here['seconds'] / peer['seconds']:.2f}"]
            cells += [f"{here['mib']:,.1f}", f"{here['mib'] / peer['mib']:.3f}"]
            cells += [f"{here['cost']:,.2f}", f"{here['cost'] / peer['cost']:.4f}"]
            print(f"| {job} | {of[0]['n']:,} | {method} | {' | '.join(cells)} |")
        us = middle[METHODS[0]]
        share = us["cost"] / peer["cost"]
        verdicts.append((share <= 1 + ROUNDING, f"{job}: cost no higher", f"{share:.5f} of it"))
        share = us["seconds"] / peer["seconds"]
        verdicts.append((share <= 1, f"{job}: no more time", f"{share:.2f} of it"))
        if "data_mib" in of[0]:
            times = us["mib"] / of[0]["data_mib"]
            said = f"{times:.2f} times its {of[0]['data_mib']} MiB"
            verdicts.append((times <= 3, f"{job}: memory within 3 × the CSR", said))
        else:
            share = us["mib"] / peer["mib"]
            verdicts.append((share <= 1, f"{job}: no more memory", f"{share:.3f} of it"))
    print()
    for holds, what, said in verdicts:
        print(f"- {'PASS' if holds else 'LIMIT'} {what}: {said}")


def kept() -> list[Row]:
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="runs of each method")
    parser.add_argument("--only", choices=JOBS, help="this job alone; the rows of others are kept")
    parser.add_argument("--tables", action="store_true", help="print the kept rows; run nothing")
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        return run(*asked.run)
    for job in [] if asked.tables else [asked.only] if asked.only else JOBS:
        found = measured(job, asked.repeat)
        rows = [row for row in kept() if row["job"] != job] + found
        rows.sort(key=lambda row: JOBS.index(row["job"]))
        KEPT.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tables(kept())


if __name__ == "__main__":
    main()
