"""MiniBatchKMeans of scikit-learn, its centroids snapped to their nearest points."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin

from peers.common import task


def main() -> None:
    given = task()
    # The default of 1,024 points a batch is slower and worse where there are many clusters.
    batch = max(1024, 10 * given.k)
    with given.clock.part("search"):
        model = MiniBatchKMeans(given.k, batch_size=batch, random_state=given.seed)
        model.fit(given.points)
    with given.clock.part("snap"):
        medoids = np.unique(pairwise_distances_argmin(model.cluster_centers_, given.points))
    given.answer(["scikit-learn", "numpy"], medoids)


if __name__ == "__main__":
    main()
