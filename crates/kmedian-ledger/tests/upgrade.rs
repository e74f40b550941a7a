//! Ledgers of version 1 are read and upgraded, whoever opens them and how many at once.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kmedian_ledger::{Amount, Ledger, Neighbours, ProtectedChange, Purpose};
use rusqlite::Connection;

const FILE: &str = "KMEDIAN_LEDGER_TEST_UPGRADE";

/// What version 1 wrote, with two datasets whose names look the same, and three runs.
const VERSION_1: &str = "
CREATE TABLE dataset (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    budget INTEGER NOT NULL CHECK (budget > 0),
    created TEXT NOT NULL
) STRICT;
CREATE TABLE entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES dataset (id),
    epsilon INTEGER NOT NULL CHECK (epsilon > 0),
    note TEXT NOT NULL,
    reserved TEXT NOT NULL,
    release TEXT,
    recorded TEXT,
    CHECK ((release IS NULL) = (recorded IS NULL))
) STRICT;
CREATE INDEX entry_of_dataset ON entry (dataset);
CREATE TRIGGER dataset_stays BEFORE DELETE ON dataset
    BEGIN SELECT RAISE (ABORT, 'datasets are never deleted'); END;
CREATE TRIGGER dataset_is_fixed BEFORE UPDATE ON dataset
    BEGIN SELECT RAISE (ABORT, 'datasets are never changed'); END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry
    BEGIN SELECT RAISE (ABORT, 'entries are never deleted'); END;
CREATE TRIGGER entry_is_fixed BEFORE UPDATE OF number, dataset, epsilon, note, reserved ON entry
    BEGIN SELECT RAISE (ABORT, 'entries are never changed'); END;
CREATE TRIGGER entry_is_released_once BEFORE UPDATE ON entry WHEN OLD.release IS NOT NULL
    BEGIN SELECT RAISE (ABORT, 'a release is recorded once'); END;
PRAGMA application_id = 0x6b6d6c67;
PRAGMA user_version = 1;
INSERT INTO dataset (name, budget, created) VALUES
    ('visits', 1000000000000, '2026-11-01T10:00:00Z'), ('Visits', 2000000000000, '2026-11-02T10:00:00Z');
INSERT INTO entry (dataset, epsilon, note, reserved, release, recorded) VALUES
    (1, 100000000000, 'refined, k = 2', '2026-11-03T11:22:33Z', 'sha256:ab', '2026-11-03T11:55:44Z'),
    (2, 200000000000, 'paper, k = 3', '2026-11-04T01:02:03Z', NULL, NULL),
    (1, 300000000000, 'exact, k = 4', '2026-11-05T01:02:03Z', 'sha256:cd', '2026-11-05T06:07:08Z');
";

fn old_ledger() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    Connection::open(&path).unwrap().execute_batch(VERSION_1).unwrap();
    (folder, path)
}

fn check(path: &Path) {
    let ledger = Ledger::open(path).unwrap();
    let visits = ledger.dataset("visits").unwrap();
    assert_eq!((visits.budget.to_string(), visits.spent.to_string()), ("1".into(), "0.4".into()));
    assert_eq!((visits.created.as_str(), visits.change), ("2026-11-01T10:00:00Z", None));
    let entries = ledger.entries("visits").unwrap();
    let facts: Vec<_> = entries
        .iter()
        .map(|e| {
            (
                e.number,
                e.epsilon.to_string(),
                e.note.as_str(),
                e.reserved.as_str(),
                e.release.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            (1, "0.1".to_owned(), "refined, k = 2", "2026-11-03", Some("sha256:ab")),
            (3, "0.3".to_owned(), "exact, k = 4", "2026-11-05", Some("sha256:cd")),
        ]
    );
    assert!(entries.iter().all(|entry| entry.change.is_none() && entry.software.is_none()));
    assert_eq!(ledger.entries("Visits").unwrap()[0].release, None);
    // Two datasets, three entries, two releases, and the upgrade.
    assert_eq!(ledger.verify().unwrap().events(), 8);
}

#[test]
fn an_old_ledger_is_upgraded_without_loss() {
    let (_folder, path) = old_ledger();
    check(&path);
    check(&path);
    // Times are gone from the file, free pages included.
    let bytes = fs::read(&path).unwrap();
    for time in ["11:22:33", "11:55:44", "06:07:08"] {
        assert!(!bytes.windows(time.len()).any(|part| part == time.as_bytes()), "{time}");
    }
    let sql = Connection::open(&path).unwrap();
    assert!(sql.execute_batch("DELETE FROM entry").is_err());
    assert!(sql.execute_batch("INSERT OR REPLACE INTO release VALUES (1, 'x')").is_err());
}

/// Nobody knows what the old runs protected; the next one fixes what all later ones do.
#[test]
fn the_next_run_fixes_what_an_old_dataset_protects() {
    let (_folder, path) = old_ledger();
    let mut ledger = Ledger::open(&path).unwrap();
    let epsilon = Amount::to_spend("0.1").unwrap();
    let change =
        ProtectedChange { neighbours: Neighbours::ReplaceOne, ..ProtectedChange::default() };
    let purpose = Purpose { change, ..Purpose::default() };
    let reservation = ledger.reserve("visits", epsilon, &purpose).unwrap();
    assert!(reservation.fixed_change() && reservation.number() == 4);
    reservation.record("sha256:ef").unwrap();
    assert_eq!(ledger.dataset("visits").unwrap().change, Some(change));
    ledger.reserve("visits", epsilon, &Purpose::default()).unwrap_err();
    assert_eq!(ledger.verify().unwrap().events(), 10);
}

/// Opens the ledger that the environment names, and prints the head of its chain.
#[test]
#[ignore = "run by the next test, as a process of its own"]
fn child() {
    let file = env::var_os(FILE).unwrap();
    let ledger = Ledger::open(Path::new(&file)).unwrap();
    println!("head {}", ledger.verify().unwrap().head());
}

#[test]
fn many_processes_upgrade_one_ledger_once() {
    for _ in 0..5 {
        let (_folder, path) = old_ledger();
        let start = |_| -> Child {
            Command::new(env::current_exe().unwrap())
                .args(["--ignored", "--exact", "child", "--nocapture", "--test-threads", "1"])
                .env(FILE, &path)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let heads: Vec<String> = (0..4)
            .map(start)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|child| {
                let output = child.wait_with_output().unwrap();
                assert!(output.status.success());
                let text = String::from_utf8(output.stdout).unwrap();
                let head = text.lines().find_map(|line| line.split_once("head ")).unwrap().1;
                head.to_owned()
            })
            .collect();
        assert!(heads.iter().all(|head| *head == heads[0]), "{heads:?}");
        check(&path);
    }
}
