"""Tables that are not arrays yet."""

from __future__ import annotations

import datetime
import os
from typing import Any

import numpy as np

# How the types of dates, times and durations are called: in NumPy, pandas, polars and Arrow alike.
_TIMES = ("date", "time", "duration", "period")
# And what they are where a column may hold anything.
TIMES = (np.datetime64, np.timedelta64, datetime.date, datetime.time, datetime.timedelta)


def as_array(X: Any, name: str = "X") -> Any:
    """Something that NumPy understands.

    pandas, polars and pyarrow say so themselves (``__array__``). What only speaks Arrow's C stream, as the results of
    many databases do, goes through pyarrow.
    """
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError(f"{name} is a {type(X).__name__}, which has not been computed yet; give {name}.collect()")
    if hasattr(X, "__array__") or not hasattr(X, "__arrow_c_stream__"):
        return X
    return _pyarrow(name).table(X)


def column_names(table: Any) -> list[Any] | None:
    """The columns of a table (pandas, polars, pyarrow, a dict of columns, a structured array); ``None`` for a list."""
    if isinstance(table, dict):
        return list(table)
    if isinstance(table, np.ndarray):
        return None if table.dtype.names is None else list(table.dtype.names)
    for attribute in ("column_names", "columns"):
        names = getattr(table, attribute, None)
        if names is not None and not callable(names):
            return [name for name in names]
    return None


def refuse_path(X: Any, name: str = "X") -> None:
    """Refuses the name of a file: nothing is read here."""
    if isinstance(X, (str, bytes, os.PathLike)):
        raise TypeError(
            f"{name}={X!r} is the name of a file; give what is in it, which pandas.read_csv and the like read"
        )


def refuse_gaps(X: Any, name: str = "X") -> None:
    """Refuses an array with masked values, which NumPy would use as if they were not."""
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise ValueError(f"{name} has masked values; fill them, {name}.filled(value), or drop such rows")


def holds(column: Any, kinds: tuple[type, ...]) -> bool:
    """Whether a cell of an array or a column of objects is of some kinds: NumPy makes numbers of text and durations."""
    return any(isinstance(cell, kinds) for cell in np.asarray(column, dtype=object).ravel().tolist())


def refuse_times(X: Any) -> None:
    """Refuses columns of dates, times and durations: as numbers they would be whatever unit they are stored in."""
    for name, kind in _kinds(X):
        anything = str(kind).lower() == "object" and holds(X if name is None else X[name], TIMES)
        if anything or str(kind).lower().startswith(_TIMES):
            which = "X" if name is None else f"the column {name!r} of X"
            raise TypeError(
                f"{which} holds times ({kind}), not numbers; choose a unit, for example seconds since the first: "
                "(times - times.min()) / numpy.timedelta64(1, 's')"
            )


def _kinds(X: Any) -> list[tuple[Any, Any]]:
    """The columns of a table and their types; an array has one type, and no name for it."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return list(zip(X.columns, X.dtypes))
    if hasattr(X, "schema") and hasattr(X, "column_names"):
        return [(field.name, field.type) for field in X.schema]
    return [(None, X.dtype)] if hasattr(X, "dtype") else []


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{name} speaks Arrow alone, for which pyarrow is needed: pip install pyarrow") from error
    return pyarrow
