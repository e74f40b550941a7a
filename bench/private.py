"""Private centers against other libraries, on the same records with the same ε: points in the plane over a public
catalogue, each center snapped to its nearest item of the catalogue.

    python bench/private.py --kmedian target/release/kmedian --points ../shared/data/points/sipu/s1.txt.gz

Ours is `kmedian private`, for k-means. diffprivlib's KMeans and DP-Lloyd by hand (both ε-private, without a δ) get the
bounds of the catalogue, which are public. Google's clustering library is on no package index, so it is not here; it has
a δ. The cost is the sum of squared distances of the records to the nearest center, in multiples of what k-means without
privacy (scikit-learn, snapped likewise) costs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

Centers = Callable[[np.ndarray, np.ndarray, int, float, int], np.ndarray]


def grid(low: np.ndarray, high: np.ndarray, side: int) -> np.ndarray:
    """A public catalogue: the middles of side × side equal cells."""
    axes = [np.linspace(a, b, 2 * side + 1)[1::2] for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)


def nearest(points: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every point, its nearest center and the squared distance to it."""
    squares = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(-1)
    labels = squares.argmin(1)
    return labels, squares[np.arange(len(points)), labels]


def cost(records: np.ndarray, centers: np.ndarray) -> float:
    return float(nearest(records, centers)[1].sum())


def snapped(centers: np.ndarray, items: np.ndarray) -> np.ndarray:
    return items[nearest(centers, items)[0]]


def lloyd(records: np.ndarray, items: np.ndarray, k: int, epsilon: float, seed: int) -> np.ndarray:
    """DP-Lloyd (Su et al. 2016): five rounds, each with noisy counts and noisy sums of every cluster."""
    rng = np.random.default_rng(seed)
    low, high = items.min(0), items.max(0)
    scaled = np.clip((records - low) / (high - low) * 2 - 1, -1, 1)
    centers = rng.uniform(-1, 1, (k, 2))
    rounds = 5
    # A record changes a count by 1 and a sum by at most 1 in each of two coordinates: 3 in all.
    scale = 3 * rounds / epsilon
    for _ in range(rounds):
        labels, _ = nearest(scaled, centers)
        for cluster in range(k):
            own = scaled[labels == cluster]
            count = len(own) + rng.laplace(0, scale)
            total = own.sum(0) + rng.laplace(0, scale, 2)
            if count > 1:
                centers[cluster] = np.clip(total / count, -1, 1)
    return snapped((centers + 1) / 2 * (high - low) + low, items)


def diffprivlib(records: np.ndarray, items: np.ndarray, k: int, epsilon: float, seed: int) -> np.ndarray:
    from diffprivlib.models import KMeans

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KMeans(k, epsilon=epsilon, bounds=(items.min(0), items.max(0)), random_state=seed)
        model.fit(records)
    return snapped(model.cluster_centers_, items)


def without_privacy(records: np.ndarray, items: np.ndarray, k: int, _epsilon: float, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return snapped(KMeans(k, n_init=10, random_state=seed).fit(records).cluster_centers_, items)


def ours(command: str) -> Centers:
    def centers(records: np.ndarray, items: np.ndarray, k: int, epsilon: float, seed: int) -> np.ndarray:
        at, _ = nearest(records, items)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "items.csv").write_text("x,y\n" + "\n".join(f"{x},{y}" for x, y in items) + "\n")
            (Path(folder) / "demand.csv").write_text("item\n" + "\n".join(map(str, at)) + "\n")
            run = [command, "private", "items.csv", "--columns", "x,y", "--metric", "l2", "--objective", "means"]
            run += ["--demand", "demand.csv", "--key", "item", "--epsilon", str(epsilon), "-k", str(k), "--json"]
            run += ["--release", "release.json", "--seed", str(seed)]
            told = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout
        return items[json.loads(told)["fits"][0]["center_indices"]]

    return centers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kmedian", default="target/release/kmedian")
    parser.add_argument("--points", required=True)
    parser.add_argument("--records", type=int, nargs="+", default=[500, 5000])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("-k", type=int, default=15)
    parser.add_argument("--side", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args()
    points = np.loadtxt(args.points)
    items = grid(points.min(0), points.max(0), args.side)
    command = str(Path(args.kmedian).resolve())
    methods: dict[str, Centers] = {"kmedian": ours(command), "diffprivlib": diffprivlib, "DP-Lloyd": lloyd}
    print("| records | ε | " + " | ".join(methods) + " |\n|---:|---:|" + "---:|" * len(methods))
    for size in args.records:
        for epsilon in args.epsilon:
            ratios: dict[str, list[float]] = {name: [] for name in methods}
            for seed in range(args.seeds):
                chosen = np.random.default_rng(seed).choice(len(points), size, replace=size > len(points))
                records = points[chosen]
                best = cost(records, without_privacy(records, items, args.k, epsilon, seed))
                for name, method in methods.items():
                    ratios[name].append(cost(records, method(records, items, args.k, epsilon, seed)) / best)
            cells = " | ".join(f"{np.mean(all_):.2f} ± {np.std(all_) / len(all_) ** 0.5:.2f}" for all_ in ratios.values())
            print(f"| {size} | {epsilon:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
