//! `kmedian private` and `kmedian centers`: what they find, print and write, and what they keep to
//! themselves.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use std::collections::HashSet;

use common::{Folder, Outcome, distances, gzip, network, plane, stops, visits};
use kmedian_data::{Column, Values, write_table};
use serde_json::{Value, json};

const STOPS: &str = "stops.csv --id stop --columns x,y";

/// Noise that can be repeated, so that a test cannot fail by chance.
const SEEDED: &str = "--seeded-noise-not-private 7";

/// 150 stops, of which the first 40 have 1,500 visits.
fn folder() -> Folder {
    Folder::with(&[("stops.csv", &stops(150)), ("visits.csv", &visits(1500, 40))])
}

fn private(folder: &Folder, args: &str) -> Outcome {
    folder.run(&format!("private {args}"))
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(item).collect()
}

/// What holds for every k: that many different centers, and estimates.
fn check(found: &Value, n: usize, k: usize) {
    assert_eq!((&found["n"], &found["k"]), (&json!(n), &json!(k)), "{found}");
    let centers = list(&found["center_indices"], |index| index.as_u64().unwrap());
    assert_eq!(centers.iter().collect::<HashSet<_>>().len(), k, "{found}");
    assert!(centers.iter().all(|&center| center < n as u64), "{found}");
    assert_eq!(found["estimated_sizes"].as_array().unwrap().len(), k, "{found}");
    for cost in ["estimated_cost", "data_free_estimated_cost"] {
        assert!(found[cost].as_f64().unwrap() >= 0.0, "{found}");
    }
}

#[test]
fn json_has_every_field() {
    let folder = folder();
    let run = private(
        &folder,
        &format!("{STOPS} --demand visits.csv --epsilon 0.50 -k 4 --json --release r.json"),
    );
    let found = run.json();
    check(&found, 150, 4);
    let fields: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "k",
            "centers",
            "center_indices",
            "estimated_cost",
            "estimated_sizes",
            "estimated_service",
            "estimated_cost_interval",
            "estimated_size_intervals",
            "data_free_estimated_cost",
            "advantage_interval",
            "advantage_is_clear",
            "stop",
            "n",
            "metric",
            "objective",
            "private",
            "method",
            "epsilon",
            "neighbours",
            "unit",
            "max_per_unit",
            "release",
            "ledger"
        ]
    );
    let stated = ["metric", "objective", "private", "method", "epsilon", "neighbours", "unit"];
    assert_eq!(
        stated.map(|field| found[field].clone()),
        [json!("l2"), json!("median"), json!(true), json!("refined"), json!(0.5)]
            .into_iter()
            .chain([json!("add-remove"), json!("record")])
            .collect::<Vec<_>>()[..]
    );
    let ids = list(&found["centers"], |id| id.as_str().unwrap().to_owned());
    let indices = list(&found["center_indices"], |index| format!("s{index}"));
    assert_eq!(ids, indices);
    assert_eq!(found["release"]["file"], "r.json");
    assert!(found["release"]["hash"].as_str().unwrap().starts_with("sha256:"));
    assert!(found["ledger"].is_null());
    assert_eq!(run.stderr, "");
}

/// A plain word says whether the data were of any use: not at an ε that is too small, nor where the
/// demand is as the items are.
#[test]
fn a_saving_that_cannot_be_told_from_zero_is_called_so() {
    let folder = folder();
    let doubt = "the saving cannot be told from zero";
    for (epsilon, is_clear) in [("0.001", false), ("5", true)] {
        let args = format!("{STOPS} --demand visits.csv --epsilon {epsilon} -k 3 {SEEDED}");
        let told = private(&folder, &args);
        assert_eq!(told.code, Some(0), "{told:?}");
        assert_eq!(told.stdout.contains(doubt), !is_clear, "ε = {epsilon}: {}", told.stdout);
        let found = private(&folder, &format!("{args} --json")).json();
        assert_eq!(found["advantage_is_clear"], json!(is_clear), "ε = {epsilon}: {found}");
    }
}

