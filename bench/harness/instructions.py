"""Instruction counts of the hot loops, which no other load on the machine can change."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness.tables import aligned

NAME = "instructions"
# By the name of its count: the loop, the vector unit that it is run with, and what it is. Of the
# units that have instructions of their own, valgrind's processor has AVX2 alone.
LOOPS = {
    "l2": ("l2", "avx2", "scan of vectors, l2, AVX2"),
    "l2-portable": ("l2", "portable", "scan of vectors, l2, no vector unit"),
    "plane": ("plane", "avx2", "scan of groups in the plane, AVX2"),
    "plane-portable": ("plane", "portable", "scan of groups in the plane, no vector unit"),
    "graph": ("graph", "avx2", "pruned Dijkstra on a graph"),
}
# A loop that needs more than this above its baseline has become slower.
TOLERANCE = 0.05


def run(root: Path, target: Path, baseline: Path, accept: bool) -> None:
    """Counts, compares, and with `accept` (or where there is no baseline) keeps the counts."""
    if not has_valgrind():
        print("bench: skipping instructions: valgrind is absent and could not be installed")
        return
    cargo = os.environ.get("CARGO", "cargo")
    example = ["build", "--release", "--package", "kmedian", "--example", "hot_loops"]
    subprocess.run([cargo, *example], cwd=root, check=True)
    binary = target / "release" / "examples" / "hot_loops"
    counts = {name: count(binary, loop, unit) for name, (loop, unit, _) in LOOPS.items()}
    before = read(baseline)
    print("\n" + report(counts, before))
    if accept or not before:
        baseline.parent.mkdir(exist_ok=True)
        baseline.write_text(json.dumps(counts, indent=2) + "\n")
        print(f"bench: {baseline.name} is the new baseline\n")


def has_valgrind() -> bool:
    """Whether there is valgrind, which is installed if it can be."""
    if shutil.which("valgrind") is None and shutil.which("apt-get") is not None:
        print("bench: installing valgrind: apt-get install valgrind")
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "valgrind"], check=False)
    return shutil.which("valgrind") is not None


def count(binary: Path, loop: str, unit: str) -> int:
    """The instructions inside `measured`, and in all that it calls, with a vector unit."""
    with tempfile.TemporaryDirectory() as folder:
        callgrind = [
            "valgrind",
            "--tool=callgrind",
            "--toggle-collect=hot_loops::measured*",
            f"--callgrind-out-file={folder}/out",
        ]
        command = [*callgrind, str(binary), loop]
        environment = {**os.environ, "KMEDIAN_VECTOR_UNIT": unit}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    collected = re.search(r"Collected *: *(\d+)", done.stderr)
    if done.returncode != 0 or collected is None or int(collected[1]) == 0:
        raise SystemExit(f"bench: callgrind did not count the loop {loop}:\n{done.stderr}")
    return int(collected[1])


def read(path: Path) -> dict[str, int]:
    """Kept counts; none if there is no file."""
    return json.loads(path.read_text()) if path.exists() else {}


def report(counts: dict[str, int], before: dict[str, int]) -> str:
    """A table of counts against the baseline, and a warning for every loop that has grown."""
    rows, warnings = [], []
    for loop, now in counts.items():
        change = now / before[loop] - 1 if loop in before else None
        told = "" if change is None else f"{change:+.1%}"
        rows.append([loop, LOOPS[loop][2], f"{now / 1e6:,.1f}", told])
        if change is not None and change > TOLERANCE:
            warnings.append(f"WARN   {loop} needs {told} instructions (more than {TOLERANCE:.0%})")
    table = aligned(["loop", "what it is", "million instructions", "against the baseline"], rows)
    return "\n".join(
        ["## Instructions of the hot loops (`instructions`)", "", *table, "", *warnings]
    )
