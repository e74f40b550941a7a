//! Releases: what they spend, what they hold, what they refuse, and that without noise nothing
//! changes.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use std::num::NonZeroU32;
use std::time::Duration;

use common::{OBJECTIVES, spaces, vectors};
use kmedian::privacy::{
    Entropy, Epsilon, Method, Neighbours, NonPrivate, PrivateTree, Protection, PublicTree, Rate,
    Recipe, Seen, Split, TreeChoice, Unit, data_free_centers, diagnose,
};
use kmedian::{
    Custom, Demand, ErrorKind, Hst, Init, KMedian, LocalSearch, Metric, Objective, Problem, Run,
    Seed, Space, Stop, TreeKind, TreeSearch, Vectors,
};
use rand::RngExt;

const TREES: [TreeKind; 4] = [
    TreeKind::Fitted { branching: 4, levels: 3 },
    TreeKind::Fitted { branching: 12, levels: 2 },
    TreeKind::Ball { levels: 8 },
    TreeKind::Frt,
];

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn recipe(text: &str) -> Recipe {
    Recipe { seed: Seed(5), ..Recipe::new(epsilon(text)) }
}

/// Random counts, zero at a third of the items.
fn counts(n: usize, seed: u64) -> Vec<u64> {
    let mut rng = Seed(seed).stream("counts");
    (0..n).map(|_| rng.random_range(0..6u64).saturating_sub(2)).collect()
}

fn demand(counts: &[u64]) -> Demand {
    Demand::new(counts.iter().map(|&count| count as f64).collect()).unwrap()
}

fn release(space: &dyn Space, counts: &[u64], recipe: &Recipe) -> PrivateTree {
    let mut entropy = Entropy::seeded_not_private(Seed(9));
    PrivateTree::release(space, counts, recipe, &mut entropy, &mut Run::default()).unwrap()
}

#[test]
fn every_path_adds_up_to_epsilon() {
    let owner = Unit::Owner { at_most: NonZeroU32::new(7).unwrap() };
    let units = [Unit::Record, owner];
    for (name, space) in spaces(60, 1) {
        for tree in TREES.map(Some).into_iter().chain([None]) {
            for split in Split::ALL {
                for text in ["1", "0.1", "0.333333333", "99.9", "0.001"] {
                    for unit in units {
                        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
                            let protection = Protection { neighbours, unit };
                            let recipe = Recipe { tree, split, protection, ..recipe(text) };
                            let public =
                                PublicTree::build(&*space, &recipe, &mut Run::default()).unwrap();
                            check_paths(
                                &public,
                                protection,
                                &format!("{name}, {tree:?}, {split}, {text}"),
                            );
                        }
                    }
                }
            }
        }
    }
}

/// On every path the shares add up to all shares, with that of the number of all records if there are
/// several trees to choose from, and the rates to no more than ε for all records of a unit; what is
/// lost by rounding is next to nothing.
fn check_paths(public: &PublicTree, protection: Protection, what: &str) {
    for choice in public.choices() {
        assert_eq!(
            choice.rates()[0],
            public.rates()[0],
            "{what}: the number of records is counted once"
        );
        assert_eq!(choice.budget().total_share() > 0, public.choices().len() > 1, "{what}");
        check_choice(choice, protection, what);
    }
}

fn check_choice(choice: &TreeChoice, protection: Protection, what: &str) {
    let (tree, budget) = (choice.tree(), choice.budget());
    let (above, below) = budget.epsilon().fraction().unwrap();
    let whole: u64 = budget.total_share() + budget.shares().iter().sum::<u64>();
    let root = tree.nodes()[0].level;
    for (leaf, _) in tree.nodes().iter().enumerate().filter(|(_, node)| node.is_leaf()) {
        let (mut shares, mut rates) = (budget.total_share(), 0u128);
        if let Rate::Finite(rate) = choice.rates()[0] {
            rates += u128::from(rate.get());
        }
        let mut node = leaf;
        while node != 0 {
            let depth = (root - tree.nodes()[node].level) as usize;
            shares += budget.share(depth, node == leaf);
            let Rate::Finite(rate) = choice.rates()[node] else { panic!("{what}: no limit") };
            let rate = rate.get();
            rates += u128::from(rate);
            node = tree.nodes()[node].parent as usize;
        }
        assert_eq!(shares, whole, "{what}");
        let spent = rates * u128::from(protection.records()) * u128::from(below);
        let allowed = u128::from(above) << Rate::BITS;
        assert!(spent <= allowed, "{what}: {spent} of {allowed}");
        assert!(spent as f64 >= 0.9999 * allowed as f64, "{what}: {spent} of {allowed}");
    }
}

