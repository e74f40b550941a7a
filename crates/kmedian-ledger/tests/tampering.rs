//! What SQL can do to a ledger: nothing while the triggers stand, nothing unseen without them.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::path::{Path, PathBuf};

use kmedian_ledger::{Amount, ErrorKind, Ledger, Purpose};
use rusqlite::Connection;
use tempfile::TempDir;

fn spend(text: &str) -> Amount {
    Amount::to_spend(text).unwrap()
}

/// A ledger of two datasets; two runs on `visits`, the first with a release: five events.
fn books() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let mut ledger = Ledger::create_or_open(&path).unwrap();
    for name in ["visits", "tills"] {
        ledger.create_dataset(name, Amount::to_allow("1").unwrap(), None).unwrap();
    }
    let first = ledger.reserve("visits", spend("0.5"), &Purpose::default()).unwrap();
    let _ = ledger.reserve("visits", spend("0.25"), &Purpose::default()).unwrap();
    first.record("h").unwrap();
    (folder, path)
}

#[test]
fn nothing_that_was_spent_can_be_taken_back_by_sql() {
    let (_folder, path) = books();
    let before = Ledger::open(&path).unwrap().verify().unwrap();
    let sql = Connection::open(&path).unwrap();
    let entry = "entry (number, dataset, epsilon, note, reserved)";
    for change in [
        "DELETE FROM entry".to_owned(),
        "DELETE FROM dataset".to_owned(),
        "DELETE FROM release".to_owned(),
        "DELETE FROM event".to_owned(),
        "UPDATE dataset SET budget = 5".to_owned(),
        "UPDATE OR REPLACE dataset SET name = 'tills'".to_owned(),
        "UPDATE entry SET epsilon = 1".to_owned(),
        "UPDATE OR REPLACE entry SET number = 2 WHERE number = 1".to_owned(),
        "UPDATE release SET hash = 'other'".to_owned(),
        "UPDATE event SET hash = 'other'".to_owned(),
        // REPLACE deletes without asking the triggers of a deletion.
        format!("INSERT OR REPLACE INTO {entry} VALUES (1, 1, 1, '', '')"),
        format!("REPLACE INTO {entry} VALUES (2, 1, 1, '', '')"),
        "INSERT OR REPLACE INTO entry (rowid, dataset, epsilon, note, reserved) \
         VALUES (2, 1, 1, '', '')"
            .to_owned(),
        "INSERT OR REPLACE INTO entry (oid, dataset, epsilon, note, reserved) \
         VALUES (1, 1, 1, '', '')"
            .to_owned(),
        "INSERT OR REPLACE INTO dataset (name, budget, created) VALUES ('visits', 9, '')"
            .to_owned(),
        "INSERT OR REPLACE INTO dataset (id, name, budget, created) VALUES (1, 'new', 9, '')"
            .to_owned(),
        "INSERT OR REPLACE INTO dataset (_rowid_, name, budget, created) VALUES (2, 'new', 9, '')"
            .to_owned(),
        "INSERT OR REPLACE INTO release VALUES (1, 'other')".to_owned(),
        "INSERT OR REPLACE INTO event VALUES (1, 'dataset', 9, '')".to_owned(),
        "INSERT OR REPLACE INTO event VALUES (99, 'dataset', 1, '')".to_owned(),
        "INSERT INTO dataset (name, budget, created) VALUES ('visits', 9, '') \
         ON CONFLICT DO UPDATE SET budget = 9"
            .to_owned(),
        // Numbers that would leave none for others.
        format!("INSERT INTO {entry} VALUES (9223372036854775807, 1, 1, '', '')"),
        format!("INSERT INTO {entry} VALUES (-1, 1, 1, '', '')"),
        "INSERT INTO entry (dataset, epsilon, note, reserved) VALUES (1, -5, '', '')".to_owned(),
        "INSERT INTO entry (dataset, epsilon, note, reserved) VALUES (1, 'x', '', '')".to_owned(),
    ] {
        assert!(sql.execute_batch(&change).is_err(), "{change}");
    }
    let ledger = Ledger::open(&path).unwrap();
    assert_eq!(ledger.dataset("visits").unwrap().spent, spend("0.75"));
    assert_eq!(ledger.verify().unwrap(), before);
}

/// Removes what protects the tables, as somebody would who means it.
fn without_triggers(path: &Path) -> Connection {
    let sql = Connection::open(path).unwrap();
    let names: Vec<String> = sql
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    for name in names {
        sql.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    sql
}

#[test]
fn the_chain_tells_what_was_edited_first() {
    for (change, part) in [
        ("UPDATE entry SET epsilon = 1 WHERE number = 2", "event 4, entry 2, is not as it was"),
        ("UPDATE entry SET note = 'x' WHERE number = 1", "event 3, entry 1, is not as it was"),
        ("UPDATE entry SET reserved = '' WHERE number = 1", "event 3, entry 1"),
        ("UPDATE entry SET unit = NULL, neighbours = NULL WHERE number = 1", "event 3, entry 1"),
        (
            "UPDATE dataset SET budget = 5 WHERE id = 2",
            "event 2, dataset `tills`, is not as it was",
        ),
        ("UPDATE dataset SET name = 'x' WHERE id = 1", "event 1, dataset `x`"),
        ("UPDATE release SET hash = 'x'", "event 5, the release of entry 1, is not as it was"),
        ("DELETE FROM release", "event 5, the release of entry 1, is no longer there"),
        (
            "DELETE FROM event WHERE number = 4",
            "event 4, before the release of entry 1, is missing",
        ),
        ("DELETE FROM event WHERE number = 5", "the release of entry 1 was added without an event"),
        (
            "INSERT INTO entry (dataset, epsilon, note, reserved) VALUES (1, 5, '', '')",
            "entry 3 was added without an event",
        ),
        (
            "UPDATE event SET number = 9 WHERE number = 3; UPDATE event SET number = 3 WHERE number = 4;
             UPDATE event SET number = 4 WHERE number = 9",
            "event 3, entry 2, is not as it was",
        ),
    ] {
        let (_folder, path) = books();
        without_triggers(&path).execute_batch(change).unwrap();
        let mut ledger = Ledger::open(&path).unwrap();
        let error = ledger.verify().unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Broken, "{change}");
        assert!(text.contains(part) && text.contains("restore the ledger"), "{change}: {text}");
        assert_eq!(text.lines().count(), 1);
        // Nothing more is spent on books that do not add up.
        let error = ledger.reserve("visits", spend("0.1"), &Purpose::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Broken), "{change}: {error}");
    }
}

/// The last event can be removed with its entry, and nothing in the file tells; a head that was
/// written down elsewhere does.
#[test]
fn a_head_that_was_written_down_tells_what_the_file_cannot() {
    let (_folder, path) = books();
    let ledger = Ledger::open(&path).unwrap();
    let early = ledger.verify().unwrap();
    assert_eq!(early.events(), 5);
    let last =
        Ledger::open(&path).unwrap().reserve("tills", spend("1"), &Purpose::default()).unwrap();
    let later = ledger.verify().unwrap();
    assert_eq!((later.head(), later.events_since(last.head())), (last.head(), Some(0)));
    assert_eq!(later.events_since(early.head()), Some(1));
    let sql = without_triggers(&path);
    sql.execute_batch("DELETE FROM entry WHERE number = 3; DELETE FROM event WHERE number = 6;")
        .unwrap();
    let cut = ledger.verify().unwrap();
    assert_eq!(cut, early);
    assert_eq!(cut.events_since(last.head()), None);
}
