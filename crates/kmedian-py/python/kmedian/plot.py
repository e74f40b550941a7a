"""Draws results with matplotlib: ``pip install kmedian[plot]``."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._curve import CostCurve
from ._graph import is_graph
from ._plan import Plan
from ._private import PrivateKMedian
from ._release import Release
from ._spaces import is_metric
from ._tables import as_array, column_names, refuse_gaps

__all__ = ["choose_k", "clusters", "cost_curve", "plan", "tree"]


def clusters(estimator: Any, X: Any, *, columns: tuple[Any, Any] | None = None, ax: Any = None) -> Any:
    """Draws items by their nearest center, and the centers.

    ``X`` holds the coordinates to draw at: the fitted rows themselves or, for a graph or a matrix,
    coordinates of its items in their order. ``columns`` are the two columns to draw, by number or
    name, to the right and upwards: by default the first two, but longitude to the right under
    "haversine" and where columns are called so. For a ``PrivateKMedian`` only the public items are
    drawn, no records. Returns the axes.
    """
    check_is_fitted(estimator, "medoid_indices_")
    medoids = estimator.medoid_indices_
    private = isinstance(estimator, PrivateKMedian)
    labels = estimator.release_._labels(medoids) if private else estimator.labels_
    on_globe = is_metric(estimator.metric, "haversine")
    columns = _columns(X, on_globe) if columns is None else columns
    positions = _positions(X, columns, len(labels), is_metric(estimator.metric, "precomputed"))
    ax = _axes(ax)
    named = {(1, 0): ("longitude", "latitude"), (0, 1): ("latitude", "longitude")} if on_globe else {}
    across, up = named.get(tuple(columns), columns)
    ax.set_xlabel(across if isinstance(across, str) else f"column {across}")
    ax.set_ylabel(up if isinstance(up, str) else f"column {up}")
    if across == "longitude" and len(positions):
        # A degree of longitude is shorter by the cosine of the latitude.
        ax.set_aspect(1.0 / max(0.1, float(np.cos(np.radians(positions[:, 1].mean())))), adjustable="datalim")
    ax.scatter(*positions.T, c=labels % 20, cmap="tab20", vmin=0, vmax=19, s=8, linewidths=0)
    ax.scatter(*positions[medoids].T, c="black", marker="X", s=60, edgecolors="white", label="centers")
    ax.legend(loc="best")
    return ax


def cost_curve(curve: CostCurve | Release | PrivateKMedian, *, ax: Any = None) -> Any:
    """Draws costs against k: what ``cost_curve`` of an estimator or a release returns, or the costs
    of a release.

    A fitted ``PrivateKMedian`` stands for its release. Returns the axes.
    """
    shown = curve if isinstance(curve, CostCurve) else _release(curve, "KMedian.cost_curve(X, ks)").cost_curve()
    ax = _axes(ax)
    estimated = shown.without_data is not None
    ax.plot(shown.k, shown.cost, marker="o", label="private centers" if estimated else "centers")
    if estimated:
        ax.plot(shown.k, shown.without_data, linestyle="--", color="gray", label="centers without data")
    _over_k(ax, shown.k)
    ax.set_ylabel("estimated cost" if estimated else "cost")
    ax.set_ylim(bottom=0)
    ax.legend(loc="best")
    return ax


def choose_k(curve: CostCurve, *, ax: Any = None) -> Any:
    """Draws what ``kmedian.choose_k`` found: the cost and, on an axis at the right, the silhouette
    for each k, with a line at the suggested one.

    Returns the axes of the cost.
    """
    if not isinstance(curve, CostCurve) or curve.silhouette is None:
        raise TypeError(f"{type(curve).__name__} has no silhouettes; give what kmedian.choose_k returns")
    ax = _axes(ax)
    lines = ax.plot(curve.k, curve.cost, marker="o", color="C0", label="cost (left)")
    if curve.lower_bound is not None:
        lines += ax.plot(curve.k, curve.lower_bound, linestyle=":", color="C0", label="no centers cost less (left)")
    _over_k(ax, curve.k)
    ax.set_ylabel("cost")
    ax.set_ylim(bottom=0)
    right = ax.twinx()
    lines += right.plot(curve.k, curve.silhouette, marker="s", color="C1", label="silhouette (right)")
    right.set_ylabel("medoid silhouette")
    if curve.suggested is not None:
        lines.append(ax.axvline(curve.suggested, linestyle="--", color="gray", label=f"suggested: {curve.suggested}"))
    ax.legend(handles=lines, loc="best")
    return ax


def _over_k(ax: Any, ks: np.ndarray) -> None:
    """Names the axis of k, with ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlabel("k, the number of centers")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(set(ks)) == 1:
        ax.set_xticks([ks[0]])


