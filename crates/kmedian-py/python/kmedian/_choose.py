"""Choosing how many centers there should be."""

from __future__ import annotations

from typing import Any, Iterable

from ._checks import choice
from ._curve import CostCurve
from ._estimators import KMeansMedoids, KMedian


def choose_k(
    X: Any,
    ks: Iterable[int],
    *,
    objective: str = "median",
    sample_weight: Any = None,
    sites: Any = None,
    **options: Any,
) -> CostCurve:
    """Finds centers for each k, all from one tree, and suggests which k to take.

    ``X``, ``sample_weight`` and ``sites`` are those of ``KMedian.fit``, and ``options`` the
    parameters of ``KMedian``, such as ``metric`` and ``random_state``; with ``objective="means"``
    those of ``KMeansMedoids``. Returns a ``CostCurve`` with the cost, the medoid silhouette, the
    centers and the labels for each k, and the ``suggested`` k; its ``plot()`` draws it.
    """
    choice("objective", objective)
    if "n_clusters" in options:
        raise TypeError(f"n_clusters={options['n_clusters']!r}: choose_k tries the k of ks; leave n_clusters out")
    estimator = KMedian if objective == "median" else KMeansMedoids
    return estimator(**options).cost_curve(X, ks, sample_weight, sites=sites)
