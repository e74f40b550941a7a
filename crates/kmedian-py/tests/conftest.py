"""What several tests need."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

SHARED = Path(__file__).parents[4] / "shared" / "data"


def made_up(seed: int, n: int, dims: int, clusters: int = 5) -> np.ndarray:
    """Points round a few places, as 32-bit floats."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(clusters, dims)) * 10
    return (places[rng.integers(clusters, size=n)] + rng.normal(size=(n, dims))).astype(np.float32)


@pytest.fixture
def points() -> np.ndarray:
    return made_up(1, 300, 3)


@pytest.fixture(scope="session")
def command() -> str:
    """The command line of the same build: `cargo xtask test` says where it is."""
    found = os.environ.get("KMEDIAN_COMMAND")
    return found or lacking("KMEDIAN_COMMAND does not say where the command is; `cargo xtask test` does")


def shared(name: str) -> Path:
    """A file of real data beside the checkout."""
    file = SHARED / name
    return file if file.exists() else lacking(f"{name} is not in ../shared/data")


def lacking(what: str) -> NoReturn:
    """Ends a test that cannot be run here: skipped, with the reason; failed in CI, which has all that tests need."""
    if "CI" in os.environ:
        pytest.fail(f"CI lacks what a test needs: {what}")
    pytest.skip(what)
