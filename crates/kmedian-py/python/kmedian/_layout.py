"""Checks the layout of private demand: the class of the object, its columns, their names and their
types.

Everybody can see whether a run fails, so that must not depend on what a record says. Before ε is
spent, only the layout and the lengths of public things are looked at. A list has no type of its
own, only its records have, and so has a column of objects: nothing is refused in them. No message
says how many records there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Real
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np
import scipy.sparse

from . import _core, _engine
from ._cells import as_list, column
from ._cluster import Catalogue, ClusterDemand
from ._snap import Places, are_coordinates, coordinate_columns, parts_of_batches, parts_of_columns, parts_of_rows
from ._streams import Stream, stream_of
from ._tables import NESTED, as_array, column_names

# The beginnings of the names of types of times.
_TIMES = ("date", "time", "duration", "period")
# The beginnings of the names of types of which no value is a position.
_NO_POSITIONS = ("bool", *_TIMES)
# The beginnings of the names of types of which no value is the name of an item or an owner.
_NO_NAMES = ("complex", "interval", *_TIMES)
# The beginnings of the names of types of text, in pandas, polars and Arrow.
_TEXTS = (
    *("str", "large_str", "utf8", "large_utf8", "binary", "large_binary", "fixed_size_binary", "categorical", "enum"),
    *("dictionary<values=string", "dictionary<values=large_string"),
)
# The beginnings of the names of types of numbers.
_NUMBERS = ("int", "uint", "float", "double", "half", "decimal")
# The names that pandas, polars and databases give to a column of counts.
_COUNTS = ("count", "counts", "len", "count_star()", "proportion")


class Layout(NamedTuple):
    """Demand whose layout was checked, and whose records were not looked at.

    It has either ``keys``, and perhaps ``units``, of records, and perhaps ``counts``, if rows stand
    for several records each; or only ``counts``, and perhaps their ``labels``; or ``parts``, which hands records out part after part; only ``once`` if it is a
    reader. Or a ``cluster`` counts the records.
    """

    names: _core.ItemNames
    keys: Any = None
    units: Any = None
    labels: Any = None
    counts: Any = None
    parts: Callable[[], Iterator[tuple[Any, _core.Column | None]]] | None = None
    once: bool = False
    cluster: ClusterDemand | None = None


def layout(
    n_items: int, demand: Any, counts: Any, ids: Any, key: Any, unit: Any, max_per_unit: int | None,
    places: Places | None = None, count: Any = None,
) -> Layout:  # fmt: skip
    """Finds the columns of keys, units and counts; raises if the layout cannot be right. ``count`` is
    the column that says how many records a row stands for."""
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
    if places is not None and counts is not None:
        raise ValueError("snap is for records with coordinates, but counts are given; leave it out")
    if count is not None:
        _check_rows_are_tabled(demand, counts, places)
    if _engine.is_frame(demand):
        return _clustered(demand, n_items, ids, key, unit, max_per_unit, places)
    if places is not None:
        return _snapped(places, demand, key, unit)
    names = _core.ItemNames(n_items, None if ids is None else _ids(ids, n_items))
    if counts is not None:
        if not (key is None and unit is None):
            raise ValueError("key and unit are for records, but counts are given; leave them out")
        labels, numbers = _counts(counts, n_items)
        return Layout(names, labels=labels, counts=numbers)
    stream = stream_of(demand)
    if stream is not None:
        return _streamed(names, stream, ids, key, unit)
    keys, units, numbers = _columns(demand, key, unit, count)
    _check_keys(keys, ids)
    return Layout(names, keys=keys, units=units, counts=numbers)


def _check_rows_are_tabled(demand: Any, counts: Any, places: Places | None) -> None:
    """Raises if rows cannot stand for several records each."""
    if counts is not None:
        raise ValueError("count is a column of the demand, but counts are given; leave one of them out")
    if places is not None:
        raise ValueError(
            "count is for records that name their items, not for coordinates; give a row for each record, or count by item "
            "first"
        )
    if _engine.is_frame(demand) or stream_of(demand) is not None or column_names(demand) is None:
        raise ValueError(
            f"count names a column of a table in memory, but the demand is a {type(demand).__name__}; give a table (pandas, "
            "polars, pyarrow), or a row for each record"
        )


def _streamed(names: _core.ItemNames, stream: Stream, ids: Any, key: Any, unit: Any) -> Layout:
    """A stream of records that name their items."""
    key = _checked_key(stream, ids, key, unit)

    def parts() -> Iterator[tuple[_core.Column, _core.Column | None]]:
        for batch in stream.batches([key] if unit in (None, key) else [key, unit]):
            yield column(batch[key]), None if unit is None else column(batch[unit])

    return Layout(names, parts=parts, once=stream.once)


def _checked_key(stream: Stream, ids: Any, key: Any, unit: Any) -> Any:
    """The name of the column of a stream that names the item; raises if it, or the column of the
    unit, cannot be right."""
    _check_unit_column(stream, unit)
    key = _key_column(stream.names, key, unit)
    _check_type(stream, key)
    _check_keys(stream.kind(key), ids)
    others = [name for name in stream.names if name not in (key, unit)]
    _refuse_counts({name: stream.kind(name) for name in others}, others)
    return key


def _checked_coordinates(stream: Stream, places: Places, key: Any, unit: Any) -> list[Any]:
    """The names of the columns of a stream that hold coordinates; raises if they, or the column of
    the unit, cannot be right."""
    _check_unit_column(stream, unit)
    chosen = coordinate_columns(places, stream.names, key, unit)
    for name in chosen:
        _check_type(stream, name)
        _check_numbers(name, stream.kind(name))
    return chosen


def _clustered(
    demand: Any, n_items: int, ids: Any, key: Any, unit: Any, max_per_unit: int | None, places: Places | None
) -> Layout:  # fmt: skip
    """Records in a DataFrame of a cluster, of which the columns and their types are looked at."""
    stream = Stream(*_engine.columns_of(demand), batches=lambda columns: iter(()), once=False)
    if places is None:
        names = _core.ItemNames(n_items, None if ids is None else _ids(ids, n_items))
        columns = [_checked_key(stream, ids, key, unit)]
    else:
        names = places.names_of_items()
        columns = _checked_coordinates(stream, places, key, unit)
    columns = columns if unit is None else [*columns, unit]
    frame = _engine.select(demand, columns, [f"c{at}" for at in range(len(columns))])
    _engine.check_executors(frame)
    catalogue = Catalogue(n_items, None if ids is None else as_list(ids), places)
    return Layout(names, cluster=ClusterDemand(frame, catalogue, max_per_unit))


def _snapped(places: Places, demand: Any, key: Any, unit: Any) -> Layout:
    """Records with coordinates."""
    names = places.names_of_items()
    dims = places.values.shape[1]
    stream = stream_of(demand)
    if stream is not None:
        chosen = _checked_coordinates(stream, places, key, unit)
        wanted = list(dict.fromkeys(chosen if unit is None else [*chosen, unit]))
        return Layout(
            names, parts=lambda: parts_of_batches(stream.batches(wanted), chosen, unit), once=stream.once
        )
    demand = as_array(demand, "demand")
    columns = column_names(demand)
    if columns is None:
        if key is not None or _is_name(unit, []):
            raise ValueError("key and unit name columns of a table, but the demand is a list; give a table, or arrays")
        _check_rows(demand, dims)
        units = _of_records(unit, demand)
        return Layout(names, parts=lambda: parts_of_rows(demand, dims, units))
    unit_column = unit if _is_name(unit, columns) else None
    chosen = coordinate_columns(places, columns, key, unit_column)
    held = [_column(demand, columns, name) for name in chosen]
    for name, cells in zip(chosen, held):
        _check_numbers(name, cells)
    units = _of_records(unit if unit_column is None else _column(demand, columns, unit_column), held[0])
    return Layout(names, parts=lambda: parts_of_columns(held, units))


def _check_rows(demand: Any, dims: int) -> None:
    """Raises if the demand is neither an array with a row of coordinates for each record nor a list
    of rows."""
    shape = getattr(demand, "shape", None)
    if isinstance(shape, tuple) and (len(shape) != 2 or shape[1] != dims):
        raise ValueError(f"the demand has another shape than rows of {dims} coordinates, as the items have")
    if isinstance(demand, (str, bytes, Mapping, Set)) or not (hasattr(demand, "__len__") and hasattr(demand, "__iter__")):
        raise ValueError(f"the demand is a {type(demand).__name__}; give a table, or an array of coordinates")
    kind = _kind(demand)
    if kind and not kind.startswith(_NUMBERS):
        raise ValueError(f"the demand is of the type {kind}, but coordinates are numbers")


def _check_numbers(name: Any, cells: Any) -> None:
    kind = _kind(cells)
    if kind and not kind.startswith(_NUMBERS):
        raise ValueError(f"the column {name!r} is of the type {kind}, but coordinates are numbers")


def _check_type(stream: Stream, name: Any) -> None:
    """Raises if a stream has no such column, or several, or one whose cells have parts."""
    there = stream.names.count(name)
    if there != 1:
        raise ValueError(_wrong_column(stream.names, name, there))
    kind = _kind(stream.kind(name))
    if kind.startswith(NESTED):
        raise ValueError(f"the column {name!r}: cells of {kind} have parts; give a column for each part")


def _check_unit_column(stream: Stream, unit: Any) -> None:
    if unit is None:
        return
    if not _is_name(unit, stream.names):
        raise ValueError("unit must be a column of the demand, which is read part after part; give its name")
    _check_type(stream, unit)
    _check_unit_kind(stream.kind(unit))


def _check_keys(keys: Any, ids: Any) -> None:
    """Raises if no value of the keys' type can name an item."""
    if ids is None:
        _check_positions(keys)
    else:
        _check_names(keys, ids)


