"""Items as the core takes them, and what every kind of metric owes."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Protocol, Union

import numpy as np

from . import _core
from ._checks import threads_of

Metric = Union[str, Callable[[Any, Any], float]]


class Given(NamedTuple):
    """Items, ready for the core.

    ``kind`` names a constructor of ``_core.Items``, and ``parts`` are its arguments. ``n`` is the
    number of items that are served, and ``things`` has, for each place of a center, what the caller
    calls it: a row of X or of the sites, the name of a node, an object, or a position. If ``apart``
    is true, these places are sites, which follow the items in the core. ``names`` are what places
    are called in ``candidates`` and ``fixed``; ``None`` for positions.
    """

    kind: str
    parts: tuple[Any, ...]
    n: int
    things: Any
    apart: bool = False
    names: Any = None

    @property
    def first(self) -> int:
        """The item of the core that is the first place for a center."""
        return self.n if self.apart else 0

    def items(self) -> _core.Items:
        """The items for one call of the core, which borrows the arrays."""
        items: _core.Items = getattr(_core.Items, self.kind)(*self.parts)
        return items


class Space(Protocol):
    """A kind of metric: how X is read, and how far its items are from centers."""

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        """Checks X, and sets attributes of the estimator such as ``n_features_in_``. ``sites`` are
        the places for centers, if these are not the items of X."""

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """For each item of X, the position of its nearest center, and the distance to it."""

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        """The distance of each item of X to each center."""


class Rows:
    """Items that are no rows of one array: how many there are, and some of them by position."""

    def __init__(self, n: int, some: Callable[[np.ndarray], Any]) -> None:
        self._n = n
        self._some = some

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, positions: np.ndarray) -> Any:
        return self._some(positions)


def objects(items: Any) -> np.ndarray:
    """Objects as an array of one dimension, whatever they are."""
    array = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        array[at] = item
    return array


class Beside:
    """Finds the nearest centers by a space that holds the centers first and the items after
    them."""

    def beside(self, estimator: Any, X: Any) -> _core.Items:
        """The centers of a fitted estimator, followed by the items of X."""
        raise NotImplementedError

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        k = len(estimator.medoid_indices_)
        found = _core.assign(self.beside(estimator, X), list(range(k)), threads_of(estimator.n_jobs))
        labels, distances = found
        return labels[k:], distances[k:]

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        k = len(estimator.medoid_indices_)
        items = self.beside(estimator, X)
        found = _core.distances(items, list(range(k)), threads_of(estimator.n_jobs))[k:]
        return found.astype(_kind(X), copy=False)


def _kind(X: Any) -> Any:
    """The type of distances: 32-bit floats for items of these, or else 64-bit floats."""
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
