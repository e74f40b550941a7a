//! `kmedian ledger`: what it prints, and what it refuses.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::Folder;
use kmedian_ledger::{Amount, Ledger, Purpose};
use serde_json::json;

const CREATE: &str = "ledger create l.db --dataset visits --budget 1.50";

/// A folder with a ledger of two datasets; two runs on `visits`, of which one made a release.
fn books() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(CREATE).code, Some(0));
    assert_eq!(folder.run("ledger create l.db --dataset tills --budget 2e-1").code, Some(0));
    let mut ledger = Ledger::open(&folder.path("l.db")).unwrap();
    let mut reserve = |epsilon: &str, note: &str| {
        let purpose = Purpose {
            mechanism: "tree".into(),
            software: "kmedian 0".into(),
            note: note.into(),
            ..Purpose::default()
        };
        ledger.reserve("visits", Amount::to_spend(epsilon).unwrap(), &purpose).unwrap()
    };
    reserve("0.1", "k = 10").record("sha256:0123456789abcdef0123456789abcdef").unwrap();
    let _ = reserve("0.2", "two\nlines");
    folder
}

/// The words of each line.
fn words(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn create_says_what_it_made() {
    let folder = Folder::new();
    let run = folder.run(CREATE);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        run.stdout,
        "visits: budget 1.5, spent 0, left 1.5; protects what its next run will\n"
    );
    assert_eq!(folder.names(), ["l.db"]);
    let made = folder.run("ledger create l.db --dataset tills --budget 1 --json").json();
    assert_eq!((&made["dataset"], &made["left"]), (&json!("tills"), &json!("1")));
}

#[test]
fn list_has_a_line_for_each_dataset() {
    let folder = books();
    let run = folder.run("ledger list l.db");
    let lines = words(&run.stdout);
    assert_eq!(lines[0], "dataset budget spent left runs created");
    assert!(lines[1].starts_with("tills 0.2 0 0.2 0 20"), "{lines:?}");
    assert!(lines[2].starts_with("visits 1.5 0.3 1.2 2 20"), "{lines:?}");
    let all = folder.run("ledger list l.db --json").json();
    let mut visits = all[1].clone();
    assert!(visits.as_object_mut().unwrap().remove("created").unwrap().is_string());
    let expected = json!({
        "dataset": "visits", "budget": "1.5", "spent": "0.3", "left": "1.2", "runs": 2,
        "protects": {"unit": "record", "max_per_unit": null, "neighbours": "add-remove"},
    });
    assert_eq!(visits, expected);
}

#[test]
fn show_has_a_line_for_each_run() {
    let folder = books();
    let lines = words(&folder.run("ledger show l.db --dataset visits").stdout);
    assert_eq!(
        lines[0],
        "visits: budget 1.5, spent 0.3, left 1.2; protects one record (add-remove)"
    );
    assert_eq!(lines[2], "run epsilon reserved protects mechanism split software release note");
    assert!(lines[3].starts_with("1 0.1 20"), "{lines:?}");
    let rest = " one record (add-remove) tree none kmedian 0 sha256:0123456789abc k = 10";
    assert!(lines[3].ends_with(rest), "{lines:?}");
    assert!(lines[4].ends_with(" kmedian 0 none two\\nlines"), "{lines:?}");
    let shown = folder.run("ledger show l.db --dataset visits --json").json();
    let entries = shown["entries"].as_array().unwrap();
    assert_eq!(entries[0]["release"], "sha256:0123456789abcdef0123456789abcdef");
    assert!(entries[0].get("recorded").is_none() && entries[1]["release"].is_null());
    assert_eq!(entries[0]["reserved"].as_str().unwrap().len(), "2026-11-16".len());
    assert_eq!(entries[0]["protects"]["unit"], "record");
    assert_eq!(
        (&entries[0]["mechanism"], &entries[0]["software"]),
        (&json!("tree"), &json!("kmedian 0"))
    );
    assert_eq!(entries[1]["epsilon"], "0.2");
    let lines = words(&folder.run("ledger show l.db --dataset tills").stdout);
    assert_eq!(lines, ["tills: budget 0.2, spent 0, left 0.2; protects what its next run will"]);
}

#[test]
fn a_ledger_without_datasets_says_so() {
    let folder = Folder::new();
    Ledger::create_or_open(&folder.path("l.db")).unwrap();
    assert!(folder.run("ledger list l.db").stdout.starts_with("no datasets; `kmedian ledger"));
    assert_eq!(folder.run("ledger list l.db --json").json(), json!([]));
}

#[test]
fn help_has_examples() {
    let help = Folder::new().run("help ledger").stdout;
    for part in ["create", "list", "show", "verify", "kmedian ledger create ledger.db --dataset"] {
        assert!(help.contains(part), "{help}");
    }
}

