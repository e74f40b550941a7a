"""Private releases, which may be published, and centers that are derived from them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

import numpy as np

from . import _checks, _core
from ._curve import CostCurve
from ._given import Given, Metric
from ._progress import Callback
from ._search import Checked, SearchOptions, checked_for
from ._sites import Places, Service, check_clusters, places, service_of
from ._spaces import reader, refuse_square, space_of
from ._tables import refuse_path
from ._universe import chosen, names_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class CenterOptions(SearchOptions, total=False):
    """Options of ``Release.centers``, each as its parameter of that name."""

    objective: str
    method: str
    candidates: Any
    fixed: Any


class Asked(NamedTuple):
    """Which centers are asked for, by options that were checked."""

    objective: str
    method: str
    search: Checked
    sites: Places


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
        # By k and all that decides how centers are found: sizes and costs are those of the same centers.
        self._found: dict[tuple[int, tuple[Any, ...]], _core.PrivateCenters] = {}

    @classmethod
    def load(
        cls,
        path: str | bytes | os.PathLike[str],
        universe: Any = None,
        *,
        metric: Metric = "l2",
        directed: bool | str | None = None,
        ids: Any = None,
        columns: Any = None,
    ) -> Release:
        """Reads a release from a file; raises ``ValueError`` if it was truncated or edited.

        To derive centers, give the public items that the release is for, in their order, and the
        metric (for a graph also ``directed``, if that was given). Raises if they are others. ``ids``
        and ``columns`` are those of ``PrivateKMedian.fit``: by its ids a center is called in
        ``center_ids``, ``candidates`` and ``fixed``.
        """
        refuse_path(universe, "universe")
        file = _checks.path(path)
        try:
            document = Path(file).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{file} is no release, which is JSON in UTF-8; name another file") from error
        release = _core.Release.from_json(document)
        if universe is None:
            if not (ids is None and columns is None):
                raise ValueError("ids and columns are of the public items; give these too, Release.load(path, universe)")
            return cls(release)
        refuse_square(metric)
        table, ids = chosen(universe, ids, columns)
        given = space_of(metric).read(reader(directed), table)
        release.check_universe(given.items())
        return cls(release, given if ids is None else given._replace(names=names_of(ids, given.n)))

    def save(self, path: str | bytes | os.PathLike[str]) -> None:
        """Writes the release to a file, completely or not at all. Raises ``FileExistsError`` if the
        file exists, and ``IsADirectoryError`` if it is a folder."""
        file = _checks.path(path)
        if os.path.isdir(file):
            raise IsADirectoryError(f"{file} is a folder; give the name of a file in it")
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

    def centers(
        self,
        k: int,
        *,
        objective: str = "median",
        method: str = "refined",
        candidates: Any = None,
        fixed: Any = None,
        **search: Unpack[SearchOptions],
    ) -> np.ndarray:
        """The positions of k centers among the public items.

        ``objective`` is "median" or "means". ``method`` is "refined", which measures best, or
        "exact", where the centers for k are the first k of those for k + 1. ``candidates`` and
        ``fixed``, which are public, say which items may be centers and which always are, as in
        ``KMedian``. How "refined" searches is said by ``swap``, ``effort``, ``alpha``,
        ``max_swaps``, ``time_limit``, ``memory`` and ``n_restarts``, as in ``KMedian``. Other
        options than those of ``PrivateKMedian`` may lead to other centers.
        """
        return self._derive([k], self._asked(objective, method, candidates, fixed, **search))[0].centers.copy()

    def center_ids(self, k: int, **how: Unpack[CenterOptions]) -> list[Any]:
        """What the ``centers`` are called: their ids, the index of the public items if it is text, or
        the names of nodes; the options are theirs."""
        names = self._needed().names
        if names is None:
            raise ValueError(
                "the items have no ids here; give them, Release.load(path, universe, ids=...), or take centers(k), which "
                "are positions"
            )
        called = names_of(names, self.n_items)
        return [called[at] for at in self._derive([k], self._asked(**how))[0].centers.tolist()]

    def sizes(self, k: int, **how: Unpack[CenterOptions]) -> np.ndarray:
        """The estimated number of records that each of the ``centers`` serves; the options are
        theirs."""
        return self._derive([k], self._asked(**how))[0].estimated_sizes.copy()

    def cost(self, k: int, **how: Unpack[CenterOptions]) -> float:
        """The estimated cost of the ``centers``; the options are theirs."""
        return self._derive([k], self._asked(**how))[0].estimated_cost

    def service(self, k: int, **how: Unpack[CenterOptions]) -> Service | None:
        """How far the estimated demand is from the ``centers``, as ``KMedian.service_`` says it;
        ``None`` if the release shows no demand. The options are those of the centers."""
        return service_of(self._derive([k], self._asked(**how))[0].estimated_service, self._needed())

    def size_intervals(self, k: int, **how: Unpack[CenterOptions]) -> np.ndarray:
        """For each of the ``centers``, the range in which the true number of records that it serves
        lies with a probability of about 90 %: an array of k rows, low and high."""
        return np.array(self._derive([k], self._asked(**how))[0].size_intervals)

    def cost_interval(self, k: int, **how: Unpack[CenterOptions]) -> tuple[float, float]:
        """The range in which the true cost of the ``centers`` lies with a probability of about 90 %."""
        return self._derive([k], self._asked(**how))[0].cost_interval

    def advantage_interval(self, k: int, **how: Unpack[CenterOptions]) -> tuple[float, float]:
        """The range of how much less the ``centers`` cost than centers without data, with a
        probability of about 90 %. If it holds zero, the release cannot tell whether they are better."""
        asked, counts = self._asked(**how), _checks.several([k], self.n_items)
        (found,) = self._release.advantages(
            self._needed().items(), counts, asked.objective, asked.method, asked.search, asked.sites._asdict()
        )
        return found

    def advantage_is_clear(self, k: int, **how: Unpack[CenterOptions]) -> bool:
        """Whether the ``centers`` are better than centers without data, as far as the release can
        tell: whether their ``advantage_interval`` is above zero. If not, ε was too small, or the
        demand is as the items are."""
        return self.advantage_interval(k, **how)[0] > 0.0

    def stop(self, k: int, **how: Unpack[CenterOptions]) -> str:
        """Why the search for the ``centers`` ended, as ``KMedian.stop_`` says it; the options are
        theirs."""
        return self._derive([k], self._asked(**how))[0].stop

    def cost_curve(self, ks: Iterable[int] | None = None, **how: Unpack[CenterOptions]) -> CostCurve:
        """The estimated costs for each k (by default 1 to 20), of private ``centers`` and of centers
        without data, both by the given options."""
        asked = self._asked(**how)
        sites = asked.sites
        most = self.n_items if sites.candidates is None else len(sites.candidates)
        least = max(1, len(sites.fixed))
        counts = _checks.several(range(least, min(20, most) + 1) if ks is None else ks, self.n_items)
        costs = [found.estimated_cost for found in self._derive(counts, asked)]
        without = self._release.data_free_costs(
            self._needed().items(), counts, asked.objective, asked.search, sites._asdict()
        )
        return CostCurve(np.array(counts), np.array(costs), np.array(without))

    def tree(self) -> tuple[np.ndarray, np.ndarray]:
        """For each node of the tree, its parent (the root is its own), and the estimated number of
        records below it."""
        parents = json.loads(self.to_json())["release"]["nodes"]["parents"]
        return np.array(parents), self._release.estimated_counts()

    def _asked(
        self,
        objective: str = "median",
        method: str = "refined",
        candidates: Any = None,
        fixed: Any = None,
        **search: Unpack[SearchOptions],
    ) -> Asked:
        """The options of ``centers``, checked."""
        _checks.choice("objective", objective)
        _checks.choice("method", method)
        sites = places(candidates, fixed, self.n_items, self._needed().names)
        return Asked(objective, method, checked_for(method, search), sites)

    def _derive(
        self,
        ks: list[int],
        asked: Asked,
        threads: int | None = None,
        progress: Callback | None = None,
    ) -> list[_core.PrivateCenters]:
        counts = _checks.several(ks, self.n_items)
        for k in counts:
            check_clusters(k, asked.sites, self.n_items)
        how = (asked.objective, asked.method, *asked.search.values(), asked.sites.key())
        wanted = [k for k in counts if (k, how) not in self._found]
        if wanted:
            found = self._release.centers(
                self._needed().items(),
                wanted,
                asked.objective,
                asked.method,
                asked.search,
                asked.sites._asdict(),
                threads,
                progress,
            )
            self._found.update({(k, how): centers for k, centers in zip(wanted, found)})
        return [self._found[k, how] for k in counts]

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
