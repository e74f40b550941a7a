"""Releases of two neighbouring tables through the whole package, for the audit of their noise.

Run as ``python audit_outcomes.py RUNS [MAX_PER_UNIT]``: makes RUNS private releases of a table and as many of its
neighbour, and writes a line of JSON for each: ``{"side": 0, "counts": [...]}``, where the side is 0 or 1 and the counts are
the noisy ones of all nodes of the public tree but its root, which is not measured. Without MAX_PER_UNIT the second table
has one record more; with it, all records of one more owner, who has more of them than are counted. ε is 1.
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
    runs, most = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None
    estimator = PrivateKMedian(1, epsilon=EPSILON, max_per_unit=most, method="exact", random_state=0, n_jobs=1)
    for side, given in enumerate(tables(most)):
        for _ in range(runs):
            release = estimator.fit(UNIVERSE, ids=IDS, **given).release_
            counts = json.loads(release.to_json())["release"]["nodes"]["noisy_counts"]
            print(json.dumps({"side": side, "counts": counts[1:]}))


if __name__ == "__main__":
    main()
