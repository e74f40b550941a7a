"""How clear clusters round centers are apart."""

from __future__ import annotations

from typing import Any

import numpy as np


def medoid_silhouette(distances: Any, sample_weight: Any = None) -> float:
    """The medoid silhouette of centers, given the distances of items (rows) to them (columns), such
    as ``KMedian.transform`` returns, or the columns ``D[:, medoids]`` of a matrix.

    It is the mean of 1 − d1/d2 over the items, weighted by ``sample_weight``, where d1 and d2 are the
    distances to the nearest and the second-nearest center: from 0 to 1, and larger where clusters are
    clearer apart. An item that is at two centers at once counts 1, as in ``KMedian.silhouette_``.
    """
    distances = np.asarray(distances, dtype=np.float64)
    if distances.ndim != 2 or distances.shape[1] < 2 or not len(distances):
        raise ValueError(f"distances to at least two centers are needed, a row for each item; the shape is {distances.shape}")
    if not (distances >= 0).all():
        raise ValueError("distances are numbers that are not negative")
    first, second = np.partition(distances, 1, axis=1)[:, :2].T
    clear = 1 - np.divide(first, second, out=np.zeros_like(first), where=second > 0)
    return float(np.average(clear, weights=sample_weight))
