"""Reports progress, by printing it and by calling the user's callback."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

from . import _checks

Callback = Callable[[str, "dict[str, Any]"], Optional[bool]]

_WORDS = {
    "tree": "tree: level {level}, {cells} cells",
    "ranked": "tree: {items} of {of} items ranked",
    "seeded": "initial centers: {centers} of {of}",
    "started": "local search: cost {cost:.6g}",
    "preparing": "local search: cost {cost:.6g}, {swaps} swaps, bounds of all distances: about {seconds:.0f} s",
    "judged": "local search: cost {cost:.6g}, {swaps} swaps, {settled} of {of} items settled",
    "simulated": "{scenario}: {runs} of {of} runs done",
    "restarted": "restart {restarts}: best cost {cost:.6g}",
    "round": "round {round}: cost {cost:.6g}",
    "bounded": "bound: cost {cost:.6g}, no centers cost less than {bound:.6g}",
}


def progress(verbose: Any, callback: Callback | None) -> Callback | None:
    """The function to call with each step of the work, or ``None``: it prints, calls the callback,
    or both.

    The core calls it at most ten times a second, always on the thread that started the work.
    """
    if callback is not None and not callable(callback):
        raise TypeError(f"callback={callback!r} cannot be called; give a function of a step's name and its numbers")
    level = int(verbose) if _checks.is_flag(verbose) else _checks.whole("verbose", verbose, 0)
    if level == 0:
        return callback
    printer = _Printer(every=1.0 if level == 1 else 0.0)

    def both(step: str, numbers: dict[str, Any]) -> bool | None:
        printer(step, numbers)
        return None if callback is None else callback(step, numbers)

    return both


class _Printer:
    def __init__(self, every: float) -> None:
        self.every = every
        self.last = -every

    def __call__(self, step: str, numbers: dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self.last >= self.every and step in _WORDS:
            self.last = now
            print("kmedian:", _WORDS[step].format(**numbers), flush=True)
