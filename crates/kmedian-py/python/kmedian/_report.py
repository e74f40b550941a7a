"""A page to look at, of fitted centers: the one that ``kmedian fit --report`` writes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _checks, _core
from ._curve import CostCurve
from ._given import Given
from ._snap import axes_of
from ._spaces import is_metric
from ._tables import column_names

# Rows of so many columns are pictures of 28 × 28 pixels, as those of MNIST.
_SQUARE = (28, 28)


def centers_of(estimator: Any, given: Given, curve: CostCurve | None) -> list[tuple[list[int], float | None]]:
    """The centers of each k by their positions in the core, and what none cost less than, if that is
    known."""
    if curve is None:
        labels = getattr(estimator, "labels_", None)
        if labels is None or len(labels) != given.n:
            raise ValueError("X is not what was fitted: it has another number of items; give the same, in the same order")
        found, bounds = [estimator.medoid_indices_], [estimator.lower_bound_]
    elif not isinstance(curve, CostCurve) or curve.centers is None or curve.labels is None:
        raise TypeError("curve is nothing that kmedian.choose_k or cost_curve of an estimator returns")
    else:
        if any(len(labels) != given.n for labels in curve.labels):
            raise ValueError("the curve is of another number of items than X has; give what it was made of")
        found = list(curve.centers)
        bounds = [None] * len(found) if curve.lower_bound is None else curve.lower_bound.tolist()
    return [((np.asarray(centers) + given.first).tolist(), bound) for centers, bound in zip(found, bounds)]


def drawn(given: Given, rows: np.ndarray | None, X: Any, metric: Any, positions: Any) -> tuple[Any, Any]:
    """Where items are drawn: the numbers of each, and what their two coordinates are called
    (``None`` for degrees)."""
    called, haversine = column_names(X), is_metric(metric, "haversine")
    if positions is not None:
        called, haversine = column_names(positions), False
        rows = np.asarray(positions, dtype=np.float64)
        wanted = given.n + (len(given.things) if given.apart else 0)
        if rows.shape != (wanted, 2):
            raise ValueError(f"positions have the shape {rows.shape}; give two coordinates for each of {wanted} items")
    if rows is None:
        return None, None
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    names = [f"column {at}" if called is None else str(called[at]) for at in range(rows.shape[1])]
    if rows.shape[1] == 1:
        return np.column_stack([rows, np.zeros(len(rows))]), (names[0], "")
    if rows.shape[1] != 2:
        return rows, None
    axes = ["lat", "lon"] if haversine else axes_of(called or [])
    if axes == ["lon", "lat"]:
        rows = np.ascontiguousarray(rows[:, ::-1])
    return rows, None if sorted(axes) == ["lat", "lon"] else (names[0], names[1])


def image_of(rows: Any, shape: Any) -> tuple[int, int] | None:
    """The height and width of items that are pictures; raises if they do not have as many
    numbers."""
    dims = None if rows is None else rows.shape[1]
    if shape is None:
        return _SQUARE if dims == _SQUARE[0] * _SQUARE[1] else None
    try:
        height, width = (_checks.whole("image_shape", side, 1, 2**16) for side in shape)
    except TypeError:
        raise ValueError(f"image_shape={shape!r} is no shape; give the height and the width, such as (28, 28)") from None
    if dims != height * width:
        raise ValueError(f"image_shape={shape!r} takes {height * width} columns of numbers, but the items have {dims}")
    return height, width


def names_of_items(given: Given, names: Any) -> list[str] | None:
    """What the items of the core are called: those that are served, and then the sites."""
    known = given.names if names is None else names
    if known is None:
        return None
    called = [str(name) for name in (known.tolist() if hasattr(known, "tolist") else known)]
    if len(called) != len(given.things):
        raise ValueError(f"there are {len(called)} names, but {len(given.things)} items; give one for each")
    return [*map(str, range(given.n)), *called] if given.apart else called


def write(
    path: str | bytes | os.PathLike[str], given: Given, fits: Any, page: dict[str, Any], rows: Any, weights: Any, threads: Any
) -> None:
    """Writes the page, completely or not at all."""
    file = _checks.path(path)
    if os.path.isdir(file):
        raise IsADirectoryError(f"{file} is a folder; give the name of a file in it")
    _core.write_fit_page(file, given.items(), fits, page, rows, weights, threads)
