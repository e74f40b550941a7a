"""Tables from rows. Nothing is run here. A table is Markdown that is also aligned for the eye."""

from harness.checks import unanswered
from harness.rows import Row
from harness.stats import fastest, groups, middle, took
from harness.suite import Suite

HEADS = (
    "data",
    "metric",
    "k",
    "threads",
    "method",
    "seconds",
    "spread",
    "× time",
    "parts",
    "MiB",
    "× memory",
    "cost",
    "× cost",
    "stop",
    "passes",
    "swaps",
)
LEFT = {"data", "metric", "method", "parts", "stop", "loop", "what it is"}


def report(suite: Suite, rows: list[Row]) -> str:
    """A suite's table, and what it shows."""
    repeats = len({row.repeat for row in rows})
    cpus = ", ".join(sorted({row.cpu for row in rows}))
    versions = {name: text for row in rows for name, text in row.versions.items()}
    used = ", ".join(f"{name} {text}" for name, text in sorted(versions.items()))
    lines = [f"## {suite.title} (`{suite.name}`)", "", *table(suite, rows), ""]
    lines += [f"Medians of {repeats} run(s). {reference(suite)} {suite.note}".strip()]
    lines += [f"{used}; {cpus}; {max(row.date for row in rows)[:10]}.", "", "```text"]
    lines += [line for check in suite.checks for line in check.lines(rows)]
    lines += unanswered(rows)
    return "\n".join([*lines, "```", ""])


def reference(suite: Suite) -> str:
    """What the ratios of a table are to."""
    if not suite.reference:
        return ""
    names = " or ".join(suite.reference)
    which = f"{names}, whichever is faster" if len(suite.reference) > 1 else names
    rest = f"; where that cannot run, to {' or '.join(suite.otherwise)}" if suite.otherwise else ""
    return f"× is to {which}{rest}."


def table(suite: Suite, rows: list[Row]) -> list[str]:
    """The lines of a table; columns that are empty everywhere are left out."""
    cells = []
    for setting, methods in groups(rows).items():
        name = fastest(methods, suite.reference, suite.timed) or fastest(
            methods, suite.otherwise, suite.timed
        )
        rival = methods[name] if name else []
        for method, runs in methods.items():
            place = [setting.data, setting.metric, str(setting.k), str(setting.threads), method]
            cells.append([*place, *measures(suite, runs, rival)])
    kept = [at for at in range(len(HEADS)) if any(row[at] for row in cells)]
    heads = [HEADS[at] for at in kept]
    return aligned(heads, [[row[at] for at in kept] for row in cells])


def measures(suite: Suite, runs: list[Row], rival: list[Row]) -> list[str]:
    """The cells of one method in one setting."""
    bad = [row.outcome for row in runs if row.outcome != "ok"]
    if len(bad) == len(runs):
        return [bad[0], "", "", "", *[""] * 7]
    good = [row for row in runs if row.outcome == "ok"]
    times = [time for row in good if (time := took(row, suite.timed)) is not None]
    time = middle(good, "seconds", suite.timed)
    memory, cost = middle(good, "peak_mib"), middle(good, "cost")
    return [
        number(time, 3),
        f"{(max(times) - min(times)) / time:.0%}" if time and len(times) > 1 else "",
        ratio(time, middle(rival, "seconds", suite.timed), 2),
        parts(good),
        number(memory, 0),
        ratio(memory, middle(rival, "peak_mib"), 2),
        number(cost, 1),
        ratio(cost, middle(rival, "cost"), 4),
        " / ".join(sorted({row.stop for row in good if row.stop})),
        number(middle(good, "passes"), 0),
        number(middle(good, "swaps"), 0),
    ]


def parts(runs: list[Row]) -> str:
    """Median seconds of every part but loading, which nobody is charged for."""
    names = [name for name in runs[0].parts if name != "load"]
    if len(names) < 2:
        return ""
    ordered = {name: sorted(row.parts[name] for row in runs) for name in names}
    return ", ".join(f"{name} {times[len(times) // 2]:.2f}" for name, times in ordered.items())


def number(value: float | None, digits: int) -> str:
    """A number for people; nothing if there is none."""
    return "" if value is None else f"{value:,.{digits}f}"


def ratio(value: float | None, reference: float | None, digits: int) -> str:
    """How many times the reference a value is."""
    return f"{value / reference:.{digits}f}" if value is not None and reference else ""


def aligned(heads: list[str], cells: list[list[str]]) -> list[str]:
    """Markdown whose columns are as wide as their widest cell."""
    widths = [max(len(row[at]) for row in [heads, *cells]) for at in range(len(heads))]

    def line(row: list[str]) -> str:
        padded = [
            cell.ljust(width) if head in LEFT else cell.rjust(width)
            for head, cell, width in zip(heads, row, widths, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    rules = [
        "-" * (width + 2) if head in LEFT else "-" * (width + 1) + ":"
        for head, width in zip(heads, widths, strict=True)
    ]
    return [line(heads), f"|{'|'.join(rules)}|", *(line(row) for row in cells)]
