"""Centers of more items than memory holds: coresets first, then rounds over all items.

1. Items come in chunks that fit into memory. Of each chunk, t·k weighted centers are found by the
   effort "fast"; together they stand for all items (composable coresets in general metrics:
   Mazzetto, Pietracaprina, Pucci 2019).
2. The union of these, the coreset, is clustered, which gives the first k centers.
3. Every round goes once over all items. It measures the cost of the centers, what each of them
   serves, and the cost of clusters if candidates took the places of their centers; and it draws new
   candidates, some near the centers and some from where the cost is high. Then each center gives way
   to its best candidate, which never raises the cost; and the coreset, with the new items among its
   candidates, is searched for exchanges over longer distances, which the next round measures, too.
   Rounds end once they improve the cost by less than a tolerance.

The same seed and the same chunks give the same centers: what is drawn of a chunk follows from the seed
and the chunk's own bytes, and sums are added in the order of the hashes of chunks.
"""

from __future__ import annotations

import hashlib
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from . import _core, _search

# How many bytes a chunk takes for each value of a row, and for each row: the row as it came and as
# 32-bit floats, copies that the search makes of it, and what it keeps of each item.
_PER_VALUE = 24
_PER_ROW = 160

# The share of the memory that a search may use for bounds of distances.
_BOUNDS = 4

# The most weighted centers of a chunk, in multiples of k: more hardly improve a coreset, and take
# longer to find.
_MOST = 8

# The candidates of each center that a round judges, those that it draws of each chunk, and of how
# many items these are the best.
_JUDGED = 6
_DRAWN = 2
_ASKED = 32

# The share of k of the items that each round draws from where the cost is high.
_FAR = 2

