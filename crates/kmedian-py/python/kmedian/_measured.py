"""Distances to centers by a function of the user, which is checked, as it may not be a metric."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

# One in this many pairs is also measured the other way round, as in a fit.
_ONE_BOTH_WAYS = 8
# The relative rounding error that is allowed between the two, as in a fit.
_TOLERANCE = 1e-4
# The rounding error that is allowed for the distance of an item to itself, relative to the largest
# distance, as in a fit.
NOISE = 1e-6
# The largest distance that a function may return, as in a fit.
_LARGEST = float(np.finfo(np.float32).max) / 8


def measured(
    metric: Callable[[Any, Any], float], rows: Any, centers: np.ndarray, medoids: np.ndarray
) -> np.ndarray:
    """The distance of each row to each center, by the function. ``medoids`` are the positions of
    the centers among the fitted rows, for error messages."""
    found = np.empty((len(rows), len(centers)))
    names = [f"row {medoid} of the fitted ones, a center" for medoid in medoids]
    for at, row in enumerate(rows):
        for slot, center in enumerate(centers):
            pair = f"row {at} of X and {names[slot]}"
            distance = found[at, slot] = _number(metric(row, center), pair)
            if (at * len(centers) + slot) % _ONE_BOTH_WAYS == 0:
                back = _number(metric(center, row), pair)
                if abs(distance - back) > _TOLERANCE * max(abs(distance), abs(back)):
                    raise ValueError(
                        f"the metric gave {distance} for {pair}, but {back} the other way round; a metric is "
                        "symmetric: give a function that does not care which row comes first"
                    )
    # Rounding may make the distance of equal rows a little less than zero.
    wrong = np.argwhere(found < -NOISE * found.max(initial=0.0))
    if len(wrong):
        at, slot = wrong[0]
        raise _no_distance(found[at, slot], f"row {at} of X and {names[slot]}")
    return np.maximum(found, 0.0)


def _number(given: Any, pair: str) -> float:
    """The result of a metric as a float; raises if it cannot be a distance."""
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        distance = float(given)
    except (TypeError, ValueError):
        raise TypeError(
            f"the metric returned {type(given)} for {pair}, which is no number; a metric takes two rows and returns "
            "their distance"
        ) from None
    if not abs(distance) <= _LARGEST:
        raise _no_distance(distance, pair)
    return distance


def _no_distance(number: float, pair: str) -> ValueError:
    """The error for a number that is no distance, with what to do about it."""
    if np.isnan(number):
        advice = "look for a root of what rounding made negative, for a zero divisor and for missing values"
    elif number < 0:
        advice = "return max(distance, 0.0) if rounding made it negative"
    else:
        advice = "rescale it, and give a large number where there is no way"
    return ValueError(
        f"the metric gave {number} for {pair}; a distance must be a number from 0 to {_LARGEST:.1e}: {advice}"
    )
