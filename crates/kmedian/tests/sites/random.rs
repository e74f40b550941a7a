//! Thousands of small instances of which everything is random: the kind of space, candidates, fixed
//! centers, demand, objective, initialization, tree, search, strategy, effort and restarts. Each is
//! compared with all sets of centers and all swaps, from the definition.

use std::collections::BTreeSet;

use kmedian::{
    Custom, Demand, Effort, Graph, Hst, Init, KMedian, LocalSearch, Metric, Objective, Problem,
    Seed, SiteMatrix, Space, Stop, SwapRule, TreeKind, TreeSearch,
};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::common::{
    all_distances, assert_close, graph, matrix, plain_cost, roads, subsets, vectors,
};
use super::directed::{arcs, table};
use super::{assert_certified, inits};

const INSTANCES: u64 = 6_000;

/// A space, where `distances[a][b]` is how far it is from a center a to an item b, and the items
/// that may be centers and those that may have demand.
struct Ground {
    name: String,
    space: Box<dyn Space>,
    distances: Vec<Vec<f32>>,
    places: Vec<usize>,
    clients: Vec<usize>,
    /// Whether distances are the same both ways, so that there are trees.
    trees: bool,
    /// Whether items are vectors, so that there are grids.
    grids: bool,
}

fn ground(rng: &mut ChaCha8Rng, seed: u64) -> Ground {
    let n = rng.random_range(4..13);
    let everywhere = |name: &str, space: Box<dyn Space>, grids: bool| {
        let (name, distances) = (name.to_owned(), all_distances(&*space));
        let all: Vec<usize> = (0..n).collect();
        Ground { name, space, distances, places: all.clone(), clients: all, trees: true, grids }
    };
    match rng.random_range(0..8) {
        0 | 1 => {
            let metric = Metric::ALL[rng.random_range(0..Metric::ALL.len())];
            let space = vectors(n, 2, metric, seed);
            let merged: Box<dyn Space> =
                if rng.random() { Box::new(space) } else { Box::new(space.without_merging()) };
            everywhere(&metric.to_string(), merged, true)
        }
        2 => everywhere("graph", Box::new(graph(n, n, seed)), false),
        3 => everywhere("roads", Box::new(roads(n, seed)), false),
        4 => everywhere("matrix", Box::new(matrix(n, seed)), false),
        5 => {
            let known = all_distances(&graph(n, n, seed));
            let space = Custom::new(n, move |a, b| known[a.min(b)][a.max(b)]).unwrap();
            everywhere("function", Box::new(space), false)
        }
        6 => {
            let arcs = arcs(n, rng.random_range(0..2 * n), seed);
            let forward = table(n, &arcs);
            let directed = Graph::directed(n, &arcs).unwrap();
            // Towards the center, a distance is the one along the arcs from the item.
            let towards = rng.random();
            let space = if towards { directed.reversed() } else { directed };
            let back = || (0..n).map(|a| (0..n).map(|b| forward[b][a]).collect()).collect();
            let distances = if towards { back() } else { forward.clone() };
            let name = if towards { "towards" } else { "one-way" };
            Ground { distances, ..everywhere(name, Box::new(space), false) }
        }
        _ => clients_apart(rng, n, seed),
    }
}

/// Clients and sites: two tables of coordinates, or a matrix of anything.
fn clients_apart(rng: &mut ChaCha8Rng, clients: usize, seed: u64) -> Ground {
    let sites = rng.random_range(2..9);
    let all = clients + sites;
    let (places, clients_) = ((clients..all).collect(), (0..clients).collect());
    if rng.random() {
        let space = vectors(all, 2, Metric::L1, seed);
        let (name, distances) = ("two tables".to_owned(), all_distances(&space));
        let space = Box::new(space);
        return Ground {
            name,
            space,
            distances,
            places,
            clients: clients_,
            trees: true,
            grids: true,
        };
    }
    let mut distances = vec![vec![0.0; all]; all];
    let mut value = || rng.random_range(0.0..10.0f32).powi(2);
    let values: Vec<f32> = (0..clients * sites).map(|_| value()).collect();
    for (at, &value) in values.iter().enumerate() {
        distances[clients + at % sites][at / sites] = value;
    }
    let space = Box::new(SiteMatrix::new(clients, sites, &values).unwrap());
    let name = "rectangular".to_owned();
    Ground { name, space, distances, places, clients: clients_, trees: false, grids: false }
}

/// Some of the items, at least one.
fn some_of(rng: &mut ChaCha8Rng, items: &[usize]) -> Vec<usize> {
    let mut some = items.to_vec();
    some.shuffle(rng);
    some.truncate(rng.random_range(1..=items.len()));
    some
}

