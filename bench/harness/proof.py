"""What is proven of centers, after how much processor time: TSPLIB, OR-Library, images, streets.

All of it is run by `crates/kmedian/examples/proof.rs`, which prints a line for each bound.
Processor seconds are those of all threads, so that they hardly depend on what else the machine
does; only a time limit looks at the clock.
"""

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from harness.machine import cpu, now, output
from harness.networks import edges_of
from harness.store import Store
from harness.tables import aligned

NAME = "proof"

# Sets of TSPLIB up to so many points are searched on the matrix of rounded distances.
MATRIX = 6000

# Seconds for a set of TSPLIB, and for an instance of OR-Library.
TSPLIB_LIMIT, ORLIB_LIMIT = 60, 60

MULTIPLES = (1, 3, 10)

MANY = 10_000

# HiGHS takes minutes for the first instances of OR-Library, and too long for those after this.
LAST_OF_HIGHS = 15


@dataclass(frozen=True)
class Proven:
    """One run. The judged cost of TSPLIB is that of distances rounded down; `least` is what is
    published: the optimum, or the best that is known.
    """

    part: str
    data: str
    k: int
    options: str
    cost: float
    bound: float
    stop: str
    processor: float
    fit: float
    judged: float
    least: float | None
    relaxation: float | None
    # After so many times the processor time of the fit: the gap.
    after: dict[str, float]
    build: str
    version: str
    cpu: str
    date: str

    @property
    def gap(self) -> float:
        return 1 - self.bound / self.cost if self.cost else 0.0

    @property
    def excess(self) -> float | None:
        return None if self.least is None else self.judged / self.least - 1


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
        if number <= LAST_OF_HIGHS:
            yield Job("highs", name, k, place, (), least)


def highs(job: Job) -> Proven:
    """The same instance by HiGHS, in a process of its own."""
    command = [sys.executable, "-m", "peers.highs", job.place[1], str(job.k)]
    bench = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=bench)
    said = json.loads(done.stdout.splitlines()[-1])
    proven = said["status"] == "Optimal"
    versions = {name: metadata.version(name) for name in ("spopt", "highspy")}
    return Proven(
        part="highs",
        data=job.data,
        k=job.k,
        options="",
        cost=said["cost"],
        bound=said["cost"] if proven else 0.0,
        stop="optimal" if proven else said["status"],
        processor=said["processor"],
        fit=0.0,
        judged=said["cost"],
        least=job.least,
        relaxation=None,
        after={},
        build="",
        version=", ".join(f"{name} {version}" for name, version in versions.items()),
        cpu=cpu(),
        date=now(),
    )


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
        # With ten thousand centers and more, prices lead to better centers than swaps of all items.
        more = ("floor",) if n <= MATRIX else ("swaps=0",) if k >= MANY else ()
        options = ("gap=0.0003", f"time={TSPLIB_LIMIT}", *more)
        judge = lambda centers, whole=whole: floored(cities(whole), centers)  # noqa: E731
        yield Job(
            "tsplib", name, k, place, options, float(row["value"]), float(row["lp_bound"]), judge
        )


def points(store: Store, name: str, make: Callable[[], object], dims: int = 2) -> tuple[str, ...]:
    """The words that name a file of points."""

    def write(to: Path) -> None:
        import numpy as np

        np.asarray(make(), dtype="<f4").tofile(to)

    return ("points", str(store.made(f"{name}.f32", write)), str(dims))


def write_edges(whole: Path, to: Path) -> None:
    """A graph in the form that the example reads."""
    nodes, edges = edges_of(whole)
    to.write_text(
        "\n".join([str(nodes), *(f"{a} {b} {length:g}" for (a, b), length in edges.items())]) + "\n"
    )


def cities(whole: Path) -> object:
    """The points of a set of TSPLIB, in 64 bits."""
    import numpy as np

    text = gzip.decompress(whole.read_bytes()).decode()
    lines = text.split("NODE_COORD_SECTION", 1)[1].split("EOF")[0].strip().splitlines()
    return np.array([[float(word) for word in line.split()[1:3]] for line in lines])


def floored(places: object, centers: list[int]) -> float:
    """The cost of centers where distances are rounded down."""
    import numpy as np
    from scipy.spatial import cKDTree

    places = np.asarray(places)
    return float(np.floor(cKDTree(places[centers]).query(places)[0]).sum())