def are_labelled(counts: Any) -> bool:
    """Whether counts have labels that say which items they are for."""
    return isinstance(counts, Mapping) or _labels(counts) is not None


def refuse_same(universe: Any, *private: Any) -> None:
    """Raises if the universe is one of the private tables, or shares memory with one."""
    for table in private:
        if table is not None and (universe is table or _share_memory(universe, table)):
            raise ValueError(
                "the universe and the demand are the same table, so the items are not public: whoever sees the "
                "release sees which records there are. Give public items, such as a list of all stops, and records that "
                "name them"
            )


def _share_memory(one: Any, other: Any) -> bool:
    pairs = ((a, b) for a in _arrays(one) for b in _arrays(other))
    return any(np.may_share_memory(a, b) for a, b in pairs)


def _arrays(table: Any) -> list[np.ndarray]:
    """The NumPy arrays in which a table keeps its numbers."""
    if isinstance(table, np.ndarray):
        return [table]
    # A DataFrame of a cluster keeps none, and has an attribute of any name: a column.
    if _engine.is_frame(table):
        return []
    parts = list(table.values()) if isinstance(table, dict) else []
    if hasattr(table, "iloc") and hasattr(table, "to_numpy"):
        parts = [table] if table.ndim == 1 else [table.iloc[:, at] for at in range(table.shape[1])]
        parts = [part.to_numpy() for part in parts if isinstance(part.dtype, np.dtype)]
    return [part for part in parts if isinstance(part, np.ndarray)]


