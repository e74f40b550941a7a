"""Which items may be centers and which always are; and how far it is to the centers."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _checks
from ._given import Given


class Ways(NamedTuple):
    """Distances to the nearest center, weighted by the demand: each unit of it counts the same.

    ``median`` and ``p95`` are the least distances within which half and 95 % of the demand is, and
    ``farthest`` is the item that is served worst: its position or, of a graph whose nodes have names,
    its name.
    """

    mean: float
    median: float
    p95: float
    max: float
    farthest: Any


class Service(NamedTuple):
    """How far it is to the centers: over all demand, and over that of each center (``None`` where a
    center serves none)."""

    overall: Ways
    centers: list[Ways | None]


def service_of(served: Any, given: Given) -> Service | None:
    """What the core says of the distances to the centers; ``None`` if it says nothing. Nodes are
    called by their names."""
    if served is None:
        return None
    names = given.names if given.kind == "graph" else None

    def named(ways: Any) -> Ways:
        known = Ways(*ways)
        return known if names is None else known._replace(farthest=_name(names, known.farthest))

    overall, centers = served
    return Service(named(overall), [None if ways is None else named(ways) for ways in centers])


def _name(names: Any, at: int) -> Any:
    """The name of an item, as a value of Python."""
    name = names[at]
    return name.item() if isinstance(name, np.generic) else name


class Places(NamedTuple):
    """Candidates and fixed centers by their positions among the items of the core."""

    candidates: list[int] | None
    fixed: list[int]

    def key(self) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
        """What two equal choices have in common, for a dict."""
        return None if self.candidates is None else tuple(self.candidates), tuple(self.fixed)


def places(candidates: Any, fixed: Any, n: int, names: Any = None, first: int = 0) -> Places:
    """Candidates and fixed centers, checked.

    Each is a mask over the ``n`` places, their positions or, if the places have ``names``, these;
    then positions are taken only if no name could be a number. The places are the items of the core
    from ``first`` on.
    """
    among = None if candidates is None else _positions("candidates", candidates, n, names)
    if among is not None and not among:
        raise ValueError("candidates is empty; give at least one item that may be a center, or None for all")
    kept = [] if fixed is None else _positions("fixed", fixed, n, names)
    if among is None and first:
        among = list(range(n))
    lost = sorted(set(kept) - set(among)) if among is not None else []
    if lost:
        raise ValueError(
            f"fixed: {_called(lost[0], names)} is not among the candidates; add it to them, or do not fix it"
        )
    return Places(None if among is None else [first + at for at in among], [first + at for at in kept])


def check_clusters(k: int, chosen: Places, n: int) -> None:
    """Raises if k centers cannot be chosen: fewer than are fixed, or more than there are candidates."""
    most = n if chosen.candidates is None else len(chosen.candidates)
    if k < len(chosen.fixed):
        raise ValueError(
            f"n_clusters={k}, but {len(chosen.fixed)} centers are fixed, which count too; ask for at least "
            f"{len(chosen.fixed)}"
        )
    if k > most:
        raise ValueError(f"n_clusters={k}, but there are only {most} candidates; ask for at most {most}")


def _called(position: int, names: Any) -> str:
    return f"item {position}" if names is None else f"{names[position]!r}"


def _positions(what: str, given: Any, n: int, names: Any) -> list[int]:
    """Positions that are given as a mask, as themselves or by names."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise TypeError(f"{what}={given!r} is no list; give a mask, positions or names of items")
    values: Sequence[Any] = given.tolist() if hasattr(given, "tolist") else list(given)
    if len(values) and all(_checks.is_flag(value) for value in values):
        if len(values) != n:
            raise ValueError(f"{what} is a mask for {len(values)} items, but there are {n}; give one for each")
        labels = labels_of(given)
        if labels is not None and names is not None:
            return sorted(at for at, value in zip(_named(what, labels, names), values) if value)
        return [at for at, value in enumerate(values) if value]
    by_name = names is not None and not (all(isinstance(value, Integral) for value in values) and _are_words(names))
    found = _named(what, values, names) if by_name else [_position(what, value, n) for value in values]
    seen: set[int] = set()
    for at in found:
        if at in seen:
            raise ValueError(f"{what}: {_called(at, names)} is given twice; give each item once")
        seen.add(at)
    return found


def _position(what: str, value: Any, n: int) -> int:
    if not isinstance(value, Integral):
        raise ValueError(f"{what}: {value!r} is no position; items are counted from 0, as they have no names here")
    at = int(value)
    if not 0 <= at < n:
        raise ValueError(f"{what}: there is no item {at}; the items are 0 to {n - 1}")
    return at


def _are_words(names: Any) -> bool:
    """Whether all names are text, and none of it is a number, so that a number is no name."""
    return all(isinstance(name, str) and not _is_number(name) for name in names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def labels_of(table: Any) -> Any:
    """What the rows of a pandas table are called: its index, if that is text and calls each row
    differently; or else ``None``."""
    index = getattr(table, "index", None)
    if index is None or callable(index) or not hasattr(table, "iloc") or not index.is_unique:
        return None
    labels = index.tolist()
    return labels if labels and all(isinstance(label, str) for label in labels) else None


def _named(what: str, values: Sequence[Any], names: Any) -> list[int]:
    known = {name: at for at, name in enumerate(names.tolist() if hasattr(names, "tolist") else names)}
    try:
        unknown = [value for value in values if value not in known]
    except TypeError as error:
        raise ValueError(f"{what}: some names cannot be looked up; call items by text or numbers") from error
    if unknown:
        raise ValueError(f"{what}: there is no item called {unknown[0]!r}; give the names of items")
    return [known[value] for value in values]
