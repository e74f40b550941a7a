"""``kmedian.plan``: what it expects, draws and refuses."""

from __future__ import annotations

import json
import os
import subprocess

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import kmedian  # noqa: E402
from conftest import made_up  # noqa: E402
from kmedian import plot  # noqa: E402

X = made_up(3, 150, 2)
FEW = dict(epsilon=1, demand_size=400, runs=2, random_state=0)


def test_what_is_expected():
    plan = kmedian.plan(X, 4, **FEW)
    names = ["everywhere", "five places", "one place", "few items"]
    assert [curve.name for curve in plan.curves] == names
    assert (plan.n_items, plan.n_clusters, plan.demand_size, plan.runs) == (150, 4, 400, 2)
    for curve in plan.curves:
        assert np.allclose(curve.epsilon, [0.1, 0.3, 1, 3, 10])
        assert (curve.least <= curve.cost + 1e-12).all() and (curve.cost <= curve.most + 1e-12).all()
        assert curve.non_private_cost > 0
        assert curve.epsilon_within(1e9) == 0.1 and curve.epsilon_within(-1.0) is None
    hardest = plan.curves[-1]
    assert hardest.without_data > hardest.cost[-1]
    again = kmedian.plan(X, 4, **FEW, n_jobs=1)
    assert all(np.array_equal(a.cost, b.cost) for a, b in zip(plan.curves, again.curves))


def test_the_search_is_that_of_kmedian():
    lazy, plan = kmedian.plan(X, 4, **FEW, max_swaps=0), kmedian.plan(X, 4, **FEW)
    assert lazy.curves[0].non_private_cost > plan.curves[0].non_private_cost


def test_it_is_the_plan_of_the_command(tmp_path):
    command = os.environ.get("KMEDIAN_COMMAND")
    if command is None:
        pytest.skip("KMEDIAN_COMMAND does not say where the command is")
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    options = "-k 4 --epsilon 1 --demand-size 400 --runs 2 --seed 0 --json".split()
    told = json.loads(subprocess.check_output([command, "plan", tmp_path / "x.npy", *options]))
    plan = kmedian.plan(X.astype(np.float32), 4, **FEW)
    for curve, scenario in zip(plan.curves, told["scenarios"]):
        assert np.allclose(curve.cost, [point["cost_ratio"] for point in scenario["curve"]], rtol=1e-5)


def test_a_drawing():
    plan = kmedian.plan(X, 4, **FEW)
    ax = plan.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "without data", "everywhere", "five places", "one place", "few items",
    ]  # fmt: skip
    assert plot.plan(plan, ax=ax) is ax
    with pytest.raises(TypeError, match="KMedian is no plan; give what kmedian.plan returns"):
        plot.plan(kmedian.KMedian())


@pytest.mark.parametrize(
    "wrong, says",
    [
        (dict(epsilon=0), "epsilon=0 is not possible; give a positive decimal number"),
        (dict(demand_size=0), "demand_size=0 is too small; it must be at least 1"),
        (dict(runs=0), "runs=0 is too small"),
        (dict(split="half"), "split='half' is not known; choose one of auto"),
        (dict(method="paper"), "method='paper' is not known; choose one of refined, exact"),
        (dict(swap="best", effort="fast"), "always certified"),
        (dict(n_clusters=151), "ask for at most 150"),
    ],
)
def test_what_cannot_be_planned(wrong, says):
    with pytest.raises(ValueError, match=says):
        kmedian.plan(X, **{"n_clusters": 4, **FEW, **wrong})


def test_a_callback_ends_it():
    steps = []

    def callback(step, numbers):
        steps.append((step, numbers))
        return False

    with pytest.raises(RuntimeError, match="callback returned False"):
        kmedian.plan(made_up(1, 3000, 2), 10, **FEW, callback=callback)
    assert steps[-1][0] in ("simulated", "working")


def test_words_are_documented():
    from kmedian import _core

    documented = "".join([kmedian.KMedian.__doc__, kmedian.PrivateKMedian.__doc__])
    for name, words in _core.choices():
        for word, help in words:
            assert f'"{word}"' in documented, (name, word)
            assert help
