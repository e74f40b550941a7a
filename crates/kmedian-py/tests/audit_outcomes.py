"""Releases of two neighboring tables through the whole package, for the audit of their noise.

``python audit_outcomes.py A B RUNS [MAX_PER_UNIT]`` makes RUNS private releases of a table, into the file A, and as many
of its neighbor, into B: a line ``{"noisy_counts": [...]}`` for each, as ``cargo xtask audit --outcomes A B 1`` reads them.
Without MAX_PER_UNIT the second table has one record more; with it, all records of one more owner, who has more of them than
are counted. Some records of both tables name no item, or no owner.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from kmedian import PrivateKMedian

EPSILON = 1
UNIVERSE = np.array([[0.0], [1.0], [10.0], [11.0]], dtype=np.float32)
IDS = ["north", "south", "east", "west"]
STOPS = ["north", "north", "south", "west", "nowhere"]
OWNERS = ["ann", "bob", "ann", "nan", "eve"]


def tables(most: int | None) -> list[dict[str, Any]]:
    """Two neighbouring tables, as arguments of ``fit``."""
    if most is None:
        return [dict(demand={"stop": stops}, key="stop") for stops in (STOPS, [*STOPS, "east"])]
    new = 2 * most
    both = [(STOPS, OWNERS), ([*STOPS, *["east"] * new], [*OWNERS, *["zoe"] * new])]
    return [dict(demand={"stop": stops, "who": owners}, key="stop", unit="who") for stops, owners in both]


def main() -> None:
    files, runs = sys.argv[1:3], int(sys.argv[3])
    most = int(sys.argv[4]) if len(sys.argv) > 4 else None
    estimator = PrivateKMedian(1, epsilon=EPSILON, max_per_unit=most, method="exact", random_state=0, n_jobs=1)
    for file, given in zip(files, tables(most)):
        with open(file, "w", encoding="utf-8") as out:
            for _ in range(runs):
                release = estimator.fit(UNIVERSE, ids=IDS, **given).release_
                counts = json.loads(release.to_json())["release"]["nodes"]["noisy_counts"]
                print(json.dumps({"noisy_counts": counts}), file=out)


if __name__ == "__main__":
    main()
