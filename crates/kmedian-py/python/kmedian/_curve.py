"""What centers cost, for several k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CostCurve(NamedTuple):
    """The cost of centers against their number.

    ``k`` holds numbers of centers, and ``cost`` the cost for each of them. The cost is exact if it
    came from an estimator, and an estimate from noisy counts if it came from a release.
    ``without_data`` is then the estimated cost of centers that know nothing of the demand: private
    centers are worth their ε if they cost less. It is ``None`` for an estimator. ``lower_bound`` is
    what no centers cost less than, for each k; ``None`` unless ``gap`` or ``effort="optimal"`` of an
    estimator asked for it.
    """

    k: np.ndarray
    cost: np.ndarray
    without_data: np.ndarray | None = None
    lower_bound: np.ndarray | None = None
