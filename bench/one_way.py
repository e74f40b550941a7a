"""Streets that are open one way only: what they cost in time and memory.

Every second street of Amsterdam (the second, the fourth … line of the file) is made one-way, and 20 centers are found
until certified: on the graph as it is, on the one-way streets, and towards the center. Centers are nodes of the largest
(strongly) connected component. Processor time and the peak of memory are those of each process. Run by hand, with the
roads beside the checkout and the command built:

    python bench/one_way.py target/release/kmedian ../shared/data/roads/osm-amsterdam.graph.txt.gz
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SEEDS = 3


def main() -> None:
    command, roads = (str(Path(path).resolve()) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with gzip.open(roads, "rt") as lines, open("arcs.txt", "w") as arcs, open("both.txt", "w") as both:
            # The numbers of nodes and edges come first.
            next(lines)
            for number, line in enumerate(lines):
                tail, head, length = line.split()
                both.write(line)
                arcs.write(line)
                if number % 2 == 0:
                    arcs.write(f"{head} {tail} {length}\n")
        ways = {
            "both ways": ["both.txt"],
            "one-way": ["arcs.txt", "--directed"],
            "one-way, towards": ["arcs.txt", "--directed", "--towards"],
        }
        for seed in range(SEEDS):
            for what, how in ways.items():
                run = [command, "fit", how[0], "--graph", "--largest-component", *how[1:], "-k", "20", "--seed", str(seed)]
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
