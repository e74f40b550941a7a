"""What the machine can do at best: the limits that hot loops are held against."""

import json
import os
import subprocess
import sys
from pathlib import Path

from harness.tables import aligned

NAME = "limits"

# In a process of its own, as BLAS reads the number of threads when it is loaded.
PROBE = """
import json, time
import numpy as np

def best(work, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)

side = 4096
a, b, c = (np.ones((side, side), np.float32) for _ in range(3))
product = best(lambda: np.matmul(a, b, out=c))
big = np.ones(1 << 27, np.float32)
reading = best(lambda: big.sum())
print(json.dumps({"gemm": 2 * side**3 / product / 1e9, "read": big.nbytes / reading / 1e9}))
"""


def run(to: Path) -> None:
    """Measures one thread, and keeps and prints what it can do."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, **threads},
        capture_output=True,
        text=True,
        check=True,
    )
    to.parent.mkdir(exist_ok=True)
    to.write_text(done.stdout)
    print("\n" + report(to))


def report(kept: Path) -> str:
    """The limits as a table."""
    limits = json.loads(kept.read_text())
    rows = [
        ["product of two 4096 × 4096 matrices (numpy, float32)", f"{limits['gemm']:.0f} GFlop/s"],
        ["sum over 512 MiB (numpy, float32)", f"{limits['read']:.1f} GB/s"],
    ]
    return "\n".join(aligned(["one thread", "rate"], rows)) + "\n"
