"""What is private stays out of exceptions, tracebacks, warnings and seeds; ε is not spent on nothing."""

from __future__ import annotations

import gc
import json
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import kmedian
import kmedian._demand
from conftest import made_up
from kmedian import DryRun, Ledger, NotPrivateWarning, PrivateKMedian, Release, ReleaseFailed

STOPS = made_up(6, 40, 2)
NAMES = [f"stop {at}" for at in range(len(STOPS))]
PACKAGE = str(Path(kmedian.__file__).parent)


class Secret:
    """Something that only a record holds."""


def reachable(error: BaseException) -> list[object]:
    """All that the frames of this package hold, and what hangs on it, as far as an error tracker looks."""
    held: list[object] = [error, error.__context__, error.__cause__]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename.startswith(PACKAGE):
            held += frame.f_locals.values()
    for _ in range(4):
        held += [one for one in gc.get_referents(*held) if not isinstance(one, type)]
    return held


def raised(run) -> BaseException:
    try:
        run()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def assert_sealed(error: BaseException) -> None:
    assert error.__context__ is None and error.__cause__ is None
    assert not any(isinstance(one, Secret) for one in reachable(error))


FAILURES = [ValueError("ann was at stop 3"), KeyError("ann"), RuntimeError("7 records"), MemoryError(), BaseException("ann")]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_after_epsilon_is_spent_there_is_one_error(failure, tmp_path, monkeypatch):
    def broken(cells):
        private_cells = list(cells)
        raise failure from ValueError(f"{private_cells}")

    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    spender = PrivateKMedian(2, epsilon="0.5", ledger=ledger, dataset="visits", max_per_unit=1)
    monkeypatch.setattr(kmedian._demand, "column", broken)
    for demand in ([Secret()], [Secret()] * 9):
        error = raised(lambda: spender.fit(STOPS, demand, unit=[Secret()] * len(demand)))
        assert type(error) is ReleaseFailed
        number = len(ledger.entries("visits"))
        assert str(error) == (
            f"the demand could not be counted; ε = 0.5 stays spent (entry {number}). Why is not said, as it may depend on a "
            "record: dry_run_not_private says more to the operator"
        )
        assert_sealed(error)
    assert not hasattr(spender, "release_")


def test_what_ends_the_program_holds_no_record(monkeypatch):
    for ending in (KeyboardInterrupt(), SystemExit(3)):

        def ended(cells):
            private_cells = list(cells)
            assert private_cells
            raise ending

        monkeypatch.setattr(kmedian._demand, "column", ended)
        error = raised(lambda: PrivateKMedian(2, epsilon=1).fit(STOPS, [Secret()]))
        assert error is ending
        assert_sealed(error)


def test_what_was_asked_for_holds_no_record_but_its_words():
    checked = lambda: PrivateKMedian(2, epsilon=1).fit(STOPS, [Secret(), 1], check_demand_not_private=True)  # noqa: E731
    error = raised(checked)
    assert type(error) is ValueError and "1 of 2 records name no item" in str(error) and "not private" in str(error)
    assert_sealed(error)


@pytest.mark.parametrize(
    "wrong",
    [
        dict(demand={"stop": [Secret()], "hour": [1]}), dict(demand=[Secret()], key="stop"), dict(demand=[Secret()], ids=["a"]),
        dict(demand=[Secret()], unit=[Secret()]), dict(counts=[Secret()]), dict(demand={1: Secret()}),
        dict(demand=[Secret()], check_demand_not_private="no"),
    ],
)  # fmt: skip
def test_a_layout_that_is_refused_leaves_no_record_behind(wrong):
    error = raised(lambda: PrivateKMedian(2, epsilon=1).fit(STOPS, **wrong))
    assert type(error) in (ValueError, TypeError)
    assert_sealed(error)


def test_a_callback_that_raises_keeps_its_traceback():
    def broken(step, numbers):
        raise ZeroDivisionError(step)

    stops = made_up(1, 30_000, 2)
    error = raised(lambda: PrivateKMedian(3, epsilon=1, callback=broken).fit(stops, [Secret()]))
    assert type(error) is ZeroDivisionError and traceback.extract_tb(error.__traceback__)[-1].name == "broken"
    assert not any(isinstance(one, Secret) for one in reachable(error))


@pytest.mark.parametrize(
    "demand",
    [
        dict(demand=np.zeros((123_457, 2))), dict(demand={"stop": np.zeros((123_457, 1))}, key="stop"),
        dict(counts=np.zeros(123_457)), dict(counts=np.zeros((123_457, 2))),
        dict(demand=[0] * 123_457, unit=[0]), dict(demand=[0], unit=[0] * 123_457),
    ],
)  # fmt: skip
def test_no_message_says_how_many_records_there_are(demand):
    most = 1 if "unit" in demand else None
    error = raised(lambda: PrivateKMedian(2, epsilon=1, max_per_unit=most).fit(STOPS, **demand))
    assert type(error) is ValueError and "123" not in str(error)


