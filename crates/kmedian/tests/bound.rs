//! The lower bound: never above the optimum, and exact where arithmetic is.

mod common;

use common::{OBJECTIVES, all_distances, demand, matrix, plain_cost, spaces, subsets};
use kmedian::{
    Bound, Demand, Effort, Graph, KMedian, LocalSearch, LowerBound, Matrix, Metric, Objective,
    Problem, Proof, Run, Seed, Space, Stop, Vectors,
};
use rand::RngExt;

/// The least cost of all sets of k items.
fn optimum(table: &[Vec<f32>], problem: &Problem<'_>, k: usize) -> f64 {
    let costs = subsets(problem.len(), k).into_iter().map(|set| plain_cost(table, problem, &set));
    costs.fold(f64::INFINITY, f64::min)
}

/// The bound at given prices from the definition.
fn plain_bound(table: &[Vec<f32>], problem: &Problem<'_>, k: usize, prices: &[f64]) -> f64 {
    let n = problem.len();
    let saving = |site: usize| -> f64 {
        let spare =
            |item: usize| (prices[item] - problem.objective().of(table[site][item])).max(0.0);
        (0..n).map(|item| problem.demand().of(item) * spare(item)).sum()
    };
    let mut savings: Vec<f64> = (0..n).map(saving).collect();
    savings.sort_by(|a, b| b.total_cmp(a));
    let paid: f64 = (0..n).map(|item| problem.demand().of(item) * prices[item]).sum();
    paid - savings[..k.min(n)].iter().sum::<f64>()
}

/// No bound is above the least cost of all sets of centers.
///
/// Mistakes that were put into the crate one by one, and that this test was seen to fail on: caps of
/// 0.9 of the price in `Ground::question`; the site that saves most left out of `passes::prove`;
/// `Ground::rounded` up where costs are not whole; the largest `free - 1` savings in
/// `Ground::bound`; savings a billionth too small in `rounding::at_most`; caps on a graph that are
/// not Lipschitz. `neighbors_say_as_much_as_all_sites` was seen to fail on reaches in
/// `Ground::groups` with 0.7 of the cap, which takes more items than there are here. What
/// `levels.rs` and `chains.rs` leave out has a test beside it.
#[test]
fn no_bound_is_above_the_optimum_on_2000_instances() {
    let (mut instances, mut tight) = (0, 0);
    for seed in 0..100 {
        let mut rng = Seed(seed).stream("bound");
        let n = rng.random_range(4..10);
        let demand = if seed % 2 == 0 { demand(n, seed) } else { Demand::uniform(n) };
        for (name, space) in spaces(n, seed) {
            let table = all_distances(&*space);
            for objective in OBJECTIVES {
                let problem =
                    Problem::of(&*space).demand(&demand).objective(objective).build().unwrap();
                let k = rng.random_range(1..4.min(n));
                let best = optimum(&table, &problem, k);
                let centers: Vec<usize> = (0..k).collect();
                // Prices to begin with may be of any size.
                let given = (0..n).map(|_| best * 10f64.powi(rng.random_range(-3..3)));
                let prices = (seed % 3 == 0).then(|| given.collect());
                let found = LowerBound { max_passes: Some(120), prices, ..LowerBound::default() }
                    .of(&problem, &centers, &mut Run::default())
                    .unwrap();
                // Distances of a graph are added from one end or the other.
                let rounding = 1e-6 * best;
                let what = format!("{name}, seed {seed}, {objective}, k = {k}");
                assert!(found.value <= best + rounding, "{what}: {} > {best}", found.value);
                let plain = plain_bound(&table, &problem, k, &found.prices);
                assert!(found.value <= plain.max(0.0).ceil().max(best) + rounding, "{what}");
                instances += 1;
                tight += usize::from(found.value >= best * 0.99);
            }
        }
    }
    assert!(instances >= 2000, "{instances}");
    assert!(tight > instances * 3 / 4, "{tight} of {instances} within 1 %");
}

/// The bound at prices in quarters, on whole distances and weights, in exact arithmetic: four times
/// its value.
fn exact_bound(table: &[Vec<i128>], weights: &[i128], k: usize, quarters: &[i128]) -> i128 {
    let saving = |site: &Vec<i128>| -> i128 {
        let each = site.iter().zip(quarters).zip(weights);
        each.map(|((distance, price), weight)| weight * (price - 4 * distance).max(0)).sum()
    };
    let mut savings: Vec<i128> = table.iter().map(saving).collect();
    savings.sort_unstable_by(|a, b| b.cmp(a));
    let paid: i128 = weights.iter().zip(quarters).map(|(weight, price)| weight * price).sum();
    paid - savings[..k].iter().sum::<i128>()
}

