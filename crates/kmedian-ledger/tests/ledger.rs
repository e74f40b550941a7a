//! The books add up, and every file that is no ledger is refused in one line.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kmedian_ledger::{Amount, Dataset, Error, ErrorKind, Ledger, Purpose};
use rusqlite::Connection;
use tempfile::TempDir;

fn spend(text: &str) -> Amount {
    Amount::to_spend(text).unwrap()
}

fn allow(text: &str) -> Amount {
    Amount::to_allow(text).unwrap()
}

fn note(text: &str) -> Purpose {
    Purpose { note: text.into(), ..Purpose::default() }
}

/// A folder with a ledger, whose dataset `visits` has a budget of 1.
fn books() -> (TempDir, PathBuf, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let mut ledger = Ledger::create_or_open(&path).unwrap();
    ledger.create_dataset("visits", allow("1"), None).unwrap();
    (folder, path, ledger)
}

fn refused(error: Error, kind: ErrorKind, part: &str) {
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    assert!(text.contains(part), "`{part}` is not in: {text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn ten_tenths_make_one_and_not_a_trillionth_more() {
    let (_folder, _, mut ledger) = books();
    for run in 0..10 {
        let reserved =
            ledger.reserve("visits", spend("0.1"), &note(&format!("run {run}"))).unwrap();
        assert_eq!((reserved.number(), reserved.epsilon()), (run + 1, spend("0.1")));
    }
    let visits = ledger.dataset("visits").unwrap();
    assert_eq!((visits.spent, visits.entries), (visits.budget, 10));
    let error = ledger.reserve("visits", spend("0.000000000001"), &note("")).unwrap_err();
    refused(error, ErrorKind::Exhausted, "of the budget 1 of `visits`, 1 is spent");
    assert_eq!(ledger.entries("visits").unwrap().len(), 10);
}

#[test]
fn what_would_exceed_the_budget_spends_nothing() {
    let (_folder, _, mut ledger) = books();
    let _ = ledger.reserve("visits", spend("0.7"), &note("first")).unwrap();
    let error = ledger.reserve("visits", spend("0.3000000000001"), &note("second")).unwrap_err();
    refused(error, ErrorKind::Exhausted, "at most 0.3 can be spent");
    assert_eq!(ledger.dataset("visits").unwrap().spent, spend("0.7"));
    let _ = ledger.reserve("visits", spend("0.3"), &note("third")).unwrap();
    let error = ledger.reserve("visits", spend("0.1"), &note("fourth")).unwrap_err();
    refused(error, ErrorKind::Exhausted, "no more can be released");
}

#[test]
fn a_release_is_recorded_once() {
    let (_folder, path, mut ledger) = books();
    let reservation = ledger.reserve("visits", spend("0.5"), &note("depots")).unwrap();
    let again = reservation.clone();
    drop(ledger);
    reservation.record("sha256:abc").unwrap();
    refused(again.record("sha256:def").unwrap_err(), ErrorKind::NotReserved, "entry 1 of `visits`");
    let entries = Ledger::open(&path).unwrap().entries("visits").unwrap();
    let entry = &entries[0];
    assert_eq!((entry.number, entry.epsilon, entry.note.as_str()), (1, spend("0.5"), "depots"));
    assert_eq!(entry.release.as_deref(), Some("sha256:abc"));
    assert!(entry.reserved.len() == 10 && entry.reserved.starts_with("20"), "{entry:?}");
}

#[test]
fn a_reservation_of_another_file_is_not_recorded() {
    let (_folder, path, mut ledger) = books();
    let reservation = ledger.reserve("visits", spend("0.5"), &note("")).unwrap();
    drop(ledger);
    fs::remove_file(&path).unwrap();
    let gone = reservation.clone().record("h").unwrap_err();
    refused(gone, ErrorKind::Io, "there is no such ledger");
    let mut other = Ledger::create_or_open(&path).unwrap();
    other.create_dataset("visits", allow("1"), None).unwrap();
    let _ = other.reserve("visits", spend("0.25"), &note("")).unwrap();
    refused(reservation.record("h").unwrap_err(), ErrorKind::NotReserved, "replaced");
}

#[test]
fn datasets_have_names_and_budgets_of_their_own() {
    let (_folder, _, mut ledger) = books();
    ledger.create_dataset("Äpfel", allow("0.5"), None).unwrap();
    let _ = ledger.reserve("Äpfel", spend("0.5"), &note("")).unwrap();
    let error = ledger.create_dataset("visits", allow("2"), None).unwrap_err();
    refused(error, ErrorKind::DatasetExists, "already is a dataset `visits` with a budget of 1");
    refused(
        ledger.create_dataset(" ", allow("2"), None).unwrap_err(),
        ErrorKind::Name,
        "needs a name",
    );
    let facts = |d: &Dataset| (d.name.clone(), d.spent.to_string(), d.left().to_string());
    let all: Vec<_> = ledger.datasets().unwrap().iter().map(facts).collect();
    let expected = [("visits", "0", "1"), ("Äpfel", "0.5", "0")];
    assert_eq!(all, expected.map(|(name, spent, left)| (name.into(), spent.into(), left.into())));
    for error in [
        ledger.reserve("Visits", spend("0.1"), &note("")).unwrap_err(),
        ledger.dataset("Visits").unwrap_err(),
        ledger.entries("Visits").unwrap_err(),
    ] {
        refused(error, ErrorKind::UnknownDataset, "there is no dataset `Visits`");
    }
}

#[test]
fn files_that_are_no_ledgers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text.db"), "no ledger").unwrap();
    fs::write(at("long.db"), "no ledger at all\n".repeat(1000)).unwrap();
    fs::write(at("empty.db"), "").unwrap();
    Connection::open(at("other.db")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    for name in ["text.db", "long.db", "other.db"] {
        for opened in [Ledger::open(&at(name)), Ledger::create_or_open(&at(name))] {
            refused(opened.unwrap_err(), ErrorKind::NotALedger, "is not a ledger of kmedian");
        }
    }
    refused(Ledger::open(&at("empty.db")).unwrap_err(), ErrorKind::NotALedger, "is empty");
    Ledger::create_or_open(&at("empty.db")).unwrap();
    Ledger::open(&at("empty.db")).unwrap();
    assert_eq!(fs::read_to_string(at("text.db")).unwrap(), "no ledger");
}

#[test]
fn newer_and_damaged_ledgers() {
    let (_folder, path, ledger) = books();
    drop(ledger);
    let sql = Connection::open(&path).unwrap();
    sql.pragma_update(None, "user_version", 3).unwrap();
    let error = Ledger::open(&path).unwrap_err();
    refused(error, ErrorKind::TooNew, "version 3, and this kmedian reads version 2; install");
    for version in [1, 0, -7] {
        sql.pragma_update(None, "user_version", version).unwrap();
        let what =
            format!("marked as a ledger of version {version}, but has the tables of version 2");
        refused(Ledger::open(&path).unwrap_err(), ErrorKind::NotALedger, &what);
        refused(Ledger::create_or_open(&path).unwrap_err(), ErrorKind::NotALedger, &what);
    }
    sql.pragma_update(None, "user_version", 2).unwrap();
    assert!(Ledger::open(&path).is_ok());
    drop(sql);
    let mut bytes = fs::read(&path).unwrap();
    bytes[100..4000].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let error = Ledger::open(&path).unwrap_err();
    refused(error, ErrorKind::NotALedger, "is damaged; restore it from a copy");
}

#[test]
fn places_where_no_ledger_can_be() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (name, part) in [
        ("", "is a folder; name a file in it"),
        ("no/ledger.db", "its folder does not exist; create it first"),
        ("file/ledger.db", "its folder is a file"),
    ] {
        let error = Ledger::create_or_open(&folder.path().join(name)).unwrap_err();
        refused(error, ErrorKind::Io, part);
    }
    let error = Ledger::open(&folder.path().join("none.db")).unwrap_err();
    refused(error, ErrorKind::Io, "none.db: there is no such ledger; create one");
    assert!(!folder.path().join("none.db").exists());
    if cfg!(target_os = "linux") {
        // Nobody creates files there, the superuser included.
        let error = Ledger::create_or_open(Path::new("/proc/ledger.db")).unwrap_err();
        refused(error, ErrorKind::Io, "no file can be created in its folder");
    }
}

#[test]
fn a_locked_ledger_is_waited_for_and_then_given_up() {
    let (_folder, path, mut ledger) = books();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    ledger.set_patience(Duration::from_millis(200)).unwrap();
    let started = Instant::now();
    let error = ledger.reserve("visits", spend("0.1"), &note("")).unwrap_err();
    refused(error, ErrorKind::Locked, "is locked by another process; wait");
    assert!(started.elapsed() >= Duration::from_millis(100));
    other.execute_batch("ROLLBACK").unwrap();
    let _ = ledger.reserve("visits", spend("0.1"), &note("")).unwrap();
    assert_eq!(ledger.dataset("visits").unwrap().spent, spend("0.1"));
}

#[test]
fn a_name_that_means_memory_to_sqlite_is_a_file_here() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file:x?mode=memory");
    Ledger::create_or_open(&path).unwrap();
    assert!(path.exists());
}
