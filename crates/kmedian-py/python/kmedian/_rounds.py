"""Centers of more items than memory holds: coresets first, then rounds over all items.

What is asked of chunks, and what follows from the answers, is decided by the core
(``kmedian::rounds``): here chunks are cut, and what they are asked and answer, which is bytes, is
carried between the tasks and the driver. The same seed and the same chunks give the same centers.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from . import _core


class Chunk(NamedTuple):
    """Items in memory: a row of 32-bit floats and a weight for each, and where each is among all
    items; -1 where that is not known."""

    rows: np.ndarray
    weights: np.ndarray
    places: np.ndarray

    def take(self, which: Any) -> Chunk:
        """Some of the items."""
        return Chunk(self.rows[which], self.weights[which], self.places[which])


def joined(chunks: list[Chunk]) -> Chunk:
    """The items of several chunks."""
    return Chunk(*(np.concatenate(parts) for parts in zip(*chunks)))


class Plan(NamedTuple):
    """What is asked for, and how many threads a pass over a chunk may use."""

    k: int
    metric: str
    objective: str
    seed: int
    memory: int
    tolerance: float
    most_rounds: int
    threads: int | None

    def told(self) -> dict[str, Any]:
        """The plan as the core takes it."""
        told = self._asdict()
        del told["threads"]
        return told

    def rows_of_chunk(self, dims: int, items: int) -> int:
        """How many rows a chunk has at most."""
        return _core.rows_of_chunk(self.told(), dims, items)


class Summary(NamedTuple):
    """How a fit went. ``cost``, ``sizes`` and ``costs`` (of the rounds) were measured on all items,
    ``coreset_cost`` on the ``coreset_size`` weighted items that stood for them."""

    cost: float
    sizes: np.ndarray
    costs: list[float]
    rounds: int
    items: int
    chunks: int
    coreset_size: int
    coreset_cost: float
    stop: str


class Task(NamedTuple):
    """A pass over a chunk, which can be sent to where the chunk is."""

    asked: bytes
    threads: int | None

    def __call__(self, chunk: Chunk) -> bytes:
        """What is found of a chunk."""
        rows = np.ascontiguousarray(chunk.rows)
        return _core.go_over(self.asked, rows, chunk.weights, chunk.places, self.threads)


def fit(
    plan: Plan, dims: int, items: int, chunks: int, run: Callable[[Task], list[bytes]], report: Any = None
) -> tuple[Chunk, Summary]:
    """Finds k centers of all items, which are in so many chunks. ``run`` does a task on each of
    them, and returns what it found, in any order."""
    rounds = _core.Rounds(plan.told(), dims, items, chunks)
    while (asked := rounds.pass_bytes()) is not None:
        rounds.take(run(Task(asked, plan.threads)), plan.threads, report)
    rows, places, told = rounds.finish()
    return Chunk(rows, np.ones(len(rows)), places), Summary(**told)


def chunked(batches: Iterator[Chunk], size: int) -> Iterator[Chunk]:
    """Batches of any length as chunks of ``size`` rows, the last of fewer."""
    held: list[Chunk] = []
    rows = 0
    for batch in batches:
        at = 0
        while at < len(batch.rows):
            part = batch.take(slice(at, at + size - rows))
            held.append(part)
            rows += len(part.rows)
            at += len(part.rows)
            if rows == size:
                yield joined(held)
                held, rows = [], 0
    if held:
        yield joined(held)
