"""The same seed gives the same centers in Python and on the command line, which is a shell round the crate."""

from __future__ import annotations

import json
import subprocess

import networkx
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from conftest import made_up, shared
from kmedian import KMeansMedoids, KMedian, PrivateKMedian, Release


def run(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], check=True, capture_output=True, text=True)
    if "--json" not in arguments:
        return done.stdout
    fits = json.loads(done.stdout)["fits"]
    return fits[0] if len(fits) == 1 else fits


@pytest.mark.parametrize("metric", ["l1", "l2", "linf", "angular", "hamming"])
@pytest.mark.parametrize("seed", [0, 7])
def test_points(command, tmp_path, metric, seed):
    X = np.round(made_up(3, 500, 16))
    np.save(tmp_path / "points.npy", X)
    told = run(command, "fit", tmp_path / "points.npy", "-k", 6, "--metric", metric, "--seed", seed, "--json")
    found = KMedian(6, metric=metric, random_state=seed).fit(X)
    assert found.medoid_indices_.tolist() == told["center_indices"]
    assert found.inertia_ == told["cost"]
    assert found.stop_ == told["stop"]


@pytest.mark.parametrize(
    "options, flags",
    [
        (dict(init="greedy"), ["--init", "greedy"]),
        (dict(init="random", swap="best"), ["--init", "random", "--swap", "best"]),
        (dict(effort="balanced", n_restarts=3), ["--effort", "balanced", "--restarts", 3]),
        (dict(init="plusplus", max_swaps=2, n_jobs=1), ["--init", "plusplus", "--max-swaps", 2]),
    ],
)
def test_options(command, tmp_path, options, flags):
    X = made_up(8, 2000, 5)
    np.save(tmp_path / "points.npy", X)
    told = run(command, "fit", tmp_path / "points.npy", "-k", 9, "--objective", "means", "--json", *flags)
    found = KMeansMedoids(9, random_state=0, **options).fit(X)
    assert found.medoid_indices_.tolist() == told["center_indices"]
    assert found.inertia_ == told["cost"]


def test_matrices_and_graphs(command, tmp_path):
    rows = made_up(2, 200, 2)
    matrix = cdist(rows, rows).astype(np.float32)
    np.save(tmp_path / "matrix.npy", matrix)
    told = run(command, "fit", tmp_path / "matrix.npy", "--matrix", "-k", 5, "--seed", 2, "--json")
    found = KMedian(5, metric="precomputed", random_state=2).fit(matrix)
    assert found.medoid_indices_.tolist() == told["center_indices"]

    graph = networkx.connected_watts_strogatz_graph(300, 4, 0.2, seed=1)
    lines = [f"{a} {b} 1" for a, b in graph.edges]
    (tmp_path / "graph.txt").write_text("\n".join([f"300 {len(lines)}", *lines]) + "\n")
    told = run(command, "fit", tmp_path / "graph.txt", "--graph", "-k", 5, "--seed", 2, "--json")
    found = KMedian(5, metric="graph", random_state=2).fit(graph)
    assert found.medoid_indices_.tolist() == told["center_indices"]


def test_mnist(command):
    images = shared("mnist/t10k-images-idx3-ubyte.gz")
    import gzip

    X = np.frombuffer(gzip.open(images).read(), np.uint8, offset=16).reshape(-1, 784)
    told = run(command, "fit", images, "-k", 10, "--seed", 1, "--json")
    found = KMedian(10, random_state=1).fit(X)
    assert found.medoid_indices_.tolist() == told["center_indices"]
    assert found.inertia_ == told["cost"]


@pytest.mark.filterwarnings("ignore::kmedian.NotPrivateWarning")
def test_private(command, tmp_path):
    """The same noise makes the same release, to the last byte, and the command reads Python's."""
    X = made_up(5, 400, 16)
    np.save(tmp_path / "items.npy", X)
    visits = np.random.default_rng(0).integers(0, 100, size=3000)
    (tmp_path / "visits.csv").write_text("item\n" + "\n".join(map(str, visits)) + "\n")
    run(
        command, "private", tmp_path / "items.npy", "--demand", tmp_path / "visits.csv", "--key", "item", "--epsilon", 0.5,
        "-k", 4, "--seed", 3, "--seeded-noise-not-private", 9, "--release", tmp_path / "command.json",
    )  # fmt: skip
    fitted = PrivateKMedian(4, epsilon=0.5, random_state=3, noise_seed_for_experiments=9).fit(X, visits)
    fitted.release_.save(tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "command.json").read_bytes()
    told = run(
        command, "centers", tmp_path / "python.json", "--universe", tmp_path / "items.npy", "-k", "4,7", "--json"
    )
    assert [fit["center_indices"] for fit in told] == [fitted.release_.centers(k).tolist() for k in (4, 7)]
    assert told[0]["center_indices"] == fitted.medoid_indices_.tolist()
    again = Release.load(tmp_path / "command.json", X)
    assert again.centers(4).tolist() == fitted.medoid_indices_.tolist()
    assert np.isclose(told[1]["data_free_estimated_cost"], again.cost_curve([7]).without_data[0])
