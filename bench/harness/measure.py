"""One run: a process that is launched, timed, and asked what it found."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.methods import Limits

BENCH = Path(__file__).resolve().parent.parent
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
MEMORY_COMPLAINTS = ("MemoryError", "Unable to allocate", "bad_alloc", "memory allocation")


@dataclass(frozen=True)
class Measured:
    """What a process took, and what it said. No answer: the outcome says why."""

    outcome: str
    # With one thread the time of the processor, which other work on the machine hardly changes;
    # with more by the clock.
    seconds: float
    peak_mib: float
    answer: dict[str, Any] | None


def of_one_fit(answer: dict) -> dict:
    """The answer of `kmedian fit --json` for one k, with what it says of all k; peers print it like that."""
    if "fits" not in answer:
        return answer
    (fit,) = answer.pop("fits")
    seconds = {**answer.pop("seconds", {}), **fit.pop("seconds", {})}
    return {**answer, **fit, "seconds": seconds}


def measure(command: list[str], threads: int, limits: Limits) -> Measured:
    """Runs a command in a process of its own."""
    environment = os.environ | {name: str(threads) for name in THREAD_VARIABLES}
    environment["PYTHONPATH"] = str(BENCH)
    launcher = [sys.executable, "-I", "-S", str(BENCH / "harness" / "launch.py")]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        limit = [str(limits.seconds), str(limits.gib)]
        done = subprocess.run(
            [*launcher, str(report), *limit, *command],
            env=environment,
            capture_output=True,
            text=True,
        )
        usage = json.loads(report.read_text())
    outcome = outcome_of(usage["code"], usage["overdue"], done.stderr)
    if outcome == "failed":
        print(done.stderr, file=sys.stderr)
    answer = of_one_fit(json.loads(done.stdout)) if outcome == "ok" else None
    seconds = usage["processor" if threads == 1 else "seconds"]
    return Measured(outcome, seconds, usage["peak_mib"], answer)


def outcome_of(code: int, overdue: bool, complaint: str) -> str:
    """Why there is an answer, or none."""
    if code == 0:
        return "ok"
    if overdue:
        return "time limit"
    if code == -9 or any(words in complaint for words in MEMORY_COMPLAINTS):
        return "out of memory"
    return "failed"
