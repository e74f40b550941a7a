"""Private demand, in the forms that Python has it.

Whether a run fails can be seen by everybody, so it must not depend on what a record says. What is looked at before ε
is spent is the layout alone: which kind of object the demand is, its columns and their types, the lengths of public
things. A list has no type but those of its records, so they are not looked at. Nothing that is looked at later raises:
a record that cannot be counted has no item, and is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Callable

import numpy as np
import scipy.sparse

from . import _core
from ._tables import NESTED, as_array, column_names

_NOBODY = -1

# How the types are called of which no cell is a position.
_NO_POSITIONS = ("bool", "complex", "date", "time", "duration", "period")


class Demand:
    """Demand whose layout is right, and which has not been looked at."""

    def __init__(
        self, n_items: int, demand: Any, counts: Any, ids: Any, key: Any, unit: Any, max_per_unit: int | None
    ) -> None:
        if (demand is None) == (counts is None):
            raise ValueError(
                "give the demand either as records, fit(universe, demand), or as the number of records of each item, "
                "fit(universe, counts=counts)"
            )
        if (unit is None) != (max_per_unit is None):
            raise ValueError(
                "to protect all records of a unit, say whose they are, fit(..., unit=...), and how many of each are "
                "counted at most, PrivateKMedian(max_per_unit=...)"
            )
        self.n_items = n_items
        self.counts = None if counts is None else _counts(counts, n_items, ids, key, unit)
        self.number_of = None if ids is None else _numbers(ids, n_items)
        self.keys: Any = None
        self.units: Any = None
        if demand is not None:
            self.keys, self.units = _columns(demand, key, unit)
            if ids is None:
                _check_positions(self.keys)

    def release(self, tree: _core.PublicTree, noise_seed: int | None, check: bool) -> _core.Release:
        """Counts the records, and adds noise. Only here is the demand looked at."""
        if self.counts is not None:
            return tree.release_counts(_whole_counts(self.counts), noise_seed, check)
        items = _positions(self.keys, self.n_items) if self.number_of is None else _found(self.keys, self.number_of)
        if check:
            _refuse_rows_not_private(self.keys, items)
        units = None if self.units is None else _codes(self.units)
        return tree.release(items, units, noise_seed, check)


def _counts(counts: Any, n_items: int, ids: Any, key: Any, unit: Any) -> np.ndarray:
    if not (ids is None and key is None and unit is None):
        raise ValueError("counts are in the order of the items: ids, key and unit are for records; leave them out")
    if isinstance(counts, (str, bytes, Mapping, Set)) or scipy.sparse.issparse(counts):
        raise ValueError(f"counts are a {type(counts).__name__}; give a list of them, in the order of the items")
    array = np.asanyarray(counts) if hasattr(counts, "__array__") or not hasattr(counts, "__len__") else _untyped(counts)
    if array.shape != (n_items,):
        raise ValueError(f"counts have the shape {array.shape}, but there are {n_items} items; count every item")
    if array.dtype.kind not in "iufO":
        raise ValueError(f"counts are {array.dtype}, not numbers; give the number of records of each item")
    return array


def _untyped(private_cells: Any) -> np.ndarray:
    """A list as an array. NumPy would choose a type, or refuse, by what the cells are."""
    array = np.empty(len(private_cells), dtype=object)
    for at, cell in enumerate(private_cells):
        array[at] = cell
    return array


def _whole_counts(private_counts: np.ndarray) -> np.ndarray:
    """Counts as whole numbers, whatever they are: what is negative or no number counts as none."""
    if isinstance(private_counts, np.ma.MaskedArray):
        private_counts = private_counts.filled(0)
    if private_counts.dtype.kind == "O":
        private_counts = np.array([_number(count) for count in private_counts.tolist()], dtype=np.float64)
    cleaned = np.nan_to_num(private_counts.astype(np.float64), nan=0.0, posinf=2.0**53, neginf=0.0)
    return np.floor(np.clip(cleaned, 0.0, 2.0**53)).astype(np.uint64)


def _number(cell: Any) -> float:
    """A cell as a number; none if it is no number."""
    try:
        return float(cell)
    except Exception:
        return 0.0


def _numbers(ids: Any, n_items: int) -> dict[str, int]:
    """The position of the item of each id. Ids are public."""
    _check_column("ids", ids, "one id an item")
    texts = [_text(one) for one in cells(ids)]
    if len(texts) != n_items:
        raise ValueError(f"there are {n_items} items, but {len(texts)} ids; give one for each, in their order")
    numbers = {text: at for at, text in enumerate(texts) if text is not None}
    if len(numbers) != n_items:
        raise ValueError("some ids are missing, or the same; give every item an id of its own")
    return numbers


def _columns(demand: Any, key: Any, unit: Any) -> tuple[Any, Any]:
    """The keys of the records, and their units."""
    _refuse_tally(demand)
    demand = as_array(demand, "demand")
    names = column_names(demand)
    if names is None:
        _check_column("the demand", demand)
        if key is not None or _is_name(unit, []):
            raise ValueError(
                "key and unit name columns of a table, but the demand is a list; give a table, such as "
                "pandas.DataFrame(records), or an array of keys and one of units"
            )
        return demand, _of_records(unit, demand)
    unit_column = unit if _is_name(unit, names) else None
    if not names:
        raise ValueError("the demand is a table without columns; give one with a column that names the item")
    if key is None:
        others = [name for name in names if name != unit_column]
        if len(others) != 1:
            raise ValueError(f"say which column names the item, with key=...; there are {', '.join(map(str, names))}")
        key = others[0]
    keys = _column(demand, names, key)
    return keys, _of_records(unit if unit_column is None else _column(demand, names, unit_column), keys)


def _refuse_tally(demand: Any) -> None:
    """Refuses a dict that is no table of columns, such as a Counter of records: its keys are the records."""
    if isinstance(demand, Mapping) and not (demand and all(_may_be_column(value) for value in demand.values())):
        raise ValueError(
            "the demand is a dict, but its values are no columns; give counts=... in the order of the items, or a table "
            "of records"
        )


def _may_be_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _is_name(column: Any, names: list[Any]) -> bool:
    """Whether this names a column, as text and numbers do, and is not one itself."""
    if column is None or isinstance(column, (list, np.ndarray)):
        return False
    if isinstance(column, tuple):
        return column in names
    return isinstance(column, (str, bytes)) or not hasattr(column, "__len__")


def _column(demand: Any, names: list[Any], name: Any) -> Any:
    """The column of this name."""
    there = names.count(name) if _is_name(name, names) else 0
    if there == 0:
        raise ValueError(f"there is no column {name!r}; there are {', '.join(map(str, names))}")
    if there > 1:
        raise ValueError(f"there are {there} columns called {name!r}; rename or drop the others")
    column = demand[name]
    _check_column(f"the column {name!r}", column)
    return column


def _check_column(what: str, column: Any, wanted: str = "one key a record, or a table") -> None:
    """Refuses what is no list of cells, by its kind and by its type. No cell is looked at."""
    if isinstance(column, (Mapping, Set)):
        raise ValueError(f"{what}: a {type(column).__name__} has no order, or each cell once; give a list, {wanted}")
    if isinstance(column, (str, bytes)) or not (hasattr(column, "__len__") and hasattr(column, "__iter__")):
        raise ValueError(
            f"{what}: {type(column).__name__} is no list; give a list of keys or a table, which pandas.read_parquet and "
            "the like read from a file"
        )
    shape = getattr(column, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise ValueError(f"{what}: the shape is {shape}; give {wanted}")
    kind = str(getattr(column, "dtype", getattr(column, "type", "")))
    if kind.lower().startswith(NESTED):
        raise ValueError(f"{what}: cells of {kind} have parts; give a table with a column for each part")


def _check_positions(keys: Any) -> None:
    """Refuses a column whose type says that no cell is a position, where there are no ids to compare with."""
    kind = str(getattr(keys, "dtype", getattr(keys, "type", "")))
    if kind.lower().startswith(_NO_POSITIONS):
        raise ValueError(
            f"the keys are of the type {kind}, but without ids they are positions of items; give whole numbers, which "
            "np.flatnonzero makes of a mask, or say what the items are called, fit(..., ids=...)"
        )


def _of_records(unit: Any, keys: Any) -> Any:
    """An array of units that goes with the records."""
    if unit is None:
        return None
    _check_column("unit", unit, "one unit a record")
    if len(unit) != len(keys):
        raise ValueError("unit is neither a column of the demand nor an array with whose each record is; give one of them")
    return unit


def _positions(private_keys: Any, n_items: int) -> np.ndarray:
    """The item of each record, where items are named by their positions."""
    # What is masked is read as None.
    plain = isinstance(private_keys, np.ndarray) and not isinstance(private_keys, np.ma.MaskedArray)
    array = private_keys if plain else None
    if array is not None and array.dtype.kind in "iu":
        inside = (array >= 0) & (array < n_items)
        return np.where(inside, array.astype(np.int64), _NOBODY)
    found = (_position(_text(key), n_items) for key in cells(private_keys))
    return np.fromiter(found, dtype=np.int64)


def _position(text: str | None, n_items: int) -> int:
    try:
        number = float(text or "nan")
    except ValueError:
        return _NOBODY
    return int(number) if number.is_integer() and 0 <= number < n_items else _NOBODY


def _found(private_keys: Any, number_of: dict[str, int]) -> np.ndarray:
    """The item of each record, where items have ids."""
    keys = (_text(key) for key in cells(private_keys))
    found = (_NOBODY if key is None else number_of.get(key, _NOBODY) for key in keys)
    return np.fromiter(found, dtype=np.int64)


def _refuse_rows_not_private(private_keys: Any, private_items: np.ndarray) -> None:
    """Says what to do about records that are rows, to an operator who asked for what is not private."""
    unknown = (key for key, item in zip(cells(private_keys), private_items) if item == _NOBODY)
    kinds = sorted({type(key).__name__ for key in unknown if isinstance(key, (tuple, list, dict))})
    if kinds:
        raise ValueError(
            f"records are of the kind {' and '.join(kinds)}, and no item is called so; give a table, such as "
            "pandas.DataFrame(records). This message is not private"
        )


def _codes(private_units: Any) -> np.ndarray:
    """A number for each unit, the same for records of the same one."""
    codes: dict[str, int] = {}
    units = (_text(unit) for unit in cells(private_units))
    numbers = (_NOBODY if unit is None else codes.setdefault(unit, len(codes)) for unit in units)
    return np.fromiter(numbers, dtype=np.int64)


def cells(column: Any) -> list[Any]:
    """The cells of a column, as Python objects; ``None`` where one cannot be read."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            whole = _guarded(lambda: list(getattr(column, method)()))
            return [_guarded(lambda: _cell(column, at)) for at in range(len(column))] if whole is None else whole
    return list(column)


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


def _text(cell: Any) -> str | None:
    """A cell as text, so that 7, 7.0 (as tables with gaps have it), "7" and b"7" are the same; ``None`` if it is empty.

    Tables hold all sorts of things, and some of them raise when they are compared or printed; such a cell is empty.
    """
    try:
        if isinstance(cell, (bytes, bytearray)):
            cell = cell.decode()
        if isinstance(cell, str):
            return cell.strip() or None
        if cell is None or cell != cell:
            return None
        if isinstance(cell, float) and cell.is_integer():
            return str(int(cell))
        return str(cell)
    except Exception:
        return None
