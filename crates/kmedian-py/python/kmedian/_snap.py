"""Raw coordinates of records, which go to the nearest public item."""

from __future__ import annotations

import decimal
import re
from numbers import Real
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from . import _columns, _core
from ._cells import as_list, column, guarded
from ._tables import column_names

# The records that are snapped at a time: so many that a step costs nothing, so few that they take a
# few megabytes.
_AT_ONCE = 1 << 17

# The classes of NumPy's numbers. A class of another name could run code when it is converted.
_SCALARS = tuple({np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["Float"]})

# How many kilometers the units of distances are, as in the command.
_KILOMETERS = {"km": 1.0, "mi": 1.609344, "ft": 0.0003048, "m": 0.001}
# The metric in kilometers, by its names.
_ON_GLOBE = ("haversine", "great-circle")

_LATITUDES = ("lat", "latitude", "y")
_LONGITUDES = ("lon", "lng", "long", "longitude", "x")
# Names that may be those of plain coordinates; within a longer name they reveal nothing.
_PLAIN = ("x", "y")
# A word of a name such as start_lon, pickupLatitude, lat.deg or GPSLat.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Snap(NamedTuple):
    """How raw coordinates go to their nearest items.

    A record that is farther than ``within`` from every item is dropped: a number in the unit of the
    metric, kilometers under haversine, or there also text such as "250m", "1.5km" or "2mi". Items of a graph or of a matrix have no coordinates of their
    own: ``positions`` is a row of coordinates for each, and ``metric`` how far two places are apart.
    Rows are in the order of the items, unless they have an index of pandas and the items have names:
    then a row is of the item that its label names.
    By default that is "haversine" if the columns of the positions are called latitude and longitude,
    or else "l2".
    """

    within: float | str | None = None
    positions: Any = None
    metric: str | None = None


class Places(NamedTuple):
    """Where the items are: a row of coordinates for each, how near is measured, and the names of the
    coordinates, if they have any."""

    values: np.ndarray
    metric: str
    names: list[str] | None
    within: float | None

    def names_of_items(self) -> _core.ItemNames:
        """What finds the items of coordinates; raises if items are no places."""
        return _core.ItemNames.snapped(self.values, self.metric, self.within)


def _axis(name: Any) -> str | None:
    """The axis that a column is called after, as a whole or by a word in its name."""
    whole = str(name).strip().lower()
    words = [whole] if whole in _PLAIN else [word.lower() for word in _WORD.findall(str(name)) if len(word) > 1]
    found = {kind for kind, called in (("lat", _LATITUDES), ("lon", _LONGITUDES)) if any(w in called for w in words)}
    return found.pop() if len(found) == 1 else None


def axes_of(names: list[Any]) -> list[str]:
    """Which columns are latitude and longitude, "lat" and "lon"; empty text for others, and for names
    that plain coordinates may have."""
    return ["" if str(name).strip().lower() in _PLAIN else _axis(name) or "" for name in names]


def are_coordinates(names: list[Any]) -> bool:
    """Whether columns are called so that two of them are coordinates."""
    return {"lat", "lon"} <= {_axis(name) for name in names}


def check_latitude_first(names: Any, what: str) -> None:
    """Raises if two columns are called so that the longitude comes first."""
    if [_axis(name) for name in names or []] == ["lon", "lat"]:
        raise ValueError(
            f"haversine takes latitude first, but the columns of {what} are {names[0]!r} and {names[1]!r}; give them in "
            f"the order {names[1]!r}, {names[0]!r}"
        )


def snaps(snap: Any) -> bool:
    """Whether the option ``snap`` says that records have coordinates."""
    return not (snap is None or snap is False)


