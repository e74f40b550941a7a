"""Where a search begins, if items or rows are given; and what to say of how it ended."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from . import _checks, _core
from ._given import Given, Space

# Why a search may have ended before it was done, and what to do about it.
_LIMITS = {"max-swaps": "raise max_swaps", "time-limit": "raise time_limit", "cancelled": "let the callback go on"}


def start_of(init: Any, estimator: Any, given: Given, space: Space) -> str | list[int]:
    """Where a search begins: the word of an initialization, or the positions of items. Of rows of
    numbers, those of the nearest items are taken."""
    if not _is_table(init):
        return _checks.start(init, len(given.things))
    rows = given.things[np.arange(len(given.things))] if given.kind == "sparse" else given.things
    if getattr(rows, "ndim", 0) != 2 or given.kind == "gower":
        raise ValueError("init: rows to begin with are for tables of numbers; give positions of items, such as [0, 5]")
    wanted = init if scipy.sparse.issparse(init) else np.asarray(init)
    if wanted.dtype.kind not in "biuf" or wanted.shape[1] != rows.shape[1]:
        raise ValueError(
            f"init has the shape {wanted.shape}, but X has {rows.shape[1]} features; give rows of as many numbers, or "
            "positions of items"
        )
    wanted = _like(wanted, rows)
    _refuse_gaps(wanted)
    positions = [_nearest(wanted[[at]], rows, estimator, space) for at in range(wanted.shape[0])]
    twice = [at for at in positions if positions.count(at) > 1]
    if twice:
        raise ValueError(f"init: several rows are nearest to item {twice[0]}; give rows that are nearest to different items")
    return positions


def _is_table(init: Any) -> bool:
    """Whether rows are given to begin with."""
    if isinstance(init, str):
        return False
    if scipy.sparse.issparse(init):
        return bool(init.ndim == 2)
    try:
        return np.ndim(init) == 2
    except ValueError:
        return False


def _like(wanted: Any, rows: Any) -> Any:
    """Rows to begin with, sparse if those of X are so, and else dense."""
    if scipy.sparse.issparse(rows):
        sparse = scipy.sparse.csr_array(wanted, copy=True)
        sparse.sum_duplicates()
        sparse.eliminate_zeros()
        return sparse
    return wanted.toarray() if scipy.sparse.issparse(wanted) else wanted


def _refuse_gaps(wanted: Any) -> None:
    """Raises if a row to begin with has a number that is not finite."""
    rows = scipy.sparse.coo_array(wanted)
    gaps = np.flatnonzero(~np.isfinite(rows.data))
    if len(gaps):
        row, column = rows.row[gaps[0]], rows.col[gaps[0]]
        raise ValueError(f"init: row {row}, column {column} is {rows.data[gaps[0]]}; give finite numbers")


def _nearest(wanted: Any, rows: Any, estimator: Any, space: Space) -> int:
    """The position of the row that is nearest to a given one: an equal one, if there is any."""
    equal = _equal(wanted, rows)
    if len(equal):
        return int(equal[0])
    center = copy.copy(estimator)
    center.cluster_centers_, center.medoid_indices_, center.n_jobs = wanted, np.array([0]), 1
    return int(space.distances(center, rows)[:, 0].argmin())


def _equal(wanted: Any, rows: Any) -> np.ndarray:
    """The positions of the rows that are equal to a given one; of sparse rows, of those that have as
    many entries."""
    if not scipy.sparse.issparse(rows):
        return np.flatnonzero((rows == wanted).all(axis=1))
    alike = np.flatnonzero(np.diff(rows.indptr) == wanted.nnz)
    some = rows[alike]
    shape = (len(alike), wanted.nnz)
    same = (some.indices.reshape(shape) == wanted.indices) & (some.data.reshape(shape) == wanted.data)
    equal: np.ndarray = alike[same.all(axis=1)]
    return equal


def warn_of_end(found: _core.Fit, given: Given, max_swaps: Any) -> None:
    """Warns if a limit ended the search, or if there were fewer distinct items than centers."""
    if found.stop in _LIMITS and max_swaps != 0:
        warnings.warn(
            f"the search ended early ({found.stop}), so the centers need not be a local optimum; {_LIMITS[found.stop]} if "
            "they should be",
            ConvergenceWarning,
            stacklevel=3,
        )
    k, distinct = len(found.centers), _distinct(found, given)
    if distinct < k:
        warnings.warn(
            f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({k}): there are fewer distinct items "
            "than centers; ask for fewer",
            ConvergenceWarning,
            stacklevel=3,
        )


def _distinct(found: _core.Fit, given: Given) -> int:
    """How many of the centers are at different places. Where items are fewer than centers, these
    cost nothing; else none is looked at. A function is not called again."""
    k = len(found.centers)
    if found.cost > 0 or given.apart or given.kind == "function":
        return k
    between = _core.distances(given.items(), found.centers.tolist(), 1)[found.centers]
    return k - int(np.tril(between == 0, -1).any(axis=1).sum())
