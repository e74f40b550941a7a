"""Pictures: that they are drawn, and of what."""

from __future__ import annotations

import subprocess
import sys

import matplotlib
import networkx
import numpy as np
import pandas as pd
import polars
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

matplotlib.use("Agg")

from conftest import made_up  # noqa: E402
from kmedian import KMeansMedoids, KMedian, PrivateKMedian, plot  # noqa: E402

X = made_up(1, 200, 2)


def test_clusters():
    fitted = KMedian(4, random_state=0).fit(X)
    ax = plot.clusters(fitted, X)
    items, centers = ax.collections
    assert np.allclose(items.get_offsets(), X)
    assert np.allclose(centers.get_offsets(), fitted.cluster_centers_)
    with pytest.raises(ValueError, match="give the items that were fitted"):
        plot.clusters(fitted, X[:10])
    private = PrivateKMedian(4, epsilon=1, random_state=0).fit(X, [0, 1, 2])
    assert len(plot.clusters(private, X, ax=ax).collections) == 4


ROADS = networkx.connected_watts_strogatz_graph(200, 4, 0.1, seed=0)
MATRIX = cdist(X, X)


@pytest.mark.parametrize("metric, given", [("graph", ROADS), ("precomputed", MATRIX)])
@pytest.mark.parametrize("kind", [KMedian, PrivateKMedian])
def test_clusters_of_what_has_no_coordinates(kind, metric, given):
    options, demand = (dict(epsilon=1), [[0, 1, 2]]) if kind is PrivateKMedian else ({}, [])
    fitted = kind(4, metric=metric, random_state=0, **options).fit(given, *demand)
    items, centers = plot.clusters(fitted, X).collections
    assert np.array_equal(items.get_array(), fitted.predict(given))
    assert np.allclose(centers.get_offsets(), X[fitted.medoid_indices_])
    with pytest.raises(ValueError, match="give positions to draw at, an array with a row of coordinates for each of the 200"):
        plot.clusters(fitted, given)


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_columns_by_name(frame):
    table = frame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 0] * 2})
    items, _ = plot.clusters(KMedian(4, random_state=0).fit(table), table, columns=("c", "b")).collections
    assert np.allclose(items.get_offsets(), X * [2, 1])
    with pytest.raises(ValueError, match="choose two columns of numbers, from 0 to 2, or of a, b, c"):
        plot.clusters(KMedian(4, random_state=0).fit(table), table, columns=("c", "d"))


@pytest.mark.parametrize("columns", [(0, 2), (0,), 1, ("x", "y"), (0.0, 1.0)])
def test_columns_that_are_not_there(columns):
    with pytest.raises(ValueError, match=r"columns=.* choose two columns of numbers, from 0 to 1"):
        plot.clusters(KMedian(2, random_state=0).fit(X), X, columns=columns)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot.clusters(KMedian(2), X), lambda: plot.clusters(PrivateKMedian(2, epsilon=1), X),
        lambda: plot.tree(PrivateKMedian(2, epsilon=1)), lambda: plot.cost_curve(PrivateKMedian(2, epsilon=1)),
    ],
)  # fmt: skip
def test_what_is_not_fitted(draw):
    with pytest.raises(NotFittedError):
        draw()


@pytest.mark.parametrize("ax", [3, (None, None), np.array([None])])
def test_axes_that_are_none(ax):
    with pytest.raises(TypeError, match=r"ax=.* is no axes of matplotlib; give one that pyplot\.subplots\(\) returns"):
        plot.clusters(KMedian(2).fit(X), X, ax=ax)


@pytest.mark.parametrize("draw", [plot.tree, plot.cost_curve])
def test_what_has_no_release(draw):
    with pytest.raises(TypeError, match="KMeansMedoids cannot be drawn so; give a Release"):
        draw(KMeansMedoids(2).fit(X))


def test_matplotlib_is_loaded_by_pictures_alone():
    program = "import kmedian, sys; kmedian.plot.clusters; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'kmedian\[plot\]'"):
        plot.clusters(KMedian(2, random_state=0).fit(X), X)


def test_cost_curves():
    curve = KMedian(random_state=0).cost_curve(X, [1, 2, 3])
    (line,) = plot.cost_curve(curve).lines
    assert np.allclose(line.get_ydata(), curve.cost)
    private = PrivateKMedian(4, epsilon=1, random_state=0).fit(X, [0, 1, 2])
    for drawn in (private, private.release_, private.release_.cost_curve([1, 2])):
        assert len(plot.cost_curve(drawn).lines) == 2


def test_a_tree():
    fitted = PrivateKMedian(4, epsilon=10, random_state=0).fit(X, np.arange(200).repeat(20))
    ax = plot.tree(fitted)
    parents, _ = fitted.release_.tree()
    assert len(ax.patches) == len(parents)
    widths = {}
    for bar in ax.patches:
        level = round(-(bar.get_y() + bar.get_height() / 2))
        widths[level] = widths.get(level, 0) + bar.get_width()
    assert np.allclose(list(widths.values()), widths[0], rtol=0.05)
