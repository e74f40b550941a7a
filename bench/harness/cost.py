"""The cost of medoids, in float64 and the same way for everybody."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.networks import edges_of

Numbers = NDArray[np.float64]

# So many distances are computed at once.
BLOCK_ENTRIES = 1 << 24


def cost_of_points(points: NDArray[np.float32], medoids: list[int], metric: str) -> float:
    """The sum of the distances to the nearest medoid."""
    centers = points[medoids].astype(np.float64)
    nearest = {"l2": nearest_l2, "l1": nearest_l1, "angular": nearest_angular}[metric]
    rows = max(1, BLOCK_ENTRIES // (len(centers) + points.shape[1]))
    starts = range(0, len(points), rows)
    return float(
        sum(nearest(points[at : at + rows].astype(np.float64), centers).sum() for at in starts)
    )


def nearest_l2(block: Numbers, centers: Numbers) -> Numbers:
    """A product says which medoid is nearest; that distance alone is then computed exactly."""
    half_squares = 0.5 * np.einsum("ij,ij->i", centers, centers)
    labels = np.argmin(half_squares - block @ centers.T, axis=1)
    away = block - centers[labels]
    return np.sqrt(np.einsum("ij,ij->i", away, away))


def nearest_angular(block: Numbers, centers: Numbers) -> Numbers:
    """The chord of the nearest direction, which is exact where angles are small."""
    block = block / np.linalg.norm(block, axis=1, keepdims=True)
    centers = centers / np.linalg.norm(centers, axis=1, keepdims=True)
    chords = nearest_l2(block, centers)
    return 2 * np.arcsin(np.minimum(chords / 2, 1.0)) / np.pi


def nearest_l1(block: Numbers, centers: Numbers) -> Numbers:
    """All distances."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(block, centers, "cityblock").min(axis=1))


def cost_of_graph(path: Path, medoids: list[int]) -> float:
    """The sum of the shortest paths to the nearest medoid."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    nodes, edges = edges_of(path)
    ends = np.array(list(edges))
    weights = np.array(list(edges.values()))
    graph = coo_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(nodes, nodes)).tocsr()
    paths = dijkstra(graph, directed=False, indices=medoids, min_only=True)
    return float(paths.sum())
