"""Items that are objects: texts, sets, and whatever a function of the user measures."""

from __future__ import annotations

from collections.abc import Iterable, Set
from numbers import Number
from typing import Any, Callable

import numpy as np
import scipy.sparse

from . import _core
from ._given import Beside, Given, objects
from ._sparse import Sparse
from ._tables import as_array


def listed(X: Any, what: str) -> list[Any]:
    """The objects of X, one for each item: of a list, an array of one dimension, a column of a
    table, or a table of one column. ``what`` they should be is for errors."""
    if isinstance(X, (str, bytes)) or not isinstance(X, Iterable):
        raise TypeError(f"X is a {type(X).__name__}; give a list of {what}")
    column: Any = X
    if getattr(column, "ndim", 1) == 2:
        if column.shape[1] != 1:
            raise ValueError(f"X has {column.shape[1]} columns; give the one that holds {what}")
        column = np.asarray(as_array(column), dtype=object)[:, 0]
    found = column.tolist() if hasattr(column, "tolist") else list(column)
    if not found:
        raise ValueError(f"X is empty: there are 0 items, while a minimum of 1 is required; give a list of {what}")
    return list(found)


class Texts(Beside):
    """Texts, under the number of edits."""

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        texts = _texts(X, "X")
        if sites is None:
            return Given("texts", (texts,), len(texts), objects(texts))
        places = _texts(sites, "sites")
        return Given("texts", ([*texts, *places],), len(texts), objects(places), True)

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        return _core.Items.texts([*estimator.cluster_centers_, *_texts(X, "X")])


def _texts(X: Any, name: str) -> list[str]:
    texts = listed(X, "texts")
    for at, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(
                f"item {at} of {name} is {text!r}, which is no text; fill gaps in, decode bytes, and make texts of numbers "
                "with str"
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"item {at} of {name} is not text that UTF-8 can hold: {error}; correct it") from None
    return [str(text) for text in texts]


class Sets(Beside):
    """Sets, under the Jaccard distance: as sets, as rows of 0 and 1, or as sparse rows, whose
    entries are the elements."""

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        if not _are_sets(X):
            return Sparse("jaccard").read(estimator, _members(X), None if sites is None else _members(sites))
        sets = _sets(X)
        if sites is None:
            return Given("sparse", _encoded(sets), len(sets), objects(sets))
        places = _sets(sites)
        return Given("sparse", _encoded([*sets, *places]), len(sets), objects(places), True)

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        if scipy.sparse.issparse(estimator.cluster_centers_):
            return Sparse("jaccard").beside(estimator, _members(X))
        return _core.Items.sparse(*_encoded([*estimator.cluster_centers_, *_sets(X)]))


def _are_sets(X: Any) -> bool:
    """Whether the items of X are sets or lists of elements, not rows of 0 and 1."""
    if scipy.sparse.issparse(X) or getattr(X, "ndim", 1) == 2 or hasattr(X, "column_names"):
        return False
    items = listed(X, "sets")
    if any(isinstance(item, Set) for item in items):
        return True
    if not all(isinstance(item, (list, tuple, np.ndarray)) for item in items):
        return True
    rows = len({len(item) for item in items}) == 1
    return not (rows and all(isinstance(cell, (Number, np.bool_)) and cell in (0, 1) for item in items for cell in item))


def _sets(X: Any) -> list[frozenset[Any]]:
    found = []
    for at, item in enumerate(listed(X, "sets")):
        if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
            raise TypeError(
                f"item {at} of X is {item!r}, which is no set; give a set or a list for each item, such as text.split(';')"
            )
        try:
            found.append(frozenset(item))
        except TypeError as error:
            raise TypeError(f"item {at} of X has an element that cannot be looked up ({error}); give texts, numbers or tuples") from None
    return found


def _encoded(sets: list[frozenset[Any]]) -> Any:
    """Sets as sparse rows with a column for each element."""
    column: dict[Any, int] = {}
    columns = [sorted(column.setdefault(element, len(column)) for element in items) for items in sets]
    starts = np.cumsum([0, *map(len, columns)], dtype=np.int64)
    flat = np.fromiter((at for row in columns for at in row), dtype=np.uint32, count=int(starts[-1]))
    return len(column), starts, flat, np.ones(len(flat), dtype=np.float32), "jaccard"


def _members(X: Any) -> Any:
    """Rows of 0 and 1 as sparse rows; raises if there are other numbers."""
    if scipy.sparse.issparse(X):
        return X
    rows = np.asarray(as_array(X))
    if rows.ndim == 2 and rows.dtype.kind in "biuf":
        wrong = np.argwhere((rows != 0) & (rows != 1))
        if len(wrong):
            row, at = wrong[0]
            raise ValueError(
                f"row {row}, column {at} of X is {rows[row, at]}, but sets are rows of 0 and 1, lists of sets, or sparse "
                "rows; give X > 0, for example"
            )
    return X


class Function:
    """Objects, and a function that measures two of them."""

    def __init__(self, metric: Callable[[Any, Any], float]) -> None:
        self.metric = metric

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        items = listed(X, "objects")
        if sites is None:
            return Given("function", (items, self.metric), len(items), objects(items))
        places = listed(sites, "objects")
        return Given("function", ([*items, *places], self.metric), len(items), objects(places), True)


def are_objects(X: Any) -> bool:
    """Whether X is a list or a column of objects, such as texts or series of different lengths, and
    no table of numbers."""
    if getattr(X, "ndim", 1) == 2 or hasattr(X, "column_names") or scipy.sparse.issparse(X):
        return False
    if isinstance(X, np.ndarray) and X.dtype.kind not in "OUS":
        return False
    if not isinstance(X, (list, tuple, np.ndarray)) and not hasattr(X, "iloc") and not hasattr(X, "to_list"):
        return False
    items = X.tolist() if hasattr(X, "tolist") else list(X)
    return bool(items) and not all(isinstance(item, Number) for item in items) and not _is_table(items)


def _is_table(items: list[Any]) -> bool:
    """Whether items are rows of as many numbers each."""
    if not all(isinstance(item, (list, tuple, np.ndarray)) for item in items):
        return False
    if len({len(item) for item in items if getattr(item, "ndim", 1) == 1}) > 1:
        return False
    return all(isinstance(cell, (Number, np.generic, type(None))) for item in items for cell in item)
