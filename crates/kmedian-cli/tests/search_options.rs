//! The options of local search, which all commands that search have.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, Outcome, refused, stops, visits};
use serde_json::Value;

const UNIVERSE: &str = "stops.csv --id stop --columns x,y";
const K: usize = 6;

/// A folder with items, demand, and a release of it.
fn folder() -> Folder {
    let folder = Folder::with(&[("stops.csv", &stops(300)), ("visits.csv", &visits(3000, 300))]);
    let made = folder.run(&format!("{} --release r.json", private()));
    assert_eq!(made.code, Some(0), "{made:?}");
    folder
}

fn private() -> String {
    format!(
        "private {UNIVERSE} --demand visits.csv --key stop --epsilon 5 -k {K} --json --seeded-noise-not-private 3"
    )
}

/// Every command that finds centers; all of them say why the search ended.
fn commands() -> [String; 3] {
    [
        format!("fit {UNIVERSE} --init random -k {K} --json"),
        private(),
        format!("centers r.json --universe {UNIVERSE} -k {K} --json"),
    ]
}

fn cost(found: &Value) -> f64 {
    let cost = found.get("estimated_cost").unwrap_or(&found["cost"]);
    cost.as_f64().unwrap()
}

#[test]
fn every_search_can_be_limited() {
    let folder = folder();
    for command in commands() {
        let run = |options: &str| folder.run(&format!("{command} {options}")).json();
        assert_eq!(run("")["stop"], "local-optimum", "{command}");
        assert_eq!(run("--max-swaps 0")["stop"], "max-swaps", "{command}");
        assert_eq!(run("--time-limit 0")["stop"], "time-limit", "{command}");
        assert_eq!(run("--effort fast")["stop"], "one-pass", "{command}");
        assert_eq!(run("--effort balanced")["stop"], "one-pass", "{command}");
        assert_eq!(run("--swap best")["stop"], "local-optimum", "{command}");
        assert_eq!(run("--alpha 1")["stop"], "alpha-optimum", "{command}");
        assert!(cost(&run("--restarts 5")) <= cost(&run("")), "{command}");
        assert!(cost(&run("--max-swaps 0")) >= cost(&run("")), "{command}");
    }
}

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let folder = folder();
    for command in commands() {
        let centers = |options: &str| {
            folder.run(&format!("{command} {options}")).json()["center_indices"].take()
        };
        assert_eq!(centers("--time-limit 3600 --max-swaps 100000"), centers(""), "{command}");
    }
    let plan = format!("plan {UNIVERSE} -k {K} --epsilon 1 --demand-size 500 --runs 1 --json");
    let plan = |options: &str| folder.run(&format!("{plan} {options}")).json();
    let all = plan("");
    assert_eq!(plan("--time-limit 3600 --max-swaps 100000"), all);
    // The non-private centers of a plan are searched for as long as the private ones.
    let cost = |plan: &Value| plan["scenarios"][0]["non_private_cost"].as_f64().unwrap();
    assert!(cost(&plan("--max-swaps 0")) > cost(&all));
    assert!(cost(&plan("--time-limit 0")) > cost(&all));
    assert!(cost(&plan("--restarts 5")) <= cost(&all));
    assert_ne!(plan("--effort fast"), all);
}

#[test]
fn without_swaps_centers_are_those_of_the_tree() {
    let folder = folder();
    let centers = |options: &str| {
        let command = format!("centers r.json --universe {UNIVERSE} -k {K} --json {options}");
        folder.run(&command).json()["center_indices"].take()
    };
    assert_eq!(centers("--max-swaps 0"), centers("--method exact"));
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let folder = folder();
    let mut all = commands().to_vec();
    all.push(format!("plan {UNIVERSE} -k {K} --epsilon 1 --demand-size 500"));
    for command in &all {
        for (options, says) in [
            ("--swap best --effort fast", "the best of all swaps is always certified"),
            ("--alpha nan", "alpha is NaN; give a number, 0 or more"),
            ("--time-limit -1", "the time limit is -1; give a number of seconds, 0 or more"),
        ] {
            refused(&folder, &format!("{command} {options}"), &[says]);
        }
    }
    for command in &all[1..] {
        for option in ["--swap eager", "--effort fast", "--max-swaps 3", "--restarts 1"] {
            let name = option.split(' ').next().unwrap();
            let says = format!("{name} is for --method refined: exact takes the centers");
            refused(&folder, &format!("{command} --method exact {option}"), &[&says]);
        }
    }
}

/// The paper's search looks at the demand: neither a clock nor a bound of swaps may decide how
/// often.
#[test]
fn nothing_cuts_a_search_in_the_demand_short() {
    let folder = folder();
    for option in ["--time-limit 60", "--max-swaps 3", "--restarts 1", "--effort certified"] {
        let name = option.split(' ').next().unwrap();
        let says = format!("{name} is for --method refined, which searches in what is released");
        let command = format!("{} --method paper {option}", private());
        refused(&folder, &command, &[&says, "give --iterations"]);
    }
}

#[test]
fn every_vector_unit_gives_the_same_answer() {
    let folder = folder();
    let run = |unit: &str| {
        let mut command = folder.command(&format!("fit {UNIVERSE} -k {K} --json"));
        Outcome::from(command.env("KMEDIAN_VECTOR_UNIT", unit).output().unwrap())
    };
    let answers = kmedian::vector_units().into_iter().map(|unit| run(unit).timeless());
    let answers: Vec<Value> = answers.collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    let unknown = run("avx1024");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("KMEDIAN_VECTOR_UNIT is `avx1024`; this machine has"));
}
