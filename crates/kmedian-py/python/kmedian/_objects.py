"""Items that are objects: texts, sets, and whatever a function of the user measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from numbers import Number
from typing import Any, Callable

import numpy as np
import scipy.sparse

from . import _core
from ._given import Beside, Given, objects
from ._sparse import Sparse
from ._tables import as_array, column_at, column_names, of_rows, refuse_no_table

# What lists of elements and rows of numbers come as.
_LISTS = (list, tuple, np.ndarray)
# What columns of NumPy, pandas, polars and Arrow call their way to a list.
_TO_LIST = ("tolist", "to_list", "to_pylist")


def listed(X: Any, what: str) -> list[Any]:
    """The objects of X, one for each item: of a list, an array of one dimension, a column of a
    table, or a table of one column. ``what`` they should be is for errors."""
    if isinstance(X, (str, bytes, Mapping, Set)) or scipy.sparse.issparse(X) or not _has_items(X):
        raise TypeError(f"X is a {type(X).__name__}; give a list of {what}")
    column, width = _only_column(as_array(X))
    if width != 1:
        raise ValueError(f"X has {width} columns; give the one that holds {what}")
    found = _plain(column)
    if not found:
        raise ValueError(f"X is empty: there are 0 items, while a minimum of 1 is required; give a list of {what}")
    return found


def _has_items(X: Any) -> bool:
    """Whether X has items one after the other, or is a table of Arrow alone."""
    return isinstance(X, Iterable) or hasattr(X, "__arrow_c_stream__") or column_names(X) is not None


def _only_column(X: Any) -> tuple[Any, int]:
    """The first column of a table of any kind, and how many it has; what is no table as it is, and
    1."""
    names = column_names(X)
    if names is not None:
        return (column_at(X, 0, names[0]) if names else X), len(names)
    if getattr(X, "ndim", 1) == 2:
        return X[:, 0] if X.shape[1] else X, X.shape[1]
    return X, 1


def _plain(column: Any) -> list[Any]:
    """A column of NumPy, pandas, polars or Arrow, or anything with items, as a list of what Python
    itself has."""
    for method in _TO_LIST:
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


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
        if estimator.cluster_centers_.ndim == 2:
            return Sparse("jaccard").beside(estimator, _members(X))
        return _core.Items.sparse(*_encoded([*estimator.cluster_centers_, *_sets(X)]))


def _are_sets(X: Any) -> bool:
    """Whether the items of X are sets or lists of elements, not rows of 0 and 1."""
    items = _items(X)
    return items is not None and not _are_rows(items)


def _items(X: Any) -> list[Any] | None:
    """The items of X if they are objects: of a list, a column, or a table whose only column has
    sets or lists. ``None`` for other tables, which have a row for each item."""
    if scipy.sparse.issparse(X):
        return None
    if isinstance(X, Mapping):
        refuse_no_table(X)
    X = as_array(X)
    column, width = _only_column(X)
    if width != 1:
        return None
    items = listed(X, "sets")
    return items if column is X or any(isinstance(item, (Set, *_LISTS)) for item in items) else None


def _are_rows(items: list[Any]) -> bool:
    """Whether items are equally long lists of nothing but 0 and 1, and not all empty."""
    if not all(isinstance(item, _LISTS) for item in items) or len({len(item) for item in items}) != 1:
        return False
    return len(items[0]) > 0 and all(_is_bit(cell) for item in items for cell in item)


def _is_bit(cell: Any) -> bool:
    """Whether a cell says if an element is in a set."""
    return isinstance(cell, (Number, np.bool_)) and cell in (0, 1)


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
    """Rows of 0 and 1, and sparse rows as they are; raises if X has anything else."""
    if scipy.sparse.issparse(X):
        return X
    items = _items(X)
    if items is not None:
        stranger = next((at for at, item in enumerate(items) if not _are_rows([item])), None)
        if stranger is not None:
            raise ValueError(f"item {stranger} of X is {items[stranger]!r}, but rows of 0 and 1 were fitted; give such rows")
        return of_rows(items)
    table = as_array(X)
    rows = np.asarray(table)
    wrong = np.argwhere(_others(rows))
    if len(wrong) and rows.ndim == 2:
        row, at = wrong[0]
        raise ValueError(
            f"row {row}, column {at} of X is {rows[row, at]}, but sets are rows of 0 and 1, lists of sets, or sparse "
            "rows; give X > 0, for example"
        )
    return table


def _others(rows: np.ndarray) -> Any:
    """Where a table is neither 0 nor 1."""
    if rows.dtype.kind in "biuf":
        return (rows != 0) & (rows != 1)
    return ~np.array([[_is_bit(cell) for cell in row] for row in rows.tolist()], dtype=bool).reshape(rows.shape)


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
    no table of numbers. Equally long tuples of numbers are rows of a table if they are in a list,
    and objects if they are in a column or an array of objects."""
    if getattr(X, "ndim", 1) != 1 or column_names(X) is not None or scipy.sparse.issparse(X):
        return False
    if isinstance(X, np.ndarray) and X.dtype.kind not in "OUS":
        return False
    is_list = isinstance(X, (list, tuple))
    if not is_list and not any(hasattr(X, method) for method in _TO_LIST):
        return False
    items = _plain(X)
    if not items or all(isinstance(item, Number) for item in items):
        return False
    return not (is_list and _is_table(items))


def _is_table(items: list[Any]) -> bool:
    """Whether items are rows of as many numbers each."""
    if not all(isinstance(item, (list, tuple, np.ndarray)) for item in items):
        return False
    if len({len(item) for item in items if getattr(item, "ndim", 1) == 1}) > 1:
        return False
    return all(isinstance(cell, (Number, np.generic, type(None))) for item in items for cell in item)
