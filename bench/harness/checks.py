"""What rows are to show: each check turns rows into lines that say PASS, LIMIT or a number."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from typing import Protocol

from harness.rows import Row
from harness.stats import Setting, exponent, fastest, groups, middle

# Costs that differ by no more than this share are the same: that of rounding.
SAME_COST = 1e-6

UNITS = {"seconds": "time", "peak_mib": "memory", "cost": "cost"}


class Check(Protocol):
    """Something that rows are to show."""

    def lines(self, rows: list[Row]) -> Iterator[str]:
        """One line for each setting to which it applies."""


def verdict(passed: bool, text: str) -> str:
    """PASS, or LIMIT: as far as it goes."""
    return f"{'PASS ' if passed else 'LIMIT'}  {text}"


def where(setting: Setting) -> str:
    """A setting in words."""
    threads = "1 thread" if setting.threads == 1 else f"{setting.threads} threads"
    return f"{setting.data} {setting.metric} k={setting.k} {threads}"


def unanswered(rows: list[Row]) -> Iterator[str]:
    """Runs without an answer: no check can speak of them, so that a claim could pass unseen."""
    for setting, methods in groups(rows).items():
        for method, runs in methods.items():
            bad = [row.outcome for row in runs if row.outcome != "ok"]
            if bad:
                why = ", ".join(sorted(set(bad)))
                text = f"{len(bad)} of {len(runs)} runs of {method} gave no answer: {why}"
                yield f"NONE   {text}  ({where(setting)})"


@dataclass(frozen=True)
class Ratio:
    """A measure of a method is at most so many times that of its fastest rival.

    A rival may use fewer threads than we do: some are slower with two than with one.
    """

    method: str
    rivals: tuple[str, ...]
    measure: str
    limit: float
    data: str = "*"
    ks: tuple[int, ...] = ()
    timed: tuple[str, ...] = ()

    def lines(self, rows: list[Row]) -> Iterator[str]:
        what = f"{UNITS[self.measure]} {'+'.join(self.timed)}".strip()
        for setting, methods in groups(rows).items():
            fits = fnmatch(setting.data, self.data) and (not self.ks or setting.k in self.ks)
            ours = middle(methods.get(self.method, []), self.measure, self.timed)
            rivals = self.rivals_of(setting, rows)
            rival = fastest(rivals, tuple(rivals), self.timed)
            theirs = middle(rivals[rival], self.measure, self.timed) if rival else None
            if fits and ours is not None and theirs:
                claim = f"{what} of {self.method} ≤ {self.limit:.4g} × {rival}"
                text = f"{claim}: {ours / theirs:.4g}  ({where(setting)})"
                yield verdict(ours / theirs <= self.limit, text)

    def rivals_of(self, setting: Setting, rows: list[Row]) -> dict[str, list[Row]]:
        """The rivals on the same data with as many threads or fewer, by name and threads."""
        return {
            f"{method}@{other.threads}": runs
            for other, methods in groups(rows).items()
            if replace(other, threads=setting.threads) == setting
            and other.threads <= setting.threads
            for method, runs in methods.items()
            if method in self.rivals
        }


@dataclass(frozen=True)
class Everywhere:
    """A method is at most so many times as slow as its fastest rival in every setting where that
    rival's cost is not higher, and in the median over all settings. The worst settings come first,
    those where the rival's cost is higher in brackets.
    """

    method: str
    rivals: tuple[str, ...]
    worst: float
    median: float
    shown: int = 12

    def lines(self, rows: list[Row]) -> Iterator[str]:
        found: list[tuple[float, bool, str]] = []
        for setting, methods in groups(rows).items():
            rival = fastest(methods, self.rivals)
            if rival is None:
                continue
            ours, theirs = methods.get(self.method, []), methods[rival]
            times = middle(ours, "seconds"), middle(theirs, "seconds")
            costs = middle(ours, "cost"), middle(theirs, "cost")
            if None not in times and None not in costs:
                dearer = costs[1] > costs[0] * (1 + SAME_COST)
                found.append((times[0] / times[1], dearer, where(setting)))
        if not found:
            return
        found.sort(reverse=True)
        slow = sum(ratio > self.worst and not dearer for ratio, dearer, _ in found)
        text = f"time of {self.method} ≤ {self.worst:.3g} × the fastest rival of no higher cost"
        yield verdict(not slow, f"{text} in {len(found) - slow} of {len(found)} settings")
        middle_ratio = found[len(found) // 2][0]
        text = f"in the median ≤ {self.median:.3g} ×: {middle_ratio:.2f}"
        yield verdict(middle_ratio <= self.median, text)
        for ratio, dearer, place in found[: self.shown]:
            text = f"{ratio:.2f} ×  {place}"
            yield f"       ({text})" if dearer else f"       {text}"


@dataclass(frozen=True)
class Below:
    """A measure of a method is below a number."""

    method: str
    measure: str
    limit: float

    def lines(self, rows: list[Row]) -> Iterator[str]:
        for setting, methods in groups(rows).items():
            ours = middle(methods.get(self.method, []), self.measure)
            if ours is not None:
                claim = f"{self.measure} of {self.method} < {self.limit:g}: {ours:.4g}"
                yield verdict(ours < self.limit, f"{claim}  ({where(setting)})")


@dataclass(frozen=True)
class Certified:
    """Every run of a method ended at a certified local optimum."""

    method: str = "kmedian"

    def lines(self, rows: list[Row]) -> Iterator[str]:
        stops = [row.stop for row in rows if row.method == self.method]
        if stops:
            certified = stops.count("local-optimum")
            text = f"{self.method} certified a local optimum in {certified} of {len(stops)} runs"
            yield verdict(certified == len(stops), text)


@dataclass(frozen=True)
class SpeedUp:
    """Two threads are faster than one by a factor, and find the same centers."""

    method: str
    factor: float
    timed: tuple[str, ...] = ()

    def lines(self, rows: list[Row]) -> Iterator[str]:
        ours = [row for row in rows if row.method == self.method and row.outcome == "ok"]
        for data, metric, k in dict.fromkeys((row.data, row.metric, row.k) for row in ours):
            here = [row for row in ours if (row.data, row.metric, row.k) == (data, metric, k)]
            one = [row for row in here if row.threads == 1]
            two = [row for row in here if row.threads == 2]
            slow, quick = middle(one, "seconds", self.timed), middle(two, "seconds", self.timed)
            if slow is None or quick is None:
                continue
            what = "+".join(self.timed) or "all"
            claim = f"2 threads ≥ {self.factor:g} × as fast ({what}): {slow / quick:.3g}"
            yield verdict(slow / quick >= self.factor, f"{claim}  ({data} {metric} k={k})")
            pairs = [(a, b) for a in one for b in two if a.repeat == b.repeat]
            same = bool(pairs) and all(a.centers == b.centers for a, b in pairs)
            yield verdict(same, f"same centers with 1 and 2 threads  ({data} {metric} k={k})")


@dataclass(frozen=True)
class Growth:
    """Seconds against n, k or d, fitted as a power."""

    over: str
    data: str

    def lines(self, rows: list[Row]) -> Iterator[str]:
        fits = [row for row in rows if fnmatch(row.data, self.data) and row.outcome == "ok"]
        for method, threads in dict.fromkeys((row.method, row.threads) for row in fits):
            by_size: dict[int, list[Row]] = {}
            for row in fits:
                if (row.method, row.threads) == (method, threads):
                    by_size.setdefault(getattr(row, self.over), []).append(row)
            times = [(size, middle(here, "seconds")) for size, here in sorted(by_size.items())]
            power = exponent([(size, time) for size, time in times if time])
            if power is not None:
                span = f"{self.over} = {min(by_size):,} … {max(by_size):,}"
                run = f"{method}, {threads} thread(s)"
                yield f"       seconds ~ {self.over}^{power:.2f}  ({run}, {span})"


@dataclass(frozen=True)
class Optima:
    """How many known optima were met, and in how many seconds altogether."""

    seconds: float

    def lines(self, rows: list[Row]) -> Iterator[str]:
        known = [row for row in rows if row.optimum is not None]
        for threads, repeat in dict.fromkeys((row.threads, row.repeat) for row in known):
            here = [row for row in known if (row.threads, row.repeat) == (threads, repeat)]
            gaps = [
                (row.data, row.cost / row.optimum - 1) for row in here if row.cost and row.optimum
            ]
            missed = [f"{data} +{gap:.3%}" for data, gap in gaps if gap > 1e-6]
            met = ", ".join([f"{len(gaps) - len(missed)} of {len(here)} optima", *missed])
            total = sum(row.seconds or 0.0 for row in here)
            run = f"seed {repeat}, {threads} thread(s)"
            yield verdict(len(gaps) == len(here) and not missed, f"{met}  ({run})")
            yield verdict(
                total <= self.seconds, f"{total:.1f} s in total ≤ {self.seconds:g} s  ({run})"
            )