#[test]
fn people_get_a_table() {
    let folder = folder();
    let args = format!("{STOPS} --demand visits.csv --epsilon 1 -k 3 --centers c.csv");
    let run = private(&folder, &args);
    assert_eq!(run.code, Some(0), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().map(str::trim).collect();
    assert_eq!(lines[0], "150 items, l2, k-median");
    assert_eq!(lines[1], "ε = 1 for one record (add-remove), method refined");
    let heads: Vec<&str> =
        lines[3].split("  ").map(str::trim).filter(|head| !head.is_empty()).collect();
    assert_eq!(heads, ["k", "estimated cost", "90 % interval", "without data", "saved by data"]);
    let starts = |with: &str| lines.iter().any(|line| line.starts_with(with));
    assert!(starts("estimated distance to the center: mean "), "{lines:?}");
    assert!(starts("center  estimated size"), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with('s')).count(), 3);
    assert!(run.stderr.starts_with("note: without --release FILE"), "{run:?}");
    assert_eq!(folder.read("c.csv").lines().count(), 4);
    assert!(folder.read("c.csv").starts_with("k,index,id,estimated_size,x,y\n3,"));
}

#[test]
fn centers_follow_from_the_release_for_any_k() {
    let folder = folder();
    for objective in ["median", "means"] {
        let common = format!("--objective {objective} -k 2,5 --json");
        let release = format!("{objective}.json");
        let args = format!(
            "{STOPS} --demand visits.csv --epsilon 1 --release {release} {common} {SEEDED}"
        );
        let made = private(&folder, &args).json();
        let centers =
            |args: &str| folder.run(&format!("centers {release} --universe {STOPS} {args}")).json();
        let derived = centers(&common);
        for (made, derived) in list(&made, Value::clone).iter().zip(list(&derived, Value::clone)) {
            check(&derived, 150, derived["k"].as_u64().unwrap() as usize);
            for (field, value) in derived.as_object().unwrap() {
                assert_eq!(made[field], *value, "{field}");
            }
        }
        // The same for each k alone, and for others: the more centers, the less they cost.
        assert_eq!(centers(&format!("--objective {objective} -k 5 --json")), derived[1]);
        let curve = centers(&format!("--objective {objective} -k 1..8 --json"));
        let costs = list(&curve, |found| found["estimated_cost"].as_f64().unwrap());
        assert!(costs.is_sorted_by(|a, b| a >= b), "{costs:?}");
    }
    let exact = |k: &str| {
        let args = format!("centers median.json --universe {STOPS} --method exact -k {k} --json");
        let found = folder.run(&args).json();
        assert_eq!(found["method"], "exact");
        list(&found["center_indices"], |index| index.as_u64().unwrap())
    };
    let (few, many) = (exact("3"), exact("4"));
    assert!(few.iter().all(|center| many.contains(center)), "{few:?}, {many:?}");
    let run =
        folder.run(&format!("centers median.json --universe {STOPS} -k 2..4 --centers c.tsv"));
    assert_eq!(
        run.stdout.lines().filter(|line| line.trim().starts_with(['2', '3', '4'])).count(),
        3
    );
    assert_eq!(folder.read("c.tsv").lines().count(), 1 + 2 + 3 + 4);
}

#[test]
fn much_demand_is_found_through_the_noise() {
    // All records are at the last of three towns, and there is hardly any noise.
    let demand = "stop\n".to_owned() + &"c\n".repeat(50);
    let folder = Folder::with(&[("towns.csv", "stop,x\na,0\nb,1\nc,9\n"), ("d.csv", &demand)]);
    let found =
        private(&folder, "towns.csv --id stop --demand d.csv --epsilon 100 -k 1 --json").json();
    assert_eq!(found["centers"], json!(["c"]));
    let size = found["estimated_sizes"][0].as_f64().unwrap();
    assert!((size - 50.0).abs() < 2.0, "{found}");
}

