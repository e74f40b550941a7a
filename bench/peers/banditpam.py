"""BanditPAM, with its defaults."""

import banditpam

from peers.common import task

METRICS = {"l1": "L1", "l2": "L2"}


def main() -> None:
    given = task()
    with given.clock.part("search"):
        model = banditpam.KMedoids(n_medoids=given.k, parallelize=given.threads > 1)
        model.seed = given.seed
        model.fit(given.points, METRICS[given.metric])
    given.answer(["banditpam", "numpy"], model.medoids, swaps=int(model.steps))


if __name__ == "__main__":
    main()
