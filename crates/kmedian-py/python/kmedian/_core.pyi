"""What the estimators of `kmedian` are made of. Not meant to be used directly."""

from typing import Any, Callable, Iterator, Optional, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "BudgetExhausted",
    "Column",
    "Demand",
    "Fit",
    "ItemNames",
    "Items",
    "Ledger",
    "PrivateCenters",
    "PublicTree",
    "Release",
    "Reservation",
    "Rounds",
    "assign",
    "check_search",
    "choices",
    "distances",
    "distances_between",
    "draw_records",
    "fit",
    "go_over",
    "is_server",
    "is_translation_invariant",
    "leave",
    "ledger_is_required",
    "nearest",
    "owned_records",
    "plan",
    "rows_of_chunk",
    "run_command",
    "sampling_secret",
    "shown_place",
    "suggest_k",
    "write_fit_page",
]

_Progress = Optional[Callable[[str, dict[str, Any]], Optional[bool]]]
_Float32 = npt.NDArray[np.float32]
_Change = tuple[str, Optional[int], str]
_Distances = tuple[float, float, float, float, int]
_Served = tuple[_Distances, list[Optional[_Distances]]]

class BudgetExhausted(RuntimeError): ...

@final
class Items:
    @staticmethod
    def vectors(values: _Float32, metric: str) -> Items: ...
    @staticmethod
    def sparse(
        dims: int,
        starts: npt.NDArray[np.int64],
        columns: npt.NDArray[np.uint32],
        values: _Float32,
        metric: str,
    ) -> Items: ...
    @staticmethod
    def texts(texts: list[str]) -> Items: ...
    @staticmethod
    def gower(fitted: list[Any], table: list[Any]) -> Items: ...
    @staticmethod
    def matrix(values: _Float32) -> Items: ...
    @staticmethod
    def rectangle(values: _Float32) -> Items: ...
    @staticmethod
    def graph(
        nodes: int,
        tails: npt.NDArray[np.uint32],
        heads: npt.NDArray[np.uint32],
        lengths: _Float32,
        streets: str = "both",
        names: npt.NDArray[Any] | None = None,
    ) -> Items: ...
    @staticmethod
    def function(rows: list[Any], metric: Callable[[Any, Any], float]) -> Items: ...

@final
class Fit:
    @property
    def centers(self) -> npt.NDArray[np.int64]: ...
    @property
    def labels(self) -> npt.NDArray[np.int32]: ...
    @property
    def cost(self) -> float: ...
    @property
    def silhouette(self) -> float | None: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def gap(self) -> float | None: ...
    @property
    def init_cost(self) -> float: ...
    @property
    def swaps(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def stop(self) -> str: ...
    @property
    def service(self) -> _Served: ...
    @property
    def notes(self) -> list[str]: ...

@final
class PublicTree:
    def __new__(
        cls,
        universe: Items,
        epsilon: str,
        split: str,
        max_per_unit: int | None,
        neighbours: str,
        demand_size: int | None,
        seed: int,
        threads: int | None = None,
        progress: _Progress = None,
    ) -> PublicTree: ...
    def release(self, demand: Demand, noise_seed: int | None = None) -> Release: ...

@final
class Column:
    @staticmethod
    def whole(numbers: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_] | None = None) -> Column: ...
    @staticmethod
    def unsigned(numbers: npt.NDArray[np.uint64], missing: npt.NDArray[np.bool_] | None = None) -> Column: ...
    @staticmethod
    def floats(numbers: npt.NDArray[np.float64], missing: npt.NDArray[np.bool_] | None = None) -> Column: ...
    @staticmethod
    def texts(
        parts: Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None]],
    ) -> Column: ...
    @staticmethod
    def characters(rows: npt.NDArray[np.uint32]) -> Column: ...
    @staticmethod
    def bytes(rows: npt.NDArray[np.uint8]) -> Column: ...
    @staticmethod
    def taken(places: npt.NDArray[np.int64], of: Column) -> Column: ...
    @staticmethod
    def cells(cells: list[Any], plain: Callable[[Any], str | float | None]) -> Column: ...
    def __len__(self) -> int: ...

@final
class ItemNames:
    def __new__(cls, items: int, ids: Column | None) -> ItemNames: ...
    @staticmethod
    def snapped(places: npt.NDArray[np.float64], metric: str, within: float | None = None) -> ItemNames: ...

@final
class Demand:
    @staticmethod
    def records(names: ItemNames, keys: Column, units: Column | None) -> Demand: ...
    @staticmethod
    def counts(names: ItemNames, labels: Column | None, counts: Column) -> Demand: ...
    @staticmethod
    def rows(names: ItemNames, keys: Column, units: Column | None, counts: Column) -> Demand: ...
    @staticmethod
    def parts(names: ItemNames, parts: Iterator[tuple[Column | npt.NDArray[np.float64], Column | None]]) -> Demand: ...
    def reveal_not_private(
        self, max_per_unit: int | None = None, seed: int = 0
    ) -> tuple[npt.NDArray[np.uint64], dict[str, Any]]: ...

