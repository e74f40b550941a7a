//! What `kmedian private`, `centers` and `plan` refuse: one line, exit code 2, nothing written,
//! nothing spent.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, network, refused, stops, visits};
use kmedian_ledger::{Amount, Ledger};

const UNIVERSE: &str = "stops.csv --id stop --columns x,y";

fn folder() -> Folder {
    let folder = Folder::with(&[
        ("stops.csv", &stops(60)),
        ("visits.csv", &visits(300, 20)),
        ("roads.txt", &network(40, 1)),
        ("twins.csv", "stop,x,y\na,0,0\nb,1,1\na,2,2\n"),
        ("wide.csv", "who,when,where\na,b,s1\n"),
        ("empty.csv", ""),
        ("semi.csv", "user;stop\nann;s1\n"),
        ("old.json", "{}"),
    ]);
    let mut ledger = Ledger::create_or_open(&folder.path("l.db")).unwrap();
    ledger.create_dataset("visits", Amount::to_allow("100").unwrap(), None).unwrap();
    folder
}

/// Runs with all outputs, and a ledger that must not be touched.
fn refuse(folder: &Folder, cases: &[(&str, &[&str])]) {
    for (args, parts) in cases {
        let args = format!(
            "private {args} --release new.json --centers new.csv --json --ledger l.db --dataset visits"
        );
        refused(folder, &args, parts);
        let ledger = Ledger::open(&folder.path("l.db")).unwrap();
        assert_eq!(ledger.dataset("visits").unwrap().entries, 0, "{args}");
    }
}

#[test]
fn epsilon() {
    let folder = folder();
    let run = |epsilon: &str| format!("{UNIVERSE} --demand visits.csv -k 2 --epsilon {epsilon}");
    for (epsilon, part) in [
        ("0", "ε must be positive"),
        ("0.0", "ε must be positive"),
        ("-1", "`-1` is no ε; give a positive decimal number such as 0.5"),
        ("nan", "`nan` is no ε; give a positive"),
        ("NaN", "`NaN` is no ε"),
        ("inf", "`inf` is no ε"),
        ("1e9", "ε must be at most 100"),
        ("1e-10", "give at most 9 decimals"),
        ("1e", "`1e` is no ε"),
        ("101", "ε must be at most 100"),
        ("99999999999999999999999999", "ε must be at most 100"),
        ("0.0000000001", "give at most 9 decimals"),
        ("one", "`one` is no ε"),
    ] {
        refuse(&folder, &[(&run(epsilon), &["--epsilon", part])]);
    }
    refuse(&folder, &[(&format!("{UNIVERSE} --demand visits.csv -k 2"), &["--epsilon"])]);
}

#[test]
fn demand() {
    let folder = folder();
    let with = |args: &str| format!("{UNIVERSE} --epsilon 1 -k 2 {args}");
    let both = "--unit user --max-per-unit";
    for (args, parts) in [
        ("--demand none.csv", &["none.csv: no such file"][..]),
        ("--demand .", &["--demand .: is the universe itself"]),
        ("--demand visits.csv --key shop", &["visits.csv: there is no column `shop`"]),
        ("--demand visits.csv --key 7", &["visits.csv: there is no column `7`"]),
        ("--demand visits.csv --unit who --max-per-unit 1", &["there is no column `who`"]),
        ("--demand visits.csv --unit user", &["--max-per-unit"]),
        ("--demand visits.csv --max-per-unit 3", &["--unit"]),
        (&format!("--demand visits.csv {both} 0"), &["--max-per-unit", "whole number, 1 or more"]),
        (&format!("--demand visits.csv {both} -2"), &["--max-per-unit", "1 or more"]),
        (&format!("--demand visits.csv {both} many"), &["--max-per-unit", "1 or more"]),
        (
            "--demand wide.csv",
            &["wide.csv: has 3 columns, and nothing tells which of them holds the keys", "--key"],
        ),
        ("--demand empty.csv --key stop", &["empty.csv: the file is empty"]),
        (
            "--demand visits.csv --demand-format xls",
            &["no format of demand", "csv, tsv, csv-lines"],
        ),
        ("--demand visits.csv --demand-format npy", &["visits.csv: does not begin as npy does"]),
        ("--demand visits.csv --demand-header auto", &["--demand-header", "say yes or no"]),
        ("--demand visits.csv --demand-header no", &["visits.csv: csv", "--key 0 for the first"]),
        (
            "--demand visits.csv --demand-header no --key s1",
            &["the column of keys, `s1`, is a name", "--demand-header yes"],
        ),
        (
            "--demand visits.csv --demand-separator ab",
            &["--demand-separator", "one ASCII character"],
        ),
        ("--demand semi.csv", &["semi.csv: ", "give --demand-separator semicolon"]),
        ("--demand old.json", &["old.json: its name does not tell its format", "--demand-format"]),
        ("--demand stops.csv", &["--demand stops.csv: is the universe itself"]),
        ("--demand ./stops.csv --key stop", &["is the universe itself, which is public"]),
        ("", &["--demand"]),
    ] {
        refuse(&folder, &[(&with(args), parts)]);
    }
    refuse(
        &folder,
        &[(
            "twins.csv --id stop --demand visits.csv --epsilon 1 -k 1",
            &["twins.csv: the items 0 and 2, counted from 0, are both named `a`"],
        )],
    );
}

