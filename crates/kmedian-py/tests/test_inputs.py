"""Every form that data comes in gives the same centers."""

from __future__ import annotations

import warnings

import networkx
import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse

from kmedian import KMedian


class OnlyArrow:
    """What a database hands out: Arrow's C stream, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FORMS = {
    "float64": lambda X: X.astype(np.float64),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda X: X[::-1][::-1],
    "read only": lambda X: _read_only(X),
    "masked nowhere": lambda X: np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool)),
    "lists": lambda X: X.tolist(),
    "int64": lambda X: X.astype(np.int64),
    "uint8": lambda X: X.astype(np.uint8),
    "float16": lambda X: X.astype(np.float16),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abc")),
    "pandas, mixed": lambda X: pd.DataFrame({"a": X[:, 0].astype(int), "b": X[:, 1], "c": X[:, 2].astype(float)}),
    "polars": lambda X: polars.DataFrame(X, schema=["a", "b", "c"]),
    "pyarrow": lambda X: pyarrow.table({name: X[:, at] for at, name in enumerate("abc")}),
    "arrow stream": lambda X: OnlyArrow(pyarrow.table({name: X[:, at] for at, name in enumerate("abc")})),
}


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


@pytest.fixture(scope="module")
def whole_numbers():
    return np.random.default_rng(5).integers(0, 200, size=(250, 3)).astype(np.float32)


@pytest.mark.parametrize("form", FORMS)
def test_tables(form, whole_numbers):
    expected = KMedian(6, random_state=1).fit(whole_numbers)
    found = KMedian(6, random_state=1).fit(FORMS[form](whole_numbers))
    assert np.array_equal(found.medoid_indices_, expected.medoid_indices_)
    assert found.inertia_ == expected.inertia_
    assert np.array_equal(found.predict(FORMS[form](whole_numbers)), expected.labels_)
    assert np.array_equal(np.asarray(found.cluster_centers_, dtype=np.float32), expected.cluster_centers_)


def test_a_matrix_in_any_layout(whole_numbers):
    rows = whole_numbers[:60]
    matrix = np.abs(rows[:, None] - rows[None]).sum(axis=2)
    fits = [KMedian(4, metric="precomputed", random_state=1).fit(D) for D in (matrix, matrix.astype(float), matrix.astype(int), np.asfortranarray(matrix))]
    assert len({tuple(fit.medoid_indices_) for fit in fits}) == 1
    assert np.array_equal(fits[0].cluster_centers_, fits[0].medoid_indices_)
    assert np.array_equal(fits[0].predict(matrix[:7]), fits[0].labels_[:7])


@pytest.fixture(scope="module")
def lattice():
    """Streets of a town, some longer than others; nodes are pairs."""
    graph = networkx.grid_2d_graph(12, 9)
    rng = np.random.default_rng(2)
    for a, b in graph.edges:
        graph.edges[a, b]["weight"] = float(rng.integers(1, 9))
    return graph


def test_graphs_in_every_form(lattice):
    import igraph

    adjacency = networkx.to_scipy_sparse_array(lattice, weight="weight")
    nodes = list(lattice.nodes)
    number = {node: at for at, node in enumerate(nodes)}
    edges = [(number[a], number[b]) for a, b in lattice.edges]
    lengths = [lattice.edges[edge]["weight"] for edge in lattice.edges]
    of_igraph = igraph.Graph(n=len(nodes), edges=edges, edge_attrs={"weight": lengths})
    forms = {
        "csr": adjacency.tocsr(), "coo": adjacency.tocoo(), "csc": adjacency.tocsc(), "lil": adjacency.tolil(),
        "upper": scipy.sparse.triu(adjacency), "old": scipy.sparse.csr_matrix(adjacency),
        "networkx": lattice, "igraph": of_igraph,
    }
    fits = {name: KMedian(5, metric="graph", random_state=1).fit(graph) for name, graph in forms.items()}
    costs = {name: fit.inertia_ for name, fit in fits.items()}
    true = networkx.floyd_warshall_numpy(lattice)
    for name, fit in fits.items():
        assert np.isclose(costs[name], true[:, fit.medoid_indices_].min(axis=1).sum()), name
        assert np.array_equal(fit.predict(forms[name]), fit.labels_), name
        assert np.allclose(fit.transform(forms[name]), true[:, fit.medoid_indices_]), name
    found = fits["networkx"]
    assert [nodes[at] for at in found.medoid_indices_] == list(found.cluster_centers_)
    assert found.cluster_centers_[0] in lattice


def test_edges_without_a_weight_are_one_long():
    path = networkx.path_graph(["a", "b", "c"])
    fitted = KMedian(1, metric="graph", random_state=0).fit(path)
    assert fitted.cluster_centers_ == ["b"] and fitted.inertia_ == 2


@pytest.mark.parametrize("name", ["length", "distance"])
@pytest.mark.parametrize("form", [lambda graph: graph, lambda graph: as_igraph(graph)], ids=["networkx", "igraph"])
def test_lengths_by_another_name_are_told(form, name):
    """Those of OSMnx, for example."""
    path = networkx.path_graph(4)
    networkx.set_edge_attributes(path, 3.0, name)
    with pytest.warns(UserWarning, match=f"edges have a '{name}', but no 'weight'") as told:
        KMedian(1, metric="graph").fit(form(path))
    assert told[0].filename == __file__
    networkx.set_edge_attributes(path, 2.0, "weight")
    assert KMedian(1, metric="graph").fit(path).inertia_ == 8


def test_predict_on_other_roads(lattice):
    """The same junctions after a road was closed."""
    fitted = KMedian(3, metric="graph", random_state=0).fit(lattice)
    closed = lattice.copy()
    closed.remove_edge((0, 0), (0, 1))
    assert len(fitted.predict(closed)) == len(lattice)


def shuffled(graph, seed=0):
    """The same networkx graph, its nodes in another order."""
    nodes = list(graph.nodes)
    same = networkx.Graph()
    same.add_nodes_from(nodes[at] for at in np.random.default_rng(seed).permutation(len(nodes)))
    same.add_edges_from(graph.edges(data=True))
    return same


def as_igraph(graph):
    import igraph

    names = [str(node) for node in graph.nodes]
    made = igraph.Graph(n=len(names), vertex_attrs={"name": names})
    made.add_edges([(str(a), str(b)) for a, b in graph.edges])
    for attribute in {name for _, _, attributes in graph.edges(data=True) for name in attributes}:
        made.es[attribute] = [length for _, _, length in graph.edges(data=attribute)]
    return made


@pytest.mark.parametrize("form", [lambda graph: graph, as_igraph], ids=["networkx", "igraph"])
def test_nodes_are_known_by_their_names(lattice, form):
    """Labels and distances come in the order of the graph that is given."""
    other = shuffled(lattice)
    order = [list(lattice.nodes).index(node) for node in other.nodes]
    fitted = KMedian(4, metric="graph", random_state=0).fit(form(lattice))
    assert np.array_equal(fitted.predict(form(other)), fitted.labels_[order])
    assert np.array_equal(fitted.transform(form(other)), fitted.transform(form(lattice))[order])
    assert np.isclose(fitted.score(form(other)), -fitted.inertia_)
    renamed = networkx.relabel_nodes(lattice, {(0, 0): "harbour"})
    with pytest.raises(ValueError, match="the node .*0, 0.*, which was fitted, is not in the graph; give the same nodes"):
        fitted.predict(form(renamed))


def test_rows_of_a_matrix_are_in_the_order_that_was_fitted(lattice):
    fitted = KMedian(4, metric="graph", random_state=0).fit(shuffled(lattice))
    adjacency = networkx.to_scipy_sparse_array(shuffled(lattice), weight="weight")
    assert np.array_equal(fitted.predict(adjacency), fitted.labels_)


def test_nodes_of_the_same_name_cannot_be_told_apart():
    import igraph

    path = igraph.Graph(n=3, edges=[(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "b"]})
    fitted = KMedian(1, metric="graph", random_state=0).fit(path)
    assert fitted.predict(path).tolist() == [0, 0, 0]
    path.vs["name"] = ["b", "a", "b"]
    with pytest.raises(ValueError, match="several nodes have the same name"):
        fitted.predict(path)


def test_weights_of_nodes(lattice):
    weights = np.zeros(len(lattice))
    weights[17] = 1
    assert KMedian(1, metric="graph", random_state=0).fit(lattice, sample_weight=weights).inertia_ == 0


def test_radians_are_told():
    places = np.array([[40.7, -74.0], [34.0, -118.2], [48.9, 2.4]])
    with pytest.warns(UserWarning, match=r"if these are radians.*np\.degrees\(X\)") as told:
        KMedian(1, metric="haversine").fit(np.radians(places))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMedian(1, metric="haversine", random_state=0).fit(places.astype(np.float32))


def test_digits_that_would_be_lost_are_told():
    with pytest.warns(UserWarning, match="seven digits") as told:
        KMedian(3, metric="angular", random_state=0).fit(1.7e9 + np.arange(200.0).reshape(100, 2))
    assert told[0].filename == __file__


@pytest.mark.parametrize("metric", ["l1", "euclidean", "chebyshev"])
@pytest.mark.parametrize("kind", [np.float64, np.int64])
def test_times_are_told_apart(metric, kind):
    """What all values have in common is subtracted in 64 bits, before 32-bit floats lose what they differ in."""
    near = np.column_stack([np.arange(300), np.arange(300) % 7]).astype(kind)
    far = near + np.array([10**12, 0], dtype=kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected, found = (KMedian(3, metric=metric, random_state=0).fit(X) for X in (near, far))
        assert np.isclose(found.inertia_, expected.inertia_) and found.inertia_ > 0
        assert np.array_equal(found.cluster_centers_, far[found.medoid_indices_])
        assert np.array_equal(found.predict(far), found.labels_)
        distances = np.take_along_axis(found.transform(far), found.labels_[:, None], axis=1)
    assert np.isclose(distances.sum(), found.inertia_)


def test_ways_from_a_node_to_itself_count_nothing():
    looped = scipy.sparse.coo_array(([0.0, 1.0, 1.0], ([0, 0, 1], [0, 1, 2])), shape=(3, 3))
    assert KMedian(1, metric="graph").fit(looped).inertia_ == 2.0


def test_entries_that_are_there_twice_add_up():
    rows, columns = [0, 0, 1], [1, 1, 2]
    twice = scipy.sparse.coo_array(([0.5, 0.5, 1.0], (rows, columns)), shape=(3, 3))
    assert KMedian(1, metric="graph").fit(twice).inertia_ == 2.0


def test_a_cost_curve_leaves_a_fitted_estimator_alone():
    fitted = KMedian(2, random_state=0).fit(np.arange(12.0).reshape(6, 2))
    fitted.cost_curve(np.arange(15.0).reshape(5, 3), [1, 2])
    assert len(fitted.predict(np.zeros((1, 2)))) == 1
