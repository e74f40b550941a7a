"""Candidates, fixed centers, clients apart from sites, one-way streets, and how far it is to the centers."""

from itertools import combinations

import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from kmedian import KMeansMedoids, KMedian, PrivateKMedian, Release, plan

RNG = np.random.default_rng(7)
ROWS = RNG.random((60, 2))
CANDIDATES = [3, 8, 15, 21, 30, 44, 59]


def table(rows, sites):
    return np.linalg.norm(rows[:, None] - sites[None], axis=2)


def best(costs, weights, k, fixed=()):
    """The least cost of k columns, with the fixed ones among them."""
    others = [at for at in range(costs.shape[1]) if at not in fixed]
    sets = (list(fixed) + list(more) for more in combinations(others, k - len(fixed)))
    return min((costs[:, chosen].min(axis=1) * weights).sum() for chosen in sets)


def test_masks_and_positions_mean_the_same():
    mask = np.zeros(60, dtype=bool)
    mask[CANDIDATES] = True
    given = [CANDIDATES, np.array(CANDIDATES), mask, mask.tolist()]
    found = [KMedian(3, candidates=one, fixed=[15], n_restarts=20, random_state=0).fit(ROWS) for one in given]
    for model in found:
        assert model.medoid_indices_[0] == 15 and set(model.medoid_indices_) <= set(CANDIDATES)
        assert model.medoid_indices_.tolist() == found[0].medoid_indices_.tolist()
        assert (model.cluster_centers_ == ROWS[model.medoid_indices_]).all()
    costs = table(ROWS, ROWS[CANDIDATES])
    assert found[0].inertia_ == pytest.approx(best(costs, np.ones(60), 3, [CANDIDATES.index(15)]), rel=1e-5)
    assert found[0].stop_ == "local-optimum"


def test_as_many_fixed_as_centers_is_an_assignment():
    model = KMeansMedoids(2, fixed=[5, 1]).fit(ROWS)
    assert model.medoid_indices_.tolist() == [5, 1] and model.n_swaps_ == 0
    assert (model.labels_ == table(ROWS, ROWS[[5, 1]]).argmin(axis=1)).all()


def test_clients_apart_from_sites():
    sites = RNG.random((9, 2))
    weights = RNG.integers(0, 4, 60).astype(float)
    costs = table(ROWS, sites)
    wanted = best(costs, weights, 3)
    models = [
        KMedian(3, n_restarts=20, random_state=1).fit(ROWS, sample_weight=weights, sites=sites),
        KMedian(3, n_restarts=20, random_state=1, metric="precomputed").fit(costs, sample_weight=weights),
        KMedian(3, n_restarts=20, random_state=1, metric=lambda a, b: float(np.linalg.norm(a - b))).fit(
            ROWS, sample_weight=weights, sites=sites
        ),
    ]
    for model in models:
        assert model.inertia_ == pytest.approx(wanted, rel=1e-5)
        assert model.medoid_indices_.max() < 9 and model.labels_.shape == (60,)
        near = costs[:, model.medoid_indices_]
        assert np.allclose(near[np.arange(60), model.labels_], near.min(axis=1))
    assert np.allclose(models[0].cluster_centers_, sites[models[0].medoid_indices_])
    assert (models[0].predict(ROWS) == models[0].labels_).all()
    assert (models[1].predict(costs) == models[1].labels_).all()
    curve = KMedian(metric="precomputed").cost_curve(costs, [1, 2, 9], sample_weight=weights)
    assert curve.cost[0] == pytest.approx(best(costs, weights, 1), rel=1e-5)


def test_columns_may_have_names_and_a_square_matrix_may_be_of_clients_and_sites():
    costs = RNG.random((4, 4)) + 1
    names = np.array(["n", "e", "s", "w"])
    model = KMedian(2, metric="precomputed", fixed=["s"], n_restarts=5).fit(costs, sites=names)
    assert model.cluster_centers_[0] == "s" and model.medoid_indices_[0] == 2
    assert model.inertia_ == pytest.approx(best(costs, np.ones(4), 2, [2]), rel=1e-5)


def ways(graph, nodes):
    lengths = dict(networkx.all_pairs_dijkstra_path_length(graph))
    return np.array([[lengths[a][b] for b in nodes] for a in nodes])