#[test]
fn splits_are_what_they_are_called() {
    let space = vectors(300, 2, Metric::L2, 3);
    let shares = |split, text| {
        let recipe = Recipe {
            split,
            tree: Some(TreeKind::Fitted { branching: 8, levels: 2 }),
            ..recipe(text)
        };
        let public = PublicTree::build(&space, &recipe, &mut Run::default()).unwrap();
        public.budget().shares().to_vec()
    };
    assert_eq!(shares(Split::Uniform, "1"), [1, 1]);
    assert_eq!(shares(Split::Paper, "1"), [2, 1]);
    let cube_root = shares(Split::CubeRoot, "1");
    let ratio = cube_root[1] as f64 / cube_root[0] as f64;
    assert!((1.5..=2.0).contains(&ratio), "eight times as many nodes: {ratio}");
    assert!(Split::ALL.iter().all(|split| split.to_string().parse::<Split>().unwrap() == *split));
    assert!("thirds".parse::<Split>().unwrap_err().to_string().contains("cube-root"));
}

#[test]
fn an_epsilon_is_exact_or_refused() {
    assert_eq!(epsilon("0.1").fraction(), Some((1, 10)));
    assert_eq!(epsilon("12").fraction(), Some((12, 1)));
    assert_eq!(epsilon(".25").fraction(), Some((1, 4)));
    for wrong in ["0", "0.0", "-1", "NaN", "inf", "1e3", "", ".", "101", "0.0000000001", "1,5", "ε"]
    {
        let error = wrong.parse::<Epsilon>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parameter, "{wrong}");
        assert!(!error.to_string().contains('\n'));
    }
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
        assert!(Epsilon::try_from(wrong).is_err(), "{wrong}");
    }
    for value in [0.1, 1.0, 0.3, 7.7] {
        let rounded = Epsilon::try_from(value).unwrap().approximate();
        assert!(rounded <= value && rounded > value - 1e-9, "{value} became {rounded}");
    }
    assert!(!Epsilon::infinite().is_finite());
}

/// Invariant 8: with ε = ∞ and cells of single items, the private pipeline is the other one.
#[test]
fn without_noise_nothing_changes() {
    for (name, space) in spaces(70, 4) {
        let all = common::all_distances(&*space);
        let twins = (0..70).any(|a| (0..a).any(|b| all[a][b] == 0.0));
        if twins {
            continue; // Items in one place share a leaf, and then their demand.
        }
        let counts = counts(70, 2);
        let demand = demand(&counts);
        for objective in OBJECTIVES {
            let recipe = Recipe {
                tree: Some(TreeKind::Frt),
                seed: Seed(3),
                ..Recipe::new(Epsilon::infinite())
            };
            let mut entropy = Entropy::system();
            let private =
                PrivateTree::release(&*space, &counts, &recipe, &mut entropy, &mut Run::default())
                    .unwrap();
            assert!(!private.is_private());
            assert_eq!(
                private.weights(&*space, &mut Run::default()).unwrap().weights(),
                demand.weights(),
                "{name}"
            );
            for method in [Method::Exact, Method::Refined] {
                let hst = Hst { tree: TreeKind::Frt, search: TreeSearch::Exact };
                let plan = private.plan(method);
                assert_eq!(plan.init, Init::Hst(hst));
                let plain = KMedian { seed: Seed(3), ..plan.clone() };
                let problem =
                    Problem::of(&*space).demand(&demand).objective(objective).build().unwrap();
                let found = private
                    .centers(&*space, &[1, 3, 8], objective, &plan, &mut Run::default())
                    .unwrap();
                for (found, k) in found.into_iter().zip([1, 3, 8]) {
                    let plain = plain.fit(&problem, k).unwrap();
                    assert_eq!(found.centers, plain.centers, "{name}, {method}, k = {k}");
                    assert_eq!(found.estimated_cost, problem.cost(&plain.centers));
                }
            }
        }
    }
}

