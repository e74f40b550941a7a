"""What is proven of the centers that an estimator finds."""

from __future__ import annotations

import pytest

from kmedian import KMeansMedoids, KMedian


@pytest.mark.parametrize("estimator", [KMedian, KMeansMedoids])
def test_a_gap_is_proven(estimator, points):
    plain = estimator(5, random_state=0).fit(points)
    assert plain.lower_bound_ is None and plain.gap_ is None
    bounded = estimator(5, gap=True, random_state=0).fit(points)
    assert bounded.medoid_indices_.tolist() == plain.medoid_indices_.tolist()
    assert 0 < bounded.lower_bound_ <= bounded.inertia_
    assert bounded.gap_ == pytest.approx(1 - bounded.lower_bound_ / bounded.inertia_, abs=1e-12)
    for gap in (0.03, "3%"):
        near = estimator(5, gap=gap, random_state=0).fit(points)
        assert near.gap_ <= 0.03 and near.stop_ in ("gap-reached", "optimal")
        assert bounded.lower_bound_ <= near.inertia_ <= plain.inertia_


def test_optimal_centers_are_proven(points):
    best = KMedian(3, effort="optimal", time_limit=60, random_state=0).fit(points)
    assert best.stop_ == "optimal" and best.gap_ <= 1e-9
    assert best.inertia_ <= KMedian(3, random_state=0).fit(points).inertia_


def test_bounds_of_a_curve(points):
    curve = KMedian(gap="5%", random_state=0).cost_curve(points, [2, 4])
    assert (curve.lower_bound <= curve.cost).all() and (curve.lower_bound >= 0.95 * curve.cost).all()
    assert KMedian(random_state=0).cost_curve(points, [2]).lower_bound is None


@pytest.mark.parametrize("gap", [-0.1, "x", "-1%", float("nan"), [], 1.5, "100%"])
def test_what_is_no_gap_is_refused(gap, points):
    with pytest.raises(ValueError, match="gap"):
        KMedian(2, gap=gap).fit(points)
