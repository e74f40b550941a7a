"""Distances to centers by a function of the user's own, which is not trusted to be a metric."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

# Of so many pairs one is asked about the other way round as well, and may differ by rounding, as in a fit.
_ONE_BOTH_WAYS = 8
_TOLERANCE = 1e-4
_LARGEST = float(np.finfo(np.float32).max) / 8


def measured(
    metric: Callable[[Any, Any], float], rows: np.ndarray, centers: np.ndarray, medoids: np.ndarray
) -> np.ndarray:
    """The distance of each row to each center, asked for once. The medoids are the positions of the centers among the
    rows that were fitted, by which errors name them."""
    found = np.empty((len(rows), len(centers)))
    for at, row in enumerate(rows):
        for slot, center in enumerate(centers):
            pair = f"row {at} of X and row {medoids[slot]} of the fitted ones, a center"
            distance = found[at, slot] = _number(metric(row, center), pair)
            if (at * len(centers) + slot) % _ONE_BOTH_WAYS == 0:
                back = _number(metric(center, row), pair)
                if abs(distance - back) > _TOLERANCE * max(distance, back):
                    raise ValueError(
                        f"the metric gave {distance} for {pair}, but {back} the other way round; a metric is "
                        "symmetric: give a function that does not care which row comes first"
                    )
    return found


def _number(given: Any, pair: str) -> float:
    """What a metric has returned, if it can be a distance."""
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        distance = float(given)
    except (TypeError, ValueError):
        raise TypeError(
            f"the metric returned {type(given)} for {pair}, which is no number; a metric takes two rows and returns "
            "their distance"
        ) from None
    if not 0 <= distance <= _LARGEST:
        raise ValueError(
            f"the metric gave {distance} for {pair}; a distance must be a number from 0 to {_LARGEST:.1e}"
            f"{_advice(distance)}"
        )
    return distance


def _advice(number: float) -> str:
    """What to do about a number that is no distance, as a fit says it."""
    if np.isnan(number):
        return ": look for a root of what rounding made negative, for a zero divisor and for missing values"
    if number < 0:
        return ": return max(distance, 0.0) if rounding made it negative"
    return ": rescale it, and give a large number where there is no way"
