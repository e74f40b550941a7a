"""The ledger of privacy budgets."""

from __future__ import annotations

import os
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple, Union

import numpy as np

from . import _checks, _core

Amount = Union[str, int, float, Decimal]

# The most digits of an amount before or after its point: more than any amount has. Writing out
# 1e999999999 would fill the memory.
_MOST_DIGITS = 40


class ProtectedChange(NamedTuple):
    """What a release hides, up to its ε.

    ``unit`` is "record" or "owner"; ``max_per_unit`` is the most records of an owner that are
    counted, ``None`` for records. ``neighbours`` is "add-remove" (one unit more or less) or
    "replace-one" (one unit in place of another).
    """

    unit: str
    max_per_unit: int | None
    neighbours: str


class Chain(NamedTuple):
    """The chain of hashes of a ledger: the number of its events, and the last hash, which stands
    for all of them."""

    events: int
    head: str


class Dataset(NamedTuple):
    """A dataset of a ledger, and how much of its budget is spent.

    ``entries`` is the number of runs that spent some of it, ``created`` a time in UTC, and
    ``protects`` what all its runs protect, ``None`` if that is not fixed yet.
    """

    name: str
    budget: Decimal
    spent: Decimal
    left: Decimal
    entries: int
    created: str
    protects: ProtectedChange | None


class Entry(NamedTuple):
    """A run that spent some of a dataset's budget.

    ``release`` is the hash of its release, ``None`` if it failed or has not ended yet. ``reserved``
    is the day: the time of day is not kept, because how long a run took depends on the data.
    """

    number: int
    epsilon: Decimal
    note: str
    reserved: str
    release: str | None
    protects: ProtectedChange | None
    mechanism: str | None
    split: str | None
    software: str | None


