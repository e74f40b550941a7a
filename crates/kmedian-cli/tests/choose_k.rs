//! `kmedian fit -k 2..9`: what is compared, and which k is suggested.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::path::Path;

use common::Folder;
use serde_json::Value;

/// Five groups of eight points round places that are far apart.
fn groups() -> String {
    let places = [(0.0, 0.0), (40.0, 3.0), (20.0, 35.0), (70.0, 30.0), (90.0, -5.0)];
    let mut rows = String::from("x,y\n");
    for (at, (x, y)) in places.into_iter().enumerate() {
        for step in 0..8 {
            let angle = f64::from(step) + at as f64 * 0.3;
            let away = 1.0 + f64::from(step % 3);
            rows += &format!("{},{}\n", x + away * libm::cos(angle), y + away * libm::sin(angle));
        }
    }
    rows
}

#[test]
fn the_table_marks_a_suggestion_and_says_why() {
    let folder = Folder::new();
    folder.write("points.csv", groups());
    let table = folder.run("fit points.csv -k 1..9").stdout;
    let head = table.lines().find(|line| line.contains("silhouette")).unwrap();
    assert!(head.contains("saves %"), "{table}");
    let marked: Vec<&str> = table.lines().filter(|line| line.contains('<')).collect();
    assert_eq!(marked.len(), 1, "{table}");
    assert_eq!(marked[0].split_whitespace().next(), Some("5"), "{table}");
    assert!(table.contains("\nsuggested: k = 5: its centers are the clearest apart"), "{table}");
}

#[test]
fn json_has_silhouettes_and_the_suggestion() {
    let folder = Folder::new();
    folder.write("points.csv", groups());
    let all = folder.run("fit points.csv -k 1..9 --json").document();
    assert_eq!(all["suggested_k"], 5);
    assert!(all["suggested_because"].as_str().unwrap().starts_with("k = 5: "));
    let fits = all["fits"].as_array().unwrap();
    assert_eq!(fits[0]["silhouette"], Value::Null);
    let silhouettes: Vec<f64> =
        fits[1..].iter().map(|fit| fit["silhouette"].as_f64().unwrap()).collect();
    assert!(silhouettes.iter().all(|value| (0.0..=1.0).contains(value)), "{silhouettes:?}");
    assert!(silhouettes[3] > silhouettes[2] && silhouettes[3] > silhouettes[4]);
    let one = folder.run("fit points.csv -k 5 --json").document();
    assert_eq!(one["suggested_k"], Value::Null);
    assert_eq!(one["fits"][0]["silhouette"], fits[4]["silhouette"]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn known_numbers_of_clusters_are_found() {
    let folder = Folder::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/points/sipu");
    for (name, k) in [("s1", 15), ("s2", 15), ("a1", 20), ("dim032", 16)] {
        let file = data.join(format!("{name}.txt.gz"));
        let found = folder.run(&format!("fit {} -k 2..30 --json", file.display())).document();
        assert_eq!(found["suggested_k"], k, "{name}: {}", found["suggested_because"]);
    }
}
