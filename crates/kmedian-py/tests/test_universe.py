"""What the public items of a private run are called, which columns of their table are what, and rows of demand that
stand for several records."""

from __future__ import annotations

import itertools

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from conftest import made_up
from kmedian import KMedian, PrivateKMedian, Release, Snap, count, plan
from kmedian._demand import SealedDemand

N = 30
NAMES = [f"s{at}" for at in range(N)]
PLACES = made_up(3, N, 2)
PLAIN = pd.DataFrame(PLACES, columns=["a", "b"])
NAMED = PLAIN.set_axis(NAMES)
TABLE = PLAIN.assign(stop=NAMES)
DEMAND = ["s1", "s2", "s2", "s29", "nowhere"] * 50


def private(k=3, **more):
    return PrivateKMedian(k, epsilon=100, random_state=0, **more)


def test_an_index_of_text_calls_the_items():
    facts = private().dry_run_not_private(NAMED, DEMAND)
    assert (facts.records, facts.unknown) == (250, 50)
    found = private().fit(NAMED, DEMAND)
    assert sorted(found.center_ids_) == ["s1", "s2", "s29"]
    assert found.center_ids_ == [NAMES[at] for at in found.medoid_indices_]
    matrix = pd.DataFrame(np.abs(PLACES[:, None] - PLACES).sum(axis=2), index=NAMES, columns=NAMES)
    assert sorted(private(metric="precomputed").fit(matrix, DEMAND).center_ids_) == ["s1", "s2", "s29"]
    assert sorted(private().fit(NAMED, counts={"s4": 9, "s5": 9, "s6": 9}).center_ids_) == ["s4", "s5", "s6"]
    assert count(NAMED, DEMAND)[[1, 2, 29]].tolist() == [50, 100, 50]
    # What is given goes before the index.
    other = [f"t{at}" for at in range(N)]
    assert sorted(private().fit(NAMED, ["t3", "t4", "t5"] * 9, ids=other).center_ids_) == ["t3", "t4", "t5"]


@pytest.mark.parametrize(
    "index", [range(5, 5 + N), range(N, 0, -1), [0.5 + at for at in range(N)], ["twice"] * N, pd.date_range("2020", periods=N)]
)
def test_an_index_that_could_mean_two_things_costs_nothing(index, monkeypatch):
    monkeypatch.setattr(SealedDemand, "release", None)
    table = PLAIN.set_axis(list(index))
    for ask in (private().fit, private().dry_run_not_private, count):
        with pytest.raises(ValueError, match=r"ids=universe.index, or universe.reset_index\(drop=True\)"):
            ask(table, [7, 8])
    with pytest.raises(ValueError, match="reset_index"):
        private().fit(table, counts=pd.Series([1, 2], index=[7, 8]))


def test_an_index_does_not_matter_where_records_do_not_name_items():
    table = PLAIN.set_axis(range(5, 5 + N))
    assert private().fit(table, PLACES[:20] + 0.0, snap=True).stop_
    assert private().fit(table, counts=[1] * N).stop_
    assert plan(table, 3, epsilon=1, demand_size=50, runs=1).n_items == N
    assert sorted(private().fit(table, [6, 7, 8] * 9, ids=table.index).center_ids_) == [6, 7, 8]
    assert sorted(private().fit(PLAIN, [6, 7, 8] * 9).medoid_indices_) == [6, 7, 8]


def test_positions_for_items_with_names_are_refused_by_their_type():
    with pytest.raises(ValueError, match=r"no index, universe.reset_index\(drop=True\)"):
        private().fit(NAMED, np.array([1, 2, 3]))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
def test_columns_of_the_table(kind):
    table = kind(TABLE)
    found = private().fit(table, DEMAND, ids="stop")
    assert sorted(found.center_ids_) == ["s1", "s2", "s29"]
    assert found.cluster_centers_.shape == (3, 2)
    only = private().fit(table, DEMAND, ids="stop", columns=["b"])
    assert only.cluster_centers_.tolist() == PLACES[only.medoid_indices_, 1:].tolist()
    assert private().fit(table, [1, 2, 3], columns=["b", "a"]).n_features_in_ == 2
    assert private().dry_run_not_private(table, DEMAND, ids="stop").unknown == 50
    assert count(table, DEMAND, ids="stop").sum() == 200
    assert private().fit_transform(table, DEMAND, ids="stop").shape == (N, 3)


