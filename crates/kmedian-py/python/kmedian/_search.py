"""How better centers are searched for: the options that estimators, releases and plans share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, Dict, TypedDict, Union

import numpy as np

from . import _checks, _core

Checked = Dict[str, Any]


class SearchOptions(TypedDict, total=False):
    """Options of a search, each as the parameter of ``KMedian`` of its name."""

    swap: str
    effort: str
    alpha: float
    max_swaps: Union[int, None]
    time_limit: Union[float, None]
    memory: Union[int, str, None]
    n_restarts: Union[int, None]


# What an option is unless it is given.
_DEFAULTS = SearchOptions(
    swap="eager", effort="auto", alpha=0.0, max_swaps=None, time_limit=None, memory=None, n_restarts=None
)


def checked(options: Mapping[str, Any]) -> Checked:
    """A search by these options, as the core takes it. Raises if there is no such option, or if it
    cannot have that value."""
    unknown = [name for name in options if name not in _DEFAULTS]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r} of a search; choose among {', '.join(_DEFAULTS)}")
    given = {**_DEFAULTS, **options}
    search = {
        "swap": _checks.choice("swap", given["swap"]),
        "effort": _checks.choice("effort", given["effort"]),
        "alpha": _number("alpha", given["alpha"], "a share of the cost, such as 0.01"),
        "max_swaps": _checks.whole_or_none("max_swaps", given["max_swaps"], 0, _checks.LARGEST_COUNT),
        "time_limit": _seconds(given["time_limit"]),
        "memory": _memory(given["memory"]),
        "n_restarts": _checks.whole_or_none("n_restarts", given["n_restarts"], 0, _checks.LARGEST_COUNT),
    }
    # Numbers out of range are found here, before anything is read or spent.
    _core.check_search(search)
    return search


def checked_for(method: str, options: Mapping[str, Any]) -> Checked:
    """A search by these options, for a method of deriving private centers. Raises if the method
    does not search, but an option was given, as the command does."""
    search = checked(options)
    if method == "exact":
        changed = [name for name, value in checked({}).items() if search[name] != value]
        if changed:
            raise ValueError(
                f"{changed[0]} is for method='refined': 'exact' takes the centers as the tree gives them"
            )
    return search


def options_of(estimator: Any) -> Mapping[str, Any]:
    """The options of a search among the parameters of an estimator."""
    return {name: getattr(estimator, name) for name in _DEFAULTS}


def _number(name: str, value: Any, wanted: str) -> float:
    if not isinstance(value, Real) or _checks.is_flag(value) or isinstance(value, np.timedelta64):
        raise TypeError(f"{name}={value!r} is no number; give {wanted}")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _seconds(value: Any) -> float | None:
    """A time limit in seconds; ``None`` for no limit."""
    wanted = "seconds, such as 5 or 0.5, or None for no limit"
    return None if value is None else _number("time_limit", value, wanted)


def _memory(value: Any) -> str | None:
    """A size of memory, in bytes or as text such as "2GiB"; ``None`` for the default."""
    if value is None or isinstance(value, str):
        return value
    return str(_checks.whole("memory", value, 0, _checks.LARGEST_COUNT))