def one_way(n=24, seed=3):
    rng = np.random.default_rng(seed)
    graph = networkx.MultiDiGraph()
    for node in range(n):
        graph.add_edge(f"n{node}", f"n{(node + 1) % n}", weight=float(rng.uniform(0.5, 2)))
        graph.add_edge(f"n{node}", f"n{rng.integers(n)}", weight=float(rng.uniform(1, 6)))
    return graph


def test_one_way_streets():
    graph = one_way()
    nodes = list(graph.nodes)
    there = ways(graph, nodes)
    matrix = networkx.to_scipy_sparse_array(networkx.DiGraph(graph), nodelist=nodes, weight=None)
    for directed, costs in [(None, there.T), ("towards", there)]:
        model = KMedian(3, metric="graph", directed=directed, n_restarts=30, random_state=0).fit(graph)
        assert model.inertia_ == pytest.approx(best(costs, np.ones(24), 3), rel=1e-5)
        assert model.stop_ == "local-optimum"
        assert np.allclose(model.transform(graph), costs[:, model.medoid_indices_], rtol=1e-5)
        assert (model.predict(graph) == model.labels_).all()
        named = KMedian(2, metric="graph", directed=directed, candidates=["n3", "n9", "n20"], fixed=["n9"])
        named.fit(graph)
        assert named.cluster_centers_[0] == "n9" and named.cluster_centers_[1] in ("n3", "n20")
    unweighted = KMedian(1, metric="graph", directed=True).fit(scipy.sparse.csr_array(matrix))
    hops = np.array([[len(networkx.shortest_path(graph, a, b)) - 1 for b in nodes] for a in nodes])
    assert unweighted.inertia_ == hops.sum(axis=1).min()


def test_a_matrix_that_is_not_symmetric_is_directed():
    lengths = np.array([[0, 1, 9], [5, 0, 2], [1, 7, 0]], dtype=float)
    model = KMedian(1, metric="graph").fit(scipy.sparse.csr_array(lengths))
    # From 0: 1 and 3; from 1: 3 and 2; from 2: 1 and 2.
    assert model.inertia_ == 3
    with pytest.raises(ValueError, match="directed=True"):
        KMedian(1, metric="graph", directed=False).fit(scipy.sparse.csr_array(lengths))


def test_streets_of_which_some_have_one_entry_are_directed():
    """A ring that is open one way, and one street both ways."""
    ring = scipy.sparse.lil_array((5, 5))
    for node in range(5):
        ring[node, (node + 1) % 5] = 1
    with pytest.warns(UserWarning, match="taken to be open both ways"):
        assert KMedian(1, metric="graph").fit(ring.tocsr()).inertia_ == 6
    ring[1, 0] = 1
    model = KMedian(1, metric="graph").fit(ring.tocsr())
    # From 1: 0 is 1 away, 2 is 1, 3 is 2, 4 is 3.
    assert (model.medoid_indices_[0], model.inertia_) == (1, 7)
    assert KMedian(1, metric="graph", directed=False).fit(ring.tocsr()).inertia_ == 6


def test_parallel_streets_count_by_the_shortest():
    graph = networkx.MultiDiGraph()
    for a, b, weight in [(0, 1, 5), (0, 1, 2), (1, 2, 1), (2, 0, 9), (2, 0, 3)]:
        graph.add_edge(a, b, weight=weight)
    for directed, costs in [(None, [5, 5, 8]), ("towards", [7, 7, 4])]:
        for node, cost in enumerate(costs):
            model = KMedian(1, metric="graph", directed=directed, fixed=[node]).fit(graph)
            assert model.inertia_ == cost


