//! Candidates and fixed centers: brute force on small random instances, for every kind of space,
//! initialization, strategy and effort.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;
#[path = "sites/directed.rs"]
mod directed;
#[path = "sites/random.rs"]
mod random;
#[path = "sites/rectangular.rs"]
mod rectangular;

use common::{OBJECTIVES, all_distances, assert_close, demand, plain_cost, spaces, subsets};
use kmedian::tree::{ExactSearch, Tree, paper_search_among};
use kmedian::{
    Bound, Demand, Effort, ErrorKind, Hst, Init, KMedian, LocalSearch, LowerBound, Metric,
    Objective, Problem, Run, Seed, Sites, Stop, SwapRule, TreeKind, TreeSearch, Vectors,
};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Random candidates, about half of the items, and up to `fixed` of them that are fixed.
fn sites(n: usize, fixed: usize, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut rng = Seed(seed).stream("sites");
    let mut candidates: Vec<usize> = (0..n).collect();
    candidates.shuffle(&mut rng);
    candidates.truncate(n / 2);
    let fixed = candidates[..fixed].to_vec();
    (candidates, fixed)
}

fn inits() -> Vec<Init> {
    let mut all = vec![Init::Auto, Init::Random, Init::PlusPlus, Init::Greedy];
    let trees =
        [TreeKind::Ball { levels: 6 }, TreeKind::Frt, TreeKind::Fitted { branching: 3, levels: 2 }];
    for tree in trees {
        for search in [TreeSearch::Exact, TreeSearch::Paper] {
            all.push(Init::Hst(Hst { tree, search }));
        }
    }
    all
}

/// Asserts that centers are distinct candidates with the fixed ones first, that they cost what is
/// said, and that no swap of a free center for a candidate improves them.
fn assert_certified(
    table: &[Vec<f32>],
    problem: &Problem<'_>,
    centers: &[usize],
    cost: f64,
    what: &str,
) {
    let fixed = problem.fixed();
    assert_eq!(&centers[..fixed.len()], fixed, "{what}");
    let mut distinct = centers.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), centers.len(), "{what}");
    assert!(centers.iter().all(|&center| problem.sites().is_candidate(center)), "{what}");
    let plain = plain_cost(table, problem, centers);
    assert_close(cost, plain, what);
    for slot in fixed.len()..centers.len() {
        for newcomer in problem.candidates().map(|item| item as usize) {
            let mut swapped = centers.to_vec();
            swapped[slot] = newcomer;
            let better = plain_cost(table, problem, &swapped);
            assert!(better >= plain * (1.0 - 1e-6), "{what}: {newcomer} improves");
        }
    }
}

#[test]
fn certified_is_certified() {
    let n = 26;
    for seed in 0..2 {
        for (name, space) in spaces(n, seed) {
            let table = all_distances(&*space);
            let demand = demand(n, seed);
            for (fixed, k) in [(0, 1), (0, 4), (1, 2), (2, 5), (3, 3)] {
                let (candidates, fixed) = sites(n, fixed, seed + k as u64);
                for objective in OBJECTIVES {
                    let problem = Problem::of(&*space)
                        .demand(&demand)
                        .objective(objective)
                        .candidates(candidates.iter().copied())
                        .fixed(fixed.iter().copied())
                        .build()
                        .unwrap();
                    for init in inits() {
                        for swap in [SwapRule::Eager, SwapRule::Best] {
                            let search = LocalSearch { swap, ..LocalSearch::default() };
                            let (init, seed) = (init.clone(), Seed(seed));
                            let what = format!(
                                "{name}, {objective}, {fixed:?}, k = {k}, {init:?}, {swap}"
                            );
                            let restarts = Some(usize::from(swap == SwapRule::Eager));
                            let plan =
                                KMedian { init, search, restarts, seed, ..KMedian::default() };
                            let found = plan.fit(&problem, k).unwrap();
                            assert_eq!(found.stop, Stop::LocalOptimum, "{what}");
                            assert!(found.cost <= found.init_cost, "{what}");
                            assert_certified(&table, &problem, &found.centers, found.cost, &what);
                        }
                    }
                }
            }
        }
    }
}

