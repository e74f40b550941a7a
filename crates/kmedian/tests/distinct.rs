//! Centers are distinct items on every path, also where distances are no metric and different items
//! are in one place.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use kmedian::privacy::{Entropy, Method, PrivateInit, PrivateSearch, PrivateTree, Recipe};
use kmedian::privacy::{Sensitivity, data_free_centers};
use kmedian::{
    Custom, Demand, Effort, Hst, Init, KMedian, LocalSearch, Matrix, Objective, Problem, Run, Seed,
    Space, SwapRule, TreeKind, TreeSearch,
};
use rand::{Rng, RngExt};

/// A symmetric matrix of a few whole numbers, many of them zero: rarely a metric.
fn matrix(items: usize, rng: &mut impl Rng) -> Matrix {
    let mut values = vec![0.0; items * items];
    let zeros = rng.random_range(0.0..1.0);
    for a in 0..items {
        for b in 0..a {
            let distance = if rng.random_bool(zeros) { 0.0 } else { rng.random_range(1..9) as f32 };
            values[a * items + b] = distance;
            values[b * items + a] = distance;
        }
    }
    Matrix::new(items, values).unwrap()
}

fn inits() -> Vec<Init> {
    let trees = [
        TreeKind::default(),
        TreeKind::Fitted { branching: 2, levels: 3 },
        TreeKind::Fitted { branching: 3, levels: 1 },
        TreeKind::Ball { levels: 4 },
        TreeKind::Frt,
    ];
    let searches = [TreeSearch::Exact, TreeSearch::Paper];
    let on_trees =
        trees.into_iter().flat_map(|tree| searches.map(|search| Init::Hst(Hst { tree, search })));
    [Init::Auto, Init::Random, Init::PlusPlus, Init::Greedy].into_iter().chain(on_trees).collect()
}

fn searches() -> Vec<LocalSearch> {
    let eager = |effort| LocalSearch { effort, ..LocalSearch::default() };
    vec![
        LocalSearch { max_swaps: Some(0), ..LocalSearch::default() },
        LocalSearch { swap: SwapRule::Best, ..LocalSearch::default() },
        eager(Effort::Fast),
        eager(Effort::Balanced),
        eager(Effort::Certified),
    ]
}

/// Items without demand are drawn only if there are too few others, as among sites, which have
/// none.
#[test]
fn random_centers_have_demand() {
    let apart: Vec<f32> = (0..64).map(|cell| if cell % 9 == 0 { 0.0 } else { 1.0 }).collect();
    let space = Matrix::new(8, apart).unwrap();
    let demand = Demand::new(vec![0.0, 2.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0]).unwrap();
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    for (seed, k) in (0..40).flat_map(|seed| (1..=8).map(move |k| (seed, k))) {
        let start = Init::Random.prepare(&problem, Seed(seed), &mut Run::default()).unwrap();
        let centers = start.centers(k, &mut Run::default()).unwrap();
        assert_distinct(&centers, k, 8, "random");
        let with_demand = centers.iter().filter(|&&center| demand.of(center) > 0.0).count();
        assert_eq!(with_demand, k.min(3), "{centers:?}");
    }
}

fn assert_distinct(centers: &[usize], k: usize, items: usize, what: &str) {
    let mut sorted = centers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), k, "{what}: {centers:?} are not {k} distinct items");
    assert!(sorted.iter().all(|&center| center < items), "{what}: {centers:?}");
}

#[test]
fn centers_are_distinct_whatever_the_distances() {
    for case in 0..150 {
        let mut rng = Seed(case).stream("distinct");
        let items = rng.random_range(2..24);
        let space = matrix(items, &mut rng);
        let weights = (0..items).map(|item| (item as u64 % 3 + case % 2) as f64).collect();
        let demand = Demand::new(weights).unwrap_or_else(|_| Demand::uniform(items));
        let objective = if case % 3 == 0 { Objective::Means } else { Objective::Median };
        let problem = Problem::of(&space).demand(&demand).objective(objective).build().unwrap();
        for init in inits() {
            for search in searches() {
                let restarts = Some(rng.random_range(0..3));
                let plan = KMedian {
                    init: init.clone(),
                    search,
                    restarts,
                    seed: Seed(case),
                    ..KMedian::default()
                };
                let prepared = plan.prepare(&problem, &mut Run::default()).unwrap();
                for k in [1, 2, items / 2, items].into_iter().filter(|&k| (1..=items).contains(&k))
                {
                    let found = prepared.fit(k, &mut Run::default()).unwrap();
                    assert_distinct(&found.centers, k, items, &format!("case {case}, {plan:?}"));
                }
            }
        }
    }
}

