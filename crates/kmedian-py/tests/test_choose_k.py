"""Choosing k: what is found for each, which one is suggested, and its picture."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

matplotlib.use("Agg")

import kmedian  # noqa: E402
from conftest import made_up  # noqa: E402
from kmedian import KMeansMedoids, KMedian, PrivateKMedian, choose_k, medoid_silhouette, plan, plot  # noqa: E402

RNG = np.random.default_rng(3)
PLACES = np.array([[0, 0], [9, 1], [4, 8], [15, 9], [20, 0]])
X = np.concatenate([place + RNG.normal(scale=0.6, size=(40, 2)) for place in PLACES])


def plain_silhouette(rows, centers, weights):
    nearest = np.sort(cdist(rows, rows[centers]), axis=1)
    return np.average(1 - nearest[:, 0] / np.maximum(nearest[:, 1], 1e-30), weights=weights)


@pytest.mark.parametrize("objective, estimator", [("median", KMedian), ("means", KMeansMedoids)])
def test_everything_for_each_k(objective, estimator):
    weights = RNG.integers(1, 4, len(X)).astype(float)
    found = kmedian.choose_k(X, range(1, 9), objective=objective, sample_weight=weights, random_state=0)
    assert found.suggested == 5 and "k = 5" in found.why
    assert np.isnan(found.silhouette[0])
    for k, cost, silhouette, centers, labels in zip(found.k, found.cost, found.silhouette, found.centers, found.labels):
        fitted = estimator(int(k), random_state=0).fit(X, sample_weight=weights)
        assert np.array_equal(centers, fitted.medoid_indices_) and np.array_equal(labels, fitted.labels_)
        assert np.isclose(cost, fitted.inertia_)
        if k > 1:
            assert np.isclose(silhouette, plain_silhouette(X, centers, weights), atol=1e-5)


def test_a_curve_of_an_estimator_is_the_same():
    ours, theirs = kmedian.choose_k(X, [2, 5, 7], random_state=1), KMedian(random_state=1).cost_curve(X, [2, 5, 7])
    assert np.array_equal(ours.cost, theirs.cost) and ours.suggested == theirs.suggested == 5


def test_too_little_to_tell():
    assert kmedian.choose_k(X, [1, 3]).suggested is None
    assert kmedian.choose_k(X, [4]).why is None


def test_sites_and_options():
    sites = X[::5] + 0.1
    found = kmedian.choose_k(X, [3, 5, 6], sites=sites, metric="l1", random_state=0)
    assert all(centers.max() < len(sites) for centers in found.centers)
    assert all(len(labels) == len(X) for labels in found.labels)
    with pytest.raises(ValueError, match="objective"):
        kmedian.choose_k(X, [2, 3], objective="best")
    with pytest.raises(TypeError):
        kmedian.choose_k(X, [2, 3], color="red")


def test_its_picture():
    found = kmedian.choose_k(X, range(2, 9), random_state=0)
    ax = found.plot()
    costs, mark = ax.lines
    assert np.allclose(costs.get_ydata(), found.cost) and set(mark.get_xdata()) == {5}
    (right,) = [other for other in ax.figure.axes if other is not ax]
    assert np.allclose(right.lines[0].get_ydata(), found.silhouette)
    ax.figure.canvas.draw()
    ticks = [tick for tick in ax.get_xticks()]
    assert ticks and all(float(tick).is_integer() for tick in ticks)
    assert ax.get_xlabel() and ax.get_ylabel() and right.get_ylabel()
    with pytest.raises(TypeError, match="no silhouettes"):
        plot.choose_k(PrivateKMedian(2, epsilon=1).fit(X, [0, 1]).release_.cost_curve([1, 2]))


def test_longitude_is_to_the_right():
    towns = RNG.random((50, 2)) * [5, 9] + [50, 4]
    ax = plot.clusters(KMedian(3, metric="haversine", random_state=0).fit(towns), towns)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("longitude", "latitude")
    assert np.allclose(ax.collections[0].get_offsets(), towns[:, ::-1])
    ax = plot.clusters(KMedian(3, random_state=0).fit(X), X)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("column 0", "column 1")


def test_a_tree_at_a_low_epsilon_shows_something():
    for seed in range(30):
        private = PrivateKMedian(3, epsilon=0.01, random_state=0, noise_seed_for_experiments=seed)
        with pytest.warns(kmedian.NotPrivateWarning):
            release = private.fit(X, [0, 1]).release_
        ax = plot.tree(release)
        assert sum(bar.get_width() for bar in ax.patches) > 0
        if release.tree()[1][0] < 1:
            break
    else:
        pytest.fail("no release without records by its estimate, which this is about")
    assert "noise outweighs" in ax.get_title()


def test_the_curves_of_a_plan_fill_the_picture():
    planned = kmedian.plan(X, epsilon=1, n_clusters=5, demand_size=2000, runs=1, random_state=0)
    ax = plot.plan(planned)
    low, high = ax.get_ylim()
    tops = max(float(np.max(curve.most)) for curve in planned.curves)
    assert low < 1 < high < tops * 1.1


def test_the_silhouette_is_that_of_the_distances():
    X = made_up(5, 150, 3)
    weights = np.random.default_rng(5).integers(0, 4, len(X))
    for metric in ("l2", "l1", "precomputed"):
        given = cdist(X, X, "cityblock").astype(np.float32) if metric == "precomputed" else X
        found = KMedian(6, metric=metric, random_state=0).fit(given, sample_weight=weights)
        distances = found.transform(given)
        d1, d2 = np.sort(distances.astype(float), axis=1)[:, :2].T
        plain = np.average(1 - d1 / d2, weights=weights)
        assert medoid_silhouette(distances, sample_weight=weights) == pytest.approx(plain, rel=1e-12)
        assert found.silhouette_ == pytest.approx(plain, rel=1e-5)
    assert KMedian(1, random_state=0).fit(X).silhouette_ is None
    assert medoid_silhouette([[0, 0, 3], [1, 2, 4]]) == 0.75, "an item at two centers at once counts 1"
    twice = np.repeat(X[:4], 2, axis=0)
    with pytest.warns(ConvergenceWarning):
        found = KMedian(6, random_state=0).fit(twice)
    assert found.silhouette_ == medoid_silhouette(found.transform(twice)) == 1


@pytest.mark.parametrize("wrong", [[[1.0]], [1.0, 2.0], np.zeros((0, 2)), [[1.0, -1.0]], [[1.0, float("nan")]]])
def test_silhouettes_of_what_are_no_distances(wrong):
    with pytest.raises(ValueError, match="distances"):
        medoid_silhouette(wrong)


def test_n_clusters_is_no_option_of_choose_k(points):
    with pytest.raises(TypeError, match="leave n_clusters out"):
        choose_k(points, range(2, 5), n_clusters=3)


def test_results_are_shown_in_a_line(points):
    curve = choose_k(points, range(2, 8), random_state=0)
    assert repr(curve).startswith("<CostCurve: 6 k from 2 to 7, cost ") and len(repr(curve)) < 200
    assert f"suggested k = {curve.suggested}" in repr(curve)
    planned = plan(points[:40], 3, epsilon=1, demand_size=50, runs=1, random_state=0)
    assert repr(planned).startswith("<Plan: 3 centers among 40 items, 50 records, 1 runs") and len(repr(planned)) < 200
    assert repr(planned.curves[0]).startswith("<PlanCurve: everywhere, ")


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean"])
def test_the_silhouette_is_of_the_dissimilarity_itself(metric, points):
    found = KMedian(4, metric=metric, random_state=0).fit(points)
    expected = medoid_silhouette(found.transform(points))
    assert found.silhouette_ == pytest.approx(expected, abs=1e-4)
    assert choose_k(points, [4], metric=metric, random_state=0).silhouette[0] == pytest.approx(expected, abs=1e-4)
