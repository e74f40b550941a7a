"""What is proven of centers, after how much processor time: TSPLIB, OR-Library, images, streets.

All of it is run by `crates/kmedian/examples/proof.rs`, which prints a line for each bound.
"""

from harness.proof.rows import read
from harness.proof.runs import run
from harness.proof.tables import report

NAME = "proof"

__all__ = ["NAME", "read", "report", "run"]