#[test]
fn graphs_matrices_and_numbers_as_keys() {
    let folder = Folder::with(&[
        ("roads.txt", &network(120, 3)),
        ("m.csv", &distances(&plane(60, 4))),
        ("two.txt", "0 1 1\n2 3 1\n3 4 1\n4 5 1\n"),
        ("late.csv", &format!("node\n{}", "5\n".repeat(400))),
    ]);
    let nodes: String = (0..3000).map(|record| format!("{}\n", record % 50)).collect();
    let nodes = format!("node\n{nodes}");
    folder.write("nodes.csv", &nodes);
    folder.write("nodes.csv.gz", gzip(&nodes));
    for demand in ["nodes.csv", "nodes.csv.gz"] {
        let args = format!("roads.txt --graph --demand {demand} --epsilon 1 -k 5 --json");
        check(&private(&folder, &args).json(), 120, 5);
    }
    let found =
        private(&folder, "m.csv --matrix --demand nodes.csv --epsilon 1 -k 5 --json").json();
    check(&found, 60, 5);
    assert_eq!(found["metric"], "matrix");
    // Nodes of a component keep the numbers that they have in the file.
    let args = "two.txt --graph --largest-component --demand late.csv --epsilon 100 -k 1 --json";
    assert_eq!(private(&folder, args).json()["centers"], json!([5]));
}

#[test]
fn demand_of_any_format_counts_alike() {
    let folder = folder();
    let text = visits(1500, 40);
    let cells = |column: usize| {
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect()
    };
    let column =
        |name: &str, place| Column { name: name.into(), values: Values::Text(cells(place)) };
    write_table(&folder.path("v.parquet"), &[column("user", 0), column("stop", 1)]).unwrap();
    write_table(&folder.path("v.tsv"), &[column("where", 1)]).unwrap();
    let found = |demand: &str| {
        let run = private(
            &folder,
            &format!("{STOPS} --epsilon 1 -k 4 --json {SEEDED} --demand {demand}"),
        );
        let mut found = run.json();
        found.as_object_mut().unwrap().remove("release").unwrap();
        found
    };
    let csv = found("visits.csv");
    // By default the key is the column that has the name of --id, or the only one.
    for same in [
        "visits.csv --key stop",
        "visits.csv --key 1",
        "v.parquet",
        "v.tsv",
        "v.tsv --key where",
        "v.tsv --key 0 --demand-header yes",
        "v.tsv --demand-format tsv",
    ] {
        assert_eq!(found(same), csv, "{same}");
    }
    assert_ne!(found("visits.csv --key user"), csv);
}

