"""Data in the forms that `crates/kmedian/examples/proof.rs` reads."""

import gzip
from collections.abc import Callable
from pathlib import Path

from harness.networks import edges_of
from harness.store import Store


def points(store: Store, name: str, make: Callable[[], object], dims: int = 2) -> tuple[str, ...]:
    """The words that name a file of points."""

    def write(to: Path) -> None:
        import numpy as np

        np.asarray(make(), dtype="<f4").tofile(to)

    return ("points", str(store.made(f"{name}.f32", write)), str(dims))


def write_edges(whole: Path, to: Path) -> None:
    """A graph in the form that the example reads."""
    nodes, edges = edges_of(whole)
    to.write_text(
        "\n".join([str(nodes), *(f"{a} {b} {length:g}" for (a, b), length in edges.items())]) + "\n"
    )


def cities(whole: Path) -> object:
    """The points of a set of TSPLIB, in 64 bits."""
    import numpy as np

    text = gzip.decompress(whole.read_bytes()).decode()
    lines = text.split("NODE_COORD_SECTION", 1)[1].split("EOF")[0].strip().splitlines()
    return np.array([[float(word) for word in line.split()[1:3]] for line in lines])


def floored(places: object, centers: list[int]) -> float:
    """The cost of centers where distances are rounded down."""
    import numpy as np
    from scipy.spatial import cKDTree

    places = np.asarray(places)
    return float(np.floor(cKDTree(places[centers]).query(places)[0]).sum())


def images(store: Store) -> object:
    """The test images of MNIST, scaled to [0, 1]."""
    import numpy as np

    raw = gzip.decompress(store.real("mnist/t10k-images-idx3-ubyte.gz").read_bytes())
    return np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784) / np.float32(255)


def table(file: Path) -> object:
    """Numbers in columns."""
    import numpy as np

    return np.loadtxt(file, dtype=np.float32)


def plane(n: int) -> object:
    """Points in the plane in 200 round clusters and everywhere else, from a fixed seed."""
    import numpy as np

    rng = np.random.default_rng(7)
    middles, spread = rng.random((200, 2)) * 1000, rng.uniform(2, 40, (200, 1))
    of = rng.integers(0, 200, n - n // 10)
    grouped = middles[of] + rng.normal(size=(len(of), 2)) * spread[of]
    return np.vstack([grouped, rng.random((n // 10, 2)) * 1000])
