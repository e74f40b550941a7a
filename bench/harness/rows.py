"""Raw results: one row a run, kept as JSON lines."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One run of one method. What a run did not say, or did not live to say, is None."""

    suite: str
    data: str
    n: int
    d: int
    metric: str
    k: int
    method: str
    threads: int
    repeat: int
    outcome: str
    seconds: float | None
    parts: dict[str, float]
    peak_mib: float | None
    cost: float | None
    initial_cost: float | None
    optimum: float | None
    stop: str | None
    passes: int | None
    swaps: int | None
    centers: str | None
    versions: dict[str, str]
    cpu: str
    date: str


def append(path: Path, row: Row) -> None:
    """Adds a row, so that whatever comes next cannot lose it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def read(path: Path) -> list[Row]:
    """All rows of a file; none if there is no file."""
    if not path.exists():
        return []
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
