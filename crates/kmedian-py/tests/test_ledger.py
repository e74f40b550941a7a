"""What a dataset of a ledger protects, and the chain over all that was written."""

import sqlite3
import subprocess

import numpy as np
import pytest

from kmedian import Ledger, PrivateKMedian

STOPS = np.arange(60.0).reshape(-1, 1)
VISITS = list(range(30)) * 5


def test_a_dataset_protects_one_change(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    assert ledger.create_dataset("visits", 1).protects is None
    ledger.reserve("visits", "0.1", "first", max_per_unit=3, mechanism="mine")
    for other in (dict(), dict(max_per_unit=2), dict(max_per_unit=3, neighbours="replace-one")):
        with pytest.raises(ValueError, match="`visits` protects an owner of at most 3 records .* this run would"):
            ledger.reserve("visits", "0.1", "second", **other)
    with pytest.raises(ValueError, match="this run would protect one record"):
        PrivateKMedian(3, epsilon=0.1, ledger=ledger, dataset="visits").fit(STOPS, VISITS)
    (entry,) = ledger.entries("visits")
    assert entry.protects == ("owner", 3, "add-remove") == ledger.dataset("visits").protects
    made = ledger.create_dataset("tills", 1, protects="record", neighbours="replace-one")
    assert made.protects == ("record", None, "replace-one")


def test_what_is_no_change(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    for wrong, told in [
        (dict(protects="user"), "protects='user' is not known"), (dict(max_per_unit=2), "protects='owner'"),
        (dict(neighbours="replace-one"), "give protects="), (dict(protects="owner"), "say how many"),
        (dict(protects="record", max_per_unit=2), "one record"),
        (dict(protects="record", neighbours="other"), "neighbours='other' is not known"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=told):
            ledger.create_dataset("a", 1, **wrong)
    assert ledger.datasets() == []
    ledger.create_dataset("a", 1)
    with pytest.raises(ValueError, match="whose name looks the same"):
        ledger.create_dataset("A", 1)


def test_a_ledger_that_was_edited(tmp_path, command):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    ledger.reserve("visits", "0.5", "first")
    chain = ledger.verify()
    assert chain.events == 2 and ledger.verify(chain.head) == chain
    with pytest.raises(ValueError, match="was never the head"):
        ledger.verify("sha256:12")
    shown = subprocess.run([command, "ledger", "verify", ledger.path], check=True, capture_output=True, text=True).stdout
    assert chain.head in shown
    sql = sqlite3.connect(ledger.path)
    sql.executescript("DROP TRIGGER entry_is_fixed; UPDATE entry SET epsilon = 1;")
    sql.close()
    for use in (ledger.verify, lambda: ledger.reserve("visits", "0.5", "second")):
        with pytest.raises(ValueError, match="the chain is broken: event 2, entry 1"):
            use()