#[test]
fn private_centers_are_distinct_whatever_the_distances() {
    for case in 0..60 {
        let mut rng = Seed(case).stream("distinct private");
        let items = rng.random_range(2..20);
        let space = matrix(items, &mut rng);
        let counts: Vec<u64> = (0..items as u64).map(|item| item % 4).collect();
        let trees = [None, Some(TreeKind::Frt), Some(TreeKind::Ball { levels: 3 })];
        let ks: Vec<usize> = (1..=items).collect();
        for tree in trees {
            let recipe = Recipe { tree, seed: Seed(case), ..Recipe::new("1".parse().unwrap()) };
            let mut noise = Entropy::seeded_not_private(Seed(case));
            let release =
                PrivateTree::release(&space, &counts, &recipe, &mut noise, &mut Run::default())
                    .unwrap();
            for method in [Method::Refined, Method::Exact] {
                let plan = release.plan(method);
                let found = release
                    .centers(&space, &ks, Objective::Median, &plan, &mut Run::default())
                    .unwrap();
                let free =
                    data_free_centers(&space, &ks, Objective::Median, &plan, &mut Run::default())
                        .unwrap();
                for (&k, (found, free)) in ks.iter().zip(found.iter().zip(&free)) {
                    assert_distinct(&found.centers, k, items, &format!("case {case}, {tree:?}"));
                    assert_distinct(free, k, items, &format!("case {case}, without data"));
                }
            }
        }
        for init in [PrivateInit::Tree(Method::Exact), PrivateInit::PaperTree { levels: 3 }] {
            let search = PrivateSearch {
                init,
                iterations: Some(3),
                sensitivity: Sensitivity::Adaptive,
                ..PrivateSearch::new("1".parse().unwrap())
            };
            let mut noise = Entropy::seeded_not_private(Seed(case));
            let k = items.div_ceil(2);
            let found = search
                .run(&space, &counts, k, Objective::Median, &mut noise, &mut Run::default())
                .unwrap();
            for centers in &found.history {
                assert_distinct(centers, k, items, &format!("case {case}, {init:?}"));
            }
        }
    }
}

/// A function that obeys no triangle inequality, and says so, is searched like its matrix: no swap
/// improves what is certified, costs are right, and bounds hold.
#[test]
fn a_function_without_triangles() {
    let mut rng = Seed(5).stream("no triangles");
    for round in 0..150 {
        let items = rng.random_range(2..30);
        let matrix = matrix(items, &mut rng);
        let mut asker = matrix.asker();
        let all: Vec<Vec<f32>> =
            (0..items).map(|a| (0..items).map(|b| asker.distance(a, b)).collect()).collect();
        let space = Custom::new(items, |a: usize, b: usize| all[a][b]).unwrap().without_triangles();
        let cost = |centers: &[usize]| -> f64 {
            let to = |item: usize| centers.iter().map(|&center| all[center][item]).collect();
            let nearest = |all: Vec<f32>| all.into_iter().fold(f32::INFINITY, f32::min);
            (0..items).map(|item| f64::from(nearest(to(item)))).sum()
        };
        let k = rng.random_range(1..=items.min(5));
        for effort in [Effort::Certified, Effort::Optimal] {
            let problem = Problem::of(&space).build().unwrap();
            let search = LocalSearch { effort, ..LocalSearch::default() };
            let plan = KMedian { search, seed: Seed(round), ..KMedian::default() };
            let found = plan.fit(&problem, k).unwrap();
            assert_eq!(found.cost, cost(&found.centers), "round {round}, {effort:?}");
            for (slot, item) in (0..k).flat_map(|slot| (0..items).map(move |item| (slot, item))) {
                let mut swapped = found.centers.clone();
                swapped[slot] = item;
                assert!(cost(&swapped) >= found.cost, "round {round}, {effort:?}");
                assert!(found.bound.is_none_or(|bound| bound <= cost(&swapped)));
            }
        }
    }
}