/// Every effort, with enough demand for samples: centers are candidates, and certified ones are.
#[test]
fn every_effort_keeps_to_the_candidates() {
    let n = 11_000;
    let space = common::vectors(n, 2, Metric::L2, 5).without_merging();
    let (candidates, fixed) = sites(n, 3, 5);
    let candidates = &candidates[..700];
    let weights = (0..n).map(|item| if candidates.contains(&item) { 0.0 } else { 1.0 });
    for demand in [Demand::uniform(n), Demand::new(weights.collect()).unwrap()] {
        let problem = Problem::of(&space)
            .demand(&demand)
            .candidates(candidates.iter().copied())
            .fixed(fixed.iter().copied())
            .build()
            .unwrap();
        let mut costs = Vec::new();
        for effort in [Effort::Fast, Effort::Balanced, Effort::Certified] {
            let search = LocalSearch { effort, ..LocalSearch::default() };
            let plan = KMedian { search, init: Init::Random, ..KMedian::default() };
            let found = plan.fit(&problem, 8).unwrap();
            assert!(found.tactics.sampled);
            assert_eq!(found.centers[..3], fixed);
            assert!(found.centers.iter().all(|&center| problem.sites().is_candidate(center)));
            assert_close(found.cost, problem.cost(&found.centers), "cost");
            costs.push(found.cost);
        }
        assert!(costs[1] <= costs[0] && costs[2] <= costs[1], "{costs:?}");
        let found = KMedian::default().fit(&problem, 8).unwrap();
        for slot in 3..8 {
            for &newcomer in candidates {
                let mut swapped = found.centers.clone();
                swapped[slot] = newcomer;
                if newcomer % 7 == slot {
                    assert!(problem.cost(&swapped) >= found.cost * (1.0 - 1e-9));
                }
            }
        }
    }
}

/// The exact search against all sets of candidates, in the tree metric.
#[test]
fn the_exact_search_is_exact_among_candidates() {
    let n = 12;
    for seed in 0..40 {
        let space = common::graph(n, n, seed);
        let demand = demand(n, seed);
        let kind = [TreeKind::Frt, TreeKind::Fitted { branching: 3, levels: 1 }][seed as usize % 2];
        let tree = Tree::build(&space, &demand, kind, Seed(seed), &mut Run::default()).unwrap();
        let (candidates, fixed) = sites(n, seed as usize % 3, seed);
        let sites = Sites::new(n, Some(&candidates), &fixed).unwrap();
        let heights = tree.heights();
        for objective in OBJECTIVES {
            let search = ExactSearch::among(&sites, &tree, &heights, &demand, objective);
            let tree_cost = |centers: &[usize]| -> f64 {
                let nearest = |item: usize| {
                    let distances = centers.iter().map(|&center| tree.distance(center, item));
                    distances.fold(f32::INFINITY, f32::min)
                };
                (0..n).map(|item| demand.of(item) * objective.of(nearest(item))).sum()
            };
            for k in fixed.len().max(1)..=candidates.len() {
                let free: Vec<usize> =
                    candidates.iter().copied().filter(|item| !fixed.contains(item)).collect();
                let sets = subsets(free.len(), k - fixed.len());
                let whole = sets.iter().map(|set| {
                    let free = set.iter().map(|&at| free[at]);
                    fixed.iter().copied().chain(free).collect::<Vec<usize>>()
                });
                let best = whole.map(|set| tree_cost(&set)).fold(f64::INFINITY, f64::min);
                let what = format!("{kind:?}, {objective}, k = {k}, seed {seed}");
                let centers = search.centers(k);
                assert_eq!(centers[..fixed.len()], fixed, "{what}");
                assert_close(tree_cost(&centers), best, &what);
                assert_close(search.cost(k), best, &what);
                let paper = paper_search_among(&sites, &tree, &demand, k);
                let mut distinct = paper.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), k, "{what}");
                assert_eq!(paper[..fixed.len()], fixed, "{what}");
                assert!(paper.iter().all(|&center| sites.is_candidate(center)), "{what}");
            }
        }
    }
}

