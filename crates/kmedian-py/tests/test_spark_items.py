"""k-median of a DataFrame: on Sail, which speaks Spark's API, or on real Spark."""

from __future__ import annotations

import kmedian
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from engine import frame, random_points, spark  # noqa: F401 - a fixture.
from kmedian import _rounds
from kmedian.spark import KMedian, KMedianModel

POINTS = random_points(3, 6000, 3)
LISTS = pa.table({"id": np.arange(6000), "features": pa.array(list(POINTS))})
# The rows of a chunk, and a memory that holds as many.
ROWS = 800
MEMORY = ROWS * (24 * 3 + 160)


def cost(points: np.ndarray, centers: np.ndarray, weights: np.ndarray | None = None, squared: bool = False) -> float:
    apart = np.sqrt(((points[:, None] - np.asarray(centers, dtype=float)[None]) ** 2).sum(axis=2)).min(axis=1)
    return float(((apart**2 if squared else apart) * (1 if weights is None else weights)).sum())


@pytest.fixture(scope="module")
def files(spark, tmp_path_factory):
    """Files of the items, which are read in the same order each time."""
    folder = str(tmp_path_factory.mktemp("items") / "parquet")
    frame(spark, LISTS, 3).write.parquet(folder)
    return folder


@pytest.fixture(scope="module")
def model(spark, files):
    return KMedian(12, seed=1, memory=MEMORY).fit(spark.read.parquet(files))


def test_centers_are_rows_and_the_cost_is_exact(model):
    centers = np.array(model.clusterCenters())
    rows = {tuple(row) for row in POINTS.astype(np.float32)}
    assert len({tuple(row) for row in centers}) == 12 and all(tuple(row) in rows for row in centers)
    assert model.summary.cost == pytest.approx(cost(POINTS, centers), rel=1e-5)
    assert model.summary.sizes.sum() == model.summary.items == 6000
    assert model.summary.chunks >= 6000 / ROWS
    assert (np.diff(np.minimum.accumulate(model.summary.costs)) <= 0).all()


@pytest.mark.parametrize("objective", ["median", "means"])
def test_the_cost_is_that_of_one_machine(spark, objective):
    found = KMedian(12, seed=2, memory=MEMORY, objective=objective).fit(frame(spark, LISTS, 4)).summary.cost
    alone = {"median": kmedian.KMedian, "means": kmedian.KMeansMedoids}[objective](12, random_state=0).fit(POINTS)
    assert found <= 1.02 * alone.inertia_


def test_same_seed_same_files_same_answer(spark, files, model):
    again = KMedian(12, seed=1, memory=MEMORY).fit(spark.read.parquet(files))
    assert np.array_equal(again.clusterCenters(), model.clusterCenters())
    assert again.summary.costs == model.summary.costs


def test_same_seed_same_sorted_partitions_same_answer(spark):
    """After a shuffle, real Spark hands out the rows of a partition as they are fetched; sorted, they are the same."""
    first, again = (
        KMedian(12, seed=1, memory=MEMORY).fit(frame(spark, LISTS, 3).sortWithinPartitions("id")) for _ in range(2)
    )
    assert np.array_equal(again.clusterCenters(), first.clusterCenters())
    assert again.summary.costs == first.summary.costs


def test_transform_adds_the_nearest_center(spark, model):
    given = frame(spark, LISTS, 2)
    table = model.transform(given).toPandas().sort_values("id")
    assert list(table.columns) == ["id", "features", "prediction"]
    apart = ((POINTS[:, None] - np.array(model.clusterCenters())[None]) ** 2).sum(axis=2)
    assert (table["prediction"].to_numpy() == apart.argmin(axis=1)).mean() > 0.999
    assert model.computeCost(given) == pytest.approx(model.summary.cost, rel=1e-6)
    with pytest.raises(ValueError, match="there already is a column 'id'"):
        KMedianModel(np.array(model.clusterCenters()), model.summary, "features", "id", "l2", "median").transform(given)


