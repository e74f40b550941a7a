"""What centers cost, for several k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CostCurve(NamedTuple):
    """The cost of centers against their number.

    ``cost`` is exact if it came from an estimator, and an estimate from noisy counts if it came from a release. Then
    ``without_data`` is the same estimate for centers that know nothing of the demand: private centers are worth their
    ε if they cost less.
    """

    k: np.ndarray
    cost: np.ndarray
    without_data: np.ndarray | None = None
