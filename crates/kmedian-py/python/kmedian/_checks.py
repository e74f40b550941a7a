"""Checks parameters, and turns them into what the core takes. An error names the parameter and what
is allowed."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from . import _columns, _core
from ._tables import TEXT, TIMES, holds, refuse_gaps

_Estimator = TypeVar("_Estimator", bound=type)

_CHOICES = _core.choices()
#: For each choice of the core, its words, the default first.
WORDS = {name: tuple(word for word, _ in words) for name, words in _CHOICES}

#: The largest number of swaps or restarts: what a machine word holds.
LARGEST_COUNT = sys.maxsize
#: The largest seed: 64 bits.
LARGEST_SEED = 2**64 - 1
# The most threads, as in the core: more than machines have cores.
_MOST_THREADS = 4096


def explained(estimator: _Estimator) -> _Estimator:
    """Puts the words of the core's choices, each with what it means, into the docstring of an
    estimator, in place of lines such as ``{metric}``."""
    document = estimator.__doc__ or ""
    for name, words in _CHOICES:
        lines = [f'"{word}": {help[0].lower()}{help[1:]}.' for word, help in words]
        # Lines are indented by 8 blanks, or by 4: Python 3.13 strips what all have in common.
        document = re.sub(
            rf"^( *)\{{{name}\}}$", lambda found: "\n".join(found[1] + line for line in lines), document, flags=re.M
        )
    estimator.__doc__ = document
    return estimator


def seed_of(random_state: Any) -> int:
    """The seed that a ``random_state`` stands for: an integer itself, or a draw from a generator,
    as in scikit-learn.

    The same integer gives the same centers as ``kmedian fit --seed``.
    """
    if isinstance(random_state, Integral):
        return whole("random_state", random_state, 0, LARGEST_SEED)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST_SEED, endpoint=True, dtype=np.uint64))
    try:
        generator = check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state={random_state!r} is no seed; give a whole number, a RandomState, a Generator or None"
        ) from error
    return int(generator.randint(np.iinfo(np.int32).max))


def public_seed_of(random_state: Any) -> int:
    """The seed of a public tree, which the release shows.

    NumPy's global generator is never used: a published draw would tell something about its other
    draws.
    """
    if random_state is None or random_state is np.random:
        return secrets.randbelow(LARGEST_SEED + 1)
    return seed_of(random_state)


def threads_of(n_jobs: Any) -> int | None:
    """How many threads ``n_jobs`` asks for; ``None`` for all cores."""
    if n_jobs is None:
        return None
    jobs = whole("n_jobs", n_jobs, most=_MOST_THREADS)
    if jobs == 0:
        raise ValueError("n_jobs=0: at least one thread has to do the work; -1 takes all cores")
    if jobs == -1:
        return None
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def is_flag(value: Any) -> bool:
    """Whether a value is a Boolean of Python or NumPy, and so not meant as a number."""
    return isinstance(value, (bool, np.bool_))


def whole(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """A parameter as a whole number from ``least`` to ``most``; raises if it is anything else."""
    if not isinstance(value, Integral) or is_flag(value) or isinstance(value, np.timedelta64):
        example = int(value) if isinstance(value, float) and value.is_integer() else 5
        raise ValueError(f"{name}={value!r} is no whole number; give one such as {example}")
    number = int(value)
    if least is not None and number < least:
        raise ValueError(f"{name}={number} is too small; it must be at least {least}")
    if most is not None and number > most:
        raise ValueError(f"{name}={number} is too large; it must be at most {most}")
    return number


def whole_or_none(name: str, value: Any, least: int, most: int) -> int | None:
    """A parameter as a whole number from ``least`` to ``most``, or ``None``; raises if it is
    anything else."""
    return None if value is None else whole(name, value, least, most)


def path(value: Any) -> str:
    """The path of a file as text; raises if it is no path, or empty."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"path={value!r} is no path; give text or a pathlib.Path")
    if not os.fsdecode(value):
        raise ValueError("the path is empty; give the name of a file")
    return os.fsdecode(value)


def text(name: str, value: Any, wanted: str) -> str:
    """A parameter that is text; raises if it is not, and says what is ``wanted``."""
    if not isinstance(value, str):
        raise TypeError(f"{name}={value!r} is no text; give {wanted}")
    return value


