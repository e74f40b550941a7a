"""A metric that is a Python function: how often it is asked, and what happens if it is none."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from conftest import made_up
from kmedian import KMeansMedoids, KMedian

ROWS = made_up(4, 60, 3)


def plain(a, b):
    return float(np.abs(a - b).sum())


class Counting:
    """A metric that remembers what it was asked."""

    def __init__(self, rows):
        self.numbers = {row.tobytes(): at for at, row in enumerate(rows)}
        self.asked = Counter()

    def __call__(self, a, b):
        self.asked[self.numbers[a.tobytes()], self.numbers[b.tobytes()]] += 1
        return plain(a, b)


@pytest.mark.parametrize("options", [dict(), dict(n_restarts=5), dict(init="greedy", swap="best")])
@pytest.mark.parametrize("kind", [KMedian, KMeansMedoids])
def test_each_pair_is_asked_for_once(kind, options):
    """One pair in eight is asked for the other way round as well, and each row with itself, to see that it is zero."""
    metric = Counting(ROWS)
    found = kind(4, metric=metric, random_state=0, **options).fit(ROWS)
    pairs = len(ROWS) * (len(ROWS) - 1) // 2
    assert max(metric.asked.values()) == 1
    assert sum(a == b for a, b in metric.asked) == len(ROWS)
    assert pairs < sum(metric.asked.values()) - len(ROWS) <= pairs * 9 // 8 + 1
    assert found.inertia_ == pytest.approx(kind(4, metric="l1", random_state=0, **options).fit(ROWS).inertia_, rel=0.05)


def test_prediction_asks_for_each_distance_once():
    metric = Counting(ROWS)
    fitted = KMedian(4, metric=metric, random_state=0).fit(ROWS)
    metric.asked.clear()
    fitted.predict(ROWS[:20])
    assert 20 * 4 <= sum(metric.asked.values()) <= 20 * 4 * 9 // 8 + 1


def test_one_curve_asks_no_more_than_one_fit():
    metric = Counting(ROWS)
    KMedian(metric=metric, random_state=0).cost_curve(ROWS, range(2, 9))
    assert max(metric.asked.values()) == 1


WRONG = {
    "NaN": (lambda a, b: 0.0 if (a == b).all() else float("nan"), "(?i)gave nan for .* a root of what"),
    "infinite": (lambda a, b: 0.0 if (a == b).all() else float("inf"), "gave inf for"),
    "huge": (lambda a, b: plain(a, b) * 1e300, "to 4.3e.?37: rescale it"),
    "negative": (lambda a, b: -plain(a, b), r"gave -.* for .*max\(distance, 0.0\)"),
    "one way": (lambda a, b: plain(a, b) * (1 + (a[0] > b[0])), "the other way round"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_distance_is_named_with_its_rows(name):
    wrong, told = WRONG[name]
    with pytest.raises(ValueError, match=told) as raised:
        KMedian(3, metric=wrong, random_state=0).fit(ROWS)
    assert "rows " in str(raised.value)
    fitted = KMedian(3, metric=plain, random_state=0).fit(ROWS).set_params(metric=wrong)
    for ask in (fitted.predict, fitted.transform, fitted.score):
        with pytest.raises(ValueError, match=told) as raised:
            ask(ROWS[::-1])
        assert "of the fitted ones" in str(raised.value) and "row " in str(raised.value)


def far_from_itself(far, wrong=17):
    """A metric that finds one row away from itself."""
    return lambda a, b: far if (a == b).all() and (a == ROWS[wrong]).all() else plain(a, b)


def test_a_row_is_at_no_distance_from_itself():
    wrong = far_from_itself(0.5)
    with pytest.raises(ValueError, match="gave 0.5 for row 17 and itself; give a function that returns 0.0 for equal rows"):
        KMedian(3, metric=wrong).fit(ROWS)
    with pytest.raises(ValueError, match="gave nan for row 17 and itself|gave NaN for row 17 and itself"):
        KMedian(3, metric=far_from_itself(np.nan)).fit(ROWS)


@pytest.mark.parametrize("noise, told", [(1e-16, None), (-1e-16, None), (1e-9, None), (1e-3, "itself"), (-1e-3, "itself|not neg")])
def test_noise_between_equal_rows_counts_as_zero(noise, told):
    """As on the diagonal of a matrix, and as in scikit-learn."""
    matrix = np.abs(ROWS[:, None] - ROWS[None]).sum(axis=2, dtype=float)
    matrix[17, 17] = noise
    given = matrix.copy()
    fits = [
        lambda: KMedian(3, metric=far_from_itself(noise), random_state=0).fit(ROWS),
        lambda: KMedian(3, metric="precomputed", random_state=0).fit(matrix),
        lambda: KMedian(3, metric="precomputed", random_state=0).fit(matrix.astype(np.float32)),
    ]
    if told:
        for fit in fits:
            with pytest.raises(ValueError, match=told):
                fit()
        return
    expected = KMedian(3, metric=plain, random_state=0).fit(ROWS).inertia_
    assert [fit().inertia_ for fit in fits] == [pytest.approx(expected)] * 3
    for fitted, X in [(fits[0](), ROWS), (fits[1](), matrix)]:
        assert np.array_equal(fitted.predict(X), fitted.labels_)
        assert fitted.transform(X).min() >= 0
    # As a center it is nearest to itself, and costs nothing.
    everything = KMedian(60, metric="precomputed").fit(matrix)
    assert everything.inertia_ == 0
    assert everything.transform(matrix)[17].min() == max(noise, 0)
    assert np.array_equal(matrix, given)


def test_one_wrong_distance_of_many_is_found():
    """Not only those of a sample."""
    bad = {ROWS[3].tobytes(), ROWS[41].tobytes()}

    def metric(a, b):
        return float("nan") if {a.tobytes(), b.tobytes()} == bad else plain(a, b)

    with pytest.raises(ValueError, match="gave NaN for rows 3 and 41"):
        KMedian(3, metric=metric, random_state=0).fit(ROWS)


def test_what_is_found_when_a_callback_says_no_is_right():
    """The distances that come after it count like those before."""
    ended = KMedian(20, metric=plain, init="random", random_state=0, n_restarts=10**6)
    ended.set_params(callback=lambda step, numbers: False).fit(made_up(5, 400, 3))
    assert ended.stop_ == "cancelled"
    rows = made_up(5, 400, 3)
    nearest = np.abs(rows[:, None] - ended.cluster_centers_).sum(axis=2)
    assert (ended.labels_ == nearest.argmin(axis=1)).all()
    assert ended.inertia_ == pytest.approx(nearest.min(axis=1).sum(), rel=1e-5)


def test_rounding_does_not_break_triangles():
    """Angles near zero have few digits: rows of one direction are 0 or 2e-8 apart, whichever way."""

    def angle(a, b):
        return float(np.arccos(np.clip(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), -1, 1)))

    random = np.random.default_rng(0)
    rows = np.repeat(random.normal(size=(3, 4)), 20, axis=0) * random.uniform(1, 9, size=(60, 1))
    assert KMedian(3, metric=angle, random_state=0).fit(rows).inertia_ < 1e-5


def nearly_metric(seed, n=120):
    """Distances in the plane, a few of which are cut short, so that few triangles are broken."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for _ in range(6):
        a, b = rng.choice(n, 2, replace=False)
        D[a, b] = D[b, a] = D[a, b] * 0.02
    return D.astype(np.float32).astype(float)