#[test]
fn what_is_refused() {
    let folder = books();
    folder.write("text.db", "no ledger");
    let before = folder.names();
    for (args, part) in [
        ("create l.db --dataset visits --budget 2", "l.db: there already is a dataset `visits`"),
        ("create l.db --dataset new --budget 0", "`0` is zero; give a positive"),
        ("create l.db --dataset new --budget -1", "`-1` is negative"),
        ("create l.db --dataset new --budget nan", "`nan` is not a decimal number"),
        ("create l.db --dataset new --budget inf", "`inf` is not a decimal number"),
        ("create l.db --dataset new --budget 1e99", "`1e99` is too large"),
        (
            "create l.db --dataset VISITS --budget 2",
            "`visits` with a budget of 1.5, whose name looks",
        ),
        ("create l.db --dataset vi\u{200b}sits --budget 2", "a character that is not seen, U+200B"),
        (
            "create new.db --dataset new --budget 1 --protects owner",
            "say how many records an owner",
        ),
        ("create new.db --dataset new --budget 1 --max-per-unit 2", "--protects"),
        ("create new.db --dataset new --budget 1 --neighbours add-remove", "--protects"),
        (
            "create new.db --dataset new --budget 1 --protects record --neighbours other",
            "`other` is no relation; give add-remove or replace-one",
        ),
        (
            "create new.db --dataset new --budget 1 --protects record --max-per-unit 2",
            "a record is one record",
        ),
        ("verify none.db", "none.db: there is no such ledger"),
        (
            "verify l.db --expect sha256:12",
            "l.db: the chain is whole, but sha256:12 was never its head",
        ),
        ("create new.db --dataset new", "--budget"),
        ("create new.db --budget 1", "--dataset"),
        ("create no/l.db --dataset new --budget 1", "its folder does not exist; create it first"),
        ("create . --dataset new --budget 1", "is a folder; name a file in it"),
        ("create text.db --dataset new --budget 1", "text.db: is not a ledger of kmedian"),
        ("list text.db", "text.db: is not a ledger of kmedian"),
        ("list none.db", "none.db: there is no such ledger; make one with `kmedian ledger create`"),
        ("show none.db --dataset visits", "none.db: there is no such ledger"),
        ("show l.db --dataset others", "l.db: there is no dataset `others`; `kmedian ledger list`"),
        ("show l.db", "--dataset"),
        ("", "subcommand"),
    ] {
        let run = folder.run(&format!("ledger {args}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1, "{run:?}");
        assert!(run.stderr.contains(part), "{args}: `{part}` is not in: {}", run.stderr);
        assert_eq!(folder.names(), before, "{args}");
    }
    let empty = folder.command("ledger create new.db --budget 1 --dataset").arg("").output();
    assert!(String::from_utf8(empty.unwrap().stderr).unwrap().contains("a dataset needs a name"));
    assert_eq!(folder.names(), before);
}

#[test]
fn a_dataset_is_created_with_what_it_protects() {
    let folder = Folder::new();
    let made = folder.run(&format!("{CREATE} --protects owner --max-per-unit 5 --json")).json();
    let protects = json!({"unit": "owner", "max_per_unit": 5, "neighbours": "add-remove"});
    assert_eq!(made["protects"], protects);
    let more =
        "ledger create l.db --dataset tills --budget 1 --protects record --neighbours replace-one";
    assert!(folder.run(more).stdout.ends_with("protects one record (replace-one)\n"));
}

#[test]
fn verify_finds_what_was_edited_and_what_was_replaced() {
    let folder = books();
    let run = folder.run("ledger verify l.db");
    let (said, head) = run.stdout.split_once("\nhead: ").unwrap();
    assert_eq!((run.code, said), (Some(0), "l.db: the chain is whole, 5 events"), "{run:?}");
    let head = head.trim();
    let expect = format!("ledger verify l.db --expect {head}");
    assert!(folder.run(&expect).stdout.contains("5 events, as expected\n"));
    folder.run("ledger create l.db --dataset more --budget 1");
    assert!(
        folder.run(&expect).stdout.contains("6 events, and 1 since the head that was expected")
    );
    let found = folder.run(&format!("{expect} --json")).json();
    assert_eq!((&found["events"], &found["events_since_expected"]), (&json!(6), &json!(1)));

    let sql = rusqlite::Connection::open(folder.path("l.db")).unwrap();
    let edit = "DROP TRIGGER entry_is_fixed; UPDATE entry SET epsilon = 1 WHERE number = 2;";
    sql.execute_batch(edit).unwrap();
    let run = folder.run("ledger verify l.db");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (Some(2), "", 1));
    assert!(run.stderr.contains("the chain is broken: event 5, entry 2, is not as it was written"));
}

/// The limit on the size of files stands for a full disk, at each size up to that of the ledger.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_ledger_or_a_whole_one() {
    let mut made = 0;
    for blocks in [0, 1, 4, 8, 16, 32, 40, 48, 56, 64, 72, 80, 96, 128] {
        let folder = Folder::new();
        let limited = format!("ulimit -f {blocks}; exec {} {CREATE}", common::kmedian().display());
        let mut shell = std::process::Command::new("bash");
        // Errors go through a pipe, which has no size.
        shell.args(["-c", &limited]).current_dir(folder.path("."));
        let output = shell.output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        if output.status.success() {
            assert_eq!(folder.run("ledger list l.db --json").json()[0]["dataset"], "visits");
            made += 1;
        } else {
            assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
            assert!(told.contains("l.db: "), "{told}");
            assert!(folder.names().is_empty(), "{blocks}: {:?}", folder.names());
        }
    }
    assert!((1..14).contains(&made), "{made}");
}
