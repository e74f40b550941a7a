"""Simulates what private centers would cost for several ε, before any is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _checks, _core
from ._given import Metric
from ._ledger import Amount, decimal_text
from ._progress import Callback, progress
from ._search import SearchOptions, checked_for
from ._sites import check_clusters, places
from ._spaces import reader, refuse_square, space_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class PlanCurve(NamedTuple):
    """What private centers cost in one scenario of made-up demand, in multiples of the non-private
    cost.

    ``name`` is the name of the scenario, and ``demand`` says where its demand is. For each
    ``epsilon``, ``cost`` is the mean of all runs, and ``least`` and ``most`` are their range.
    ``without_data`` is the cost of centers that know nothing of the demand. These ratios are
    infinite where the non-private centers cost nothing and the others do not. ``non_private_cost``
    is the mean cost of the non-private centers themselves.
    """

    name: str
    demand: str
    epsilon: np.ndarray
    cost: np.ndarray
    least: np.ndarray
    most: np.ndarray
    without_data: float
    non_private_cost: float

    def __repr__(self) -> str:
        near = self.epsilon_within()
        told = "none tried is" if near is None else f"ε = {near:g} is"
        return f"<PlanCurve: {self.name}, ε from {self.epsilon.min():g} to {self.epsilon.max():g}; {told} within 10 %>"

    def epsilon_within(self, share: float = 0.1) -> float | None:
        """The smallest ε that was tried whose mean cost is at most this share above the non-private
        cost; else ``None``."""
        near = np.flatnonzero(self.cost <= 1.0 + share)
        return float(self.epsilon[near[0]]) if len(near) else None


class Plan(NamedTuple):
    """What private centers would cost: a curve for each scenario, and what was simulated.

    The scenarios are ordered from the one that is easiest to guess without data to the hardest.
    """

    curves: list[PlanCurve]
    n_items: int
    n_clusters: int
    demand_size: int
    runs: int

    def __repr__(self) -> str:
        names = ", ".join(curve.name for curve in self.curves)
        return (
            f"<Plan: {self.n_clusters} centers among {self.n_items} items, {self.demand_size} records, {self.runs} runs; "
            f"curves for demand {names}>"
        )

    def plot(self, *, ax: Any = None) -> Any:
        """Draws the curves with matplotlib, and returns the axes: ``kmedian.plot.plan``."""
        from .plot import plan as draw

        return draw(self, ax=ax)


def plan(
    universe: Any,
    n_clusters: int = 8,
    *,
    epsilon: Amount,
    demand_size: int,
    metric: Metric = "l2",
    objective: str = "median",
    method: str = "refined",
    split: str = "auto",
    max_per_unit: int | None = None,
    neighbours: str = "add-remove",
    candidates: Any = None,
    fixed: Any = None,
    directed: bool | str | None = None,
    runs: int = 5,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    callback: Callback | None = None,
    **search: Unpack[SearchOptions],
) -> Plan:
    """Simulates what private centers would cost for several ε, before any is spent.

    How much ε is enough depends on the items, on ``n_clusters`` and on the number of records.
    Demand is made up over the public items: everywhere, around five places, around one, and at two
    single items for each center. On this demand, ``PrivateKMedian`` with a tenth of ``epsilon`` to
    ten times as much is compared with ``KMedian``. No record is read and nothing is spent, so a
    plan can be repeated at will.

    Parameters
    ----------
    universe
        The public items, as ``KMedian.fit`` takes them.
    n_clusters, metric, objective, method, split, max_per_unit, neighbours
        As in ``PrivateKMedian``.
    epsilon : number
        About how much privacy may be lost.
    demand_size : int
        About how many records there will be. Give ``PrivateKMedian`` the same, if it is public.
    candidates, fixed, directed
        Which items may be centers, which always are, and whether a graph has one-way streets, as in
        ``KMedian``.
    runs : int, default 5
        How often each ε is tried.
    random_state : int, RandomState, Generator or None
        An integer makes up the same demand and the same noise everywhere, those of ``kmedian plan
        --seed``.
    n_jobs, verbose, callback
        As in ``KMedian``; the step is "simulated". If the callback returns ``False``, a
        ``RuntimeError`` is raised.
    swap, effort, alpha, max_swaps, time_limit, memory, n_restarts
        How private, non-private and data-free centers are searched for, as in ``KMedian``; not for
        the method "exact".

    Examples
    --------
    >>> import numpy as np, kmedian
    >>> stops = np.random.default_rng(0).random((200, 2))
    >>> plan = kmedian.plan(stops, 4, epsilon=1, demand_size=500, runs=2, random_state=0)
    >>> [curve.name for curve in plan.curves]
    ['everywhere', 'five places', 'one place', 'few items']
    """
    planned: dict[str, Any] = {
        "epsilon": decimal_text("epsilon", epsilon),
        "demand_size": _checks.whole("demand_size", demand_size, 1, 2**32 - 1),
        "max_per_unit": _checks.whole_or_none("max_per_unit", max_per_unit, 1, 2**32 - 1),
        "neighbours": _checks.choice("neighbours", neighbours),
        "split": _checks.choice("split", split),
        "objective": _checks.choice("objective", objective),
        "method": _checks.choice("method", method),
        "runs": _checks.whole("runs", runs, 1, 2**32 - 1),
        "seed": _checks.seed_of(random_state),
    }
    how = checked_for(planned["method"], search)
    refuse_square(metric)
    given = space_of(metric).read(reader(directed), universe)
    planned["k"] = _checks.clusters(n_clusters, given.n)
    chosen = places(candidates, fixed, given.n, given.names)
    check_clusters(planned["k"], chosen, given.n)
    planned["places"] = chosen._asdict()
    threads = 1 if callable(metric) else _checks.threads_of(n_jobs)
    found = _core.plan(given.items(), planned, how, threads, progress(verbose, callback))
    curves = []
    for name, demand, non_private, without, points in found:
        epsilons, means, least, most = (np.array(column) for column in zip(*points))
        curves.append(PlanCurve(name, demand, epsilons, means, least, most, without, non_private))
    return Plan(curves, given.n, planned["k"], planned["demand_size"], planned["runs"])
