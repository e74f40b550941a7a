"""Private centers over public items."""

from __future__ import annotations

import copy
import os
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted

from . import _checks, _core, _search
from ._demand import DryRun, SealedDemand
from ._given import Given, Metric
from ._ledger import Amount, Ledger, decimal_text
from ._progress import Callback, progress
from ._release import Asked, Release
from ._sites import check_clusters, places, service_of
from ._snap import Snap, places_of, snaps
from ._spaces import is_metric, refuse_square, space_of, takes_sparse
from ._universe import chosen, ids_of, names_of


class NotPrivateWarning(UserWarning):
    """The result is not private, because noise was asked for that anybody can repeat."""


# What other estimators have and a private one does not, with the reason and what to take.
_NOT_RELEASED = {
    "inertia_": "the true cost would reveal records; take estimated_inertia_ and estimated_inertia_interval_",
    "labels_": "labels of records would reveal them; predict(universe) has the center of each public item, and "
    "estimated_sizes_ how many records each center serves",
    "service_": "true distances would reveal records; take estimated_service_",
    "silhouette_": "it would reveal records; release_.advantage_interval(k) says whether the centers are worth their ε",
}


@_checks.explained
class PrivateKMedian(BaseEstimator):  # type: ignore[misc]
    """Centers of private demand over public items, under ε-differential privacy.

    The items (stops, shops, road junctions) and their distances are public; the records that name
    them (visits, purchases, check-ins) are private. All of ε goes into one noisy tree of counts,
    ``release_``. Everything here follows from it, and may be published.

    Parameters
    ----------
    n_clusters : int, default 8
        How many centers.
    epsilon : number
        How much privacy may be lost; 1 is common, less protects better. There is no default.
    metric : str, default "l2"
        How far two items are apart, as in ``KMedian``; but not a function.
    objective : str, default "median"
        What is summed over the demand:

        {objective}
    method : str, default "refined"
        How centers are derived:

        {method}
    split : str, default "auto"
        How ε is split over the levels of the tree:

        {split}
    max_per_unit : int, optional
        To protect all records of a person together: how many of them are counted at most, drawn at
        random. Without it, a single record is protected.
    neighbours : str, default "add-remove"
        Which two tables nobody can tell apart:

        {neighbours}

        With "replace-one" the number of records is not protected.
    demand_size : int, optional
        About how many records there are, if that is public: with many, the tree has more leaves. By
        default a 32nd of ε finds that out.
    swap, effort, alpha, max_swaps, time_limit, memory, n_restarts
        How "refined" searches in what is released, as in ``KMedian``; "exact" does not search.
    candidates, fixed : array, optional
        Which items may be centers, and which always are, as in ``KMedian``; both are public.
        ``release_`` gives centers for others too.
    directed : bool or "towards", optional
        With "graph": whether streets are one-way, as in ``KMedian``.
    ledger : Ledger or path, optional
        Spend ε of the budget of ``dataset`` in it, or do nothing (``BudgetExhausted``).
    dataset : str, optional
        The dataset of the ledger that the demand belongs to.
    random_state : int, RandomState, Generator or None
        The seed of the public tree and of the search, which the release shows. By default the
        operating system draws one. The noise does not depend on it.
    n_jobs, verbose, callback
        As in ``KMedian``.
    noise_seed_for_experiments : int, optional
        A seed for noise that anybody can repeat. It warns, and the release says that it is not
        private.

    Attributes
    ----------
    release_ : Release
        What was released: noisy counts, from which centers for any other k follow at no further ε.
    medoid_indices_, cluster_centers_ : array
        The positions of the centers among the items, and the centers themselves.
    center_ids_ : list
        The ids of the centers, if the items have some.
    estimated_sizes_, estimated_inertia_
        How many records each center serves, and the cost of all: estimates from noisy counts.
    estimated_service_ : Service or None
        How far the estimated demand is from the centers, as ``KMedian.service_`` says it; ``None``
        if the release shows no demand.
    estimated_size_intervals_, estimated_inertia_interval_
        The ranges in which the true sizes and the true cost lie with a probability of about 90 %.
    stop_ : str
        Why the search for better centers ended.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        epsilon: Amount | None = None,
        metric: Metric = "l2",
        objective: str = "median",
        method: str = "refined",
        split: str = "auto",
        max_per_unit: int | None = None,
        neighbours: str = "add-remove",
        demand_size: int | None = None,
        swap: str = "eager",
        effort: str = "auto",
        alpha: float = 0.0,
        max_swaps: int | None = None,
        time_limit: float | None = None,
        memory: int | str | None = None,
        n_restarts: int | None = None,
        candidates: Any = None,
        fixed: Any = None,
        directed: bool | str | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        noise_seed_for_experiments: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.metric = metric
        self.objective = objective
        self.method = method
        self.split = split
        self.max_per_unit = max_per_unit
        self.neighbours = neighbours
        self.demand_size = demand_size
        self.swap = swap
        self.effort = effort
        self.alpha = alpha
        self.max_swaps = max_swaps
        self.time_limit = time_limit
        self.memory = memory
        self.n_restarts = n_restarts
        self.candidates = candidates
        self.fixed = fixed
        self.directed = directed
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.noise_seed_for_experiments = noise_seed_for_experiments

    def fit(
        self,
        universe: Any,
        demand: Any = None,
        *,
        counts: Any = None,
        ids: Any = None,
        columns: Any = None,
        key: Any = None,
        unit: Any = None,
        count: Any = None,
        snap: bool | Snap = False,
        check_demand_not_private: bool = False,
    ) -> PrivateKMedian:
        """Counts the demand, once, and finds centers. This spends ε.

        Parameters
        ----------
        universe
            The public items, as ``KMedian.fit`` takes them.
        demand
            The private records: for each the position of its item, or its id if ``ids`` are given;
            or a table (pandas, polars, pyarrow, a dict of columns) with a column of them. A record
            that names no item is dropped: of a list of tuples or dicts make a table first,
            ``pandas.DataFrame(records)``. What hands out Arrow record batches (a dataset or a reader
            of pyarrow, a relation of DuckDB, a lazy frame of polars) is read part after part, and
            never collected. A DataFrame of Spark (classic, Connect or Sail) is counted by its
            cluster, whose executors need kmedian, too.
        counts
            Instead of records: how many there are of each item, in the order of the items; or by
            label, as a dict, a ``Counter`` or ``value_counts()`` has them. Labels are ids, or
            positions; items without a label count 0, and labels that are no item's are dropped.
        ids
            The ids of the items, in their order: text, numbers, or tuples of them; or the name of
            the column of the universe that holds them. By default the names of a graph's nodes, and
            the index of a pandas table if it is text. Another index that is not 0, 1, 2, … is
            refused.
        columns
            The columns of the universe that describe the items, such as ``["lat", "lon"]``; by
            default all but the ids.
        key
            The column of the table that names the item; by default the only one that is not the
            unit.
        unit
            Whose each record is: a column of the table, or an array. Needs ``max_per_unit``.
        count
            The column of the demand, a table in memory, that says how many records each row stands
            for. A row whose count is not a whole number from 0 up is dropped. What is protected is a
            record, or all records of a unit; a row is not.
        snap
            ``True`` if records have raw coordinates, and each goes to its nearest item:
            ``demand`` is an array with a row for each, or a table, of which ``key`` lists the columns,
            by default those that are called like the columns of the universe. ``kmedian.Snap`` says
            how near an item must be, and where the nodes of a graph are.
        check_demand_not_private
            Whether to raise if there is no demand, or if some records name no item or no unit. The
            exception, and whether there is one, is not private: use this only if nobody but the
            operator sees it.
        """
        private_demand = SealedDemand(demand, counts, unit, count)
        # However this call ends, its traceback must not hold a record.
        del demand, counts, unit
        try:
            return self._fit(universe, private_demand, ids, columns, key, snap, check_demand_not_private)
        finally:
            private_demand.forget()

    def fit_transform(
        self,
        universe: Any,
        demand: Any = None,
        *,
        counts: Any = None,
        ids: Any = None,
        columns: Any = None,
        key: Any = None,
        unit: Any = None,
        count: Any = None,
        snap: bool | Snap = False,
        check_demand_not_private: bool = False,
    ) -> np.ndarray:
        """Fits, which spends ε, and returns the distance of each public item to each center. The
        parameters are those of ``fit``."""
        private_demand = SealedDemand(demand, counts, unit, count)
        del demand, counts, unit
        try:
            self._fit(universe, private_demand, ids, columns, key, snap, check_demand_not_private)
        finally:
            private_demand.forget()
        return self.transform(chosen(universe, ids, columns)[0])

    def dry_run_not_private(
        self,
        universe: Any,
        demand: Any = None,
        *,
        counts: Any = None,
        ids: Any = None,
        columns: Any = None,
        key: Any = None,
        unit: Any = None,
        count: Any = None,
        snap: bool | Snap = False,
    ) -> DryRun:
        """Counts the records without spending ε: how many there are, how many name an item, and how
        many have no unit or are over its bound. The parameters are those of ``fit``.

        The result is not private, and for the operator alone. It is for finding mistakes, such as
        ids that are written differently from the keys, before ε is wasted. A reader that can be
        read once is read to its end.
        """
        private_demand = SealedDemand(demand, counts, unit, count)
        # Reading the universe sets attributes of the estimator, so a copy is used.
        copy.copy(self)._read_universe(universe, private_demand, ids, columns, key, snap)
        return private_demand.dry_run_not_private(self.max_per_unit)

    def _fit(
        self, universe: Any, private_demand: SealedDemand, ids: Any, columns: Any, key: Any, snap: Any, check: bool
    ) -> PrivateKMedian:
        for stale in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, stale)
        # Everything public is checked first, so that a mistake in it costs no ε.
        threads, told = _checks.threads_of(self.n_jobs), progress(self.verbose, self.callback)
        check = _checks.flag("check_demand_not_private", check)
        if self.epsilon is None:
            raise ValueError("say how much privacy may be lost: PrivateKMedian(epsilon=1), or less, to protect better")
        epsilon = decimal_text("epsilon", self.epsilon)
        objective = _checks.choice("objective", self.objective)
        method = _checks.choice("method", self.method)
        search = _search.checked_for(method, _search.options_of(self))
        split = _checks.choice("split", self.split)
        neighbours = _checks.choice("neighbours", self.neighbours)
        size = _checks.whole_or_none("demand_size", self.demand_size, 1, 2**64 - 1)
        given = self._read_universe(universe, private_demand, ids, columns, key, snap)
        if check and private_demand.once:
            raise ValueError(
                "a reader can be read once, so its records cannot be checked before they are counted; leave out "
                "check_demand_not_private, or give what the reader was made of"
            )
        k = _checks.clusters(self.n_clusters, given.n)
        asked = Asked(objective, method, search, places(self.candidates, self.fixed, given.n, given.names))
        check_clusters(k, asked.sites, given.n)
        noise_seed, ledger = self._noise_seed(), self._opened_ledger()
        seed = _checks.public_seed_of(self.random_state)
        tree = _core.PublicTree(
            given.items(), epsilon, split, self.max_per_unit, neighbours, size, seed, threads, told
        )

        # Then ε is spent. Only after that are records looked at.
        note = f"{method}, k = {k}"
        spent = None
        if ledger is not None:
            spent = ledger.reserve(
                str(self.dataset), epsilon, note, max_per_unit=self.max_per_unit, neighbours=neighbours,
                mechanism="noisy tree", split=split,
            )  # fmt: skip
        release = private_demand.release(tree, noise_seed, check, spent)

        # The release is paid for, so it is kept even if something below fails.
        self.release_ = Release(release, given)
        if spent is not None:
            spent.record(self.release_.hash)
        (found,) = self.release_._derive([k], asked, threads, told)
        self.medoid_indices_ = found.centers.copy()
        self.cluster_centers_ = given.things[found.centers]
        if given.names is not None:
            called = names_of(given.names, given.n)
            self.center_ids_ = [called[at] for at in found.centers.tolist()]
        self.estimated_sizes_ = found.estimated_sizes.copy()
        self.estimated_size_intervals_ = np.array(found.size_intervals)
        self.estimated_inertia_ = found.estimated_cost
        self.estimated_service_ = service_of(found.estimated_service, given)
        self.estimated_inertia_interval_ = found.cost_interval
        self.stop_ = found.stop
        return self

    def _read_universe(
        self, universe: Any, private_demand: SealedDemand, ids: Any, columns: Any, key: Any, snap: Any
    ) -> Given:
        """The public items, called by their ids. Raises if the layout of the demand does not fit
        them."""
        if callable(self.metric):
            raise ValueError("a release cannot say what a function is; give its distances with metric='precomputed'")
        refuse_square(self.metric)
        table, ids = chosen(universe, ids, columns)
        given = space_of(self.metric).read(self, table)
        if ids is None and private_demand.names_items and is_metric(self.metric, "graph"):
            ids = given.things
        ids = ids_of(table, ids, private_demand.names_items and not snaps(snap))
        most = _checks.whole_or_none("max_per_unit", self.max_per_unit, 1, 2**32 - 1)
        rows = given.things if given.kind == "vectors" else None
        near = places_of(snap, table, given.n, rows, self.metric, given.names if ids is None else ids)
        private_demand.check_layout(given.n, universe, ids, key, most, near)
        # Candidates and fixed centers may be called by their ids.
        return given if ids is None else given._replace(names=names_of(ids, given.n))

    def __getattr__(self, name: str) -> Any:
        """Raises for an attribute that is not there; for one that could be expected, the message says
        why it is not and what to use."""
        fitted = "medoid_indices_" in vars(self)
        if name in _NOT_RELEASED:
            raise AttributeError(f"PrivateKMedian has no {name}: {_NOT_RELEASED[name]}")
        if name == "center_ids_" and fitted:
            raise AttributeError(
                "PrivateKMedian has no center_ids_, as the items have no ids; give fit(..., ids=...), or take "
                "medoid_indices_, which are positions"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def predict(self, X: Any) -> np.ndarray:
        """For each public item of ``X``, the position of its nearest center in
        ``cluster_centers_``."""
        check_is_fitted(self, "medoid_indices_")
        return space_of(self.metric).nearest(self, X)[0]

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each public item of ``X`` to each center."""
        check_is_fitted(self, "medoid_indices_")
        return space_of(self.metric).distances(self, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_metric(self.metric, "precomputed")
        tags.input_tags.positive_only = tags.input_tags.pairwise
        tags.input_tags.sparse = takes_sparse(self.metric)
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        # Two fits of the same demand differ by their noise, whatever the seed.
        tags.non_deterministic = True
        return tags

    def _noise_seed(self) -> int | None:
        seed = _checks.whole_or_none(
            "noise_seed_for_experiments", self.noise_seed_for_experiments, 0, _checks.LARGEST_SEED
        )
        if seed is None:
            return None
        if self.ledger is not None:
            raise ValueError("noise that anybody can repeat protects nobody: a ledger has no budget for it")
        warnings.warn(
            "noise_seed_for_experiments: anybody can repeat this noise, so nothing is private", NotPrivateWarning, 3
        )
        return seed

    def _opened_ledger(self) -> Ledger | None:
        if (self.ledger is None) != (self.dataset is None):
            raise ValueError("a ledger and the dataset in it belong together; give both, or none")
        if self.dataset is not None:
            _checks.text("dataset", self.dataset, "the name of a dataset in the ledger")
        if self.ledger is None and _core.ledger_is_required():
            raise ValueError(
                "KMEDIAN_REQUIRE_LEDGER is set here, so nothing is released without a ledger; give ledger=... and "
                "dataset=..."
            )
        if self.ledger is None or isinstance(self.ledger, Ledger):
            return self.ledger
        if not isinstance(self.ledger, (str, bytes, os.PathLike)):
            raise TypeError(f"ledger={self.ledger!r} is neither a Ledger nor the path of one; give kmedian.Ledger(path)")
        return Ledger(self.ledger)
