"""Checks tables of any kind, and turns them into arrays."""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

# The beginnings of the names of types of times, in NumPy, pandas, polars and Arrow.
_TIMES = ("date", "time", "duration", "period")
# The beginnings of the names of types whose cells have parts.
NESTED = ("list", "large_list", "fixed_size_list", "array", "struct", "map")
# The beginnings of the names of types whose cells may be anything.
_ANYTHING = (
    *("object", "str", "large_str", "utf8", "binary", "large_binary", "fixed_size_binary"),
    *("categ", "enum", "dictionary", "interval"),
)

# The relative distance of two neighboring 32-bit floats.
_SMALLEST_STEP = 2.0**-23
# The share of a column's range from which on rounding to 32-bit floats deserves a warning.
_TOO_COARSE = 1e-3

# The classes of text.
TEXT = (str, bytes)
# The classes of times and durations.
TIMES = (np.datetime64, np.timedelta64, datetime.date, datetime.time, datetime.timedelta)


def as_array(X: Any, name: str = "X") -> Any:
    """X as something that NumPy can convert.

    Tables of pandas, polars and pyarrow can be converted (``__array__``). Objects that only have
    Arrow's C stream, such as the results of many databases, go through pyarrow. Raises for a lazy
    table, which has no values yet.
    """
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError(f"{name} is a {type(X).__name__}, which has not been computed yet; give {name}.collect()")
    if hasattr(X, "__array__") or not hasattr(X, "__arrow_c_stream__"):
        return X
    return _pyarrow(name).table(X)


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a table (pandas, polars, pyarrow, a dict of columns, a structured
    array); ``None`` for anything else."""
    if isinstance(table, dict):
        return list(table)
    if isinstance(table, np.ndarray):
        return None if table.dtype.names is None else list(table.dtype.names)
    for attribute in ("column_names", "columns"):
        names = getattr(table, attribute, None)
        if names is not None and not callable(names):
            return [name for name in names]
    return None


def refuse_no_table(X: Any) -> None:
    """Raises if X is neither an array nor a table nor a list of rows."""
    refuse_path(X)
    what = type(X).__name__
    if isinstance(X, Mapping):
        raise TypeError(f"X is a {what}; of a dict of columns make a table, pandas.DataFrame(X)")
    if isinstance(X, Set) or not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise TypeError(f"X is a {what}; give an array, a table, or a list of rows")
    if getattr(X, "ndim", 0) > 2:
        raise ValueError(f"X has {X.ndim} dimensions; give a row for each item, X.reshape(len(X), -1)")
    if column_names(X) == []:
        raise ValueError("X has no columns; give at least one")


def of_rows(X: Any) -> np.ndarray:
    """A list of rows as an array; raises if rows are dicts, or differ in length."""
    if any(isinstance(row, Mapping) for row in X):
        raise TypeError("the rows of X are dicts; make a table of them, pandas.DataFrame(X)")
    try:
        return np.asarray(X)
    except ValueError as error:
        raise ValueError("the rows of X have different lengths; give the same number of columns in every row") from error


def refuse_path(X: Any, name: str = "X") -> None:
    """Raises if X is the name of a file: no file is read here."""
    if isinstance(X, (str, bytes, os.PathLike)):
        raise TypeError(
            f"{name}={X!r} is the name of a file; give what is in it, which pandas.read_csv and the like read"
        )


def refuse_gaps(X: Any, name: str = "X") -> None:
    """Raises if an array has masked values, because NumPy would use them as if they were not
    masked."""
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise ValueError(f"{name} has masked values; fill them, {name}.filled(value), or drop such rows")


def refuse_others(X: Any) -> None:
    """Raises if a column does not hold numbers, even if NumPy could convert it: times would be in
    the unit that they are stored in, and text of digits is more often a name."""
    for at, (name, kind) in enumerate(_kinds(X)):
        which, called = "X" if name is None else f"the column {name!r} of X", str(kind).lower()
        looked_at = column_at(X, at, name) if called.startswith(_ANYTHING) or _is_text(kind) else []
        if called.startswith(NESTED) or holds(looked_at, (list, tuple, np.ndarray)):
            raise ValueError(f"{which}: cells of {kind} have parts; make a column of each part, for example with np.vstack")
        if called.startswith(_TIMES) or holds(looked_at, TIMES):
            raise TypeError(
                f"{which} holds times ({kind}), not numbers; choose a unit, for example seconds since the first: "
                "(times - times.min()) / numpy.timedelta64(1, 's')"
            )
        if holds(looked_at, TEXT):
            raise ValueError(
                f"{which} holds text ({kind}), not numbers; take metric='levenshtein' to compare texts, or metric='gower' for "
                "a mixed table, encode it, for example with sklearn.preprocessing.OneHotEncoder, or make numbers of digits "
                "with pandas.to_numeric"
            )
        stranger = next((cell for cell in _cells(looked_at) if not _may_be_a_number(cell)), None)
        if stranger is not None:
            # A check of scikit-learn expects a message about an argument that must be a string or a
            # number.
            raise TypeError(
                f"{which} holds {type(stranger).__name__} ({kind}), but the argument must be neither a string nor an object "
                "but a number; make columns of numbers of it"
            )


def _is_text(kind: Any) -> bool:
    """Whether a type is NumPy's of texts or bytes."""
    return isinstance(kind, np.dtype) and kind.kind in "US"


