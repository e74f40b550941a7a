"""Pictures: that they are drawn, and of what."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from conftest import made_up  # noqa: E402
from kmedian import KMedian, PrivateKMedian, plot  # noqa: E402

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


def test_cost_curves():
    curve = KMedian(random_state=0).cost_curve(X, [1, 2, 3])
    (line,) = plot.cost_curve(curve).lines
    assert np.allclose(line.get_ydata(), curve.cost)
    release = PrivateKMedian(4, epsilon=1, random_state=0).fit(X, [0, 1, 2]).release_
    assert len(plot.cost_curve(release).lines) == 2


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