fn demand(rng: &mut ChaCha8Rng, n: usize, clients: &[usize]) -> Demand {
    let mut weights = vec![0.0; n];
    for &client in clients {
        weights[client] = [0.0, 1.0, rng.random_range(0.1..5.0), 1000.0][rng.random_range(0..4)];
    }
    weights[clients[0]] += 1.0;
    Demand::new(weights).unwrap()
}

/// An initialization that suits the ground.
fn init(rng: &mut ChaCha8Rng, ground: &Ground, given: Vec<usize>) -> Init {
    let mut all = inits();
    if ground.grids {
        for search in [TreeSearch::Exact, TreeSearch::Paper] {
            all.push(Init::Hst(Hst { tree: TreeKind::Grid { levels: 5 }, search }));
        }
    }
    if !ground.trees {
        all.retain(|init| !matches!(init, Init::Hst(_)));
    }
    all.push(Init::Given(given));
    all.swap_remove(rng.random_range(0..all.len()))
}

#[test]
fn everything_at_random_is_certified() {
    let mut seen = BTreeSet::new();
    let mut optimal = 0;
    for seed in 0..INSTANCES {
        let mut rng = Seed(seed).stream("instance");
        let rng = &mut rng;
        let ground = ground(rng, seed);
        let n = ground.space.len();
        let candidates = some_of(rng, &ground.places);
        let most = candidates.len().min(3);
        let fixed = candidates[..rng.random_range(0..=most)].to_vec();
        let k = rng.random_range(fixed.len().max(1)..=candidates.len().min(fixed.len() + 3));
        let objective = if rng.random() { Objective::Median } else { Objective::Means };
        let problem = Problem::of(&*ground.space)
            .demand(&demand(rng, n, &ground.clients))
            .objective(objective)
            .candidates(candidates.iter().copied())
            .fixed(fixed.iter().copied())
            .build()
            .unwrap();
        let swap = if rng.random() { SwapRule::Eager } else { SwapRule::Best };
        let efforts = [Effort::Certified, Effort::Auto, Effort::Optimal];
        let effort = efforts[rng.random_range(0..if swap == SwapRule::Eager { 3 } else { 2 })];
        let init = init(rng, &ground, candidates[..k].to_vec());
        let what = format!(
            "{}, seed {seed}: {objective}, {candidates:?}, {fixed:?}, k = {k}, {init:?}, {swap}, {effort}",
            ground.name
        );
        seen.insert(
            format!("{} {objective} {swap} {init:?}", ground.name)
                .split('[')
                .next()
                .unwrap()
                .to_owned(),
        );
        let search = LocalSearch { swap, effort, ..LocalSearch::default() };
        let restarts = rng.random_range(0..4usize).checked_sub(1);
        let plan = KMedian { init, search, restarts, seed: Seed(seed), ..KMedian::default() };
        let found = plan.fit(&problem, k).unwrap();

        let expected = if effort == Effort::Optimal { Stop::Optimal } else { Stop::LocalOptimum };
        assert_eq!(found.stop, expected, "{what}");
        assert_certified(&ground.distances, &problem, &found.centers, found.cost, &what);
        let best = best_cost(&ground.distances, &problem, &candidates, k);
        assert!(found.cost >= best * (1.0 - 1e-5), "{what}: {} and {best}", found.cost);
        if effort == Effort::Optimal {
            assert_close(found.cost, best, &what);
        }
        optimal += u64::from(found.cost <= best * (1.0 + 1e-5));
        for (item, &label) in found.assignment.labels.iter().enumerate() {
            if ground.clients.contains(&item) {
                let distance = ground.distances[found.centers[label as usize]][item];
                assert_close(found.assignment.distances[item].into(), distance.into(), &what);
            }
        }
    }
    // Every kind of space met every initialization that it has, under both objectives and rules.
    assert!(seen.len() > 550, "{} combinations", seen.len());
    assert!(optimal * 10 > INSTANCES * 9, "{optimal} of {INSTANCES} are optimal");
}

/// The cost of the best set of candidates with the fixed ones among them.
fn best_cost(distances: &[Vec<f32>], problem: &Problem<'_>, candidates: &[usize], k: usize) -> f64 {
    let fixed = problem.fixed();
    let free: Vec<usize> =
        candidates.iter().copied().filter(|candidate| !fixed.contains(candidate)).collect();
    let sets = subsets(free.len(), k - fixed.len());
    let whole = sets.iter().map(|set| {
        let free = set.iter().map(|&at| free[at]);
        fixed.iter().copied().chain(free).collect::<Vec<usize>>()
    });
    whole.map(|centers| plain_cost(distances, problem, &centers)).fold(f64::INFINITY, f64::min)
}
