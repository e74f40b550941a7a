"""What a suite is: cases to run, and what their rows are to show."""

from dataclasses import dataclass

from harness.checks import Check
from harness.methods import Method
from harness.store import Source


@dataclass(frozen=True)
class Case:
    """Data, k and the methods that meet on it. No k: the file carries its own."""

    source: Source
    k: int | None
    methods: tuple[Method, ...]
    metric: str = "l2"
    threads: tuple[int, ...] = (1, 2)


@dataclass(frozen=True)
class Suite:
    """Cases that belong in one table."""

    name: str
    title: str
    cases: tuple[Case, ...]
    # Ratios are to the fastest of these methods, or of the others where none of these can run.
    reference: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    repeats: int = 3
    # The parts that the table's seconds are the sum of; none: all the time that was taken.
    timed: tuple[str, ...] = ()
    note: str = ""
