//! The OR-Library's p-median instances against their proven optima (Beasley 1990).

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod real;

use std::fs;
use std::time::Duration;

use kmedian::{Demand, Effort, Graph, KMedian, LocalSearch, Problem, Stop};
use kmedian_data::{Nodes, read_edges};

/// The instances that are there: those with odd numbers, of 40.
const INSTANCES: usize = 20;

/// Enough for every instance, with room to spare: other seeds reach all optima too.
const RESTARTS: usize = 200;

/// The longest time for the proof of one instance, in seconds.
const PROOF_TIME: u64 = 60;

#[test]
#[ignore = "needs ../shared/data"]
fn restarts_reach_the_proven_optima() {
    let plan = KMedian { restarts: Some(RESTARTS), ..KMedian::default() };
    for_each_instance(|name, problem, k, optimum| {
        let found = plan.fit(problem, k).unwrap();
        println!("{name}: {} of {optimum}", found.cost);
        assert!(found.cost == optimum, "{name}: {} is not {optimum}", found.cost);
    });
}

#[test]
#[ignore = "needs ../shared/data"]
fn optima_are_proven() {
    let effort = Effort::Optimal;
    let time_limit = Some(Duration::from_secs(PROOF_TIME));
    let search = LocalSearch { effort, time_limit, ..LocalSearch::default() };
    let plan = KMedian { search, ..KMedian::default() };
    let mut proven = 0;
    for_each_instance(|name, problem, k, optimum| {
        let found = plan.fit(problem, k).unwrap();
        println!("{name}: {} of {optimum}, {}", found.cost, found.stop);
        assert!(found.bound.unwrap() <= optimum, "{name}: {:?} > {optimum}", found.bound);
        assert!(found.cost == optimum, "{name}: {} is not {optimum}", found.cost);
        proven += usize::from(found.stop == Stop::Optimal);
    });
    assert!(proven >= 18, "{proven} of {INSTANCES}");
}

/// Calls `check` with every instance: its name, the problem, the number of centers and the optimum.
fn for_each_instance(mut check: impl FnMut(&str, &Problem<'_>, usize, f64)) {
    let optima = fs::read_to_string(real::shared("orlib/pmedopt.txt")).unwrap();
    let mut instances = 0;
    for line in optima.lines().skip(1) {
        let [name, optimum] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        let file = real::shared(&format!("orlib/{name}.txt"));
        if !file.exists() {
            continue;
        }
        let optimum: f64 = optimum.parse().unwrap();
        let edges = read_edges(&file, None, Nodes::Auto).unwrap();
        let list: Vec<_> = edges.edges.iter().map(|edge| (edge.a, edge.b, edge.length)).collect();
        let graph = Graph::new(edges.nodes, &list).unwrap();
        let demand = Demand::uniform(edges.nodes);
        let problem = Problem::of(&graph).demand(&demand).build().unwrap();
        check(name, &problem, edges.k.unwrap(), optimum);
        instances += 1;
    }
    assert_eq!(instances, INSTANCES);
}
