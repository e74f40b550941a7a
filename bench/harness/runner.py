"""Runs a suite: every repeat goes through all methods in turn, so that all share the weather."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.judge import Judge, digest, shape
from harness.machine import now
from harness.measure import Measured, measure
from harness.methods import Method
from harness.rows import Row, append
from harness.store import Store
from harness.suite import Case, Suite


@dataclass(frozen=True)
class Runner:
    """What all runs share."""

    kmedian: Path
    version: str
    cpu: str
    store: Store
    judge: Judge

    def run(self, suite: Suite, repeats: int, only: str | None, to: Path) -> None:
        """Runs a suite and appends its rows to a file."""
        for repeat in range(repeats):
            for case, threads, method in runs(suite, repeat, only):
                row = self.row(suite, case, method, threads, repeat)
                append(to, row)
                print(progress(row), flush=True)

    def row(self, suite: Suite, case: Case, method: Method, threads: int, repeat: int) -> Row:
        """One run."""
        source = case.source
        file = source.file(self.store)
        command = method.command(
            self.kmedian, file, source.graph, case.metric, case.k, threads, seed=repeat
        )
        measured = measure(command, threads, method.limits)
        answer = measured.answer or {}
        medoids = answer.get("center_indices")
        n, d = shape(file)
        return Row(
            suite=suite.name,
            data=source.name,
            n=n or answer.get("n", 0),
            d=d,
            metric=case.metric,
            k=case.k or answer.get("k", 0),
            method=method.name,
            threads=threads,
            repeat=repeat,
            outcome=measured.outcome,
            seconds=seconds(method, measured),
            parts={part: round(took, 6) for part, took in answer.get("seconds", {}).items()},
            peak_mib=round(measured.peak_mib, 1),
            cost=None if medoids is None else self.judge.cost(file, case.metric, medoids),
            initial_cost=answer.get("init_cost"),
            optimum=source.optimum(self.store),
            stop=answer.get("stop"),
            passes=answer.get("passes"),
            swaps=answer.get("swaps"),
            centers=None if medoids is None else digest(medoids),
            versions={"kmedian": self.version} if method.is_ours else answer.get("versions", {}),
            cpu=self.cpu,
            date=now(),
        )


def runs(suite: Suite, repeat: int, only: str | None) -> Iterator[tuple[Case, int, Method]]:
    """The runs of a repeat, in their order."""
    for case in suite.cases:
        for threads in case.threads:
            for method in case.methods:
                wanted = only is None or method.name == only
                if wanted and (method.at_most is None or repeat < method.at_most):
                    yield case, threads, method


def seconds(method: Method, measured: Measured) -> float | None:
    """Of our own binary: the whole process, reading the file included, so that nothing hides between
    the parts. Of what runs in Python: the sum of the parts but for reading the file, so that
    starting Python and importing is not held against it.
    """
    if measured.answer is None:
        return None
    parts = measured.answer["seconds"]
    whole = sum(parts.values()) - parts["load"] if method.peer else measured.seconds
    return round(whole, 6)


def progress(row: Row) -> str:
    """A line to watch."""
    took = "" if row.seconds is None else f"{row.seconds:9.3f} s"
    cost = "" if row.cost is None else f"  cost {row.cost:.6g}"
    what = f"{row.suite} #{row.repeat}  {row.data} {row.metric} k={row.k} threads={row.threads}"
    return f"{what}  {row.method:<18} {row.outcome:>5} {took} {row.peak_mib:8.0f} MiB{cost}"
