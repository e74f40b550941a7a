//! A dataset has one protected change, and names that can be told apart.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::path::PathBuf;

use kmedian_ledger::{
    Amount, ErrorKind, Ledger, Neighbours, ProtectedChange, ProtectedUnit, Purpose,
};
use rusqlite::{Connection, types::ValueRef};
use tempfile::TempDir;

fn books() -> (TempDir, PathBuf, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let ledger = Ledger::create_or_open(&path).unwrap();
    (folder, path, ledger)
}

fn one() -> Amount {
    Amount::to_allow("1").unwrap()
}

fn tenth() -> Amount {
    Amount::to_spend("0.1").unwrap()
}

fn owner(at_most: u32) -> ProtectedChange {
    let unit = ProtectedUnit::from_words("owner", Some(at_most)).unwrap();
    ProtectedChange { unit, neighbours: Neighbours::AddRemove }
}

fn replace(change: ProtectedChange) -> ProtectedChange {
    ProtectedChange { neighbours: Neighbours::ReplaceOne, ..change }
}

fn protecting(change: ProtectedChange) -> Purpose {
    Purpose { change, ..Purpose::default() }
}

#[test]
fn the_first_run_fixes_what_is_protected() {
    let (_folder, path, mut ledger) = books();
    assert_eq!(ledger.create_dataset("visits", one(), None).unwrap().change, None);
    let first = ledger.reserve("visits", tenth(), &protecting(owner(5))).unwrap();
    assert!(first.fixed_change());
    for other in [owner(4), owner(6), replace(owner(5)), ProtectedChange::default()] {
        let error = ledger.reserve("visits", tenth(), &protecting(other)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherChange);
        let text = error.to_string();
        let asked = format!("this run would protect {other}");
        for part in [
            "`visits` protects an owner of at most 5 records (add-remove)",
            &asked,
            "protect the same",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
    let again = ledger.reserve("visits", tenth(), &protecting(owner(5))).unwrap();
    assert!(!again.fixed_change());
    let visits = Ledger::open(&path).unwrap().dataset("visits").unwrap();
    assert_eq!((visits.change, visits.entries), (Some(owner(5)), 2));
}

#[test]
fn a_dataset_can_be_created_with_what_it_protects() {
    let (_folder, _, mut ledger) = books();
    let change = replace(ProtectedChange::default());
    let made = ledger.create_dataset("visits", one(), Some(change)).unwrap();
    assert_eq!(made.change, Some(change));
    ledger.create_dataset("others", one(), Some(owner(3))).unwrap();
    let error = ledger.reserve("visits", tenth(), &Purpose::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherChange);
    assert!(!ledger.reserve("visits", tenth(), &protecting(change)).unwrap().fixed_change());
    let _ = ledger.reserve("others", tenth(), &protecting(owner(3))).unwrap();
}

#[test]
fn an_entry_keeps_what_the_run_was() {
    let (_folder, _, mut ledger) = books();
    ledger.create_dataset("visits", one(), None).unwrap();
    let purpose = Purpose {
        change: owner(2),
        mechanism: "tree".into(),
        split: "cube-root".into(),
        software: "kmedian 9".into(),
        note: "two\nlines".into(),
    };
    let _ = ledger.reserve("visits", tenth(), &purpose).unwrap();
    let entry = ledger.entries("visits").unwrap().remove(0);
    assert_eq!(entry.change, Some(owner(2)));
    assert_eq!(entry.mechanism.as_deref(), Some("tree"));
    assert_eq!(entry.split.as_deref(), Some("cube-root"));
    assert_eq!(entry.software.as_deref(), Some("kmedian 9"));
    assert_eq!(entry.note, "two\\nlines");
}

#[test]
fn names_that_look_the_same_are_one() {
    let (_folder, _, mut ledger) = books();
    ledger.create_dataset("Zürich 2026", one(), None).unwrap();
    for name in ["zürich 2026", "Zu\u{308}rich 2026", "Zürich\u{a0}2026", "ＺÜRICH 2026"] {
        let error = ledger.create_dataset(name, one(), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DatasetExists, "{name}");
        assert!(error.to_string().contains("`Zürich 2026` with a budget of 1, whose name looks"));
        let error = ledger.dataset(name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownDataset);
        assert!(error.to_string().contains("there is `Zürich 2026`, which is written otherwise"));
    }
    let error = ledger.create_dataset("Zür\u{200b}ich", one(), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Name);
    assert!(error.to_string().contains("U+200B"), "{error}");
    assert_eq!(ledger.datasets().unwrap().len(), 1);
}

#[test]
fn no_file_tells_when_a_run_ended() {
    let (_folder, path, mut ledger) = books();
    ledger.create_dataset("visits", one(), None).unwrap();
    ledger.reserve("visits", tenth(), &Purpose::default()).unwrap().record("h").unwrap();
    let sql = Connection::open(&path).unwrap();
    let cells = |query: &str| -> Vec<String> {
        let mut statement = sql.prepare(query).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut cells = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            cells.extend((0..columns).map(|at| match row.get_ref(at).unwrap() {
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            }));
        }
        cells
    };
    for table in ["entry", "release", "event"] {
        let found = cells(&format!("SELECT * FROM {table}"));
        assert!(!found.is_empty());
        for cell in found {
            assert!(!cell.contains(':') || cell.starts_with("sha256:"), "{table}: {cell}");
        }
    }
    assert_eq!(cells("SELECT length(reserved) FROM entry"), ["Integer(10)"]);
}