def _kind(cells: Any) -> str:
    """The name of a column's type, in lower case; empty for a list and for a column of objects."""
    kind = getattr(cells, "dtype", getattr(cells, "type", ""))
    if isinstance(kind, np.dtype):
        return {"U": "str", "S": "str", "T": "str", "O": "", "V": "struct"}.get(kind.kind, kind.name)
    return "" if str(kind) in ("object", "Object") else str(kind).lower()


def _ids(ids: Any, n_items: int) -> _core.Column:
    """The ids of the items, which are public, as a column of the core; raises if they are not one
    for each item."""
    _check_column("ids", ids, "one id an item")
    found = column(ids)
    if len(found) != n_items:
        raise ValueError(f"there are {n_items} items, but {len(found)} ids; give one for each, in their order")
    return found


def _counts(counts: Any, n_items: int) -> tuple[Any, Any]:
    """The labels of counts (``None`` if there are none) and the counts; without labels, there is
    one for each item."""
    if isinstance(counts, Mapping):
        return list(counts.keys()), list(counts.values())
    if isinstance(counts, (str, bytes, Set)) or scipy.sparse.issparse(counts):
        raise ValueError(f"counts are a {type(counts).__name__}; give a list of them, in the order of the items")
    if not (hasattr(counts, "__len__") or hasattr(counts, "__array__")) or column_names(counts) is not None:
        raise ValueError(
            f"counts are a {type(counts).__name__}; give a list of them in the order of the items, or by label: a dict, "
            "or table.set_index(key)[name]"
        )
    if len(getattr(counts, "shape", (n_items,))) != 1:
        raise ValueError(f"counts have {len(counts.shape)} dimensions; give one count for each of {n_items} items")
    kind = _kind(counts)
    if kind and not kind.startswith(_NUMBERS):
        raise ValueError(f"counts are {kind}, not numbers; give the number of records of each item")
    labels = _labels(counts)
    if labels is None and len(counts) != n_items:
        raise ValueError(f"there are {n_items} items, and another number of counts; count every item, or give labels")
    return labels, counts


