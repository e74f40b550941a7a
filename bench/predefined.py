"""Our centers against proven optima: PySAL's own case, and facilities that are there already.

The stores of San Francisco are the example of PySAL's spopt, whose notebook `facloc-real-world` has the optimum; the data
comes with its wheel. Random instances of the p-median problem with clients apart from sites are solved to optimality by
HiGHS through spopt, and by kmedian; both get the same matrix of costs, weights and predefined facilities. Times are those
of the processors. Run by hand, with the Python package and spopt, pulp and highspy installed:

    python bench/predefined.py
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pulp
import spopt
from kmedian import KMedian
from spopt.locate import PMedian

INSTANCES = 20
RESTARTS = 20

# What spopt's notebook prints for four stores: the sum of the ways of all people, in meters, and their mean.
PUBLISHED_COST = 2848268129.7145104
PUBLISHED_MEAN = 2982.1268579890657


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


def san_francisco() -> None:
    """Four of 16 stores for the people of 205 census tracts, by the network distances that come with spopt."""
    data = Path(spopt.__file__).parent / "tests" / "test_locate" / "data"
    ways = pd.read_csv(data / "SF_network_distance_candidateStore_16_censusTract_205_new.csv")
    costs = ways.pivot_table(values="distance", index="DestinationName", columns="name")
    people = pd.read_csv(data / "SF_demand_205_centroid_uniform_weight.csv").set_index("NAME").POP2000[costs.index]
    began = time.process_time()
    theirs = optimum(costs.to_numpy(), people.to_numpy(), np.zeros(costs.shape[1], dtype=int), 4)
    between = time.process_time()
    model = KMedian(4, metric="precomputed", effort="optimal", random_state=0)
    model.fit(costs, sample_weight=people, sites=costs.columns)
    ended = time.process_time()
    stores = ", ".join(model.cluster_centers_)
    found = float((costs.to_numpy()[:, model.medoid_indices_].min(axis=1) * people.to_numpy()).sum())
    print(f"San Francisco: {stores}; {found:,.1f} m, {found / PUBLISHED_COST:.9f} of what is published, {model.stop_}")
    print(f"  the mean way is {model.service_.overall.mean:,.1f} m, published {PUBLISHED_MEAN:,.1f} m")
    print(f"  HiGHS finds {theirs:,.1f} m in {between - began:.3f} s, kmedian takes {ended - between:.4f} s")


def main() -> None:
    warnings.simplefilter("ignore")
    san_francisco()
    hits, worst, theirs, ours = 0, 1.0, 0.0, 0.0
    for seed in range(INSTANCES):
        costs, weights, predefined, p = instance(seed)
        began = time.process_time()
        best = optimum(costs, weights, predefined, p)
        between = time.process_time()
        model = KMedian(p, metric="precomputed", fixed=predefined == 1, n_restarts=RESTARTS, random_state=0)
        model.fit(costs, sample_weight=weights, sites=np.arange(costs.shape[1]))
        ended = time.process_time()
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
