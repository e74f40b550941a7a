"""The methods, and how each is called."""

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """How long and how large a run may become; zero gibibytes: as large as the machine."""

    seconds: float = 1800.0
    gib: float = 0.0


@dataclass(frozen=True)
class Method:
    """A way to find medoids. No peer: our own binary; the peer `ours`: our own Python package."""

    name: str
    peer: str | None = None
    options: tuple[str, ...] = ()
    limits: Limits = Limits()
    # For methods that take so long that every repeat would be a waste.
    at_most: int | None = None

    @property
    def is_ours(self) -> bool:
        """Whether this is kmedian, not a rival."""
        return self.peer in (None, "ours")

    def command(
        self,
        kmedian: Path,
        file: Path,
        graph: bool,
        metric: str,
        k: int | None,
        threads: int,
        seed: int,
    ) -> list[str]:
        """The command line. A graph file may carry its own k."""
        if self.peer is None:
            start = [str(kmedian), "fit", str(file), "--json"]
        else:
            start = [sys.executable, "-m", f"peers.{self.peer}", str(file)]
        of_data = ["--graph"] if graph else ["--metric", metric]
        of_k = [] if k is None else ["-k", str(k)]
        of_run = ["--threads", str(threads), "--seed", str(seed)]
        return [*start, *of_data, *of_k, *of_run, *self.options]


# One search, as the peers do one.
KMEDIAN = Method("kmedian", options=("--effort", "certified", "--restarts", "0"))
# The same from an array in Python, for searches that take milliseconds.
KMEDIAN_OF_ARRAY = Method("kmedian", "ours")
AUTO = Method("kmedian-auto")
CERTIFIED_4_GIB = Method(
    "kmedian-4-gib", options=("--effort", "certified", "--restarts", "0", "--memory", "3GiB")
)
BALANCED = Method("kmedian-balanced", options=("--effort", "balanced"))
FAST = Method("kmedian-fast", options=("--effort", "fast"))
HST = Method("kmedian-hst", options=("--init", "hst", "--max-swaps", "0"))
PLUSPLUS = Method("kmedian-++", options=("--init", "plusplus", "--max-swaps", "0"))
FASTERPAM = Method("fasterpam", "fasterpam")
FASTERPAM_T = Method("fasterpam-t", "fasterpam", ("--transposed",))
ONEBATCH = Method("onebatch", "onebatch")
FAISS = Method("faiss", "faiss")
MINIBATCH = Method("minibatch", "minibatch")
SUPERKMEANS = Method("superkmeans", "superkmeans")
BANDITPAM = Method("banditpam", "banditpam")


def restarted(times: int) -> Method:
    """Ours, with restarts."""
    return Method(
        f"kmedian-restarts-{times}", options=("--effort", "certified", "--restarts", str(times))
    )
