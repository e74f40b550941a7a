"""k-median on Spark: classic Spark, Spark Connect, or Sail, which needs no Java.

``KMedian(...).fit(dataframe)`` finds centers of more items than one machine holds, and returns a
``KMedianModel``. Names and conventions are those of Spark ML. Nothing of pyspark is imported: a
DataFrame brings all that is needed; ``pip install kmedian[spark]`` installs a client.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
from functools import partial
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _checks, _core, _engine, _rounds, _search
from ._rounds import Chunk, Plan, Summary

__all__ = ["KMedian", "KMedianModel", "Summary"]

# What tasks return: what they found of a chunk, pickled; or what is wrong with a row.
_FOUND = "found binary, wrong string"

# The metrics of vectors, and what scikit-learn and SciPy call them.
_METRICS = (
    *("l1", "manhattan", "cityblock", "l2", "euclidean", "linf", "chebyshev"),
    *("hamming", "angular", "haversine"),
)

# The units of memory, which the core has checked.
_UNITS = {"": 1, "B": 1}
_UNITS.update({f"{letter}B": 1000 ** (at + 1) for at, letter in enumerate("kMGT")})
_UNITS.update({f"{letter}iB": 1024 ** (at + 1) for at, letter in enumerate("KMGT")})

# The kinds of columns that may hold one value of an item.
_NUMBERS = ("int", "float", "double", "decimal")


class Columns(NamedTuple):
    """How items are read from batches: columns of values, or one column of lists of them, and after
    them the weight, if there is one."""

    names: list[str]
    weight: str | None
    listed: bool


class KMedian:
    """k-median of a DataFrame: centers are items, and the sum of the distances to them is small.

    The items of every partition are read in chunks that fit into ``memory``. Of each chunk a few
    weighted centers are kept; the driver clusters these, and then rounds over all items measure the
    exact cost and improve the centers, until a round gains less than ``tol``.

    The same seed gives the same centers if partitions have the same rows in the same order. That is
    so for files that are read into as many partitions again. It is not so after a shuffle, such as
    ``repartition``, a join or ``groupBy``: there Spark hands out the rows of a partition as they are
    fetched. ``sortWithinPartitions`` by columns that tell rows apart makes up for it, or writing the
    table to files first. Other partitions, or rows in another order, give other chunks, and so other
    centers, of about the same cost.

    Parameters
    ----------
    k : int, default 8
        How many centers.
    featuresCol : str or list of str, default "features"
        A column of arrays of numbers, or several columns of numbers.
    weightCol : str, optional
        How much each item counts; a number that is not negative.
    predictionCol : str, default "prediction"
        The column that ``KMedianModel.transform`` adds: the position of the nearest center.
    metric : str, default "l2"
        How far two items are apart, as in ``kmedian.KMedian``; a metric of vectors.
    objective : {"median", "means"}, default "median"
        Whether distances or their squares are summed.
    seed : int, default 0
        The seed of all that is drawn.
    memory : int or str, default "1GiB"
        How much memory a task, and the driver, may use for items.
    tol : float, default 1e-3
        Rounds end once one lowers the cost by less than this share.
    maxRounds : int, default 10
        The most rounds.
    """

    def __init__(
        self,
        k: int = 8,
        *,
        featuresCol: str | list[str] = "features",
        weightCol: str | None = None,
        predictionCol: str = "prediction",
        metric: str = "l2",
        objective: str = "median",
        seed: int = 0,
        memory: int | str = "1GiB",
        tol: float = 1e-3,
        maxRounds: int = 10,
    ) -> None:
        self.k = k
        self.featuresCol = featuresCol
        self.weightCol = weightCol
        self.predictionCol = predictionCol
        self.metric = metric
        self.objective = objective
        self.seed = seed
        self.memory = memory
        self.tol = tol
        self.maxRounds = maxRounds

    def fit(self, dataset: Any) -> KMedianModel:
        """Finds the centers of a DataFrame."""
        frame, columns = _checked(dataset, self.featuresCol, self.weightCol)
        k = _checks.whole("k", self.k, 1, _checks.LARGEST_COUNT)
        plan = Plan(
            k,
            vector_metric(self.metric),
            _checks.choice("objective", self.objective),
            _checks.whole("seed", self.seed, 0, _checks.LARGEST_SEED),
            memory_of(self.memory),
            share_of("tol", self.tol),
            _checks.whole("maxRounds", self.maxRounds, 0, 10_000),
            1,
        )
        _engine.check_executors(frame)
        lengths = _engine.collect(_engine.mapped(frame, _lengths, None, "records long")).column(0).to_pylist()
        items = sum(lengths)
        if items == 0:
            raise ValueError("the DataFrame has no rows; there is nothing to choose centers from")
        if k > items:
            raise ValueError(f"k={k} centers are wanted, but the DataFrame has {items} rows; give fewer clusters")
        dims = _ran(frame.limit(1), columns, _dims, 1)[0]
        size = plan.rows_of_chunk(dims, items)
        chunks = sum(-(-length // size) for length in lengths)
        centers, summary = _rounds.fit(plan, dims, items, chunks, lambda task: _ran(frame, columns, task, size))
        return KMedianModel(centers.rows, summary, self.featuresCol, self.predictionCol, plan.metric, plan.objective)


class KMedianModel:
    """Centers that ``KMedian`` has found.

    ``clusterCenters()`` are the centers, ``summary`` says how the fit went, and ``transform`` adds
    the nearest center of each row of a DataFrame.
    """

    def __init__(
        self, centers: np.ndarray, summary: Summary, featuresCol: str | list[str], predictionCol: str, metric: str,
        objective: str,
    ) -> None:  # fmt: skip
        self._centers = centers
        self.summary = summary
        self.featuresCol = featuresCol
        self.predictionCol = predictionCol
        self.metric = metric
        self.objective = objective

    def clusterCenters(self) -> list[np.ndarray]:
        """The centers, which are rows of the DataFrame that was fitted, as 32-bit floats."""
        return list(self._centers)

    @property
    def k(self) -> int:
        """How many centers there are."""
        return len(self._centers)

    def transform(self, dataset: Any) -> Any:
        """The DataFrame with a further column: the position of the nearest center of each row."""
        _, columns = _checked(dataset, self.featuresCol, None)
        if self.predictionCol in _engine.columns_of(dataset)[0]:
            raise ValueError(f"there already is a column {self.predictionCol!r}; choose another predictionCol")
        schema = copy.deepcopy(dataset.schema).add(self.predictionCol, "integer")
        return _engine.mapped(dataset, _predicted, (columns, self._centers, self.metric, self.predictionCol), schema)

    def computeCost(self, dataset: Any) -> float:
        """The cost of the centers for a DataFrame, each row of which counts once."""
        frame, columns = _checked(dataset, self.featuresCol, None)
        cost = partial(_cost, self._centers, self.metric, self.objective == "means")
        return math.fsum(_ran(frame, columns, cost, 1 << 16))

    def save(self, path: str) -> None:
        """Writes the model into a new folder on this machine."""
        folder = Path(path)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise FileExistsError(f"{path} exists already; name a new folder") from None
        summary = self.summary._asdict()
        told = {
            "format": "kmedian.spark.KMedianModel 1",
            **{name: getattr(self, name) for name in ("featuresCol", "predictionCol", "metric", "objective")},
            "summary": {**summary, "sizes": summary["sizes"].tolist()},
        }
        np.save(folder / "centers.npy", self._centers)
        (folder / "model.json").write_text(json.dumps(told, indent=2))

    @classmethod
    def load(cls, path: str) -> KMedianModel:
        """Reads a model that ``save`` has written."""
        folder = Path(path)
        try:
            told = json.loads((folder / "model.json").read_text())
            centers = np.load(folder / "centers.npy", allow_pickle=False)
            if told.pop("format") != "kmedian.spark.KMedianModel 1":
                raise KeyError("format")
            summary = told.pop("summary")
            return cls(centers, Summary(**{**summary, "sizes": np.array(summary["sizes"])}), **told)
        except (OSError, ValueError, KeyError, TypeError):
            raise ValueError(f"{path} holds no model of kmedian.spark; give a folder that KMedianModel.save wrote") from None


def vector_metric(metric: Any) -> str:
    """The name of a metric of vectors; raises if it is none."""
    if not isinstance(metric, str) or metric not in _METRICS:
        raise ValueError(
            f"metric={metric!r}: items that do not fit memory are vectors under a metric; choose one of "
            f"{', '.join(_METRICS)}"
        )
    return metric


def memory_of(memory: Any) -> int:
    """A number of bytes, from a number or text such as "2GiB", as the core reads it."""
    if memory is None:
        raise ValueError("say how much memory a task may use, such as memory='1GiB'")
    text = str(_search.checked({"memory": memory})["memory"]).strip()
    unit = next((unit for unit in sorted(_UNITS, key=len, reverse=True) if text.endswith(unit)), "")
    return int(float(text[: len(text) - len(unit)]) * _UNITS[unit])


def share_of(name: str, share: Any) -> float:
    """A share between 0 and 1."""
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share < 1:
        raise ValueError(f"{name}={share!r} is not possible; give a share from 0 to 1, such as 0.001")
    return float(share)


def _checked(frame: Any, features: Any, weight: Any) -> tuple[Any, Columns]:
    """The columns of a DataFrame that are needed, analyzed; raises if there are no such columns, or
    if they hold no numbers."""
    if not _engine.is_frame(frame):
        raise TypeError(
            f"{type(frame).__name__} is no DataFrame of Spark; for tables in memory, and for datasets of pyarrow, take "
            "kmedian.KMedian"
        )
    names, kinds = _engine.columns_of(frame)
    listed = isinstance(features, str)
    wanted = [features] if listed else list(features)
    for name in [*wanted, *([] if weight is None else [weight])]:
        if names.count(name) != 1:
            raise ValueError(f"there is no column {name!r}; there are {', '.join(names)}")
    kind = {name: kinds[names.index(name)] for name in names}
    if listed and kind[features].startswith(("vector", "udt", "struct")):
        raise ValueError(
            f"the column {features!r} is of the type {kind[features]}; make an array of it, "
            "pyspark.ml.functions.vector_to_array"
        )
    if listed and not kind[features].startswith(tuple(f"array<{number}" for number in ("float", "double", "int", "bigint"))):
        if not kind[features].startswith(_NUMBERS):
            raise ValueError(f"the column {features!r} is of the type {kind[features]}; give an array of numbers")
        listed, wanted = False, [features]
    for name in [*([] if listed else wanted), *([] if weight is None else [weight])]:
        if not kind[name].startswith(_NUMBERS):
            raise ValueError(f"the column {name!r} is of the type {kind[name]}; give numbers")
    chosen = [*wanted, *([] if weight is None else [weight])]
    return _engine.select(frame, chosen, [f"c{at}" for at in range(len(chosen))]), Columns(wanted, weight, listed)


class _Wrong(ValueError):
    """What is wrong with a row."""


def _ran(frame: Any, columns: Columns, task: Any, size: int) -> list[Any]:
    """What a task finds of each chunk, in any order."""
    table = _engine.collect(_engine.mapped(frame, chunk_task, (columns, task, size), _FOUND))
    wrong = sorted(told for told in table.column("wrong").to_pylist() if told is not None)
    if wrong:
        raise ValueError(wrong[0])
    return [pickle.loads(part) for part in table.column("found").to_pylist()]


def chunk_task(given: tuple[Columns, Any, int], batches: Iterator[Any]) -> Iterator[Any]:
    """A task: reads a partition in chunks, and does something with each."""
    import pyarrow

    columns, task, size = given

    def row(found: bytes | None, wrong: str | None) -> Any:
        cells = [pyarrow.array([found], pyarrow.binary()), pyarrow.array([wrong], pyarrow.string())]
        return pyarrow.RecordBatch.from_arrays(cells, names=["found", "wrong"])

    try:
        for chunk in _rounds.chunked(_read(columns, batches), size):
            yield row(pickle.dumps(task(chunk)), None)
    except ValueError as wrong:
        yield row(None, str(wrong))


def _read(columns: Columns, batches: Iterator[Any]) -> Iterator[Chunk]:
    """The items of batches, whose columns are in the order of ``columns``."""
    before, dims = 0, None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        rows = rows_of(columns, [batch.column(at) for at in range(len(columns.names))], before)
        if dims is not None and rows.shape[1] != dims:
            raise _Wrong(f"column {columns.names[0]!r}: rows of {dims} and of {rows.shape[1]} numbers; give as many for each")
        dims = rows.shape[1]
        weights = np.ones(len(rows))
        if columns.weight is not None:
            weights = _weights(columns.weight, batch.column(len(columns.names)), before)
        yield Chunk(rows, weights, np.full(len(rows), -1, dtype=np.int64))
        before += len(rows)


def rows_of(columns: Columns, held: list[Any], before: int) -> np.ndarray:
    """Columns of Arrow as rows of 32-bit floats; raises if a number is missing or not finite, and
    says where. ``before`` is how many rows of the partition came before."""
    if columns.listed:
        cells = held[0]
        _refuse(columns.names[0], cells.is_null().to_numpy(zero_copy_only=False), before, "is missing")
        lengths = cells.value_lengths().to_numpy(zero_copy_only=False)
        if len(lengths) and lengths.min() != lengths.max():
            at = int(np.flatnonzero(lengths != lengths[0])[0])
            raise _Wrong(
                f"column {columns.names[0]!r}, row {before + at} of its partition: has {lengths[at]} numbers, and the "
                f"first row {lengths[0]}; give as many for each"
            )
        flat = cells.flatten()
        dims = int(lengths[0]) if len(lengths) else 0
        if dims == 0:
            raise _Wrong(f"column {columns.names[0]!r}, row {before} of its partition: has no numbers")
        _refuse(columns.names[0], np.asarray(_gaps(flat).reshape(-1, dims).any(axis=1)), before, "has a number that is missing")
        wide = flat.to_numpy(zero_copy_only=False).reshape(-1, dims)
        narrow = _narrow(wide)
        _refuse(columns.names[0], ~np.isfinite(narrow).all(axis=1), before, "has a number that is not finite")
        return narrow
    parts = []
    for name, cells in zip(columns.names, held):
        _refuse(name, _gaps(cells), before, "is missing")
        part = _narrow(cells.to_numpy(zero_copy_only=False).astype(np.float64))
        _refuse(name, ~np.isfinite(part), before, "is not finite")
        parts.append(part)
    return np.ascontiguousarray(np.stack(parts, axis=1))


def _narrow(wide: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(wide, dtype=np.float32)


def _gaps(cells: Any) -> np.ndarray:
    found: np.ndarray = cells.is_null().to_numpy(zero_copy_only=False)
    return found


def _weights(name: str, cells: Any, before: int) -> np.ndarray:
    _refuse(name, _gaps(cells), before, "is missing")
    weights: np.ndarray = cells.to_numpy(zero_copy_only=False).astype(np.float64)
    _refuse(name, np.asarray(~(np.isfinite(weights) & (weights >= 0))), before, "is no weight")
    return weights


def _refuse(name: str, wrong: np.ndarray, before: int, what: str) -> None:
    if wrong.any():
        row = before + int(np.flatnonzero(wrong)[0])
        raise _Wrong(f"column {name!r}, row {row} of its partition (from 0): {what}; filter such rows out")


def _dims(chunk: Chunk) -> int:
    return int(chunk.rows.shape[1])


def _lengths(_: Any, batches: Iterator[Any]) -> Iterator[Any]:
    """A task: says how many rows a partition has."""
    import pyarrow

    rows = sum(batch.num_rows for batch in batches)
    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([rows], pyarrow.int64())], names=["records"])


def _cost(centers: np.ndarray, metric: str, squared: bool, chunk: Chunk) -> float:
    distances = _core.nearest(chunk.rows, centers, metric, 1)[1].astype(np.float64)
    return float((distances**2 if squared else distances).sum())


def _predicted(given: tuple[Columns, np.ndarray, str, str], batches: Iterator[Any]) -> Iterator[Any]:
    """A task: adds the position of the nearest center."""
    import pyarrow

    columns, centers, metric, name = given
    before = 0
    for batch in batches:
        held = [batch.column(batch.schema.get_field_index(column)) for column in columns.names]
        if batch.num_rows:
            rows = rows_of(columns, held, before)
            labels = _core.nearest(rows, centers, metric, 1)[0]
        else:
            labels = np.zeros(0, dtype=np.int32)
        before += batch.num_rows
        yield pyarrow.RecordBatch.from_arrays(
            [*batch.columns, pyarrow.array(labels, pyarrow.int32())], names=[*batch.schema.names, name]
        )
