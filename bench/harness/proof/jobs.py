"""What is to be proven: OR-Library, TSPLIB, and gaps after multiples of the time of a fit."""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness.proof.data import cities, floored, images, plane, points, table, write_edges
from harness.store import Store

# Sets of TSPLIB up to so many points are searched on the matrix of rounded distances.
MATRIX = 6000

# Seconds for an instance of OR-Library, for one of these by HiGHS, and for a row of TSPLIB: most
# rows end before, once the gap is proven, or neither centers nor bound get better.
ORLIB_LIMIT, HIGHS_LIMIT, TSPLIB_LIMIT = 60, 300, 120

# After how many times the processor time of the fit gaps are looked at.
MULTIPLES = (1, 3, 10)

# How many seeds the optima of OR-Library are looked for from, and by how many restarts at most.
SEEDS, MANY_RESTARTS = 3, "restarts=100000"

# From so many centers on, prices lead to better ones than swaps of all items; of more points than
# `LARGE`, fewer centers are searched for with balanced effort.
MANY, LARGE = 20_000, 50_000

# The last instance of OR-Library that is solved by HiGHS, too, which takes up to half a minute.
LAST_OF_HIGHS = 15


@dataclass(frozen=True)
class Job:
    """Something to prove."""

    part: str
    data: str
    k: int
    place: tuple[str, ...]
    options: tuple[str, ...]
    least: float | None = None
    relaxation: float | None = None
    judge: Callable[[list[int]], float] | None = None


def jobs(store: Store, quick: bool) -> Iterator[Job]:
    """Everything that is to be proven; the sets of TSPLIB that take longest come last."""
    yield from orlib(store, quick)
    yield from multiples(store, quick)
    yield from tsplib(store, quick)


def orlib(store: Store, quick: bool) -> Iterator[Job]:
    """All instances that are there, proven; and by restarts alone, which prove nothing."""
    optima = dict(
        line.split()
        for line in store.real("orlib/pmedopt.txt").read_text().splitlines()[1:]
        if len(line.split()) == 2
    )
    for number in (1, 11) if quick else range(1, 40, 2):
        name = f"pmed{number}"
        whole = store.real(f"orlib/{name}.txt")
        k = int(whole.read_text().split(maxsplit=3)[2])
        place = (
            "graph",
            str(store.made(f"{name}.edges", lambda to, whole=whole: write_edges(whole, to))),
        )
        least = float(optima[name])
        yield Job("orlib", name, k, place, ("optimal", f"time={ORLIB_LIMIT}"), least)
        yield Job("restarts", name, k, place, ("certified", "restarts=200"), least)
        for seed in range(SEEDS):
            until = (f"seed={seed}", f"until={least:.0f}")
            yield Job(
                "met by restarts", name, k, place, ("certified", MANY_RESTARTS, *until), least
            )
            yield Job("met by prices", name, k, place, ("optimal", *until), least)
        if number <= LAST_OF_HIGHS:
            yield Job("highs", name, k, place, (f"time={HIGHS_LIMIT}",), least)


def multiples(store: Store, quick: bool) -> Iterator[Job]:
    """The gap after multiples of the time of the fit."""
    ends = ("gap=0.0001", f"times={MULTIPLES[-1]}")
    if quick:
        yield Job("times", "plane-2000", 20, points(store, "plane-2000", lambda: plane(2000)), ends)
        return
    for k in (10, 20, 100):
        yield Job(
            "times", "mnist-test", k, points(store, "mnist-test", lambda: images(store), 784), ends
        )
    birch = points(store, "birch1", lambda: table(store.real("points/sipu/birch1.txt.gz")))
    yield Job("times", "birch1", 100, birch, ends)
    roads = store.real("roads/osm-amsterdam.graph.txt.gz")
    streets = ("graph", str(store.made("amsterdam.edges", lambda to: write_edges(roads, to))))
    yield Job("times", "amsterdam", 50, streets, ends)
    million = points(store, "plane-1000000", lambda: plane(1_000_000))
    yield Job("times", "plane-1000000", 100, million, (*ends, "balanced"))


def tsplib(store: Store, quick: bool) -> Iterator[Job]:
    """All published rows."""
    with store.real("tsplib/pmedian_optima.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows[:2] if quick else rows:
        name, n, k = row["instance"], int(row["n"]), int(row["p"])
        whole = store.real(f"tsplib/{name}.tsp.gz")
        place = points(store, name, lambda whole=whole: cities(whole))
        if n <= MATRIX:
            more = ("floor",)
        elif k >= MANY:
            more = ("swaps=0",)
        else:
            more = ("balanced",) if n > LARGE else ()
        options = ("gap=0.0003", f"time={TSPLIB_LIMIT}", *more)
        judge = lambda centers, whole=whole: floored(cities(whole), centers)  # noqa: E731
        yield Job(
            "tsplib", name, k, place, options, float(row["value"]), float(row["lp_bound"]), judge
        )
