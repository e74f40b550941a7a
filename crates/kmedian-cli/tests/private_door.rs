//! The door to private tables, through the command: no record decides how a run ends, what is read
//! follows from options, and a dry run says what would be read.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, gzip, refused, stops, visits, without_noise};
use kmedian_ledger::{Amount, Ledger};
use serde_json::Value;

const STOPS: &str = "stops.csv --id stop --columns x,y -k 2 --epsilon 1";

fn folder() -> Folder {
    Folder::with(&[("stops.csv", &stops(60)), ("visits.csv", &visits(300, 20))])
}

/// How a run ends: exit code, standard error, the files that it leaves, and all that is printed but
/// for the noise.
fn ending(demand: &[u8], name: &str, args: &str) -> (Option<i32>, String, Vec<String>, Value) {
    let folder = Folder::with(&[("stops.csv", &stops(60))]);
    folder.write(name, demand);
    let args = format!(
        "private {STOPS} --demand {name} --json --release r.json --centers c.csv {args} \
         --seeded-noise-not-private 3"
    );
    let run = folder.run(&args);
    let found = without_noise(&run.stdout);
    (run.code, run.stderr, folder.names(), found)
}

/// Records that have decided more than their own count, as a program that quotes writes them.
const ODD: [&[u8]; 14] = [
    b"\"nice place\ns7,u9000\ns7,u9001\ns7,u9002\",u1\n",
    b"s1;;;,u1\n",
    b"stop,user\n",
    b"s1\n",
    b"s1,u1,u1,u1\n",
    b"PARE,u1\n",
    b"PAR1,u1\n",
    b"BZh9,u1\n",
    b"ARROW1,u1\n",
    b"PK\x03\x04,u1\n",
    b"\x1f\x8b\x08,u1\n",
    b"s1\0,u1\n",
    b"\xff\xfe,nan\n",
    b"\xef\xbb\xbfs1,1.0\n",
];

#[test]
fn no_record_decides_how_a_run_ends() {
    let rows = b"s1,u1\ns2,u2\n\"s3\",1\n";
    let ways = [
        ("d.csv", "--key 0 --demand-header no", ""),
        ("d.csv", "--unit user --max-per-unit 2", "stop,user\n"),
        ("d.csv", "--key stop", "#stop,user\n"),
        ("d.txt", "--key 0", ""),
        ("d.dat", "--key 0 --demand-format csv-lines --demand-header no", ""),
        ("d.csv.gz", "--key 0 --demand-header no", ""),
    ];
    for (name, args, header) in ways {
        let table = |first: &[u8], last: &[u8]| {
            let text = [header.as_bytes(), first, rows, last].concat();
            if name.ends_with(".gz") { gzip(text) } else { text }
        };
        let plain = ending(&table(b"", b""), name, args);
        assert_eq!((plain.0, plain.1.as_str()), (Some(0), ""), "{name} {args}");
        for odd in ODD {
            let shown = String::from_utf8_lossy(odd);
            assert_eq!(ending(&table(odd, b""), name, args), plain, "{name} {args}: {shown} first");
        }
        assert_eq!(ending(&table(b"", ODD[0]), name, args), plain, "{name} {args}: last");
    }
    // No record against one.
    for (name, args) in [("d.csv", "--key 0 --demand-header no"), ("d.txt", "--key 0")] {
        assert_eq!(ending(b"", name, args), ending(b"s1\n", name, args));
    }
}

/// A file that breaks off late, and one that was damaged in another way late, end in one message.
#[test]
fn what_goes_wrong_with_records_is_told_in_one_way() {
    let folder = folder();
    let whole = gzip(visits(60_000, 20));
    folder.write("cut.csv.gz", &whole[..whole.len() - 9]);
    let mut damaged = whole;
    let place = damaged.len() - 6;
    damaged[place] ^= 0xff;
    folder.write("bad.csv.gz", damaged);
    for name in ["cut", "bad"] {
        let args = format!("private {STOPS} --demand {name}.csv.gz --release r.json");
        let only = format!(
            "error: {name}.csv.gz: the demand could not be read to its end, so nothing is released; --dry-run says \
             why, for the operator's eyes alone\n"
        );
        assert_eq!(folder.run(&args).stderr, only);
        refused(&folder, &args, &[]);
        // A dry run tells the operator more.
        refused(&folder, &format!("{args} --dry-run"), &[".csv.gz: "]);
        assert_ne!(folder.run(&format!("{args} --dry-run")).stderr, only);
    }
}

#[test]
fn a_dry_run_spends_and_writes_nothing() {
    let folder = folder();
    let mut ledger = Ledger::create_or_open(&folder.path("l.db")).unwrap();
    ledger.create_dataset("visits", Amount::to_allow("1").unwrap(), None).unwrap();
    drop(ledger);
    let before = folder.names();
    let args = format!(
        "private {STOPS} --demand visits.csv --unit user --max-per-unit 2 --ledger l.db --dataset visits \
         --release r.json --centers c.csv --dry-run"
    );
    let run = folder.run(&args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    for part in [
        "NOT PRIVATE: a dry run",
        "csv, with a header, columns: 2; counted from 0, the keys are in column 1, the units in column 0",
        "302 records: 200 counted; dropped: 2 of no known item, 0 without a unit, 100 over",
        "99.34 % of the records name an item",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(run.stderr.lines().all(|line| line.starts_with("warning: ")), "{run:?}");
    assert_eq!(folder.names(), before);
    let ledger = Ledger::open(&folder.path("l.db")).unwrap();
    assert_eq!(ledger.dataset("visits").unwrap().entries, 0);
}

/// A forgotten --id drops every record, and ε would be spent for nothing.
#[test]
fn a_dry_run_says_what_to_check() {
    let folder = folder();
    let run = folder.run(
        "private stops.csv --columns x,y -k 2 --epsilon 1 --demand visits.csv --key stop --dry-run",
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("0.00 % of the records"), "{run:?}");
    assert!(run.stderr.contains("by their positions from 0, as there is no --id"), "{run:?}");
}

#[test]
fn the_universe_is_no_demand() {
    let folder = folder();
    for (link, hard) in [("soft.csv", false), ("hard.csv", true)] {
        if hard {
            std::fs::hard_link(folder.path("stops.csv"), folder.path(link)).unwrap();
        } else if cfg!(unix) {
            #[cfg(unix)]
            std::os::unix::fs::symlink(folder.path("stops.csv"), folder.path(link)).unwrap();
        } else {
            continue;
        }
        let args = format!("private {STOPS} --demand {link}");
        refused(&folder, &args, &["is the universe itself", "nothing here protects them"]);
    }
}

/// The number of records, where it was said to be public, is stated in the release.
#[test]
fn a_public_demand_size_is_in_the_release() {
    let folder = folder();
    for (size, stated) in [("--demand-size 300", Value::from(300)), ("", Value::Null)] {
        let args = format!("private {STOPS} --demand visits.csv {size} --release r.json --json");
        assert_eq!(folder.run(&args).code, Some(0));
        let text = folder.read("r.json");
        let release: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(release["release"]["demand_size"], stated);
        let again = "centers r.json --universe stops.csv --id stop --columns x,y -k 3 --json";
        assert_eq!(folder.run(again).json()["k"], 3);
        std::fs::remove_file(folder.path("r.json")).unwrap();
    }
}
