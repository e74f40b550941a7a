//! Local search ends where no swap improves, whatever it starts from.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{
    OBJECTIVES, all_distances, assert_close, demand, graph, plain_cost, roads, spaces, subsets,
    vectors,
};
use kmedian::{
    Custom, Demand, Effort, ErrorKind, Halt, Hst, Init, KMedian, LocalSearch, Metric, Objective,
    Problem, Run, Seed, Space, Step, Stop, SwapRule, TreeKind, TreeSearch, Vectors,
};

fn inits(k: usize) -> Vec<Init> {
    let hst = |tree, search| Init::Hst(Hst { tree, search });
    vec![
        Init::Random,
        Init::PlusPlus,
        Init::Greedy,
        Init::default(),
        hst(TreeKind::Ball { levels: 6 }, TreeSearch::Paper),
        hst(TreeKind::Frt, TreeSearch::Exact),
        Init::Given((0..k).collect()),
    ]
}

#[test]
fn ends_where_brute_force_finds_no_better_swap() {
    for seed in 0..3 {
        for (name, space) in spaces(40, seed) {
            let table = all_distances(&*space);
            let demand = demand(40, seed);
            for objective in OBJECTIVES {
                let problem =
                    Problem::of(&*space).demand(&demand).objective(objective).build().unwrap();
                for k in [1, 2, 7] {
                    for init in inits(k) {
                        for swap in [SwapRule::Eager, SwapRule::Best] {
                            let what = format!(
                                "{name}, {objective}, k = {k}, {init:?}, {swap}, seed {seed}"
                            );
                            let search = LocalSearch { swap, ..LocalSearch::default() };
                            let plan = KMedian {
                                init: init.clone(),
                                search,
                                seed: Seed(seed),
                                ..KMedian::default()
                            };
                            let found = plan.fit(&problem, k).unwrap();
                            let cost = plain_cost(&table, &problem, &found.centers);
                            assert_close(found.cost, cost, &what);
                            assert_close(problem.cost(&found.centers), cost, &what);
                            assert!(found.cost <= found.init_cost, "{what}");
                            assert_eq!(found.stop, Stop::LocalOptimum, "{what}");
                            for slot in 0..k {
                                for newcomer in (0..40).filter(|item| !found.centers.contains(item))
                                {
                                    let mut swapped = found.centers.clone();
                                    swapped[slot] = newcomer;
                                    let better = plain_cost(&table, &problem, &swapped);
                                    assert!(
                                        better >= cost * (1.0 - 1e-6),
                                        "{what}: {newcomer} improves"
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// On a road network most candidates are dismissed by what is known of others: all are judged here
/// again, with a demand that is a thousand times larger at a few items.
#[test]
fn who_is_dismissed_on_roads_would_not_improve() {
    let n = 300;
    for seed in 0..8 {
        let space = roads(n, seed);
        let table = all_distances(&space);
        let weight = |item: usize| if item % 17 == 3 { 1000.0 } else { (item % 3) as f64 };
        let demand = Demand::new((0..n).map(weight).collect()).unwrap();
        for objective in OBJECTIVES {
            let problem = Problem::of(&space).demand(&demand).objective(objective).build().unwrap();
            for k in [1, 4, 12] {
                let plan = KMedian { init: Init::Random, seed: Seed(seed), ..KMedian::default() };
                let found = plan.fit(&problem, k).unwrap();
                let cost = plain_cost(&table, &problem, &found.centers);
                assert_close(found.cost, cost, "cost");
                for slot in 0..k {
                    for newcomer in 0..n {
                        let mut swapped = found.centers.clone();
                        swapped[slot] = newcomer;
                        let better = plain_cost(&table, &problem, &swapped);
                        let what = format!("{newcomer}, {objective}, k = {k}, seed {seed}");
                        assert!(better >= cost * (1.0 - 1e-9), "{what}: {better} and {cost}");
                    }
                }
            }
        }
    }
}

#[test]
fn restarts_find_the_optimum_of_small_instances() {
    for seed in 0..5 {
        let space = graph(14, 14, seed);
        let demand = demand(14, seed);
        let table = all_distances(&space);
        let problem = Problem::of(&space).demand(&demand).build().unwrap();
        let plan = KMedian { restarts: Some(30), seed: Seed(seed), ..KMedian::default() };
        for k in [2, 4, 6] {
            let best = subsets(14, k)
                .iter()
                .map(|set| plain_cost(&table, &problem, set))
                .fold(f64::INFINITY, f64::min);
            assert_close(
                plan.fit(&problem, k).unwrap().cost,
                best,
                &format!("k = {k}, seed {seed}"),
            );
        }
    }
}

/// Five items on a line, solved by hand: from items 0 and 1 it takes one swap to the optimum.
#[test]
fn a_hand_solved_line() {
    let line = Vectors::new(1, &[0.0, 1.0, 2.0, 9.0, 10.0], Metric::L1).unwrap();
    let demand = Demand::uniform(5);
    let problem = Problem::of(&line).demand(&demand).build().unwrap();
    let plan = KMedian {
        init: Init::Given(vec![0, 1]),
        search: LocalSearch { swap: SwapRule::Best, ..LocalSearch::default() },
        ..KMedian::default()
    };
    let found = plan.fit(&problem, 2).unwrap();
    assert_eq!((found.init_cost, found.cost, found.swaps), (18.0, 3.0, 1));
    assert_eq!(found.centers[1], 1);
    assert!(found.centers[0] == 3 || found.centers[0] == 4);
}

#[test]
fn the_thread_count_does_not_change_the_answer() {
    let with_threads = |threads: usize, init: &Init| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let demand = demand(600, 9);
            let mut found = Vec::new();
            for (_, space) in spaces(600, 9).iter().filter(|(name, _)| name != "matrix") {
                let problem = Problem::of(&**space).demand(&demand).build().unwrap();
                let plan = KMedian {
                    init: init.clone(),
                    restarts: Some(1),
                    seed: Seed(9),
                    ..KMedian::default()
                };
                let fit = plan.fit(&problem, 8).unwrap();
                found.push((fit.centers, fit.cost.to_bits(), fit.swaps, fit.judged));
            }
            found
        })
    };
    for init in [Init::default(), Init::Greedy] {
        let one = with_threads(1, &init);
        assert_eq!(one, with_threads(2, &init));
        assert_eq!(one, with_threads(5, &init));
    }
}

/// More items than a single thread would scan for one question.
#[test]
fn large_scans_do_not_depend_on_threads_either() {
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let space = vectors(50_000, 2, Metric::L2, 3);
            let demand = Demand::uniform(50_000);
            let problem =
                Problem::of(&space).demand(&demand).objective(Objective::Means).build().unwrap();
            let search = LocalSearch { max_swaps: Some(3), ..LocalSearch::default() };
            let fit = KMedian { search, ..KMedian::default() }.fit(&problem, 5).unwrap();
            (fit.centers, fit.cost.to_bits())
        })
    };
    assert_eq!(with_threads(1), with_threads(2));
}

#[test]
fn limits_and_observers_end_the_search() {
    let space = graph(300, 300, 1);
    let demand = Demand::uniform(300);
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    let fit = |search: LocalSearch| {
        KMedian { init: Init::Random, search, ..KMedian::default() }.fit(&problem, 10).unwrap()
    };
    let none = fit(LocalSearch { max_swaps: Some(0), ..LocalSearch::default() });
    assert_eq!((none.stop, none.swaps, none.cost), (Stop::MaxSwaps, 0, none.init_cost));
    let three = fit(LocalSearch { max_swaps: Some(3), ..LocalSearch::default() });
    assert_eq!((three.stop, three.swaps), (Stop::MaxSwaps, 3));
    let no_time = fit(LocalSearch { time_limit: Some(Duration::ZERO), ..LocalSearch::default() });
    assert_eq!((no_time.stop, no_time.swaps), (Stop::TimeLimit, 0));
    let coarse = fit(LocalSearch { alpha: 0.5, swap: SwapRule::Best, ..LocalSearch::default() });
    assert_eq!(coarse.stop, Stop::AlphaOptimum);

    let plan = KMedian { init: Init::Random, restarts: Some(100), ..KMedian::default() };
    let mut costs = Vec::new();
    let mut stop_after_five = |step: &Step| {
        if let Step::Judged { cost, swaps, .. } = step {
            costs.push(*cost);
            return if *swaps >= 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        ControlFlow::Continue(())
    };
    let stopped = plan
        .prepare(&problem, &mut Run::default())
        .unwrap()
        .fit(10, &mut Run::observed_by(&mut stop_after_five))
        .unwrap();
    assert_eq!(stopped.stop, Stop::Cancelled);
    assert!(costs.is_sorted_by(|a, b| a >= b), "the cost never rises");
    assert_eq!(costs.last(), Some(&stopped.cost), "what was found so far is kept");
}

#[test]
fn every_k_up_to_n_works() {
    let space = vectors(12, 2, Metric::L2, 5);
    let demand = demand(12, 5);
    for objective in OBJECTIVES {
        let problem = Problem::of(&space).demand(&demand).objective(objective).build().unwrap();
        for init in inits(0).into_iter().filter(|init| !matches!(init, Init::Given(_))) {
            let plan = KMedian { init, restarts: Some(2), ..KMedian::default() };
            for k in 1..=12 {
                let mut centers = plan.fit(&problem, k).unwrap().centers;
                centers.sort_unstable();
                centers.dedup();
                assert_eq!(centers.len(), k);
            }
            assert_eq!(plan.fit(&problem, 12).unwrap().cost, 0.0);
        }
    }
}

#[test]
fn bad_parameters_are_refused() {
    let space = vectors(10, 2, Metric::L2, 1);
    let demand = Demand::uniform(10);
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    let kind = |plan: KMedian, k| plan.fit(&problem, k).err().unwrap().kind();
    assert_eq!(kind(KMedian::default(), 0), ErrorKind::Parameter);
    assert_eq!(kind(KMedian::default(), 11), ErrorKind::Parameter);
    let alpha = LocalSearch { alpha: -1.0, ..LocalSearch::default() };
    assert_eq!(kind(KMedian { search: alpha, ..KMedian::default() }, 2), ErrorKind::Parameter);
    for given in [vec![1, 1], vec![1, 10], vec![1]] {
        assert_eq!(
            kind(KMedian { init: Init::Given(given), ..KMedian::default() }, 2),
            ErrorKind::Parameter
        );
    }
    assert_eq!(Demand::new(vec![1.0, -1.0]).err().unwrap().kind(), ErrorKind::Value);
    assert_eq!(Demand::new(vec![f64::NAN]).err().unwrap().kind(), ErrorKind::Value);
    assert_eq!(Demand::new(vec![0.0, 0.0]).err().unwrap().kind(), ErrorKind::Empty);
    assert_eq!(Demand::counts(3, [0, 3]).err().unwrap().kind(), ErrorKind::Value);
    let other = Demand::uniform(9);
    assert_eq!(Problem::of(&space).demand(&other).build().err().unwrap().kind(), ErrorKind::Shape);
}

/// Two near items beside far ones: what it would cost to lose a far center is so much more than the
/// cost that ties look like progress by rounding. The search must not swap for ever.
#[test]
fn rounding_is_not_progress() {
    let points = [0.0003, 0.0008, 0.0007, 0.0001, 513.7, 301.9, 222.3, 911.1];
    let space = Vectors::new(2, &points, Metric::L2).unwrap();
    let demand = Demand::uniform(4);
    for objective in OBJECTIVES {
        let problem = Problem::of(&space).demand(&demand).objective(objective).build().unwrap();
        for swap in [SwapRule::Eager, SwapRule::Best] {
            for first in [0, 1] {
                let search = LocalSearch { swap, max_swaps: Some(1000), ..LocalSearch::default() };
                let plan =
                    KMedian { init: Init::Given(vec![first, 2, 3]), search, ..KMedian::default() };
                assert_eq!(plan.fit(&problem, 3).unwrap().stop, Stop::LocalOptimum);
            }
        }
    }
}

/// A deadline that passes while the only batch is judged must not turn into a certificate.
#[test]
fn a_time_limit_within_a_batch_is_no_local_optimum() {
    let places = [0.0, 1.0, 2.0, 9.0, 10.0f32];
    let slow = Custom::new(5, |a, b| {
        std::thread::sleep(Duration::from_micros(50));
        (places[a] - places[b]).abs()
    });
    let slow = slow.unwrap();
    let demand = Demand::uniform(5);
    let problem = Problem::of(&slow).demand(&demand).build().unwrap();
    for swap in [SwapRule::Eager, SwapRule::Best] {
        for micros in (0..3000).step_by(100) {
            let limit = Some(Duration::from_micros(micros));
            let search = LocalSearch { swap, time_limit: limit, ..LocalSearch::default() };
            let plan = KMedian { init: Init::Given(vec![0, 1]), search, ..KMedian::default() };
            let found = plan.fit(&problem, 2).unwrap();
            let best = found.cost == 3.0;
            assert!(best || found.stop == Stop::TimeLimit, "{found:?}");
        }
    }
}

/// A function that takes long, and how often it was called.
fn counted_line(n: usize, calls: &AtomicUsize) -> impl Space + '_ {
    let slow = move |a: usize, b: usize| {
        calls.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_micros(10));
        a.abs_diff(b) as f32
    };
    Custom::new(n, slow).unwrap()
}

#[test]
fn a_time_limit_counts_the_tree() {
    let (n, k) = (300, 3);
    let calls = AtomicUsize::new(0);
    let space = counted_line(n, &calls);
    let problem = Problem::of(&space).build().unwrap();
    let fit = |time_limit, max_swaps| {
        let before = calls.load(Ordering::Relaxed);
        let search = LocalSearch { time_limit, max_swaps, ..LocalSearch::default() };
        let found = KMedian { search, ..KMedian::default() }.fit(&problem, k).unwrap();
        (found, calls.load(Ordering::Relaxed) - before)
    };
    let (_, with_tree) = fit(None, Some(0));
    let (found, calls) = fit(Some(Duration::from_millis(5)), None);
    assert_eq!((found.stop, found.centers.len()), (Stop::TimeLimit, k));
    assert_eq!(found.cost, problem.cost(&found.centers), "all items are assigned");
    // In 5 ms there is time for 500 calls at most on each thread, and a row that is under way is
    // finished; a few more assign all items.
    assert!(calls < with_tree / 2, "{calls} calls, {with_tree} with a whole tree");
}

#[test]
fn several_k_share_a_time_limit() {
    let space = vectors(300, 2, Metric::L2, 7);
    let problem = Problem::of(&space).build().unwrap();
    let fits = |limit: Option<Duration>, halt: &Halt| {
        let search = LocalSearch { time_limit: limit, ..LocalSearch::default() };
        let plan = KMedian { init: Init::Hst(Hst::default()), search, ..KMedian::default() };
        let prepared = plan.prepare(&problem, &mut Run::default()).unwrap();
        prepared.fit_each(&[2, 5, 9], &mut Run::default().halted_by(halt)).unwrap()
    };
    let free = fits(None, &Halt::default());
    let plan = KMedian { init: Init::Hst(Hst::default()), ..KMedian::default() };
    let alone = |k| plan.fit(&problem, k).unwrap();
    for (found, k) in free.iter().zip([2, 5, 9]) {
        assert_eq!((&found.centers, found.stop), (&alone(k).centers, Stop::LocalOptimum));
    }
    let long = fits(Some(Duration::from_secs(3600)), &Halt::default());
    assert!(long.iter().zip(&free).all(|(long, free)| long.centers == free.centers));
    let none = fits(Some(Duration::ZERO), &Halt::default());
    assert_eq!(
        none.iter().map(|fit| (fit.stop, fit.centers.len())).collect::<Vec<_>>(),
        [(Stop::TimeLimit, 2), (Stop::TimeLimit, 5), (Stop::TimeLimit, 9)]
    );
    let halt = Halt::default();
    halt.stop();
    assert_eq!(fits(None, &halt).len(), 1, "the k that was being fitted is the last");
}

#[test]
fn more_effort_never_ends_higher() {
    for seed in 0..12 {
        let vectors = common::vectors(400 + 300 * seed as usize, 3, Metric::L2, seed);
        let matrix = common::matrix(120, seed);
        let spaces: [&dyn Space; 2] = [&vectors, &matrix];
        for (space, k) in spaces.into_iter().flat_map(|space| [(space, 4), (space, 15)]) {
            let problem = Problem::of(space).build().unwrap();
            let cost = |effort| {
                let search = LocalSearch { effort, ..LocalSearch::default() };
                let plan =
                    KMedian { init: Init::Random, search, seed: Seed(seed), ..KMedian::default() };
                plan.fit(&problem, k).unwrap().cost
            };
            let costs = [Effort::Fast, Effort::Balanced, Effort::Certified].map(cost);
            assert!(costs.is_sorted_by(|a, b| *b <= a * (1.0 + 1e-9)), "{costs:?}");
        }
    }
}

#[test]
fn a_few_restarts_come_unasked_where_they_take_no_time() {
    let restarts = |space: &dyn Space, plan: KMedian| {
        let problem = Problem::of(space).build().unwrap();
        plan.fit(&problem, 4).unwrap().restarts
    };
    let vectors = common::vectors(300, 2, Metric::L2, 1);
    let with = |restarts| KMedian { restarts, ..KMedian::default() };
    assert_eq!(restarts(&vectors, with(None)), 4);
    assert_eq!(restarts(&vectors, with(Some(0))), 0);
    assert_eq!(restarts(&vectors, with(Some(3))), 3);
    let fast = LocalSearch { effort: Effort::Fast, ..LocalSearch::default() };
    assert_eq!(restarts(&vectors, KMedian { search: fast, ..with(None) }), 0);
    assert_eq!(restarts(&common::graph(200, 400, 1), with(None)), 0);
    assert_eq!(restarts(&common::vectors(4097, 2, Metric::L2, 1).without_merging(), with(None)), 0);
}
