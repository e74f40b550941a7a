"""Runs in a process of its own, because the peak of memory never falls: how much a fit adds to it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from kmedian import KMedian


def peak() -> int:
    """The most memory that this process has ever had, in bytes. The number of getrusage is its parent's, at first."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024


def given(kind: str) -> tuple[np.ndarray, dict]:
    rng = np.random.default_rng(0)
    if kind == "matrix":
        line = np.sort(rng.random(5000, dtype=np.float32))
        matrix = np.empty((5000, 5000), dtype=np.float32)
        for row, place in zip(matrix, line):
            np.abs(np.subtract(line, place, out=row), out=row)
        return matrix, {"metric": "precomputed"}
    dims = int(kind)
    return rng.random((25_000_000 // dims, dims), dtype=np.float32), {"metric": "l1"}


def main() -> None:
    estimator = KMedian(2, init="random", max_swaps=0, random_state=0)
    # Everything is loaded, and its buffers are there, before anything is measured.
    estimator.fit(np.random.default_rng(1).random((2000, 16), dtype=np.float32))
    X, options = given(sys.argv[1])
    before = peak()
    estimator.set_params(**options).fit(X)
    print((peak() - before) / X.nbytes)


main()
