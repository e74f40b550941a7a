//! Signed releases: what is signed, who can tell, and that nothing of it can be changed.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, refused, stops, visits};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const RUN: &str =
    "private stops.csv --id stop --columns x,y -k 2 --demand visits.csv --epsilon 0.5";
const PAID: &str = "--ledger l.db --dataset visits";
const CENTERS: &str = "centers r.json --universe stops.csv --id stop --columns x,y -k 3";
const VERIFY: &str = "verify r.json --key a.pub";

/// Stops, visits, two keys, and a budget of 2.
fn folder() -> Folder {
    let folder = Folder::with(&[("stops.csv", &stops(60)), ("visits.csv", &visits(300, 20))]);
    for args in [
        "ledger create l.db --dataset visits --budget 2",
        "key new a.key --public a.pub",
        "key new b.key --public b.pub",
    ] {
        assert_eq!(folder.run(args).code, Some(0), "{args}");
    }
    folder
}

/// A folder with a release that was signed with the key `a`.
fn signed(more: &str) -> Folder {
    let folder = folder();
    let run = folder.run(&format!("{RUN} {more} --release r.json --sign a.key"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("\nsigned with ed25519:"), "{run:?}");
    folder
}

#[test]
fn what_is_signed_is_the_release_and_what_paid_for_it() {
    let folder = signed(&format!("{PAID} --unit user --max-per-unit 3 --neighbours replace-one"));
    let run = folder.run(VERIFY);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:?}");
    let terms = ": ε = 0.5 for an owner of at most 3 records (replace-one), entry 1 of visits, ledger head sha256:";
    assert!(
        run.stdout.starts_with("r.json: verified, unchanged since it was signed with ed25519:"),
        "{run:?}"
    );
    assert!(run.stdout.contains(terms), "{run:?}");

    let found = folder.run(&format!("{VERIFY} --json")).json();
    let statement = &found["statement"];
    let document: Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!(statement["content"], document["checksum"]);
    assert_eq!((&statement["private"], &statement["epsilon"]), (&json!(true), &json!("0.5")));
    assert_eq!((&statement["unit"], &statement["max_per_unit"]), (&json!("owner"), &json!(3)));
    assert_eq!(statement["neighbours"], "replace-one");
    let ledger = &statement["ledger"];
    assert_eq!((&ledger["dataset"], &ledger["entry"]), (&json!("visits"), &json!(1)));
    // A published release is a witness of the ledger.
    let head = ledger["head"].as_str().unwrap();
    let verified = folder.run(&format!("ledger verify l.db --expect {head} --json")).json();
    assert_eq!(verified["events_since_expected"], 1);

    // The ledger has the hash of the file as it is published.
    let digest = Sha256::digest(folder.read("r.json").as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let shown = folder.run("ledger show l.db --dataset visits --json").json();
    assert_eq!(shown["entries"][0]["release"], format!("sha256:{digits}"));
}

#[test]
fn centers_say_whether_a_release_is_signed() {
    let folder = signed(PAID);
    let text = folder.run(CENTERS).stdout;
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("said to be signed with ed25519:"), "{text}");
    assert!(
        last.contains("entry 1 of visits") && last.ends_with("`kmedian verify` checks it"),
        "{text}"
    );
    let found = folder.run(&format!("{CENTERS} --json")).json();
    assert_eq!(found["signature"]["checked"], false);
    assert_eq!(found["signature"]["statement"]["ledger"]["entry"], 1);

    assert_eq!(folder.run(&format!("{RUN} --release u.json")).code, Some(0));
    let unsigned = CENTERS.replace("r.json", "u.json");
    assert!(folder.run(&unsigned).stdout.ends_with("\nnot signed\n"));
    assert!(folder.run(&format!("{unsigned} --json")).json()["signature"].is_null());
    refused(&folder, "verify u.json --key a.pub", &["u.json: the release is not signed"]);
}

#[test]
fn releases_of_the_paper_are_signed_too() {
    let folder = signed(&format!("{PAID} --method paper --iterations 2"));
    let found = folder.run(&format!("{VERIFY} --json")).json();
    assert_eq!(found["statement"]["epsilon"], "0.5");
    assert_eq!(found["statement"]["ledger"]["dataset"], "visits");
    refused(&folder, "verify r.json --key b.pub", &["is signed with another key than ed25519:"]);
}

#[test]
fn an_experiment_is_no_private_release_however_well_signed() {
    let folder = signed("--seeded-noise-not-private 7");
    let run = folder.run(VERIFY);
    assert!(
        run.stdout.contains(": NOT PRIVATE, ε = 0.5 for one record (add-remove), no ledger"),
        "{run:?}"
    );
}

/// What a forger does to a document.
type Change<'a> = &'a dyn Fn(&mut Value);