#[test]
fn options() {
    let folder = folder();
    let with = |args: &str| format!("{UNIVERSE} --demand visits.csv --epsilon 1 {args}");
    for (args, parts) in [
        ("", &["how many centers?"][..]),
        ("-k 0", &["-k 0: from 60 items"]),
        ("-k 61", &["-k 61: from 60 items"]),
        ("-k 2 --split even", &["no split `even`", "cube-root"]),
        ("-k 2 --method best", &["'best' for '--method"]),
        ("-k 2 --iterations 5", &["--iterations is for --method paper"]),
        ("-k 2,3 --method paper", &["--method paper spends all of epsilon on one k"]),
        ("-k 2 --method paper --split uniform", &["--split is for --method refined"]),
        ("-k 2 --weights people", &["--weights"]),
        ("-k 2 --seeded-noise-not-private 1", &["cannot be used with", "--ledger"]),
        ("-k 2 --threads 0", &["--threads 0: at least one thread"]),
    ] {
        refuse(&folder, &[(&with(args), parts)]);
    }
    refuse(
        &folder,
        &[
            ("none.csv --demand visits.csv --epsilon 1 -k 1", &["none.csv: no such file"]),
            (
                "roads.txt --graph --id x --demand visits.csv --key 0 --epsilon 1 -k 1",
                &["'--id <ID>'", "--graph"],
            ),
            (
                "roads.txt --graph --demand visits.csv --epsilon 0.000000001 --unit user \
                 --max-per-unit 4000000000 -k 1 --key stop",
                &["ε = 0.000000001 is too small to be split so often; choose a larger ε"],
            ),
        ],
    );
}

#[test]
fn outputs_and_ledgers() {
    let folder = folder();
    let run = format!("private {UNIVERSE} --demand visits.csv --epsilon 1 -k 2");
    for (args, parts) in [
        ("--release no/r.json", &["no/r.json", "the folder `no` does not exist"][..]),
        ("--release old.json", &["--release old.json: there already is such a file", "paid for"]),
        ("--release visits.csv", &["would overwrite the demand"]),
        ("--release ./stops.csv", &["would overwrite the universe"]),
        ("--release r.csv --centers r.csv", &["overwrite what --release writes"]),
        ("--centers visits.csv", &["would overwrite the demand"]),
        ("--centers c.xlsx", &["tables are not written as `.xlsx`"]),
        ("--ledger l.db", &["--dataset"]),
        ("--dataset visits", &["--ledger"]),
        ("--release l.db --ledger l.db --dataset visits", &["would overwrite the ledger"]),
        ("--ledger none.db --dataset visits", &["none.db: there is no such ledger"]),
        ("--ledger l.db --dataset others", &["l.db: there is no dataset `others`"]),
        ("--ledger visits.csv --dataset visits", &["visits.csv: is not a ledger"]),
    ] {
        refused(&folder, &format!("{run} {args}"), parts);
    }
    assert_eq!(folder.read("old.json"), "{}");
}