class Ledger:
    """A ledger of privacy budgets: an SQLite file, or a database of a PostgreSQL server for a team,
    which the command ``kmedian ledger`` reads and writes too.

    ε is spent before the demand is read, and never given back. Any number of processes may use a
    ledger at once; together they never spend more than a dataset's budget, which is set once.

    Parameters
    ----------
    path : path
        The path of the file, or a URL such as ``"postgres://ann@localhost/books"``. The password is
        best left out of it, and given in the environment as ``PGPASSWORD``.
    create : bool, default False
        Whether to create the ledger if there is none.
    """

    def __init__(self, path: str | bytes | os.PathLike[str], *, create: bool = False) -> None:
        self.path = _checks.path(path)
        self._open(_checks.flag("create", create))

    def create_dataset(
        self,
        name: str,
        budget: Amount,
        *,
        protects: str | None = None,
        max_per_unit: int | None = None,
        neighbours: str = "add-remove",
    ) -> Dataset:
        """Adds a dataset. Its budget and what its runs protect can never be changed.

        Parameters
        ----------
        name, budget
            The name of the dataset, and how much ε may be spent on it in all.
        protects : {"record", "owner"}, optional
            What every run protects; "owner" needs ``max_per_unit``. By default, what the first run
            protects.
        max_per_unit, neighbours
            As in ``PrivateKMedian``; only with ``protects``.
        """
        change = None
        if protects is not None:
            _checks.choice("protects", protects, ("record", "owner"))
            change = _change(protects, max_per_unit, neighbours)
        elif max_per_unit is not None:
            raise ValueError("max_per_unit is of owners; give protects='owner' with it")
        elif neighbours != "add-remove":
            raise ValueError("neighbours is of what is protected; give protects='record' or 'owner' with it")
        self._open().create_dataset(_dataset_name(name), decimal_text("budget", budget), change)
        return self.dataset(name)

    def datasets(self) -> list[Dataset]:
        """All datasets, in the order of their names."""
        return [
            Dataset(row[0], Decimal(row[1]), Decimal(row[2]), Decimal(row[3]), row[4], row[5], _protected(row[6]))
            for row in self._open().datasets()
        ]

    def dataset(self, name: str) -> Dataset:
        """The dataset of this name."""
        self._open().entries(_dataset_name(name))
        return next(dataset for dataset in self.datasets() if dataset.name == name)

    def entries(self, name: str) -> list[Entry]:
        """The runs that have spent ε of a dataset, the oldest first."""
        return [
            Entry(row[0], Decimal(row[1]), *row[2:5], _protected(row[5]), *row[6:])
            for row in self._open().entries(_dataset_name(name))
        ]

    def reserve(
        self,
        name: str,
        epsilon: Amount,
        note: str,
        *,
        max_per_unit: int | None = None,
        neighbours: str = "add-remove",
        mechanism: str = "",
        split: str = "",
    ) -> _core.Reservation:
        """Spends ε of a dataset's budget, for a run that protects records or, with
        ``max_per_unit``, owners.

        Raises ``BudgetExhausted`` if the budget does not suffice, and ``ValueError`` if the dataset
        protects something else. ``note`` says what the ε is for; neither it nor ``mechanism`` nor
        ``split`` may tell anything about the data.
        """
        _checks.text("note", note, "a few words on what it is for, and none about the data")
        _checks.text("mechanism", mechanism, "what looks at the data, in a few words")
        _checks.text("split", split, "how ε is split, in a few words")
        change = _change("record" if max_per_unit is None else "owner", max_per_unit, neighbours)
        spent = decimal_text("epsilon", epsilon)
        return self._open().reserve(_dataset_name(name), spent, note, change, mechanism, split)

    def verify(self, expect: str | None = None) -> Chain:
        """Checks that the ledger was not edited; raises ``ValueError`` if it was.

        Parameters
        ----------
        expect : str, optional
            A head that was noted before. Raises if it was never the head of this ledger.
        """
        events, head, since = self._open().verify("" if expect is None else _checks.text("expect", expect, "a head"))
        if expect is not None and since is None:
            shown = _core.shown_place(self.path)
            raise ValueError(f"{shown}: {expect!r} was never the head of this ledger; it was replaced, or made anew")
        return Chain(events, head)

    def _open(self, create: bool = False) -> _core.Ledger:
        if _core.is_server(self.path):
            return _core.Ledger(self.path, create)
        if not create:
            self._refuse_nothing()
        elif not os.path.isdir(os.path.dirname(os.path.abspath(self.path))):
            raise FileNotFoundError(f"{self.path}: its folder does not exist; create it first")
        return _core.Ledger(self.path, create)

    def _refuse_nothing(self) -> None:
        how = "make one with kmedian.Ledger(path, create=True)"
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"{self.path}: there is no such ledger; {how}")
        if os.path.isfile(self.path) and os.path.getsize(self.path) == 0:
            raise ValueError(f"{self.path} is empty; {how}")

    def __repr__(self) -> str:
        return f"Ledger({_core.shown_place(self.path)!r})"


def _change(unit: str, max_per_unit: Any, neighbours: Any) -> tuple[str, int | None, str]:
    most = _checks.whole_or_none("max_per_unit", max_per_unit, 1, 2**32 - 1)
    return unit, most, _checks.choice("neighbours", neighbours, ("add-remove", "replace-one"))


def _protected(change: tuple[str, int | None, str] | None) -> ProtectedChange | None:
    return None if change is None else ProtectedChange(*change)


def _dataset_name(name: Any) -> str:
    return _checks.text("name", name, "the name of a dataset, such as 'visits-2026'")


def decimal_text(name: str, amount: Any) -> str:
    """A positive number as decimal text, as it was written: the float 0.1 is a tenth, not the
    nearest binary fraction.

    A float stands for the number with the fewest digits that rounds to it. So ``np.float32(0.1)``
    is a tenth too.
    """
    try:
        if _checks.is_flag(amount) or not isinstance(amount, (str, Decimal, Real)):
            raise TypeError
        number = Decimal(amount if isinstance(amount, (str, int, Decimal)) else _shortest(amount))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"{name}={amount!r} is no number; give a positive decimal number such as 0.5") from error
    if not number.is_finite() or number <= 0 or abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(f"{name}={amount!r} is not possible; give a positive decimal number such as 0.5")
    return f"{number:f}"


def _shortest(amount: Any) -> str:
    """The shortest decimal text that rounds to this float in its own precision."""
    return np.format_float_positional(amount) if isinstance(amount, np.floating) else repr(float(amount))
