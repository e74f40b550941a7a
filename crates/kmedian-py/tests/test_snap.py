"""Records with raw coordinates: each goes to its nearest item."""

from __future__ import annotations

import subprocess
from decimal import Decimal
from pathlib import Path

import duckdb
import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kmedian import KMedian, PrivateKMedian, Snap, count

RNG = np.random.default_rng(3)
STOPS = (RNG.random((50, 2)) * [0.5, 0.8] + [52.1, 4.6]).round(4)
TRIPS = (STOPS[RNG.integers(0, 35, 2000)] + RNG.normal(0, 0.003, (2000, 2))).round(6)
NEAREST = np.linalg.norm(((TRIPS[:, None] - STOPS[None]) * [1, np.cos(np.radians(52.3))]), axis=2).argmin(axis=1)
USERS = np.array([f"u{at}" for at in RNG.integers(0, 300, 2000)])
STOP_TABLE = pd.DataFrame(STOPS, columns=["lat", "lon"])
TRIP_TABLE = pd.DataFrame({"user": USERS, "lat": TRIPS[:, 0], "lon": TRIPS[:, 1]})

# Every form that raw coordinates may have.
FORMS = {
    "array": TRIPS,
    "lists": TRIPS.tolist(),
    "tuples": [tuple(trip) for trip in TRIPS.tolist()],
    "objects": TRIPS.astype(object),
    "decimals": pd.DataFrame({"lat": [Decimal(str(a)) for a in TRIPS[:, 0]], "lon": TRIPS[:, 1]}),
    "pandas": TRIP_TABLE,
    "polars": pl.from_pandas(TRIP_TABLE),
    "arrow": pa.Table.from_pandas(TRIP_TABLE),
    "dict": {"lat": TRIPS[:, 0].tolist(), "lon": TRIPS[:, 1]},
    "lazy": pl.from_pandas(TRIP_TABLE).lazy(),
    "relation": duckdb.from_df(TRIP_TABLE),
    "missing": pl.concat([pl.from_pandas(TRIP_TABLE), pl.DataFrame({"lon": [5.0]})], how="diagonal"),
}


def released(demand, universe=STOP_TABLE, metric="haversine", max_per_unit=None, **options):
    private = PrivateKMedian(
        4, epsilon=1, metric=metric, max_per_unit=max_per_unit, random_state=1, noise_seed_for_experiments=1
    )
    with pytest.warns(UserWarning, match="anybody can repeat"):
        return private.fit(universe, demand, **options).release_.to_json()


@pytest.mark.parametrize("form", FORMS)
def test_coordinates_give_the_release_of_positions(form):
    assert released(FORMS[form], snap=True) == released(NEAREST)
    weights = count(STOP_TABLE, FORMS[form], metric="haversine", snap=True)
    assert (weights == np.bincount(NEAREST, minlength=50)).all()


def test_owners_are_bounded_as_ever():
    keyed = released(NEAREST, unit=USERS, max_per_unit=2)
    assert released(TRIP_TABLE, snap=True, unit="user", max_per_unit=2) == keyed
    assert released(TRIPS, snap=True, unit=USERS, max_per_unit=2) == keyed
    assert released(FORMS["relation"], snap=True, unit="user", max_per_unit=2) == keyed


def test_what_is_far_or_nowhere_is_dropped():
    class Evil:
        def __float__(self):
            raise AssertionError("the code of a cell ran")

    bad = [[95.0, 5.0], [np.nan, 5.0], [None, 5.0], ["x", 5.0], [Evil(), 5.0], [5.0], 7, Evil(), [True, 5.0]]
    far = [[48.85, 2.35]]
    found = PrivateKMedian(epsilon=1, metric="haversine").dry_run_not_private(
        STOPS, TRIPS.tolist() + bad + far, snap=Snap(within=3)
    )
    assert (found.records, found.unknown, found.too_far) == (2010, 10, 1)
    assert "too far away" in repr(found)
    # All trips are within three kilometers of a stop.
    assert released(TRIPS.tolist() + bad + far, snap=Snap(within=3)) == released(NEAREST)


def test_columns_are_found_by_name_and_in_order():
    renamed = TRIP_TABLE.rename(columns={"lat": "start_lat", "lon": "start_lng"})
    assert released(renamed, snap=True, key=["start_lat", "start_lng"]) == released(NEAREST)
    turned = TRIP_TABLE[["lon", "user", "lat"]]
    assert released(turned, snap=True) == released(NEAREST)
    wrong = TRIP_TABLE.rename(columns={"lat": "latitude", "lon": "lng"})[["lng", "latitude"]]
    for demand, options, message in [
        (wrong, {}, "haversine takes latitude first, but the columns of the demand are 'lng' and 'latitude'"),
        (TRIP_TABLE, {"key": ["lon", "lat"]}, "haversine takes latitude first"),
        (TRIP_TABLE, {"key": ["lat"]}, "items have 2 coordinates"),
        (TRIP_TABLE, {"key": "lat"}, "give the columns of the coordinates"),
        (TRIP_TABLE, {"key": ["lat", "user"]}, "coordinates are numbers"),
        (renamed, {}, "say which are the coordinates"),
        (renamed, {"key": ["lat", "lon"]}, "there is no column 'lat'"),
        (TRIPS[:, :1], {}, "another shape"),
        (TRIPS.astype(str), {}, "coordinates are numbers"),
        ("trips.csv", {}, "the demand is a str"),
    ]:
        with pytest.raises(ValueError, match=message):
            PrivateKMedian(epsilon=1, metric="haversine").fit(STOP_TABLE, demand, snap=True, **options)
    with pytest.raises(ValueError, match="counts are given"):
        PrivateKMedian(epsilon=1).fit(STOPS, counts=np.ones(50), snap=True)
    with pytest.raises(TypeError, match="snap='lat'"):
        PrivateKMedian(epsilon=1).fit(STOPS, TRIPS, snap="lat")
    with pytest.raises(ValueError, match="within=-1 is no distance"):
        PrivateKMedian(epsilon=1).fit(STOPS, TRIPS, snap=Snap(within=-1))


