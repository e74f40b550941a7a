//! Whether the mechanisms lose more than their ε: exactly on tiny universes, and by attacking what
//! they really do. The same tests must convict every mutant, or they would prove nothing.
//!
//! `KMEDIAN_AUDIT_RUNS=1000000 cargo test --release -p kmedian --test privacy_audit -- --nocapture`
//! attacks longer, and prints what it found.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod stats;

use kmedian::privacy::{
    Entropy, Epsilon, Neighbours, PrivateInit, PrivateSearch, Protection, PublicTree, Rate, Recipe,
    Selection, Sensitivity, Split, TreeChoice, discrete_laplace,
};
use kmedian::{Metric, Objective, Run, Seed, Space, TreeKind, Vectors};
use stats::{ALPHA, loss_at_least};

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

/// How often a mechanism is run on each of two neighbours.
fn runs() -> u64 {
    std::env::var("KMEDIAN_AUDIT_RUNS").map_or(100_000, |runs| runs.parse().unwrap())
}

/// Six items in two groups.
fn tiny() -> Vectors {
    Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 13.0], Metric::L1).unwrap()
}

/// One item far from a crowd of others: where a record of the one is replaced by one of the crowd,
/// a single candidate gets dearer and all others get cheaper.
fn lopsided() -> Vectors {
    let mut values = vec![0.0f32];
    values.extend((0..8).map(|place| 100.0 + 0.001 * place as f32));
    Vectors::new(1, &values, Metric::L1).unwrap()
}

fn public_tree(epsilon: &str, split: Split, protection: Protection) -> PublicTree {
    let tree = Some(TreeKind::Fitted { branching: 2, levels: 2 });
    let recipe =
        Recipe { tree, split, protection, seed: Seed(1), ..Recipe::new(self::epsilon(epsilon)) };
    PublicTree::build(&tiny(), &recipe, &mut Run::default()).unwrap()
}

