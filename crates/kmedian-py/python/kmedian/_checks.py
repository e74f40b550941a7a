"""Parameters, as the core wants them."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def seed_of(random_state: Any) -> int:
    """The seed that a ``random_state`` stands for: an integer itself, or a draw from a generator, as in scikit-learn.

    The same integer gives the same centers as ``kmedian fit --seed``.
    """
    if isinstance(random_state, Integral):
        seed = int(random_state)
        if not 0 <= seed < 2**64:
            raise ValueError(f"random_state={seed}: give a number from 0 to 2**64 - 1")
        return seed
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**64 - 1, endpoint=True, dtype=np.uint64))
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads_of(n_jobs: int | None) -> int | None:
    """How many threads ``n_jobs`` asks for; ``None`` for all cores."""
    if n_jobs is None or n_jobs == -1:
        return None
    jobs = whole("n_jobs", n_jobs)
    if jobs == 0:
        raise ValueError("n_jobs=0: at least one thread has to do the work; -1 takes all cores")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def whole(name: str, value: Any, least: int | None = None) -> int:
    """A whole number, not below the least."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r} is no whole number; give one such as 5")
    if least is not None and value < least:
        raise ValueError(f"{name}={value} is too small; it must be at least {least}")
    return int(value)


def clusters(n_clusters: Any, n_items: int) -> int:
    """A number of centers that can be chosen from the items."""
    k = whole("n_clusters", n_clusters, least=1)
    if k > n_items:
        raise ValueError(
            f"n_samples={n_items} should be >= n_clusters={k}: centers are items, so ask for at most {n_items}"
        )
    return k


def weights(sample_weight: Any, n_items: int) -> np.ndarray | None:
    """A weight for each item; ``None`` if all count the same."""
    if sample_weight is None:
        return None
    given = np.asarray(sample_weight, dtype=np.float64)
    if given.ndim == 0:
        given = np.full(n_items, given)
    if given.shape != (n_items,):
        raise ValueError(
            f"sample_weight has the shape {given.shape}, but there are {n_items} items; give one weight an item"
        )
    return np.ascontiguousarray(given)
