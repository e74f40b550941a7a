"""Medians, groups and exponents of rows: pure functions that run nothing."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from harness.rows import Row


@dataclass(frozen=True, order=True)
class Setting:
    """What must be equal for two methods to be compared."""

    data: str
    metric: str
    k: int
    threads: int


def setting(row: Row) -> Setting:
    """The setting of a row."""
    return Setting(row.data, row.metric, row.k, row.threads)


def groups(rows: Iterable[Row]) -> dict[Setting, dict[str, list[Row]]]:
    """The repeats of every method in every setting, in the order in which they were first run."""
    found: dict[Setting, dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault(setting(row), {}).setdefault(row.method, []).append(row)
    return found


def took(row: Row, timed: tuple[str, ...] = ()) -> float | None:
    """All seconds of a run, or those of some parts of it."""
    if row.seconds is None or not timed:
        return row.seconds
    return sum(row.parts[part] for part in timed)


def value(row: Row, measure: str, timed: tuple[str, ...] = ()) -> float | None:
    """A measure of a row by name: seconds, peak_mib or cost."""
    return took(row, timed) if measure == "seconds" else getattr(row, measure)


def middle(rows: Iterable[Row], measure: str, timed: tuple[str, ...] = ()) -> float | None:
    """The median of a measure over the runs that ended well."""
    values = [value(row, measure, timed) for row in rows if row.outcome == "ok"]
    known = [value for value in values if value is not None]
    return median(known) if known else None


def fastest(
    methods: dict[str, list[Row]], names: tuple[str, ...], timed: tuple[str, ...] = ()
) -> str | None:
    """The fastest of the named methods, of those that gave an answer."""
    times = [(middle(methods.get(name, []), "seconds", timed), name) for name in names]
    known = [(time, name) for time, name in times if time is not None]
    return min(known)[1] if known else None


def exponent(points: list[tuple[float, float]]) -> float | None:
    """The slope of the least-squares line through the logarithms."""
    if len({x for x, _ in points}) < 2:
        return None
    xs = [math.log(x) for x, _ in points]
    ys = [math.log(y) for _, y in points]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    across = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return across / sum((x - x_mean) ** 2 for x in xs)
