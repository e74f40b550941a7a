"""Sparse rows (scipy), which are never made dense."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import validate_data

from . import _core
from ._given import Beside, Given, Rows
from ._tables import warn_of_lost_digits

# The most columns, as in the core: what 32 bits hold.
_MOST_COLUMNS = 2**32
# The metrics of directions, which rows of zeros have not.
_OF_DIRECTIONS = ("angular", "root-cosine", "cosine")
# How many rows are looked at to find out which columns may have an entry in every row.
_FIRST_ROWS = 16


class Sparse(Beside):
    """Sparse rows of numbers."""

    def __init__(self, metric: str) -> None:
        self.metric = metric

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        given = checked(estimator, X, True)
        rows = places = compressed(given)
        if sites is not None:
            try:
                given = checked(estimator, sites, False)
                places = self._ready(given)
            except ValueError as error:
                raise ValueError(f"sites: {error}") from error
        both = rows if sites is None else scipy.sparse.vstack([rows, places], format="csr")
        if self.metric != "jaccard":
            _warn_of_lost_digits(both)
        # Rows that are dense stay so as centers.
        things = Rows(places.shape[0], places.__getitem__) if scipy.sparse.issparse(given) else given
        return Given("sparse", parts(both, self.metric), rows.shape[0], things, sites is not None)

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        rows = self._ready(checked(estimator, X, False))
        centers = scipy.sparse.csr_array(estimator.cluster_centers_)
        both = scipy.sparse.vstack([centers, rows], format="csr")
        return _core.Items.sparse(*parts(both, self.metric))

    def _ready(self, given: Any) -> Any:
        """Rows that others come before, in compressed form; the core would count those in errors."""
        rows = compressed(given)
        if self.metric in _OF_DIRECTIONS:
            _refuse_zeros(rows)
        return rows


def checked(estimator: Any, X: Any, reset: bool) -> Any:
    """X as rows in compressed form or as an array, without a copy if it is so already; raises if it
    has no numbers, or other columns than were fitted."""
    if scipy.sparse.issparse(X) and X.format == "csr" and len(X.indices) and X.indices.min() < 0:
        at = int(np.flatnonzero(X.indices < 0)[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise ValueError(
            f"row {row} of X has the negative column {X.indices[at]}; columns count from 0: make the matrix again"
        )
    return validate_data(
        estimator, X, reset=reset, dtype="numeric", accept_sparse="csr", accept_large_sparse=True
    )


def compressed(rows: Any) -> Any:
    """Rows in compressed form, each column once in a row, without a copy if they are so already."""
    if not scipy.sparse.issparse(rows):
        rows = scipy.sparse.csr_array(rows)
    if not rows.has_canonical_format:
        # Entries of one place add up, as everywhere in scipy.
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def parts(rows: Any, metric: str) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, str]:
    """Rows in compressed form as the core takes them. Arrays that are so already are not copied."""
    if rows.shape[1] >= _MOST_COLUMNS:
        raise ValueError(f"X has {rows.shape[1]} columns; leave out those that are always zero")
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(rows.data, dtype=np.float32)
    if values is not rows.data and not np.isfinite(values).all():
        raise ValueError("X has values that are too large for dtype('float32'), the core's numbers; rescale it")
    indices = rows.indices
    columns = indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)
    starts = np.ascontiguousarray(rows.indptr, dtype=np.int64)
    return rows.shape[1], starts, np.ascontiguousarray(columns), values, metric


def _refuse_zeros(rows: Any) -> None:
    """Raises if a row has nothing but zeros as 32-bit floats, and so no direction."""
    with np.errstate(over="ignore"):
        entries = np.flatnonzero(rows.data.astype(np.float32))
    filled = np.diff(np.searchsorted(entries, rows.indptr))
    if not filled.all():
        raise ValueError(
            f"row {int(np.argmin(filled))} of X is all zeros, which has no direction; drop it, or take a metric that needs "
            "none, such as l2"
        )


def _warn_of_lost_digits(rows: Any) -> None:
    """Warns if a column is far from zero in all rows and hardly varies. A column that is zero
    somewhere varies by as much as it is far from zero."""
    if rows.dtype.kind not in "iuf" or rows.dtype == np.float32 or rows.shape[0] < 2:
        return
    columns = _in_first_rows(rows)
    if not len(columns):
        return
    table = rows[:, columns].tocsc()
    full = np.flatnonzero(np.diff(table.indptr) == rows.shape[0])
    if len(full):
        values = table[:, full].data.reshape(len(full), rows.shape[0])
        warn_of_lost_digits(columns[full], np.abs(values).max(axis=1), np.ptp(values, axis=1), stacklevel=5)


def _in_first_rows(rows: Any) -> np.ndarray:
    """The columns that have an entry in each of the first rows: all that may have one in every row. Most
    tables have none."""
    columns: np.ndarray = rows.indices[: rows.indptr[1]]
    for row in range(1, min(rows.shape[0], _FIRST_ROWS)):
        columns = np.intersect1d(columns, rows.indices[rows.indptr[row] : rows.indptr[row + 1]])
    return columns