def test_rows_and_private_items_are_called_by_name():
    named = pd.DataFrame(ROWS, columns=["x", "y"], index=[f"place {at}" for at in range(60)])
    wanted = KMedian(3, candidates=CANDIDATES, fixed=[15], random_state=0).fit(ROWS)
    names = [f"place {at}" for at in CANDIDATES]
    for given, fixed in [(names, ["place 15"]), (CANDIDATES, [15]), (names, [15])]:
        model = KMedian(3, candidates=given, fixed=fixed, random_state=0).fit(named)
        assert model.medoid_indices_.tolist() == wanted.medoid_indices_.tolist()
    apart = KMedian(2, fixed=["place 7"], random_state=0).fit(named.iloc[:10], sites=named.iloc[5:12])
    assert apart.medoid_indices_[0] == 2
    with pytest.raises(ValueError, match="there is no item called 'place 60'"):
        KMedian(2, fixed=["place 60"]).fit(named)
    ids = [str(1000 + at) for at in range(60)]
    model = PrivateKMedian(3, epsilon=1, candidates=[ids[at] for at in CANDIDATES], fixed=["1044"], random_state=0)
    model.fit(ROWS, [ids[at] for at in RNG.integers(0, 60, 500)], ids=ids)
    assert model.medoid_indices_[0] == 44 and model.center_ids_[0] == "1044"
    again = model.release_.centers(3, candidates=[ids[at] for at in CANDIDATES], fixed=["1044"])
    assert again.tolist() == model.medoid_indices_.tolist()
    # A number could be an id or a position, so it is neither.
    with pytest.raises(ValueError, match="there is no item called 44"):
        PrivateKMedian(3, epsilon=1, fixed=[44]).fit(ROWS, ["1001"], ids=ids)


@pytest.mark.parametrize("estimator", [KMedian, KMeansMedoids])
def test_fixed_centers_stay_in_every_search(estimator):
    for options in [{"swap": "best"}, {"effort": "fast"}, {"effort": "balanced"}, {"effort": "optimal"}, {"n_restarts": 5}]:
        for init in ["auto", "hst", "greedy", "plusplus", "random", [59, 3, 44, 8]]:
            model = estimator(4, fixed=[44, 3], candidates=CANDIDATES, init=init, random_state=0, **options).fit(ROWS)
            assert model.medoid_indices_[:2].tolist() == [44, 3] and set(model.medoid_indices_) <= set(CANDIDATES)
    curve = estimator(fixed=[44, 3, 8]).cost_curve(ROWS, range(3, 10))
    assert (np.diff(curve.cost) <= 0).all()
    with pytest.raises(ValueError, match="n_clusters=1, but 3 centers are fixed"):
        estimator(fixed=[44, 3, 8]).cost_curve(ROWS, range(1, 10))


def test_service():
    weights = RNG.integers(1, 5, 60)
    model = KMedian(4, random_state=0).fit(ROWS, sample_weight=weights)
    distances = np.repeat(model.transform(ROWS).min(axis=1), weights)
    overall = model.service_.overall
    assert overall.mean == pytest.approx(distances.mean(), rel=1e-5)
    assert overall.max == pytest.approx(distances.max(), rel=1e-5)
    assert overall.median == pytest.approx(np.quantile(distances, 0.5, method="inverted_cdf"), rel=1e-5)
    assert overall.p95 == pytest.approx(np.quantile(distances, 0.95, method="inverted_cdf"), rel=1e-5)
    assert overall.farthest == model.transform(ROWS).min(axis=1).argmax()
    for slot, center in enumerate(model.service_.centers):
        mine = np.repeat(model.transform(ROWS).min(axis=1), weights * (model.labels_ == slot))
        assert center.mean == pytest.approx(mine.mean(), rel=1e-5)


def test_private_centers_keep_to_public_sites():
    demand = RNG.integers(0, 60, 3000)
    model = PrivateKMedian(3, epsilon=1, candidates=CANDIDATES, fixed=[44], random_state=0).fit(ROWS, demand)
    assert model.medoid_indices_[0] == 44 and set(model.medoid_indices_) <= set(CANDIDATES)
    assert model.estimated_service_.overall.max > 0
    release = model.release_
    assert release.centers(3, candidates=CANDIDATES, fixed=[44]).tolist() == model.medoid_indices_.tolist()
    assert set(release.centers(2, candidates=[0, 1, 2])) <= {0, 1, 2}
    assert release.service(3).overall.mean > 0
    curve = release.cost_curve(candidates=CANDIDATES, fixed=[44])
    assert curve.k.tolist() == list(range(1, 8))
    planned = plan(ROWS, 3, epsilon=1, demand_size=500, candidates=CANDIDATES, fixed=[44], runs=1, random_state=0)
    assert len(planned.curves) == 4