def are_times(column: Any, cells: Any) -> bool:
    """Whether a column holds times, judging by its type and by its cells, which may be objects."""
    kind = getattr(column, "dtype", getattr(column, "type", getattr(cells, "dtype", "")))
    return str(kind).lower().startswith(_TIMES) or holds(cells, TIMES)


def holds(cells: Any, kinds: tuple[type, ...]) -> bool:
    """Whether any of the cells is an instance of these classes."""
    return any(isinstance(cell, kinds) for cell in _cells(cells))


def _cells(column: Any) -> list[Any]:
    cells: list[Any] = np.asarray(column, dtype=object).ravel().tolist()
    return cells


def _may_be_a_number(cell: Any) -> bool:
    """Whether an object can be converted to a number, or is a missing value, which scikit-learn
    reports."""
    if cell is None or type(cell).__name__ == "NAType":
        return True
    try:
        float(cell)
    except TypeError:
        return False
    except OverflowError:
        pass
    return True


def _kinds(X: Any) -> list[tuple[Any, Any]]:
    """The names of a table's columns and their types; for an array, its type with the name
    ``None``."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return list(zip(X.columns, X.dtypes))
    if hasattr(X, "schema") and hasattr(X, "column_names"):
        return [(field.name, field.type) for field in X.schema]
    return [(None, X.dtype)] if hasattr(X, "dtype") else []


def column_at(X: Any, at: int, name: Any) -> Any:
    """A column of pandas, polars or Arrow by its position, because several may have the same name,
    and of a structured array by its name; an array as it is, if ``name`` is ``None``."""
    if name is None:
        return X
    if hasattr(X, "iloc"):
        return X.iloc[:, at]
    return X.column(at) if hasattr(X, "column_names") else X[name]


def warn_of_lost_digits(columns: np.ndarray, largest: np.ndarray, spread: np.ndarray, stacklevel: int) -> None:
    """Warns if one of the columns is far from zero and hardly varies: the seven digits of a 32-bit
    float may not tell its values apart. ``largest`` are their largest absolute values, ``spread``
    their ranges, and ``columns`` their positions."""
    lost = np.flatnonzero((spread > 0) & (largest * _SMALLEST_STEP > spread * _TOO_COARSE))
    if len(lost):
        warnings.warn(
            f"column {columns[lost[0]]} varies by {spread[lost[0]]:.3g} round {largest[lost[0]]:.3g}, but distances are "
            "computed from 32-bit floats, which have seven digits; subtract an offset first",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{name} speaks Arrow alone, for which pyarrow is needed: pip install pyarrow") from error
    return pyarrow