def test_numpy_is_not_asked_for_a_seed_that_is_published():
    def seed(**given):
        fitted = PrivateKMedian(2, epsilon=1, **given).fit(STOPS, [0])
        return json.loads(fitted.release_.to_json())["release"]["tree"]["seed"]

    for nothing in (None, np.random):
        np.random.seed(7)
        first = seed(random_state=nothing)
        assert np.random.randint(2**31) == np.random.RandomState(7).randint(2**31)
        np.random.seed(7)
        assert seed(random_state=nothing) != first
    assert seed(random_state=5) == 5
    assert seed(random_state=np.random.RandomState(7)) == seed(random_state=np.random.RandomState(7))


def counts_of(**given) -> list[int]:
    """The true counts, by next to no noise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotPrivateWarning)
        universe = STOPS[:3]
        fitted = PrivateKMedian(3, epsilon=100, method="exact", random_state=0, noise_seed_for_experiments=1)
        fitted.fit(universe, **given)
        sizes = dict(zip(fitted.medoid_indices_.tolist(), fitted.estimated_sizes_))
    return [round(sizes[at]) for at in range(3)]


def test_counts_are_taken_by_label():
    records = pd.Series(["b", "c", "b", "x"])
    ids = ["a", "b", "c"]
    for counts in (
        records.value_counts(), Counter(records), dict(Counter(records)), records.value_counts().astype(float),
        pd.DataFrame({"stop": records}).groupby("stop").size(), records.value_counts().astype("Int64"),
        {"c": 1, "b": "2", "a": None, "x": 7}, pd.Series([1, 1, 1], index=["b", "c", "b"]),
    ):  # fmt: skip
        assert counts_of(counts=counts, ids=ids) == [0, 2, 1]
    assert counts_of(counts=pd.Series([1, 2, 9], index=[2, 0, 5])) == [2, 0, 1]
    assert counts_of(counts=pd.Series([1, 2, 3], index=[2, 1, 0])) == [3, 2, 1]
    assert counts_of(counts={2: 4}) == [0, 0, 4]
    # Without labels they are in the order of the items, whatever those are called.
    for plain in ([1, 2, 3], np.array([1, 2, 3]), pd.Series([1, 2, 3]), polars.Series([1, 2, 3]), pyarrow.array([1, 2, 3])):
        assert counts_of(counts=plain) == counts_of(counts=plain, ids=ids) == [1, 2, 3]


TALLIES = {
    "value_counts": (dict(demand=pd.Series([3, 5, 5]).value_counts()), "series of counts.*counts="),
    "value_counts of shares": (dict(demand=pd.Series([3, 5]).value_counts(normalize=True)), "series of counts.*counts="),
    "groups": (dict(demand=pd.DataFrame({"stop": [3, 5, 5]}).groupby("stop").size()), "series of counts.*counts="),
    "stop and count": (dict(demand=pd.DataFrame({"stop": [3], "count": [9]}), key="stop"), "column 'count'.*give count='count'"),
    "polars": (dict(demand=polars.Series("stop", [3, 5, 5]).value_counts(), key="stop"), "column 'count'.*every row"),
    "lists": (dict(demand={"stop": [3], "Count": [9]}, key="stop"), "column 'Count'.*every row"),
    "text": (dict(demand=np.array(["stop 1"])), "the keys are text.*ids=.*pandas.to_numeric"),
    "text of pandas": (dict(demand=pd.Series(["stop 1"], dtype="string")), "the keys are text"),
    "text of polars": (dict(demand=polars.DataFrame({"stop": ["stop 1"]})), "the keys are text"),
    "text of Arrow": (dict(demand=pyarrow.table({"stop": ["stop 1"]})), "the keys are text"),
    "categories of polars": (dict(demand=polars.Series(["stop 1"], dtype=polars.Categorical)), "the keys are text"),
    "numbers for names": (dict(demand=np.array([3]), ids=NAMES), "the keys are numbers.*no id is one"),
    "times for names": (dict(demand=pd.Series(pd.to_datetime([0])), ids=NAMES), "type datetime.*make text"),
    "times as units": (dict(demand=[0], unit=pd.Series(pd.to_datetime([0]))), "unit: cells of datetime.* name nobody"),
    "labels of another kind": (dict(counts=pd.DataFrame({"stop": [3], "n": [9]})), "by label: a dict"),
}


@pytest.mark.parametrize("name", TALLIES)
def test_a_layout_that_cannot_be_right_costs_nothing(name, tmp_path):
    given, told = TALLIES[name]
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    spender = PrivateKMedian(
        2, epsilon=1, ledger=ledger, dataset="visits", max_per_unit=1 if "unit" in given else None
    )
    with pytest.raises(ValueError, match=told):
        spender.fit(STOPS, **given)
    assert ledger.dataset("visits").spent == 0


def test_a_layout_that_may_be_right_is_counted():
    """Rows that were filtered, an index of people, a key that is called a count."""
    table = pd.DataFrame({"stop": [0, 1, 1, 2], "who": list("abcd"), "day": [1, 2, 2, 2]})
    assert counts_of(demand=table[table.day == 2]["stop"]) == [0, 2, 1]
    assert counts_of(demand=table.set_index("who")["stop"]) == [1, 2, 1]
    assert counts_of(demand=table.rename(columns={"stop": "count"}), key="count") == [1, 2, 1]
    assert counts_of(demand=pd.Series(["0", "1", "x"], dtype=object)) == [1, 1, 0]
    assert counts_of(demand=[(0, 1), (0, 0.0), (np.int64(0), 1)], ids=[(0, 0), (0, 1), (1, 0)]) == [1, 2, 0]


def test_a_universe_that_is_the_demand_is_refused():
    frame = pd.DataFrame(STOPS, columns=["x", "y"])
    table = np.zeros(40, dtype=[("x", "f4"), ("stop", "i8")])
    for universe, given in [
        (STOPS, dict(demand=STOPS)), (frame, dict(demand=frame, key="x")), (STOPS, dict(demand=STOPS[:, 0])),
        (STOPS, dict(demand=[0], unit=STOPS)), (STOPS, dict(counts=STOPS[:, 1])), (STOPS, dict(demand={"x": STOPS[:, 0]})),
        (table["x"].reshape(-1, 1), dict(demand=table, key="stop")), (frame, dict(demand=frame["x"])),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="are the same table, so the items are not public"):
            PrivateKMedian(2, epsilon=1, max_per_unit=1 if "unit" in given else None).fit(universe, **given)
    PrivateKMedian(2, epsilon=1).fit(STOPS, np.arange(40))


def test_a_dry_run_spends_nothing_and_says_what_it_found(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    spender = PrivateKMedian(2, epsilon=1, max_per_unit=2, ledger=ledger, dataset="visits")
    visits = ["stop 1"] * 5 + ["Stop 1", "stop 2"]
    looked = spender.dry_run_not_private(STOPS, visits, ids=NAMES, unit=["ann"] * 5 + ["bob", "nan"])
    assert looked == DryRun(records=7, unknown=1, without_unit=1, over_bound=3, units=1)
    assert repr(looked).startswith("NOT PRIVATE") and "6 (85.7%)" in repr(looked)
    assert ledger.dataset("visits").spent == 0 and not [name for name in vars(spender) if name.endswith("_")]
    alone = PrivateKMedian(2)
    assert alone.dry_run_not_private(STOPS, [0, 1]).found == 1 and alone.dry_run_not_private(STOPS, []).found == 0
    assert alone.dry_run_not_private(STOPS, counts={1: 3, "x": 1}).found == 0.75
    with pytest.raises(ValueError, match="the keys are text"):
        alone.dry_run_not_private(STOPS, np.array(["stop 1"]))


def test_the_neighbours_are_in_the_release():
    for neighbours in ("add-remove", "replace-one"):
        fitted = PrivateKMedian(2, epsilon=1, neighbours=neighbours).fit(STOPS, [0])
        assert fitted.release_.neighbours == neighbours
        assert json.loads(fitted.release_.to_json())["release"]["neighbours"] == neighbours
    with pytest.raises(ValueError, match="neighbours='any' is not known; choose one of add-remove, replace-one"):
        PrivateKMedian(2, epsilon=1, neighbours="any").fit(STOPS, [0])


def test_a_ledger_may_be_required(tmp_path, monkeypatch):
    monkeypatch.setenv("KMEDIAN_REQUIRE_LEDGER", "1")
    with pytest.raises(ValueError, match="KMEDIAN_REQUIRE_LEDGER is set.*ledger="):
        PrivateKMedian(2, epsilon=1).fit(STOPS, [0])
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    PrivateKMedian(2, epsilon=1, ledger=ledger, dataset="visits").fit(STOPS, [0])
    monkeypatch.setenv("KMEDIAN_REQUIRE_LEDGER", "0")
    PrivateKMedian(2, epsilon=1).fit(STOPS, [0])


def test_a_release_that_is_not_private_says_so(tmp_path):
    with pytest.warns(NotPrivateWarning):
        fitted = PrivateKMedian(2, epsilon=1, noise_seed_for_experiments=1).fit(STOPS, [0])
    fitted.release_.save(tmp_path / "release.json")
    loaded = Release.load(tmp_path / "release.json")
    assert not loaded.is_private and "NOT PRIVATE" in repr(loaded) and "NOT PRIVATE" in str(loaded)


def test_a_message_does_not_move_the_cursor(tmp_path):
    forged = tmp_path / "release.json"
    forged.write_text('{"release": {"format": "\\u001b[2Jkmedian", "version": 1, "\\u001b[31m": 2}, "checksum": ""}')
    error = raised(lambda: Release.load(forged))
    assert not [letter for letter in str(error) if not letter.isprintable()]
    with pytest.raises(ValueError) as refused:
        Ledger(tmp_path / "ledger.db", create=True).dataset("\x1b[2J")
    assert refused.value.args[0].isprintable()
