"""Graphs: balls of a road network, and the p-median instances of OR-Library."""

import gzip
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from harness.store import Store


@dataclass(frozen=True)
class Amsterdam:
    """The first nodes that a breadth-first search from node 0 finds; no number: all of them."""

    nodes: int | None = None
    graph: bool = True

    @property
    def name(self) -> str:
        return "amsterdam" if self.nodes is None else f"amsterdam-ball-{self.nodes}"

    def file(self, store: Store) -> Path:
        whole = store.real("roads/osm-amsterdam.graph.txt.gz")
        if self.nodes is None:
            return whole
        most = self.nodes
        return store.made(f"{self.name}.graph.txt", lambda path: write_ball(whole, most, path))

    def optimum(self, store: Store) -> float | None:
        return None


@dataclass(frozen=True)
class Pmed:
    """An instance of OR-Library, which carries its own k."""

    number: int
    graph: bool = True

    @property
    def name(self) -> str:
        return f"pmed{self.number}"

    def file(self, store: Store) -> Path:
        return store.real(f"orlib/{self.name}.txt")

    def optimum(self, store: Store) -> float | None:
        for line in store.real("orlib/pmedopt.txt").read_text().splitlines():
            words = line.split()
            if words and words[0] == self.name:
                return float(words[1])
        return None


def edges_of(path: Path) -> tuple[int, dict[tuple[int, int], float]]:
    """The number of nodes, and the weight of every edge, counted from 0.

    OR-Library counts from 1, and its first line has a third number. A pair that is listed twice
    takes its last weight, as OR-Library means it.
    """
    text = (
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    ).decode()
    lines = text.splitlines()
    head = lines[0].split()
    first = 1 if len(head) == 3 else 0
    edges: dict[tuple[int, int], float] = {}
    for line in lines[1:]:
        if not line.strip():
            continue
        one, other, weight = line.split()
        ends = (int(one) - first, int(other) - first)
        edges[min(ends), max(ends)] = float(weight)
    return int(head[0]), edges


def write_ball(whole: Path, most: int, to: Path) -> None:
    """Writes the graph of the first nodes of a breadth-first search, renumbered in that order."""
    nodes, edges = edges_of(whole)
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    place = {0: 0}
    waiting = deque([0])
    while waiting and len(place) < most:
        for other in neighbours[waiting.popleft()]:
            if other not in place and len(place) < most:
                place[other] = len(place)
                waiting.append(other)
    inside = [
        f"{place[one]} {place[other]} {weight:g}"
        for (one, other), weight in edges.items()
        if one in place and other in place
    ]
    to.write_text("\n".join([f"{len(place)} {len(inside)}", *inside]) + "\n")
