"""The n × n matrix that FasterPAM needs, as somebody would make it who cares for speed."""

import numpy as np
from sklearn.metrics import pairwise_distances

from peers.common import Array

# So many entries are finished at once: they stay in the cache from one operation to the next.
BLOCK_ENTRIES = 1 << 18


def euclidean(points: Array) -> Array:
    """|x − y|² = |x|² + |y|² − 2 x·y: one matrix product, and the rest in place."""
    norms = np.einsum("ij,ij->i", points, points)
    matrix = points @ points.T
    rows = max(1, BLOCK_ENTRIES // len(points))
    for start in range(0, len(points), rows):
        block = matrix[start : start + rows]
        block *= -2.0
        block += norms[start : start + rows, None]
        block += norms
        np.maximum(block, 0.0, out=block)
        np.sqrt(block, out=block)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def angular(points: Array) -> Array:
    """Angles as shares of a half turn: one matrix product, and the rest in place."""
    units = points / np.linalg.norm(points, axis=1, keepdims=True)
    matrix = units @ units.T
    rows = max(1, BLOCK_ENTRIES // len(points))
    for start in range(0, len(points), rows):
        block = matrix[start : start + rows]
        np.clip(block, -1.0, 1.0, out=block)
        np.arccos(block, out=block)
        block *= np.float32(1.0 / np.pi)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def distances(points: Array, metric: str, threads: int) -> Array:
    """The matrix, in C or Fortran order: scikit-learn's depends on the number of jobs."""
    if metric == "l2":
        return euclidean(points)
    if metric == "angular":
        return angular(points)
    return pairwise_distances(points, metric="manhattan", n_jobs=threads)
