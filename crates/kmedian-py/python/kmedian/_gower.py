"""Tables of numbers and categories under Gower's dissimilarity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from fractions import Fraction
from numbers import Number, Rational, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from . import _core
from ._given import Beside, Given, Rows, objects
from ._sites import labels_of
from ._tables import are_times, as_array, column_at, column_names, refuse_gaps, refuse_no_table

# A column is far from zero if its largest absolute value is at least this many times its range: then
# at most 25 of the 53 binary digits of a 64-bit float are left for what its values differ in, while
# the core's 32-bit floats have 24.
_FAR = 2**28
# What has parts, and so is neither a number nor a category.
_WITH_PARTS = (list, tuple, np.ndarray, Set, Mapping)


class Fitted(NamedTuple):
    """What is kept of a table: the names of its columns, which of them are categories, what is
    subtracted from each of the others, and for each its smallest and largest number after that, or
    its categories. All lists have the same length."""

    names: list[Any]
    categorical: list[bool]
    offsets: list[Any]
    ranges: list[Any]


class Gower(Beside):
    """Columns of numbers and categories. ``categories`` are columns of categories that look like
    numbers, by name or position."""

    def __init__(self, categories: Any = None) -> None:
        self.categories = categories

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        table = _Table(X)
        told = _positions(self.categories, table.names)
        categorical = [at in told or table.is_categorical(at) for at in range(len(table.names))]
        offsets = [0 if is_category else _offset(table.numbers(at)) for at, is_category in enumerate(categorical)]
        features = table.features(categorical, offsets)
        fitted = Fitted(table.names, categorical, offsets, _ranges(features))
        estimator.n_features_in_ = len(table.names)
        estimator._gower = fitted
        if sites is None:
            parts = (fitted.ranges, features)
            return Given("gower", parts, table.n, Rows(table.n, table.some), False, labels_of(X))
        places = _Table(sites, fitted)
        both = [_joined(*pair) for pair in zip(features, places.features(categorical, offsets))]
        fitted = fitted._replace(ranges=_ranges(both))
        estimator._gower = fitted
        return Given("gower", (fitted.ranges, both), table.n, Rows(places.n, places.some), True)

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        fitted: Fitted = estimator._gower
        centers = _Table(estimator.cluster_centers_, fitted).features(fitted.categorical, fitted.offsets)
        rows = _Table(X, fitted).features(fitted.categorical, fitted.offsets)
        return _core.Items.gower(fitted.ranges, [_joined(*pair) for pair in zip(centers, rows)])


class _Table:
    """A table of any kind, column by column."""

    def __init__(self, X: Any, fitted: Fitted | None = None) -> None:
        if scipy.sparse.issparse(X):
            raise TypeError("X is sparse, but metric='gower' takes a table of numbers and categories; give X.toarray()")
        X = as_array(X)
        refuse_no_table(X)
        refuse_gaps(X)
        names = column_names(X)
        if names is None:
            X = np.array(X, dtype=object) if isinstance(X, (list, tuple)) else np.asarray(X)
            if X.ndim != 2:
                raise ValueError("X is no table: give rows of as many columns each, or a data frame. Reshape your data")
            names = list(range(X.shape[1]))
        self.X, self.names = X, names
        self.n = len(X)
        if self.n == 0:
            raise ValueError("X is empty: there are 0 rows, while a minimum of 1 is required")
        if fitted is not None and len(names) != len(fitted.names):
            raise ValueError(f"X has {len(names)} features, but {len(fitted.names)} were fitted; give the same columns")
        if fitted is not None and names != fitted.names and isinstance(names[0], str):
            raise ValueError(f"X has the columns {names}, but {fitted.names} were fitted; give the same, in their order")

    def column(self, at: int) -> np.ndarray:
        """A column as an array."""
        column = self.given(at)
        cells = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
        if cells.ndim != 1:
            raise ValueError(f"column {self.names[at]!r} of X has cells with parts; make a column of each part")
        return cells

    def given(self, at: int) -> Any:
        """A column as the table holds it."""
        if isinstance(self.X, np.ndarray) and self.X.dtype.names is None:
            return self.X[:, at]
        return column_at(self.X, at, self.names[at])

    def some(self, positions: np.ndarray) -> Any:
        """Some of the rows, as a table of the same kind."""
        if hasattr(self.X, "iloc"):
            return self.X.iloc[positions]
        return self.X.take(positions) if hasattr(self.X, "column_names") else self.X[positions]

    def is_categorical(self, at: int) -> bool:
        """Whether a column holds anything but numbers. Booleans are categories."""
        column = self.column(at)
        if column.dtype.kind in "iuf":
            return False
        if are_times(self.given(at), column):
            raise TypeError(
                f"column {self.names[at]!r} of X holds times, which are neither numbers nor categories; choose a unit, for "
                "example days since the first: (times - times.min()) / numpy.timedelta64(1, 'D'), or name it in "
                "metric_params={'categories': [...]}"
            )
        return column.dtype.kind != "O" or not all(cell is None or _is_number(cell) for cell in column)

    def features(self, categorical: list[bool], offsets: list[Any]) -> list[Any]:
        """The columns as the core takes them; raises if a cell is missing, or is neither a number nor
        a category."""
        return [
            self.categories(at) if is_category else _shifted(self.numbers(at), offset)
            for at, (is_category, offset) in enumerate(zip(categorical, offsets))
        ]

    def categories(self, at: int) -> list[str]:
        """A column of categories: equal texts for equal cells."""
        column = self.column(at)
        self._check(at, column)
        if column.dtype.kind in "mM":
            return [f"time:{cell}" for cell in column.astype(column.dtype.kind + "8[ns]").astype(np.int64).tolist()]
        return list(map(_category, column.tolist()))

    def numbers(self, at: int) -> np.ndarray:
        """A column of numbers: integers, floats, or fractions where neither hold them."""
        column = self.column(at)
        self._check(at, column)
        if column.dtype.kind in "iuf":
            return column
        cells = column.tolist()
        strange = next((row for row, cell in enumerate(cells) if not _is_number(cell)), None)
        if strange is not None:
            raise ValueError(
                f"row {strange}, column {self.names[at]!r} of X is {cells[strange]!r}, but the column held numbers when it was "
                "fitted; give numbers, for example by pandas.to_numeric"
            )
        return _exact(cells)

    def _check(self, at: int, column: np.ndarray) -> None:
        """Raises if a cell is missing, not finite, complex, or has parts."""
        if column.dtype.kind not in "fcmMO" or (column.dtype.kind == "f" and np.isfinite(column).all()):
            return
        for row, cell in enumerate(column):
            what = _fault(cell)
            if what is not None:
                raise ValueError(f"row {row}, column {self.names[at]!r} of X {what}")


def _positions(categories: Any, names: list[Any]) -> set[int]:
    """The positions of the columns that are told to be categories."""
    if categories is None:
        return set()
    if isinstance(categories, (str, bytes)) or not isinstance(categories, Iterable):
        raise TypeError(
            f"metric_params: categories={categories!r} is no list; give the names or positions of columns, such as "
            f"[{names[0]!r}]"
        )
    return {_position(column, names) for column in categories}


def _position(column: Any, names: list[Any]) -> int:
    if not isinstance(column, (bool, np.bool_)):
        if column in names:
            return names.index(column)
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            return int(column)
    raise ValueError(f"categories: there is no column {column!r}; the columns are {names}")


def _fault(cell: Any) -> str | None:
    """What keeps a cell from being a number or a category, and what to do; ``None`` if nothing does."""
    if type(cell) in (str, int, bool):
        return None
    if _is_gap(cell):
        return "is missing (it contains NaN or None); fill it in, or drop the row"
    if isinstance(cell, _WITH_PARTS):
        return f"has parts ({type(cell).__name__}); make a column of each part, or leave the column out"
    if isinstance(cell, (float, np.floating, Decimal)) and not _is_finite(cell):
        return f"is {cell}; give a finite number, or drop the row"
    if isinstance(cell, Number) and not isinstance(cell, (Real, Decimal)):
        return f"is {cell}, a complex number; make a column of each of its parts"
    return None


def _is_finite(cell: Any) -> bool:
    return bool(np.isfinite(float(cell)))


def _category(cell: Any) -> str:
    """A text that equal cells share: equal numbers of any type, but neither a number and its digits as
    a text, nor 1 and ``True``."""
    if isinstance(cell, str):
        return f"text:{cell}"
    if isinstance(cell, (bool, np.bool_)):
        return f"flag:{bool(cell)}"
    if type(cell) is int:
        return f"number:{cell}"
    if isinstance(cell, (Real, Decimal)):
        return f"number:{_fraction(cell)}"
    return f"{type(cell).__name__}:{cell}"


def _fraction(number: Any) -> Fraction:
    """A finite number of any type, exactly, as whole numbers of Python, which do not overflow."""
    number = number.item() if isinstance(number, np.generic) else number
    return Fraction(number if isinstance(number, (Rational, Decimal)) else float(number))


def _exact(cells: list[Any]) -> np.ndarray:
    """Numbers as an array of integers or floats, or of fractions if one is neither."""
    if all(isinstance(cell, (int, float, np.integer, np.floating)) for cell in cells):
        found = np.array(cells)
        if found.dtype.kind in "iuf":
            return found
    return objects([_fraction(cell) for cell in cells])


def _offset(numbers: np.ndarray) -> Any:
    """What is to be subtracted from numbers before they are made 64-bit floats: the least of them, if
    they are so far from zero that their differences would be rounded; or else 0."""
    low, high = (limit.item() if isinstance(limit, np.generic) else limit for limit in (numbers.min(), numbers.max()))
    return low if max(abs(low), abs(high)) >= _FAR * (high - low) else 0


def _shifted(numbers: np.ndarray, offset: Any) -> np.ndarray:
    """Numbers less an offset, as 64-bit floats. The difference is taken exactly, unless floats are
    subtracted."""
    if numbers.dtype.kind == "f" or not offset:
        return np.ascontiguousarray(numbers, dtype=np.float64) - float(offset)
    return np.ascontiguousarray(numbers.astype(object) - offset, dtype=np.float64)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, Number) and not isinstance(cell, (bool, np.bool_))


def _is_gap(cell: Any) -> bool:
    """Whether a cell is missing: None, NaN, NaT or pandas.NA."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(cell))
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, (float, np.floating)) and bool(np.isnan(cell))


def _ranges(features: list[Any]) -> list[Any]:
    """What has the same ranges and categories as columns, and is short."""
    kept = [
        np.array([feature.min(), feature.max()]) if isinstance(feature, np.ndarray) else sorted(set(feature))
        for feature in features
    ]
    longest = max(map(len, kept))

    def filled(values: Any) -> Any:
        if isinstance(values, np.ndarray):
            return np.concatenate([values, np.full(longest - len(values), values[-1])])
        return values + values[-1:] * (longest - len(values))

    return [filled(values) for values in kept]


def _joined(one: Any, other: Any) -> Any:
    return np.concatenate([one, other]) if isinstance(one, np.ndarray) else one + other
