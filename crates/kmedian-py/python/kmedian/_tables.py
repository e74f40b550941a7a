"""Tables that are not arrays yet."""

from __future__ import annotations

from typing import Any


def as_array(X: Any) -> Any:
    """Something that NumPy understands.

    pandas, polars and pyarrow say so themselves (``__array__``). What only speaks Arrow's C stream, as the results of
    many databases do, goes through pyarrow.
    """
    if hasattr(X, "__array__") or not hasattr(X, "__arrow_c_stream__"):
        return X
    return _pyarrow().table(X)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ValueError("X speaks Arrow alone, for which pyarrow is needed: pip install pyarrow") from error
    return pyarrow