def plan(planned: Plan, *, ax: Any = None) -> Any:
    """Draws what ``kmedian.plan`` found: the cost of private centers over ε, and of centers without
    data as dotted lines, where there is room for them; the line at 1 is the non-private cost.

    Bars are the range of all runs. Returns the axes.
    """
    if not isinstance(planned, Plan):
        raise TypeError(f"{type(planned).__name__} is no plan; give what kmedian.plan returns")
    ax = _axes(ax)
    ax.axhline(1.0, color="black", linewidth=0.8)
    heights = [1.0]
    for number, curve in enumerate(planned.curves):
        shown = np.isfinite(curve.cost) & np.isfinite(curve.most)
        epsilon, cost, color = curve.epsilon[shown], curve.cost[shown], f"C{number}"
        # Rounding may put the mean of equal numbers slightly outside of their range.
        bars = np.maximum([cost - curve.least[shown], curve.most[shown] - cost], 0.0)
        heights += [*curve.least[shown], *curve.most[shown]]
        ax.errorbar(epsilon, cost, yerr=bars, marker="o", capsize=3, color=color, label=curve.name)
        if np.isfinite(curve.without_data):
            ax.axhline(curve.without_data, linestyle=":", color=color)
    ax.plot([], [], linestyle=":", color="gray", label="without data")
    # The curves fill the picture, even if centers without data cost many times as much.
    room = 0.05 * max(max(heights) - min(heights), 0.02)
    ax.set_ylim(min(heights) - room, max(heights) + room)
    ax.set_xscale("log")
    ax.set_xlabel("ε")
    ax.set_ylabel("cost, in multiples of the non-private cost")
    ax.set_title(f"{planned.n_items} items, k = {planned.n_clusters}, {planned.demand_size} records")
    ax.legend(loc="best")
    return ax


def tree(release: Any, *, ax: Any = None) -> Any:
    """Draws the tree of a release, or of a fitted ``PrivateKMedian``: a row of cells for each
    level.

    The width of a cell is the estimated number of its records, and its parts add up to it. A cell
    with an estimate below zero has no width. Where the noise outweighs the records, so that there
    are none by the estimate, the cells of the public tree are drawn in gray, as wide as they have
    leaves. Returns the axes.
    """
    parents, counts = _release(release, "PrivateKMedian").tree()
    ax = _axes(ax)
    says_nothing = counts[0] < 1.0
    if says_nothing:
        counts = _leaves(parents)
        ax.set_title("the noise outweighs the records: cells by their leaves")
    left, width, depth = _layout(parents, np.maximum(counts, 0.0))
    share = np.zeros(len(width)) if says_nothing else width / max(width[0], 1.0)
    for level in range(depth.max() + 1):
        at = depth == level
        ax.barh(-depth[at], width[at], left=left[at], height=0.9, color="lightgray" if says_nothing else _shades(share[at]), edgecolor="white", linewidth=0.3)
    ax.set_xlabel("leaves" if says_nothing else "estimated records")
    ax.set_ylabel("level")
    ax.set_yticks([-level for level in range(depth.max() + 1)], [str(level) for level in range(depth.max() + 1)])
    return ax