#[test]
fn whole_numbers_are_bounded_exactly_and_rounded_up() {
    for seed in 0..60 {
        let mut rng = Seed(seed).stream("exact");
        let n = rng.random_range(5..40);
        let k = rng.random_range(1..5);
        let large = if seed % 2 == 0 { 100.0 } else { 8_000_000.0 };
        let mut values = vec![0.0f32; n * n];
        for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let distance = rng.random_range(1.0..large as f32).floor();
            (values[a * n + b], values[b * n + a]) = (distance, distance);
        }
        let space = Matrix::new(n, values.clone()).unwrap();
        let weights: Vec<f64> = (0..n).map(|_| f64::from(rng.random_range(1..9u8))).collect();
        let people = Demand::new(weights.clone()).unwrap();
        let problem = Problem::of(&space).demand(&people).build().unwrap();
        let quarters: Vec<i128> =
            (0..n).map(|_| rng.random_range(0..(4.0 * large) as i64).into()).collect();
        let prices: Vec<f64> = quarters.iter().map(|&price| price as f64 / 4.0).collect();
        let rows: Vec<Vec<i128>> =
            values.chunks(n).map(|row| row.iter().map(|&d| d as i128).collect()).collect();
        let counts: Vec<i128> = weights.iter().map(|&weight| weight as i128).collect();
        let exact = exact_bound(&rows, &counts, k, &quarters).max(0);
        let centers: Vec<usize> = (0..k).collect();
        let bound = Bound::at(&problem, &centers, &prices, &mut Run::default()).unwrap();
        // Rounded up, and never to a whole number too many.
        assert_eq!(bound, ((exact + 3) / 4) as f64, "seed {seed}");
    }
}

#[test]
fn optimal_centers_are_those_of_brute_force() {
    for seed in 0..12 {
        let n = 9;
        let demand = demand(n, seed);
        for (name, space) in spaces(n, seed) {
            let table = all_distances(&*space);
            for objective in OBJECTIVES {
                let problem =
                    Problem::of(&*space).demand(&demand).objective(objective).build().unwrap();
                let search = LocalSearch { effort: Effort::Optimal, ..LocalSearch::default() };
                let plan = KMedian { search, seed: Seed(seed), ..KMedian::default() };
                let found = plan.fit(&problem, 3).unwrap();
                let best = optimum(&table, &problem, 3);
                let what = format!("{name}, seed {seed}, {objective}");
                common::assert_close(found.cost, best, &what);
                assert_eq!(found.stop, Stop::Optimal, "{what}");
                assert!(found.gap().unwrap() <= 1e-9, "{what}");
                common::assert_close(problem.cost(&found.centers), found.cost, &what);
            }
        }
    }
}

#[test]
fn a_gap_is_proven_and_threads_change_nothing() {
    let space = common::vectors(300, 2, kmedian::Metric::L2, 3);
    let problem = Problem::of(&space).build().unwrap();
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let plan = KMedian { proof: Proof::Gap(0.01), ..KMedian::default() };
        pool.install(|| plan.fit(&problem, 12).unwrap())
    };
    let (one, three) = (fit(1), fit(3));
    assert!(one.gap().unwrap() <= 0.01, "{:?}", one.gap());
    assert!(matches!(one.stop, Stop::GapReached | Stop::Optimal), "{}", one.stop);
    assert_eq!((one.centers, one.cost, one.bound), (three.centers, three.cost, three.bound));
}

/// A road network: a grid of junctions, with many nodes on the way from one to the next, and dead
/// ends.
fn roads(side: u32, rng: &mut impl rand::Rng) -> (usize, Vec<(u32, u32, f32)>) {
    let (mut nodes, mut edges) = (side * side, Vec::new());
    let mut walk = |from: u32, to: Option<u32>, steps: u32, rng: &mut dyn FnMut() -> f32| {
        let mut at = from;
        for _ in 0..steps {
            edges.push((at, nodes, rng()));
            (at, nodes) = (nodes, nodes + 1);
        }
        edges.extend(to.map(|to| (at, to, rng())));
    };
    for junction in 0..side * side {
        let (right, below) = (junction + 1, junction + side);
        let steps = rng.random_range(3..25);
        let mut length = || rng.random_range(0.5..1.5f32);
        if right % side != 0 {
            walk(junction, Some(right), steps, &mut length);
        }
        if below < side * side {
            walk(junction, Some(below), 30 - steps, &mut length);
        }
        if junction % 4 == 0 {
            walk(junction, None, steps, &mut length);
        }
    }
    (nodes as usize, edges)
}

