"""What the test suites of kmedoids, scikit-learn-extra and scikit-learn's KMeans expect of an estimator."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from kmedian import KMedian

X = np.random.default_rng(0).normal(size=(60, 3))


def test_a_limit_warns():
    with pytest.warns(ConvergenceWarning, match="max-swaps.*raise max_swaps"):
        KMedian(8, init="random", max_swaps=1, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMedian(8, init="random", max_swaps=0, random_state=0).fit(X)
        KMedian(8, random_state=0).fit(X)


def test_fewer_distinct_rows_than_centers_warn():
    twice = np.repeat(X[:2], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(3\)"):
        KMedian(3, random_state=0).fit(twice)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMedian(2, random_state=0).fit(twice)


def test_init_sets_the_number_of_centers():
    for init in ([3, 7, 20], np.array([3, 7, 20]), X[[3, 7, 20]], X[[3, 7, 20]].tolist(), X[[3, 7, 20]] + 1e-9):
        found = KMedian(8, init=init, max_swaps=0).fit(X)
        assert found.medoid_indices_.tolist() == [3, 7, 20]
    begun = KMedian(init=X[:4], random_state=0).fit(X)
    assert begun.cluster_centers_.shape == (4, 3) and begun.stop_ == "local-optimum"
    for init, match in (
        (X[:2, :2], "X has 3 features"),
        (X[[1, 1]], "nearest to item 1"),
        ([[1.0, 2.0], [3.0]], "init"),
        ([1, 1], "given twice"),
        ([[0, np.nan, 0]], "init: row 0, column 1 is nan; give finite numbers"),
    ):
        with pytest.raises(ValueError, match=match):
            KMedian(2, init=init).fit(X)


@pytest.mark.parametrize("metric", ["l1", "l2", "cosine", "jaccard"])
def test_init_of_sparse_rows(metric):
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((40, 6)) < 0.5, rng.integers(1, 9, (40, 6)), 0) + np.eye(40, 6)
    rows = scipy.sparse.csr_array(np.unique(rows[(rows > 0).any(axis=1)], axis=0))
    for init in (rows[[3, 7, 20]], rows[[3, 7, 20]].tocoo(), rows[[3, 7, 20]].toarray()):
        found = KMedian(8, metric=metric, init=init, max_swaps=0).fit(rows)
        assert found.medoid_indices_.tolist() == [3, 7, 20]
    if metric in ("l1", "l2"):
        dense = KMedian(8, metric=metric, init=rows[[3, 7, 20]], max_swaps=0).fit(rows.toarray())
        assert dense.medoid_indices_.tolist() == [3, 7, 20]
        moved = rows[[3, 7, 20]] * (1 + 1e-9)
        assert KMedian(8, metric=metric, init=moved, max_swaps=0).fit(rows).medoid_indices_.tolist() == [3, 7, 20]
    again = KMedian(3, metric=metric, random_state=0).fit(rows)
    assert KMedian(metric=metric, init=again.cluster_centers_, max_swaps=0).fit(rows).inertia_ == again.inertia_
    for init, match in ((np.zeros((1, 2)), "X has 6 features"), ([[0, 0, np.inf, 0, 0, 0]], "row 0, column 2 is inf")):
        with pytest.raises(ValueError, match=match):
            KMedian(metric=metric, init=init).fit(rows)


def road():
    graph = nx.Graph()
    graph.add_edge("a", "b", length=1.0, weight=100.0)
    graph.add_edge("b", "c", length=2.0, weight=1.0)
    graph.add_edge("c", "d", length=4.0, weight=1.0)
    graph.add_edge("x", "y", length=1.0, weight=1.0)
    return graph


def test_lengths_and_the_largest_component_of_graphs():
    with pytest.raises(ValueError, match="(?i)connected"):
        KMedian(1, metric="graph").fit(road())
    params = {"weight": "length", "largest_component": True}
    found = KMedian(1, metric="graph", metric_params=params).fit(road())
    assert sorted(found.node_names_in_) == ["a", "b", "c", "d"]
    assert found.inertia_ == 1 + 2 + 4 + 2 or found.inertia_ == 9
    assert found.cluster_centers_[0] in ("b", "c")
    with pytest.raises(ValueError, match="weight='miles': edges have no such attribute"):
        KMedian(1, metric="graph", metric_params={"weight": "miles"}).fit(road())
    partly = road()
    partly.add_edge("c", "e", weight=1.0)
    with pytest.raises(ValueError, match="has no 'length'"):
        KMedian(1, metric="graph", metric_params=params).fit(partly)
    matrix = nx.to_scipy_sparse_array(road(), weight="length")
    same = KMedian(1, metric="graph", metric_params={"largest_component": True}).fit(matrix)
    assert same.inertia_ == found.inertia_ and same.node_names_in_.tolist() == [0, 1, 2, 3]
    one_way = scipy.sparse.csr_array(np.array([[0, 1, 0, 0], [1, 0, 3, 0], [0, 0, 0, 1], [0, 0, 0, 0.0]]))
    strong = KMedian(1, metric="graph", metric_params={"largest_component": True}, directed=True).fit(one_way)
    assert strong.node_names_in_.tolist() == [0, 1]


def test_prediction_by_node():
    params = {"weight": "length", "largest_component": True}
    found = KMedian(2, metric="graph", metric_params=params).fit(road())
    names = found.node_names_in_.tolist()
    asked = ["d", "a", "d"]
    assert found.predict(asked).tolist() == [found.labels_[names.index(name)] for name in asked]
    assert found.transform(asked).shape == (3, 2)
    assert found.transform(asked)[0] == pytest.approx(found.transform(road())[names.index("d")])
    for nodes, error in ((["nowhere"], ValueError), ("a", TypeError), ([["a"]], ValueError)):
        with pytest.raises(error):
            found.predict(nodes)


@pytest.mark.parametrize("times", [
    pd.date_range("2020", periods=6), pd.date_range("2020", periods=6, tz="UTC"), pd.period_range("2020", periods=6),
    pd.timedelta_range("1h", periods=6), pd.Series(pd.date_range("2020", periods=6)).dt.date,
])  # fmt: skip
def test_times_are_no_categories(times):
    table = pd.DataFrame({"when": times, "size": range(6)})
    with pytest.raises(TypeError, match="'when' of X holds times.*choose a unit"):
        KMedian(2, metric="gower").fit(table)
    KMedian(2, metric="gower", metric_params={"categories": ["when"]}).fit(table)


def test_items_of_no_weight_are_not_drawn():
    rows = np.arange(40, dtype=float)[:, None]
    weights = np.where(np.arange(40) % 4 == 0, 1.0, 0.0)
    for seed in range(20):
        drawn = KMedian(5, init="random", max_swaps=0, random_state=seed).fit(rows, sample_weight=weights)
        assert (weights[drawn.medoid_indices_] > 0).all()


def test_texts_are_told_of_their_metric():
    for texts in (["kitten", "sitting"], np.array(["kitten", "sitting"]), pd.Series(["kitten", "sitting"])):
        with pytest.raises(ValueError, match="metric='levenshtein'"):
            KMedian(1).fit(texts)