/// Equal rows are merged before a search: fixed centers may be equal rows, and a center is an item
/// that may be one.
#[test]
fn merged_rows_keep_their_sites() {
    let mut rng = Seed(3).stream("rows");
    for seed in 0..60 {
        let n = 40;
        let rows: Vec<f32> = (0..n).map(|_| rng.random_range(0..12) as f32).collect();
        let space = Vectors::new(1, &rows, Metric::L1).unwrap();
        let table = all_distances(&space);
        let (candidates, fixed) = sites(n, seed as usize % 5, seed);
        let problem = Problem::of(&space)
            .demand(&demand(n, seed))
            .candidates(candidates.iter().copied())
            .fixed(fixed.iter().copied())
            .build()
            .unwrap();
        for k in [fixed.len().max(1), fixed.len() + 2, candidates.len()] {
            let what = format!("k = {k}, seed {seed}");
            let found =
                KMedian { restarts: Some(2), ..KMedian::default() }.fit(&problem, k).unwrap();
            assert_eq!(found.centers.len(), k, "{what}");
            assert_certified(&table, &problem, &found.centers, found.cost, &what);
            for (item, &label) in found.assignment.labels.iter().enumerate() {
                let distance = table[found.centers[label as usize]][item];
                assert_eq!(found.assignment.distances[item], distance, "{what}");
                let nearest = found.centers.iter().map(|&center| table[center][item]);
                assert_eq!(nearest.fold(f32::INFINITY, f32::min), distance, "{what}");
            }
            for (slot, &center) in found.centers.iter().enumerate().take(fixed.len()) {
                assert_eq!(found.assignment.labels[center], slot as u32, "{what}");
            }
        }
    }
}

#[test]
fn restarts_find_the_best_candidates_of_small_instances() {
    for seed in 0..10 {
        for (name, space) in spaces(14, seed) {
            let (candidates, fixed) = sites(14, 1, seed);
            let table = all_distances(&*space);
            let problem = Problem::of(&*space)
                .demand(&demand(14, seed))
                .candidates(candidates.iter().copied())
                .fixed(fixed.iter().copied())
                .build()
                .unwrap();
            let plan = KMedian { restarts: Some(20), seed: Seed(seed), ..KMedian::default() };
            let sets = subsets(candidates.len(), 3);
            let sets =
                sets.iter().map(|set| set.iter().map(|&at| candidates[at]).collect::<Vec<_>>());
            let best = sets
                .filter(|set| set.contains(&fixed[0]))
                .map(|set| plain_cost(&table, &problem, &set))
                .fold(f64::INFINITY, f64::min);
            let found = plan.fit(&problem, 3).unwrap();
            assert_close(found.cost, best, &format!("{name}, seed {seed}"));
        }
    }
}

/// A list of all items and no fixed center is no restriction: the answers are the same.
#[test]
fn all_items_are_the_default() {
    let space = common::vectors(300, 3, Metric::L2, 1);
    assert_eq!(
        Sites::new(300, Some(&(0..300).collect::<Vec<_>>()), &[]).unwrap(),
        Sites::default()
    );
    let plain = Problem::of(&space).build().unwrap();
    let all = Problem::of(&space).candidates(0..300).build().unwrap();
    let plan = KMedian { restarts: Some(2), ..KMedian::default() };
    let [a, b] = [plain, all].map(|problem| plan.fit(&problem, 5).unwrap());
    assert_eq!((a.centers, a.cost, a.judged), (b.centers, b.cost, b.judged));
}

#[test]
fn as_many_fixed_as_centers_is_an_assignment() {
    for (name, space) in spaces(30, 4) {
        for init in inits() {
            let problem = Problem::of(&*space).fixed([7, 3]).build().unwrap();
            let plan = KMedian { init, restarts: Some(3), ..KMedian::default() };
            let found = plan.fit(&problem, 2).unwrap();
            assert_eq!(found.centers, [7, 3], "{name}");
            assert_eq!((found.stop, found.swaps), (Stop::LocalOptimum, 0), "{name}");
            assert_close(found.cost, problem.cost(&[7, 3]), &name);
        }
    }
}

