"""One record changes one count by one, whatever it says, and nothing else that anybody can see.

For tables D of every form and any records R of one unit, at any place: counts(D + R) − counts(D) is nowhere negative,
and adds up to at most as many as there are records, or as may be counted of a unit. Both runs end alike.
``KMEDIAN_PROPERTY_CASES`` asks for more cases than the few of every test run.
"""

from __future__ import annotations

import functools
import json
import os
import random
import warnings
from typing import Any

import numpy as np
import pytest

import kmedian._cells
import kmedian._demand
from kmedian import NotPrivateWarning, PrivateKMedian, _core
from kmedian._cells import as_list
from kmedian._demand import SealedDemand
from strange import FORMS, IDS, NOTHING, OBJECTS, OWNERS, SEVEN, TEXTS

# Of each form, with ids and without, with units and without.
CASES = int(os.environ.get("KMEDIAN_PROPERTY_CASES", "10000")) // (4 * len(FORMS)) + 1
MOST = 2
UNIVERSE = np.random.default_rng(0).normal(size=(len(IDS), 2)).astype(np.float32)


OWNER_CELLS = {"before": (*OWNERS, 3, 4, 5.0, "6", b"8", *NOTHING), "nobody": NOTHING, "one": SEVEN}


@functools.cache
def held(form: str, whose: str) -> tuple[Any, ...]:
    """Those of the cells that name owners that a table of this form can hold."""
    return tuple(cell for cell in OWNER_CELLS[whose] if _fits(form, cell))


def _fits(form: str, cell: Any) -> bool:
    """Whether a table of this form holds such a cell as it is, and not what its library makes of it."""
    made = FORMS[form].cell
    return made in OBJECTS or type(cell) in {type(made(random.Random(seed))) for seed in range(50)}


class Case:
    """A table D, and records of one unit that come to it."""

    def __init__(self, form: str, named: bool, by_unit: bool, seed: int) -> None:
        rng = random.Random(f"{form} {named} {by_unit} {seed}")
        self.name, self.form, self.by_unit, self.seed = form, FORMS[form], by_unit, seed
        self.ids = IDS if named else None
        self.before = [(self._key(rng), self._owner(rng)) for _ in range(rng.randrange(8))]
        added = rng.randint(1, MOST + 1) if by_unit else 1
        # With units, either nobody's records come, or all of one person, however the name is written.
        self.nobody = rng.random() < 0.5 and bool(held(form, "nobody"))
        self.after = list(self.before)
        for _ in range(added):
            self.after.insert(rng.randint(0, len(self.after)), (self._key(rng), self._newcomer(rng)))

    def _key(self, rng: random.Random) -> Any:
        known = IDS if self.ids else list(range(len(IDS)))
        return rng.choice(known) if self.form.cell in OBJECTS and rng.random() < 0.5 else self.form.cell(rng)

    def _owner(self, rng: random.Random) -> Any:
        return rng.choice(held(self.name, "before"))

    def _newcomer(self, rng: random.Random) -> Any:
        return rng.choice(held(self.name, "nobody" if self.nobody else "one"))

    def given(self, records: list[tuple[Any, Any]]) -> dict[str, Any]:
        """The records as arguments of ``fit``."""
        keys = self.form.column([key for key, _ in records])
        owners = self.form.column([owner for _, owner in records]) if self.by_unit else None
        if self.form.table is None:
            return dict(demand=keys, unit=owners)
        named = dict(key="stop", unit="who" if self.by_unit else None)
        return dict(demand=self.form.table(keys, owners), **named)


def counted(case: Case, records: list[tuple[Any, Any]]) -> tuple[str, Any]:
    """How a run ends, and the true counts, which only a test may see."""
    given = case.given(records)
    sealed = SealedDemand(given["demand"], None, given["unit"])
    most = MOST if case.by_unit else None
    try:
        sealed.check_layout(len(IDS), None, case.ids, given.get("key"), most)
        return "released", sealed._read(False).reveal_not_private(most, case.seed)[0].astype(int)
    except BaseException as error:
        return f"{type(error).__name__}: {error}", np.zeros(len(IDS), dtype=int)


def judge(case: Case) -> None:
    """The property."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        (end, before), (other_end, after) = counted(case, case.before), counted(case, case.after)
    assert not told
    assert end == other_end
    changed = after - before
    assert (changed >= 0).all() and changed.sum() <= (MOST if case.by_unit else 1)
    if case.by_unit and case.nobody:
        assert not changed.any()


def cases(form: str) -> list[Case]:
    named = [True] if form in TEXTS else [True, False]
    return [Case(form, ids, by_unit, seed) for ids in named for by_unit in (False, True) for seed in range(CASES)]


@pytest.mark.parametrize("form", FORMS)
def test_one_record_changes_one_count(form, capfd):
    for case in cases(form):
        judge(case)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("form", [form for form in FORMS if form not in TEXTS])
def test_a_whole_run_ends_alike(form, capfd):
    """The same through ``fit``, with noise that is the same in both runs, so that what changes is the count."""
    for seed in range(3):
        for by_unit in (False, True):
            case = Case(form, True, by_unit, seed)
            before, after = released(case, case.before), released(case, case.after)
            changed = after - before
            assert (changed >= 0).all() and changed.max(initial=0) <= (MOST if by_unit else 1)
    assert capfd.readouterr() == ("", "")


def released(case: Case, records: list[tuple[Any, Any]]) -> np.ndarray:
    """The noisy counts of a release."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NotPrivateWarning)
        estimator = PrivateKMedian(
            2, epsilon=1, max_per_unit=MOST if case.by_unit else None, random_state=0, noise_seed_for_experiments=5
        )
        release = estimator.fit(UNIVERSE, ids=case.ids, **case.given(records)).release_
    return np.array(json.loads(release.to_json())["release"]["nodes"]["noisy_counts"])


def by_text(cells: Any) -> _core.Column:
    """A mutant: owners by the text of their cells, as they were compared once."""

    def compared(cell: Any) -> str | None:
        try:
            if isinstance(cell, bytes):
                cell = cell.decode()
            if isinstance(cell, str):
                return cell.strip() or None
            return None if cell is None or cell != cell else str(cell)
        except Exception:
            return None

    numbers: dict[str, str] = {}
    texts = [compared(cell) for cell in as_list(cells)]
    codes = [None if text is None else numbers.setdefault(text, f"n{len(numbers)}") for text in texts]
    return _core.Column.cells(codes, kmedian._cells.known)


def by_numpy(cells: Any) -> _core.Column:
    """A mutant: NumPy chooses one type for all cells."""
    return _core.Column.cells(np.asarray(as_list(cells)).tolist(), kmedian._cells.known)


def by_printing(cells: Any) -> _core.Column:
    """A mutant: cells are asked what they are."""
    return _core.Column.cells([None if cell is None else str(cell) for cell in as_list(cells)], kmedian._cells.known)


def by_first(cells: Any) -> _core.Column:
    """A mutant: the first cell decides how the others are read."""
    held = as_list(cells)
    texts = bool(held) and isinstance(held[0], str)
    return _core.Column.cells([cell for cell in held if isinstance(cell, str) == texts], kmedian._cells.known)


@pytest.mark.parametrize("mutant", [by_text, by_numpy, by_printing, by_first])
def test_mutants_are_convicted(mutant, monkeypatch, capfd):
    monkeypatch.setattr(kmedian._demand, "column", mutant)
    convicted = 0
    for case in cases("list") + cases("frame of text"):
        try:
            judge(case)
        except AssertionError:
            convicted += 1
    assert convicted > 0
    capfd.readouterr()
