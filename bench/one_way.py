"""Streets that are open one way only: what they cost in time and memory.

Every second street of Amsterdam, from one junction to the next, is made one-way. Among the nodes of the largest strongly
connected component that is left, 20 centers are found until certified: with the streets open both ways, along the one-way
streets, and towards the center. Processor time and the peak of memory are those of each process. Run by hand, with
scipy installed, the roads beside the checkout and the command built:

    python bench/one_way.py target/release/kmedian ../shared/data/roads/osm-amsterdam.graph.txt.gz
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

SEEDS = 3


def streets(edges: list[tuple[int, int, str]]) -> list[list[tuple[int, int, str]]]:
    """The edges as streets, each from a junction, or from a dead end, along nodes that have two edges."""
    around = defaultdict(list)
    for number, (one, other, _) in enumerate(edges):
        around[one].append(number)
        around[other].append(number)
    used, found = set(), []
    junctions = [node for node in around if len(around[node]) != 2]
    for node in [*junctions, *around]:
        for number in around[node]:
            street, at = [], node
            while number is not None and number not in used:
                used.add(number)
                one, other, length = edges[number]
                to = other if at == one else one
                street.append((at, to, length))
                at = to
                number = next((next_ for next_ in around[at] if next_ not in used), None) if len(around[at]) == 2 else None
            if street:
                found.append(street)
    return found


def largest_strong_component(arcs: list[tuple[int, int, str]]) -> set[int]:
    nodes = 1 + max(max(arc[:2]) for arc in arcs)
    tails, heads, _ = zip(*arcs)
    matrix = coo_array((np.ones(len(arcs)), (tails, heads)), shape=(nodes, nodes))
    _, labels = connected_components(matrix, connection="strong")
    return set(np.flatnonzero(labels == np.bincount(labels).argmax()).tolist())


def main() -> None:
    command, roads = (str(Path(path).resolve()) for path in sys.argv[1:3])
    with gzip.open(roads, "rt") as lines:
        # The numbers of nodes and edges come first.
        next(lines)
        edges = [(int(one), int(other), length) for one, other, length in map(str.split, lines)]
    arcs = []
    for number, street in enumerate(streets(edges)):
        arcs += street
        if number % 2 == 0:
            arcs += [(head, tail, length) for tail, head, length in street]
    kept = largest_strong_component(arcs)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, lines in (("both.txt", edges), ("arcs.txt", arcs)):
            inside = ((a, b, length) for a, b, length in lines if a in kept and b in kept)
            Path(name).write_text("".join(f"n{a} n{b} {length}\n" for a, b, length in inside))
        ways = {
            "both ways": ["both.txt"],
            "one-way": ["arcs.txt", "--directed"],
            "one-way, towards": ["arcs.txt", "--directed", "--towards"],
        }
        for seed in range(SEEDS):
            for what, how in ways.items():
                run = [command, "fit", how[0], "--graph", *how[1:], "-k", "20", "--seed", str(seed)]
                process = subprocess.Popen(
                    [*run, "--effort", "certified", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                answer = process.stdout.read()
                _, status, used = os.wait4(process.pid, 0)
                if status:
                    sys.exit(f"{what}: exit status {status}")
                found = json.loads(answer)
                (fit,) = found["fits"]
                print(
                    f"seed {seed}, {what:17} {found['n']:,} nodes, cost {fit['cost']:,.0f}, {fit['stop']}, "
                    f"{used.ru_utime + used.ru_stime:5.2f} s, {used.ru_maxrss / 1024:3.0f} MiB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
