"""Texts, sets, sparse rows and mixed tables: kmedian against the matrix that others need.

All data is of one public text, the 31,102 verses of Debian's package `bible-kjv`: 20,000 verses as rows of TF-IDF, 5,000 of its words as
strings, 5,000 verses as sets of words, and a table of 5,000 verses with three numbers and three categories. The peer is `kmedoids`
(FasterPAM) on a full matrix, which is made by what is usual for it: scikit-learn, rapidfuzz, SciPy, the package `gower`. Every run is
a process of its own, on one thread; the methods take turns. Seconds are processor time from the data in memory to the centers,
MiB the peak of the process; costs are computed here from the centers, in float64. Run by hand, with the Python package,
scikit-learn, scipy, kmedoids, rapidfuzz and gower installed:

    python bench/dissimilar.py [REPEATS]

Rows are kept in `results/dissimilar.jsonl`.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

K = 20
KEPT = Path(__file__).parent / "results" / "dissimilar.jsonl"
JOBS = ["tf-idf, angular", "tf-idf, cosine", "words, levenshtein", "sets, jaccard", "table, gower"]
METHODS = ["kmedian", "matrix + kmedoids"]


def data(job: str) -> Any:
    """What is to be clustered."""
    printed = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, check=True)
    lines = [line.split(" ", 1) for line in printed.stdout.decode("latin-1").splitlines()]
    rng = np.random.default_rng(20)
    texts = [text for _, text in lines]
    if job.startswith("tf-idf"):
        from sklearn.feature_extraction.text import TfidfVectorizer

        some = [texts[at] for at in np.sort(rng.permutation(len(texts))[:20_000])]
        rows = TfidfVectorizer(dtype=np.float32).fit_transform(some)
        return rows[rows.getnnz(axis=1) > 0]
    if job.startswith("words"):
        words = sorted({word for text in texts for word in re.findall(r"[a-z]+", text.lower())})
        return [words[at] for at in rng.permutation(len(words))[:5000]]
    some = np.sort(rng.permutation(len(lines))[:5000])
    if job.startswith("sets"):
        return [sorted(set(re.findall(r"[a-z]+", texts[at].lower()))) for at in some]
    import pandas

    return pandas.DataFrame(
        {
            "book": [re.match(r"\d?[A-Za-z]+", lines[at][0])[0] for at in some],
            "chapter": [int(re.search(r"(\d+):", lines[at][0])[1]) for at in some],
            "verse": [int(re.search(r":(\d+)", lines[at][0])[1]) for at in some],
            "letters": [len(texts[at]) for at in some],
            "begins": [texts[at].split()[0].lower() for at in some],
            "ends": [texts[at][-1] for at in some],
        }
    )


def matrix(job: str, items: Any) -> np.ndarray:
    """All distances, by what is usual for them, as 32-bit floats."""
    if job.startswith("tf-idf"):
        from sklearn.metrics.pairwise import cosine_distances

        cosine = cosine_distances(items)
        if job.endswith("cosine"):
            return cosine
        np.subtract(1, cosine, out=cosine)
        return np.arccos(np.clip(cosine, -1, 1, out=cosine), out=cosine) / np.float32(np.pi)
    if job.startswith("words"):
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        return cdist(items, items, scorer=Levenshtein.distance, dtype=np.float32, workers=1)
    if job.startswith("sets"):
        from scipy.spatial.distance import pdist, squareform
        from sklearn.preprocessing import MultiLabelBinarizer

        return squareform(pdist(MultiLabelBinarizer().fit_transform(items).astype(bool), "jaccard").astype(np.float32))
    import gower

    return gower.gower_matrix(items)


def ours(job: str, items: Any) -> np.ndarray:
    from kmedian import KMedian

    metric = job.split(", ")[1]
    return KMedian(K, metric=metric, effort="certified", n_jobs=1, random_state=0).fit(items).medoid_indices_


def theirs(job: str, items: Any) -> np.ndarray:
    import kmedoids

    # Symmetric, so its transpose is free; FasterPAM reads columns.
    return np.asarray(kmedoids.fasterpam(matrix(job, items).T, K, random_state=0, n_cpu=1).medoids)


def cost(job: str, items: Any, centers: np.ndarray) -> float:
    """The sum of the distances to the nearest of the centers."""
    if job.startswith("tf-idf"):
        norms = np.sqrt(np.asarray(items.multiply(items).sum(axis=1), dtype=np.float64)).ravel()
        products = (items @ items[centers].T).toarray().astype(np.float64) / norms[:, None] / norms[centers]
        cosines = np.clip(products, -1, 1).max(axis=1)
        return float((1 - cosines if job.endswith("cosine") else np.arccos(cosines) / np.pi).sum())
    return float(matrix(job, items)[:, centers].astype(np.float64).min(axis=1).sum())


def run(job: str, method: str, folder: str) -> None:
    """One method in this process; prints what it took."""
    items = pickle.loads(Path(folder, "items.pickle").read_bytes())
    import kmedian  # noqa: F401 - before the clock, as the peer's packages are.
    import kmedoids  # noqa: F401
    import sklearn.metrics.pairwise  # noqa: F401

    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    centers = (ours if method == "kmedian" else theirs)(job, items)
    taken = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    np.save(Path(folder, "centers.npy"), centers)
    print(json.dumps({"seconds": taken, "mib": peak / 1024, "mib_before": before / 1024}))


def main(repeats: int) -> None:
    rows = []
    for job in JOBS:
        items = data(job)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "items.pickle").write_bytes(pickle.dumps(items))
            for repeat in range(repeats):
                for method in METHODS:
                    command = [sys.executable, __file__, "--run", job, method, folder]
                    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
                    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
                    row = {"job": job, "n": len(items) if isinstance(items, list) else items.shape[0], "k": K}
                    row |= {"method": method, "repeat": repeat, **json.loads(done.stdout)}
                    row["cost"] = cost(job, items, np.load(Path(folder, "centers.npy")))
                    rows.append(row)
                    print(row, flush=True)
            if hasattr(items, "data") and hasattr(items, "indptr"):
                print("CSR:", (items.data.nbytes + items.indices.nbytes + items.indptr.nbytes) / 2**20, "MiB")
    KEPT.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print("\n| | items | kmedian: s | MiB | cost | matrix + kmedoids: s | MiB | cost |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for job in JOBS:
        cells = []
        for method in METHODS:
            of = [row for row in rows if (row["job"], row["method"]) == (job, method)]
            middle = sorted(of, key=lambda row: row["seconds"])[len(of) // 2]
            cells += [f"{middle['seconds']:.1f}", f"{middle['mib'] - middle['mib_before']:,.0f}", f"{middle['cost']:,.2f}"]
        print(f"| {job} | {of[0]['n']:,} | {' | '.join(cells)} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
