"""Points: real ones as float32 in .npy files, and Gaussian blobs made from a fixed seed."""

import gzip
from dataclasses import dataclass
from pathlib import Path

from harness.store import Store

# Blobs have variance 1 in each direction; in a cube of this side, neighbours overlap a little.
BLOB_CUBE = 8.0

IDX_HEADER = 16

SHAPE_CLUSTERS = 50


class Points:
    """What all sources of points have in common."""

    graph = False

    def optimum(self, _store: Store) -> float | None:
        return None


@dataclass(frozen=True)
class Mnist(Points):
    """Random training images of MNIST, scaled to [0, 1]."""

    n: int

    @property
    def name(self) -> str:
        return f"mnist-{self.n}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            images = gzip.decompress(store.real("mnist/train-images-idx3-ubyte.gz").read_bytes())
            pixels = np.frombuffer(images, np.uint8, offset=IDX_HEADER).reshape(-1, 28 * 28)
            chosen = np.random.default_rng(0).choice(len(pixels), self.n, replace=False)
            save(path, pixels[np.sort(chosen)].astype(np.float32) / np.float32(255))

        return store.made(f"{self.name}.npy", write)


@dataclass(frozen=True)
class Birch(Points):
    """Random points of birch1: 100 clusters on a grid in the plane."""

    n: int

    @property
    def name(self) -> str:
        return f"birch1-{self.n}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            points = np.loadtxt(store.real("points/sipu/birch1.txt.gz"), dtype=np.float32)
            chosen = np.random.default_rng(0).choice(len(points), self.n, replace=False)
            save(path, points[np.sort(chosen)])

        return store.made(f"{self.name}.npy", write)


@dataclass(frozen=True)
class Blobs(Points):
    """Gaussian clusters of unit variance whose centers are uniform in a cube."""

    n: int
    d: int
    clusters: int

    @property
    def name(self) -> str:
        return f"blobs-{self.n}x{self.d}-c{self.clusters}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            random = np.random.default_rng(0)
            centers = random.uniform(0.0, BLOB_CUBE, (self.clusters, self.d)).astype(np.float32)
            points = random.standard_normal((self.n, self.d), dtype=np.float32)
            save(path, points + centers[random.integers(self.clusters, size=self.n)])

        return store.made(f"{self.name}.npy", write)


@dataclass(frozen=True)
class Shape(Points):
    """Made-up rows of a kind that is hard in its own way.

    - clustered, weak: rows of length one round 50 centers that stand out, or hardly do, as
      embeddings of text and images have them
    - isotropic: a Gaussian, where no axis sees more than another
    - heavy: lognormal coordinates, a few of which are far larger than the rest
    - outliers: 50 clusters, and one row in a thousand a hundred times as long
    """

    kind: str
    n: int
    d: int

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.n}x{self.d}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            random = np.random.default_rng(0)
            rows = random.standard_normal((self.n, self.d), dtype=np.float32)
            centers = random.standard_normal((SHAPE_CLUSTERS, self.d), dtype=np.float32)
            centers = centers[random.integers(SHAPE_CLUSTERS, size=self.n)]
            if self.kind in ("clustered", "weak"):
                rows += centers * np.float32(1.0 if self.kind == "clustered" else 0.3)
                rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            elif self.kind == "heavy":
                rows = np.exp(np.float32(1.5) * rows)
            elif self.kind == "outliers":
                rows += 3 * centers
                rows[::1000] *= 100
            elif self.kind != "isotropic":
                raise ValueError(self.kind)
            save(path, rows)

        return store.made(f"{self.name}.npy", write)


@dataclass(frozen=True)
class Table(Points):
    """Made-up rows as tables have them: columns of several scales, whole numbers, few values that
    repeat, flags, and rows that are equal to others.
    """

    n: int
    d: int

    @property
    def name(self) -> str:
        return f"table-{self.n}x{self.d}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            random = np.random.default_rng(0)
            kinds = random.integers(7, size=self.n)
            columns = []
            for column in range(self.d):
                middle = random.uniform(0, 10, 7)[kinds]
                values = middle + random.standard_normal(self.n)
                if column % 5 == 1:
                    values = np.round(300 * values)
                elif column % 5 == 2:
                    values = np.round(np.clip(values, 0, 12))
                elif column % 5 == 3:
                    values = (values > 5).astype(float)
                elif column % 5 == 4:
                    values = 100 * np.exp(values / 4)
                columns.append(values)
            rows = np.array(columns, np.float32).T
            again = random.integers(self.n, size=self.n // 10)
            rows[random.integers(self.n, size=len(again))] = rows[again]
            save(path, np.ascontiguousarray(rows))

        return store.made(f"{self.name}.npy", write)


def save(path: Path, points: object) -> None:
    """Writes an .npy file, whatever the name's ending."""
    import numpy as np

    with path.open("wb") as file:
        np.save(file, points)  # type: ignore[arg-type]