def places_of(
    snap: Any, universe: Any, items: int, rows: np.ndarray | None, metric: Any, called: Any = None
) -> Places | None:
    """The places of the items, from the option ``snap``; ``None`` if records name their items.

    ``rows`` are the coordinates of the ``items``, ``None`` if they are nodes or rows of a matrix;
    these may have names, ``called``.
    """
    if not snaps(snap):
        return None
    if snap is not True and not isinstance(snap, Snap):
        raise TypeError(f"snap={snap!r} is not known; give True, False, or kmedian.Snap(within=...)")
    how = Snap() if snap is True else snap
    if rows is not None:
        if how.positions is not None or how.metric is not None:
            raise ValueError("positions are for a graph or a matrix; these items have coordinates of their own")
        names = column_names(universe)
        within = _within(how.within, str(metric))
        return Places(_rows(rows), str(metric), None if names is None else list(map(str, names)), within)
    if how.positions is None:
        raise ValueError(
            "items of a graph or a matrix have no coordinates to snap to; give a row for each, "
            "snap=kmedian.Snap(positions=...)"
        )
    names = column_names(how.positions)
    if names is not None and len(names) > 2:
        raise ValueError(
            f"the positions have the columns {', '.join(map(str, names))}; leave the two coordinates, and make an index of "
            "the column that names the items, positions.set_index(...)"
        )
    values = _rows(np.asarray(_by_label(how.positions, items, called)))
    if len(values) != items:
        raise ValueError(f"there are {len(values)} positions, but {items} items; give a row of coordinates for each")
    near = _metric_of(how.metric, names)
    return Places(values, near, None if names is None else list(map(str, names)), _within(how.within, near))


def _within(given: Any, metric: str) -> float | None:
    """A distance in the unit of the metric, from a number or, under haversine, text with a unit."""
    if given is None:
        return None
    if not isinstance(given, (str, Real)) or isinstance(given, bool):
        raise TypeError(f"within={given!r} is no distance; give a number in the unit of the metric")
    text = given.strip() if isinstance(given, str) else ""
    unit = next((unit for unit in _KILOMETERS if text.endswith(unit)), "")
    if unit and metric not in _ON_GLOBE:
        raise ValueError(f"within={given!r}: under {metric} a distance has the unit of the coordinates; give a plain number")
    try:
        distance = float(text[: len(text) - len(unit)]) if text else float(given)
    except (ValueError, OverflowError):
        distance = np.nan
    if not 0 <= distance < np.inf:
        raise ValueError(f"within={given!r} is no distance; give a number from 0 up, or text such as '250m' or '1.5km'")
    return distance * _KILOMETERS.get(unit, 1.0)


def _by_label(positions: Any, items: int, called: Any) -> Any:
    """The positions in the order of the items, by the index of a pandas table, if it has one of its
    own."""
    index = getattr(positions, "index", None)
    if index is None or callable(index) or not hasattr(positions, "iloc"):
        return positions
    labels = index.tolist()
    if labels == list(range(len(labels))) and (called is None or len(labels) == items):
        return positions
    if called is None:
        raise ValueError(
            "the positions have an index, but the items have no names; give positions.to_numpy(), a row for each item in "
            "their order"
        )
    if not index.is_unique:
        raise ValueError("two positions have the same label; give one for each item")
    row = {label: at for at, label in enumerate(labels)}
    lost = [name for name in as_list(called) if name not in row]
    if lost:
        raise ValueError(
            f"the index of the positions has no label {lost[0]!r}, as an item is called; give a row for each item, or "
            "positions.to_numpy() in their order"
        )
    return positions.iloc[[row[name] for name in as_list(called)]]


def _metric_of(metric: str | None, names: Any) -> str:
    if metric is None:
        metric = "haversine" if sorted(axes_of(names or [])) == ["lat", "lon"] else "l2"
    if metric == "haversine":
        check_latitude_first(names, "the positions")
    return metric


def _rows(values: np.ndarray) -> np.ndarray:
    if values.ndim != 2 or values.dtype.kind not in "iuf":
        raise ValueError("positions are no table of numbers; give a row of coordinates for each item")
    return np.ascontiguousarray(values, dtype=np.float64)


