"""Where data comes from and where prepared data is kept."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Store:
    """The folder of real data, and the folder of what is made from it."""

    shared: Path
    folder: Path

    def real(self, name: str) -> Path:
        """A file of the shared data."""
        path = self.shared / name
        if not path.exists():
            raise SystemExit(
                f"bench: this suite needs {name} of the shared data, which is looked for in "
                "../shared/data beside the checkout; put it there, or choose another suite"
            )
        return path

    def made(self, name: str, write: Callable[[Path], None]) -> Path:
        """A prepared file, which is written once, and whole or not at all."""
        path = self.folder / name
        if not path.exists():
            print(f"bench: preparing {name}", flush=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_name(f"unfinished-{name}")
            write(unfinished)
            unfinished.rename(path)
        return path


class Source(Protocol):
    """Items to cluster."""

    @property
    def name(self) -> str:
        """What rows and tables call it."""

    @property
    def graph(self) -> bool:
        """Whether it is a graph rather than points."""

    def file(self, store: Store) -> Path:
        """The file that every method reads."""

    def optimum(self, store: Store) -> float | None:
        """The least possible cost, where it is known."""