@final
class Release:
    @staticmethod
    def from_json(text: str) -> Release: ...
    def to_json(self) -> str: ...
    def save(self, path: str) -> None: ...
    @property
    def hash(self) -> str: ...
    @property
    def is_private(self) -> bool: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def neighbours(self) -> str: ...
    @property
    def max_per_unit(self) -> int | None: ...
    @property
    def n_items(self) -> int: ...
    def check_universe(self, universe: Items) -> None: ...
    def estimated_counts(self) -> npt.NDArray[np.float64]: ...
    def centers(
        self,
        universe: Items,
        ks: list[int],
        objective: str,
        method: str,
        search: dict[str, Any],
        places: dict[str, Any],
        threads: int | None = None,
        progress: _Progress = None,
    ) -> list[PrivateCenters]: ...
    def advantages(
        self,
        universe: Items,
        ks: list[int],
        objective: str,
        method: str,
        search: dict[str, Any],
        places: dict[str, Any],
        threads: int | None = None,
        progress: _Progress = None,
    ) -> list[tuple[float, float]]: ...
    def data_free_costs(
        self,
        universe: Items,
        ks: list[int],
        objective: str,
        search: dict[str, Any],
        places: dict[str, Any],
        threads: int | None = None,
        progress: _Progress = None,
    ) -> list[float]: ...

@final
class PrivateCenters:
    @property
    def centers(self) -> npt.NDArray[np.int64]: ...
    @property
    def estimated_cost(self) -> float: ...
    @property
    def cost_interval(self) -> tuple[float, float]: ...
    @property
    def size_intervals(self) -> list[tuple[float, float]]: ...
    @property
    def estimated_sizes(self) -> npt.NDArray[np.float64]: ...
    @property
    def estimated_service(self) -> _Served | None: ...
    @property
    def stop(self) -> str: ...

@final
class Ledger:
    def __new__(cls, path: str, create: bool) -> Ledger: ...
    @property
    def path(self) -> Any: ...
    def create_dataset(self, name: str, budget: str, protects: _Change | None) -> None: ...
    def datasets(self) -> list[tuple[str, str, str, str, int, str, _Change | None]]: ...
    def entries(
        self, name: str
    ) -> list[
        tuple[int, str, str, str, str | None, _Change | None, str | None, str | None, str | None]
    ]: ...
    def reserve(
        self, name: str, epsilon: str, note: str, protects: _Change, mechanism: str, split: str
    ) -> Reservation: ...
    def verify(self, expect: str) -> tuple[int, str, int | None]: ...

@final
class Reservation:
    @property
    def number(self) -> int: ...
    @property
    def epsilon(self) -> str: ...
    def record(self, hash: str) -> None: ...

def fit(
    items: Items,
    ks: list[int],
    plan: dict[str, Any],
    search: dict[str, Any],
    weights: npt.NDArray[np.float64] | None = None,
    threads: int | None = None,
    progress: _Progress = None,
) -> list[Fit]: ...
def assign(
    items: Items, centers: list[int], threads: int | None = None
) -> tuple[npt.NDArray[np.int32], _Float32]: ...
def distances(items: Items, centers: list[int], threads: int | None = None) -> _Float32: ...
def owned_records(
    names: ItemNames, keys: Column | npt.NDArray[np.float64], owners: Column
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint8], tuple[int, int, int]]: ...
def draw_records(
    secret: bytes,
    most: int,
    name_ends: npt.NDArray[np.int64],
    names: npt.NDArray[np.uint8],
    list_ends: npt.NDArray[np.int64],
    items: npt.NDArray[np.int64],
    records: npt.NDArray[np.int64],
    kept: npt.NDArray[np.uint64],
) -> int: ...
def sampling_secret(noise_seed: int | None = None) -> bytes: ...
def check_search(search: dict[str, Any]) -> None: ...
def choices() -> list[tuple[str, list[tuple[str, str]]]]: ...
def is_translation_invariant(name: str) -> bool: ...
def is_server(path: str) -> bool: ...
def shown_place(path: str) -> str: ...
def write_fit_page(
    path: str,
    items: Items,
    fits: list[tuple[list[int], float | None]],
    page: dict[str, Any],
    rows: npt.NDArray[np.float64] | None = None,
    weights: npt.NDArray[np.float64] | None = None,
    threads: int | None = None,
) -> None: ...
@final
class Rounds:
    def __new__(cls, plan: dict[str, Any], dims: int, items: int, chunks: int) -> Rounds: ...
    @property
    def rows_of_chunk(self) -> int: ...
    def pass_bytes(self) -> bytes | None: ...
    def take(self, found: list[bytes], threads: int | None = None, progress: _Progress = None) -> None: ...
    def finish(self) -> tuple[_Float32, npt.NDArray[np.int64], dict[str, Any]]: ...

def go_over(
    asked: bytes,
    rows: _Float32,
    weights: npt.NDArray[np.float64],
    places: npt.NDArray[np.int64],
    threads: int | None = None,
) -> bytes: ...
def rows_of_chunk(plan: dict[str, Any], dims: int, items: int) -> int: ...
def leave() -> None: ...
def run_command(words: list[str]) -> int: ...
def ledger_is_required() -> bool: ...
def plan(
    universe: Items,
    plan: dict[str, Any],
    search: dict[str, Any],
    threads: int | None = None,
    progress: _Progress = None,
) -> list[tuple[str, str, float, float, list[tuple[float, float, float, float]]]]: ...
def nearest(
    rows: _Float32, centers: _Float32, metric: str, threads: int | None = None
) -> tuple[npt.NDArray[np.int32], _Float32]: ...
def distances_between(rows: _Float32, centers: _Float32, metric: str, threads: int | None = None) -> _Float32: ...

def suggest_k(items: int, tried: list[tuple[int, float, float | None]]) -> tuple[int, str] | None: ...