def coordinate_columns(places: Places, names: list[Any], key: Any, unit: Any) -> list[Any]:
    """The columns of a table that hold the coordinates, in the order of those of the items.

    They are those that ``key`` lists, or those that are called like the items' own, or else all that
    are not the unit.
    """
    dims = places.values.shape[1]
    if key is not None:
        if isinstance(key, (str, bytes)) or not hasattr(key, "__iter__"):
            raise ValueError(f"key={key!r}: with snap, give the columns of the coordinates, as key=['lat', 'lon']")
        chosen = list(key)
    elif places.names is not None and all(name in names for name in places.names):
        chosen = list(places.names)
    else:
        chosen = [name for name in names if name != unit]
    if len(chosen) != dims:
        own = "" if places.names is None else f" ({', '.join(places.names)})"
        raise ValueError(
            f"items have {dims} coordinates{own}, but the demand has the columns {', '.join(map(str, chosen))}; say which "
            "are the coordinates, with key=[...]"
        )
    if places.metric in _ON_GLOBE:
        check_latitude_first(chosen, "the demand")
    return chosen


def parts_of_columns(columns: list[Any], units: Any) -> Iterator[tuple[np.ndarray, _core.Column | None]]:
    """The coordinates and owners of records, part after part, from columns in memory."""
    return _parts(len(columns[0]), lambda at: table_of([_slice(cells, at) for cells in columns]), units)


def parts_of_rows(rows: Any, dims: int, units: Any) -> Iterator[tuple[np.ndarray, _core.Column | None]]:
    """The coordinates and owners of records, part after part, from an array or a list of rows."""

    def table(at: int) -> np.ndarray:
        part = rows[at : at + _AT_ONCE]
        if isinstance(part, np.ndarray) and part.dtype.kind in "iuf":
            return np.ascontiguousarray(part, dtype=np.float64)
        cells = part.tolist() if isinstance(part, np.ndarray) else part
        return np.array([_row(row, dims) for row in cells], dtype=np.float64).reshape(-1, dims)

    return _parts(len(rows), table, units)


def parts_of_batches(
    batches: Iterator[Any], columns: list[str], unit: str | None
) -> Iterator[tuple[np.ndarray, _core.Column | None]]:
    """The coordinates and owners of records, part after part, from batches of a stream."""
    for batch in batches:
        yield table_of([batch[name] for name in columns]), None if unit is None else column(batch[unit])


def _parts(
    length: int, table: Callable[[int], np.ndarray], units: Any
) -> Iterator[tuple[np.ndarray, _core.Column | None]]:
    for at in range(0, length, _AT_ONCE):
        yield table(at), None if units is None else column(_slice(units, at))


def _slice(cells: Any, at: int) -> Any:
    if hasattr(cells, "iloc"):
        return cells.iloc[at : at + _AT_ONCE]
    return cells[at : at + _AT_ONCE]


def table_of(columns: list[Any]) -> np.ndarray:
    """Columns of coordinates as one table; NaN in place of a cell that is no number."""
    return np.ascontiguousarray(np.stack([numbers(cells) for cells in columns], axis=1))


def numbers(cells: Any) -> np.ndarray:
    """The cells of a column as 64-bit floats; NaN in place of a cell that is no number. No cell,
    whatever it is, makes this raise."""
    with np.errstate(all="ignore"):
        held: np.ndarray | None = guarded(lambda: _typed(cells))
    return np.array([_number(cell) for cell in as_list(cells)], dtype=np.float64) if held is None else held


def _typed(cells: Any) -> np.ndarray | None:
    held = _columns.numbers(cells)
    if held is None:
        return None
    values = held.values.astype(np.float64)
    if held.missing is not None:
        values[held.missing] = np.nan
    return values


def _row(row: Any, dims: int) -> list[float]:
    """A row of coordinates; NaN if it is none."""
    if type(row) is np.ndarray:
        row = row.tolist()
    if type(row) not in (list, tuple) or len(row) != dims:
        return [np.nan] * dims
    return [_number(cell) for cell in row]


def _number(cell: Any) -> float:
    """A cell of a known class as a number, or else NaN. No code of a cell's own class runs."""
    try:
        kind = type(cell)
        if kind is str:
            return np.nan if "_" in cell else float(cell)
        if kind in (float, int, decimal.Decimal) or any(kind is known for known in _SCALARS):
            return float(cell)
    except (ValueError, OverflowError, TypeError):
        pass
    return np.nan