#[test]
fn releases() {
    let folder = folder();
    let made = folder
        .run(&format!("private {UNIVERSE} --demand visits.csv --epsilon 1 -k 2 --release r.json"));
    assert_eq!(made.code, Some(0), "{made:?}");
    let text = folder.read("r.json");
    folder.write("half.json", &text[..text.len() / 2]);
    folder.write("edited.json", text.replacen("\"denominator\":1", "\"denominator\":2", 1));
    folder.write("newer.json", text.replacen("\"version\":2", "\"version\":9", 1));
    folder.write("bytes.json", [0xff, 0xfe, 0x00]);
    folder.write("moved.csv", stops(60).replacen("s0,", "s0,1", 1));
    folder.write("fewer.csv", stops(59));
    let other = "--id stop --columns x,y -k 2";
    let same = format!("--universe {UNIVERSE} -k 2");
    for (args, parts) in [
        (format!("none.json {same}"), &["none.json: cannot be read as a release"][..]),
        (format!("bytes.json {same}"), &["bytes.json: cannot be read as a release"]),
        (format!("empty.csv {same}"), &["empty.csv: the release is empty; get the file again"]),
        (
            format!("half.json {same}"),
            &["half.json: this is no whole release", "get the file again"],
        ),
        (format!("old.json {same}"), &["old.json: this is no whole release"]),
        (format!("edited.json {same}"), &["edited.json: the release was changed", "checksum"]),
        (format!("newer.json {same}"), &["newer.json: the release is of version 9"]),
        (
            format!("r.json --universe moved.csv {other}"),
            &["r.json: the release is for another universe", "give the items, in their order"],
        ),
        (
            format!("r.json --universe fewer.csv {other}"),
            &["the release is for another universe (60 items", "than this one (59 items"],
        ),
        (format!("r.json {same} --metric l1"), &["the release is for another universe"]),
        ("r.json --universe roads.txt --graph -k 2".into(), &["for another universe (60 items"]),
        (format!("r.json --universe none.csv {other}"), &["none.csv: no such file"]),
        (format!("r.json --universe {UNIVERSE} -k 61"), &["-k 61: from 60 items"]),
        (format!("r.json --universe {UNIVERSE}"), &["how many centers?"]),
        (
            format!("r.json {same} --method paper"),
            &["no method `paper`; choose one of refined, exact"],
        ),
        (format!("r.json {same} --centers r.json"), &["would overwrite the release"]),
        ("r.json -k 2".into(), &["--universe"]),
    ] {
        refused(&folder, &format!("centers {args}"), parts);
    }
    assert_eq!(folder.read("r.json"), text);
}

#[test]
fn plans() {
    let folder = folder();
    let with = |args: &str| format!("plan {UNIVERSE} {args}");
    for (args, parts) in [
        ("--epsilon 0 -k 2 --demand-size 9", &["ε must be positive"][..]),
        ("--epsilon -1 -k 2 --demand-size 9", &["is no ε"]),
        ("--epsilon nan -k 2 --demand-size 9", &["is no ε"]),
        ("--epsilon 1 -k 2 --demand-size 0", &["--demand-size", "1 or more"]),
        ("--epsilon 1 -k 2", &["--demand-size"]),
        ("--epsilon 1 --demand-size 9", &["how many centers?"]),
        ("--epsilon 1 -k 99 --demand-size 9", &["-k 99: from 60 items"]),
        ("--epsilon 1 -k 2 --demand-size 9 --runs 0", &["--runs", "1 or more"]),
        ("--epsilon 1 -k 2 --demand-size 9 --plot p.gif", &["p.gif: plots are drawn as .svg"]),
        ("--epsilon 1 -k 2 --demand-size 9 --plot no/p.svg", &["the folder `no` does not exist"]),
    ] {
        refused(&folder, &with(args), parts);
    }
}
