"""Cells of tables on their way to the core, which makes names of them.

What a private cell is must not decide how a run ends, so no cell runs code of its own here: not its ``__eq__``, not
its ``__str__``, not its ``__class__``. The core reads text, bytes and numbers as the interpreter stores them. Of all
other objects a few classes are known, and the others name nothing.
"""

from __future__ import annotations

import datetime
import decimal
import sys
import uuid
import zoneinfo
from typing import Any, Callable

import numpy as np

from . import _core

# As large as a 64-bit float can be. Python itself refuses to write out a number of some thousand digits.
_MOST_BITS = 1024

# Parts of a tuple that names a node of a graph, and how deep they may be nested.
_MOST_PARTS = 16
_DEEPEST = 3

# Classes of NumPy for single numbers that are not Python's own.
_NUMBERS = tuple({np.dtype(code).type for code in "?" + np.typecodes["AllInteger"] + np.typecodes["Float"]})

_ZONES = (type(None), datetime.timezone, zoneinfo.ZoneInfo)


def column(cells: Any) -> _core.Column:
    """A column, as the core has it. Nothing that a cell is raises."""
    plain = _plain_array(cells)
    if plain is None:
        return _core.Column.cells(as_list(cells), known)
    with np.errstate(all="ignore"):
        if plain.dtype.kind == "f":
            return _core.Column.floats(np.ascontiguousarray(plain, dtype=np.float64))
        if plain.dtype.kind == "u":
            return _core.Column.unsigned(np.ascontiguousarray(plain, dtype=np.uint64))
        return _core.Column.whole(np.ascontiguousarray(plain, dtype=np.int64))


def _plain_array(cells: Any) -> np.ndarray | None:
    """An array of numbers none of which is masked, if the column is one."""
    if type(getattr(cells, "dtype", None)).__module__.startswith("numpy") and hasattr(cells, "to_numpy"):
        cells = cells.to_numpy()
    plain = isinstance(cells, np.ndarray) and not isinstance(cells, np.ma.MaskedArray)
    return cells if plain and cells.dtype.kind in "iuf" else None


def as_list(column: Any) -> list[Any]:
    """The cells of a column, as Python objects; ``None`` where one cannot be read."""
    column = _as_bytes(column)
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            whole = _guarded(lambda: list(getattr(column, method)()))
            return [_guarded(lambda: _cell(column, at)) for at in range(len(column))] if whole is None else whole
    return list(column)


def _as_bytes(column: Any) -> Any:
    """Text of Arrow as the bytes that it is made of, as not all of them may be UTF-8; other columns as they are."""
    kind = str(getattr(column, "type", ""))
    if kind not in ("string", "large_string") or not hasattr(column, "cast"):
        return column
    return column.cast("binary" if kind == "string" else "large_binary")


def _cell(column: Any, at: int) -> Any:
    cell = column.iloc[at] if hasattr(column, "iloc") else column[at]
    return cell.as_py() if hasattr(cell, "as_py") else cell


def _guarded(read: Callable[[], Any]) -> Any:
    """What is read; ``None`` if that fails, in whichever way: polars panics with what is no ``Exception``."""
    try:
        return read()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return None


def known(cell: Any, depth: int = 0) -> str | float | None:
    """An object that is neither text nor bytes nor a small number as one of these; ``None`` if it names nothing."""
    try:
        kind = type(cell)
        if issubclass(kind, int):
            return int.__repr__(cell) if int.bit_length(cell) <= _MOST_BITS else None
        if any(kind is number for number in _NUMBERS):
            return float(cell) if issubclass(kind, np.floating) else str(cell.item())
        if kind is tuple:
            return _of_tuple(cell, depth)
        if kind is decimal.Decimal:
            return None if cell.is_nan() else str(cell)
        if kind is uuid.UUID or kind is datetime.date:
            return str(cell)
        if kind is datetime.datetime or kind is _timestamp():
            return str(cell) if any(type(cell.tzinfo) is zone for zone in _ZONES) else None
    except Exception:
        pass
    return None


def _timestamp() -> Any:
    """The class of pandas for times, if anybody uses pandas."""
    return getattr(sys.modules.get("pandas"), "Timestamp", _Nothing)


class _Nothing:
    """The class of no cell."""


def _of_tuple(cell: tuple[Any, ...], depth: int) -> str | None:
    """A tuple in one way of writing: nodes of a grid are called ``(0, 1)``."""
    if len(cell) > _MOST_PARTS or depth > _DEEPEST:
        return None
    parts = [_part(part, depth + 1) for part in cell]
    return None if None in parts else f"({', '.join(map(str, parts))})"


def _part(part: Any, depth: int) -> str | None:
    kind = type(part)
    if kind is bytes:
        part, kind = part.decode(), str
    if kind is str:
        return str.__repr__(part)
    if kind is float:
        return str(int(part)) if part.is_integer() else repr(part) if part == part else None
    found = known(part, depth)
    return _part(found, depth) if type(found) is float else found  # type: ignore[return-value]
