"""Charts of docs/PERFORMANCE.md, from the rows that its tables are printed from.

``python site/charts.py FOLDER`` writes ``bench-NAME.svg`` for every chart. A bar is the median of a setting, as in the tables. Nothing
but Python is needed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from svg import BLUE, FAINT, GRAY, GREEN, ORANGE, PINK, SOFT, Drawing

ROWS = Path(__file__).resolve().parent.parent / "bench" / "results"

# What methods are called here, and their color; the order is that of the bars. `fasterpam-t` is the faster way to call FasterPAM.
METHODS = {
    "kmedian": ("kmedian", BLUE),
    "kmedian-balanced": ("kmedian, balanced", BLUE),
    "kmedian-fast": ("kmedian, fast", GREEN),
    "fasterpam-t": ("FasterPAM and its matrix", ORANGE),
    "onebatch": ("OneBatchPAM", PINK),
    "faiss": ("faiss k-means, snapped", GRAY),
    "minibatch": ("mini-batch k-means, snapped", GRAY),
}

LEFT, BAR, WIDTH = 220, 330, 760


@dataclass(frozen=True)
class Chart:
    """Bars for every method in every setting of one number of threads: seconds, or memory. `data` leaves other data out."""

    name: str
    title: str
    suite: str
    measure: str
    threads: int
    data: str | None = None


CHARTS = [
    Chart("images-l2", "10,000 images, l2, one thread: seconds", "mnist-l2", "seconds", 1),
    Chart("images-l2-memory", "10,000 images, l2, one thread: memory in MiB", "mnist-l2", "peak_mib", 1),
    Chart("images-l1", "10,000 images, l1, one thread: seconds", "mnist-l1", "seconds", 1),
    Chart("plane", "20,000 points in the plane, one thread: seconds", "birch", "seconds", 1, "birch1-20000"),
    Chart("million", "A million points, k = 1,000, two threads: seconds", "million", "seconds", 2),
]


def rows(suite: str) -> list[dict]:
    """All rows of a suite."""
    return [json.loads(line) for line in (ROWS / f"{suite}.jsonl").read_text(encoding="utf-8").splitlines()]


def bars(chart: Chart, given: Iterable[dict]) -> dict[int, list[tuple[str, float, float]]]:
    """For every k, the methods with their median measure, and their cost as a multiple of the least cost at that k."""
    found: dict[int, dict[str, list[dict]]] = {}
    for row in given:
        wanted = row["threads"] == chart.threads and row["outcome"] == "ok" and chart.data in (None, row["data"])
        if wanted and row["method"] in METHODS:
            found.setdefault(row["k"], {}).setdefault(row["method"], []).append(row)
    shown = {}
    for k, methods in sorted(found.items()):
        costs = {method: median(row["cost"] for row in runs) for method, runs in methods.items()}
        least = min(costs.values())
        shown[k] = [
            (method, median(row[chart.measure] for row in methods[method]), costs[method] / least) for method in METHODS if method in methods
        ]
    return shown


def draw(chart: Chart, shown: dict[int, list[tuple[str, float, float]]]) -> str:
    """The chart as SVG: bars from zero, all on one scale, each with its number and what its centers cost."""
    count = sum(len(methods) for methods in shown.values())
    sheet = Drawing(WIDTH, 96 + 24 * count + 30 * len(shown), chart.title)
    sheet.text(16, 30, chart.title, size=17, bold=True)
    sheet.text(16, 52, "Shorter is better. In brackets: the cost of the centers above the least of that k.", color=SOFT)
    most = max(value for methods in shown.values() for _, value, _ in methods)
    y = 82.0
    for k, methods in shown.items():
        sheet.text(16, y, f"k = {k:,}", bold=True)
        y += 12
        for method, value, cost in methods:
            name, color = METHODS[method]
            long = BAR * value / most
            sheet.text(LEFT - 10, y + 13, name, anchor="end", size=12)
            sheet.box(LEFT, y, long, 17, fill=color)
            above = "least cost" if cost < 1.00005 else f"+{cost - 1:.2%}"
            number = f"{value:,.0f}" if chart.measure == "peak_mib" else f"{value:,.2f} s"
            sheet.text(LEFT + long + 8, y + 13, f"{number}  ({above})", size=12)
            y += 24
        y += 18
    sheet.line(LEFT, 72, LEFT, y - 22, color=FAINT)
    return sheet.svg()


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for chart in CHARTS:
        (folder / f"bench-{chart.name}.svg").write_text(draw(chart, bars(chart, rows(chart.suite))), encoding="utf-8")


if __name__ == "__main__":
    main()
