//! `kmedian plan`: what it expects, prints and draws.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, distances, network, plane, stops};
use serde_json::{Value, json};

const PLAN: &str =
    "plan stops.csv --id stop --columns x,y -k 4 --demand-size 800 --epsilon 1 --runs 2";

fn folder() -> Folder {
    Folder::with(&[("stops.csv", &stops(200))])
}

fn ratios(scenario: &Value) -> Vec<f64> {
    let points = scenario["curve"].as_array().unwrap();
    points.iter().map(|point| point["cost_ratio"].as_f64().unwrap()).collect()
}

#[test]
fn what_is_expected_is_told() {
    let folder = folder();
    let plan = folder.run(&format!("{PLAN} --json")).json();
    let fields: Vec<&String> = plan.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "n",
            "k",
            "metric",
            "objective",
            "method",
            "demand_size",
            "max_per_unit",
            "runs",
            "seed",
            "scenarios"
        ]
    );
    let scenarios = plan["scenarios"].as_array().unwrap();
    let names: Vec<&Value> = scenarios.iter().map(|scenario| &scenario["name"]).collect();
    assert_eq!(names, ["everywhere", "five places", "one place", "few items"]);
    for scenario in scenarios {
        let epsilons: Vec<f64> = scenario["curve"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point["epsilon"].as_f64().unwrap())
            .collect();
        assert_eq!(epsilons, [0.1, 0.3, 1.0, 3.0, 10.0]);
        for point in scenario["curve"].as_array().unwrap() {
            let [least, mean, most] =
                ["least", "cost_ratio", "most"].map(|field| point[field].as_f64().unwrap());
            assert!(least <= mean + 1e-12 && mean <= most + 1e-12, "{point}");
        }
        // Local optima may be passed by, but not by much; and much ε is worth its price.
        let (ratios, data_free) = (ratios(scenario), &scenario["data_free_cost_ratio"]);
        assert!(ratios.iter().all(|&ratio| ratio > 0.95), "{scenario}");
        assert!(ratios[4] <= 1.05 * data_free.as_f64().unwrap(), "{scenario}");
    }
    // Where all is in one place, not knowing it costs most, and little noise finds it.
    let one = &scenarios[2];
    assert!(one["data_free_cost_ratio"].as_f64().unwrap() > 2.0 * ratios(one)[4], "{one}");
    assert_eq!(folder.run(&format!("{PLAN} --json --threads 1")).json(), plan);
    assert_ne!(folder.run(&format!("{PLAN} --json --seed 5")).json(), plan);
    assert_eq!(folder.names(), ["stops.csv"]);
}

#[test]
fn a_table_and_two_drawings() {
    let folder = folder();
    let run = folder.run(&format!("{PLAN} --plot p.svg"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("200 items, l2, k = 4, 800 records: the cost of private centers"));
    assert!(lines[1].contains("nothing was spent"), "{lines:?}");
    for (line, start) in lines[4..].iter().zip(["without data", "0.1", "0.3", "1", "3", "10"]) {
        assert!(line.trim_start().starts_with(start), "{line}");
        assert!(line.split("  ").filter(|cell| cell.trim().parse::<f64>().is_ok()).count() >= 3);
    }
    for part in ["times the non-private cost", "no data", "o everywhere", "The plot: p.svg"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let drawing = folder.read("p.svg");
    assert!(drawing.starts_with("<svg xmlns=") && drawing.ends_with("</svg>\n"));
    assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
    for name in ["everywhere", "five places", "one place", "few items", "without data"] {
        assert!(drawing.contains(name), "{name}");
    }
}

#[test]
fn graphs_matrices_and_more_centers_than_places() {
    let folder = Folder::with(&[
        ("roads.txt", &network(60, 3)),
        ("m.csv", &distances(&plane(40, 4))),
        ("few.csv", "x\n0\n1\n2\n3\n"),
    ]);
    let args = "--demand-size 50 --epsilon 20 --runs 1 --json";
    for (universe, n) in [("roads.txt --graph", 60), ("m.csv --matrix", 40)] {
        let plan = folder.run(&format!("plan {universe} -k 3 {args} --max-per-unit 2")).json();
        assert_eq!((&plan["n"], &plan["max_per_unit"]), (&json!(n), &json!(2)));
        assert_eq!(plan["scenarios"][0]["curve"].as_array().unwrap().len(), 4, "ε is at most 100");
    }
    // All demand of a place is served at no cost; what costs something is then infinitely more.
    let run = folder.run("plan few.csv -k 1 --demand-size 3 --epsilon 0.001 --runs 2 --plot p.svg");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!folder.read("p.svg").contains("inf") && !run.stdout.contains("inf"), "{run:?}");
}
