"""Private demand that a cluster counts: the same release as on one machine."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from typing import Any

import kmedian._cluster
import kmedian._engine
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from engine import MASTER, executors_that_have, frame, spark  # noqa: F401 - a fixture.
from kmedian import Ledger, NotPrivateWarning, PrivateKMedian, ReleaseFailed, Snap, count
from kmedian.spark import KMedian

RNG = np.random.default_rng(8)
ITEMS = pd.DataFrame(RNG.random((30, 2)).round(3), columns=["x", "y"])
IDS = [f"s{at}" for at in range(28)] + ["7", "8.5"]
KEYS = [IDS[at] for at in RNG.integers(0, 25, 900)] + [" s1 ", "7.0", "+7", "nowhere", "", "NaN", None, "s3", "s4"]
USERS = [f"u{at}" for at in RNG.integers(0, 400, 900)] + ["u1", "u1 ", "1", "1.0", None, "u2", "NA", None, "NaN"]
TABLE = pd.DataFrame({"stop": KEYS, "user": USERS, "spare": np.arange(len(KEYS))})
PLACES = pd.DataFrame(
    {"x": [*RNG.random(500), np.nan, np.inf, 0.5, 99.0], "y": [*RNG.random(500), 0.1, 0.1, None, 99.0]}
)
PLACES["user"] = [f"u{at}" for at in RNG.integers(0, 40, 504)]


def released(demand: Any, **options: Any) -> dict[str, Any]:
    """A release with noise that can be repeated."""
    most = options.pop("max_per_unit", None)
    private = PrivateKMedian(3, epsilon=1, random_state=1, noise_seed_for_experiments=1, max_per_unit=most)
    with pytest.warns(NotPrivateWarning):
        return json.loads(private.fit(ITEMS, demand, **options).release_.to_json())


def test_the_release_is_that_of_one_machine(spark):
    options = {"ids": IDS, "key": "stop"}
    assert released(frame(spark, TABLE), **options) == released(TABLE, **options)
    # Nobody has more records than that, so nothing is drawn.
    owned = {**options, "unit": "user", "max_per_unit": 100}
    assert released(frame(spark, TABLE), **owned) == released(TABLE, **owned)
    nothing = frame(spark, TABLE).filter("spare < 0")
    assert released(nothing, **options) == released(TABLE[:0], **options)


@pytest.mark.parametrize("snap", [True, Snap(within=0.05)])
def test_coordinates_snap_on_the_executors(spark, snap):
    places = PLACES[["x", "y"]]
    assert released(frame(spark, places), snap=snap) == released(places, snap=snap)
    owned = {"snap": snap, "unit": "user", "max_per_unit": 600}
    assert released(frame(spark, PLACES), **owned) == released(PLACES, **owned)
    turned = PLACES.rename(columns={"x": "a.b", "y": "c`d"})
    assert released(frame(spark, turned), key=["a.b", "c`d"], unit="user", max_per_unit=600, snap=snap) == released(
        PLACES, **owned
    )


def test_positions_and_other_types_of_keys(spark):
    numbers = pd.DataFrame({"item": pd.array([0, 5, None, 29, 30, -1, 5], dtype="Int64")})
    assert released(frame(spark, numbers)) == released(numbers)
    floats = pd.DataFrame({"item": [1.0, 2.5, np.nan, np.inf, 29.0]})
    assert released(frame(spark, floats)) == released(floats)
    as_bytes = pa.table({"item": pa.array([b"s1", b"\xff\xfe", b"s2", None], pa.binary())})
    assert released(frame(spark, as_bytes), ids=IDS) == released(as_bytes, ids=IDS)


def test_the_index_and_columns_of_the_universe(spark):
    private, cluster = PrivateKMedian(epsilon=1), frame(spark, TABLE[["stop"]])
    expected = private.dry_run_not_private(ITEMS, TABLE, ids=IDS, key="stop")
    assert private.dry_run_not_private(ITEMS.set_axis(IDS), cluster) == expected
    assert private.dry_run_not_private(ITEMS.assign(id=IDS), cluster, ids="id", columns=["x", "y"]) == expected
    with pytest.raises(ValueError, match="ids=universe.index"):
        private.fit(ITEMS.set_axis(range(1, 31)), cluster)
    with pytest.raises(ValueError, match="count names a column of a table in memory"):
        private.fit(ITEMS, frame(spark, TABLE), key="stop", count="spare")


def test_facts_and_counts(spark):
    cluster = frame(spark, TABLE)
    private = PrivateKMedian(epsilon=1, max_per_unit=2)
    found = private.dry_run_not_private(ITEMS, cluster, ids=IDS, key="stop", unit="user")
    assert found == private.dry_run_not_private(ITEMS, TABLE, ids=IDS, key="stop", unit="user")
    assert found.over_bound > 0 and found.without_unit == 2
    alone = PrivateKMedian(epsilon=1)
    near = Snap(within=0.05)
    for table, options in [(TABLE, {"ids": IDS, "key": "stop"}), (PLACES, {"snap": near})]:
        one, other = (alone.dry_run_not_private(ITEMS, given, **options) for given in (table, frame(spark, table)))
        assert one == other
        assert (count(ITEMS, frame(spark, table), **options) == count(ITEMS, table, **options)).all()
    with pytest.raises(ValueError, match="4 of 909 records name no item"):
        alone.fit(ITEMS, cluster, ids=IDS, key="stop", check_demand_not_private=True)


HEAVY = pd.DataFrame({"stop": RNG.integers(0, 30, 3000), "user": RNG.integers(0, 60, 3000)})


def drawn(demand: Any, secret: bytes, most: int = 5) -> tuple[np.ndarray, dict[str, Any]]:
    """The true counts, which only a test may see."""
    sealed = kmedian._demand.SealedDemand(demand, None, "user")
    sealed.check_layout(30, None, None, "stop", most)
    return sealed._layout.cluster.count(secret)


def test_a_unit_never_counts_more_than_its_bound(spark):
    """Whatever the partitions, the same records of each unit are drawn; other secrets draw others."""
    secret = bytes(range(32))
    once, facts = drawn(frame(spark, HEAVY, 1), secret)
    assert once.sum() == 5 * 60 and facts["units"] == 60 and facts["over_bound"] == 3000 - 300
    for parts in (2, 7, 13):
        shuffled = HEAVY.sample(frac=1, random_state=parts)
        again, _ = drawn(frame(spark, shuffled, parts), secret)
        assert (again == once).all()
    assert (drawn(frame(spark, HEAVY), bytes(32))[0] != once).any()
    # Of each unit alone: what it has among all is what it has by itself.
    single = np.zeros(30, dtype=int)
    for user in range(60):
        mine, _ = drawn(frame(spark, HEAVY[HEAVY["user"] == user], 2), secret)
        assert mine.sum() == 5
        single += mine
    assert (single == once).all()


def test_a_task_that_is_run_again_draws_the_same(spark, monkeypatch):
    """As the engine does after a failure, and where a task is slow: every task is run three times, and
    only the last result counts."""
    secret = bytes(range(32))
    once, facts = drawn(frame(spark, HEAVY), secret)
    plain = kmedian._engine.mapped

    def again(of: Any, task: Any, given: Any, schema: str) -> Any:
        def repeated(batches: Any) -> Any:
            held = list(batches)
            runs = [list(task(given, iter(held))) for _ in range(3)]
            assert runs[0] == runs[1] == runs[2]
            return iter(runs[-1])

        return of.mapInArrow(repeated, schema)

    assert plain is not again
    monkeypatch.setattr(kmedian._engine, "mapped", again)
    repeated, same_facts = drawn(frame(spark, HEAVY, 5), secret)
    assert (repeated == once).all() and same_facts == facts


def test_what_is_drawn_is_spread_as_on_one_machine(spark):
    """A unit with 20, 10 and 10 records of three items keeps 4: on average 2, 1 and 1, with the variance
    of the hypergeometric distribution, here as in the reservoir."""
    units = 1500
    users = np.repeat(np.arange(units), 40)
    stops = np.tile(np.repeat([0, 1, 2], [20, 10, 10]), units)
    table = pd.DataFrame({"stop": stops, "user": users})
    cluster, _ = drawn(frame(spark, table), bytes(range(32)), most=4)
    sealed = kmedian._demand.SealedDemand(table, None, "user")
    sealed.check_layout(30, None, None, "stop", 4)
    machine = sealed._read(False).reveal_not_private(4, 3)[0]
    for counts in (cluster, machine):
        # The variance of item 0 is 4 · ½ · ½ · 36/39; five standard deviations are 186.
        assert counts.sum() == 4 * units and abs(int(counts[0]) - 2 * units) < 186


class Case:
    """Two tables that differ by one record, or by all records of one unit."""

    def __init__(self, seed: int, by_unit: bool) -> None:
        rng = np.random.default_rng(seed)
        keys = ["s1", "s2", " s3", "7", "7.0", "", "nowhere", None, "NaN", "\x00", "s1,s2", "é", "x" * 70_000]
        users = ["a", "b", "c", "a ", "1", "01", None, "", "NA", "b\n"]
        chosen = lambda of, n: [of[at] for at in rng.integers(0, len(of), n)]  # noqa: E731
        before = list(zip(chosen(keys, 12), chosen(users, 12)))
        if by_unit:
            newcomer = [(key, "newcomer") for key in chosen(keys, 5)]
        else:
            newcomer = list(zip(chosen(keys, 1), chosen(users, 1)))
        after = before + newcomer
        order = rng.permutation(len(after))
        self.before, self.after = before, [after[at] for at in order]


@pytest.mark.parametrize("by_unit", [False, True])
def test_one_record_changes_one_count(spark, by_unit, capfd):
    most = 2 if by_unit else None
    capfd.readouterr()
    for seed in range(12):
        case = Case(seed, by_unit)
        ends = []
        for records in (case.before, case.after):
            table = pa.table({"stop": pa.array([k for k, _ in records], pa.string()), "user": [u for _, u in records]})
            sealed = kmedian._demand.SealedDemand(frame(spark, table, 2), None, "user" if by_unit else None)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                sealed.check_layout(30, None, IDS, "stop", most)
                ends.append(sealed._layout.cluster.count(bytes(32))[0])
        changed = ends[1] - ends[0]
        assert (changed >= 0).all() and changed.sum() <= (most or 1)
    assert capfd.readouterr() == ("", "")


def test_units_without_a_bound_of_their_own_would_be_convicted(spark, monkeypatch):
    """A mutant: the unit as it is written."""
    secret, table = bytes(32), pd.DataFrame({"stop": [1] * 8, "user": ["a", "a ", " a", "\ta", "b", "b ", "1", "1.0"]})
    assert drawn(frame(spark, table), secret, 1)[0].sum() == 3

    def as_written(catalogue: Any, batches: Any) -> Any:
        for batch in batches:
            raw = batch.column(batch.num_columns - 1).cast(pa.binary())
            ones = np.ones(len(raw), dtype=np.int64)
            yield kmedian._cluster._batch(unit=raw, item=batch.column(0).cast(pa.int64()), number=pa.array(ones))

    monkeypatch.setattr(kmedian._cluster, "owners", as_written)
    assert drawn(frame(spark, table), secret, 1)[0].sum() == 8


def test_epsilon_is_spent_before_a_record_is_read(spark, tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 3)
    seen = []
    plain = kmedian._engine.mapped

    def watched(*given: Any) -> Any:
        seen.append(str(ledger.dataset("visits").spent))
        return plain(*given)

    monkeypatch.setattr(kmedian._engine, "mapped", watched)
    private = PrivateKMedian(3, epsilon=1, ledger=ledger, dataset="visits")
    private.fit(ITEMS, frame(spark, TABLE), ids=IDS, key="stop")
    assert seen == ["1"] and private.release_.is_private
    assert ledger.entries("visits")[0].release == private.release_.hash


def test_what_fails_on_a_record_says_nothing_of_it(spark, tmp_path):
    """The query runs only after ε is spent, and what it raises may quote a record."""
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    words = frame(spark, pd.DataFrame({"word": ["1", "2", "very-secret"]}))
    failing = words.selectExpr("cast(word as int) as stop", "raise_error(word) as spare")
    failing = failing.selectExpr("stop + coalesce(spare, 0) as stop")
    with pytest.raises(ReleaseFailed, match="stays spent") as told:
        PrivateKMedian(2, epsilon=1, ledger=ledger, dataset="visits").fit(ITEMS, failing)
    assert "secret" not in str(told.value) and told.value.__context__ is None and told.value.__cause__ is None
    assert ledger.dataset("visits").spent == 1


def test_a_wrong_layout_costs_nothing(spark, tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    cluster = frame(spark, TABLE)
    listed = cluster.selectExpr("array(spare) as stop", "user")
    timed = cluster.selectExpr("current_timestamp() as stop")
    tallied = cluster.groupBy("stop").count()
    # Classic Spark refuses to make such a DataFrame. Spark Connect makes it, and refuses to say what columns it has.
    unread = [] if MASTER else [(cluster.select("missing"), {}, "could not be read")]
    for demand, options, message in [
        (cluster, {"ids": IDS, "key": "shop"}, "there is no column 'shop'; there are stop, user, spare"),
        (cluster, {"ids": IDS}, "say which column names the item"),
        (cluster, {"key": "stop"}, "the keys are text, but without ids"),
        (cluster, {"ids": IDS[:-2] + ["a", "b"], "key": "spare"}, "the keys are numbers"),
        (listed, {"key": "stop"}, "have parts"),
        (timed, {}, "the keys are of the type timestamp"),
        (tallied, {"ids": IDS, "key": "stop"}, "every row counts as one record"),
        (cluster, {"key": ["stop", "spare"], "snap": True}, "of the type string, but coordinates are numbers"),
        (cluster, {"key": ["spare"], "snap": True}, "items have 2 coordinates"),
        *unread,
    ]:
        with pytest.raises((ValueError, RuntimeError), match=message):
            PrivateKMedian(3, epsilon=1, ledger=ledger, dataset="visits").fit(ITEMS, demand, **options)
    owned = PrivateKMedian(3, epsilon=1, max_per_unit=1, ledger=ledger, dataset="visits")
    for unit, message in [(USERS, "unit must be a column"), ("who", "there is no column 'who'")]:
        with pytest.raises(ValueError, match=message):
            owned.fit(ITEMS, cluster, ids=IDS, key="stop", unit=unit)
    assert ledger.dataset("visits").spent == 0


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            "raise ModuleNotFoundError(\"No module named 'kmedian'\", name='kmedian')",
            "executors of the cluster cannot load kmedian: ModuleNotFoundError: No module named 'kmedian'; install kmedian==",
        ),
        (
            "import warnings; warnings.warn('Error in a module'); import kmedian_of_nowhere",
            "executors of the cluster cannot load kmedian: ModuleNotFoundError: No module named 'kmedian_of_nowhere'; install",
        ),
        ("__version__ = '0.0.1'", r"executors of the cluster have kmedian 0\.0\.1, but the driver has .*; install the same"),
    ],
)
def test_executors_with_another_kmedian(spark, tmp_path, module, message):
    """Without it, with one that lacks a package, and with another version: nothing is spent."""
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    with executors_that_have(spark, tmp_path / "modules", "kmedian", module) as other:
        private = PrivateKMedian(3, epsilon=1, ledger=ledger, dataset="visits")
        with pytest.raises(ImportError, match=message) as told:
            private.fit(ITEMS, other.range(5))
        assert len(str(told.value).splitlines()) == 1
        with pytest.raises(ImportError, match=message):
            KMedian(2, featuresCol="id").fit(other.range(5))
    assert ledger.dataset("visits").spent == 0


def test_executors_that_cannot_run_a_task(spark, tmp_path):
    """What the engine raises then has many lines, of which the one that says why is told."""
    with executors_that_have(spark, tmp_path / "modules", "pyarrow", "raise ImportError('no such library')") as other:
        with pytest.raises(ImportError, match="cannot load kmedian: .*; install kmedian=.* and pyarrow") as told:
            PrivateKMedian(3, epsilon=1).fit(ITEMS, other.range(5))
        assert len(str(told.value).splitlines()) == 1


def test_warnings_of_the_client_are_not_taken_for_errors(spark):
    """PySpark warns of pandas 3 wherever batches are mapped, and here warnings are errors."""
    made = frame(spark, TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kmedian._engine.check_executors(made)


TRACEBACK = "Traceback (most recent call last):\n  File 'a', line 1, in b\n    c()\n"


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("", "no reason was given"),
        ("\n  connection refused\n  at a.b(C.java:1)\n", "connection refused"),
        (f"job aborted\n{TRACEBACK}OSError: full\n\tat a.Error(B.java)", "OSError: full"),
        (f"A:\n{TRACEBACK}KeyError: 1\n\nDuring that:\n\n{TRACEBACK}a.B: c\n\nDriver: Error", "a.B: c"),
        (f"cut off\n{TRACEBACK}", "cut off"),
    ],
)
def test_the_cause_is_the_end_of_the_last_traceback(message, cause):
    assert kmedian._engine._cause(message) == cause


def test_nothing_of_pyspark_is_imported_before_it_is_used():
    program = "import sys, kmedian; sys.exit(any(name.split('.')[0] in ('pyspark', 'pysail') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