def test_longitude_first_is_refused_in_the_items_too():
    for model in (KMedian(2, metric="haversine"), PrivateKMedian(2, epsilon=1, metric="haversine")):
        with pytest.raises(ValueError, match="haversine takes latitude first, but the columns of X are 'lng' and 'lat'"):
            model.fit(STOP_TABLE.rename(columns={"lon": "lng"})[["lng", "lat"]], NEAREST)


def test_nodes_of_a_graph_have_positions():
    roads = networkx.path_graph(50)
    near = Snap(positions=STOP_TABLE)
    assert released(TRIPS, roads, "graph", snap=near) == released(NEAREST, roads, "graph")
    plain = Snap(positions=STOPS, metric="haversine")
    assert (count(roads, TRIPS, metric="graph", snap=plain) == np.bincount(NEAREST, minlength=50)).all()
    with pytest.raises(ValueError, match="snap=kmedian.Snap"):
        PrivateKMedian(epsilon=1, metric="graph").fit(roads, TRIPS, snap=True)
    with pytest.raises(ValueError, match="have coordinates of their own"):
        PrivateKMedian(epsilon=1).fit(STOPS, TRIPS, snap=Snap(positions=STOPS))
    with pytest.raises(ValueError, match="49 positions, but 50 items"):
        PrivateKMedian(epsilon=1, metric="graph").fit(roads, TRIPS, snap=Snap(positions=STOPS[:49]))


def test_longer_names_reveal_the_order_too():
    for names in (["start_lon", "start_lat"], ["pickupLongitude", "pickupLatitude"], ["lng.deg", "GPSLat"]):
        trips = pd.DataFrame(TRIPS[:, ::-1], columns=names)
        for key in (None, names):
            with pytest.raises(ValueError, match="haversine takes latitude first, but the columns of the demand"):
                count(STOP_TABLE, trips, metric="haversine", snap=True, key=key)
        weights = count(STOP_TABLE, trips, metric="haversine", snap=True, key=names[::-1])
        assert (weights == np.bincount(NEAREST, minlength=50)).all()
        with pytest.raises(ValueError, match="haversine takes latitude first, but the columns of X"):
            KMedian(2, metric="haversine").fit(pd.DataFrame(STOPS[:, ::-1], columns=names))
    # Within longer names, x and y may be anything, and so may parts of words.
    for names in (["start_x", "start_y"], ["salon", "plateau"]):
        count(STOP_TABLE, pd.DataFrame(TRIPS, columns=names), metric="haversine", snap=True)


def test_positions_belong_to_the_nodes_that_they_name():
    roads = networkx.relabel_nodes(networkx.path_graph(50), {at: f"n{at}" for at in range(50)})
    table = STOP_TABLE.set_index(pd.Index([f"n{at}" for at in range(50)]))
    expected = np.bincount(NEAREST, minlength=50)
    for positions in (table, table.iloc[::-1], pd.concat([table.iloc[20:], table.iloc[:20]]), STOP_TABLE):
        assert (count(roads, TRIPS, metric="graph", snap=Snap(positions=positions)) == expected).all()
    fit = PrivateKMedian(2, epsilon=1, metric="graph").fit
    with pytest.raises(ValueError, match="no label 'n3'"):
        fit(roads, TRIPS, snap=Snap(positions=table.drop("n3")))
    with pytest.raises(ValueError, match="the columns node, lat, lon; leave the two coordinates"):
        fit(roads, TRIPS, snap=Snap(positions=table.rename_axis("node").reset_index()))
    matrix = np.abs(np.subtract.outer(np.arange(50.0), np.arange(50.0)))
    with pytest.raises(ValueError, match="the items have no names; give positions.to_numpy()"):
        count(matrix, TRIPS, metric="precomputed", snap=Snap(positions=table))


def test_the_command_releases_the_same(command: str, tmp_path: Path):
    STOP_TABLE.to_csv(tmp_path / "stops.csv", index=False)
    TRIP_TABLE.to_parquet(tmp_path / "trips.parquet")
    run = [
        *(command, "private", "stops.csv", "--columns", "lat,lon", "--metric", "haversine", "-k", "4", "--epsilon", "1"),
        *("--demand", "trips.parquet", "--snap", "lat,lon", "--seed", "1", "--seeded-noise-not-private", "1"),
        *("--release", "release.json", "--json"),
    ]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    assert released(TRIP_TABLE, snap=True).strip() == (tmp_path / "release.json").read_text().strip()
