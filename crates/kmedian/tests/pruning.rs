//! What speeds up a local search changes nothing: the plain scan does the same swaps.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use common::{OBJECTIVES, demand, vectors};
use kmedian::space::{Abilities, Asker};
use kmedian::{
    Clustering, Demand, Effort, Init, KMedian, LocalSearch, Metric, Problem, Seed, Space, Stop,
    SwapRule, Vectors,
};
use rand::RngExt;

/// Vectors of which nothing is known but their distances: every question is answered by looking at
/// all items.
struct Plain<'a>(&'a Vectors);

impl Space for Plain<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        self.0.asker()
    }

    fn diameter_bound(&self) -> f32 {
        self.0.diameter_bound()
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.0.smallest_distance()
    }

    fn relative_error(&self) -> f32 {
        self.0.relative_error()
    }

    fn abilities(&self) -> Abilities {
        Abilities { obeys_triangles: false, ..Abilities::default() }
    }
}

/// Vectors of many coordinates that lie near a few directions, far from the origin.
fn near_few_directions(n: usize, dims: usize, offset: f32, scale: f32, seed: u64) -> Vectors {
    let mut rng = Seed(seed).stream("directions");
    let mut directions = vec![vec![0.0; dims]; 12];
    directions.iter_mut().flatten().for_each(|x| *x = rng.random_range(-1.0..1.0f32));
    let mut values = Vec::with_capacity(n * dims);
    for _ in 0..n {
        let shares: Vec<f32> = directions.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
        for coordinate in 0..dims {
            let seen: f32 = directions.iter().zip(&shares).map(|(d, s)| d[coordinate] * s).sum();
            values.push(scale * (offset + seen + 0.1 * rng.random_range(-1.0..1.0f32)));
        }
    }
    Vectors::new(dims, &values, Metric::L2).unwrap()
}

/// Vectors whose distances have no square among 32-bit floats.
fn too_large(n: usize, dims: usize, metric: Metric, seed: u64) -> Vectors {
    let mut rng = Seed(seed).stream("too large");
    let scale = 2f32.powi(64);
    let values: Vec<f32> = (0..n * dims).map(|_| scale * rng.random_range(-1.0..1.0f32)).collect();
    Vectors::new(dims, &values, metric).unwrap()
}

fn fit(space: &dyn Space, demand: &Demand, plan: &KMedian, problem: usize, k: usize) -> Clustering {
    let problem = Problem::of(space).demand(demand).objective(OBJECTIVES[problem]).build().unwrap();
    plan.fit(&problem, k).unwrap()
}

#[test]
fn the_plain_scan_does_the_same_swaps() {
    let n = 400;
    let cases: [(&str, &dyn Fn() -> Vectors); 13] = [
        ("2 dimensions, l2", &|| vectors(n, 2, Metric::L2, 1)),
        ("2 dimensions, l1", &|| vectors(n, 2, Metric::L1, 2)),
        ("16 dimensions", &|| vectors(n, 16, Metric::L2, 3)),
        ("40 dimensions, l1", &|| vectors(n, 40, Metric::L1, 12)),
        ("40 dimensions, linf", &|| vectors(n, 40, Metric::Linf, 13)),
        ("9 dimensions, angular", &|| vectors(n, 9, Metric::Angular, 14)),
        ("40 dimensions, l1, too large to be squared", &|| too_large(n, 40, Metric::L1, 15)),
        ("40 dimensions, linf, too large to be squared", &|| too_large(n, 40, Metric::Linf, 16)),
        ("70 dimensions", &|| near_few_directions(n, 70, 0.0, 1.0, 4)),
        ("300 dimensions", &|| near_few_directions(n, 300, 0.0, 1.0, 5)),
        ("300 dimensions, far off", &|| near_few_directions(n, 300, 1000.0, 1.0, 6)),
        ("300 dimensions, tiny", &|| near_few_directions(n, 300, 0.0, 1e-12, 7)),
        ("784 dimensions, huge", &|| near_few_directions(n, 784, 0.0, 1e12, 8)),
    ];
    for (name, make) in cases {
        let tabled = make().without_merging();
        let space = &make().without_table().without_merging();
        for (objective, demand) in [Demand::uniform(n), demand(n, 9)].iter().enumerate() {
            let runs = [
                (2, SwapRule::Eager),
                (60, SwapRule::Eager),
                (1, SwapRule::Eager),
                (7, SwapRule::Best),
            ];
            for (k, swap) in runs {
                let search = LocalSearch { swap, ..LocalSearch::default() };
                let restarts = Some(usize::from(swap == SwapRule::Eager));
                let plan = KMedian { init: Init::Random, search, restarts, ..KMedian::default() };
                let pruned = fit(space, demand, &plan, objective, k);
                let search = LocalSearch { memory: Some(0), ..plan.search.clone() };
                let frugal = KMedian { search, ..plan.clone() };
                let without_memory = fit(space, demand, &frugal, objective, k);
                let looked_up = fit(&tabled, demand, &plan, objective, k);
                let plain = fit(&Plain(space), demand, &plan, objective, k);
                for (how, found) in [
                    ("pruned", pruned),
                    ("without memory", without_memory),
                    ("looked up", looked_up),
                ] {
                    let what = format!("{name}, k = {k}, {swap}, {how}");
                    assert_eq!(found.centers, plain.centers, "{what}");
                    assert_eq!(found.swaps, plain.swaps, "{what}");
                    assert_eq!(found.judged, plain.judged, "{what}");
                    assert_eq!(found.stop, Stop::LocalOptimum, "{what}");
                }
            }
        }
    }
}

