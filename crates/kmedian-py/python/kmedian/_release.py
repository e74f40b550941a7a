"""Private releases, which may be published, and centers that are derived from them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterable

import numpy as np
from sklearn.base import BaseEstimator

from . import _checks, _core
from ._curve import CostCurve
from ._progress import Callback
from ._spaces import Given, Metric, space_of
from ._tables import refuse_path


class Release:
    """A private release: noisy counts of a public tree, which are all that was learned of the
    private demand.

    It may be published if it ``is_private``, and so may everything that is computed from it:
    centers for any k and either objective, now or in ten years, cost no further ε.
    ``PrivateKMedian`` makes it; its file is that of ``kmedian private --release``, and ``kmedian
    centers`` reads it.
    """

    def __init__(self, release: _core.Release, universe: Given | None = None) -> None:
        self._release = release
        self._universe = universe
        self._found: dict[tuple[int, str, str], _core.PrivateCenters] = {}

    @classmethod
    def load(cls, path: str | bytes | os.PathLike[str], universe: Any = None, *, metric: Metric = "l2") -> Release:
        """Reads a release from a file; raises ``ValueError`` if it was truncated or edited.

        To derive centers, give the public items that the release is for, in their order, and the
        metric. Raises if they are others.
        """
        refuse_path(universe, "universe")
        file = _checks.path(path)
        try:
            document = Path(file).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{file} is no release, which is JSON in UTF-8; name another file") from error
        release = _core.Release.from_json(document)
        if universe is None:
            return cls(release)
        given = space_of(metric).read(BaseEstimator(), universe)
        release.check_universe(given.items())
        return cls(release, given)

    def save(self, path: str | bytes | os.PathLike[str]) -> None:
        """Writes the release to a file, completely or not at all. Raises ``FileExistsError`` if the
        file exists."""
        file = _checks.path(path)
        if os.path.exists(file):
            raise FileExistsError(f"{file}: there already is such a file; choose another name")
        self._release.save(file)

    def to_json(self) -> str:
        """The file to publish, as text: one line of JSON with the terms of the release, its noisy
        tree and a checksum."""
        return self._release.to_json()

    @property
    def epsilon(self) -> float:
        """The ε that was spent on the release."""
        return self._release.epsilon

    @property
    def is_private(self) -> bool:
        """Whether the noise protects anybody: there is some, and nobody can repeat it."""
        return self._release.is_private

    @property
    def max_per_unit(self) -> int | None:
        """The most records of a unit that are counted; ``None`` if single records are protected."""
        return self._release.max_per_unit

    @property
    def neighbours(self) -> str:
        """How two tables that nobody can tell apart differ: "add-remove" or "replace-one"."""
        return self._release.neighbours

    @property
    def n_items(self) -> int:
        """The number of public items."""
        return self._release.n_items

    @property
    def hash(self) -> str:
        """The SHA-256 of the file as the ledger records it: ``sha256:`` and hexadecimal digits."""
        return self._release.hash

    def centers(self, k: int, *, objective: str = "median", method: str = "refined") -> np.ndarray:
        """The positions of k centers among the public items.

        ``objective`` is "median" or "means". ``method`` is "refined", which measures best, or
        "exact", where the centers for k are the first k of those for k + 1.
        """
        return self._derive([k], objective, method)[0].centers.copy()

    def sizes(self, k: int, *, objective: str = "median", method: str = "refined") -> np.ndarray:
        """The estimated number of records that each of the k centers serves."""
        return self._derive([k], objective, method)[0].estimated_sizes.copy()

    def cost(self, k: int, *, objective: str = "median", method: str = "refined") -> float:
        """The estimated cost of the k centers."""
        return self._derive([k], objective, method)[0].estimated_cost

    def stop(self, k: int, *, objective: str = "median", method: str = "refined") -> str:
        """Why the search for better centers ended, as ``KMedian.stop_`` says it."""
        return self._derive([k], objective, method)[0].stop

    def cost_curve(
        self, ks: Iterable[int] | None = None, *, objective: str = "median", method: str = "refined"
    ) -> CostCurve:
        """The estimated costs for each k (by default 1 to 20), of private centers and of centers
        without data."""
        universe = self._needed()
        counts = _checks.several(range(1, min(20, self.n_items) + 1) if ks is None else ks, self.n_items)
        costs = [found.estimated_cost for found in self._derive(counts, objective, method)]
        without = self._release.data_free_costs(universe.items(), counts, objective)
        return CostCurve(np.array(counts), np.array(costs), np.array(without))

    def tree(self) -> tuple[np.ndarray, np.ndarray]:
        """For each node of the tree, its parent (the root is its own), and the estimated number of
        records below it."""
        parents = json.loads(self.to_json())["release"]["nodes"]["parents"]
        return np.array(parents), self._release.estimated_counts()

    def _derive(
        self,
        ks: list[int],
        objective: str,
        method: str,
        threads: int | None = None,
        progress: Callback | None = None,
    ) -> list[_core.PrivateCenters]:
        universe = self._needed()
        _checks.choice("objective", objective)
        _checks.choice("method", method)
        counts = _checks.several(ks, self.n_items)
        wanted = [k for k in counts if (k, objective, method) not in self._found]
        if wanted:
            found = self._release.centers(universe.items(), wanted, objective, method, threads, progress)
            self._found.update({(k, objective, method): centers for k, centers in zip(wanted, found)})
        return [self._found[k, objective, method] for k in counts]

    def _labels(self, centers: np.ndarray) -> np.ndarray:
        """For each public item, the position of its nearest center."""
        return _core.assign(self._needed().items(), centers.tolist())[0]

    def _needed(self) -> Given:
        if self._universe is None:
            raise ValueError("centers need the public items: Release.load(path, universe, metric=...)")
        return self._universe

    def __getstate__(self) -> dict[str, Any]:
        return {"document": self.to_json(), "universe": self._universe}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(_core.Release.from_json(state["document"]), state["universe"])  # type: ignore[misc]

    def __repr__(self) -> str:
        private = "" if self.is_private else ", NOT PRIVATE"
        return f"<Release: {self.n_items} items, epsilon={self.epsilon:g}{private}>"
