"""Our centers against proven optima, with facilities that are there already.

Random instances of the p-median problem with clients apart from sites are solved to optimality by HiGHS through PySAL's
spopt, and by kmedian; both get the same matrix of costs, weights and predefined facilities. Run by hand, with the Python
package and spopt, pulp and highspy installed:

    python bench/predefined.py
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import pulp
from kmedian import KMedian
from spopt.locate import PMedian

INSTANCES = 20
RESTARTS = 20


def instance(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Costs from clients to sites, weights, which sites are predefined, and how many are wanted."""
    rng = np.random.default_rng(seed)
    clients, sites = int(rng.integers(60, 160)), int(rng.integers(20, 50))
    p = int(rng.integers(4, 11))
    homes, places = rng.random((clients, 2)), rng.random((sites, 2))
    costs = np.hypot(*(homes[:, None] - places[None]).transpose(2, 0, 1))
    # A third of the instances is no metric: the way takes longer than it is far.
    if seed % 3 == 0:
        costs *= rng.uniform(1, 2, costs.shape)
    predefined = np.zeros(sites, dtype=int)
    predefined[rng.choice(sites, size=int(rng.integers(1, p)), replace=False)] = 1
    return costs, rng.integers(1, 20, clients), predefined, p


def optimum(costs: np.ndarray, weights: np.ndarray, predefined: np.ndarray, p: int) -> float:
    """The proven optimum."""
    model = PMedian.from_cost_matrix(costs, weights, p, predefined_facilities_arr=predefined)
    model.solve(pulp.HiGHS(msg=False))
    return float(model.problem.objective.value())


def main() -> None:
    warnings.simplefilter("ignore")
    hits, worst, theirs, ours = 0, 1.0, 0.0, 0.0
    for seed in range(INSTANCES):
        costs, weights, predefined, p = instance(seed)
        began = time.perf_counter()
        best = optimum(costs, weights, predefined, p)
        between = time.perf_counter()
        model = KMedian(p, metric="precomputed", fixed=predefined == 1, n_restarts=RESTARTS, random_state=0)
        model.fit(costs, sample_weight=weights, sites=np.arange(costs.shape[1]))
        ended = time.perf_counter()
        found = float((costs[:, model.medoid_indices_].min(axis=1) * weights).sum())
        assert predefined[model.medoid_indices_].sum() == predefined.sum(), "a predefined facility is missing"
        ratio = found / best
        hits += ratio <= 1 + 1e-6
        worst = max(worst, ratio)
        theirs, ours = theirs + between - began, ours + ended - between
        shape = f"{costs.shape[0]} × {costs.shape[1]}, p = {p}, {predefined.sum()} predefined"
        print(f"{seed:2}: {shape}: {best:.4f}, ours {ratio:.6f} of it, {between - began:.3f} s and {ended - between:.4f} s")
    print(f"{hits} of {INSTANCES} are the proven optimum, none is above {worst:.6f} of it")
    print(f"HiGHS {theirs:.2f} s, kmedian {ours:.3f} s: {ours / theirs:.4f} of the time")


if __name__ == "__main__":
    main()
