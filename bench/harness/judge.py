"""Judges answers: sizes of the data, and costs that no method reports about itself."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.cost import cost_of_graph, cost_of_points


@dataclass
class Judge:
    """Remembers costs: equal answers, as of different thread counts, are judged once."""

    known: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def cost(self, file: Path, metric: str, medoids: list[int]) -> float:
        """The cost of medoids."""
        key = (file.name, metric, digest(medoids))
        if key not in self.known:
            if file.suffix == ".npy":
                self.known[key] = cost_of_points(np.load(file, mmap_mode="r"), medoids, metric)
            else:
                self.known[key] = cost_of_graph(file, medoids)
        return self.known[key]


def digest(medoids: list[int]) -> str:
    """A short name of a set of medoids: equal sets have equal names."""
    text = ",".join(str(medoid) for medoid in sorted(medoids))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def shape(file: Path) -> tuple[int, int]:
    """Items and dimensions of a file of points; a graph's nodes have no coordinates."""
    if file.suffix != ".npy":
        return 0, 0
    n, d = np.load(file, mmap_mode="r").shape
    return int(n), int(d)