def test_columns_that_are_not_there():
    for given, told in [
        (dict(ids="stopp"), "no column 'stopp'; it has a, b, stop"),
        (dict(columns=["a", "c"]), "no column 'c'"),
        (dict(columns="a"), "list of columns"),
    ]:
        with pytest.raises(ValueError, match=told):
            private().fit(TABLE, DEMAND, **given)
    with pytest.raises(ValueError, match="the universe is no table"):
        private().fit(PLACES, DEMAND, ids="stop")
    with pytest.raises(ValueError, match="the universe is no table"):
        private(metric="graph").fit(networkx.path_graph(5), [1], ids="stop")


def test_a_release_knows_names(tmp_path):
    found = private().fit(TABLE, DEMAND, ids="stop")
    file = tmp_path / "release.json"
    found.release_.save(file)
    assert found.release_.center_ids(3) == found.center_ids_
    for loaded in [
        Release.load(file, TABLE, ids="stop"),
        Release.load(file, PLAIN, ids=NAMES),
        Release.load(file, NAMED),
    ]:
        assert loaded.center_ids(3) == found.center_ids_
        assert loaded.centers(3).tolist() == found.medoid_indices_.tolist()
        assert loaded.center_ids(2, fixed=["s7"])[0] == "s7"
    with pytest.raises(ValueError, match="no ids here; give them"):
        Release.load(file, PLAIN).center_ids(3)
    with pytest.raises(ValueError, match="there are 30 items, but 2 ids"):
        Release.load(file, PLAIN, ids=["a", "b"])
    with pytest.raises(ValueError, match="give these too"):
        Release.load(file, ids=NAMES)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        found.release_.save(tmp_path)


def test_what_is_not_there_says_why():
    found = private().fit(PLACES, [1, 2, 3])
    for name, told in [
        ("inertia_", "take estimated_inertia_"),
        ("labels_", r"predict\(universe\)"),
        ("service_", "take estimated_service_"),
        ("center_ids_", r"give fit\(..., ids=...\)"),
        ("other_", "no attribute 'other_'"),
    ]:
        assert not hasattr(found, name)
        with pytest.raises(AttributeError, match=told):
            getattr(found, name)


def rows(**columns):
    return pd.DataFrame({"stop": ["s1", "s2", "s3", "s1"], **columns})


def counted(demand, most=None, **more):
    """The true counts, which only a test may see."""
    sealed = SealedDemand(demand, None, "who" if most else None, "n")
    sealed.check_layout(N, TABLE, NAMES, "stop", most)
    counts, facts = sealed._read(False).reveal_not_private(most, **more)
    return counts.astype(int), facts


@pytest.mark.parametrize("numbers", [[3, 0, 5, 4], [3.0, 0.0, 5.0, 4.0], ["3", "0", " 5.0 ", b"4"], [3, 0, np.int8(5), "4e0"]])
def test_rows_that_stand_for_several_records(numbers):
    demand = rows(n=pd.Series(numbers, dtype=object if isinstance(numbers[0], str) or numbers[-1] == "4e0" else None))
    counts, facts = counted(demand)
    assert counts[[1, 2, 3]].tolist() == [7, 0, 5] and counts.sum() == 12 == facts["records"]
    found = private().fit(TABLE, demand, ids="stop", count="n")
    assert dict(zip(found.center_ids_, found.estimated_sizes_.round()))["s1"] == 7


@pytest.mark.parametrize("bad", [-1, 2.5, np.nan, np.inf, None, "many", 1e300, "nan", True, object()])
@pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning", "ignore::kmedian.NotPrivateWarning")
def test_a_bad_count_drops_its_row(bad):
    demand = rows(n=pd.Series([3, bad, 5, 4], dtype=object))
    counts, facts = counted(demand)
    assert counts[[1, 2, 3]].tolist() == [7, 0, 5]
    assert facts["unknown"] == 1
    assert private(noise_seed_for_experiments=1).fit(TABLE, demand, ids="stop", count="n").stop_


