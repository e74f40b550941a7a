//! Private runs and their ledger: ε is spent before a record is read, whatever becomes of the run.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, gzip, refused, refused_with, stops, visits};
use kmedian_ledger::{Entry, Ledger, ProtectedChange};
use serde_json::json;

const RUN: &str = "private stops.csv --id stop --columns x,y -k 2 --ledger l.db --dataset visits";

/// Stops, visits, and a budget of 1.
fn folder() -> Folder {
    let folder = Folder::with(&[("stops.csv", &stops(60)), ("visits.csv", &visits(300, 20))]);
    assert_eq!(folder.run("ledger create l.db --dataset visits --budget 1").code, Some(0));
    folder
}

fn entries(folder: &Folder) -> Vec<Entry> {
    Ledger::open(&folder.path("l.db")).unwrap().entries("visits").unwrap()
}

#[test]
fn a_run_spends_and_records() {
    let folder = folder();
    let run = folder.run(&format!("{RUN} --demand visits.csv --epsilon 0.7 --release r.json"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.ends_with("ledger: 0.7 of visits spent, entry 1\n"), "{run:?}");
    let entry = entries(&folder).remove(0);
    assert_eq!((entry.epsilon.to_string(), entry.note.as_str()), ("0.7".into(), "refined, k = 2"));
    assert_eq!(entry.change, Some(ProtectedChange::default()));
    assert_eq!(entry.mechanism.as_deref(), Some("noisy tree"));
    assert_eq!(entry.split.as_deref(), Some("auto"));
    assert!(entry.software.unwrap().starts_with("kmedian "));
    let hash = entry.release.unwrap();
    assert!(run.stdout.contains(&format!("release: r.json, {hash}\n")), "{run:?}");

    // The hash is that of the file, whoever computes it.
    if let Ok(sum) = std::process::Command::new("sha256sum").arg(folder.path("r.json")).output() {
        let sum = String::from_utf8(sum.stdout).unwrap();
        assert_eq!(hash, format!("sha256:{}", sum.split_whitespace().next().unwrap()));
    }
    let args = format!("{RUN} --demand visits.csv --epsilon 0.7 --release s.json --centers c.csv");
    refused_with(
        &folder,
        3,
        &args,
        &["l.db: of the budget 1 of `visits`, 0.7 is spent", "at most 0.3 can be spent"],
    );
    assert_eq!(entries(&folder).len(), 1);
    let rest = folder.run(&format!("{RUN} --demand visits.csv --epsilon 0.3 --json")).json();
    assert_eq!(rest["ledger"], json!({"dataset": "visits", "entry": 2, "epsilon": "0.3"}));
    let hash = entries(&folder).remove(1).release.unwrap();
    assert_eq!(rest["release"], json!({"file": null, "hash": hash, "signed_with": null}));
    refused_with(
        &folder,
        3,
        &format!("{RUN} --demand visits.csv --epsilon 0.00001 --method paper"),
        &["no more can be released"],
    );
}

/// ε of different protected changes do not add up, so a dataset has one.
#[test]
fn a_dataset_protects_one_change() {
    let folder = folder();
    let run = |more: &str| format!("{RUN} --demand visits.csv --epsilon 0.1 {more}");
    let owners = "--unit user --max-per-unit 3";
    let first = folder.run(&run(owners));
    assert_eq!(first.code, Some(0), "{first:?}");
    let note =
        "visits: from now on all runs on it protect an owner of at most 3 records (add-remove)";
    assert!(first.stderr.contains(note), "{first:?}");
    for (more, asked) in [
        ("", "one record (add-remove)"),
        ("--unit user --max-per-unit 2", "an owner of at most 2 records (add-remove)"),
        (
            "--unit user --max-per-unit 3 --neighbours replace-one",
            "an owner of at most 3 records (replace-one)",
        ),
        ("--method paper", "one record (add-remove)"),
    ] {
        let parts = [
            "l.db: `visits` protects an owner of at most 3 records (add-remove)",
            &format!("this run would protect {asked}"),
            "protect the same, or give the other a dataset",
        ];
        refused(&folder, &run(&format!("{more} --release r.json")), &parts);
    }
    assert_eq!(entries(&folder).len(), 1);
    let second = folder.run(&run(owners));
    assert_eq!((second.code, second.stderr.contains("from now on")), (Some(0), false));
    let shown = folder.run("ledger show l.db --dataset visits --json").json();
    let protects = json!({"unit": "owner", "max_per_unit": 3, "neighbours": "add-remove"});
    assert_eq!((&shown["protects"], &shown["entries"][1]["protects"]), (&protects, &protects));
}

#[test]
fn an_edited_ledger_pays_for_nothing() {
    let folder = folder();
    let run = format!("{RUN} --demand visits.csv --epsilon 0.6");
    assert_eq!(folder.run(&run).code, Some(0));
    let sql = rusqlite::Connection::open(folder.path("l.db")).unwrap();
    let edit = "DROP TRIGGER entry_is_fixed; UPDATE entry SET epsilon = 1;";
    sql.execute_batch(edit).unwrap();
    refused(&folder, &run, &["l.db: the chain is broken: event 2, entry 1, is not as it was"]);
}

/// An organization can forbid runs without a ledger. Nothing is read then: neither file exists.
#[test]
fn a_ledger_can_be_required() {
    let folder = folder();
    let run = "private none.csv --demand none.csv --epsilon 1 -k 2";
    let told = |value: Option<&str>, more: &str| {
        let mut command = folder.command(&format!("{run} {more}"));
        command.env_remove("KMEDIAN_REQUIRE_LEDGER");
        if let Some(value) = value {
            command.env("KMEDIAN_REQUIRE_LEDGER", value);
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let why = "no private run without a ledger; give --ledger and --dataset";
    assert_eq!(told(Some("1"), ""), format!("error: KMEDIAN_REQUIRE_LEDGER: {why}\n"));
    assert_eq!(told(None, "--require-ledger"), format!("error: --require-ledger: {why}\n"));
    for (value, more) in
        [(None, ""), (Some("0"), ""), (Some(""), ""), (Some("1"), "--ledger l.db --dataset visits")]
    {
        assert!(told(value, more).contains("none.csv"), "{value:?} {more}");
    }
}

#[test]
fn a_locked_ledger_is_an_error_before_anything_is_read() {
    let folder = folder();
    let other = rusqlite::Connection::open(folder.path("l.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let args = format!("{RUN} --demand visits.csv --epsilon 0.5 --release r.json");
    let before = folder.names();
    let run = folder.run(&args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.stderr.contains("l.db: is locked by another process; wait"), "{run:?}");
    assert_eq!(run.stderr.lines().count(), 1);
    assert_eq!(folder.names(), before);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(entries(&folder), []);
}

#[test]
fn two_runs_at_once_never_overspend() {
    let folder = folder();
    let run = |name: &str| {
        let args = format!("{RUN} --demand visits.csv --epsilon 0.6 --release {name}");
        folder.command(&args).spawn().unwrap()
    };
    let children = ["a.json", "b.json", "c.json"].map(run);
    let mut codes: Vec<_> =
        children.map(|child| child.wait_with_output().unwrap().status.code()).to_vec();
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(3), Some(3)]);
    assert_eq!(entries(&folder).len(), 1);
    assert_eq!(folder.names().iter().filter(|name| name.ends_with(".json")).count(), 1);
}

/// Line breaks in a cell, a line of binary data, a line with other separators, a quote that is not
/// closed where lines are records: nothing of that concerns other records.
#[test]
fn no_record_decides_how_a_run_ends() {
    let folder = folder();
    let counted = |file: &str| -> u64 {
        let file = if file.starts_with("quote") {
            format!("{file} --demand-format csv-lines")
        } else {
            file.to_owned()
        };
        let args = format!("{RUN} --demand {file} --epsilon 0.1 --nonprivate-diagnostics");
        let run = folder.run(&args);
        assert_eq!(run.code, Some(0), "{run:?}");
        let (before, _) = run.stderr.split_once(" counted").unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (plain, expected) = (visits(300, 20), counted("visits.csv"));
    let (header, rest) = plain.split_once('\n').unwrap();
    for (name, odd, more) in [
        ("quote.csv", "\"u1,s1\n\"u2\",s2\n", 1),
        ("comment.csv", "u1,\"s1\nu1,s1\nu2,s2\"\n", 0),
        ("binary.csv", "u1,\0s1\0\n", 0),
        ("wide.csv", "u1;s1;x;y\n", 0),
    ] {
        folder.write(name, format!("{header}\n{odd}{rest}"));
        assert_eq!(counted(name), expected + more, "{name}");
    }
}

#[test]
fn what_is_wrong_before_costs_nothing() {
    let folder = folder();
    for (args, part) in [
        ("--epsilon 0.00000001 --method paper", "too small to be split so often"),
        ("--epsilon 0.1 --method paper --iterations 18446744073709551615", "at most 1000000"),
    ] {
        refused(&folder, &format!("{RUN} --demand visits.csv {args}"), &[part]);
    }
    assert!(entries(&folder).is_empty());
}

#[test]
fn what_goes_wrong_with_the_demand_later_is_spent() {
    let folder = folder();
    // Cut short: what is missing is found at the end.
    let whole = gzip(visits(30_000, 20));
    folder.write("cut.csv.gz", &whole[..whole.len() - 9]);
    let args = format!("{RUN} --demand cut.csv.gz --epsilon 0.2 --release r.json --centers c.csv");
    let once =
        &["cut.csv.gz: the demand could not be read to its end", "ε = 0.2 stays spent (entry 1)"];
    refused(&folder, &args, once);
    // What exactly is wrong is for the operator's eyes.
    let told =
        folder.run(&format!("{RUN} --demand cut.csv.gz --epsilon 0.1 --nonprivate-diagnostics"));
    assert!(told.stderr.contains("NOT PRIVATE, for the operator alone: cut.csv.gz: ends in the"));
    let entries: Vec<Entry> = entries(&folder).drain(..1).collect();
    assert_eq!(entries.len(), 1);
    assert!(entries[0].release.is_none());
}

/// Pipes, which are there or not as the test likes, show what happens when.
#[cfg(unix)]
mod at_each_step {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::process::{Child, Command};
    use std::thread::sleep;
    use std::time::Duration;

    fn pipe(folder: &Folder) {
        assert!(Command::new("mkfifo").arg(folder.path("pipe.csv")).status().unwrap().success());
    }

    fn start(folder: &Folder) -> Child {
        let args = "--demand pipe.csv --key stop --epsilon 0.4 --release r.json --centers c.csv";
        folder.command(&format!("{RUN} {args}")).spawn().unwrap()
    }

    fn wait(what: &str, done: impl Fn() -> bool) {
        for _ in 0..1000 {
            if done() {
                return;
            }
            sleep(Duration::from_millis(20));
        }
        panic!("waited in vain: {what}");
    }

    /// Lets the run read all visits. Opening the pipe waits until the run has opened it too.
    fn feed(folder: &Folder) {
        let mut pipe = OpenOptions::new().write(true).open(folder.path("pipe.csv")).unwrap();
        pipe.write_all(visits(300, 20).as_bytes()).unwrap();
    }

    #[test]
    fn an_exhausted_budget_is_found_without_opening_the_demand() {
        let folder = folder();
        pipe(&folder);
        // Nobody writes to the pipe: whoever opened it would wait for ever.
        let args = format!("{RUN} --demand pipe.csv --key stop --epsilon 1.1 --release r.json");
        refused_with(&folder, 3, &args, &["would exceed it"]);
    }

    #[test]
    fn a_pipe_is_demand_like_any_other() {
        let folder = folder();
        pipe(&folder);
        let child = start(&folder);
        feed(&folder);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(entries(&folder)[0].release.is_some());
    }

    #[test]
    fn killed_before_the_demand_is_read() {
        let folder = folder();
        pipe(&folder);
        let before = folder.names();
        let mut child = start(&folder);
        wait("reservation", || entries(&folder).len() == 1);
        child.kill().unwrap();
        child.wait().unwrap();
        // What a killed run leaves of its own, the next one clears.
        assert_eq!(folder.run("fit stops.csv --id stop -k 2 --centers c.csv").code, Some(0));
        std::fs::remove_file(folder.path("c.csv")).unwrap();
        assert_eq!(folder.names(), before);
        let entries = entries(&folder);
        assert_eq!((entries.len(), entries[0].epsilon.to_string()), (1, "0.4".into()));
        assert!(entries[0].release.is_none());
    }

    /// An idle pipe cannot be waited for: a signal ends the run at once, and says what it cost.
    #[test]
    fn signaled_while_the_demand_is_read() {
        let folder = folder();
        pipe(&folder);
        let child = start(&folder);
        wait("reservation", || entries(&folder).len() == 1);
        let process = child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-TERM", &process]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("error: stopped while the demand was counted"), "{said}");
        assert!(said.trim_end().ends_with("stays spent (entry 1)"), "{said}");
    }

    #[test]
    fn killed_between_release_and_record() {
        let folder = folder();
        pipe(&folder);
        let mut child = start(&folder);
        wait("reservation", || entries(&folder).len() == 1);
        let other = rusqlite::Connection::open(folder.path("l.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        feed(&folder);
        wait("release", || folder.path("r.json").exists());
        child.kill().unwrap();
        child.wait().unwrap();
        other.execute_batch("ROLLBACK").unwrap();
        // The release is whole and can be used; the ledger knows that its ε is spent.
        let args = "centers r.json --universe stops.csv --id stop --columns x,y -k 3 --json";
        assert_eq!(folder.run(args).json()["k"], 3);
        assert!(!folder.path("c.csv").exists());
        let entries = entries(&folder);
        assert_eq!(entries.len(), 1);
        assert!(entries[0].release.is_none());
    }

    #[test]
    fn a_release_that_cannot_be_recorded_is_still_given() {
        let folder = folder();
        pipe(&folder);
        let child = start(&folder);
        wait("reservation", || entries(&folder).len() == 1);
        let other = rusqlite::Connection::open(folder.path("l.db")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        feed(&folder);
        let output = child.wait_with_output().unwrap();
        other.execute_batch("ROLLBACK").unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("the release is made and its ε spent, but sha256:"), "{told}");
        assert!(folder.path("r.json").exists() && folder.path("c.csv").exists());
        assert!(String::from_utf8(output.stdout).unwrap().contains("estimated cost"));
    }
}
