//! The OR-Library's p-median instances against their proven optima (Beasley 1990).

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod real;

use std::fs;

use kmedian::{Demand, Graph, KMedian, Problem};
use kmedian_data::read_edges;

/// The instances that are there: those with odd numbers, of 40.
const INSTANCES: usize = 20;

/// Enough for every instance, with room to spare: other seeds reach all optima too.
const RESTARTS: usize = 200;

#[test]
#[ignore = "needs ../shared/data"]
fn restarts_reach_the_proven_optima() {
    let optima = fs::read_to_string(real::shared("orlib/pmedopt.txt")).unwrap();
    let mut instances = 0;
    for line in optima.lines().skip(1) {
        let [name, optimum] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        let file = real::shared(&format!("orlib/{name}.txt"));
        if !file.exists() {
            continue;
        }
        let optimum: f64 = optimum.parse().unwrap();
        let edges = read_edges(&file, None).unwrap();
        let list: Vec<_> = edges.edges.iter().map(|edge| (edge.a, edge.b, edge.length)).collect();
        let graph = Graph::new(edges.nodes, &list).unwrap();
        let demand = Demand::uniform(edges.nodes);
        let problem = Problem::of(&graph).demand(&demand).build().unwrap();
        let found = KMedian { restarts: RESTARTS, ..KMedian::default() }
            .fit(&problem, edges.k.unwrap())
            .unwrap();
        println!("{name}: {} of {optimum}", found.cost);
        assert!(found.cost == optimum, "{name}: {} is not {optimum}", found.cost);
        instances += 1;
    }
    assert_eq!(instances, INSTANCES);
    println!("{instances} of {INSTANCES} optima reached");
}
