//! What the command proves of the centers that it finds.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, distances, network, plane, refused};

#[test]
fn a_gap_is_proven_whatever_the_format() {
    let points = plane(200, 1);
    let folder = Folder::with(&[
        ("points.csv", &points),
        ("roads.txt", &network(150, 2)),
        ("matrix.csv", &distances(&plane(60, 3))),
    ]);
    for input in ["points.csv", "roads.txt --graph", "matrix.csv --matrix"] {
        for objective in ["median", "means"] {
            let fit = |options: &str| {
                folder.fit(&format!("{input} -k 6 --objective {objective} {options}"))
            };
            let plain = fit("");
            assert!(plain["bound"].is_null() && plain["gap"].is_null(), "{plain}");
            let bounded = fit("--bound");
            assert_eq!(bounded["center_indices"], plain["center_indices"], "{bounded}");
            let (bound, cost) = (&bounded["bound"], bounded["cost"].as_f64().unwrap());
            assert!(bound.as_f64().unwrap() <= cost, "{bounded}");
            // Prices prove at most the relaxation, whose optimum HiGHS puts 3.1 % below the optimum
            // of k-means on these roads (50,904.86 and 52,531), 1.6 % below that of k-median
            // (2,465.67 and 2,505), and at the optimum of the matrix.
            let near = fit("--gap 4%");
            assert!(near["gap"].as_f64().unwrap() <= 0.04, "{near}");
            assert!(near["cost"].as_f64().unwrap() <= cost, "{near}");
            assert!(near["stop"] == "gap-reached" || near["stop"] == "optimal", "{near}");
            // Squared distances leave a gap that only many branches close.
            let limit = if objective == "median" { 60 } else { 3 };
            let best = fit(&format!("--effort optimal --time-limit {limit}"));
            assert!(best["stop"] == "optimal" || objective == "means", "{best}");
            assert!(best["cost"].as_f64().unwrap() >= bound.as_f64().unwrap(), "{best}");
        }
    }
}

#[test]
fn the_first_line_says_what_is_proven() {
    let folder = Folder::with(&[("points.csv", &plane(100, 4))]);
    let proven = folder.run("fit points.csv -k 5 --effort optimal");
    let first = proven.stdout.lines().next().unwrap();
    assert!(first.starts_with("cost ") && first.ends_with(" % of the best possible"), "{first}");
    assert!(first.contains(", proven within 0.00 %"), "{first}");
    assert!(proven.stdout.contains("gap %"), "{}", proven.stdout);
    let plain = folder.run("fit points.csv -k 5");
    assert!(plain.stdout.starts_with("100 items") && !plain.stdout.contains("bound"));
    let several = folder.run("fit points.csv -k 2,3 --bound").stdout;
    assert!(several.starts_with("100 items") && several.contains("gap %"), "{several}");
}

#[test]
fn a_gap_must_be_a_share() {
    let folder = Folder::with(&[("points.csv", &plane(20, 5))]);
    for gap in ["-1%", "x", "nan"] {
        refused(&folder, &format!("fit points.csv -k 2 --gap={gap}"), &["is no gap", "0.1%"]);
    }
    for gap in ["1", "100%", "250%"] {
        refused(
            &folder,
            &format!("fit points.csv -k 2 --gap={gap}"),
            &["any centers have", "0.1%"],
        );
    }
    // A bound on private demand would say something of it.
    for option in ["--bound", "--gap=1%"] {
        let line = format!("private points.csv --demand points.csv --epsilon 1 -k 2 {option}");
        refused(&folder, &line, &["unexpected argument", option.split('=').next().unwrap()]);
    }
}

/// Seven sites of the Fano plane: prices prove 8 of 9, and only cases the rest.
const FANO: &str = "1,1,1,2,2,2,2\n1,2,2,1,1,2,2\n1,2,2,2,2,1,1\n2,1,2,1,2,1,2\n2,1,2,2,1,2,1\n2,2,1,1,2,2,1\n2,2,1,2,1,1,2\n";

#[test]
fn a_gap_that_is_not_proven_is_said() {
    let folder = Folder::with(&[("fano.csv", FANO)]);
    let run = folder.run("fit fano.csv --rectangular -k 2 --gap 1%");
    let note = "a gap of 1.00 % was not proven: it is 11.12 %";
    assert!(run.stderr.contains(note) && run.stderr.contains("--effort optimal"), "{run:?}");
    let run = folder.run("fit fano.csv --rectangular -k 2 --gap 12%");
    assert!(!run.stderr.contains("not proven"), "{run:?}");
    let fit = folder.fit("fano.csv --rectangular -k 2 --effort optimal");
    assert_eq!((&fit["stop"], fit["bound"].as_f64()), (&"optimal".into(), Some(9.0)));
}
