//! What holds for every tree: nested partitions, heights that fall, tree distances that dominate.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use common::{all_distances, demand, graph, spaces, vectors};
use kmedian::{Demand, ErrorKind, Metric, Run, Seed, Space, Tree, TreeKind, Vectors};
use rand::RngExt;

const KINDS: [TreeKind; 7] = [
    TreeKind::Ball { levels: 6 },
    TreeKind::Ball { levels: 40 },
    TreeKind::Frt,
    TreeKind::Grid { levels: 8 },
    TreeKind::Grid { levels: 31 },
    TreeKind::Fitted { branching: 4, levels: 3 },
    TreeKind::Fitted { branching: 16, levels: 2 },
];

fn build(space: &dyn Space, demand: &Demand, kind: TreeKind, seed: u64) -> Tree {
    Tree::build(space, demand, kind, Seed(seed), &mut Run::default()).unwrap()
}

/// The kinds that a space has trees of: grids are for vectors alone.
fn kinds(space: &dyn Space) -> impl Iterator<Item = TreeKind> {
    let grid = TreeKind::Grid { levels: 1 };
    let grid =
        Tree::build(space, &Demand::uniform(space.len()), grid, Seed(0), &mut Run::default());
    let vectors = grid.is_ok();
    KINDS.into_iter().filter(move |kind| vectors || !matches!(kind, TreeKind::Grid { .. }))
}

fn assert_is_nested_partition(tree: &Tree, n: usize, name: &str) {
    let mut root: Vec<u32> = tree.items(0).to_vec();
    root.sort_unstable();
    assert_eq!(root, (0..n as u32).collect::<Vec<_>>(), "{name}: the root holds all items");
    for (node, cell) in tree.nodes().iter().enumerate() {
        assert!(
            tree.items(node).contains(&cell.center),
            "{name}: the center is an item of the cell"
        );
        assert!(cell.height <= tree.nodes()[cell.parent as usize].height, "{name}: heights fall");
        if !cell.is_leaf() {
            let parts: Vec<u32> =
                cell.children().flat_map(|child| tree.items(child).to_vec()).collect();
            assert_eq!(parts, tree.items(node), "{name}: children split their parent");
            assert!(cell.children().all(|child| tree.nodes()[child].parent as usize == node));
            assert!(cell.children().all(|child| tree.nodes()[child].level + 1 == cell.level));
        }
    }
}

#[test]
fn tree_distances_are_never_below_distances() {
    for seed in 0..4 {
        for (name, space) in spaces(70, seed) {
            let table = all_distances(&*space);
            for kind in kinds(&*space) {
                let name = format!("{name}, {kind:?}, seed {seed}");
                let tree = build(&*space, &demand(70, seed), kind, seed);
                assert_is_nested_partition(&tree, 70, &name);
                for (a, row) in table.iter().enumerate() {
                    for (b, &distance) in row.iter().enumerate() {
                        let in_tree = tree.distance(a, b);
                        assert!(in_tree >= distance, "{name}: {a}, {b}: {in_tree} < {distance}");
                    }
                }
            }
        }
    }
}

#[test]
fn degenerate_spaces_have_trees() {
    let one = Vectors::new(1, &[3.0], Metric::L2).unwrap();
    let equal = Vectors::new(2, &[3.0; 40], Metric::L2).unwrap();
    let two_places = Vectors::new(1, &[[0.0; 10], [1.0; 10]].concat(), Metric::L1).unwrap();
    let far = Vectors::new(1, &[0.0, 1e-30, 1.0, 1e30], Metric::L1).unwrap();
    for space in [&one, &equal, &two_places, &far] {
        for kind in KINDS {
            let tree = build(space, &Demand::uniform(space.len()), kind, 1);
            assert_is_nested_partition(&tree, space.len(), &format!("{kind:?}"));
        }
    }
    let frt = build(&two_places, &Demand::uniform(20), TreeKind::Frt, 1);
    assert_eq!(frt.nodes().iter().filter(|node| node.is_leaf()).count(), 2);
    assert_eq!(frt.distance(0, 9), 0.0);
}

#[test]
fn bad_trees_are_refused() {
    let space = vectors(10, 2, Metric::L2, 1);
    let kind = |space: &dyn Space, kind| {
        let built = Tree::build(space, &Demand::uniform(10), kind, Seed(1), &mut Run::default());
        built.err().unwrap().kind()
    };
    assert_eq!(kind(&space, TreeKind::Ball { levels: 0 }), ErrorKind::Parameter);
    assert_eq!(kind(&space, TreeKind::Fitted { branching: 1, levels: 3 }), ErrorKind::Parameter);
    assert_eq!(kind(&graph(10, 9, 1), TreeKind::Grid { levels: 5 }), ErrorKind::Parameter);
}

/// The mean of tree distance / distance over all pairs and some trees.
fn mean_distortion(space: &dyn Space, trees: u64) -> f64 {
    let table = all_distances(space);
    let n = space.len();
    let mut sum = 0.0;
    for seed in 0..trees {
        let tree = build(space, &Demand::uniform(n), TreeKind::Frt, seed);
        let leaves = tree.leaves();
        for a in 0..n {
            for b in 0..a {
                let stretch = tree.distance_of_leaves(leaves[a], leaves[b]) / table[a][b];
                sum += f64::from(stretch);
            }
        }
    }
    sum / (trees as f64 * (n * (n - 1) / 2) as f64)
}

/// Fakcharoenphol, Rao and Talwar: the expected distortion is O(log n), for every metric.
#[test]
fn frt_distortion_grows_no_faster_than_the_logarithm() {
    let sizes = [60, 250, 1000];
    let distortions = sizes.map(|n| mean_distortion(&graph(n, n / 2, 5), 8));
    for (n, distortion) in sizes.iter().zip(distortions) {
        assert!(distortion <= 8.0 * (*n as f64).ln(), "n = {n}: {distortion}");
    }
    let growth = distortions[2] / distortions[0];
    let allowed = (sizes[2] as f64).ln() / (sizes[0] as f64).ln();
    assert!(growth <= 1.2 * allowed, "distortions {distortions:?}");
}

/// On a line, ways by a center are as long as the direct ones: rounding alone decides.
#[test]
fn tree_distances_are_never_below_distances_on_a_line() {
    for seed in 0..2000 {
        let mut rng = Seed(seed).stream("line");
        let direction: Vec<f32> = (0..3).map(|_| rng.random_range(-1.0..1.0)).collect();
        let places: Vec<f32> = (0..5).map(|_| rng.random_range(-9.0..9.0)).collect();
        let values: Vec<f32> =
            places.iter().flat_map(|place| direction.iter().map(move |x| place * x)).collect();
        for metric in [Metric::L1, Metric::L2] {
            let space = Vectors::new(3, &values, metric).unwrap();
            let table = all_distances(&space);
            for kind in [
                TreeKind::Fitted { branching: 4, levels: 2 },
                TreeKind::Frt,
                TreeKind::Ball { levels: 6 },
            ] {
                let tree = build(&space, &Demand::uniform(5), kind, seed);
                for (a, row) in table.iter().enumerate() {
                    for (b, &distance) in row.iter().enumerate() {
                        assert!(tree.distance(a, b) >= distance, "{kind:?}, {metric}, seed {seed}");
                    }
                }
            }
        }
    }
}
