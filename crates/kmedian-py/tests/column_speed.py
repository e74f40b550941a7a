"""How fast private columns are counted, by kind of column: ``python tests/column_speed.py`` prints a table.

Seconds of processor time, the least of three, and the most memory that counting takes beyond the table itself. Every
kind runs in a process of its own. ``python tests/column_speed.py 50000000`` takes more records than five million.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

RECORDS = 5_000_000
ITEMS = 10_000
OWNERS = 1_000_000
ROUNDS = 3


def numbers(of: int) -> np.ndarray:
    return np.random.default_rng(of).integers(0, of, RECORDS)


def texts(of: int) -> Any:
    """Names in Arrow's layout, made without a Python object for each."""
    import pyarrow
    import pyarrow.compute

    return pyarrow.compute.binary_join_element_wise("stop", pyarrow.array(numbers(of)).cast("string"), "-")


def _frame(arrow: bool) -> Callable[[Any], Any]:
    def made(column: Any) -> Any:
        import pandas

        if isinstance(column, np.ndarray):
            return pandas.Series(column)
        return pandas.Series(column.to_pandas(), dtype="str" if arrow else object)

    return made


def _polars(column: Any) -> Any:
    import polars

    return polars.Series(column) if isinstance(column, np.ndarray) else polars.from_arrow(column)


def _arrow(column: Any) -> Any:
    import pyarrow

    return pyarrow.array(column) if isinstance(column, np.ndarray) else column


def _nullable(column: Any) -> Any:
    import pandas

    return pandas.Series(column).astype("Int64").where(column % 10 > 0)


KINDS: dict[str, tuple[Callable[[int], Any], Callable[[Any], Any]]] = {
    "whole numbers, ndarray": (numbers, np.asarray),
    "whole numbers, pandas": (numbers, _frame(True)),
    "whole numbers, pandas with gaps": (numbers, _nullable),
    "whole numbers, polars": (numbers, _polars),
    "whole numbers, pyarrow": (numbers, _arrow),
    "text, ndarray": (texts, lambda column: np.asarray(column.to_pandas(), dtype="U12")),
    "text, pandas": (texts, _frame(True)),
    "text, pandas of objects": (texts, _frame(False)),
    "text, pandas categories": (texts, lambda column: _frame(True)(column).astype("category")),
    "text, polars": (texts, _polars),
    "text, pyarrow": (texts, _arrow),
    "text, pyarrow dictionary": (texts, lambda column: column.dictionary_encode()),
    "text, list": (texts, lambda column: column.to_pylist()),
}


def peak() -> int:
    """The most memory of this process since it was last asked, in bytes."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


def now() -> int:
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])


def measure(kind: str, by_owner: bool) -> None:
    from kmedian._demand import SealedDemand

    make, column = KINDS[kind]
    keys, owners = column(make(ITEMS)), column(make(OWNERS)) if by_owner else None
    ids = None if make is numbers else [f"stop-{item}" for item in range(ITEMS)]
    most = 5 if by_owner else None
    seconds, memory = float("inf"), 0
    for _ in range(ROUNDS):
        peak()
        before, start = now(), time.process_time()
        sealed = SealedDemand(keys, None, owners)
        sealed.check_layout(ITEMS, None, ids, None, most)
        counts, facts = sealed._read(False).reveal_not_private(most)
        seconds, memory = min(seconds, time.process_time() - start), max(memory, peak() - before)
        assert facts["records"] == RECORDS and counts.sum() > 0
    print(seconds, memory)


def main() -> None:
    print("| column | seconds | MiB | with owners | MiB |\n|---|---:|---:|---:|---:|")
    for kind in KINDS:
        cells = []
        for by_owner in ("", "owners"):
            run = subprocess.run([sys.executable, __file__, str(RECORDS), kind, by_owner], capture_output=True, check=True)
            seconds, memory = map(float, run.stdout.split())
            cells += [f"{seconds:.2f}", f"{memory / 2**20:,.0f}"]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    if len(sys.argv) == 4:
        measure(sys.argv[2], bool(sys.argv[3]))
    else:
        main()
