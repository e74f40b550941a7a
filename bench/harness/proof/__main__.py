"""By hand, in parts: `python -m harness.proof BINARY DATA ROWS [--quick] [PART…]`."""

import os
import sys
from pathlib import Path

from harness.proof.rows import read
from harness.proof.runs import run
from harness.proof.tables import report
from harness.store import Store


def main() -> None:
    binary, data, rows, *parts = sys.argv[1:]
    root = Path(__file__).resolve().parents[3]
    store = Store(root.parent / "shared" / "data", Path(data))
    os.nice(5)
    run(
        Path(binary),
        store,
        Path(rows),
        "--quick" in parts,
        [part for part in parts if part != "--quick"],
    )
    print(report(read(Path(rows))))


if __name__ == "__main__":
    main()
