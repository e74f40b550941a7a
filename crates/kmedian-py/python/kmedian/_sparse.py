"""Sparse rows (scipy), which are never made dense."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import validate_data

from . import _core
from ._given import Beside, Given, Rows

# The most columns, as in the core: what 32 bits hold.
_MOST_COLUMNS = 2**32


class Sparse(Beside):
    """Sparse rows of numbers."""

    def __init__(self, metric: str) -> None:
        self.metric = metric

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        rows = csr(estimator, X, True)
        n = rows.shape[0]
        if sites is None:
            return Given("sparse", parts(rows, self.metric), n, Rows(n, rows.__getitem__))
        try:
            places = csr(estimator, sites, False)
        except ValueError as error:
            raise ValueError(f"sites: {error}") from error
        both = scipy.sparse.vstack([rows, places], format="csr")
        things = Rows(places.shape[0], places.__getitem__)
        return Given("sparse", parts(both, self.metric), n, things, True)

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        rows = csr(estimator, X, False)
        centers = scipy.sparse.csr_array(estimator.cluster_centers_)
        both = scipy.sparse.vstack([centers, rows], format="csr")
        return _core.Items.sparse(*parts(both, self.metric))


def csr(estimator: Any, X: Any, reset: bool) -> Any:
    """X as rows in compressed form, without a copy if it is so already; raises if it cannot be."""
    if scipy.sparse.issparse(X) and X.format == "csr" and len(X.indices) and X.indices.min() < 0:
        at = int(np.flatnonzero(X.indices < 0)[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise ValueError(
            f"row {row} of X has the negative column {X.indices[at]}; columns count from 0: make the matrix again"
        )
    rows = validate_data(
        estimator, X, reset=reset, dtype="numeric", accept_sparse="csr", accept_large_sparse=True
    )
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
