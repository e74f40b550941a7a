"""Other dissimilarities of SciPy, by their names: all of them are measured once, into a matrix."""

from __future__ import annotations

from numbers import Real
from typing import Any, cast

import numpy as np
from scipy.spatial import distance
from scipy.spatial.distance import cdist

from ._given import Given
from ._sites import labels_of

# The parameters of each of these dissimilarities.
_PARAMS = {
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
    "canberra": ("w",),
    "braycurtis": ("w",),
    "correlation": ("w", "centered"),
    "mahalanobis": ("VI",),
    "jensenshannon": ("base",),
}

#: The names of these dissimilarities.
NAMES = tuple(_PARAMS)

# What ``scipy.spatial.distance`` has beside functions of two rows.
_OF_TABLES = (
    *("cdist", "pdist", "squareform", "directed_hausdorff"),
    *("is_valid_dm", "is_valid_y", "num_obs_dm", "num_obs_y"),
)
# The most items: their matrix has 4 GiB.
_MOST = 2**15
# How many rows are measured at once, so that the 64-bit numbers of SciPy take little memory.
_BLOCK = 512


class Measured:
    """Rows of numbers under a dissimilarity of SciPy, with its parameters."""

    def __init__(self, metric: str, params: dict[str, Any], table: Any) -> None:
        self.metric = metric
        self.params = _checked(metric, params)
        # Reads X as a table of numbers.
        self._table = table

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        rows = self._table(estimator, X, True)
        places = rows if sites is None else self._table(estimator, sites, False)
        if len(rows) * len(places) > _MOST**2:
            raise ValueError(
                f"metric={self.metric!r} measures all {len(rows)} x {len(places)} distances, which are too many; take a metric "
                "of kmedian itself, such as 'l2', or a sample"
            )
        estimator.metric_params_ = self._fitted(rows)
        found = self._measure(rows, places, estimator.metric_params_)
        if sites is not None:
            return Given("rectangle", (found,), len(rows), places, True, labels_of(sites))
        np.fill_diagonal(found, 0)
        if self.metric == "jensenshannon":
            # Rounding differs with the order of two rows.
            np.maximum(found, found.T, out=found)
        return Given("matrix", (found,), len(rows), rows, False, labels_of(X))

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        columns = self.distances(estimator, X)
        labels = columns.argmin(axis=1)
        return labels.astype(np.int32), columns[np.arange(len(columns)), labels]

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        rows = self._table(estimator, X, False)
        found = self._measure(rows, estimator.cluster_centers_, estimator.metric_params_)
        return found.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)

    def _fitted(self, rows: np.ndarray) -> dict[str, Any]:
        """The parameters, with what SciPy would take from the rows: variances of their columns."""
        if self.metric == "seuclidean" and "V" not in self.params:
            variances = np.var(rows.astype(np.float64), axis=0, ddof=1) if len(rows) > 1 else np.ones(rows.shape[1])
            # A column that does not vary tells no rows apart, whatever it is divided by.
            return {**self.params, "V": np.where(variances > 0, variances, 1.0)}
        if self.metric == "mahalanobis" and "VI" not in self.params:
            return {**self.params, "VI": np.linalg.pinv(np.atleast_2d(np.cov(rows.astype(np.float64).T)))}
        return self.params

    def _measure(self, rows: np.ndarray, places: np.ndarray, params: dict[str, Any]) -> np.ndarray:
        found = np.empty((len(rows), len(places)), dtype=np.float32)
        others = np.asarray(places, dtype=np.float64)
        for start in range(0, len(rows), _BLOCK):
            block = np.asarray(rows[start : start + _BLOCK], dtype=np.float64)
            try:
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    block_found = _distances(block, others, self.metric, params)
            except (TypeError, ValueError) as error:
                what = str(error).splitlines()[0]
                raise ValueError(f"metric_params={params!r} do not suit metric={self.metric!r}: {what}") from error
            found[start : start + _BLOCK] = block_found
        wrong = np.argwhere(~np.isfinite(found))
        if len(wrong):
            a, b = wrong[0]
            raise ValueError(
                f"metric={self.metric!r} gave {found[a, b]} for rows {a} and {b}; drop rows that it has no place for, such as "
                "those of zeros"
            )
        return np.maximum(found, 0)


def has_function(name: str) -> bool:
    """Whether SciPy has a function of two rows of this name, such as ``dice``."""
    return name.isidentifier() and name in distance.__all__ and name not in _OF_TABLES


def _distances(rows: np.ndarray, places: np.ndarray, metric: str, params: dict[str, Any]) -> np.ndarray:
    """The distances of rows to places, as SciPy's functions of two rows give them."""
    if metric != "jensenshannon":
        return cast(np.ndarray, cdist(rows, places, metric, **params))
    found: np.ndarray = cdist(rows, places, metric)
    # Between rows without negative numbers, but for rows of zeros, no divergence is negative, so only
    # rounding made SciPy take the root of a negative number.
    proper = [((table >= 0).all(axis=1) & (table.sum(axis=1) > 0))[:, None] for table in (rows, places)]
    found[np.isnan(found) & proper[0] & proper[1].T] = 0
    # SciPy's function of two tables has no base.
    found /= np.sqrt(np.log(params.get("base", np.e)))
    return found


def _checked(metric: str, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters, if they are some of the metric's; SciPy says so at great length, or not at all."""
    known = _PARAMS[metric]
    for name in params:
        if name not in known:
            raise ValueError(f"metric={metric!r} has no parameter {name!r} in metric_params; it has {', '.join(known)}")
    p = params.get("p", 2)
    if not (isinstance(p, Real) and float(p) > 0):
        raise ValueError(f"metric_params: p={p!r} must be a positive number; p=2 is 'l2', and from 1 on it is a metric")
    base = params.get("base", 2)
    if not (isinstance(base, Real) and 1 < float(base) < np.inf):
        raise ValueError(f"metric_params: base={base!r} of the logarithm must be a number above 1; base=2 makes 1 the most")
    return params