/// Many records are counted in finer cells, which comes closer to the non-private cost, whether it is
/// public how many there are or not.
#[test]
fn the_number_of_records_need_not_be_known() {
    let space = vectors(2000, 2, Metric::L2, 6);
    let mut rng = Seed(1).stream("records");
    let mut counts = vec![0; 2000];
    (0..20_000).for_each(|_| counts[rng.random_range(0..44) * rng.random_range(0..44)] += 1);
    let demand = demand(&counts);
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    let best = KMedian::default().fit(&problem, 20).unwrap().cost;
    let mean = |records: Option<u64>| -> f64 {
        let cost = |seed: u64| {
            let recipe = Recipe { records, seed: Seed(seed), ..recipe("1") };
            let private = release(&space, &counts, &recipe);
            let plan = private.plan(Method::Refined);
            let found =
                private.centers(&space, &[20], problem.objective(), &plan, &mut Run::default());
            problem.cost(&found.unwrap()[0].centers)
        };
        (0..5).map(cost).sum::<f64>() / 5.0 / best
    };
    let (known, unknown, wrong) = (mean(Some(20_000)), mean(None), mean(Some(100)));
    assert!(known < 1.02 && unknown < 1.02, "{known} where the number is known, else {unknown}");
    assert!(unknown < wrong, "{unknown}, but {wrong} with a tree for a hundred records");
}

/// The more records there are for ε, the more of it is for leaves; items that are counted one by one
/// share it equally.
#[test]
fn the_split_follows_the_number_of_records() {
    let space = vectors(300, 2, Metric::L2, 6);
    let public = PublicTree::build(&space, &recipe("1"), &mut Run::default()).unwrap();
    let splits: Vec<Split> =
        public.choices().iter().map(|choice| choice.budget().split()).collect();
    assert_eq!(splits, [Split::Paper, Split::Uniform, Split::CubeRoot, Split::Uniform]);
    for (records, split) in [
        (149, Split::Paper),
        (150, Split::Uniform),
        (999, Split::Uniform),
        (1000, Split::CubeRoot),
        (2499, Split::CubeRoot),
        (2500, Split::Uniform),
    ] {
        let told = Recipe { records: Some(records), ..recipe("1") };
        let public = PublicTree::build(&space, &told, &mut Run::default()).unwrap();
        assert_eq!(public.budget().split(), split, "{records} records");
    }
}

/// With larger cells, the weights are the true counts of the cells, shared out evenly.
#[test]
fn without_noise_cells_keep_their_counts() {
    for (name, space) in spaces(90, 5) {
        let counts = counts(90, 3);
        for tree in TREES.map(Some) {
            let recipe = Recipe { tree, ..Recipe::new(Epsilon::infinite()) };
            let public = PublicTree::build(&*space, &recipe, &mut Run::default()).unwrap();
            let tree_of_items = public.tree().clone();
            let private = public.release(&counts, &mut Entropy::system()).unwrap();
            let weights = private.weights(&*space, &mut Run::default()).unwrap();
            for (leaf, _) in tree_of_items.nodes().iter().enumerate().filter(|(_, n)| n.is_leaf()) {
                let items = tree_of_items.items(leaf);
                let sum: u64 = items.iter().map(|&item| counts[item as usize]).sum();
                for &item in items {
                    let expected = sum as f64 / items.len() as f64;
                    assert!(
                        (weights.of(item as usize) - expected).abs() < 1e-9,
                        "{name}, {tree:?}"
                    );
                }
            }
        }
    }
}

