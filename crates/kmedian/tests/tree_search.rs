//! The exact search against brute force, and the paper's search against its theorems.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use common::{OBJECTIVES, assert_close, demand, graph, spaces, subsets, vectors};
use kmedian::tree::{ExactSearch, paper_search};
use kmedian::{Demand, Metric, Objective, Run, Seed, Space, Tree, TreeKind};

const KINDS: [TreeKind; 3] =
    [TreeKind::Ball { levels: 4 }, TreeKind::Frt, TreeKind::Fitted { branching: 3, levels: 2 }];

fn build(space: &dyn Space, demand: &Demand, kind: TreeKind, seed: u64) -> Tree {
    Tree::build(space, demand, kind, Seed(seed), &mut Run::default()).unwrap()
}

/// The cost of centers in the tree metric, from its definition.
fn tree_cost(
    tree: &Tree,
    heights: &[f32],
    demand: &Demand,
    objective: Objective,
    centers: &[usize],
) -> f64 {
    let leaves = tree.leaves();
    let chain = |item: usize| {
        let mut nodes = vec![leaves[item] as usize];
        while let Some(&node) = nodes.last().filter(|&&node| node != 0) {
            nodes.push(tree.nodes()[node].parent as usize);
        }
        nodes
    };
    let chains: Vec<Vec<usize>> = centers.iter().map(|&center| chain(center)).collect();
    let nearest = |item: usize| {
        if centers.contains(&item) {
            return 0.0;
        }
        let own = chain(item);
        let meet = |other: &Vec<usize>| {
            2.0 * heights[*own.iter().find(|node| other.contains(node)).unwrap()]
        };
        chains.iter().map(meet).fold(f32::INFINITY, f32::min)
    };
    (0..demand.len()).map(|item| demand.of(item) * objective.of(nearest(item))).sum()
}

#[test]
fn exact_search_equals_brute_force() {
    let mut instances = 0;
    for seed in 0..12 {
        for (name, space) in spaces(8, seed) {
            let demand = demand(8, seed);
            for kind in KINDS {
                let tree = build(&*space, &demand, kind, seed);
                for objective in OBJECTIVES {
                    let run = &mut Run::default();
                    let mean = tree.mean_heights(&*space, &demand, objective, run).unwrap();
                    for heights in [tree.heights(), mean] {
                        let search = ExactSearch::new(&tree, &heights, &demand, objective);
                        for k in 1..=8 {
                            let cost = |centers: &[usize]| {
                                tree_cost(&tree, &heights, &demand, objective, centers)
                            };
                            let best = subsets(8, k)
                                .iter()
                                .map(|set| cost(set))
                                .fold(f64::INFINITY, f64::min);
                            let what =
                                format!("{name}, {kind:?}, {objective}, k = {k}, seed {seed}");
                            assert_close(search.cost(k), best, &what);
                            assert_close(cost(&search.centers(k)), best, &what);
                            instances += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(instances > 1000);
}

#[test]
fn exact_search_is_nested_and_never_runs_out() {
    for (name, space) in spaces(50, 2) {
        let demand = demand(50, 2);
        for kind in KINDS {
            let tree = build(&*space, &demand, kind, 2);
            let search = ExactSearch::new(&tree, &tree.heights(), &demand, Objective::Median);
            let mut all = search.centers(50);
            for k in 1..50 {
                assert_eq!(search.centers(k), all[..k], "{name}, {kind:?}");
                assert!(search.cost(k + 1) <= search.cost(k), "{name}, {kind:?}");
            }
            all.sort_unstable();
            assert_eq!(all, (0..50).collect::<Vec<_>>(), "{name}, {kind:?}: every item once");
        }
    }
}

/// Theorem 3.5 (k-median: 10) and its k-means version (34), where heights double from level to
/// level.
#[test]
fn paper_search_keeps_its_bounds() {
    for seed in 0..20 {
        for (name, space) in spaces(60, seed) {
            let demand = demand(60, seed);
            let tree = build(&*space, &demand, TreeKind::Ball { levels: 10 }, seed);
            for (objective, factor) in OBJECTIVES.into_iter().zip([10.0, 34.0]) {
                let exact = ExactSearch::new(&tree, &tree.heights(), &demand, objective);
                for k in [1, 2, 3, 5, 10, 20] {
                    let centers = paper_search(&tree, &demand, k);
                    let cost = tree_cost(&tree, &tree.heights(), &demand, objective, &centers);
                    let best = exact.cost(k);
                    assert!(
                        cost <= factor * best + 1e-6,
                        "{name}, k = {k}, {objective}: {cost} and {best}"
                    );
                    assert!(cost >= best * (1.0 - 1e-6), "{name}: the exact search is the best");
                }
            }
        }
    }
}

#[test]
fn paper_search_gives_k_distinct_items_for_every_k() {
    for kind in
        [TreeKind::Ball { levels: 3 }, TreeKind::Frt, TreeKind::Fitted { branching: 4, levels: 2 }]
    {
        for (name, space) in spaces(40, 4) {
            let demand = demand(40, 4);
            let tree = build(&*space, &demand, kind, 4);
            for k in 1..=40 {
                let mut centers = paper_search(&tree, &demand, k);
                centers.sort_unstable();
                centers.dedup();
                assert_eq!(centers.len(), k, "{name}, {kind:?}");
            }
        }
    }
}

/// Five items on a line, solved by hand: two heavy places far apart, one light item between them.
#[test]
fn a_hand_solved_tree() {
    let line = kmedian::Vectors::new(1, &[0.0, 1.0, 50.0, 99.0, 100.0], Metric::L1).unwrap();
    let demand = Demand::new(vec![5.0, 1.0, 1.0, 1.0, 5.0]).unwrap();
    for seed in 0..10 {
        let tree = build(&line, &demand, TreeKind::Frt, seed);
        let search = ExactSearch::new(&tree, &tree.heights(), &demand, Objective::Median);
        let mut two = search.centers(2);
        two.sort_unstable();
        assert_eq!(two, [0, 4]);
        assert_eq!(search.centers(3)[2], 2);
        let mut two = paper_search(&tree, &demand, 2);
        two.sort_unstable();
        assert_eq!(two, [0, 4]);
    }
}

#[test]
fn counts_add_up() {
    let space = vectors(80, 3, Metric::L2, 7);
    let demand = demand(80, 7);
    let trees = [
        build(&space, &demand, TreeKind::Grid { levels: 6 }, 7),
        build(&graph(80, 80, 7), &demand, TreeKind::Frt, 7),
    ];
    for tree in trees {
        let counts = tree.counts(&demand);
        assert_close(counts[0], demand.total(), "the root has all demand");
        for (node, cell) in tree.nodes().iter().enumerate().filter(|(_, cell)| !cell.is_leaf()) {
            assert_close(
                counts[node],
                cell.children().map(|child| counts[child]).sum(),
                "children",
            );
        }
    }
}
