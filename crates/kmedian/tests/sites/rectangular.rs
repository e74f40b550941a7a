//! Clients apart from sites: a rectangular matrix, against brute force over all swaps; and two
//! tables as one space.

use kmedian::{
    Demand, Effort, Hst, Init, KMedian, LocalSearch, LowerBound, Metric, Problem, Run, Seed,
    SiteMatrix, Space, Stop, SwapRule,
};
use rand::RngExt;

use super::common::{OBJECTIVES, assert_close, subsets};

/// Random costs, far from any metric.
fn costs(clients: usize, sites: usize, seed: u64) -> Vec<f32> {
    let mut rng = Seed(seed).stream("costs");
    (0..clients * sites).map(|_| rng.random_range(0.0..10.0f32).powi(2)).collect()
}

fn weights(clients: usize, sites: usize, seed: u64) -> Demand {
    let mut rng = Seed(seed).stream("weights");
    let mut weights: Vec<f64> = (0..clients).map(|_| f64::from(rng.random_range(0..4u8))).collect();
    weights[0] = 2.0;
    weights.resize(clients + sites, 0.0);
    Demand::new(weights).unwrap()
}

/// The cost of some sites, from the definition.
fn plain(values: &[f32], problem: &Problem<'_>, clients: usize, centers: &[usize]) -> f64 {
    let sites = values.len() / clients;
    let of_client = |client: usize| {
        let row = &values[client * sites..][..sites];
        let nearest = centers.iter().map(|&center| row[center - clients]);
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        problem.demand().of(client) * problem.objective().of(nearest)
    };
    (0..clients).map(of_client).sum()
}

#[test]
fn certified_is_certified_without_a_metric() {
    for seed in 0..60 {
        let (clients, sites) = (5 + seed as usize % 20, 4 + seed as usize % 9);
        let values = costs(clients, sites, seed);
        let matrix = SiteMatrix::new(clients, sites, &values).unwrap();
        let fixed: Vec<usize> = (0..seed as usize % 3).map(|at| clients + 2 * at).collect();
        for objective in OBJECTIVES {
            let problem = Problem::of(&matrix)
                .demand(&weights(clients, sites, seed))
                .objective(objective)
                .fixed(fixed.iter().copied())
                .build()
                .unwrap();
            assert_eq!(problem.candidates().len(), sites);
            for k in [fixed.len().max(1), fixed.len() + 2] {
                for init in [Init::Auto, Init::Random, Init::PlusPlus, Init::Greedy] {
                    for swap in [SwapRule::Eager, SwapRule::Best] {
                        let what = format!("{clients} × {sites}, {objective}, k = {k}, {init:?}");
                        let search = LocalSearch { swap, ..LocalSearch::default() };
                        let plan = KMedian {
                            init: init.clone(),
                            search,
                            restarts: Some(1),
                            seed: Seed(seed),
                            ..KMedian::default()
                        };
                        let found = plan.fit(&problem, k).unwrap();
                        assert_eq!(found.stop, Stop::LocalOptimum, "{what}");
                        let cost = plain(&values, &problem, clients, &found.centers);
                        assert_close(found.cost, cost, &what);
                        for slot in fixed.len()..k {
                            for newcomer in clients..clients + sites {
                                let mut swapped = found.centers.clone();
                                swapped[slot] = newcomer;
                                let better = plain(&values, &problem, clients, &swapped);
                                assert!(better >= cost * (1.0 - 1e-6), "{what}: {newcomer}");
                            }
                        }
                        for client in 0..clients {
                            let label = found.assignment.labels[client] as usize;
                            let site = found.centers[label] - clients;
                            let distance = values[client * sites + site];
                            assert_eq!(found.assignment.distances[client], distance, "{what}");
                        }
                    }
                }
            }
        }
    }
}

/// No sites cost less than the bound, and the effort `optimal` finds the best of them.
#[test]
fn bounds_hold_without_a_metric() {
    for seed in 0..30 {
        let (clients, sites) = (3 + seed as usize % 20, 4 + seed as usize % 6);
        let values = costs(clients, sites, seed);
        let matrix = SiteMatrix::new(clients, sites, &values).unwrap();
        let fixed: Vec<usize> = (0..seed as usize % 3).map(|at| clients + 2 * at).collect();
        for objective in OBJECTIVES {
            let problem = Problem::of(&matrix)
                .demand(&weights(clients, sites, seed))
                .objective(objective)
                .fixed(fixed.iter().copied())
                .build()
                .unwrap();
            for k in fixed.len().max(1)..=fixed.len() + 2 {
                let what = format!("{clients} × {sites}, {objective}, k = {k}, seed {seed}");
                let sets = subsets(sites, k).into_iter();
                let best = sets
                    .map(|set| set.iter().map(|&site| clients + site).collect::<Vec<_>>())
                    .filter(|set| fixed.iter().all(|center| set.contains(center)))
                    .map(|set| plain(&values, &problem, clients, &set))
                    .fold(f64::INFINITY, f64::min);
                let search = LocalSearch { effort: Effort::Optimal, ..LocalSearch::default() };
                let found = KMedian { search, ..KMedian::default() }.fit(&problem, k).unwrap();
                assert_close(found.cost, best, &what);
                assert_eq!(found.stop, Stop::Optimal, "{what}");
                let bound = LowerBound::default();
                let bound = bound.of(&problem, &found.centers, &mut Run::default()).unwrap();
                assert!(bound.value <= best * (1.0 + 1e-6), "{what}: {} > {best}", bound.value);
                assert!(bound.value > 0.5 * best, "{what}: {} and {best}", bound.value);
            }
        }
    }
}