def _labels(counts: Any) -> Any:
    """The labels of a pandas series; ``None`` if it has only the default positions, or is no
    series."""
    index = getattr(counts, "index", None)
    if index is None or callable(index):
        return None
    counted = type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counted else index


def _columns(demand: Any, key: Any, unit: Any, count: Any) -> tuple[Any, Any, Any]:
    """The keys of the records, their units and how many records each row stands for (``None`` if
    there are none)."""
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
        return demand, _of_records(unit, demand), None
    unit_column = unit if _is_name(unit, names) else None
    key = _key_column(names, key, unit_column, count)
    keys = _column(demand, names, key)
    units = _of_records(unit if unit_column is None else _column(demand, names, unit_column), keys)
    if count is None:
        _refuse_counts(demand, [name for name in names if name not in (key, unit_column)])
        return keys, units, None
    numbers = _column(demand, names, count)
    kind = _kind(numbers)
    if count in (key, unit_column) or (kind and not kind.startswith(_NUMBERS)):
        raise ValueError(f"count={count!r} is no column of numbers beside the keys; name the one that says how many records")
    return keys, units, numbers


def _key_column(names: list[Any], key: Any, unit: Any, count: Any = None) -> Any:
    """The name of the column that names the item: the given one, or the only one that is not the
    unit and not the count."""
    if not names:
        raise ValueError("the demand is a table without columns; give one with a column that names the item")
    if key is not None:
        return key
    others = [name for name in names if name not in (unit, count)]
    if len(others) != 1:
        snap = "; if records have coordinates, give snap=True" if are_coordinates(others) else ""
        raise ValueError(f"say which column names the item, with key=...; there are {', '.join(map(str, names))}{snap}")
    return others[0]


def _refuse_tally(demand: Any) -> None:
    """Raises if the demand holds counts of records instead of records, judging by its class and its
    names."""
    by_label = "; give counts=..., where labels name the items, or a table of records"
    if isinstance(demand, Mapping) and not (demand and all(_may_be_column(value) for value in demand.values())):
        raise ValueError(f"the demand is a dict, but its values are no columns{by_label}")
    index = getattr(demand, "index", None)
    if index is None or callable(index) or column_names(demand) is not None:
        return
    name, numbers = getattr(demand, "name", None), _kind(demand).startswith(_NUMBERS)
    grouped = name is None and getattr(index, "name", None) is not None
    if numbers and type(index).__name__ != "RangeIndex" and (_is_count(name) or grouped):
        raise ValueError(
            "the demand is a series of counts, as value_counts() makes it, and would be read as a list of keys"
            f"{by_label}"
        )


def _refuse_counts(demand: Any, others: list[Any]) -> None:
    """Raises if a table of records has a column of counts: each of its rows would count as one
    record."""
    for name in others:
        if _is_count(name) and not _kind(demand[name]).startswith(_TEXTS):
            raise ValueError(
                f"the demand has a column {name!r}, but every row counts as one record; give count={name!r} if it says how "
                "many records a row stands for, or leave the column out if each row is one record"
            )