/// Where sites are many and few lists are kept, most are not asked but bounded by what their
/// neighbors say: at the same prices that proves as much as asking all of them.
#[test]
fn neighbors_say_as_much_as_all_sites() {
    let mut rng = Seed(1).stream("levels");
    let values: Vec<f32> = (0..2 * 5000).map(|_| rng.random_range(0.0..100.0)).collect();
    let side = 71;
    let mut edges = Vec::new();
    for node in 0..side * side {
        for next in [node + 1, node + side] {
            let wraps = next == node + 1 && next % side == 0;
            if next < side * side && !wraps {
                edges.push((node, next, rng.random_range(0.5..1.5f32)));
            }
        }
    }
    let points = Vectors::new(2, &values, Metric::L2).unwrap();
    let streets = Graph::new((side * side) as usize, &edges).unwrap();
    let (nodes, ways) = roads(15, &mut rng);
    let roads = Graph::new(nodes, &ways).unwrap();
    assert!(nodes > 5000, "{nodes}");
    let spaces: [&dyn Space; 3] = [&points, &streets, &roads];
    for (space, objective) in spaces.into_iter().flat_map(|s| OBJECTIVES.map(|o| (s, o))) {
        let problem = Problem::of(space).objective(objective).build().unwrap();
        let centers: Vec<usize> = (0..20).map(|at| at * (space.len() / 20)).collect();
        let (max_passes, memory) = (Some(90), Some(1 << 20));
        let found = LowerBound { max_passes, memory, ..LowerBound::default() }
            .of(&problem, &centers, &mut Run::default())
            .unwrap();
        assert!(found.value > 0.0 && found.full_passes > 1, "{}", found.value);
        let exact = Bound::at(&problem, &centers, &found.prices, &mut Run::default()).unwrap();
        assert!((found.value - exact).abs() <= 1e-9 * exact, "{} {exact}", found.value);
    }
}

/// With thousands of centers items are grouped round some of them only, and the bound is the same.
#[test]
fn many_centers_are_bounded_as_few_are() {
    let mut rng = Seed(5).stream("many");
    let values: Vec<f32> = (0..2 * 3000).map(|_| rng.random_range(0.0..100.0)).collect();
    let space = Vectors::new(2, &values, Metric::L2).unwrap();
    let problem = Problem::of(&space).build().unwrap();
    let centers = KMedian::default().fit(&problem, 1500).unwrap().centers;
    let limits = LowerBound { max_passes: Some(300), ..LowerBound::default() };
    let found = limits.of(&problem, &centers, &mut Run::default()).unwrap();
    let table = all_distances(&space);
    let plain = plain_bound(&table, &problem, 1500, &found.prices);
    common::assert_close(found.value, plain, "1500 centers");
    assert!(found.value > 0.9 * found.cost, "{} of {}", found.value, found.cost);
}

/// A time limit leaves time for the pass over all sites, without which there is no bound.
#[test]
fn a_bound_comes_out_of_any_time_limit() {
    let space = common::vectors(6000, 2, Metric::L2, 6);
    let problem = Problem::of(&space).build().unwrap();
    for milliseconds in [0, 1, 200] {
        let time_limit = Some(std::time::Duration::from_millis(milliseconds));
        let search = LocalSearch { time_limit, ..LocalSearch::default() };
        let plan = KMedian { search, proof: Proof::Gap(1e-6), ..KMedian::default() };
        let found = plan.fit(&problem, 10).unwrap();
        assert!(found.bound.is_some_and(|bound| bound > 0.0), "{:?}", found.bound);
        // In the longest of these times, a fast machine may prove all that there is to prove.
        assert!(milliseconds > 1 || found.stop == Stop::TimeLimit, "{:?}", found.stop);
    }
}

