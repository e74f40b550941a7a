"""MiniBatchKMeans of scikit-learn, its centroids snapped to their nearest points."""

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin

from peers.common import task


def main() -> None:
    given = task()
    with given.clock.part("search"):
        model = MiniBatchKMeans(n_clusters=given.k, random_state=given.seed).fit(given.points)
    with given.clock.part("snap"):
        medoids = np.unique(pairwise_distances_argmin(model.cluster_centers_, given.points))
    given.answer(["scikit-learn", "numpy"], medoids)


if __name__ == "__main__":
    main()
