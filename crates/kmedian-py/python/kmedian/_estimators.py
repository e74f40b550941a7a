"""Estimators whose centers are items."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterable

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core, _large, _report, _search
from ._curve import CostCurve
from ._given import Given, Metric, Space
from ._progress import Callback, progress
from ._sites import Places, check_clusters, places, service_of
from ._spaces import is_metric, reader, space_of, takes_sparse
from ._start import start_of, warn_of_end


class _Medoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """What ``KMedian`` and ``KMeansMedoids`` share. They differ only in what a distance costs."""

    _objective: str

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Metric = "l2",
        metric_params: Any = None,
        init: Any = "auto",
        swap: str = "eager",
        effort: str = "auto",
        alpha: float = 0.0,
        max_swaps: int | None = None,
        time_limit: float | None = None,
        memory: int | str | None = None,
        n_restarts: int | None = None,
        gap: float | str | bool | None = None,
        candidates: Any = None,
        fixed: Any = None,
        directed: bool | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.swap = swap
        self.effort = effort
        self.alpha = alpha
        self.max_swaps = max_swaps
        self.time_limit = time_limit
        self.memory = memory
        self.n_restarts = n_restarts
        self.gap = gap
        self.candidates = candidates
        self.fixed = fixed
        self.directed = directed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, sites: Any = None) -> Any:
        """Finds the centers.

        ``X`` is a table of numbers (NumPy, pandas, polars, Arrow, a list of lists), sparse rows
        (scipy), texts with ``metric="levenshtein"``, sets with ``metric="jaccard"``, a table of
        numbers and categories with ``metric="gower"``, a square matrix of distances with
        ``metric="precomputed"``, or a graph with ``metric="graph"`` (scipy sparse, networkx,
        igraph). With a function as metric, ``X`` may be a list of any objects. ``sample_weight`` says how much each item counts; an item of
        weight 0 can still be a center. ``y`` is ignored.

        Where clients and places for centers are not the same, ``X`` has the clients, and ``sites``
        is a table of the same columns with the places. With ``metric="precomputed"``, a matrix that
        is not square has a row for each client and a column for each site, and need not be a
        metric; ``sites`` are what the columns are called, and make a square matrix such a one too.

        A dataset of pyarrow or a lazy frame of polars is read in chunks of ``memory`` (1 GiB by
        default), and never collected: a coreset is clustered, and rounds over all rows measure and
        improve the centers. Its columns are numbers. Then there is a ``summary_`` and no
        ``labels_``.
        """
        stream = None if sites is not None or sample_weight is not None else _large.dataset_of(X)
        if stream is not None:
            return self._fit_large(stream)
        space = self._space()
        given = space.read(self, X, sites)
        start = start_of(self.init, self, given, space)
        k = _checks.clusters(self.n_clusters if isinstance(start, str) else len(start), len(given.things))
        (found,) = self._search(given, [k], sample_weight, start)
        warn_of_end(found, given, self.max_swaps)
        self.medoid_indices_ = found.centers - given.first
        self.cluster_centers_ = given.things[self.medoid_indices_]
        self.labels_ = found.labels[: given.n]
        self.service_ = service_of(found.service, given)
        self.inertia_ = found.cost
        self.init_inertia_ = found.init_cost
        self.lower_bound_ = found.bound
        self.gap_ = found.gap
        self.silhouette_ = found.silhouette
        self.n_iter_ = found.passes
        self.n_swaps_ = found.swaps
        self.stop_ = found.stop
        self._n_features_out = k
        return self

    def _fit_large(self, stream: Any) -> Any:
        centers, summary = _large.fit(self, stream, self._objective)
        self.n_features_in_ = centers.rows.shape[1]
        self.feature_names_in_ = np.array(stream.names, dtype=object)
        self.medoid_indices_ = centers.places
        self.cluster_centers_ = centers.rows
        self.summary_ = summary
        self.inertia_ = summary.cost
        self.init_inertia_ = summary.costs[0]
        self.lower_bound_ = self.gap_ = self.silhouette_ = None
        self.n_iter_ = summary.rounds
        self.stop_ = summary.stop
        self._n_features_out = len(centers.rows)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """For each item of ``X``, the position of its nearest center in ``cluster_centers_``; the
        first if several are.

        With ``metric="precomputed"`` a row holds the distances to all items that were fitted; with
        ``metric="graph"`` ``X`` is a graph of the same nodes, whose edges may have changed, or a
        list of some of the nodes. Nodes are found by their names, in any order; those of a scipy
        matrix have no names, and are taken in their order.
        """
        check_is_fitted(self)
        return self._space().nearest(self, X)[0]

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each item of ``X`` to each center."""
        check_is_fitted(self)
        return self._space().distances(self, X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The negative cost of ``X``: the sum of (squared) distances to the nearest centers. More
        is better."""
        check_is_fitted(self)
        distances = self._space().nearest(self, X)[1].astype(np.float64)
        costs = distances if self._objective == "median" else distances**2
        weights = _checks.weights(sample_weight, len(costs))
        return -float(costs.sum() if weights is None else (costs * weights).sum())

    def cost_curve(
        self, X: Any, ks: Iterable[int], sample_weight: Any = None, *, sites: Any = None
    ) -> CostCurve:
        """Centers for each k, what they cost and how clearly they are apart, to choose
        ``n_clusters`` by. One tree serves all k.

        This does not fit the estimator.
        """
        space, bare = self._space(), reader(self.directed)
        given = space.read(bare, X, sites)
        counts = _checks.several(ks, len(given.things))
        found = self._search(given, counts, sample_weight, start_of(self.init, bare, given, space))
        bounds = [fit.bound for fit in found]
        known = np.array(bounds, dtype=np.float64) if None not in bounds else None
        tried = [(k, fit.cost, fit.silhouette) for k, fit in zip(counts, found)]
        suggested, why = _core.suggest_k(given.n, tried) or (None, None)
        return CostCurve(
            np.array(counts),
            np.array([fit.cost for fit in found]),
            lower_bound=known,
            silhouette=np.array([fit.silhouette for fit in found], dtype=np.float64),
            centers=tuple(fit.centers - given.first for fit in found),
            labels=tuple(fit.labels[: given.n] for fit in found),
            suggested=suggested,
            why=why,
        )

    def report(
        self,
        path: str | bytes | os.PathLike[str],
        X: Any,
        *,
        curve: CostCurve | None = None,
        sample_weight: Any = None,
        sites: Any = None,
        names: Any = None,
        positions: Any = None,
        image_shape: Any = None,
        title: str | None = None,
    ) -> None:
        """Writes a page to look at, as ``kmedian fit --report`` does: one HTML file that needs nothing
        else, with a map of the items and their centers, curves and tables.

        ``X``, ``sample_weight`` and ``sites`` are those that were fitted. With a ``curve`` of
        ``cost_curve`` or ``kmedian.choose_k`` the page has a slider over its k, and the estimator
        need not be fitted. ``names`` are what the items (or the sites) are called; ``positions`` are
        two coordinates of each node of a graph or item of a matrix, with those of the sites after
        them; ``image_shape`` is the height and width of rows that are pictures, (28, 28) for 784
        columns. A file that is there is replaced.
        """
        space, bare = self._space(), reader(self.directed)
        given = space.read(bare, X, sites)
        if curve is None:
            check_is_fitted(self)
        fits = _report.centers_of(self, given, curve)
        rows = given.things if given.kind == "vectors" and isinstance(given.things, np.ndarray) else None
        if rows is not None and given.apart:
            rows = np.concatenate([space.read(bare, X).things, rows])
        image = _report.image_of(rows, image_shape)
        rows, axes = _report.drawn(given, rows, X, self.metric, positions)
        page = {
            "title": type(self).__name__ if title is None else _checks.text("title", title, "what the page is called"),
            "served": given.n,
            "names": _report.names_of_items(given, names),
            "metric": self.metric if isinstance(self.metric, str) else getattr(self.metric, "__name__", "a function"),
            "objective": self._objective,
            "unit": "km" if is_metric(self.metric, "haversine") else None,
            "axes": axes,
            "image": image,
            "places": places(None, None, len(given.things), None, given.first)._asdict(),
        }
        threads = 1 if callable(self.metric) else _checks.threads_of(self.n_jobs)
        _report.write(path, given, fits, page, rows, _weights(sample_weight, given), threads)

    def _space(self) -> Space:
        return space_of(self.metric, self.metric_params)

    def _search(
        self, given: Any, ks: list[int], sample_weight: Any, start: str | list[int]
    ) -> list[_core.Fit]:
        chosen = places(self.candidates, self.fixed, len(given.things), given.names, given.first)
        for k in ks:
            check_clusters(k, chosen, len(given.things))
        weights, plan = _weights(sample_weight, given), self._plan(given, chosen, start)
        search = _search.checked(_search.options_of(self))
        # A Python function is called by one thread at a time, so more would only queue up for it.
        threads = 1 if callable(self.metric) else _checks.threads_of(self.n_jobs)
        told = progress(self.verbose, self.callback)
        found = _core.fit(given.items(), ks, plan, search, weights, threads, told)
        for note in found[0].notes:
            warnings.warn(note, UserWarning, stacklevel=3)
        return found

    def _plan(self, given: Any, chosen: Places, start: str | list[int]) -> dict[str, Any]:
        return {
            "objective": self._objective,
            "init": start if isinstance(start, str) else [given.first + at for at in start],
            "gap": _checks.gap(self.gap),
            "seed": _checks.seed_of(self.random_state),
            "places": chosen._asdict(),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_metric(self.metric, "precomputed")
        tags.input_tags.positive_only = tags.input_tags.pairwise
        tags.input_tags.sparse = takes_sparse(self.metric)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _weights(sample_weight: Any, given: Given) -> np.ndarray | None:
    """The weight of each item of the core, checked: sites that are apart have none."""
    weights = _checks.weights(sample_weight, given.n)
    if not given.apart:
        return weights
    served = np.ones(given.n) if weights is None else weights
    return np.concatenate([served, np.zeros(len(given.things))])


_PARAMETERS = """

    Parameters
    ----------
    n_clusters : int, default 8
        How many centers.
    metric : str or callable, default "l2"
        How far two items are apart:

        {metric}
        "graph": X is a graph, and distances are lengths of shortest paths.
        "minkowski", "seuclidean", "canberra", "braycurtis", "correlation", "mahalanobis",
        "jensenshannon": as in scipy.spatial.distance; all distances are measured once, into a
        matrix.

        "l1" is also called "manhattan", "l2" "euclidean", "linf" "chebyshev". "cosine" and
        "sqeuclidean" are squares of metrics, so ``KMeansMedoids`` does not take them. A function of
        two items will do, too. Of at most 8,192 items all distances are kept, so that it need not
        obey the triangle inequality; a warning says so if it is seen not to. With more, it must.
    metric_params : dict, optional
        Parameters of the metric: those of scipy.spatial.distance, such as ``p`` of "minkowski";
        ``weight`` (the attribute of edges that is their length) and ``largest_component`` (whether
        all other nodes are left out) of "graph"; ``categories`` (columns that hold categories,
        though they look like numbers) of "gower"; keyword arguments of a function.
    init : str or array, default "auto"
        Where the search begins: the positions of items, or rows of numbers, for each of which the
        nearest item is taken. Either sets the number of centers, whatever ``n_clusters`` is. Or

        {init}
    swap : str, default "eager"
        Which swaps are done:

        {swap}
    effort : str, default "auto"
        How long eager swaps go on:

        {effort}
    alpha : float, default 0
        A swap is done only if it lowers the cost by more than this share of it, divided by
        ``n_clusters``.
    max_swaps : int, optional
        The most swaps; 0 keeps the initial centers.
    time_limit : float, optional
        The most seconds of local search, for each k; the tree is not counted.
    memory : int or str, optional
        The memory for bounds of distances, in bytes or as text such as "2GiB"; by default, half of
        what is free. Less takes longer, and never changes the result.
    n_restarts : int, optional
        How often to search again from perturbed centers; the best centers are kept. By default 4
        times where that takes next to no time, after a certified search of at most 4,096 vectors or
        of a matrix of as many items, and else never; 0 is a single search.
    gap : float, str or bool, optional
        What is to be proven: that what the centers cost more than the best possible is at most
        this share of their cost, as 0.001 or "0.1%". Better centers and better bounds are looked for in turn, until that is
        proven, neither makes progress, or the time_limit is reached. ``True`` bounds the cost of
        the centers as they are.
    candidates : array, optional
        The items that may be centers: a mask, positions, or names, where items have some (nodes of
        a graph, or rows of a pandas table whose index is text); with ``fit(X, sites=...)`` among
        the sites. By default all.
    fixed : array, optional
        The centers that are there already and stay, given like candidates, of which they must be
        some; ``n_clusters`` counts them, and they come first in ``medoid_indices_``.
    directed : bool or "towards", optional
        With "graph": whether edges are open one way only, from row to column of a matrix. Then
        distances are those of the way from the center to the item or, with "towards", from the item
        to the center. By default graphs of networkx and igraph say so themselves, and a matrix is
        directed if it is not symmetric; but if each edge has one entry only, edges are open both
        ways.
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
        The positions of the centers among the items, or among the sites if these are apart.
    cluster_centers_ : array
        The centers themselves: rows of X or of the sites, nodes of the graph, or, with
        "precomputed", their positions.
    labels_ : array of int
        For each item, the position of its center in ``cluster_centers_``.
    inertia_ : float
        The cost of the centers; ``init_inertia_`` is that of the initial ones.
    lower_bound_, gap_ : float or None
        What no centers cost less than, and the share of ``inertia_`` by which it exceeds that at
        most; ``None`` unless ``gap`` or ``effort="optimal"`` asked for it.
    n_iter_, n_swaps_ : int
        How many candidates were judged, in multiples of their number, and how many swaps
        were done.
    service_ : Service
        How far it is to the centers, ``overall`` and for each of the ``centers``: the ``mean``, the
        ``median``, the 95th percentile ``p95`` and the ``max`` of the distances, weighted, and the
        item that is ``farthest``, a node of a graph by its name.
    node_names_in_ : array
        With "graph": the names of the nodes, in their order.
    stop_ : str
        Why the search ended: "local-optimum" (certified: no swap improves the centers),
        "alpha-optimum" (none by more than ``alpha`` allows), "one-pass" and "sampled" (as
        ``effort`` allows), "gap-reached" and "optimal" (proven), "max-swaps", "time-limit",
        "cancelled".
    """


@_checks.explained
class KMedian(_Medoids):
    __doc__ = (
        """k-median: centers are items, and the sum of the distances to them is small.

    Also known as k-medoids. By default the result is a local optimum: no exchange of a center for
    another item improves it."""
        + _PARAMETERS
    )
    _objective = "median"


@_checks.explained
class KMeansMedoids(_Medoids):
    __doc__ = (
        """k-means with centers that are items: the sum of the squared distances to them is small.

    Far items count more than in ``KMedian``. Any metric will do, because no mean is ever taken."""
        + _PARAMETERS
    )
    _objective = "means"