/// All demands over `items` items with at most `most` records at each.
fn demands(items: usize, most: u64) -> Vec<Vec<u64>> {
    (0..items).fold(vec![Vec::new()], |all, _| {
        let longer = |counts: &Vec<u64>| {
            let counts = counts.clone();
            (0..=most).map(move |count| [counts.as_slice(), &[count]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}

/// All pairs of neighbours among some demands.
fn neighbours(all: &[Vec<u64>], relation: Neighbours) -> Vec<(&Vec<u64>, &Vec<u64>)> {
    let differ = |a: &Vec<u64>, b: &Vec<u64>| {
        let more = |x: &[u64], y: &[u64]| -> u64 {
            x.iter().zip(y).map(|(x, y)| x.saturating_sub(*y)).sum()
        };
        match relation {
            Neighbours::AddRemove => more(a, b) + more(b, a) == 1,
            Neighbours::ReplaceOne => more(a, b) == 1 && more(b, a) == 1,
        }
    };
    all.iter().flat_map(|a| all.iter().filter(|b| differ(a, b)).map(move |b| (a, b))).collect()
}

// ── The tree, exactly
// ──────────────────────────────────────────────────────────────────────────────────────

/// The largest |ln ratio| of the probabilities of any noisy counts, over all neighbours. Of
/// discrete Laplace noise the ratio is at most e^(rate · difference), and is that where all counts
/// come out large.
fn tree_loss(public: &PublicTree, rates: &[f64], relation: Neighbours) -> f64 {
    let tree = public.tree();
    let count = |counts: &[u64], node: usize| -> i64 {
        tree.items(node).iter().map(|&item| counts[item as usize] as i64).sum()
    };
    let all = demands(6, 1);
    let loss = |(a, b): &(&Vec<u64>, &Vec<u64>)| -> f64 {
        let of_node = |node| rates[node] * count(a, node).abs_diff(count(b, node)) as f64;
        (1..tree.nodes().len()).map(of_node).sum()
    };
    neighbours(&all, relation).iter().map(loss).fold(0.0, f64::max)
}

#[test]
fn no_tree_loses_more_than_epsilon() {
    for relation in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
        for split in Split::ALL {
            for text in ["1", "0.1", "3.7"] {
                let protection = Protection { neighbours: relation, ..Protection::default() };
                let public = public_tree(text, split, protection);
                let rates: Vec<f64> =
                    public.rates().iter().map(|rate| rate.approximate()).collect();
                let (loss, limit) =
                    (tree_loss(&public, &rates, relation), epsilon(text).approximate());
                assert!(loss <= limit * (1.0 + 1e-12), "{relation}, {split}: {loss} of {limit}");
                assert!(loss >= 0.999 * limit, "{relation}, {split}: wasteful, {loss} of {limit}");
            }
        }
    }
}

/// What the rates of each mutant of a tree with two levels and ε = 1 are, level by level.
fn mutant_rates(public: &PublicTree) -> Vec<(&'static str, Vec<f64>)> {
    let nodes = public.tree().nodes();
    let by_depth = |rates: [f64; 2]| -> Vec<f64> {
        let rate = |depth: u32| if depth == 0 { 0.0 } else { rates[depth as usize - 1] };
        nodes.iter().map(|node| rate(nodes[0].level - node.level)).collect()
    };
    vec![
        ("noise halved", by_depth([1.0, 1.0])),
        ("one level missing from the budget", by_depth([0.5, 1.0])),
        ("the paper's noise as printed", by_depth([1.0, 0.5])),
    ]
}

#[test]
fn mutants_of_the_tree_are_convicted_exactly() {
    let public = public_tree("1", Split::Uniform, Protection::default());
    for (mutant, rates) in mutant_rates(&public) {
        let loss = tree_loss(&public, &rates, Neighbours::AddRemove);
        assert!(loss > 1.4, "{mutant} got away with {loss}");
    }
    // Rates for adding and removing, where neighbours replace a record.
    let rates: Vec<f64> = public.rates().iter().map(|rate| rate.approximate()).collect();
    assert!(tree_loss(&public, &rates, Neighbours::ReplaceOne) > 1.9);
}

// ── The number of all records, exactly and by attack
// ──────────────────────────────────────────────────────────────────────

/// The default trees over six items, one of which is chosen by the noisy number of records.
fn public_trees(epsilon: &str, protection: Protection) -> PublicTree {
    let recipe = Recipe { protection, seed: Seed(1), ..Recipe::new(self::epsilon(epsilon)) };
    PublicTree::build(&tiny(), &recipe, &mut Run::default()).unwrap()
}

/// The largest |ln ratio| over all neighbours of the number of all records and, given that, of the
/// counts of the tree that is chosen by it. `of_total` is the rate of that number.
fn loss_with_total(public: &PublicTree, of_total: f64, relation: Neighbours) -> f64 {
    let all = demands(6, 1);
    let pairs = neighbours(&all, relation);
    let loss = |choice: &TreeChoice| {
        let tree = choice.tree();
        let count = |counts: &[u64], node: usize| -> i64 {
            tree.items(node).iter().map(|&item| counts[item as usize] as i64).sum()
        };
        let of_pair = |(a, b): &(&Vec<u64>, &Vec<u64>)| -> f64 {
            let changed = |node| count(a, node).abs_diff(count(b, node)) as f64;
            let of_node = |node: usize| choice.rates()[node].approximate() * changed(node);
            of_total * changed(0) + (1..tree.nodes().len()).map(of_node).sum::<f64>()
        };
        pairs.iter().map(of_pair).fold(0.0, f64::max)
    };
    public.choices().iter().map(loss).fold(0.0, f64::max)
}

#[test]
fn the_number_of_records_is_paid_for() {
    for text in ["1", "0.1", "3.7"] {
        let public = public_trees(text, Protection::default());
        assert!(public.choices().len() > 1, "there is nothing to choose");
        let limit = epsilon(text).approximate();
        let of_total = public.rates()[0].approximate();
        let loss = loss_with_total(&public, of_total, Neighbours::AddRemove);
        assert!(loss <= limit * (1.0 + 1e-12) && loss >= 0.999 * limit, "{loss} of {limit}");
        // Where a record is replaced, their number stays, and its share is not needed.
        let neighbours = Neighbours::ReplaceOne;
        let public = public_trees(text, Protection { neighbours, ..Protection::default() });
        let loss = loss_with_total(&public, public.rates()[0].approximate(), neighbours);
        assert!(loss <= limit * (1.0 + 1e-12), "{loss} of {limit}");
    }
    let public = public_trees("1", Protection::default());
    let of_total = public.rates()[0].approximate();
    let loss = loss_with_total(&public, 2.0 * of_total, Neighbours::AddRemove);
    assert!(loss > 1.03, "a number of records that is half paid for got away with {loss}");
    // The trees that a public number of records leads to have all of ε: there the number is free.
    for records in [10, 1000, 100_000] {
        let recipe = Recipe { records: Some(records), seed: Seed(1), ..Recipe::new(epsilon("1")) };
        let unpaid = PublicTree::build(&tiny(), &recipe, &mut Run::default()).unwrap();
        let loss = loss_with_total(&unpaid, of_total, Neighbours::AddRemove);
        assert!(loss > 1.03, "a number of records that nobody paid for got away with {loss}");
    }
}

/// Attacks all that a release says of one record: the number of all records, which chooses the tree,
/// and the counts of that tree on the way to the record.
#[test]
fn attacks_on_the_number_of_records_fail() {
    let public = public_trees("1", Protection::default());
    let item = 4;
    let mut with = WITHOUT;
    with[item] += 1;
    let path = path(&public, item);
    let mechanism = |counts: &[u64], entropy: &mut Entropy| {
        let noisy = public.copy_that_spends_again().release(counts, entropy).unwrap();
        let noisy = noisy.noisy_counts();
        assert_eq!(noisy.len(), public.rates().len(), "few records choose the first tree");
        [noisy[0], noisy[path[0]], noisy[path[1]]]
    };
    let at_least = |limits: [i64; 3]| {
        move |noisy: &[i64; 3]| noisy.iter().zip(limits).all(|(&count, limit)| count >= limit)
    };
    let total = WITHOUT.iter().sum::<u64>() as i64;
    let limits = (0..4).flat_map(|x| (0..4).map(move |y| [total + 1, x, y]));
    let events: Vec<_> = limits.map(at_least).collect();
    let events: Vec<Event<'_, [i64; 3]>> = events.iter().map(|event| event as _).collect();
    let loss = attack(mechanism, [&with, &WITHOUT], &events, runs());
    println!("the number of records and two counts: at least {loss:.3} of 1 is lost");
    assert!(loss <= 1.0, "{loss}");
    assert!(loss > 0.7, "the attack is too weak to convict anybody: {loss}");
}

#[test]
fn a_number_of_records_that_nobody_paid_for_is_convicted_by_attack() {
    let rate = Rate::new(epsilon("1"), 1, 1, 1).unwrap();
    let mechanism = |counts: &[u64], entropy: &mut Entropy| {
        let mut noisy = || counts[0] as i64 + discrete_laplace(rate, entropy).unwrap();
        [noisy(), noisy()]
    };
    let loss = attack_counts(mechanism, [&[2], &[1]]);
    println!("mutant, a number of records that nobody paid for: at least {loss:.3} of 1 is lost");
    assert!(loss > 1.0, "it got away with {loss}");
}

// ── Attacks
// ────────────────────────────────────────────────────────────────────────────────────────────────

/// Something that an output may be.
type Event<'a, T> = &'a dyn Fn(&T) -> bool;

/// A lower bound of what a mechanism loses between two neighbours, right but for a chance of
/// [`ALPHA`].
///
/// Half of the runs choose the event that tells the neighbours apart best; the other half measure
/// it.
fn attack<T>(
    mechanism: impl Fn(&[u64], &mut Entropy) -> T,
    [a, b]: [&[u64]; 2],
    events: &[Event<'_, T>],
    runs: u64,
) -> f64 {
    let mut entropy = Entropy::system();
    let half = runs / 2;
    let mut count = |counts: &[u64]| {
        let mut happened = vec![0; events.len()];
        for _ in 0..half {
            let output = mechanism(counts, &mut entropy);
            for (count, event) in happened.iter_mut().zip(events) {
                *count += u64::from(event(&output));
            }
        }
        happened
    };
    let [of_a, of_b] = [count(a), count(b)];
    let promising = |&event: &usize| loss_at_least(of_a[event], of_b[event], half, 0.05);
    let best = (0..events.len()).max_by(|x, y| promising(x).total_cmp(&promising(y))).unwrap();
    let [of_a, of_b] = [count(a), count(b)];
    loss_at_least(of_a[best], of_b[best], half, ALPHA)
}

/// Attacks noisy counts of two nodes, one below the other: events are that both are at least
/// something.
fn attack_counts(mechanism: impl Fn(&[u64], &mut Entropy) -> [i64; 2], pair: [&[u64]; 2]) -> f64 {
    let at_least = |x: i64, y: i64| move |noisy: &[i64; 2]| noisy[0] >= x && noisy[1] >= y;
    let limits = (0..5).flat_map(|x| (0..5).map(move |y| (x, y)));
    let events: Vec<_> = limits.map(|(x, y)| at_least(x, y)).collect();
    let events: Vec<Event<'_, [i64; 2]>> = events.iter().map(|event| event as _).collect();
    attack(mechanism, pair, &events, runs())
}

/// The nodes on the path to an item, below the root.
fn path(public: &PublicTree, item: usize) -> [usize; 2] {
    let leaf = public.tree().leaves()[item] as usize;
    let parent = public.tree().nodes()[leaf].parent as usize;
    assert_eq!(public.tree().nodes()[parent].parent, 0, "two levels below the root");
    [parent, leaf]
}

const WITHOUT: [u64; 6] = [1, 1, 0, 2, 0, 1];

#[test]
fn attacks_on_the_tree_fail() {
    for split in [Split::Uniform, Split::Paper, Split::CubeRoot] {
        let public = public_tree("1", split, Protection::default());
        let deep = (0..6)
            .find(|&item| public.tree().nodes()[public.tree().leaves()[item] as usize].level == 0);
        let item = deep.unwrap();
        let mut with = WITHOUT;
        with[item] += 1;
        let path = path(&public, item);
        let mechanism = |counts: &[u64], entropy: &mut Entropy| {
            let noisy = public.copy_that_spends_again().release(counts, entropy).unwrap();
            path.map(|node| noisy.noisy_counts()[node])
        };
        let loss = attack_counts(mechanism, [&with, &WITHOUT]);
        println!("tree, {split}: at least {loss:.3} of 1 is lost");
        assert!(loss <= 1.0, "{split}: {loss}");
        assert!(loss > 0.8, "{split}: the attack is too weak to convict anybody: {loss}");
    }
}

#[test]
fn mutants_of_the_tree_are_convicted_by_attack() {
    let public = public_tree("1", Split::Uniform, Protection::default());
    for (mutant, rates) in mutant_rates(&public) {
        let rates = [rates[1], rates[rates.len() - 1]]
            .map(|rate| Rate::new(Epsilon::try_from(rate).unwrap(), 1, 1, 1).unwrap());
        let mechanism = |counts: &[u64], entropy: &mut Entropy| {
            rates.map(|rate| counts[0] as i64 + discrete_laplace(rate, entropy).unwrap())
        };
        let loss = attack_counts(mechanism, [&[2], &[1]]);
        println!("mutant, {mutant}: at least {loss:.3} of 1 is lost");
        assert!(loss > 1.0, "{mutant} got away with {loss}");
    }
}

// ── The selection, exactly and by attack
// ───────────────────────────────────────────────────────────────────

/// What each item costs as the only center, in whole numbers.
fn costs(space: &dyn Space, counts: &[u64]) -> Vec<u64> {
    let mut asker = space.asker();
    let mut cost = |center: usize| -> u64 {
        (0..space.len()).map(|item| counts[item] * asker.distance(center, item).ceil() as u64).sum()
    };
    (0..space.len()).map(&mut cost).collect()
}

/// The largest |ln ratio| of a selection's exact probabilities over all neighbours.
fn selection_loss(
    space: &dyn Space,
    selection: Selection,
    relation: Neighbours,
    sensitivity: u64,
) -> f64 {
    let all = match space.len() {
        6 => demands(6, 1),
        // Demands of the lopsided space: some records of the one, and of one of the crowd.
        n => (0..3u64)
            .flat_map(|one| (0..3).map(move |crowd| [vec![one, crowd], vec![0; n - 2]].concat()))
            .collect(),
    };
    let rate = Rate::new(epsilon("1"), 1, 1, sensitivity.into()).unwrap().approximate();
    let probabilities =
        |counts: &Vec<u64>| stats::selection(selection, &costs(space, counts), rate);
    let table: Vec<Vec<f64>> = all.iter().map(probabilities).collect();
    let find = |counts: &Vec<u64>| &table[all.iter().position(|other| other == counts).unwrap()];
    let loss = |(a, b): &(&Vec<u64>, &Vec<u64>)| {
        let ratios = find(a).iter().zip(find(b)).map(|(p, q)| (p / q).ln().abs());
        ratios.fold(0.0, f64::max)
    };
    neighbours(&all, relation).iter().map(loss).fold(0.0, f64::max)
}

const SELECTIONS: [Selection; 2] = [Selection::PermuteAndFlip, Selection::Exponential];

#[test]
fn no_selection_loses_more_than_epsilon() {
    let (tiny, lopsided) = (tiny(), lopsided());
    for (space, diameter) in [(&tiny as &dyn Space, 13), (&lopsided as &dyn Space, 101)] {
        for selection in SELECTIONS {
            for relation in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
                let records =
                    Protection { neighbours: relation, ..Protection::default() }.records();
                let loss = selection_loss(space, selection, relation, diameter * records);
                assert!(loss <= 1.0 + 1e-9, "{}, {relation}: {loss}", selection.name());
            }
        }
    }
}

#[test]
fn mutants_of_the_selection_are_convicted_exactly() {
    let space = lopsided();
    for selection in SELECTIONS {
        let loss = selection_loss(&space, selection, Neighbours::ReplaceOne, 101);
        assert!(loss > 1.2, "the monotone rule under replace-one got away with {loss}");
        let loss = selection_loss(&space, selection, Neighbours::AddRemove, 101 / 2);
        assert!(loss > 1.2, "half the diameter got away with {loss}");
    }
}

/// Events on a selected position: that it is one of those that either neighbour prefers, or one of
/// them alone.
fn attack_choice(
    mechanism: impl Fn(&[u64], &mut Entropy) -> usize,
    pair: [&[u64]; 2],
    runs: u64,
) -> f64 {
    let events: [Event<'_, usize>; 3] = [&|c| *c == 0, &|c| *c != 0, &|c| *c == 1];
    attack(mechanism, pair, &events, runs)
}

#[test]
fn mutants_of_the_selection_are_convicted_by_attack() {
    let space = lopsided();
    let [nobody, of_one, of_crowd] =
        [[0, 0], [1, 0], [0, 1]].map(|counts| [&counts[..], &[0; 7]].concat());
    for selection in SELECTIONS {
        let tables =
            [&nobody, &of_one, &of_crowd].map(|counts| (counts.clone(), costs(&space, counts)));
        let choose = |sensitivity: u128| {
            let rate = Rate::new(epsilon("1"), 1, 1, sensitivity).unwrap();
            let tables = &tables;
            move |counts: &[u64], entropy: &mut Entropy| {
                let (_, costs) = tables.iter().find(|(known, _)| known == counts).unwrap();
                selection.choose(costs, rate, entropy).unwrap()
            }
        };
        let name = selection.name();
        let loss = attack_choice(choose(101), [&of_one, &of_crowd], runs());
        assert!(loss > 1.0, "{name}: the monotone rule under replace-one got away with {loss}");
        let loss = attack_choice(choose(50), [&nobody, &of_crowd], runs());
        assert!(loss > 1.0, "{name}: half the diameter got away with {loss}");
        for (right, pair) in [(202, [&of_one, &of_crowd]), (101, [&nobody, &of_crowd])] {
            let loss = attack_choice(choose(right), pair.map(Vec::as_slice), runs());
            println!("selection, {name}, sensitivity {right}: at least {loss:.3} of 1 is lost");
            assert!(loss <= 1.0, "{name}: {loss}");
        }
    }
}

// ── The search
// ─────────────────────────────────────────────────────────────────────────────────────────────

#[test]
fn attacks_on_the_search_fail() {
    let space = lopsided();
    let [nobody, of_one, of_crowd] =
        [[0, 0], [1, 0], [0, 1]].map(|counts| [&counts[..], &[0; 7]].concat());
    for (name, search) in [
        ("paper", PrivateSearch { iterations: Some(1), ..PrivateSearch::paper(epsilon("1")) }),
        ("default", PrivateSearch { iterations: Some(1), ..PrivateSearch::new(epsilon("1")) }),
        (
            "random start, replace one",
            PrivateSearch {
                init: PrivateInit::Random,
                iterations: Some(2),
                sensitivity: Sensitivity::Adaptive,
                protection: Protection {
                    neighbours: Neighbours::ReplaceOne,
                    ..Protection::default()
                },
                ..PrivateSearch::new(epsilon("1"))
            },
        ),
    ] {
        let mechanism = |counts: &[u64], entropy: &mut Entropy| {
            let found =
                search.run(&space, counts, 1, Objective::Median, entropy, &mut Run::default());
            found.unwrap().centers[0]
        };
        let pairs = match search.protection.neighbours {
            Neighbours::AddRemove => [[&nobody, &of_crowd], [&nobody, &of_one]],
            Neighbours::ReplaceOne => [[&of_one, &of_crowd], [&of_crowd, &of_one]],
        };
        for pair in pairs {
            let loss = attack_choice(mechanism, pair.map(Vec::as_slice), runs() / 10);
            println!("search, {name}: at least {loss:.3} of 1 is lost");
            assert!(loss <= 1.0, "{name}: {loss}");
        }
    }
}
