"""The options of a search do the same in ``KMedian``, ``PrivateKMedian``, ``Release`` and ``plan`` as in the command."""

from __future__ import annotations

import inspect
import json
import subprocess

import numpy as np
import pytest

import kmedian
from conftest import made_up
from kmedian import KMedian, Ledger, PrivateKMedian, Release, _search

X = made_up(7, 400, 2)
RECORDS = np.random.default_rng(0).integers(len(X), size=3000)

# Options of Python, and the same for the command.
OPTIONS = [
    ({}, ""),
    ({"swap": "best", "alpha": 0.5}, "--swap best --alpha 0.5"),
    ({"effort": "fast"}, "--effort fast"),
    ({"effort": "balanced", "n_restarts": 3}, "--effort balanced --restarts 3"),
    ({"max_swaps": 2, "memory": 0}, "--max-swaps 2 --memory 0"),
    ({"max_swaps": 0}, "--max-swaps 0"),
    ({"time_limit": 0}, "--time-limit 0"),
    ({"memory": "1GiB", "n_restarts": 20}, "--memory 1GiB --restarts 20"),
]


@pytest.fixture(scope="module")
def private() -> PrivateKMedian:
    """A release that is hardly private, so that there is something to search for."""
    estimator = PrivateKMedian(6, epsilon=20, random_state=4, noise_seed_for_experiments=1, demand_size=3000)
    with pytest.warns(kmedian.NotPrivateWarning):
        return estimator.fit(X, RECORDS)


def told(*line) -> dict:
    """What the command prints as JSON of its only fit."""
    (fit,) = json.loads(subprocess.check_output([str(word) for word in line]))["fits"]
    return fit


@pytest.mark.parametrize("options, words", OPTIONS)
def test_they_are_those_of_the_command(options, words, private, command, tmp_path):
    items, file = tmp_path / "x.npy", tmp_path / "x.release.json"
    np.save(items, X)
    fitted = KMedian(6, random_state=4, **options).fit(X)
    said = told(command, "fit", items, "-k", 6, "--seed", 4, "--json", *words.split())
    assert fitted.medoid_indices_.tolist() == said["center_indices"] and fitted.stop_ == said["stop"]
    private.release_.save(file)
    for k in (6, 9):
        for objective in ("median", "means"):
            line = [command, "centers", file, "--universe", items, "-k", k, "--objective", objective, "--json"]
            said = told(*line, *words.split())
            how = dict(objective=objective, **options)
            assert private.release_.centers(k, **how).tolist() == said["center_indices"]
            assert private.release_.stop(k, **how) == said["stop"]
            assert private.release_.cost(k, **how) == pytest.approx(said["estimated_cost"], rel=1e-5)
            assert private.release_.sizes(k, **how) == pytest.approx(said["estimated_sizes"], rel=1e-4, abs=0.1)
            without = private.release_.cost_curve([k], **how).without_data[0]
            assert without == pytest.approx(said["data_free_estimated_cost"], rel=1e-5)


@pytest.mark.parametrize("options, words", OPTIONS)
def test_an_estimator_finds_what_its_release_does(options, words, private):
    again = PrivateKMedian(**{**private.get_params(), **options})
    with pytest.warns(kmedian.NotPrivateWarning):
        again.fit(X, RECORDS)
    assert again.release_.hash == private.release_.hash
    assert again.medoid_indices_.tolist() == private.release_.centers(6, **options).tolist()
    assert again.stop_ == private.release_.stop(6, **options)


def test_plans_are_those_of_the_command(command, tmp_path):
    items = tmp_path / "x.npy"
    np.save(items, X)
    line = [command, "plan", items, *"-k 4 --epsilon 1 --demand-size 400 --runs 1 --seed 0 --json".split()]
    for options, words in OPTIONS:
        plan = kmedian.plan(X, 4, epsilon=1, demand_size=400, runs=1, random_state=0, **options)
        printed = subprocess.check_output([str(word) for word in [*line, *words.split()]])
        scenarios = json.loads(printed)["scenarios"]
        for curve, scenario in zip(plan.curves, scenarios):
            assert np.allclose(curve.cost, [point["cost_ratio"] for point in scenario["curve"]], rtol=1e-5)


