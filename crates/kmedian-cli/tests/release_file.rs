//! The file of a release: its name and its room are taken before ε is spent.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::fs;
use std::process::Command;

use common::{Folder, Outcome, refused, stops, visits};
use kmedian_ledger::Ledger;

const RUN: &str = "private stops.csv --id stop --columns x,y -k 2 --ledger l.db --dataset visits \
                   --demand visits.csv --key stop --epsilon 0.001";

fn folder() -> Folder {
    let folder = Folder::with(&[("stops.csv", &stops(3000)), ("visits.csv", &visits(300, 20))]);
    assert_eq!(folder.run("ledger create l.db --dataset visits --budget 1").code, Some(0));
    folder
}

/// How often ε was spent, and how many of those times there is a release.
fn spent(folder: &Folder) -> (usize, usize) {
    let entries = Ledger::open(&folder.path("l.db")).unwrap().entries("visits").unwrap();
    (entries.len(), entries.iter().filter(|entry| entry.release.is_some()).count())
}

#[test]
fn of_runs_with_one_name_one_spends() {
    let folder = folder();
    for round in 0..3 {
        let name = format!("r{round}.json");
        let args = format!("{RUN} --release {name}");
        let runs: Vec<_> = (0..4).map(|_| folder.command(&args).spawn().unwrap()).collect();
        let ended: Vec<Outcome> =
            runs.into_iter().map(|run| run.wait_with_output().unwrap().into()).collect();
        let done: Vec<&Outcome> = ended.iter().filter(|run| run.code == Some(0)).collect();
        assert_eq!(done.len(), 1, "{ended:?}");
        assert_eq!(spent(&folder), (round + 1, round + 1), "{ended:?}");
        let lost = ended.iter().filter(|run| run.code != Some(0));
        for run in lost {
            let known = ["there already is such a file", "another run is about to write it"];
            assert!(known.iter().any(|part| run.stderr.contains(part)), "{run:?}");
            assert_eq!(run.code, Some(2), "{run:?}");
        }
        // What was told of it is what is there.
        let args =
            format!("centers {name} --universe stops.csv --id stop --columns x,y -k 2 --json");
        assert_eq!(folder.run(&args).code, Some(0));
    }
    assert!(
        folder.names().iter().all(|name| !name.starts_with(".kmedian")),
        "{:?}",
        folder.names()
    );
}

#[test]
fn what_a_killed_run_left_is_cleared() {
    let folder = folder();
    folder.write(".kmedian-part-r.json", "half a release");
    folder.write(".kmedian-part-Xy12ab", "half a table");
    let run = folder.run(&format!("{RUN} --release r.json"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(folder.names(), ["l.db", "r.json", "stops.csv", "visits.csv"]);
}

/// A file system with room for the ledger, but not for a release.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the right to mount a file system"]
fn a_full_disk_costs_nothing() {
    let folder = folder();
    let small = folder.path("small");
    fs::create_dir(&small).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=8k", "tmpfs"]).arg(&small);
    assert!(mount.status().unwrap().success());
    let before = spent(&folder);
    let run = folder.run(&format!("{RUN} --release small/r.json"));
    let left = fs::read_dir(&small).unwrap().count();
    let unmounted = Command::new("umount").arg(&small).status().unwrap();
    assert!(unmounted.success());
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("small/r.json: cannot be written"), "{run:?}");
    assert_eq!((spent(&folder), left), (before, 0));
}

/// A limit on the size of files, which is a full disk for whoever has no right to mount one.
#[cfg(unix)]
#[test]
fn a_limit_of_size_costs_nothing() {
    let folder = folder();
    // The signal that the limit sends is ignored, and is not.
    for trap in ["trap '' XFSZ;", ""] {
        for blocks in [0, 16] {
            let limited = format!("{trap} ulimit -f {blocks}; exec \"$0\" {RUN} --release r.json");
            let mut shell = Command::new("sh");
            shell.args(["-c", &limited]).arg(common::kmedian()).current_dir(folder.path(""));
            let run = Outcome::from(shell.output().unwrap());
            assert_eq!(run.code, Some(2), "{run:?}");
            assert!(run.stderr.contains("r.json: cannot be written"), "{run:?}");
            assert_eq!(spent(&folder), (0, 0));
            assert_eq!(folder.names(), ["l.db", "stops.csv", "visits.csv"]);
        }
    }
}

/// Centers of a release that says that it is not private say so, too, in every form.
#[test]
fn what_is_not_private_says_so() {
    let folder = folder();
    let plain =
        "private stops.csv --id stop --columns x,y -k 2 --demand visits.csv --key stop --epsilon 1";
    let made = folder.run(&format!("{plain} --seeded-noise-not-private 1 --release r.json"));
    assert_eq!(made.code, Some(0), "{made:?}");
    let centers = "centers r.json --universe stops.csv --id stop --columns x,y -k 2";
    let text = folder.run(&format!("{centers} --centers c.csv"));
    assert!(text.stdout.contains("NOT PRIVATE"), "{text:?}");
    assert!(folder.read("c.csv").lines().skip(1).all(|line| line.contains(",NOT PRIVATE")));
    let json = folder.run(&format!("{centers} --json")).json();
    assert_eq!(json["private"], false);
}

/// Names of items that would move the cursor are shown written out.
#[test]
fn no_name_moves_the_cursor() {
    let folder = Folder::with(&[("p.csv", "id,x\n\u{1b}[2Ja,0\nb\u{202e},1\n")]);
    let run = folder.run("fit p.csv --id id -k 2");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{202e}'), "{run:?}");
    folder.write("r.json", "{\"release\":{\"format\":\"\u{9b}2J\\u001b[2J\",\"version\":1}}");
    refused(&folder, "centers r.json --universe p.csv --id id -k 1", &["r.json: this is a `"]);
    let run = folder.run("centers r.json --universe p.csv --id id -k 1");
    assert!(run.stderr.trim_end().chars().all(|c| !c.is_control()), "{run:?}");
}

/// Distances that are no metric, with different items in one place.
#[test]
fn centers_of_a_matrix_with_zeros_differ() {
    let mut random = common::Lcg::new(11);
    for _ in 0..60 {
        let n = 2 + random.below(10) as usize;
        let mut rows = vec![vec![0; n]; n];
        for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let distance = random.below(5).saturating_sub(2);
            rows[a][b] = distance;
            rows[b][a] = distance;
        }
        let line =
            |row: &Vec<u64>| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let text = rows.iter().map(line).collect::<Vec<_>>().join("\n");
        let folder = Folder::with(&[("m.csv", &text)]);
        let k = 1 + random.below(n as u64);
        let run = folder.run(&format!("fit m.csv --matrix --header no --init hst -k {k} --json"));
        let mut centers: Vec<u64> = run.json()["center_indices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|center| center.as_u64().unwrap())
            .collect();
        centers.sort_unstable();
        centers.dedup();
        assert_eq!(centers.len() as u64, k, "{text}");
    }
}
