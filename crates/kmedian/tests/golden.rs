//! Golden answers: what the search found, for some sixty combinations of space, metric, objective,
//! weights, effort, initialization and seed, when the file `tests/golden/answers.txt` was written.
//!
//! A change that only moves or renames code leaves every line as it is, on every machine and with
//! any number of threads. A change that is meant to find other centers writes the file anew, with
//! `KMEDIAN_GOLDEN=write cargo test -p kmedian --test golden`, and says why.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use std::fmt::Write;
use std::path::Path;

use kmedian::{
    Demand, Effort, Hst, Init, KMedian, LocalSearch, Metric, Objective, Problem, Seed, Space,
    SwapRule, TreeKind, TreeSearch,
};
use rayon::ThreadPoolBuilder;

/// A way to search, by its name in the file.
struct Way {
    name: &'static str,
    k: usize,
    objective: Objective,
    weighted: bool,
    plan: KMedian,
}

/// Seven ways, which together have every initialization, every effort, both strategies and
/// restarts.
fn ways() -> Vec<Way> {
    let searched = |effort| LocalSearch { effort, ..LocalSearch::default() };
    let paper = Hst { tree: TreeKind::Ball { levels: 6 }, search: TreeSearch::Paper };
    let frt = Hst { tree: TreeKind::Frt, search: TreeSearch::Exact };
    let way = |name, k, objective, weighted, init, search, restarts, seed| Way {
        name,
        k,
        objective,
        weighted,
        plan: KMedian {
            init,
            search,
            restarts: Some(restarts),
            seed: Seed(seed),
            ..KMedian::default()
        },
    };
    let best = LocalSearch {
        swap: SwapRule::Best,
        max_swaps: Some(6),
        alpha: 0.01,
        ..LocalSearch::default()
    };
    let (median, means) = (Objective::Median, Objective::Means);
    vec![
        way("default", 10, median, false, Init::Auto, LocalSearch::default(), 0, 1),
        way("means", 7, means, true, Init::Auto, LocalSearch::default(), 0, 2),
        way("fast", 5, median, true, Init::PlusPlus, searched(Effort::Fast), 0, 3),
        way("balanced", 12, means, false, Init::Greedy, searched(Effort::Balanced), 0, 4),
        way("paper", 4, median, true, Init::Hst(paper), best, 0, 5),
        way("restarted", 6, median, false, Init::Random, LocalSearch::default(), 2, 6),
        way("frt", 8, means, false, Init::Hst(frt), LocalSearch::default(), 0, 7),
    ]
}

/// Spaces of every kind, of sizes and dimensions that are searched in different ways.
fn spaces() -> Vec<(&'static str, Box<dyn Space>)> {
    let vectors = |n, dims, metric| -> Box<dyn Space> {
        Box::new(common::vectors(n, dims, metric, n as u64 + dims as u64).without_merging())
    };
    vec![
        ("l2 2400x2", vectors(2400, 2, Metric::L2)),
        ("l2 900x20", vectors(900, 20, Metric::L2)),
        ("l1 300x4", vectors(300, 4, Metric::L1)),
        ("l2 2300x96", vectors(2300, 96, Metric::L2)),
        ("l2 10400x3", vectors(10_400, 3, Metric::L2)),
        ("l1 2200x40", vectors(2200, 40, Metric::L1)),
        ("linf 2400x5", vectors(2400, 5, Metric::Linf)),
        ("angular 2200x16", vectors(2200, 16, Metric::Angular)),
        ("haversine 2200x2", vectors(2200, 2, Metric::Haversine)),
        ("hamming 2100x24", vectors(2100, 24, Metric::Hamming)),
        ("graph 1500", Box::new(common::graph(1500, 3000, 7))),
        ("roads 2500", Box::new(common::roads(2500, 8))),
        ("matrix 400", Box::new(common::matrix(400, 9))),
    ]
}

/// A line for every space and way.
fn answers(threads: usize) -> String {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut text = String::new();
    for (name, space) in spaces() {
        let n = space.len();
        // The two trees of the literature take quadratic time on vectors.
        let affordable = |way: &Way| n <= 1500 || !["paper", "frt"].contains(&way.name);
        for way in ways().into_iter().filter(affordable) {
            let demand = if way.weighted { common::demand(n, 11) } else { Demand::uniform(n) };
            let problem = Problem::of(space.as_ref())
                .demand(&demand)
                .objective(way.objective)
                .build()
                .unwrap();
            let found = pool.install(|| way.plan.fit(&problem, way.k)).unwrap();
            let (cost, swaps, passes) = (found.cost, found.swaps, found.passes);
            let (stop, centers) = (found.stop, found.centers);
            let _ = writeln!(
                text,
                "{name}, {}: cost {cost:?}, {swaps} swaps, {passes} passes, {stop}, {centers:?}",
                way.name
            );
        }
    }
    text
}

#[test]
fn answers_are_those_of_the_file() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/answers.txt");
    let single = answers(1);
    if std::env::var("KMEDIAN_GOLDEN").is_ok_and(|what| what == "write") {
        std::fs::write(&file, &single).unwrap();
    }
    let golden = std::fs::read_to_string(&file).unwrap();
    for (threads, found) in [(1, single), (2, answers(2))] {
        for (found, golden) in found.lines().zip(golden.lines()) {
            assert_eq!(found, golden, "with {threads} threads");
        }
        assert_eq!(found.lines().count(), golden.lines().count());
    }
}