def test_they_change_something(private):
    """The release gives the search something to do, so that options that are ignored would be seen."""
    found = private.release_
    assert found.stop(6) == "local-optimum" and found.stop(6, max_swaps=0) == "max-swaps"
    assert found.cost(6) < found.cost(6, max_swaps=0)
    assert found.stop(6, swap="best", alpha=0.5) == "alpha-optimum"


WRONG = [
    ({"swap": "lazy"}, ValueError, "swap='lazy' is not known; choose one of eager, best"),
    ({"effort": None}, ValueError, "effort=None is not known"),
    ({"alpha": "much"}, TypeError, "alpha='much' is no number; give a share of the cost"),
    ({"alpha": True}, TypeError, "alpha=True is no number"),
    ({"alpha": -1}, ValueError, "alpha"),
    ({"alpha": float("nan")}, ValueError, "alpha"),
    ({"max_swaps": -1}, ValueError, "max_swaps=-1 is too small"),
    ({"time_limit": -1.0}, ValueError, "time"),
    ({"time_limit": "5"}, TypeError, "time_limit='5' is no number; give seconds"),
    ({"memory": "lots"}, ValueError, "lots"),
    ({"memory": 1.5}, ValueError, "memory=1.5 is no whole number"),
    ({"n_restarts": 0.5}, ValueError, "n_restarts=0.5 is no whole number"),
    ({"swap": "best", "effort": "fast"}, ValueError, "always certified"),
]


@pytest.mark.parametrize("wrong, kind, says", WRONG)
def test_what_is_wrong_is_found_before_anything_is_spent(wrong, kind, says, private, tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 2)
    estimator = PrivateKMedian(3, epsilon=1, ledger=ledger, dataset="visits", **wrong)
    for attempt in (
        lambda: estimator.fit(X, RECORDS),
        lambda: KMedian(3, **wrong).fit(X),
        lambda: private.release_.centers(3, **wrong),
        lambda: private.release_.cost_curve([3], **wrong),
        lambda: kmedian.plan(X, 3, epsilon=1, demand_size=10, **wrong),
    ):
        with pytest.raises(kind, match=says):
            attempt()
    assert ledger.entries("visits") == []


def test_exact_centers_are_not_searched_for(private, tmp_path):
    says = "n_restarts is for method='refined': 'exact' takes the centers as the tree gives them"
    exact = dict(method="exact", n_restarts=1)
    with pytest.raises(ValueError, match=says):
        private.release_.centers(3, **exact)
    for ask in ("sizes", "cost", "service", "cost_interval", "advantage_interval", "advantage_is_clear", "stop"):
        with pytest.raises(ValueError, match=says):
            getattr(private.release_, ask)(3, **exact)
        with pytest.raises(TypeError, match="no option 'restarts' of a search"):
            getattr(private.release_, ask)(3, restarts=1)
    with pytest.raises(ValueError, match=says):
        PrivateKMedian(3, epsilon=1, **exact).fit(X, RECORDS)
    with pytest.raises(ValueError, match=says):
        kmedian.plan(X, 3, epsilon=1, demand_size=10, **exact)
    default = {name: getattr(KMedian(), name) for name in _search.SearchOptions.__annotations__}
    assert len(private.release_.centers(3, method="exact", **default)) == 3


def test_an_unknown_option_is_named(private):
    for attempt in (lambda: private.release_.sizes(3, efort="fast"), lambda: kmedian.plan(X, 3, epsilon=1, demand_size=10, efort="fast")):  # fmt: skip
        with pytest.raises(TypeError, match="no option 'efort' of a search; choose among swap, effort, alpha"):
            attempt()


def test_estimators_have_them_all():
    shared = set(_search.SearchOptions.__annotations__)
    for estimator in (KMedian, kmedian.KMeansMedoids, PrivateKMedian):
        parameters = inspect.signature(estimator.__init__).parameters
        assert shared <= set(parameters)
        assert all(_search._DEFAULTS[name] == parameters[name].default for name in shared)
        assert all(name in estimator.__doc__ for name in shared)
        assert "{" not in estimator.__doc__


def test_what_a_release_found_is_kept_by_its_options(private):
    release = Release(private.release_._release, private.release_._universe)
    few, many = release.centers(6, max_swaps=0), release.centers(6)
    assert few.tolist() != many.tolist()
    assert release.centers(6, max_swaps=0).tolist() == few.tolist()
    assert len(release._found) == 2
