"""``KMedian.fit`` of a dataset of pyarrow that does not fit memory: the rounds of ``_rounds``, chunk
after chunk, on one machine."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from . import _checks, _rounds
from ._rounds import Chunk, Plan, Summary, Task
from ._streams import Stream, is_a, stream_of
from .spark import Columns, memory_of, rows_of, vector_metric

# The memory for items where the estimator says none: 1 GiB.
_MEMORY = 1 << 30

# Rounds end once one lowers the cost by less than this share, and after as many at most.
_TOLERANCE = 1e-3
_MOST_ROUNDS = 10

# The options of a search that chunks leave no room for, and what they are by default.
_WHOLE = {"init": "auto", "n_restarts": None, "gap": None, "candidates": None, "fixed": None, "max_swaps": None}


def dataset_of(X: Any) -> Stream | None:
    """A dataset of pyarrow or a lazy frame of polars, which can be read again and again, part after
    part; ``None`` if X is neither."""
    return stream_of(X) if is_a(X, "pyarrow.dataset", "Dataset") or is_a(X, "polars", "LazyFrame") else None


def fit(estimator: Any, stream: Stream, objective: str) -> tuple[Chunk, Summary]:
    """The centers of a dataset, and how the fit went."""
    for name, default in _WHOLE.items():
        value = getattr(estimator, name)
        if not (value is default or (isinstance(value, (str, int)) and value == default)):
            raise ValueError(f"{name} is for items that fit memory, but X is read in chunks; leave it out")
    k = _checks.whole("n_clusters", estimator.n_clusters, 1, _checks.LARGEST_COUNT)
    plan = Plan(
        k, vector_metric(estimator.metric), objective, _checks.seed_of(estimator.random_state),
        _MEMORY if estimator.memory is None else memory_of(estimator.memory), _TOLERANCE, _MOST_ROUNDS,
        _checks.threads_of(estimator.n_jobs),
    )  # fmt: skip
    columns = Columns(list(stream.names), None, False)
    items = sum(len(batch.rows) for batch in _batches(stream, columns))
    if items == 0:
        raise ValueError("X has no rows; there is nothing to choose centers from")
    _checks.clusters(k, items)
    size = plan.rows_of_chunk(len(columns.names), items)

    def run(task: Task) -> list[bytes]:
        return [task(chunk) for chunk in _rounds.chunked(_batches(stream, columns), size)]

    return _rounds.fit(plan, len(columns.names), items, -(-items // size), run)


def _batches(stream: Stream, columns: Columns) -> Iterator[Chunk]:
    before = 0
    for batch in stream.batches(columns.names):
        held = [batch[name] for name in columns.names]
        held = [cells.to_arrow() if hasattr(cells, "to_arrow") else cells for cells in held]
        rows = rows_of(columns, held, before)
        yield Chunk(rows, np.ones(len(rows)), np.arange(before, before + len(rows)))
        before += len(rows)
