//! Real processes: many at once never overspend, and a kill at any moment leaves the books in
//! order.
//!
//! The processes are this very test binary, run again with `child` as the only test and a part to
//! play in the environment.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use kmedian_ledger::{Amount, ErrorKind, Ledger, Purpose};
use rusqlite::Connection;
use tempfile::TempDir;

const PART: &str = "KMEDIAN_LEDGER_TEST_PART";
const FILE: &str = "KMEDIAN_LEDGER_TEST_FILE";

/// What each reservation asks for.
const SHARE: &str = "0.01";

/// A slow machine is no failure: nobody gives up before the test runner does.
const PATIENCE: Duration = Duration::from_secs(120);

fn note(text: &str) -> Purpose {
    Purpose { note: text.into(), ..Purpose::default() }
}

fn ledger_with(budget: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let mut ledger = Ledger::create_or_open(&path).unwrap();
    ledger.create_dataset("visits", Amount::to_allow(budget).unwrap(), None).unwrap();
    (folder, path)
}

/// Starts a process that plays a part with a ledger.
fn start(part: &str, ledger: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child", "--nocapture", "--test-threads", "1"])
        .env(PART, part)
        .env(FILE, ledger)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads what a child says until it says this.
fn wait_for(child: &mut Child, word: &str) {
    let out = BufReader::new(child.stdout.as_mut().unwrap());
    assert!(out.lines().any(|line| line.unwrap().contains(word)), "the child never said {word}");
}

/// Waits for the end of a child: how often it said that it had reserved, and whether all went well.
fn end(child: Child) -> (u64, bool) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let reserved = text.lines().filter(|line| line.contains("reserved")).count();
    (reserved as u64, output.status.success())
}

/// The books are in order: SQLite finds no damage, the chain is whole, and the entries add up.
fn check(path: &Path) {
    let sql = Connection::open(path).unwrap();
    let verdict: String = sql.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    let ledger = Ledger::open(path).unwrap();
    let visits = ledger.dataset("visits").unwrap();
    assert!(visits.spent <= visits.budget);
    assert_eq!(ledger.entries("visits").unwrap().len() as u64, visits.entries);
    ledger.verify().unwrap();
}

/// Plays the part that the environment names, with the ledger that it names.
#[test]
#[ignore = "run by the other tests, as a process of its own"]
fn child() {
    let (part, path) = (env::var(PART).unwrap(), PathBuf::from(env::var_os(FILE).unwrap()));
    match part.as_str() {
        "create" => Ledger::create_or_open(&path).map(drop).unwrap(),
        "spend all" => spend_all(&path),
        _ => one_run(&path),
    }
}

/// Says a word, and waits until the parent answers.
fn pause(word: &str) {
    println!("{word}");
    io::stdout().flush().unwrap();
    let mut answer = String::new();
    // A parent that is gone answers with the end of the input: then there is nobody to work for.
    if io::stdin().read_line(&mut answer).unwrap() == 0 {
        std::process::exit(1);
    }
}

/// A private run that stops at every step.
fn one_run(path: &Path) {
    let mut ledger = Ledger::open(path).unwrap();
    pause("opened");
    let reserved =
        ledger.reserve("visits", Amount::to_spend(SHARE).unwrap(), &note("a run")).unwrap();
    pause("reserved");
    pause("computed");
    reserved.record("sha256:0123").unwrap();
    pause("recorded");
}

/// Spends until nothing is left, and says so for each reservation, after it is made.
fn spend_all(path: &Path) {
    let mut ledger = Ledger::open(path).unwrap();
    ledger.set_patience(PATIENCE).unwrap();
    loop {
        match ledger.reserve("visits", Amount::to_spend(SHARE).unwrap(), &note("one of many")) {
            Ok(_) => println!("reserved"),
            Err(error) if error.kind() == ErrorKind::Exhausted => return,
            Err(error) => panic!("{error}"),
        }
        io::stdout().flush().unwrap();
    }
}

#[test]
fn many_processes_spend_the_budget_exactly() {
    let (_folder, path) = ledger_with("0.6");
    let children: Vec<Child> = (0..6).map(|_| start("spend all", &path)).collect();
    let ends: Vec<(u64, bool)> = children.into_iter().map(end).collect();
    assert!(ends.iter().all(|&(_, well)| well), "{ends:?}");
    assert_eq!(ends.iter().map(|&(reserved, _)| reserved).sum::<u64>(), 60, "{ends:?}");
    let visits = Ledger::open(&path).unwrap().dataset("visits").unwrap();
    assert_eq!((visits.spent, visits.entries), (visits.budget, 60));
    check(&path);
}

#[test]
fn many_processes_create_one_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let children: Vec<Child> = (0..6).map(|_| start("create", &path)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(Ledger::open(&path).unwrap().datasets().unwrap(), []);
}

#[test]
fn a_kill_at_any_step_leaves_spent_what_was_reserved() {
    for (step, entries, released) in [
        ("opened", 0, false),
        ("reserved", 1, false),
        ("computed", 1, false),
        ("recorded", 1, true),
    ] {
        let (_folder, path) = ledger_with("1");
        let mut child = start("one run", &path);
        for word in ["opened", "reserved", "computed", "recorded"] {
            wait_for(&mut child, word);
            if word == step {
                break;
            }
            child.stdin.as_mut().unwrap().write_all(b"go on\n").unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        check(&path);
        let mut ledger = Ledger::open(&path).unwrap();
        let found = ledger.entries("visits").unwrap();
        assert_eq!(found.len(), entries, "killed when {step}");
        assert_eq!(found.iter().any(|entry| entry.release.is_some()), released, "killed at {step}");
        // Nothing is left locked.
        let _ = ledger.reserve("visits", Amount::to_spend(SHARE).unwrap(), &note("after")).unwrap();
    }
}

/// Kills fall into the middle of transactions too. What a process said it had reserved is spent;
/// one more may be, which it could not say any more.
#[test]
fn a_kill_at_any_moment_loses_no_reservation() {
    let (_folder, path) = ledger_with("1000");
    let mut before = 0;
    for round in 0..12 {
        let mut child = start("spend all", &path);
        wait_for_one(&mut child);
        thread::sleep(Duration::from_micros(700 * round));
        child.kill().unwrap();
        let reserved = 1 + end(child).0;
        check(&path);
        let entries = Ledger::open(&path).unwrap().dataset("visits").unwrap().entries;
        let new = entries - before;
        assert!(new == reserved || new == reserved + 1, "{reserved} reserved, {new} spent");
        before = entries;
    }
}

/// Waits for the first reservation, byte by byte: what comes after it is counted later.
fn wait_for_one(child: &mut Child) {
    let out = child.stdout.as_mut().unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"reserved\n") {
        let mut byte = [0];
        io::Read::read_exact(out, &mut byte).unwrap();
        text.extend(byte);
    }
}
