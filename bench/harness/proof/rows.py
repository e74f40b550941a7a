"""One row for each run that proves something, kept as lines of JSON."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Proven:
    """One run. The judged cost of TSPLIB is that of distances rounded down; `least` is what is
    published: the optimum, or the best that is known.
    """

    part: str
    data: str
    k: int
    options: str
    cost: float
    bound: float
    stop: str
    processor: float
    fit: float
    judged: float
    least: float | None
    relaxation: float | None
    # After so many times the processor time of the fit: the gap.
    after: dict[str, float]
    build: str
    version: str
    cpu: str
    date: str

    @property
    def gap(self) -> float:
        return 1 - self.bound / self.cost if self.cost else 0.0

    @property
    def excess(self) -> float | None:
        return None if self.least is None else self.judged / self.least - 1


def read(path: Path) -> list[Proven]:
    """All rows of a file; none if there is no file."""
    if not path.exists():
        return []
    return [Proven(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
