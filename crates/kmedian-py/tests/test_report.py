"""Pages to look at: that they are what the command writes, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess

import networkx
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from conftest import made_up
from kmedian import KMeansMedoids, KMedian, choose_k

ROWS = made_up(2, 80, 3)
PLANE = pd.DataFrame(made_up(3, 60, 2), columns=["east", "north"])


def data(file):
    """What a page shows."""
    page = file.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S)
    return json.loads(found[1])


@pytest.mark.parametrize("kind, objective", [(KMedian, "median"), (KMeansMedoids, "means")])
def test_the_page_is_that_of_the_command(kind, objective, tmp_path, command):
    PLANE.to_csv(tmp_path / "places.csv", index=False)
    theirs, ours = tmp_path / "theirs.html", tmp_path / "ours.html"
    subprocess.run(
        [command, "fit", "places.csv", "-k", "4", "--objective", objective, "--seed", "0", "--report", theirs],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    fitted = kind(4, random_state=0).fit(PLANE)
    fitted.report(ours, PLANE, title="places.csv")
    assert data(ours) == data(theirs)


def test_several_k_and_other_kinds_of_items(tmp_path):
    file = tmp_path / "page.html"
    curve = choose_k(ROWS, range(2, 6), random_state=0)
    KMedian().report(file, ROWS, curve=curve)
    assert [fit["k"] for fit in data(file)["fits"]] == [2, 3, 4, 5]
    assert data(file)["suggested"]["k"] == curve.suggested
    places = pd.DataFrame({"lat": 52 + PLANE.east / 100, "lon": 4 + PLANE.north / 100})
    KMedian(3, metric="haversine").fit(places).report(file, places)
    assert data(file)["unit"] == "km" and data(file)["map"]["kind"] == "degrees"
    graph = networkx.path_graph(list("abcdefgh"))
    found = KMedian(2, metric="graph").fit(graph)
    found.report(file, graph)
    assert {row[0] for row in data(file)["fits"][0]["rows"]} == set(found.cluster_centers_)
    found.report(file, graph, positions=np.arange(16.0).reshape(8, 2))
    assert data(file)["map"]["kind"] == "plane"
    words = ["kitten", "mitten", "sitting", "Sunday"]
    KMedian(2, metric="levenshtein").fit(words).report(file, words, names=words)
    homes, lots = ROWS[:50], ROWS[50:]
    depots = KMedian(3).fit(homes, sites=lots, sample_weight=np.arange(50.0))
    depots.report(file, homes, sites=lots, sample_weight=np.arange(50.0))
    assert "among 30 sites" in data(file)["lead"]
    squares = KMedian(2, metric=lambda a, b: float(abs(a - b).sum())).fit(ROWS)
    squares.report(file, ROWS)
    digits = np.random.default_rng(0).random((20, 784))
    KMedian(2).fit(digits).report(file, digits)
    assert data(file)["images"]


def test_what_is_refused(tmp_path):
    file = tmp_path / "page.html"
    fitted = KMedian(3).fit(ROWS)
    with pytest.raises(NotFittedError):
        KMedian(3).report(file, ROWS)
    for given, error, told in [
        (dict(X=ROWS[:20]), ValueError, "X is not what was fitted"),
        (dict(X=ROWS, curve=5), TypeError, "curve is nothing that kmedian.choose_k"),
        (dict(X=ROWS, names=["a"]), ValueError, "there are 1 names, but 80 items"),
        (dict(X=ROWS, positions=ROWS), ValueError, "two coordinates for each of 80 items"),
        (dict(X=ROWS, image_shape=(2, 2)), ValueError, "takes 4 columns of numbers, but the items have 3"),
        (dict(X=ROWS, image_shape=4), ValueError, "is no shape"),
    ]:
        with pytest.raises(error, match=told):
            fitted.report(file, **given)
    with pytest.raises(IsADirectoryError):
        fitted.report(tmp_path, ROWS)
    with pytest.raises(FileNotFoundError):
        fitted.report(tmp_path / "nowhere" / "page.html", ROWS)
    assert not file.exists()
