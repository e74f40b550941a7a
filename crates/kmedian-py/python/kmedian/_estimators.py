"""Estimators whose centers are items."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core
from ._curve import CostCurve
from ._progress import Callback, progress
from ._spaces import Metric, is_metric, space_of


class _Medoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """What ``KMedian`` and ``KMeansMedoids`` share. They differ only in what a distance costs."""

    _objective: str

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Metric = "l2",
        init: Any = "auto",
        swap: str = "eager",
        effort: str = "auto",
        max_swaps: int | None = None,
        time_limit: float | None = None,
        memory: int | str | None = None,
        n_restarts: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.init = init
        self.swap = swap
        self.effort = effort
        self.max_swaps = max_swaps
        self.time_limit = time_limit
        self.memory = memory
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Finds the centers.

        ``X`` is a table of numbers (NumPy, pandas, polars, Arrow, a list of lists), a square matrix
        of distances with ``metric="precomputed"``, or a graph with ``metric="graph"`` (scipy
        sparse, networkx, igraph). ``sample_weight`` says how much each item counts; an item of
        weight 0 can still be a center. ``y`` is ignored.
        """
        given = space_of(self.metric).read(self, X)
        k = _checks.clusters(self.n_clusters, given.n)
        (found,) = self._search(given, [k], sample_weight)
        self.medoid_indices_ = found.centers
        self.cluster_centers_ = given.things[found.centers]
        self.labels_ = found.labels
        self.inertia_ = found.cost
        self.init_inertia_ = found.init_cost
        self.n_iter_ = found.passes
        self.n_swaps_ = found.swaps
        self.stop_ = found.stop
        self._n_features_out = k
        return self

    def predict(self, X: Any) -> np.ndarray:
        """For each item of ``X``, the position of its nearest center in ``cluster_centers_``; the
        first if several are.

        With ``metric="precomputed"`` a row holds the distances to all items that were fitted; with
        ``metric="graph"`` ``X`` is a graph of the same nodes, whose edges may have changed. Nodes
        are found by their names, in any order; those of a scipy matrix have no names, and are taken
        in their order.
        """
        check_is_fitted(self)
        return space_of(self.metric).nearest(self, X)[0]

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each item of ``X`` to each center."""
        check_is_fitted(self)
        return space_of(self.metric).distances(self, X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The negative cost of ``X``: the sum of (squared) distances to the nearest centers. More
        is better."""
        check_is_fitted(self)
        distances = space_of(self.metric).nearest(self, X)[1].astype(np.float64)
        costs = distances if self._objective == "median" else distances**2
        weights = _checks.weights(sample_weight, len(costs))
        return -float(costs.sum() if weights is None else (costs * weights).sum())

    def cost_curve(self, X: Any, ks: Iterable[int], sample_weight: Any = None) -> CostCurve:
        """The cost of the centers found for each k, to choose ``n_clusters`` by. One tree serves
        all k.

        This does not fit the estimator.
        """
        given = space_of(self.metric).read(BaseEstimator(), X)
        counts = _checks.several(ks, given.n)
        found = self._search(given, counts, sample_weight)
        return CostCurve(np.array(counts), np.array([fit.cost for fit in found]))

    def _search(self, given: Any, ks: list[int], sample_weight: Any) -> list[_core.Fit]:
        weights, plan = _checks.weights(sample_weight, given.n), self._plan(given.n)
        search = _checks.search(self.swap, self.effort, self.max_swaps, self.time_limit, self.memory, self.n_restarts)
        # A Python function is called by one thread at a time, so more would only queue up for it.
        threads = 1 if callable(self.metric) else _checks.threads_of(self.n_jobs)
        told = progress(self.verbose, self.callback)
        return _core.fit(given.items(), ks, plan, search, weights, threads, told)

    def _plan(self, n_items: int) -> dict[str, Any]:
        return {
            "objective": self._objective,
            "init": _checks.start(self.init, n_items),
            "seed": _checks.seed_of(self.random_state),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_metric(self.metric, "precomputed")
        tags.input_tags.positive_only = tags.input_tags.pairwise
        tags.input_tags.sparse = is_metric(self.metric, "graph")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


_PARAMETERS = """

    Parameters
    ----------
    n_clusters : int, default 8
        How many centers.
    metric : str or callable, default "l2"
        How far two items are apart: "l1" ("manhattan"), "l2" ("euclidean"), "linf" ("chebyshev"),
        "angular" (the share of a half turn), "haversine" (kilometers between latitude and longitude
        in degrees), "hamming" (the number of coordinates that differ), "precomputed" (X is the
        matrix of distances), "graph" (X is a graph, distances are lengths of shortest paths), or a
        function of two rows that is a metric.
    init : str or array of int, default "auto"
        Where the search begins: "hst" (the best centers on a tree), "greedy" (k-median++, the best
        of a few candidates for each center), "plusplus" (k-median++), "random", or the positions of
        items. "auto" is "greedy" with "precomputed", and "hst" otherwise.
    swap : {"eager", "best"}, default "eager"
        Which swaps are done: improving ones as they are found, or always the best of all.
    effort : {"auto", "certified", "balanced", "fast"}, default "auto"
        How long eager swaps go on. Certified: until no swap improves the centers. For many
        thousands of items, balanced and fast are faster and nearly as good. Auto: certified where
        that is predicted to take seconds, else balanced.
    max_swaps : int, optional
        The most swaps; 0 keeps the initial centers.
    time_limit : float, optional
        The most seconds of local search, for each k; the tree is not counted.
    memory : int or str, optional
        The memory for bounds of distances, in bytes or as text such as "2GiB"; by default, half of
        what is free. Less takes longer, and never changes the result.
    n_restarts : int, default 0
        How often to search again from perturbed centers; the best centers are kept.
    random_state : int, RandomState, Generator or None
        An integer gives the same centers everywhere, with any number of threads, and those of
        ``kmedian fit --seed``.
    n_jobs : int, optional
        How many threads; by default, and with -1, all cores. It never changes the result.
    verbose : int, default 0
        With 1, up to one line of progress is printed a second; with 2 or more, up to ten.
    callback : callable, optional
        Called up to ten times a second with the name of a step and a dict of its numbers. If it
        returns ``False``, the search ends with the centers that it has; before there are any (in
        the steps "tree", "ranked" and "seeded"), a ``RuntimeError`` is raised. An exception of the
        callback ends the work, and is raised.

    Attributes
    ----------
    medoid_indices_ : array of int
        The positions of the centers among the items.
    cluster_centers_ : array
        The centers themselves: rows of X, nodes of the graph, or, with "precomputed", their
        positions.
    labels_ : array of int
        For each item, the position of its center in ``cluster_centers_``.
    inertia_ : float
        The cost of the centers; init_inertia_ is that of the initial ones.
    n_iter_, n_swaps_ : int
        How many candidates were judged, in multiples of the number of items, and how many swaps
        were done.
    node_names_in_ : array
        With "graph": the names of the nodes, in their order.
    stop_ : str
        Why the search ended: "local-optimum" (certified: no swap improves the centers), "one-pass"
        and "sampled" (as ``effort`` allows), "max-swaps", "time-limit", "cancelled".
    """


class KMedian(_Medoids):
    __doc__ = (
        """k-median: centers are items, and the sum of the distances to them is small.

    Also known as k-medoids. By default the result is a local optimum: no exchange of a center for
    another item improves it."""
        + _PARAMETERS
    )
    _objective = "median"


class KMeansMedoids(_Medoids):
    __doc__ = (
        """k-means with centers that are items: the sum of the squared distances to them is small.

    Far items count more than in ``KMedian``. Any metric will do, because no mean is ever taken."""
        + _PARAMETERS
    )
    _objective = "means"