#[test]
fn wrong_sites_are_refused() {
    let space = common::vectors(10, 2, Metric::L2, 1);
    let of = || Problem::of(&space);
    let refused = |built: Result<Problem<'_>, kmedian::Error>| match built {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    let cases = [
        (of().candidates([]).build(), "there are no candidates"),
        (
            of().candidates([1, 10]).build(),
            "there is no item 10, which is given among the candidates",
        ),
        (of().candidates([1, 1]).build(), "item 1 is given twice among the candidates"),
        (of().fixed([11]).build(), "there is no item 11, which is given among the fixed centers"),
        (of().fixed([2, 2]).build(), "item 2 is given twice among the fixed centers"),
        (of().candidates([1, 2]).fixed([3]).build(), "item 3 is a fixed center, but not among"),
        (of().sites(&Sites::new(9, None, &[1]).unwrap()).build(), "fixed centers for 9"),
    ];
    for (built, message) in cases {
        let error = refused(built);
        assert!(error.contains(message), "{error}");
    }
    let problem = of().candidates([1, 2, 3]).fixed([1, 2]).build().unwrap();
    let given = |centers: &[usize]| {
        let plan = KMedian { init: Init::Given(centers.to_vec()), ..KMedian::default() };
        plan.fit(&problem, centers.len()).map(|found| found.centers)
    };
    let message = |k| KMedian::default().fit(&problem, k).unwrap_err().to_string();
    assert!(message(1).contains("k = 1, but 2 centers are fixed"), "{}", message(1));
    assert!(message(4).contains("cannot be chosen from 3 candidates"), "{}", message(4));
    assert_eq!(given(&[3, 2, 1]).unwrap(), [1, 2, 3]);
    for (centers, message) in [
        (&[1, 2, 5][..], "item 5 is given as a center, but is not among the candidates"),
        (&[1, 3], "item 2 is a fixed center, but not among the given ones"),
    ] {
        let error = given(centers).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parameter);
        assert!(error.to_string().contains(message), "{error}");
    }
    assert_eq!(problem.objective(), Objective::Median);
}

/// No set of candidates with the fixed centers costs less than the bound, and the effort `optimal`
/// finds the best of them: in every kind of space, along one-way streets, and without a metric.
#[test]
fn bounds_hold_for_candidates_and_fixed_centers() {
    let n = 14;
    for seed in 0..4 {
        let (candidates, fixed) = sites(n, seed as usize % 3, seed);
        let mut all = spaces(n, seed);
        let arcs = directed::arcs(n, n, seed);
        all.push(("one-way".into(), Box::new(kmedian::Graph::directed(n, &arcs).unwrap())));
        for (name, space) in all {
            let table = all_distances(&*space);
            for objective in OBJECTIVES {
                let problem = Problem::of(&*space)
                    .demand(&demand(n, seed))
                    .objective(objective)
                    .candidates(candidates.iter().copied())
                    .fixed(fixed.iter().copied())
                    .build()
                    .unwrap();
                for k in fixed.len().max(1)..=fixed.len() + 2 {
                    let what = format!("{name}, {objective}, k = {k}, seed {seed}");
                    let sets = subsets(candidates.len(), k);
                    let sets = sets
                        .iter()
                        .map(|set| set.iter().map(|&at| candidates[at]).collect::<Vec<_>>());
                    let best = sets
                        .filter(|set| fixed.iter().all(|center| set.contains(center)))
                        .map(|set| plain_cost(&table, &problem, &set))
                        .fold(f64::INFINITY, f64::min);
                    let search = LocalSearch { effort: Effort::Optimal, ..LocalSearch::default() };
                    let found = KMedian { search, ..KMedian::default() }.fit(&problem, k).unwrap();
                    assert_close(found.cost, best, &what);
                    assert_eq!(found.stop, Stop::Optimal, "{what}");
                    assert_eq!(found.centers[..fixed.len()], fixed, "{what}");
                    let bound = LowerBound::default();
                    let bound = bound.of(&problem, &found.centers, &mut Run::default()).unwrap();
                    assert!(
                        bound.value <= best * (1.0 + 1e-6),
                        "{what}: {} and {best}",
                        bound.value
                    );
                    let at =
                        Bound::at(&problem, &found.centers, &bound.prices, &mut Run::default());
                    assert!(at.unwrap() <= best * (1.0 + 1e-6), "{what}");
                }
            }
        }
    }
}
