"""Public items of a private run: which columns of their table are what, and what the items are
called."""

from __future__ import annotations

from typing import Any

from ._cells import as_list
from ._sites import labels_of
from ._tables import column_names


def chosen(universe: Any, ids: Any, columns: Any, name: str = "universe") -> tuple[Any, Any]:
    """The table of the items' own columns, and their ids.

    ``ids`` may be the name of a column of the table, and ``columns`` the names of those that
    describe the items: by default all but the ids.
    """
    named = isinstance(ids, str)
    if not named and columns is None:
        return universe, ids
    asked = "ids" if named else "columns"
    names = column_names(universe)
    if names is None or not hasattr(universe, "__getitem__") or hasattr(universe, "adj"):
        raise ValueError(
            f"{asked} names a column, but the {name} is no table; give a table, such as pandas.DataFrame, or "
            "one id for each item"
        )
    if isinstance(columns, (str, bytes)) or not (columns is None or hasattr(columns, "__iter__")):
        raise ValueError(f"columns={columns!r}: give a list of columns of the {name}, as columns=['lat', 'lon']")
    wanted = [one for one in names if not (named and one == ids)] if columns is None else list(columns)
    for one in [*wanted, *([ids] if named else [])]:
        there = names.count(one)
        if there != 1:
            what = f"no column {one!r}" if there == 0 else f"{there} columns called {one!r}"
            raise ValueError(f"the {name} has {what}; it has {', '.join(map(str, names))}")
    if not wanted:
        raise ValueError(f"the {name} has no columns beside its ids; say which describe the items, with columns=[...]")
    held = universe[ids] if named else ids
    return (universe.select(wanted) if hasattr(universe, "column_names") else universe[wanted]), held


def ids_of(universe: Any, ids: Any, by_name: bool) -> Any:
    """The ids of the items: those that are given, or what the index of a pandas table calls them.

    If records go ``by_name``, an index that is neither text nor the positions of the rows is
    refused: records could mean its labels, or positions.
    """
    if ids is not None:
        return ids
    labels = labels_of(universe)
    if labels is not None or not by_name:
        return labels
    index = getattr(universe, "index", None)
    if index is None or callable(index) or not hasattr(universe, "iloc"):
        return None
    if index.tolist() != list(range(len(index))):
        raise ValueError(
            "the index of the universe is neither text that differs in every row nor 0, 1, 2, …, so a record could mean a "
            "label or a position; give ids=universe.index, or universe.reset_index(drop=True) if records have positions"
        )
    return None


def names_of(ids: Any, n: int) -> list[Any]:
    """The ids of items as a list; raises if there is not one for each."""
    names = ids.to_pylist() if hasattr(ids, "to_pylist") else as_list(ids)
    if len(names) != n:
        raise ValueError(f"there are {n} items, but {len(names)} ids; give one for each, in their order")
    return names
