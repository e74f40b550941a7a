"""What an estimator finds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from conftest import made_up
from kmedian import KMeansMedoids, KMedian

METRICS = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean", "euclidean": "euclidean", "linf": "chebyshev"}


def test_two_villages():
    road = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    fitted = KMedian(2, random_state=0).fit(road)
    assert sorted(fitted.medoid_indices_) == [1, 4]
    assert sorted(fitted.cluster_centers_[:, 0]) == [1.0, 11.0]
    assert fitted.inertia_ == 4.0
    assert fitted.stop_ == "local-optimum"
    assert fitted.n_iter_ >= 1 and fitted.init_inertia_ >= fitted.inertia_
    assert len(set(fitted.labels_[:3])) == len(set(fitted.labels_[3:])) == 1


def test_squares_count_for_means():
    """One item far away: the median stays with the many, the mean gives in."""
    line = np.array([[0.0], [0.0], [0.0], [6.0], [12.0]])
    assert KMedian(1, random_state=0).fit(line).cluster_centers_[0] == 0
    means = KMeansMedoids(1, random_state=0).fit(line)
    assert means.cluster_centers_[0] == 6
    assert means.inertia_ == 4 * 36
    assert means.score(line) == -4 * 36


@pytest.mark.parametrize("metric", METRICS)
def test_costs_and_labels_are_those_of_scipy(metric, points):
    fitted = KMedian(5, metric=metric, random_state=2).fit(points)
    table = cdist(points, points[fitted.medoid_indices_], METRICS[metric])
    assert np.isclose(fitted.inertia_, table.min(axis=1).sum(), rtol=1e-5)
    assert np.array_equal(fitted.labels_, table.argmin(axis=1))
    assert np.allclose(fitted.transform(points), table, rtol=1e-4, atol=1e-4)
    assert np.array_equal(fitted.predict(points), fitted.labels_)
    assert np.isclose(fitted.score(points), -fitted.inertia_)


@pytest.mark.parametrize("metric", ["angular", "hamming", "haversine", "precomputed", "graph", "function"])
def test_every_metric_predicts_what_it_fitted(metric):
    X, metric = _universe(metric)
    fitted = KMedian(4, metric=metric, random_state=1).fit(X)
    assert np.array_equal(fitted.predict(X), fitted.labels_)
    table = fitted.transform(X)
    assert np.array_equal(table.argmin(axis=1), fitted.labels_)
    assert np.isclose(table.min(axis=1).sum(), fitted.inertia_, rtol=1e-5)
    assert np.isclose(fitted.score(X), -fitted.inertia_, rtol=1e-5)


def _universe(metric):
    rng = np.random.default_rng(0)
    if metric == "angular":
        return rng.normal(size=(120, 5)), metric
    if metric == "hamming":
        return rng.integers(0, 3, size=(120, 6)), metric
    if metric == "haversine":
        return np.column_stack([rng.uniform(-80, 80, 120), rng.uniform(-180, 180, 120)]), metric
    rows = made_up(4, 120, 2)
    if metric == "precomputed":
        return cdist(rows, rows).astype(np.float32), metric
    if metric == "graph":
        import networkx

        return networkx.connected_watts_strogatz_graph(120, 4, 0.1, seed=3), metric
    return rows, lambda a, b: float(np.abs(a - b).sum())


def test_haversine_is_in_kilometres():
    oslo_rome = np.array([[59.91, 10.75], [41.90, 12.50]])
    fitted = KMedian(1, metric="haversine", random_state=0).fit(oslo_rome)
    assert np.isclose(fitted.inertia_, 2006, atol=5)


def test_a_function_finds_what_its_matrix_finds(points):
    rows = points[:80]
    named = KMedian(4, metric=lambda a, b: float(np.abs(a - b).sum()), random_state=5).fit(rows)
    same = KMedian(4, metric="l1", random_state=5).fit(rows)
    assert np.isclose(named.inertia_, same.inertia_, rtol=1e-5)


def test_new_rows(points):
    fitted = KMedian(5, random_state=2).fit(points)
    new = made_up(9, 5000, 3)
    table = cdist(new, fitted.cluster_centers_)
    assert np.array_equal(fitted.predict(new), table.argmin(axis=1))
    assert np.allclose(fitted.transform(new), table, rtol=1e-3, atol=1e-3)
    assert fitted.transform(new).dtype == np.float32
    assert fitted.transform(new.astype(float)).dtype == np.float64


def test_weights_move_centers():
    line = np.arange(10.0)[:, None]
    fitted = KMedian(1, random_state=0).fit(line, sample_weight=[0] * 8 + [1, 5])
    assert fitted.medoid_indices_ == [9]
    assert fitted.inertia_ == 1.0
    assert KMedian(1, random_state=0).fit(line, sample_weight=2.0).inertia_ == 50.0


def test_starts_and_limits(points):
    for init in ["auto", "hst", "greedy", "plusplus", "random", [0, 1, 2], np.array([5, 6, 7])]:
        assert KMedian(3, init=init, random_state=0).fit(points).stop_ == "local-optimum"
    kept = KMedian(3, init=[0, 1, 2], max_swaps=0, random_state=0).fit(points)
    assert kept.medoid_indices_.tolist() == [0, 1, 2] and kept.stop_ == "max-swaps"
    assert KMedian(3, swap="best", random_state=0).fit(points).stop_ == "local-optimum"
    assert KMedian(3, effort="fast", random_state=0).fit(points).stop_ in ("one-pass", "sampled")
    assert KMedian(3, init="random", time_limit=0, random_state=0).fit(points).stop_ == "time-limit"
    one, more = (KMedian(9, init="random", n_restarts=n, random_state=0).fit(points) for n in (0, 20))
    assert more.inertia_ <= one.inertia_


def test_same_seed_same_centers_whatever_the_threads(points):
    fits = [KMedian(6, random_state=7, n_jobs=jobs).fit(points) for jobs in (None, 1, 2, 3, -1, -2)]
    assert len({tuple(fit.medoid_indices_) for fit in fits}) == 1


def test_random_states():
    rows = made_up(3, 200, 2)
    seeds = [3, np.int64(3), 2**64 - 1, np.random.RandomState(3), np.random.default_rng(3), None]
    for seed in seeds:
        KMedian(3, random_state=seed).fit(rows)
    fits = [KMedian(20, init="random", max_swaps=0, random_state=np.random.default_rng(s)).fit(rows) for s in (1, 1, 2)]
    assert np.array_equal(fits[0].medoid_indices_, fits[1].medoid_indices_)
    assert not np.array_equal(fits[0].medoid_indices_, fits[2].medoid_indices_)


def test_a_cost_curve_falls(points):
    estimator = KMedian(3, random_state=0)
    curve = estimator.cost_curve(points, range(1, 8))
    assert np.all(np.diff(curve.cost) < 0)
    assert np.isclose(curve.cost[2], estimator.fit(points).inertia_)
    assert curve.without_data is None


def test_progress(points, capsys):
    seen = []
    KMedian(5, random_state=0, callback=lambda step, numbers: seen.append((step, numbers))).fit(points)
    assert seen and all(isinstance(step, str) and isinstance(numbers, dict) for step, numbers in seen)
    KMedian(5, n_restarts=0, random_state=0, verbose=2).fit(points)
    assert "kmedian: local search: cost" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [int, float])
def test_hamming_tells_long_codes_apart(kind):
    """They have more digits than 32-bit floats."""
    codes = (np.arange(30).reshape(-1, 1) // [1, 2, 3] + 10**9).astype(kind)
    found = KMedian(1, metric="hamming", random_state=0).fit(codes)
    center = found.cluster_centers_[0]
    apart = (codes != center).sum(axis=1)
    assert found.inertia_ == apart.sum() == (codes[:, None] != codes[None]).sum(axis=2).sum(axis=1).min()
    assert found.transform(codes).ravel().tolist() == apart.tolist()
    new = np.vstack([center, center + 1])
    assert found.transform(new).ravel().tolist() == [0, 3]