@pytest.mark.filterwarnings("ignore:the function is not a metric")
@pytest.mark.parametrize("options", [dict(), dict(effort="optimal"), dict(n_restarts=3), dict(init="random", swap="best")])
@pytest.mark.parametrize("seed", range(8))
def test_a_certificate_holds_for_any_function(seed, options):
    """Whether or not the triangles that are tried are among those that do not obey the triangle inequality."""
    n = 120 if "effort" not in options else 30
    D = nearly_metric(seed, n)
    rows = np.arange(n)[:, None]
    found = KMedian(6, metric=lambda a, b: D[int(a[0]), int(b[0])], random_state=seed, **options).fit(rows)
    nearest = D[:, found.medoid_indices_]
    assert found.stop_ in ("local-optimum", "optimal")
    assert found.inertia_ == pytest.approx(nearest.min(axis=1).sum(), rel=1e-6)
    assert np.array_equal(D[np.arange(n), found.medoid_indices_[found.labels_]], nearest.min(axis=1))
    least = min(
        np.minimum(np.delete(nearest, slot, axis=1).min(axis=1)[:, None], D).sum(axis=0).min() for slot in range(6)
    )
    assert least >= found.inertia_ * (1 - 1e-6)
    assert found.lower_bound_ is None or found.lower_bound_ <= least * (1 + 1e-6)


def test_a_function_that_is_seen_to_be_no_metric():
    with pytest.warns(UserWarning, match="the function is not a metric: rows .* by way of row"):
        KMedian(3, metric=lambda a, b: plain(a, b) ** 2, random_state=0).fit(ROWS)