def _is_count(name: Any) -> bool:
    return isinstance(name, str) and name.lower() in _COUNTS


def _may_be_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _is_name(given: Any, names: list[Any]) -> bool:
    """Whether a value is the name of a column, such as text or a number, and not a column
    itself."""
    if given is None or isinstance(given, (list, np.ndarray)):
        return False
    if isinstance(given, tuple):
        return given in names
    return isinstance(given, (str, bytes)) or not hasattr(given, "__len__")


def _column(demand: Any, names: list[Any], name: Any) -> Any:
    """The column of this name; raises if there is none, or if several have it."""
    there = names.count(name) if _is_name(name, names) else 0
    if there != 1:
        raise ValueError(_wrong_column(names, name, there))
    found = demand[name]
    _check_column(f"the column {name!r}", found)
    return found


def _wrong_column(names: list[Any], name: Any, there: int) -> str:
    """That there is no column of a name, or that there are several."""
    if there == 0:
        return f"there is no column {name!r}; there are {', '.join(map(str, names))}"
    return f"there are {there} columns called {name!r}; rename or drop the others"


def _check_column(what: str, cells: Any, wanted: str = "one key a record, or a table") -> None:
    """Raises if a value is no column of cells, judging by its class and its type."""
    if isinstance(cells, (Mapping, Set)):
        raise ValueError(f"{what}: a {type(cells).__name__} has no order, or each cell once; give a list, {wanted}")
    if isinstance(cells, (str, bytes)) or not (hasattr(cells, "__len__") and hasattr(cells, "__iter__")):
        raise ValueError(
            f"{what}: {type(cells).__name__} is no list; give a list of keys or a table, which pandas.read_parquet and "
            "the like read from a file"
        )
    shape = getattr(cells, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        snap = ", or snap=True if rows are coordinates" if what == "the demand" else ""
        raise ValueError(f"{what}: there are {len(shape)} dimensions; give {wanted}{snap}")
    kind = _kind(cells)
    if kind.startswith(NESTED):
        raise ValueError(f"{what}: cells of {kind} have parts; give a table with a column for each part")


def _check_positions(keys: Any) -> None:
    """Raises if no value of the keys' type can be the position of an item. For items without
    ids."""
    kind = _kind(keys)
    if kind.startswith(_NO_POSITIONS) or kind.startswith(_NO_NAMES):
        raise ValueError(
            f"the keys are of the type {kind}, but without ids they are positions of items; give whole numbers, which "
            "np.flatnonzero makes of a mask, or say what the items are called, fit(..., ids=...)"
        )
    if kind.startswith(_TEXTS):
        raise ValueError(
            "the keys are text, but without ids they are positions of items; say what the items are called, "
            "fit(..., ids=...), or make numbers of digits, pandas.to_numeric(keys, errors='coerce')"
        )


def _check_names(keys: Any, ids: Any) -> None:
    """Raises if no value of the keys' type can be one of the ids, which are public."""
    kind = _kind(keys)
    if kind.startswith(_NO_NAMES):
        raise ValueError(f"the keys are of the type {kind}; make text of them, as the ids have it")
    if kind.startswith(_NUMBERS) and not any(_is_number(one) for one in as_list(ids)):
        raise ValueError(
            f"the keys are numbers ({kind}), but no id is one; give keys that are ids or, if they are positions, no ids and "
            "no index, universe.reset_index(drop=True)"
        )


def _is_number(public_id: Any) -> bool:
    try:
        return isinstance(public_id, Real) or float(public_id) is not None
    except (TypeError, ValueError):
        return False


def _of_records(unit: Any, keys: Any) -> Any:
    """The units of the records, checked; ``None`` if there are none."""
    if unit is None:
        return None
    _check_column("unit", unit, "one unit a record")
    _check_unit_kind(unit)
    if len(unit) != len(keys):
        raise ValueError("unit is neither a column of the demand nor an array with whose each record is; give one of them")
    return unit


def _check_unit_kind(unit: Any) -> None:
    if _kind(unit).startswith(_NO_NAMES):
        raise ValueError(f"unit: cells of {_kind(unit)} name nobody; give text or whole numbers")