#[test]
fn units_are_bounded() {
    let mut rows = "user,stop\n".to_owned();
    rows += &"glutton,s1\n".repeat(900);
    rows += "ann,s2\nann,s3\nbob,s2\n,s2\n";
    let folder = folder();
    folder.write("d.csv", &rows);
    let args = format!(
        "{STOPS} --demand d.csv --unit user --max-per-unit 2 --epsilon 1 -k 2 --nonprivate-diagnostics"
    );
    let run = private(&folder, &format!("{args} --json"));
    let found = run.json();
    assert_eq!((&found["unit"], &found["max_per_unit"]), (&json!("owner"), &json!(2)));
    for part in ["904 records: 5 counted", "1 without a unit", "898 over the bound", "3 units"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let text = private(&folder, &args).stdout;
    assert!(text.contains("ε = 1 for a unit of at most 2 records (add-remove)"), "{text}");
}

#[test]
fn what_is_not_private_is_on_standard_error_alone_and_only_if_asked_for() {
    let folder = folder();
    let args = |release: &str| {
        format!(
            "{STOPS} --demand visits.csv --epsilon 1 -k 3 {SEEDED} --release {release} --centers {release}.csv"
        )
    };
    let plain = private(&folder, &args("a.json"));
    let told = private(&folder, &format!("{} --nonprivate-diagnostics", args("b.json")));
    assert_eq!((plain.code, plain.stderr.as_str()), (Some(0), ""));
    let same = |text: &str| text.replace("b.json", "a.json");
    assert_eq!(same(&told.stdout), plain.stdout);
    assert_eq!(folder.read("b.json"), folder.read("a.json"));
    assert_eq!(folder.read("b.json.csv"), folder.read("a.json.csv"));
    let lines: Vec<&str> = told.stderr.lines().collect();
    assert!(lines[0].starts_with("warning: NOT PRIVATE from here on"), "{lines:?}");
    assert!(lines[1].contains("1502 records: 1500 counted; dropped: 2 of no known item"));
    assert!(lines[2].contains("true cost "), "{lines:?}");
}

/// All that a run publishes beside its release is found again from the release and the public items
/// alone, where there is no demand: so nothing of it can be known from the demand otherwise.
#[test]
fn what_is_published_follows_from_the_release() {
    let folder = folder();
    let args = format!("{STOPS} --demand visits.csv --epsilon 1 -k 3 {SEEDED} --release");
    let files = "--centers a.csv --geojson a.geojson";
    let shown = private(&folder, &format!("{args} a.json {files}")).stdout;
    let json = private(&folder, &format!("{args} c.json --json")).json();
    let elsewhere = Folder::with(&[("stops.csv", &stops(150)), ("a.json", &folder.read("a.json"))]);
    let centers = format!("centers a.json --universe {STOPS} -k 3");
    let again = elsewhere.run(&format!("{centers} --centers b.csv --geojson b.geojson")).stdout;
    assert_eq!(elsewhere.read("b.csv"), folder.read("a.csv"));
    assert_eq!(elsewhere.read("b.geojson"), folder.read("a.geojson"));
    let lines: HashSet<&str> = again.lines().collect();
    for line in shown.lines().filter(|line| !line.contains("a.json")) {
        assert!(lines.contains(line), "{line}");
    }
    let again = elsewhere.run(&format!("{centers} --json")).json();
    for (field, value) in json.as_object().unwrap() {
        match field.as_str() {
            "release" => assert_eq!(value["file"], "c.json"),
            "ledger" => assert_eq!(*value, Value::Null),
            _ => assert_eq!(again[field], *value, "{field}"),
        }
    }
}

/// Two demands of the same size, with the same noise: their releases differ by the true counts of
/// the cells, and by nothing else. So all that a release knows of the demand has noise on it.
#[test]
fn a_release_knows_the_demand_by_noisy_counts_alone() {
    let folder = folder();
    folder.write("other.csv", visits(1500, 90));
    let release = |demand: &str| {
        let args =
            format!("{STOPS} --demand {demand} --epsilon 1 -k 3 {SEEDED} --release {demand}.json");
        assert_eq!(private(&folder, &args).code, Some(0));
        let text = folder.read(&format!("{demand}.json"));
        let mut release = serde_json::from_str::<Value>(&text).unwrap()["release"].take();
        let nodes = release["nodes"].as_object_mut().unwrap();
        let counts = nodes.remove("noisy_counts").unwrap();
        (release, list(&counts, |count| count.as_i64().unwrap()))
    };
    let [(ours, noisy), (others, other_noisy)] = ["visits.csv", "other.csv"].map(release);
    assert_eq!(ours, others);
    let leaf_of = list(&ours["nodes"]["leaf_of_item"], |leaf| leaf.as_u64().unwrap() as usize);
    let mut difference = vec![0; noisy.len()];
    for (rows, sign) in [(visits(1500, 40), 1), (visits(1500, 90), -1)] {
        let known = rows.lines().filter_map(|row| row.split(',').find_map(|c| c.strip_prefix('s')));
        for stop in known.filter_map(|stop| stop.parse::<usize>().ok()).filter(|&s| s < 150) {
            difference[leaf_of[stop]] += sign;
        }
    }
    let leaves: HashSet<usize> = leaf_of.into_iter().collect();
    for leaf in leaves {
        assert_eq!(noisy[leaf] - other_noisy[leaf], difference[leaf], "leaf {leaf}");
    }
}

#[test]
fn only_the_noise_is_not_seeded() {
    let folder = folder();
    let release = |name: &str, more: &str| {
        let args = format!("{STOPS} --demand visits.csv --epsilon 1 -k 2 --release {name} {more}");
        assert_eq!(private(&folder, &args).code, Some(0));
        let text = folder.read(name);
        serde_json::from_str::<Value>(&text).unwrap()["release"].clone()
    };
    let [a, b, other] =
        [("a", ""), ("b", "--seed 0"), ("c", "--seed 1")].map(|(name, more)| release(name, more));
    assert_eq!(a["nodes"]["leaf_of_item"], b["nodes"]["leaf_of_item"]);
    assert_ne!(a["nodes"]["noisy_counts"], b["nodes"]["noisy_counts"]);
    assert_ne!(a["nodes"]["leaf_of_item"], other["nodes"]["leaf_of_item"]);
    assert_eq!((&a["private"], &a["entropy"]), (&json!(true), &json!("operating system")));
    let [a, b] = ["d", "e"].map(|name| release(name, SEEDED));
    assert_eq!(a, b);
    assert_eq!((&a["private"], &a["entropy"]), (&json!(false), &json!("seeded: NOT PRIVATE")));
    let shown = folder.run(&format!("centers d --universe {STOPS} -k 2"));
    assert!(shown.stdout.contains("NOT PRIVATE: an experiment"), "{shown:?}");
}

#[test]
fn splits_are_stated_in_the_release() {
    let folder = folder();
    for split in ["auto", "paper", "uniform", "cube-root"] {
        let args = format!(
            "{STOPS} --demand visits.csv --epsilon 1 -k 2 --split {split} --release {split}.json"
        );
        assert_eq!(private(&folder, &args).code, Some(0));
        let text: Value = serde_json::from_str(&folder.read(&format!("{split}.json"))).unwrap();
        let stated = text["release"]["split"]["name"].as_str().unwrap();
        assert_eq!(stated, if split == "auto" { "cube-root" } else { split });
        // The number of records was not said to be public, so it was counted.
        assert!(text["release"]["split"]["total"].as_u64().unwrap() > 0);
        assert_eq!(text["release"]["version"], 2);
    }
}

#[test]
fn the_papers_search_releases_centers_and_nothing_else() {
    let folder = folder();
    let args = format!(
        "{STOPS} --demand visits.csv --epsilon 1 -k 3 --method paper --iterations 4 --release p.json --centers p.csv"
    );
    let run = private(&folder, &args);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.stdout.contains("method paper") && !run.stdout.contains("estimated"), "{run:?}");
    assert!(folder.read("p.csv").starts_with("k,index,id,x,y\n3,"));
    let document: Value = serde_json::from_str(&folder.read("p.json")).unwrap();
    let release = &document["release"];
    assert_eq!(
        (&release["format"], &release["iterations"]),
        (&json!("kmedian private centers"), &json!(4))
    );
    assert_eq!(release["center_indices"].as_array().unwrap().len(), 3);
    common::refused(
        &folder,
        &format!("centers p.json --universe {STOPS} -k 2"),
        &["p.json: this is a `kmedian private centers`, not a `kmedian private tree`"],
    );
    std::fs::remove_file(folder.path("p.json")).unwrap();
    let found = private(&folder, &format!("{args} --json --nonprivate-diagnostics"));
    assert!(found.json()["estimated_cost"].is_null() && found.stderr.contains("true cost"));
}

#[test]
fn no_demand_is_no_error() {
    let folder = folder();
    folder.write("none.csv", "stop\n");
    let args =
        format!("{STOPS} --demand none.csv --epsilon 1 -k 3 --nonprivate-diagnostics --json");
    let run = private(&folder, &args);
    check(&run.json(), 150, 3);
    assert!(
        run.stderr.contains("0 records: 0 counted") && run.stderr.contains("no demand"),
        "{run:?}"
    );
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for (command, part) in [
        ("private", "kmedian private roads.gr --graph --demand visits.csv"),
        ("centers", "kmedian centers visits.release.json --universe"),
        ("plan", "kmedian plan roads.gr --graph --epsilon"),
    ] {
        let help = folder.run(&format!("help {command}")).stdout;
        assert!(help.contains(part), "{help}");
    }
}