def test_private_centers_on_one_way_streets(tmp_path):
    graph = one_way()
    demand = [f"n{node}" for node in RNG.integers(0, 24, 2000)]
    model = PrivateKMedian(2, epsilon=1, metric="graph", random_state=0, fixed=["n5"]).fit(graph, demand)
    assert model.cluster_centers_[0] == "n5"
    model.release_.save(tmp_path / "r.json")
    again = Release.load(tmp_path / "r.json", graph, metric="graph")
    assert again.centers(2, fixed=["n5"]).tolist() == model.medoid_indices_.tolist()
    with pytest.raises(ValueError, match="another universe"):
        Release.load(tmp_path / "r.json", graph, metric="graph", directed="towards")
    dead_end = networkx.path_graph(4, create_using=networkx.DiGraph)
    with pytest.raises(ValueError, match="does not reach"):
        PrivateKMedian(1, epsilon=1, metric="graph").fit(dead_end, [0, 1, 2])


WRONG = {
    "unknown": (dict(candidates=[1, 60]), "there is no item 60"),
    "negative": (dict(fixed=[-1]), "there is no item -1"),
    "twice": (dict(candidates=[1, 2, 1]), "item 1 is given twice"),
    "fixed twice": (dict(fixed=[2, 2]), "item 2 is given twice"),
    "none": (dict(candidates=[]), "candidates is empty"),
    "no mask": (dict(candidates=[False] * 60), "candidates is empty"),
    "short mask": (dict(candidates=[True] * 59), "a mask for 59 items, but there are 60"),
    "not a candidate": (dict(candidates=[1, 2, 3], fixed=[4]), "item 4 is not among the candidates"),
    "too few fixed": (dict(fixed=[1, 2, 3]), "n_clusters=2, but 3 centers are fixed"),
    "too few candidates": (dict(candidates=[1]), "only 1 candidates"),
    "names": (dict(candidates=["a"]), "'a' is no position"),
    "text": (dict(candidates="a"), "no list"),
    "number": (dict(fixed=3), "no list"),
    "fractions": (dict(fixed=[1.5]), "1.5 is no position"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_sites_are_refused(what):
    options, message = WRONG[what]
    for model in (KMedian(2, **options), PrivateKMedian(2, epsilon=1, **options)):
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(ROWS) if isinstance(model, KMedian) else model.fit(ROWS, [1, 2, 3])
    with pytest.raises((ValueError, TypeError), match=message):
        plan(ROWS, 2, epsilon=1, demand_size=100, **options)


def test_wrong_sites_apart_are_refused():
    with pytest.raises(ValueError, match="sites:"):
        KMedian(2).fit(ROWS, sites=ROWS[:, :1])
    with pytest.raises(ValueError, match="give them as candidates"):
        KMedian(1, metric="graph").fit(one_way(), sites=["n1"])
    with pytest.raises(ValueError, match="give 3 names"):
        KMedian(1, metric="precomputed").fit(RNG.random((4, 3)), sites=["a"])
    with pytest.raises(ValueError, match="row 1, column 2"):
        KMedian(1, metric="precomputed").fit([[1, 2, 3], [1, 2, -3]])
    with pytest.raises(ValueError, match="a tree needs distances"):
        KMedian(1, metric="precomputed", init="hst").fit(RNG.random((4, 3)))
    with pytest.raises(ValueError, match="directed='both'"):
        KMedian(1, metric="graph", directed="both").fit(one_way())
    with pytest.raises(ValueError, match="to_directed"):
        KMedian(1, metric="graph", directed=True).fit(networkx.path_graph(4))


def test_a_mask_with_labels_is_a_mask_by_label():
    table = pd.DataFrame({"x": [0.0, 1.0, 10.0, 11.0]}, index=["a", "b", "c", "d"])
    mask = pd.Series([False, True, True, False], index=["d", "c", "b", "a"])
    assert set(KMedian(2, candidates=mask).fit(table).medoid_indices_) == {1, 2}
    turned = pd.Series([True, False, False, False], index=["d", "c", "b", "a"])
    assert 3 in KMedian(2, fixed=turned).fit(table).medoid_indices_
    with pytest.raises(ValueError, match="no item called 'e'"):
        KMedian(2, candidates=mask.rename({"d": "e"})).fit(table)