/// Initial centers may be chosen by lower bounds of distances, and what memory is allowed decides
/// how these are kept.
#[test]
fn the_memory_that_is_allowed_does_not_change_the_answer() {
    // Tables, bounds of two bytes each, of one, and bounds that come before the centers.
    let cases =
        [(300, 5, 4), (300, 70, 40), (1500, 16, 10), (1500, 5, 150), (4200, 6, 12), (4200, 6, 300)];
    for (n, dims, k) in cases {
        for metric in [Metric::L2, Metric::Angular, Metric::L1] {
            let space = vectors(n, dims, metric, 21);
            let found = |memory: Option<usize>, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let search = LocalSearch { memory, ..LocalSearch::default() };
                let plan = KMedian { search, restarts: Some(0), ..KMedian::default() };
                let found = pool.install(|| fit(&space, &Demand::uniform(n), &plan, 0, k));
                (found.centers, found.swaps, found.judged, found.cost.to_bits())
            };
            let plenty = found(None, 2);
            for memory in [0, n * n / 2, n * n, 3 * n * n / 2, 2 * n * n, 3 * n * n] {
                let what = format!("{n} × {dims}, {metric}, k = {k}, {memory} bytes");
                assert_eq!(found(Some(memory), 1), plenty, "{what}");
            }
        }
    }
}

#[test]
fn a_certified_search_ends_in_a_local_optimum_of_all_the_demand() {
    let space = vectors(20_000, 2, Metric::L2, 10).without_merging();
    let demand = demand(20_000, 11);
    let fit = |effort, swap, init| {
        let search = LocalSearch { effort, swap, ..LocalSearch::default() };
        fit(&space, &demand, &KMedian { init, search, ..KMedian::default() }, 0, 6)
    };
    let [fast, balanced, certified] = [Effort::Fast, Effort::Balanced, Effort::Certified]
        .map(|effort| fit(effort, SwapRule::Eager, Init::Random));
    assert_eq!(fast.stop, Stop::Sampled);
    assert_eq!(balanced.stop, Stop::OnePass);
    assert_eq!(certified.stop, Stop::LocalOptimum);
    assert!(fast.cost <= fast.init_cost);
    assert!(balanced.cost <= fast.cost);
    assert!(certified.cost <= balanced.cost);
    let again = fit(Effort::Certified, SwapRule::Best, Init::Given(certified.centers.clone()));
    assert_eq!((again.swaps, again.cost), (0, certified.cost));
}

#[test]
fn samples_do_not_hide_items_without_demand() {
    // Customers on circles, and in the middle of each a site that nobody asks for yet.
    let (circles, customers) = (40, 400);
    let mut rng = Seed(17).stream("circles");
    let mut points = Vec::new();
    for circle in 0..circles {
        points.extend([100.0 * circle as f32, 0.0]);
    }
    for customer in 0..circles * customers {
        let angle: f32 = rng.random_range(0.0..std::f32::consts::TAU);
        points
            .extend([100.0 * (customer % circles) as f32 + 10.0 * angle.cos(), 10.0 * angle.sin()]);
    }
    let space = Vectors::new(2, &points, Metric::L2).unwrap();
    let weights = (0..circles * (customers + 1)).map(|item| f64::from(item >= circles)).collect();
    let demand = Demand::new(weights).unwrap();
    for effort in [Effort::Fast, Effort::Balanced] {
        let search = LocalSearch { effort, ..LocalSearch::default() };
        let found = fit(&space, &demand, &KMedian { search, ..KMedian::default() }, 0, circles);
        let sites = found.centers.iter().filter(|&&center| center < circles).count();
        assert_eq!(sites, circles, "{effort}");
    }
}