def choice(name: str, value: Any, choices: tuple[str, ...] | None = None) -> str:
    """A parameter that is one of a few words: by default the words of the core's choice of this
    name."""
    choices = WORDS[name] if choices is None else choices
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r} is not known; choose one of {', '.join(choices)}")
    return value


def flag(name: str, value: Any) -> bool:
    """A parameter that is true or false; raises if it is anything else."""
    if not is_flag(value):
        raise TypeError(f"{name}={value!r} is neither True nor False")
    return bool(value)


def gap(value: Any) -> float | str | bool | None:
    """What is to be proven: a gap as a share or as text, a bound alone, or nothing."""
    if value is None or isinstance(value, str):
        return value
    if is_flag(value):
        return bool(value)
    if isinstance(value, Real) and float(value) >= 0:
        return float(value)
    raise ValueError(
        f'gap={value!r} is no gap; give a share of the cost such as 0.001, "0.1%", True for a bound, or None'
    )


def start(init: Any, n_items: int) -> str | list[int]:
    """Where a search begins, checked: the word of an initialization, or the positions of items."""
    if isinstance(init, str):
        return choice("init", init)
    items = np.asarray(init, dtype=object)
    if items.ndim != 1:
        raise ValueError(
            f"init={init!r} says nothing about where to begin; choose one of {', '.join(WORDS['init'])}, or give positions of "
            "items, such as [0, 5]"
        )
    given = items.tolist()
    if given and all(is_flag(item) for item in given):
        raise ValueError("init is a mask; give positions of items, np.flatnonzero(mask)")
    if any(isinstance(item, TEXT) for item in given):
        raise ValueError("init holds names; give positions of items, counted from 0, whatever they are called")
    positions = [whole("init", item, 0, n_items - 1) for item in given]
    twice = [item for item, times in Counter(positions).items() if times > 1]
    if twice:
        raise ValueError(f"init: item {twice[0]} is given twice as a center; give positions that differ")
    return positions


def clusters(n_clusters: Any, n_items: int, name: str = "n_clusters") -> int:
    """A number of centers, checked: from 1 to the number of items."""
    k = whole(name, n_clusters, least=1)
    if k > n_items:
        raise ValueError(
            f"n_samples={n_items} should be >= {name}={k}: centers are items, so ask for at most {n_items}"
        )
    return k


def several(ks: Any, n_items: int) -> list[int]:
    """Several numbers of centers, checked: at least one, each from 1 to the number of items."""
    if not isinstance(ks, Iterable):
        raise TypeError(f"ks={ks!r} is not several numbers of centers; give them, such as range(1, 21)")
    counts = [clusters(k, n_items, "k") for k in ks]
    if not counts:
        raise ValueError("ks is empty; give some numbers of centers, such as range(1, 21)")
    return counts


def weights(sample_weight: Any, n_items: int) -> np.ndarray | None:
    """The weight of each item, checked; ``None`` if all count the same. A single number is for all
    items."""
    if sample_weight is None:
        return None
    refuse_gaps(sample_weight, "sample_weight")
    given = _numbers(sample_weight)
    if given is None:
        raise ValueError("sample_weight is not made of numbers; give one weight an item")
    if given.ndim == 0:
        given = np.full(n_items, given)
    if given.shape != (n_items,):
        raise ValueError(
            f"sample_weight has the shape {given.shape}, but there are {n_items} items; give one weight an item"
        )
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        raise ValueError(
            f"the weight of item {wrong[0]} is {given[wrong[0]]}; weights must be finite and not negative: give zero to an "
            "item that does not count"
        )
    return np.ascontiguousarray(given)


def _numbers(given: Any) -> np.ndarray | None:
    """The values as an array of floats, NaN where one is missing; ``None`` if they are not numbers.
    Text and times do not count as numbers."""
    try:
        held = _columns.numbers(given)
        if held is not None:
            floats = held.values.astype(np.float64)
            if held.missing is not None:
                floats[held.missing] = np.nan
            return floats
        array = np.asarray(given)
        numbers = array.dtype.kind in "biuf" or (array.dtype.kind == "O" and not holds(array, (*TIMES, *TEXT)))
        return array.astype(np.float64) if numbers else None
    except (TypeError, ValueError):
        return None
