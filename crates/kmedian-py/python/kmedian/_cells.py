"""Copies the cells of tables into the core, which reads names from them.

A private cell must not decide how a run ends, so no code of a cell's own class runs here: not its
``__eq__``, not its ``__str__``, not its ``__class__``. The core reads text, bytes and numbers as
the interpreter stores them. Of other objects, a few classes are known; an object of any other class
counts as missing. Columns that have a type are read by their buffers (``_columns``).
"""

from __future__ import annotations

import datetime
import decimal
import sys
import uuid
import zoneinfo
from typing import Any, Callable

import numpy as np

from . import _columns, _core

# The most bits of an integer that is written out: as many as the largest 64-bit float has. Python
# itself refuses to write out integers of several thousand digits.
_MOST_BITS = 1024

# The most parts of a tuple that names a node of a graph.
_MOST_PARTS = 16

# How deep such tuples may be nested.
_DEEPEST = 3

# The classes of NumPy's scalars: Booleans, integers and floats.
_NUMBERS = tuple({np.dtype(code).type for code in "?" + np.typecodes["AllInteger"] + np.typecodes["Float"]})

# The classes of time zones that are known. Another class could run code when a time is printed.
_ZONES = (type(None), datetime.timezone, zoneinfo.ZoneInfo)


def column(cells: Any) -> _core.Column:
    """The cells of a column as a column of the core. No cell, whatever it is, makes this raise."""
    with np.errstate(all="ignore"):
        found: _core.Column | None = guarded(lambda: _typed(cells))
    return _core.Column.cells(as_list(cells), known) if found is None else found


def _typed(cells: Any) -> _core.Column | None:
    """A column whose type says how its cells are laid out, read by its buffers; ``None`` if it has
    no such type."""
    held = _columns.numbers(cells)
    if held is not None:
        return _of_numbers(held)
    codes = _columns.codes(cells)
    if codes is not None:
        return _core.Column.characters(codes) if codes.dtype == np.uint32 else _core.Column.bytes(codes)
    parts = _columns.texts(cells)
    if parts is not None:
        return _core.Column.texts(parts)
    grouped = _columns.categories(cells)
    return None if grouped is None else _core.Column.taken(grouped.places, column(grouped.of))


def _of_numbers(held: _columns.Numbers) -> _core.Column:
    values, missing = held.values, None if held.missing is None else np.ascontiguousarray(held.missing, dtype=bool)
    if values.dtype.kind == "f":
        return _core.Column.floats(np.ascontiguousarray(values, dtype=np.float64), missing)
    if values.dtype.kind == "u":
        return _core.Column.unsigned(np.ascontiguousarray(values, dtype=np.uint64), missing)
    return _core.Column.whole(np.ascontiguousarray(values, dtype=np.int64), missing)


def as_list(column: Any) -> list[Any]:
    """The cells of a column as Python objects; ``None`` in place of a cell that cannot be read."""
    column = _as_bytes(column)
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            whole = guarded(lambda: list(getattr(column, method)()))
            return [guarded(lambda: _cell(column, at)) for at in range(len(column))] if whole is None else whole
    return list(column)


def _as_bytes(column: Any) -> Any:
    """A column of Arrow text as a column of bytes, because some cells may not be UTF-8; other
    columns as they are."""
    kind = str(getattr(column, "type", ""))
    if kind not in ("string", "large_string") or not hasattr(column, "cast"):
        return column
    return column.cast("binary" if kind == "string" else "large_binary")


def _cell(column: Any, at: int) -> Any:
    cell = column.iloc[at] if hasattr(column, "iloc") else column[at]
    return cell.as_py() if hasattr(cell, "as_py") else cell


def guarded(read: Callable[[], Any]) -> Any:
    """The result of ``read``; ``None`` if it raises anything: a panic of polars is no
    ``Exception``."""
    try:
        return read()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return None


def known(cell: Any, depth: int = 0) -> str | float | None:
    """An object of a known class as text or as a number; ``None`` if its class is not known, or if
    it is missing."""
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
    """The class ``pandas.Timestamp`` if pandas is imported, or else a class that no cell has."""
    return getattr(sys.modules.get("pandas"), "Timestamp", _Nothing)


class _Nothing:
    """A class that no cell has."""


def _of_tuple(cell: tuple[Any, ...], depth: int) -> str | None:
    """A tuple as text, such as ``(0, 1)`` for a node of a grid; ``None`` if a part is not known, or
    if it is too large."""
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
