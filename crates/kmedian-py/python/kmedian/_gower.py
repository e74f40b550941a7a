"""Tables of numbers and categories under Gower's dissimilarity."""

from __future__ import annotations

from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._given import Beside, Given, Rows
from ._sites import labels_of
from ._tables import are_times, as_array, column_names, refuse_no_table


class Fitted(NamedTuple):
    """What is kept of a table: the names of its columns, which of them are categories, and for each
    its smallest and largest number, or its categories. All lists have the same length."""

    names: list[Any]
    categorical: list[bool]
    ranges: list[Any]


class Gower(Beside):
    """Columns of numbers and categories. ``categories`` are columns of categories that look like
    numbers, by name or position."""

    def __init__(self, categories: Any = None) -> None:
        self.categories = categories

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        table = _Table(X)
        told = {_position(column, table.names) for column in self.categories or []}
        categorical = [at in told or table.is_categorical(at) for at in range(len(table.names))]
        features = table.features(categorical)
        fitted = Fitted(table.names, categorical, _ranges(features))
        estimator.n_features_in_ = len(table.names)
        estimator._gower = fitted
        if sites is None:
            parts = (fitted.ranges, features)
            return Given("gower", parts, table.n, Rows(table.n, table.some), False, labels_of(X))
        places = _Table(sites, fitted)
        both = [_joined(*pair) for pair in zip(features, places.features(categorical))]
        fitted = fitted._replace(ranges=_ranges(both))
        estimator._gower = fitted
        return Given("gower", (fitted.ranges, both), table.n, Rows(places.n, places.some), True)

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        fitted: Fitted = estimator._gower
        centers = _Table(estimator.cluster_centers_, fitted).features(fitted.categorical)
        rows = _Table(X, fitted).features(fitted.categorical)
        return _core.Items.gower(fitted.ranges, [_joined(*pair) for pair in zip(centers, rows)])


class _Table:
    """A table of any kind, column by column."""

    def __init__(self, X: Any, fitted: Fitted | None = None) -> None:
        X = as_array(X)
        refuse_no_table(X)
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
        return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)

    def given(self, at: int) -> Any:
        """A column as the table holds it."""
        if isinstance(self.X, np.ndarray):
            return self.X[:, at]
        return self.X.iloc[:, at] if hasattr(self.X, "iloc") else self.X[self.names[at]]

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
        return column.dtype.kind != "O" or not all(_is_number(cell) for cell in column)

    def features(self, categorical: list[bool]) -> list[Any]:
        """The columns as the core takes them; raises if a cell is missing."""
        return [self._feature(at, is_category) for at, is_category in enumerate(categorical)]

    def _feature(self, at: int, is_category: bool) -> Any:
        column = self.column(at)
        gaps = np.flatnonzero([_is_gap(cell) for cell in column])
        if len(gaps):
            raise ValueError(
                f"row {gaps[0]}, column {self.names[at]!r} of X is missing (it contains NaN or None); fill it in, or drop the "
                "row"
            )
        if is_category:
            return [str(cell) for cell in column.tolist()]
        try:
            return np.ascontiguousarray(column, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"column {self.names[at]!r} of X held numbers when it was fitted: {error}") from None


def _position(column: Any, names: list[Any]) -> int:
    if column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    raise ValueError(f"categories: there is no column {column!r}; the columns are {names}")


def _is_number(cell: Any) -> bool:
    return cell is None or (isinstance(cell, Number) and not isinstance(cell, (bool, np.bool_)))


def _is_gap(cell: Any) -> bool:
    """Whether a cell is missing: None, NaN, NaT or pandas.NA."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and not np.isfinite(cell)


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