def images(store: Store) -> object:
    """The test images of MNIST, scaled to [0, 1]."""
    import numpy as np

    raw = gzip.decompress(store.real("mnist/t10k-images-idx3-ubyte.gz").read_bytes())
    return np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784) / np.float32(255)


def table(file: Path) -> object:
    """Numbers in columns."""
    import numpy as np

    return np.loadtxt(file, dtype=np.float32)


def plane(n: int) -> object:
    """Points in the plane in 200 round clusters and everywhere else, from a fixed seed."""
    import numpy as np

    rng = np.random.default_rng(7)
    middles, spread = rng.random((200, 2)) * 1000, rng.uniform(2, 40, (200, 1))
    of = rng.integers(0, 200, n - n // 10)
    grouped = middles[of] + rng.normal(size=(len(of), 2)) * spread[of]
    return np.vstack([grouped, rng.random((n // 10, 2)) * 1000])


def run(binary: Path, store: Store, to: Path, quick: bool, parts: list[str]) -> None:
    """Runs what has no row yet, and appends a row for each."""
    to.parent.mkdir(parents=True, exist_ok=True)
    done = {(row.part, row.data, row.k, row.options) for row in read(to)}
    version = output(["git", "describe", "--always", "--dirty"], Path(__file__).parent)
    for job in jobs(store, quick):
        options = " ".join(job.options)
        if (parts and job.part not in parts) or (job.part, job.data, job.k, options) in done:
            continue
        row = highs(job) if job.part == "highs" else prove(binary, job, version)
        with to.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
        shown = "" if row.excess is None else f", {row.excess:.3%} above the published value"
        print(
            f"{job.part} {job.data} k={job.k}: gap {row.gap:.3%}{shown}, "
            f"{row.processor:.1f} s, {row.stop}",
            flush=True,
        )


def prove(binary: Path, job: Job, version: str) -> Proven:
    """One run."""
    command = [str(binary), *job.place, str(job.k), *job.options]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in said.splitlines()]
    fit = next((float(line[1]) for line in lines if line[0] == "fit"), 0.0)
    steps = [tuple(map(float, line[1:4])) for line in lines if line[0] == "step"]
    _, processor, bound, cost, stop = next(line for line in lines if line[0] == "end")
    centers = next([int(word) for word in line[1:]] for line in lines if line[0] == "centers")
    after = {}
    for times in MULTIPLES if job.part == "times" else ():
        seen = [(bound, cost) for at, bound, cost in steps if at - fit <= times * fit]
        if seen:
            after[str(times)] = 1 - seen[-1][0] / seen[-1][1]
    return Proven(
        part=job.part,
        data=job.data,
        k=job.k,
        options=" ".join(job.options),
        cost=float(cost),
        bound=float(bound),
        stop=stop,
        processor=float(processor),
        fit=fit,
        judged=job.judge(centers) if job.judge else float(cost),
        least=job.least,
        relaxation=job.relaxation,
        after=after,
        build="release" if "release" in binary.parts else "debug",
        version=version,
        cpu=cpu(),
        date=now(),
    )


def read(path: Path) -> list[Proven]:
    """All rows of a file; none if there is no file."""
    if not path.exists():
        return []
    return [Proven(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def report(rows: list[Proven]) -> str:
    """All tables, and what they show."""
    of = lambda part: [row for row in rows if row.part == part]  # noqa: E731
    text = ["## Proven gaps (`proof`)", ""]
    for part in ("orlib", "restarts", "highs", "tsplib"):
        text += [f"### {part}", "", *published(of(part)), ""]
    text += [
        "### gaps after multiples of the time of the fit",
        "",
        *timed(of("times")),
        "",
        "```text",
    ]
    text += [
        *claims(of("orlib"), of("restarts"), of("highs")),
        *claims_of_large(of("tsplib"), of("times")),
        "```",
        "",
    ]
    return "\n".join(text)


def published(rows: list[Proven]) -> list[str]:
    """Rows with published values."""
    heads = [
        "data",
        "k",
        "cost",
        "published",
        "excess %",
        "gap %",
        "relaxation %",
        "processor s",
        "stop",
    ]
    cells = [
        [
            row.data,
            str(row.k),
            f"{row.judged:,.0f}",
            f"{row.least:,.0f}",
            f"{100 * (row.excess or 0.0):.3f}",
            f"{100 * row.gap:.3f}" if row.bound else "",
            f"{100 * (1 - row.relaxation / row.least):.3f}" if row.relaxation and row.least else "",
            f"{row.processor:.2f}",
            row.stop,
        ]
        for row in rows
    ]
    return aligned(heads, cells)


def timed(rows: list[Proven]) -> list[str]:
    """Gaps in percent after multiples of the time of the fit."""
    heads = [
        "data",
        "k",
        "fit s",
        *(f"{times} ×" for times in MULTIPLES),
        "at the end",
        "processor s",
        "stop",
    ]
    cells = []
    for row in rows:
        gaps = [
            f"{100 * row.after[str(times)]:.3f} %" if str(times) in row.after else "none"
            for times in MULTIPLES
        ]
        end = [f"{100 * row.gap:.3f} %", f"{row.processor:.1f}", row.stop]
        cells.append([row.data, str(row.k), f"{row.fit:.2f}", *gaps, *end])
    return aligned(heads, cells)


def verdict(passed: bool, text: str) -> str:
    """PASS, or LIMIT: as far as it goes."""
    return f"{'PASS ' if passed else 'LIMIT'}  {text}"


def claims(orlib: list[Proven], restarts: list[Proven], highs: list[Proven]) -> Iterator[str]:
    """What the rows of OR-Library are to show."""
    if not orlib:
        return
    worst, proven = max(row.gap for row in orlib), sum(row.stop == "optimal" for row in orlib)
    yield verdict(worst <= 0.0005, f"OR-Library: gap ≤ 0.05 % in all: {worst:.3%}")
    yield verdict(
        proven >= 0.9 * len(orlib), f"OR-Library: {proven} of {len(orlib)} proven optimal"
    )
    if restarts:
        ours, theirs = sum(row.processor for row in orlib), sum(row.processor for row in restarts)
        met = sum(row.judged == row.least for row in restarts)
        half = f"found and proven with dismissed sites in {ours:.1f} s"
        yield verdict(
            ours <= 0.5 * theirs,
            f"OR-Library: {half}; 200 restarts take {theirs:.1f} s and meet {met}",
        )
    by_name = {row.data: row for row in orlib}
    for row in highs:
        ours = by_name[row.data].processor
        by_highs = f"by HiGHS in {row.processor:.2f} s ({row.stop})"
        yield f"       {row.data}: proven in {ours:.2f} s, {by_highs}"


def claims_of_large(tsplib: list[Proven], timed: list[Proven]) -> Iterator[str]:
    """What the rows of TSPLIB and of large data are to show."""
    if tsplib:
        excess = [row.excess or 0.0 for row in tsplib]
        small = sum(row.gap <= 0.0025 for row in tsplib)
        mean = sum(excess) / len(excess)
        yield verdict(
            mean <= 0.00055, f"TSPLIB, {len(tsplib)} of 70 rows: mean excess ≤ 0.055 %: {mean:.4%}"
        )
        yield verdict(max(excess) <= 0.005, f"TSPLIB: none above 0.5 %: {max(excess):.3%}")
        yield verdict(
            small >= 0.9 * len(tsplib), f"TSPLIB: gap ≤ 0.25 % in {small} of {len(tsplib)}"
        )
        large = [f"{row.data} p={row.k} {row.gap:.2%}" for row in tsplib if row.gap > 0.01]
        yield verdict(not large, f"TSPLIB: gap ≤ 1 % in all; above: {', '.join(large) or 'none'}")
    targets = {"birch1": 0.005, "amsterdam": 0.005, "mnist-test": 0.01}
    for row in timed:
        target = targets.get(row.data)
        gap = row.after.get(str(MULTIPLES[-1]), 1.0)
        if target:
            yield verdict(
                gap <= target,
                f"{row.data} k={row.k}: gap ≤ {target:.1%} after 10 × the fit: {gap:.3%}",
            )


def main() -> None:
    """By hand: `python -m harness.proof BINARY DATA ROWS [PART…]`."""
    binary, data, rows, *parts = sys.argv[1:]
    root = Path(__file__).resolve().parents[2]
    store = Store(root.parent / "shared" / "data", Path(data))
    os.nice(5)
    run(
        Path(binary),
        store,
        Path(rows),
        "--quick" in parts,
        [part for part in parts if part != "--quick"],
    )
    print(report(read(Path(rows))))


if __name__ == "__main__":
    main()
