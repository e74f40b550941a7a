"""Tables that are not arrays yet."""

from __future__ import annotations

from typing import Any

# How the types of dates, times and durations are called: in NumPy, pandas, polars and Arrow alike.
_TIMES = ("date", "time", "duration", "period")


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


def refuse_times(X: Any) -> None:
    """Refuses columns of dates, times and durations: as numbers they would be whatever unit they are stored in."""
    for name, kind in _kinds(X):
        if str(kind).lower().startswith(_TIMES):
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