# The most items of a cluster by which its candidates are compared before a round.
_WITNESSES = 128


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
    """What every task needs to know."""

    k: int
    metric: str
    objective: str
    seed: int
    memory: int
    threads: int | None

    def rows_of_chunk(self, dims: int) -> int:
        """How many rows fit into the memory of a task."""
        return self.memory // (_PER_VALUE * dims + _PER_ROW)

    def costs(self, distances: np.ndarray) -> np.ndarray:
        """What distances cost."""
        wide = distances.astype(np.float64)
        return wide if self.objective == "median" else wide * wide

    def search(self, effort: str) -> dict[str, Any]:
        """The options of a search within the memory."""
        return _search.checked({"effort": effort, "memory": max(self.memory // _BOUNDS, 1 << 20)})


class Centers(NamedTuple):
    """Centers, and for each some candidates that may take its place, filled up with the center
    itself; ``others`` are centers for comparison, ``None`` if there are none."""

    chosen: Chunk
    candidates: Chunk
    others: Chunk | None


class Measured(NamedTuple):
    """What one pass over a chunk, or over all, has found."""

    costs: np.ndarray
    sizes: np.ndarray
    # For each center and candidate, the cost of the cluster if the candidate was its center.
    judged: np.ndarray
    other_cost: float
    near: Chunk
    far: Chunk


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


def digest(chunk: Chunk) -> bytes:
    """A hash of the items of a chunk."""
    hashed = hashlib.blake2b(np.ascontiguousarray(chunk.rows).data, digest_size=16)
    hashed.update(np.ascontiguousarray(chunk.weights).data)
    return hashed.digest()


def _generator(seed: int, what: str, of: bytes = b"") -> np.random.Generator:
    """A generator whose draws follow from a seed and a name."""
    named = hashlib.blake2b(f"{seed} {what}".encode() + of, digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(named, "little")))


def cluster(plan: Plan, chunk: Chunk, k: int, effort: str, seed: int, init: Any = "auto") -> tuple[Any, float]:
    """The positions of k centers of the items of a chunk, and their cost."""
    positive = np.flatnonzero(chunk.weights > 0)
    if len(chunk.rows) <= k or len(positive) == 0:
        return np.arange(min(k, len(chunk.rows))), 0.0
    how = {"objective": plan.objective, "init": init, "gap": None, "seed": seed, "places": _ANYWHERE}
    items = _core.Items.vectors(np.ascontiguousarray(chunk.rows), plan.metric)
    (found,) = _core.fit(items, [k], how, plan.search(effort), chunk.weights, plan.threads, None)
    return found.centers, found.cost


_ANYWHERE: dict[str, Any] = {"candidates": None, "fixed": []}


def coreset(plan: Plan, chunk: Chunk, wanted: int) -> Chunk:
    """Weighted items that stand for a chunk: each has the weight of all items that are nearest to
    it."""
    if len(chunk.rows) <= wanted:
        return chunk
    seed = int(_generator(plan.seed, "coreset", digest(chunk)).integers(2**63))
    centers, _ = cluster(plan, chunk, wanted, "fast", seed)
    kept = chunk.take(centers)
    labels, _ = _core.nearest(np.ascontiguousarray(chunk.rows), kept.rows, plan.metric, plan.threads)
    return kept._replace(weights=np.bincount(labels, chunk.weights, len(centers)))


def measure(plan: Plan, round_: int, centers: Centers, chunk: Chunk) -> Measured:
    """One pass over the items of a chunk."""
    k = len(centers.chosen.rows)
    rows = np.ascontiguousarray(chunk.rows)
    labels, distances = _core.nearest(rows, centers.chosen.rows, plan.metric, plan.threads)
    costs = plan.costs(distances) * chunk.weights
    of_centers = np.bincount(labels, costs, k)
    judged = _judge(plan, centers, rows, labels, chunk.weights)
    other_cost = 0.0
    if centers.others is not None:
        other = _core.nearest(rows, centers.others.rows, plan.metric, plan.threads)[1]
        other_cost = float((plan.costs(other) * chunk.weights).sum())
    rng = _generator(plan.seed, f"round {round_}", digest(chunk))
    near = chunk.take(_near(rng, plan, chunk, labels, distances, k))
    return Measured(
        of_centers, np.bincount(labels, chunk.weights, k), judged, other_cost, near, chunk.take(_far(rng, costs, k))
    )


def _judge(plan: Plan, centers: Centers, rows: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """For each center and candidate, the cost of the center's items from the candidate."""
    k = len(centers.chosen.rows)
    each = len(centers.candidates.rows) // k
    candidates = centers.candidates.rows.reshape(k, each, -1)
    order = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[order], np.arange(k + 1))
    judged = np.zeros((k, each))
    rows, weights = rows[order], weights[order]
    for center in np.flatnonzero(np.diff(ends)):
        mine = slice(ends[center], ends[center + 1])
        apart = _core.distances_between(rows[mine], candidates[center], plan.metric, 1)
        judged[center] = weights[mine] @ plan.costs(apart)
    return judged


def _near(
    rng: np.random.Generator, plan: Plan, chunk: Chunk, labels: np.ndarray, distances: np.ndarray, k: int
) -> np.ndarray:
    """A few items of each cluster that cost it less than others do, as far as samples tell."""
    sums, sizes = np.bincount(labels, distances, k), np.bincount(labels, minlength=k)
    inner = distances <= (sums / np.maximum(sizes, 1))[labels]
    mixed = rng.permutation(len(labels))
    order = mixed[np.argsort(labels[mixed], kind="stable")]
    ends = np.searchsorted(labels[order], np.arange(k + 1))
    found = []
    for center in np.flatnonzero(sizes):
        mine = order[ends[center] : ends[center + 1]]
        witnesses, asked = mine[:_WITNESSES], mine[inner[mine]][:_ASKED]
        apart = _core.distances_between(chunk.rows[asked], chunk.rows[witnesses], plan.metric, 1)
        cost = plan.costs(apart) @ chunk.weights[witnesses]
        found.append(asked[np.argsort(cost, kind="stable")[:_DRAWN]])
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _far(rng: np.random.Generator, costs: np.ndarray, k: int) -> np.ndarray:
    """Some items, drawn in proportion to what they cost."""
    total = costs.sum()
    if not total > 0:
        return np.zeros(0, dtype=np.int64)
    drawn = np.searchsorted(np.cumsum(costs), rng.random(min(_FAR * k, len(costs))) * total)
    return np.unique(np.minimum(drawn, len(costs) - 1))


class Source(NamedTuple):
    """All items. ``map`` runs a task on every chunk, and returns what it found of each, in an order
    that follows from the chunks alone; ``items`` is how many there are, in ``chunks`` chunks."""

    map: Callable[..., list[Any]]
    items: int
    dims: int
    chunks: int


def fit(source: Source, plan: Plan, tolerance: float, most_rounds: int, report: Any = None) -> tuple[Chunk, Summary]:
    """Finds k centers of all items."""
    size = plan.rows_of_chunk(source.dims)
    if size < 4 * plan.k:
        least = 4 * plan.k * (_PER_VALUE * source.dims + _PER_ROW)
        raise ValueError(
            f"memory={plan.memory} is too little for chunks of 4·k rows; give at least {least} bytes, or fewer clusters"
        )
    # So many weighted centers of a chunk that all of them are no more than a chunk again.
    wanted = plan.k * int(np.clip(size // (source.chunks * plan.k), 1, _MOST))
    parts = source.map(_coreset_task, (plan, wanted))
    if not parts:
        raise ValueError("there are no items; give a table that has rows")
    known = joined(parts)
    while len(known.rows) > size:
        pieces = [known.take(slice(at, at + size)) for at in range(0, len(known.rows), size)]
        known = joined([coreset(plan, piece, min(wanted, size // 2)) for piece in pieces])
    if len(known.rows) < plan.k:
        raise ValueError(f"there are {len(known.rows)} items, but {plan.k} centers are wanted; give fewer clusters")
    at, coreset_cost = cluster(plan, known, plan.k, "auto", plan.seed)
    return _rounds(source, plan, known, known.take(at), coreset_cost, len(parts), tolerance, most_rounds, report)


def _coreset_task(given: tuple[Plan, int], chunk: Chunk) -> Chunk:
    return coreset(given[0], chunk, given[1])


def _measure_task(given: tuple[Plan, int, Centers], chunk: Chunk) -> Measured:
    return measure(*given, chunk)


def _rounds(
    source: Source, plan: Plan, known: Chunk, chosen: Chunk, coreset_cost: float, chunks: int, tolerance: float,
    most_rounds: int, report: Any,
) -> tuple[Chunk, Summary]:  # fmt: skip
    costs: list[float] = []
    pool, others, stop = known, None, "max-rounds"
    sizes = np.zeros(plan.k)
    best, best_sizes, best_cost = chosen, sizes, np.inf
    for round_ in range(most_rounds + 1):
        centers = Centers(chosen, _candidates(plan, known, pool, chosen), others)
        found = added(source.map(_measure_task, (plan, round_, centers)))
        cost, sizes = float(found.costs.sum()), found.sizes
        if others is not None and found.other_cost < cost:
            # The exchanges over longer distances were good: what was measured of them is the cost.
            chosen, others = others, None
            cost = found.other_cost
            gone_over = None
        else:
            gone_over = found
        costs.append(cost)
        if report is not None:
            report("round", {"round": round_, "cost": cost})
        if cost < best_cost:
            improved = 1 - cost / best_cost if np.isfinite(best_cost) else 1.0
            best, best_cost = chosen, cost
            if gone_over is not None:
                best_sizes = sizes
        else:
            improved = 0.0
        if improved < tolerance and round_ > 0 and gone_over is not None:
            stop = "tolerance"
            break
        if round_ == most_rounds:
            break
        pool = joined([known, found.near, found.far])
        others = _exchanged(plan, known, joined([found.near, found.far]), chosen, round_)
        if gone_over is not None:
            chosen = _given_way(centers, found)
    if best is not chosen or best_sizes is not sizes:
        last = added(source.map(_measure_task, (plan, most_rounds + 1, Centers(best, best, None))))
        best_cost, best_sizes = float(last.costs.sum()), last.sizes
    summary = Summary(
        best_cost, best_sizes, costs, len(costs), source.items, chunks, len(known.rows), coreset_cost, stop
    )
    return best, summary


def added(parts: list[Measured]) -> Measured:
    """What was measured of all chunks together."""
    return Measured(
        np.sum([part.costs for part in parts], axis=0),
        np.sum([part.sizes for part in parts], axis=0),
        np.sum([part.judged for part in parts], axis=0),
        float(np.sum([part.other_cost for part in parts])),
        joined([part.near for part in parts]),
        joined([part.far for part in parts]),
    )


def _candidates(plan: Plan, known: Chunk, pool: Chunk, chosen: Chunk) -> Chunk:
    """For each center the candidates that a round judges: those of the pool that cost the coreset of
    its cluster least."""
    k = len(chosen.rows)
    of_known = _core.nearest(np.ascontiguousarray(known.rows), chosen.rows, plan.metric, plan.threads)[0]
    of_pool = _core.nearest(np.ascontiguousarray(pool.rows), chosen.rows, plan.metric, plan.threads)[0]
    witnesses, members = _by_label(of_known, k), _by_label(of_pool, k)
    taken: list[Chunk] = []
    for center in range(k):
        mine, there = known.take(witnesses[center]), pool.take(members[center])
        heavy = mine.take(np.argsort(-mine.weights, kind="stable")[:_WITNESSES])
        if len(there.rows) and len(heavy.rows):
            apart = _core.distances_between(there.rows, heavy.rows, plan.metric, 1)
            order = np.argsort(plan.costs(apart) @ heavy.weights, kind="stable")[:_JUDGED]
            there = there.take(order)
        else:
            there = there.take(slice(0, 0))
        filler = chosen.take([center] * (_JUDGED - len(there.rows)))
        taken.append(joined([there, filler]))
    return joined(taken)


def _by_label(labels: np.ndarray, k: int) -> list[np.ndarray]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, k)))


def _given_way(centers: Centers, found: Measured) -> Chunk:
    """The centers, each replaced by its best candidate if that costs its cluster less."""
    k, each = found.judged.shape
    best = found.judged.argmin(axis=1)
    better = found.judged[np.arange(k), best] < found.costs
    chosen = Chunk(*(part.copy() for part in centers.chosen))
    which = np.flatnonzero(better)
    for mine, theirs in zip(chosen, centers.candidates):
        mine[which] = theirs[which * each + best[which]]
    return chosen


def _exchanged(plan: Plan, known: Chunk, new: Chunk, chosen: Chunk, round_: int) -> Chunk | None:
    """Centers after a search on the coreset that begins with the given ones, and where new items may
    be centers, too; ``None`` if it finds none that are better."""
    k = len(chosen.rows)
    free = joined([chosen, known, new])
    weights = np.concatenate([np.zeros(k), known.weights, np.zeros(len(new.rows))])
    seed = int(_generator(plan.seed, f"exchange {round_}").integers(2**63))
    at, _ = cluster(plan, free._replace(weights=weights), k, "balanced", seed, list(range(k)))
    return None if np.array_equal(np.sort(at), np.arange(k)) else free.take(at)


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