def test_a_model_is_saved_and_loaded(spark, model, tmp_path):
    model.save(str(tmp_path / "model"))
    loaded = KMedianModel.load(str(tmp_path / "model"))
    assert np.array_equal(loaded.clusterCenters(), model.clusterCenters()) and loaded.metric == "l2"
    assert loaded.summary.cost == model.summary.cost and (loaded.summary.sizes == model.summary.sizes).all()
    with pytest.raises(FileExistsError, match="exists already"):
        model.save(str(tmp_path / "model"))
    with pytest.raises(ValueError, match="holds no model"):
        KMedianModel.load(str(tmp_path))


def test_columns_and_weights(spark):
    """An item of weight 3 is three items; weights of 0 count for nothing."""
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, 3000)
    table = pd.DataFrame(POINTS[:3000], columns=["a", "b", "c"]).assign(w=weights)
    fitted = KMedian(5, featuresCol=["a", "b", "c"], weightCol="w", seed=1, memory=MEMORY).fit(frame(spark, table))
    centers = np.array(fitted.clusterCenters())
    assert fitted.summary.cost == pytest.approx(cost(POINTS[:3000], centers, weights), rel=1e-5)
    assert fitted.summary.sizes.sum() == weights.sum()
    alone = kmedian.KMedian(5, random_state=0).fit(POINTS[:3000], sample_weight=weights)
    assert fitted.summary.cost <= 1.02 * alone.inertia_


@pytest.mark.parametrize("metric", ["l1", "linf", "angular"])
def test_other_metrics(spark, metric):
    found = KMedian(8, metric=metric, seed=1, memory=MEMORY).fit(frame(spark, LISTS)).summary.cost
    assert found <= 1.03 * kmedian.KMedian(8, metric=metric, random_state=0).fit(POINTS).inertia_


def test_what_is_wrong_is_said_once_and_on_the_driver(spark):
    def lists(*rows):
        # Put together, not shuffled, so that they stay in their order.
        return spark.createDataFrame(pa.table({"features": pa.array(rows, pa.list_(pa.float64()))})).coalesce(1)

    plain = frame(spark, LISTS)
    for given, options, message in [
        (plain, {"featuresCol": "feature"}, "there is no column 'feature'; there are id, features"),
        (plain, {"featuresCol": ["id", "features"]}, "'features' is of the type array"),
        (plain, {"weightCol": "w"}, "there is no column 'w'"),
        (plain.selectExpr("cast(id as string) as features"), {}, "is of the type string; give an array of numbers"),
        (plain.limit(0), {}, "the DataFrame has no rows"),
        (plain.limit(3), {"k": 4}, "k=4 centers are wanted, but the DataFrame has 3 rows"),
        (plain, {"k": 0}, "k=0"),
        (plain, {"metric": "graph"}, "are vectors"),
        (plain, {"metric": "cosine"}, "are vectors under a metric; choose one of l1"),
        (plain, {"memory": 1000}, "are too little for chunks"),
        (plain, {"tol": -1}, "tol=-1 is not possible"),
        (lists([1, 2], [3, float("nan")]), {"k": 1}, "'features', row 1 of its partition .from 0.: has a number that is not"),
        (lists([1, 2], [3, None]), {"k": 1}, "'features', row 1 of its partition .from 0.: has a number that is missing"),
        (lists([1, 2], None), {"k": 1}, "'features', row 1 of its partition .from 0.: is missing"),
        (lists([1, 2], [3]), {"k": 1}, "row 1 of its partition: has 1 numbers, and the first row 2"),
        (lists([1e300, 2], [3, 4]), {"k": 1}, "row 0 of its partition .from 0.: has a number that is not finite"),
        (plain.selectExpr("id as features", "-1 as w"), {"weightCol": "w", "k": 2}, "'w', row 0 of its partition.*no weight"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message) as told:
            KMedian(**{"k": 2, **options}).fit(given)
        assert len(str(told.value).splitlines()) == 1
    with pytest.raises(TypeError, match="is no DataFrame of Spark"):
        KMedian().fit(POINTS)


def test_chunks_have_the_size_that_memory_allows():
    batches = [_rounds.Chunk(np.full((n, 1), n, np.float32), np.ones(n), np.arange(n)) for n in (3, 7, 0, 5, 1)]
    sizes = [len(chunk.rows) for chunk in _rounds.chunked(iter(batches), 4)]
    assert sizes == [4, 4, 4, 4]
    together = _rounds.joined(list(_rounds.chunked(iter(batches), 4)))
    assert (together.rows == _rounds.joined(batches).rows).all()
