"""kmedian from an array in Python, as the peers have it: where a search takes milliseconds, starting
a process and reading a file would be most of what is measured.
"""

import numpy as np
from kmedian import KMedian

from peers.common import Task, task


def search(given: Task) -> KMedian:
    """One search to a certified local optimum, as the peers do one."""
    return KMedian(
        given.k,
        metric=given.metric,
        effort="certified",
        n_restarts=0,
        random_state=given.seed,
        n_jobs=given.threads,
    )


def main() -> None:
    given = task()
    search(given).fit(np.random.default_rng(0).standard_normal((given.k + 1, 2), dtype=np.float32))

    def fit() -> KMedian:
        with given.clock.part("fit"):
            return search(given).fit(given.points)

    found = given.clock.typical(fit)
    given.answer(
        ["kmedian"],
        found.medoid_indices_,
        passes=found.n_iter_,
        swaps=found.n_swaps_,
        stop=found.stop_,
    )


if __name__ == "__main__":
    main()