def test_at_most_so_many_records_of_a_unit():
    demand = rows(n=[100, 1, 2, 10], who=["ann", "bob", None, " ann "])
    counts, facts = counted(demand, most=5)
    assert counts[1] == 5 and counts[2] == 1 and counts.sum() == 6
    assert (facts["units"], facts["over_bound"], facts["without_unit"]) == (2, 105, 2)
    # All records of a unit change at most as many counts, and nothing of others.
    rng = np.random.default_rng(0)
    for seed in range(200):
        n = int(rng.integers(1, 9))
        table = pd.DataFrame(
            {
                "stop": rng.choice([*NAMES[:5], "nowhere"], n),
                "n": rng.choice([0, 1, 2, 7, 10**6, -3], n),
                "who": rng.choice(["ann", "bob", "eve"], n),
            }
        )
        with_ann, _ = counted(table, most=3, seed=seed)
        without, _ = counted(table[table.who != "ann"].reset_index(drop=True), most=3, seed=seed)
        changed = with_ann - without
        assert (changed >= 0).all() and changed.sum() <= 3


def test_one_record_more_in_a_row():
    before = counted(rows(n=[3, 0, 5, 4]))[0]
    for at, key in itertools.product(range(4), [1]):
        numbers = [3, 0, 5, 4]
        numbers[at] += key
        changed = counted(rows(n=numbers))[0] - before
        assert (changed >= 0).all() and changed.sum() == 1


def test_layouts_of_counts_that_are_refused(monkeypatch):
    monkeypatch.setattr(SealedDemand, "release", None)
    demand = rows(n=[1, 2, 3, 4])
    for given, told in [
        (dict(demand=DEMAND, count="n"), "count names a column of a table"),
        (dict(demand=pl.LazyFrame(demand), key="stop", count="n"), "count names a column of a table in memory"),
        (dict(demand=demand, key="stop", count="m"), "no column 'm'"),
        (dict(demand=demand, key="stop", count="stop"), "is no column of numbers"),
        (dict(demand=demand.assign(n="x"), key="stop", count="n"), "is no column of numbers"),
        (dict(counts=[1] * N, count="n"), "leave one of them out"),
        (dict(demand=demand, count="n", snap=True), "not for coordinates"),
        (dict(demand=demand.rename(columns={"n": "count"}), key="stop"), "give count='count'"),
    ]:
        with pytest.raises(ValueError, match=told):
            private().fit(TABLE, ids="stop", **given)


def test_coordinates_without_snap():
    with pytest.raises(ValueError, match="snap=True if rows are coordinates"):
        private().fit(PLACES, PLACES + 1.0)
    with pytest.raises(ValueError, match="if records have coordinates, give snap=True"):
        private().fit(PLACES, pd.DataFrame(PLACES, columns=["lat", "lon"]))


def test_distances_with_units():
    stops = pd.DataFrame({"lat": [52.0, 52.0], "lon": [4.0, 5.0]})
    trips = np.array([[52.0, 4.01], [52.0, 4.05], [52.0, 4.5]])
    for within, unknown in [("800m", 2), ("5 km", 1), ("2mi", 2), (5, 1), ("5", 1), (1e9, 0), (np.float32(5), 1)]:
        facts = PrivateKMedian(1, epsilon=1, metric="haversine").dry_run_not_private(stops, trips, snap=Snap(within=within))
        assert facts.unknown == unknown, within
    for within in ("far", "-1km", "nan", "", np.inf):
        with pytest.raises(ValueError, match="is no distance"):
            PrivateKMedian(1, epsilon=1, metric="haversine").fit(stops, trips, snap=Snap(within=within))
    with pytest.raises(ValueError, match="under l2 .* plain number"):
        PrivateKMedian(1, epsilon=1).fit(stops, trips, snap=Snap(within="5km"))


def test_the_node_that_is_served_worst_has_its_name():
    graph = networkx.path_graph(list("abcdefghij"))
    found = KMedian(1, metric="graph").fit(graph)
    assert found.service_.overall.farthest in ("a", "j")
    assert found.service_.centers[0].farthest in ("a", "j")
    assert private(1, metric="graph").fit(graph, ["a"] * 50).estimated_service_.overall.farthest == "a"
    numbered = KMedian(1, metric="graph").fit(networkx.path_graph(5)).service_.overall.farthest
    assert type(numbered) is int and numbered in (0, 4)
