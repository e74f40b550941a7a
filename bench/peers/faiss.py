"""k-means of FAISS on all points, its centroids snapped to their nearest points."""

import faiss
import numpy as np

from peers.common import task


def main() -> None:
    given = task()
    faiss.omp_set_num_threads(given.threads)
    points = given.points
    n, dims = points.shape
    with given.clock.part("search"):
        # By default only 256 points a centroid are used, which costs quality at small k.
        kmeans = faiss.Kmeans(
            dims, given.k, seed=given.seed, min_points_per_centroid=1, max_points_per_centroid=n
        )
        kmeans.train(points)
    with given.clock.part("snap"):
        everything = faiss.IndexFlatL2(dims)
        everything.add(points)
        medoids = np.unique(everything.search(kmeans.centroids, 1)[1])
    with given.clock.part("assign"):
        chosen = faiss.IndexFlatL2(dims)
        chosen.add(points[medoids])
        chosen.search(points, 1)
    given.answer(["faiss-cpu", "numpy"], medoids)


if __name__ == "__main__":
    main()