/// Where costs are whole, the best is the best to the last unit, however large costs are: a client
/// that costs ten billion everywhere makes a unit less than a billionth of the cost.
#[test]
fn whole_costs_are_optimal_to_the_last_unit() {
    for seed in 0..40 {
        let (clients, sites, k) = (13, 12, 4);
        let mut rng = Seed(seed).stream("whole");
        let mut values: Vec<f32> =
            (0..clients * sites).map(|_| rng.random_range(1..10u8).into()).collect();
        values[..sites].fill(1.0);
        let mut weights = vec![1.0; clients];
        weights[0] = 1e10;
        weights.resize(clients + sites, 0.0);
        let matrix = SiteMatrix::new(clients, sites, &values).unwrap();
        let demand = Demand::new(weights).unwrap();
        let problem = Problem::of(&matrix).demand(&demand).build().unwrap();
        let sets = subsets(sites, k).into_iter();
        let best = sets
            .map(|set| set.iter().map(|&site| clients + site).collect::<Vec<_>>())
            .map(|set| plain(&values, &problem, clients, &set))
            .fold(f64::INFINITY, f64::min);
        let search = LocalSearch { effort: Effort::Optimal, ..LocalSearch::default() };
        let found = KMedian { search, restarts: Some(0), ..KMedian::default() };
        let found = found.fit(&problem, k).unwrap();
        assert_eq!((found.cost, found.stop), (best, Stop::Optimal), "seed {seed}");
    }
}

/// Two tables as one space give what the matrix of their distances gives.
#[test]
fn two_tables_are_a_matrix() {
    let (clients, sites) = (300, 40);
    let rows = super::common::vectors(clients + sites, 2, Metric::L2, 3);
    let mut asker = rows.asker();
    let mut values = Vec::new();
    for client in 0..clients {
        values.extend((clients..clients + sites).map(|site| asker.distance(client, site)));
    }
    let matrix = SiteMatrix::new(clients, sites, &values).unwrap();
    let demand = weights(clients, sites, 3);
    let plan = KMedian { restarts: Some(30), ..KMedian::default() };
    let tables = Problem::of(&rows).demand(&demand).candidates(clients..clients + sites);
    let of_tables = plan.fit(&tables.build().unwrap(), 5).unwrap();
    let of_matrix = plan.fit(&Problem::of(&matrix).demand(&demand).build().unwrap(), 5).unwrap();
    assert_close(of_tables.cost, of_matrix.cost, "both");
    assert!(of_tables.centers.iter().all(|&center| center >= clients));
}

/// Many clients: first passes are on samples, with every effort.
#[test]
fn many_clients_are_sampled() {
    let (clients, sites) = (12_000, 60);
    let mut rng = Seed(9).stream("places");
    let mut place = || (rng.random_range(0.0..1.0f32), rng.random_range(0.0..1.0f32));
    let places: Vec<(f32, f32)> = (0..clients + sites).map(|_| place()).collect();
    let away = |a: (f32, f32), b: (f32, f32)| (a.0 - b.0).hypot(a.1 - b.1);
    let row = |client: usize| places[clients..].iter().map(move |&site| (client, site));
    let values: Vec<f32> =
        (0..clients).flat_map(row).map(|(client, site)| away(places[client], site)).collect();
    let matrix = SiteMatrix::new(clients, sites, &values).unwrap();
    let problem = Problem::of(&matrix).build().unwrap();
    let mut costs = Vec::new();
    for effort in [Effort::Fast, Effort::Balanced, Effort::Certified] {
        let search = LocalSearch { effort, ..LocalSearch::default() };
        let found = KMedian { search, ..KMedian::default() }.fit(&problem, 6).unwrap();
        assert!(found.tactics.sampled);
        assert_close(found.cost, plain(&values, &problem, clients, &found.centers), "cost");
        costs.push(found.cost);
    }
    assert!(costs[2] <= costs[0] && costs[0] <= 1.1 * costs[2], "{costs:?}");
}

#[test]
fn wrong_matrices_are_refused() {
    let new = |clients, sites, values: &[f32]| {
        SiteMatrix::new(clients, sites, values).err().unwrap().to_string()
    };
    assert!(new(0, 3, &[]).starts_with("there are 0 clients and 3 sites"));
    assert!(new(2, 2, &[1.0; 3]).starts_with("3 values are not a matrix of 2 clients"));
    assert!(new(1, 2, &[1.0, f32::NAN]).starts_with("row 0, column 1 of the matrix is NaN"));
    assert!(new(1, 2, &[-1.0, 0.0]).starts_with("row 0, column 0 of the matrix is -1"));
    let matrix = SiteMatrix::new(2, 3, &[1.0; 6]).unwrap();
    let refused = |built: Result<Problem<'_>, kmedian::Error>| built.err().unwrap().to_string();
    let of = || Problem::of(&matrix);
    assert!(refused(of().candidates([1, 3]).build()).starts_with("item 1 is a client, not a site"));
    assert!(refused(of().fixed([0]).build()).contains("item 0 is a fixed center, but not among"));
    let demand = Demand::uniform(5);
    assert!(refused(of().demand(&demand).build()).starts_with("site 0 has demand"));
    let problem = of().build().unwrap();
    let message = KMedian::default().fit(&problem, 4).unwrap_err().to_string();
    assert!(message.contains("cannot be chosen from 3 candidates"), "{message}");
    let plan = KMedian { init: Init::Hst(Hst::default()), ..KMedian::default() };
    let message = plan.fit(&problem, 1).unwrap_err().to_string();
    assert!(message.starts_with("a tree needs distances that are the same both ways"), "{message}");
    let plan = KMedian::default().fit(&problem, 3).unwrap();
    assert_eq!(plan.cost, 2.0);
}
