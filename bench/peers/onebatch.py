"""OneBatchPAM of `onebatch`: the search sees the distances to one random batch only."""

from onebatch import OneBatchPAM

from peers.common import task

METRICS = {"l1": "manhattan", "l2": "euclidean"}


def main() -> None:
    given = task()
    # For l2 a matrix product uses the threads already, and jobs would double the memory.
    jobs = given.threads if given.metric == "l1" else None
    with given.clock.part("search"):
        model = OneBatchPAM(
            n_medoids=given.k,
            distance=METRICS[given.metric],
            n_jobs=jobs,
            random_state=given.seed,
        ).fit(given.points)
    given.answer(
        ["onebatch", "numpy", "scikit-learn"], model.medoid_indices_, passes=int(model.n_iter_) + 1
    )


if __name__ == "__main__":
    main()
