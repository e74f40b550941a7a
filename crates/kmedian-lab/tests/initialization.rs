//! The paper's promise, and ours: how good initial centers are, and how many swaps they save.
//!
//! `KMEDIAN_SEARCHES=3 cargo test --release -p kmedian-lab --test initialization --
//! --include-ignored --nocapture` prints the tables of docs/INITIALIZATION.md.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod real;

use kmedian::{Demand, Hst, Init, LocalSearch, Metric, Problem, Run, Seed, TreeKind, TreeSearch};
use real::Labelled;

const KS: [usize; 4] = [5, 10, 15, 20];
const SEEDS: u64 = 10;

/// Local search takes longer, so it runs for fewer seeds: one, or as many as `KMEDIAN_SEARCHES`
/// says.
fn searches() -> u64 {
    std::env::var("KMEDIAN_SEARCHES").map_or(1, |count| count.parse().unwrap())
}

/// Means over the seeds, for each k.
struct Row {
    name: &'static str,
    costs: [f64; 4],
    swaps: [f64; 4],
}

fn inits() -> [(&'static str, Init); 4] {
    let paper = Hst { tree: TreeKind::Ball { levels: 6 }, search: TreeSearch::Paper };
    [
        ("k-median++", Init::PlusPlus),
        ("greedy k-median++", Init::Greedy),
        ("the paper's HST, L = 6", Init::Hst(paper)),
        ("ours (fitted tree, exact search)", Init::Hst(Hst::default())),
    ]
}

fn measure(data: &Labelled, demand: impl Fn(Seed) -> Demand) -> Vec<Row> {
    let searches = searches();
    let mut rows = Vec::new();
    for (name, init) in inits() {
        let mut row = Row { name, costs: [0.0; 4], swaps: [0.0; 4] };
        for seed in (0..SEEDS).map(Seed) {
            let demand = demand(seed);
            let problem = Problem::of(&*data.space).demand(&demand).build().unwrap();
            let start = init.prepare(&problem, seed, &mut Run::default()).unwrap();
            for (at, k) in KS.into_iter().enumerate() {
                let centers = start.centers(k, &mut Run::default()).unwrap();
                row.costs[at] += problem.cost(&centers) / SEEDS as f64;
                if seed.0 < searches {
                    let rng = &mut seed.stream("swaps");
                    let found = LocalSearch::default()
                        .run(&problem, &centers, rng, &mut Run::default())
                        .unwrap();
                    row.swaps[at] += found.swaps as f64 / searches as f64;
                }
            }
        }
        rows.push(row);
    }
    rows
}

fn print(title: &str, rows: &[Row]) {
    println!(
        "\n### {title}\n\n| initial cost (swaps to the local optimum) | k = 5 | 10 | 15 | 20 |"
    );
    println!("|---|---|---|---|---|");
    for row in rows {
        let cells: Vec<String> = row
            .costs
            .iter()
            .zip(row.swaps)
            .map(|(cost, swaps)| format!("{cost:.1} ({swaps:.0})"))
            .collect();
        println!("| {} | {} |", row.name, cells.join(" | "));
    }
}

/// What must hold: the paper's tree beats ++ and ours beats greedy ++, on average over k; and ours
/// saves swaps.
fn check(title: &str, rows: &[Row]) {
    print(title, rows);
    let [plusplus, greedy, paper, ours] = rows else { panic!("four rows") };
    let sum = |values: &[f64; 4]| values.iter().sum::<f64>();
    assert!(
        sum(&paper.costs) < sum(&plusplus.costs),
        "{title}: the paper's HST costs more than ++"
    );
    assert!(sum(&ours.costs) <= sum(&greedy.costs), "{title}: ours costs more than greedy ++");
    assert!(sum(&ours.swaps) < sum(&plusplus.swaps), "{title}: ours needs more swaps than ++");
}

#[test]
fn paper_graph() {
    for r in [1.0, 100.0] {
        let data = real::paper_graph(3000, r, Seed(1));
        let two = |seed: Seed| [seed.0 as usize % 10, (seed.0 as usize + 3) % 10];
        check(
            &format!("Graph, r = {r}, 500 nodes of two clusters"),
            &measure(&data, |seed| data.imbalanced(two(seed), seed)),
        );
        check(
            &format!("Graph, r = {r}, all 3,000 nodes"),
            &measure(&data, |_| Demand::uniform(3000)),
        );
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn mnist() {
    for metric in [Metric::L2, Metric::L1] {
        let data = real::mnist(metric);
        let rows = measure(&data, |seed| data.imbalanced([0, 8], seed));
        check(&format!("MNIST, 10,000 images, {metric}, 500 of the digits 0 and 8"), &rows);
    }
}
