"""What every peer shares: its command line, its clock and its answer."""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Found = TypeVar("Found")

# What is short is done again for so many seconds, so often at most, and the time in the middle counts:
# a processor takes some tens of milliseconds to come up to its speed.
AGAIN = 0.3
TIMES = 15


@dataclass
class Clock:
    """Seconds by part: of the processor with one thread, by the clock with more. Imports, and what
    a library does when it is first called, come before the first part, so they are not counted.
    """

    threads: int
    parts: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Times what is done inside."""
        now = time.process_time if self.threads == 1 else time.perf_counter
        begun = now()
        yield
        self.parts[name] = self.parts.get(name, 0.0) + now() - begun

    def typical(self, work: Callable[[], Found]) -> Found:
        """Does some work, all of it in parts, and does it again if it is short: the parts are then
        those of the run whose time is in the middle.
        """
        before, runs = self.parts, []
        while True:
            self.parts = {}
            found = work()
            runs.append(self.parts)
            if len(runs) == TIMES or sum(sum(run.values()) for run in runs) >= AGAIN:
                break
        self.parts = before | sorted(runs, key=lambda run: sum(run.values()))[len(runs) // 2]
        return found


@dataclass(frozen=True)
class Task:
    """What a peer is asked for."""

    points: Array
    k: int
    metric: str
    seed: int
    threads: int
    clock: Clock
    transposed: bool

    def answer(self, packages: list[str], medoids: Iterable[int], **more: object) -> None:
        """Prints the answer with the field names that `kmedian fit --json` uses."""
        found: dict[str, object] = {
            "center_indices": [int(medoid) for medoid in medoids],
            "seconds": self.clock.parts,
            "versions": {package: version(package) for package in packages},
        }
        print(json.dumps(found | more))


def task() -> Task:
    """Reads the command line and the points."""
    parser = argparse.ArgumentParser()
    parser.add_argument("points", type=Path)
    parser.add_argument("-k", type=int, required=True)
    parser.add_argument("--metric", choices=["l1", "l2", "angular"], required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--transposed", action="store_true")
    given = parser.parse_args()
    clock = Clock(given.threads)
    with clock.part("load"):
        points = np.load(given.points)
    return Task(points, given.k, given.metric, given.seed, given.threads, clock, given.transposed)
