r"""Private centers against other libraries, on the same records with the same ε.

Points in the plane over a public catalogue; each center is snapped to its nearest item.

    python bench/private.py --kmedian target/release/kmedian \
        --points ../shared/data/points/sipu/s1.txt.gz
    python bench/private.py --table

Rows go to bench/results/private.jsonl, one a run; a run that has a row is not repeated, and the
table is made from rows alone. Ours is `kmedian private`, for k-means. diffprivlib's KMeans and
DP-Lloyd by hand (both ε-private, without a δ) get the bounds of the catalogue, which are public.
The cost is the sum of squared distances of the
records to the nearest center, in multiples of what k-means without privacy (scikit-learn, snapped
likewise) costs. Centers without data are those of `kmedian fit` on the catalogue.

diffprivlib 0.6.6 needs scikit-learn 1.5 (`pip install diffprivlib "scikit-learn<1.6"`). Google's
clustering library, which has a δ, is on no package index: PyPI has no `dp-learning`, `google-dp`,
`google-differential-privacy`, `google-dp-learning`, `dp-clustering` or `lsh-clustering`,
`differential-privacy` there is an empty package, and `python-dp` has no clustering. So its scheme
is here by hand (LSH tree), with δ = 1e-6; it says nothing about the library's own tuning.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

Centers = Callable[[np.ndarray, np.ndarray, int, float, int], np.ndarray]

ROWS = Path(__file__).parent / "results" / "private.jsonl"


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
    """DP-Lloyd (Su et al. 2016): five rounds of noisy counts and sums of every cluster."""
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


# The δ of the LSH tree, whose sums have normal noise.
DELTA = 1e-6


def lsh_tree(
    records: np.ndarray, items: np.ndarray, k: int, epsilon: float, seed: int
) -> np.ndarray:
    """The scheme of Google's clustering library, by hand: k-means of a private coreset.

    A record is hashed by the signs of its products with random directions. Half of ε counts the
    nodes of the tree of prefixes, with Laplace noise; nodes with few records are not split. The
    other half, with δ, is for the sums of the leaves, with normal noise. (Chang, Kamath, 2021.)
    """
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(seed)
    low, high = items.min(0), items.max(0)
    scaled = np.clip((records - low) / (high - low) * 2 - 1, -1, 1)
    depth, radius = 8, 2**0.5
    # A third number, always the same, moves the planes away from the middle.
    planes = rng.normal(size=(depth, 3)) * np.array([1, 1, 0.5])
    signs = np.column_stack([scaled, np.ones(len(scaled))]) @ planes.T > 0
    scale = 2 * depth / epsilon
    deviation = radius * (2 * np.log(1.25 / DELTA)) ** 0.5 * 2 / epsilon
    means, weights = [], []
    nodes = [(0, np.arange(len(scaled)), float(len(scaled)))]
    while nodes:
        level, own, about = nodes.pop()
        # The root is split whatever it holds, so its count is not looked at.
        if level == 0 or (level < depth and about > 4 * scale):
            for side in (False, True):
                part = own[signs[own, level] == side]
                nodes.append((level + 1, part, len(part) + rng.laplace(0, scale)))
        elif about > 1:
            mean = (scaled[own].sum(0) + rng.normal(0, deviation, 2)) / about
            means.append(np.clip(mean, -1, 1))
            weights.append(about)
    if len(means) < k:
        missing = k - len(means)
        means += list(rng.uniform(-1, 1, (missing, 2)))
        weights += [1e-3] * missing
    model = KMeans(k, n_init=10, random_state=seed)
    centers = model.fit(np.array(means), sample_weight=np.array(weights)).cluster_centers_
    return snapped((centers + 1) / 2 * (high - low) + low, items)


def diffprivlib(
    records: np.ndarray, items: np.ndarray, k: int, epsilon: float, seed: int
) -> np.ndarray:
    from diffprivlib.models import KMeans

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KMeans(k, epsilon=epsilon, bounds=(items.min(0), items.max(0)), random_state=seed)
        model.fit(records)
    return snapped(model.cluster_centers_, items)


def without_privacy(
    records: np.ndarray, items: np.ndarray, k: int, _epsilon: float, seed: int
) -> np.ndarray:
    from sklearn.cluster import KMeans

    return snapped(KMeans(k, n_init=10, random_state=seed).fit(records).cluster_centers_, items)


def told(command: str, words: list[str], folder: str) -> np.ndarray:
    """The centers that our command finds in a folder, as indices of items."""
    run = [command, *words, "--columns", "x,y", "--metric", "l2", "--objective", "means", "--json"]
    answer = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout
    return np.array(json.loads(answer)["fits"][0]["center_indices"])


def written(folder: str, items: np.ndarray) -> None:
    (Path(folder) / "items.csv").write_text(
        "x,y\n" + "\n".join(f"{x},{y}" for x, y in items) + "\n"
    )


def ours(command: str) -> Centers:
    def centers(
        records: np.ndarray, items: np.ndarray, k: int, epsilon: float, seed: int
    ) -> np.ndarray:
        at, _ = nearest(records, items)
        with tempfile.TemporaryDirectory() as folder:
            written(folder, items)
            (Path(folder) / "demand.csv").write_text("item\n" + "\n".join(map(str, at)) + "\n")
            words = [
                "private",
                "items.csv",
                "--demand",
                "demand.csv",
                "--key",
                "item",
                "-k",
                str(k),
            ]
            words += ["--epsilon", str(epsilon), "--release", "release.json", "--seed", str(seed)]
            return items[told(command, words, folder)]

    return centers


def without_data(command: str) -> Centers:
    found: dict[tuple[int, int], np.ndarray] = {}

    def centers(
        _records: np.ndarray, items: np.ndarray, k: int, _epsilon: float, _seed: int
    ) -> np.ndarray:
        if (len(items), k) not in found:
            with tempfile.TemporaryDirectory() as folder:
                written(folder, items)
                found[len(items), k] = told(command, ["fit", "items.csv", "-k", str(k)], folder)
        return items[found[len(items), k]]

    return centers


Row = dict[str, str | int | float]


def key(row: Row) -> tuple[str | int | float, ...]:
    return tuple(row[name] for name in ("data", "method", "records", "epsilon", "k", "seed"))


def kept() -> list[Row]:
    return [json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []


def measure(args: argparse.Namespace) -> None:
    """Does the runs that have no row yet."""
    points, data = np.loadtxt(args.points), Path(args.points).name.split(".")[0]
    items = grid(points.min(0), points.max(0), args.side)
    command = str(Path(args.kmedian).resolve())
    methods: dict[str, Centers] = {
        "kmedian": ours(command),
        "diffprivlib": diffprivlib,
        "DP-Lloyd": lloyd,
        "LSH tree": lsh_tree,
    }
    methods["without data"] = without_data(command)
    known = {key(row) for row in kept()}
    with ROWS.open("a") as out:
        for size, epsilon, seed in itertools.product(args.records, args.epsilon, range(args.seeds)):
            row: Row = {
                "data": data,
                "records": size,
                "epsilon": epsilon,
                "k": args.k,
                "seed": seed,
            }
            lacking = [name for name in methods if key({**row, "method": name}) not in known]
            if not lacking:
                continue
            chosen = np.random.default_rng(seed).choice(
                len(points), size, replace=size > len(points)
            )
            records = points[chosen]
            best = cost(records, without_privacy(records, items, args.k, epsilon, seed))
            for name in lacking:
                found = cost(records, methods[name](records, items, args.k, epsilon, seed))
                out.write(
                    json.dumps({**row, "method": name, "cost": found, "non_private": best}) + "\n"
                )
                out.flush()


def table(rows: list[Row]) -> str:
    """The mean of cost / non-private cost with its standard error, and the number of runs."""
    methods = ["kmedian", "diffprivlib", "DP-Lloyd", "LSH tree", "without data"]
    lines = [
        "| data | records | ε | " + " | ".join(methods) + " |",
        "|---|---:|---:|" + "---:|" * len(methods),
    ]
    settings = sorted({(row["data"], row["records"], row["epsilon"]) for row in rows})
    for data, size, epsilon in settings:
        cells = []
        for method in methods:
            here = [row for row in rows if key(row)[:4] == (data, method, size, epsilon)]
            ratios = np.array([float(row["cost"]) / float(row["non_private"]) for row in here])
            if len(here) > 1:
                error = ratios.std(ddof=1) / len(ratios) ** 0.5
                cells.append(f"{ratios.mean():.2f} ± {error:.2f} ({len(here)})")
            else:
                cells.append(f"{ratios.mean():.2f} (1)" if here else "–")
        lines.append(f"| {data} | {size} | {epsilon:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kmedian", default="target/release/kmedian")
    parser.add_argument("--points")
    parser.add_argument("--records", type=int, nargs="+", default=[500, 5000, 50000])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("-k", type=int, default=15)
    parser.add_argument("--side", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument(
        "--table",
        action="store_true",
        help="print the table of the rows that are there; run nothing",
    )
    args = parser.parse_args()
    if not args.table:
        measure(args)
    print(table(kept()))


if __name__ == "__main__":
    main()