/// Writes the document with a change, whose checksum is made to fit.
fn forge(folder: &Folder, change: impl Fn(&mut Value)) {
    let mut document: Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    change(&mut document);
    let digest = Sha256::digest(document["release"].to_string().as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    document["checksum"] = json!(format!("sha256:{digits}"));
    folder.write("r.json", document.to_string());
}

#[test]
fn whatever_is_changed_is_noticed() {
    let folder = signed(PAID);
    let whole = folder.read("r.json");
    let other_key = folder.run("key new c.key").stdout;
    let other_key =
        other_key.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    let changes: [(&str, Change<'_>); 9] = [
        ("does not fit its content", &|d| d["release"]["nodes"]["noisy_counts"][1] = json!(7)),
        ("does not fit its content", &|d| d["release"]["epsilon"]["numerator"] = json!(2)),
        ("does not fit its content", &|d| d["release"]["neighbours"] = json!("replace-one")),
        ("forged or damaged", &|d| d["signature"]["statement"]["ledger"]["number"] = json!(2)),
        ("forged or damaged", &|d| d["signature"]["statement"]["ledger"] = json!(null)),
        ("forged or damaged", &|d| d["signature"]["statement"]["epsilon"] = json!("0.1")),
        ("forged or damaged", &|d| d["signature"]["ed25519"] = json!("00".repeat(64))),
        ("is signed with another key", &|d| d["signature"]["key"] = json!(other_key)),
        ("unknown field `more`", &|d| d["more"] = json!("unsigned")),
    ];
    for (part, change) in changes {
        folder.write("r.json", &whole);
        forge(&folder, change);
        refused(&folder, VERIFY, &["r.json: ", part]);
    }
    // The signature of one release does not fit another.
    folder.write("r.json", &whole);
    let run = folder.run(&format!("{RUN} --release s.json --sign a.key"));
    assert_eq!(run.code, Some(0));
    let other: Value = serde_json::from_str(&folder.read("s.json")).unwrap();
    forge(&folder, |d| d["signature"] = other["signature"].clone());
    refused(&folder, VERIFY, &["does not fit its content"]);
    folder.write("r.json", whole.replace("\"checksum\":\"sha256:", "\"checksum\":\"sha256:0"));
    refused(&folder, VERIFY, &["its checksum is another"]);
    folder.write("r.json", &whole[..whole.len() / 2]);
    refused(&folder, VERIFY, &["is no whole release"]);
}

/// A forged release cannot write to the terminal.
#[test]
fn what_a_release_claims_is_shown_as_text() {
    let folder = signed(PAID);
    forge(&folder, |d| {
        d["signature"]["statement"]["ledger"]["dataset"] = json!("\u{1b}[2J\nfake\u{202e}");
    });
    let text = folder.run(CENTERS).stdout;
    assert!(text.contains(r"entry 1 of \u{1b}[2J\nfake\u{202e}, ledger"), "{text}");
}

#[test]
fn keys_are_new_files_that_openssl_reads() {
    let folder = folder();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path("a.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_ne!(folder.read("a.key"), folder.read("b.key"));
    for args in ["key new a.key", "key new a.key --public n.pub", "key new n.key --public a.pub"] {
        refused(&folder, args, &["there already is such a file, and a key is never overwritten"]);
    }
    refused(&folder, "key new no/n.key", &["the key cannot be written"]);
    let printed = folder.run("key new c.key").stdout;
    assert!(printed.contains("-----BEGIN PUBLIC KEY-----"), "{printed}");
    let openssl = std::process::Command::new("openssl")
        .args(["pkey", "-pubout", "-in"])
        .arg(folder.path("a.key"))
        .output();
    match openssl {
        Ok(output) => {
            let made = String::from_utf8(output.stdout).unwrap();
            assert_eq!(made, folder.read("a.pub"));
        }
        Err(_) => println!("openssl is not installed: not compared with it"),
    }
}

/// The key is read before anything else, so that a wrong one costs nothing.
#[test]
fn a_key_that_cannot_sign_costs_nothing() {
    let folder = folder();
    folder.write("text.key", "no key");
    for (key, part) in [
        ("none.key", "none.key: there is no such key; make one with"),
        ("a.pub", "a.pub: is a public key; a release is signed with the private one"),
        ("text.key", "text.key: is no Ed25519 private key in PEM"),
        ("visits.csv", "visits.csv: is no Ed25519 private key in PEM"),
    ] {
        refused(&folder, &format!("{RUN} {PAID} --release r.json --sign {key}"), &[part]);
    }
    refused(&folder, &format!("{RUN} {PAID} --sign a.key"), &["--release"]);
    refused(&folder, &format!("{RUN} {PAID} --release a.key --sign a.key"), &["a.key"]);
    let shown = folder.run("ledger show l.db --dataset visits --json").json();
    assert_eq!(shown["runs"], 0);
    refused(&folder, "verify visits.csv --key a.key", &["a.key: is a private key"]);
    refused(&folder, "verify visits.csv --key a.pub", &["visits.csv: the release is no whole"]);
    refused(&folder, "verify none.json --key a.pub", &["none.json: cannot be read as a release"]);
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for (command, part) in [
        ("key", "kmedian key new release.key --public release.pub"),
        ("verify", "kmedian verify trips.release.json --key release.pub"),
        ("private", "--sign release.key"),
    ] {
        let help = folder.run(&format!("help {command}")).stdout;
        assert!(help.contains(part), "{help}");
    }
}