/// The two passes against the normal equations of the least-squares problem, solved by elimination.
#[test]
fn consistency_is_least_squares() {
    for (name, space) in spaces(40, 6) {
        for (tree, split) in [(TREES[0], Split::Uniform), (TREES[2], Split::CubeRoot)] {
            let recipe = Recipe { tree: Some(tree), split, ..recipe("0.7") };
            let public = PublicTree::build(&*space, &recipe, &mut Run::default()).unwrap();
            let private = release(&*space, &counts(40, 4), &recipe);
            let estimates = private.estimated_counts().unwrap();
            let nodes = public.tree().nodes();
            for (node, cell) in nodes.iter().enumerate().filter(|(_, cell)| !cell.is_leaf()) {
                let sum: f64 = cell.children().map(|child| estimates[child]).sum();
                assert!((sum - estimates[node]).abs() < 1e-6, "{name}: a cell is not its parts");
            }
            // At the optimum, the residuals of every path, weighted by precision, add up to zero.
            for (leaf, _) in nodes.iter().enumerate().filter(|(_, cell)| cell.is_leaf()) {
                let (mut node, mut sum) = (leaf, 0.0);
                while node != 0 {
                    let residual = private.noisy_counts()[node] as f64 - estimates[node];
                    sum += residual / public.rates()[node].variance();
                    node = nodes[node].parent as usize;
                }
                assert!(sum.abs() < 1e-6, "{name}: the estimate is not the best: {sum}");
            }
        }
    }
}

#[test]
fn a_release_is_read_as_it_was_written() {
    let owner = Unit::Owner { at_most: NonZeroU32::new(3).unwrap() };
    for (name, space) in spaces(50, 7) {
        for tree in TREES.map(Some) {
            let protection = Protection { neighbours: Neighbours::ReplaceOne, unit: owner };
            let private =
                release(&*space, &counts(50, 1), &Recipe { tree, protection, ..recipe("0.3") });
            let read = PrivateTree::from_json(&private.to_json()).unwrap();
            assert_eq!(read, private, "{name}, {tree:?}");
            let centers = |private: &PrivateTree| {
                let plan = private.plan(Method::Refined);
                private
                    .centers(&*space, &[4], Objective::Median, &plan, &mut Run::default())
                    .unwrap()
            };
            assert_eq!(centers(&read), centers(&private));
        }
    }
}

/// The two centers that a release gives for six items on a line.
fn two_on_a_line(release: &PrivateTree, places: &[f32; 6]) -> Vec<usize> {
    let line = Vectors::new(1, places, Metric::L1).unwrap();
    let (plan, run) = (release.plan(Method::Refined), &mut Run::default());
    release.centers(&line, &[2], Objective::Median, &plan, run).unwrap().remove(0).centers
}

/// A release of version 1 of the format, before the number of records was counted, of six items on
/// a line.
const OLD: &str = concat!(
    r#"{"release":{"format":"kmedian private tree","version":1,"software":"kmedian 0.1.0","private":true,"#,
    r#""epsilon":{"numerator":1,"denominator":1},"split":{"name":"paper","shares":[2,1]},"#,
    r#""neighbours":"add-remove","unit":"record","max_per_unit":1,"demand_size":7,"#,
    r#""mechanism":"discrete laplace (Canonne, Kamath, Steinke 2020), exact","#,
    r#""entropy":"operating system","universe":{"items":6,"#,
    r#""sha256":"d2f86874404e4053a416c672dddbc0cef00f414821d2945c6c8b31fd02517bff","of":"content"},"#,
    r#""tree":{"kind":"fitted","branching":4,"levels":2,"seed":0},"nodes":{"parents":[0,0,0,0,0,2,2,3,3],"#,
    r#""noisy_counts":[0,3,5,3,1,0,-4,-2,8],"leaf_of_item":[1,5,6,7,8,4]}},"#,
    r#""checksum":"sha256:6bcfc025d8c9695d00413265db1f7bc554792421c496c8d46ec5c4ba5a6c191a"}"#
);