def _release(given: Any, other: str) -> Release:
    """The release itself, or that of a fitted estimator; raises if it is neither."""
    if isinstance(given, PrivateKMedian):
        check_is_fitted(given, "release_")
        given = given.release_
    if not isinstance(given, Release):
        raise TypeError(f"{type(given).__name__} cannot be drawn so; give a Release, or what {other} makes")
    return given


def _positions(X: Any, columns: tuple[Any, Any], n_items: int, of_matrix: bool) -> np.ndarray:
    """The two coordinates at which each item is drawn, checked."""
    wanted = (
        f"give positions to draw at, an array with a row of coordinates for each of the {n_items} items; of a graph, for "
        "example, np.array([place[node] for node in graph])"
    )
    X = as_array(X)
    refuse_gaps(X)
    table = None if is_graph(X) else np.asarray(X)
    if table is None or table.ndim != 2:
        raise ValueError(f"X is {type(X).__name__}; {wanted}")
    if len(table) != n_items:
        raise ValueError(f"there are {n_items} items, but {len(table)} positions; give the items that were fitted")
    if of_matrix and table.shape[1] == n_items > 3:
        raise ValueError(f"X is the matrix of distances, which says nothing of where items are; {wanted}")
    names = column_names(X) or []
    try:
        across, up = (names.index(column) if isinstance(column, str) else index(column) for column in columns)
        return table[:, [across, up]].astype(float)
    except (IndexError, TypeError, ValueError) as error:
        called = f", or of {', '.join(map(str, names))}" if names else ""
        raise ValueError(
            f"columns={columns!r} of X cannot be drawn ({error}); choose two columns of numbers, from 0 to "
            f"{table.shape[1] - 1}{called}"
        ) from error


def _layout(parents: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The left end, the width and the depth of each cell of a tree. A parent comes before its
    parts."""
    left, width, depth = np.zeros(len(parents)), counts.copy(), np.zeros(len(parents), dtype=int)
    parts = np.zeros(len(parents))
    np.add.at(parts, parents[1:], counts[1:])
    used = np.zeros(len(parents))
    for node in range(1, len(parents)):
        parent = parents[node]
        # If some parts have no width, the others may add up to more than their parent: scale them.
        width[node] = counts[node] * (width[parent] / parts[parent] if parts[parent] > 0 else 0.0)
        left[node] = left[parent] + used[parent]
        used[parent] += width[node]
        depth[node] = depth[parent] + 1
    return left, width, depth


def _leaves(parents: np.ndarray) -> np.ndarray:
    """How many leaves each cell of a tree has. A parent comes before its parts."""
    leaves = np.ones(len(parents))
    leaves[parents[1:]] = 0
    for node in range(len(parents) - 1, 0, -1):
        leaves[parents[node]] += leaves[node]
    return leaves


def _columns(X: Any, on_globe: bool) -> tuple[Any, Any]:
    """The columns to draw by default: longitude to the right, if it is known."""
    names = [str(name).strip().lower() for name in (column_names(X) or [])]
    for up, across in (("lat", "lon"), ("lat", "lng"), ("latitude", "longitude")):
        if up in names and across in names:
            given = column_names(X) or []
            return given[names.index(across)], given[names.index(up)]
    return (1, 0) if on_globe else (0, 1)


def _shades(share: np.ndarray) -> Any:
    from matplotlib import colormaps

    return colormaps["Blues"](0.25 + 0.75 * np.sqrt(share))


def _axes(ax: Any) -> Any:
    if ax is not None:
        if not hasattr(ax, "scatter"):
            raise TypeError(f"ax={ax!r} is no axes of matplotlib; give one that pyplot.subplots() returns, or leave it out")
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'kmedian[plot]'") from error
    return pyplot.subplots()[1]
