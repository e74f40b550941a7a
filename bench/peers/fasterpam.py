"""FasterPAM of `kmedoids`, from random medoids, as is its default."""

from typing import Any

import kmedoids
import numpy as np

from peers.common import Task, task
from peers.matrix import distances


def search(given: Task) -> Any:
    """The matrix, and a search on it."""
    with given.clock.part("matrix"):
        matrix = distances(given.points, given.metric, given.threads)
    # A candidate is judged by its column, so columns should be contiguous. The matrix is
    # symmetric: its transpose is the same matrix in the other order, and costs nothing.
    columns = matrix if matrix.flags.f_contiguous else matrix.T
    with given.clock.part("search"):
        return kmedoids.fasterpam(
            columns if given.transposed else columns.T,
            given.k,
            init="random",
            random_state=given.seed,
            n_cpu=given.threads,
        )


def main() -> None:
    given = task()
    few = distances(np.eye(given.k + 1, dtype=np.float32), given.metric, given.threads)
    kmedoids.fasterpam(few, given.k, init="random", random_state=0, n_cpu=given.threads)
    found = given.clock.typical(lambda: search(given))
    given.answer(
        ["kmedoids", "numpy", "scikit-learn"],
        found.medoids,
        passes=int(found.n_iter),
        swaps=int(found.n_swap),
    )


if __name__ == "__main__":
    main()
