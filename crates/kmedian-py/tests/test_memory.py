"""Input that fits is used where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def added(kind: str) -> float:
    """How much memory a fit adds at its peak, in multiples of X."""
    probe = [sys.executable, str(Path(__file__).with_name("probe.py")), kind]
    return float(subprocess.run(probe, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak")
@pytest.mark.parametrize("kind", ["matrix", "784", "400"])
def test_32_bit_floats_in_c_order_are_not_copied(kind):
    assert added(kind) < 0.25


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak")
def test_rows_that_need_padding_are_copied_once():
    """This shows that the test above can fail: rows of 399 numbers are stored as rows of 400."""
    assert 1.0 < added("399") < 1.25