#[test]
fn an_old_release_can_still_be_read() {
    let read = PrivateTree::from_json(OLD).unwrap();
    assert!(read.is_private());
    assert_eq!(read.noisy_counts(), [0, 3, 5, 3, 1, 0, -4, -2, 8]);
    assert_eq!((read.budget().total_share(), read.budget().shares()), (0, &[2, 1][..]));
    assert_eq!(
        two_on_a_line(&read, &[0.0, 1.0, 2.0, 10.0, 11.0, 13.0]),
        [1, 4],
        "one for either end of the line"
    );
}

/// A release of version 2 of the format, whose number of records was counted, with equal parts of ε
/// for both levels: of another six items on a line.
const OLD_COUNTED: &str = concat!(
    r#"{"release":{"format":"kmedian private tree","version":2,"software":"kmedian 0.1.0","private":true,"#,
    r#""epsilon":{"numerator":1,"denominator":1},"split":{"name":"uniform","total":2,"shares":[31,31]},"#,
    r#""neighbours":"add-remove","unit":"record","max_per_unit":1,"#,
    r#""mechanism":"discrete laplace (Canonne, Kamath, Steinke 2020), exact","#,
    r#""entropy":"operating system","universe":{"items":6,"#,
    r#""sha256":"47d72dc464404e40e960e0c14180add8c977ec14b86c5914a5cdc7816bccedef","of":"content"},"#,
    r#""tree":{"kind":"fitted","branching":4,"levels":2,"seed":0},"nodes":{"parents":[0,0,0,0,0,2,2,3,3],"#,
    r#""noisy_counts":[171,100,60,88,0,58,6,2,93],"leaf_of_item":[1,5,6,7,8,4]}},"#,
    r#""checksum":"sha256:47643238bf58ae49c25ff03d4d4c6898353f62c6312f79110696ec106900db08"}"#
);

#[test]
fn a_release_with_equal_parts_can_still_be_read() {
    let read = PrivateTree::from_json(OLD_COUNTED).unwrap();
    assert_eq!(read.to_json().trim(), OLD_COUNTED);
    assert_eq!((read.budget().total_share(), read.budget().shares()), (2, &[31, 31][..]));
    assert_eq!(
        two_on_a_line(&read, &[0.0, 1.0, 2.0, 7.0, 8.0, 9.0]),
        [0, 4],
        "where the records are"
    );
}

