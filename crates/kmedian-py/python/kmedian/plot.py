"""Pictures of centers, with matplotlib: ``pip install kmedian[plot]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._curve import CostCurve
from ._release import Release

__all__ = ["clusters", "cost_curve", "tree"]


def clusters(estimator: Any, X: Any, *, columns: tuple[int, int] = (0, 1), ax: Any = None) -> Any:
    """Draws items by their nearest center, and the centers.

    ``X`` holds the positions to draw at, two columns of which are shown: the fitted rows themselves, or, for a graph
    or a matrix, coordinates of its items. Returns the axes.
    """
    ax = _axes(ax)
    positions = np.asarray(X)[:, list(columns)].astype(float)
    medoids = estimator.medoid_indices_
    labels = getattr(estimator, "labels_", None)
    if labels is None:
        labels = estimator.predict(X)
    if len(labels) != len(positions):
        raise ValueError(f"there are {len(labels)} labels, but {len(positions)} positions; give the items that were fitted")
    ax.scatter(*positions.T, c=labels % 20, cmap="tab20", vmin=0, vmax=19, s=8, linewidths=0)
    ax.scatter(*positions[medoids].T, c="black", marker="X", s=60, edgecolors="white", label="centers")
    ax.legend(loc="best")
    return ax


def cost_curve(curve: CostCurve | Release, *, ax: Any = None) -> Any:
    """Draws costs against k, of ``KMedian.cost_curve``, of ``Release.cost_curve`` or of a release itself.

    Returns the axes.
    """
    ax = _axes(ax)
    shown = curve.cost_curve() if isinstance(curve, Release) else curve
    estimated = shown.without_data is not None
    ax.plot(shown.k, shown.cost, marker="o", label="private centers" if estimated else "centers")
    if estimated:
        ax.plot(shown.k, shown.without_data, linestyle="--", color="gray", label="centers without data")
    ax.set_xlabel("k")
    ax.set_ylabel("estimated cost" if estimated else "cost")
    ax.set_ylim(bottom=0)
    ax.legend(loc="best")
    return ax


def tree(release: Any, *, ax: Any = None) -> Any:
    """Draws the tree of a release, or of a fitted ``PrivateKMedian``: a row of cells for each level.

    A cell is as wide as the estimated number of its records, which its parts add up to; an estimate below zero has no
    width. Returns the axes.
    """
    ax = _axes(ax)
    parents, counts = getattr(release, "release_", release).tree()
    left, width, depth = _layout(parents, np.maximum(counts, 0.0))
    share = width / max(width[0], 1.0)
    for level in range(depth.max() + 1):
        at = depth == level
        ax.barh(-depth[at], width[at], left=left[at], height=0.9, color=_shades(share[at]), edgecolor="white", linewidth=0.3)
    ax.set_xlabel("estimated records")
    ax.set_ylabel("level")
    ax.set_yticks([-level for level in range(depth.max() + 1)], [str(level) for level in range(depth.max() + 1)])
    return ax


def _layout(parents: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each cell begins, how wide it is, and how deep. A parent comes before its parts."""
    left, width, depth = np.zeros(len(parents)), counts.copy(), np.zeros(len(parents), dtype=int)
    parts = np.zeros(len(parents))
    np.add.at(parts, parents[1:], counts[1:])
    used = np.zeros(len(parents))
    for node in range(1, len(parents)):
        parent = parents[node]
        # Parts of no width elsewhere make the others wider than their parent: they share what it has.
        width[node] = counts[node] * (width[parent] / parts[parent] if parts[parent] > 0 else 0.0)
        left[node] = left[parent] + used[parent]
        used[parent] += width[node]
        depth[node] = depth[parent] + 1
    return left, width, depth


def _shades(share: np.ndarray) -> Any:
    from matplotlib import colormaps

    return colormaps["Blues"](0.25 + 0.75 * np.sqrt(share))


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'kmedian[plot]'") from error
    return pyplot.subplots()[1]