/// The prices that prove a bound for one k are a better start for the next than those that its
/// centers suggest.
#[test]
fn prices_of_one_k_are_a_start_for_the_next() {
    let (mut with, mut without) = (0.0, 0.0);
    for seed in 0..6 {
        let space = common::vectors(400, 3, Metric::L2, seed);
        let problem = Problem::of(&space).build().unwrap();
        let centers = |k| KMedian::default().fit(&problem, k).unwrap().centers;
        let run = &mut Run::default();
        let prices = LowerBound::default().of(&problem, &centers(10), run).unwrap().prices;
        let next = centers(11);
        let share = |prices: Option<Vec<f64>>| {
            let limits = LowerBound { max_passes: Some(2), prices, ..LowerBound::default() };
            let found = limits.of(&problem, &next, &mut Run::default()).unwrap();
            found.value / found.cost
        };
        with += share(Some(prices)) / 6.0;
        without += share(None) / 6.0;
        let plan = KMedian { proof: Proof::Bound, ..KMedian::default() };
        let each = plan.prepare(&problem, run).unwrap().fit_each(&[10, 11, 5], run).unwrap();
        for (found, k) in each.iter().zip([10, 11, 5]) {
            let alone = plan.fit(&problem, k).unwrap();
            assert_eq!((&found.centers, found.cost), (&alone.centers, alone.cost));
            assert!(found.gap().unwrap() < 0.02, "k = {k}: {:?}", found.gap());
        }
    }
    assert!(with > without + 0.001, "{with} and {without}");
}

#[test]
fn a_bound_alone_leaves_the_centers_as_they_are() {
    let space = matrix(60, 5);
    let problem = Problem::of(&space).objective(Objective::Means).build().unwrap();
    let plain = KMedian::default().fit(&problem, 5).unwrap();
    assert_eq!((plain.bound, plain.gap()), (None, None));
    let bounded = KMedian { proof: Proof::Bound, ..KMedian::default() }.fit(&problem, 5).unwrap();
    assert_eq!((plain.centers, plain.cost), (bounded.centers.clone(), bounded.cost));
    let bound = bounded.bound.unwrap();
    assert!(bound > 0.8 * bounded.cost && bound <= bounded.cost);
}

#[test]
fn a_run_that_is_ended_has_what_was_proven() {
    let space = matrix(80, 6);
    let problem = Problem::of(&space).build().unwrap();
    let mut last = 0.0;
    let mut watch = |step: &kmedian::Step| match *step {
        kmedian::Step::Bounded { bound, .. } => {
            last = bound;
            std::ops::ControlFlow::Break(())
        }
        _ => std::ops::ControlFlow::Continue(()),
    };
    let mut run = Run::observed_by(&mut watch);
    let centers: Vec<usize> = (0..6).collect();
    let found = LowerBound::default().of(&problem, &centers, &mut run).unwrap();
    assert_eq!(found.value, last);
    let ended = Run::default();
    ended.halt().stop();
    assert!(LowerBound::default().of(&problem, &centers, &mut { ended }).is_err());
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let space = matrix(8, 1);
    let problem = Problem::of(&space).build().unwrap();
    let run = &mut Run::default();
    let of = |gap| LowerBound { gap, ..LowerBound::default() };
    assert!(of(-0.1).of(&problem, &[0], run).is_err());
    assert!(of(f64::NAN).of(&problem, &[0], run).is_err());
    assert!(of(0.0).of(&problem, &[0, 0], run).is_err());
    assert!(Bound::at(&problem, &[0], &[1.0; 7], run).is_err());
    assert!(Bound::at(&problem, &[0], &[-1.0; 8], run).is_err());
    assert!(of(1.0).of(&problem, &[0], run).is_err());
    for prices in [vec![1.0; 7], vec![f64::NAN; 8]] {
        let limits = LowerBound { prices: Some(prices), ..LowerBound::default() };
        assert!(limits.of(&problem, &[0], run).is_err());
    }
    for gap in [-1.0, 1.0] {
        assert!(KMedian { proof: Proof::Gap(gap), ..KMedian::default() }.fit(&problem, 2).is_err());
    }
    for text in ["", "%", "-1%", "a", "nan", "inf", "100%", "1", "120 %"] {
        assert!(kmedian::gap(text).is_err(), "{text}");
    }
    assert_eq!(kmedian::gap(" 0.5 % "), Ok(0.005));
}