#[test]
fn a_release_says_what_it_is() {
    let space = vectors(30, 2, Metric::L1, 1);
    let counts = counts(30, 1);
    let mut system = Entropy::system();
    let mut seeded = Entropy::seeded_not_private(Seed(1));
    let json = |recipe: &Recipe, entropy: &mut Entropy| {
        PrivateTree::release(&space, &counts, recipe, entropy, &mut Run::default())
            .unwrap()
            .to_json()
    };
    let private = json(&recipe("0.1"), &mut system);
    for words in [
        r#""private":true"#,
        r#""epsilon":{"numerator":1,"denominator":10}"#,
        r#""neighbours":"add-remove""#,
        r#""unit":"record""#,
        r#""max_per_unit":1"#,
        r#""entropy":"operating system""#,
        r#""kind":"fitted""#,
        "discrete laplace",
        concat!("kmedian ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(private.contains(words), "{words} is not in {private}");
    }
    let of_seed = json(&recipe("0.1"), &mut seeded);
    assert!(of_seed.contains(r#""private":false"#) && of_seed.contains("NOT PRIVATE"));
    let without_noise = json(&Recipe::new(Epsilon::infinite()), &mut system);
    assert!(without_noise.contains(r#""private":false"#));
    assert!(!PrivateTree::from_json(&without_noise).unwrap().is_private());
}

#[test]
fn an_edited_or_truncated_release_is_refused() {
    let space = vectors(30, 2, Metric::L1, 1);
    // The number of records is public, and not counted.
    let private = release(&space, &counts(30, 1), &Recipe { records: Some(30), ..recipe("1") });
    let json = private.to_json();
    let refused = |text: &str| {
        let error = PrivateTree::from_json(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Release, "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
        error.to_string()
    };
    for end in (0..json.len()).step_by(7) {
        if json.is_char_boundary(end) {
            refused(&json[..end]);
        }
    }
    for (old, new) in [
        (r#""numerator":1"#, r#""numerator":2"#),
        (r#""private":false"#, r#""private":true"#),
        ("seeded: NOT PRIVATE", "operating system"),
        (r#""noisy_counts":[0,"#, r#""noisy_counts":[1,"#),
        (r#""items":30"#, r#""items":31"#),
    ] {
        assert!(json.contains(old), "{old}");
        assert!(refused(&json.replace(old, new)).contains("checksum"));
    }
    assert!(refused(&json.replace(r#""version":1"#, r#""version":3"#)).contains("version 3"));
    assert!(refused("{}").contains("release"));
    assert!(refused(&json.replace("kmedian private tree", "poem")).contains("poem"));
    assert!(refused(&json.replace(r#""unit""#, r#""owner""#)).contains("release"));
    // Spaces do not matter.
    let spaced = json.replace(r#","checksum""#, ",\n  \"checksum\"");
    assert_eq!(PrivateTree::from_json(&spaced).unwrap(), private);
}

#[test]
fn another_universe_is_refused() {
    let values: Vec<f32> = (0..60).map(|value| value as f32).collect();
    let space = Vectors::new(2, &values, Metric::L2).unwrap();
    let private = release(&space, &counts(30, 1), &recipe("1"));
    private.check_universe(&space).unwrap();
    let mut moved = values.clone();
    moved[17] += 0.5;
    let others: [Box<dyn Space>; 4] = [
        Box::new(Vectors::new(2, &values, Metric::L1).unwrap()),
        Box::new(Vectors::new(2, &moved, Metric::L2).unwrap()),
        Box::new(Vectors::new(2, &values[..58], Metric::L2).unwrap()),
        Box::new(Vectors::new(1, &values[..30], Metric::L2).unwrap()),
    ];
    for other in others {
        let plan = private.plan(Method::Exact);
        let error = private
            .centers(&*other, &[2], Objective::Median, &plan, &mut Run::default())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Release);
        assert!(error.to_string().contains("another universe"));
    }
}

#[test]
fn a_function_is_recognized_by_probes() {
    let line = |scale: f32| Custom::new(200, move |a, b| a.abs_diff(b) as f32 * scale).unwrap();
    let private = release(&line(1.0), &counts(200, 1), &recipe("1"));
    assert_eq!(private.universe().seen, Seen::Probes);
    private.check_universe(&line(1.0)).unwrap();
    assert!(private.check_universe(&line(2.0)).is_err());
    assert_eq!(PrivateTree::from_json(&private.to_json()).unwrap(), private);
}

#[test]
fn bad_input_is_refused_before_anything_is_spent() {
    let space = vectors(30, 2, Metric::L1, 1);
    let public = PublicTree::build(&space, &recipe("1"), &mut Run::default()).unwrap();
    let error = public.release(&[1; 29], &mut Entropy::system()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    let many = Unit::Owner { at_most: NonZeroU32::MAX };
    let protection = Protection { unit: many, ..Protection::default() };
    let tiny = Recipe { protection, ..recipe("0.000000001") };
    assert_eq!(
        PublicTree::build(&space, &tiny, &mut Run::default()).unwrap_err().kind(),
        ErrorKind::Parameter
    );
    let private = release(&space, &counts(30, 1), &recipe("1"));
    for k in [0, 31] {
        let plan = private.plan(Method::Refined);
        let error = private
            .centers(&space, &[k], Objective::Median, &plan, &mut Run::default())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parameter);
    }
}

/// No demand at all, one item, all items in one place, counts beyond all bounds: a release all the
/// same.
#[test]
fn odd_demands_and_universes() {
    let one = Vectors::new(1, &[4.0], Metric::L2).unwrap();
    let twins = Vectors::new(1, &[4.0; 9], Metric::L2).unwrap();
    let line = Vectors::new(1, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], Metric::L2).unwrap();
    for (space, n) in [(&one, 1), (&twins, 9), (&line, 9)] {
        for count in [0, 1, u64::MAX] {
            let private = release(space, &vec![count; n], &recipe("1"));
            let plan = private.plan(Method::Refined);
            let found = private
                .centers(space, &[1, n], Objective::Means, &plan, &mut Run::default())
                .unwrap();
            assert_eq!(found[0].centers.len(), 1);
            assert_eq!(found[1].estimated_cost, 0.0);
            assert_eq!(PrivateTree::from_json(&private.to_json()).unwrap(), private);
        }
    }
}

#[test]
fn sizes_and_the_baseline_are_estimates() {
    let space = vectors(120, 2, Metric::L2, 2);
    let counts = counts(120, 8);
    let private = release(&space, &counts, &recipe("2"));
    let plan = private.plan(Method::Refined);
    let found =
        private.centers(&space, &[3, 6], Objective::Median, &plan, &mut Run::default()).unwrap();
    assert!(found[1].estimated_cost < found[0].estimated_cost);
    let total = private.weights(&space, &mut Run::default()).unwrap().total();
    assert!((found[0].estimated_sizes.iter().sum::<f64>() - total).abs() < 1e-6);
    let free =
        data_free_centers(&space, &[3], Objective::Median, &plan, &mut Run::default()).unwrap();
    let judged =
        private.estimates(&space, &free, Objective::Median, &mut Run::default()).unwrap().remove(0);
    assert_eq!(judged.centers, free[0]);
    assert!(
        private.estimates(&space, &[vec![5, 5]], Objective::Median, &mut Run::default()).is_err()
    );
}

/// Centers are searched for from two starts. A limit holds for both together, and is either said to
/// be reached or changes nothing.
#[test]
fn a_limit_is_reached_or_changes_nothing() {
    let space = vectors(150, 2, Metric::L2, 6);
    let private = release(&space, &counts(150, 3), &recipe("0.5"));
    let found = |max_swaps: Option<usize>, seconds: Option<u64>| {
        let time_limit = seconds.map(Duration::from_secs);
        let search = LocalSearch { max_swaps, time_limit, ..LocalSearch::default() };
        let plan = private.plan(Method::Refined).searched_by(&search, Some(1));
        let run = &mut Run::default();
        private.centers(&space, &[4, 9], Objective::Median, &plan, run).unwrap()
    };
    let unlimited = found(None, None);
    assert!(unlimited.iter().all(|found| found.stop == Stop::LocalOptimum));
    assert_eq!(found(Some(10_000), Some(3600)), unlimited);
    let mut reached = 0;
    for most in 0..40 {
        for (limited, unlimited) in found(Some(most), None).iter().zip(&unlimited) {
            if limited.stop == Stop::MaxSwaps {
                reached += 1;
            } else {
                assert_eq!(limited, unlimited, "at most {most} swaps");
            }
        }
    }
    assert!(reached > 2, "a limit of no swaps at all is reached at once");
}

#[test]
fn what_is_not_private_hides() {
    let space = vectors(20, 2, Metric::L2, 2);
    let hidden = diagnose(&space, &[2; 20], &[0, 1], Objective::Median).unwrap();
    assert_eq!(format!("{hidden:?}"), "NonPrivate(hidden)");
    let shown = hidden.reveal_what_is_not_private();
    assert_eq!(shown.records, 40);
    assert_eq!(shown.served.iter().sum::<u64>(), 40);
    assert_eq!(
        shown.cost,
        Problem::of(&space).demand(&demand(&[2; 20])).build().unwrap().cost(&[0, 1])
    );
    let _: NonPrivate<u64> = NonPrivate::new(1);
}
