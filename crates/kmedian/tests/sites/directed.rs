//! One-way streets: brute force over all swaps, on random directed graphs.

use kmedian::{
    Demand, Effort, ErrorKind, Graph, Hst, Init, KMedian, LocalSearch, Objective, Problem,
    Question, Seed, Space, Stop, SwapRule, TreeKind, TreeSearch,
};
use rand::RngExt;

use super::common::{OBJECTIVES, assert_close, demand, plain_cost};
use super::{assert_certified, inits, sites};

pub(super) type Arcs = Vec<(u32, u32, f32)>;

/// The arcs of a random strongly connected graph: a ring, in which most nodes have one way in and
/// one way out, and short cuts.
pub(super) fn arcs(n: usize, more: usize, seed: u64) -> Arcs {
    let mut rng = Seed(seed).stream("arcs");
    let n = n as u32;
    let mut arcs: Arcs =
        (0..n).map(|node| (node, (node + 1) % n, rng.random_range(0.1..1.0))).collect();
    for _ in 0..more {
        let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
        arcs.push((a, b, rng.random_range(0.1..4.0)));
        if rng.random_range(0..2) == 0 {
            arcs.push((b, a, rng.random_range(0.1..4.0)));
        }
    }
    arcs
}

/// All distances, by Floyd and Warshall's algorithm: `table[a][b]` is the way from a to b.
pub(super) fn table(n: usize, arcs: &Arcs) -> Vec<Vec<f32>> {
    let mut table = vec![vec![f64::INFINITY; n]; n];
    (0..n).for_each(|node| table[node][node] = 0.0);
    for &(a, b, length) in arcs {
        let entry = &mut table[a as usize][b as usize];
        *entry = entry.min(f64::from(length));
    }
    for by in 0..n {
        for a in 0..n {
            for b in 0..n {
                table[a][b] = table[a][b].min(table[a][by] + table[by][b]);
            }
        }
    }
    table.into_iter().map(|row| row.into_iter().map(|x| x as f32).collect()).collect()
}

#[test]
fn questions_follow_the_arcs() {
    for seed in 0..10 {
        let arcs = arcs(30, 30, seed);
        let table = table(30, &arcs);
        let graph = Graph::directed(30, &arcs).unwrap();
        assert!(graph.is_directed() && !graph.abilities().symmetric);
        let longest = table.iter().flatten().copied().fold(0.0, f32::max);
        assert!(graph.diameter_bound() >= longest && graph.diameter_bound() <= 1.001 * longest);
        let mut asker = graph.asker();
        let mut hits = Vec::new();
        for (item, row) in table.iter().enumerate() {
            asker.ask(item, &Question::everything(), &mut hits);
            for hit in &hits {
                assert_close(hit.distance.into(), row[hit.item as usize].into(), "from");
            }
            asker.ask_to(item, &[3, 7, 29], &mut hits);
            assert_eq!(hits.len(), 3);
            for hit in &hits {
                assert_close(hit.distance.into(), table[hit.item as usize][item].into(), "to");
            }
        }
        drop(asker);
        let back = graph.reversed();
        assert_close(back.asker().distance(4, 9).into(), table[9][4].into(), "reversed");
    }
    // Beyond a thousand items the bound of the diameter is not exact, but never too small.
    let long = arcs(1500, 300, 1);
    let graph = Graph::directed(1500, &long).unwrap();
    let mut asker = graph.asker();
    let mut hits = Vec::new();
    for item in (0..1500).step_by(97) {
        asker.ask(item, &Question::everything(), &mut hits);
        assert!(hits.iter().all(|hit| hit.distance <= graph.diameter_bound()));
    }
}

#[test]
fn certified_is_certified_on_one_way_streets() {
    let n = 30;
    for seed in 0..12 {
        let arcs = arcs(n, [8, 40][seed as usize % 2], seed);
        let table = table(n, &arcs);
        let graph = Graph::directed(n, &arcs).unwrap();
        let demand = demand(n, seed);
        for (fixed, k) in [(0, 1), (0, 5), (1, 2), (2, 4)] {
            let (candidates, fixed) = sites(n, fixed, seed + k as u64);
            let candidates = if seed % 3 == 0 { (0..n).collect() } else { candidates };
            for objective in OBJECTIVES {
                let problem = Problem::of(&graph)
                    .demand(&demand)
                    .objective(objective)
                    .candidates(candidates.iter().copied())
                    .fixed(fixed.iter().copied())
                    .build()
                    .unwrap();
                for init in inits() {
                    for swap in [SwapRule::Eager, SwapRule::Best] {
                        let what =
                            format!("{objective}, {fixed:?}, k = {k}, {init:?}, {swap}, {seed}");
                        let search = LocalSearch { swap, ..LocalSearch::default() };
                        let init = init.clone();
                        let plan = KMedian {
                            init,
                            search,
                            restarts: Some(1),
                            seed: Seed(seed),
                            ..KMedian::default()
                        };
                        let found = plan.fit(&problem, k).unwrap();
                        assert_eq!(found.stop, Stop::LocalOptimum, "{what}");
                        assert_certified(&table, &problem, &found.centers, found.cost, &what);
                        for (item, &label) in found.assignment.labels.iter().enumerate() {
                            let distance = table[found.centers[label as usize]][item];
                            let found = found.assignment.distances[item];
                            assert_close(found.into(), distance.into(), &what);
                        }
                    }
                }
            }
        }
    }
}

/// Large enough for evidence to dismiss most candidates, with demand that is far larger at a few
/// items: all swaps are judged again.
#[test]
fn who_is_dismissed_on_one_way_streets_would_not_improve() {
    let n = 250;
    for seed in 0..4 {
        let arcs = arcs(n, 60, seed);
        let table = table(n, &arcs);
        let graph = Graph::directed(n, &arcs).unwrap();
        let weight = |item: usize| if item % 17 == 3 { 1000.0 } else { (item % 3) as f64 };
        let demand = Demand::new((0..n).map(weight).collect()).unwrap();
        for objective in OBJECTIVES {
            let problem = Problem::of(&graph).demand(&demand).objective(objective).build().unwrap();
            for k in [1, 4, 12] {
                let plan = KMedian { init: Init::Random, seed: Seed(seed), ..KMedian::default() };
                let found = plan.fit(&problem, k).unwrap();
                let what = format!("{objective}, k = {k}, seed {seed}");
                assert_certified(&table, &problem, &found.centers, found.cost, &what);
            }
        }
    }
}

/// An undirected graph, given as arcs both ways, has the same answers either way.
#[test]
fn both_ways_are_an_undirected_graph() {
    let n = 300;
    let undirected = super::common::roads(n, 3);
    let mut rng = Seed(3).stream("roads");
    let mut edges: Arcs = Vec::new();
    for node in 1..n as u32 {
        let length = rng.random_range(0.1..1.0);
        let before = if rng.random_range(0..4) == 0 { rng.random_range(0..node) } else { node - 1 };
        edges.push((node, before, length));
        if rng.random_range(0..8) == 0 {
            edges.push((node, rng.random_range(0..node), rng.random_range(0.1..1.0)));
        }
    }
    let both: Arcs = edges.iter().flat_map(|&(a, b, x)| [(a, b, x), (b, a, x)]).collect();
    let directed = Graph::directed(n, &both).unwrap();
    let fit = |graph: &Graph, init: Init| {
        let search = LocalSearch { max_swaps: Some(0), ..LocalSearch::default() };
        let plan = KMedian { init, search, ..KMedian::default() };
        plan.fit(&Problem::of(graph).build().unwrap(), 6).unwrap()
    };
    for init in [Init::Greedy, Init::Hst(Hst::default())] {
        let [a, b] = [&undirected, &directed].map(|graph| fit(graph, init.clone()));
        assert_eq!(a.centers, b.centers);
        assert_eq!(a.cost, b.cost);
        assert_eq!(a.assignment, b.assignment);
    }
}

#[test]
fn who_is_not_reached_is_counted() {
    // 0 ⇄ 1 → 2 → 3: nothing leads back from 2.
    let arcs = [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 3, 1.0)];
    let graph = Graph::directed(4, &arcs).unwrap();
    let refused = |graph: &Graph, candidates: &[usize]| {
        let error = Problem::of(graph).candidates(candidates.iter().copied()).build().err();
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::Disconnected);
        error.to_string()
    };
    assert!(refused(&graph, &[2, 3]).starts_with("no candidate reaches 2 of 4 nodes"));
    assert!(refused(&graph, &[0, 1, 3]).starts_with("candidate 3 does not reach 3 of 4 nodes"));
    assert!(refused(&graph, &[2, 1]).starts_with("candidate 2 does not reach 2 of 4 nodes"));
    let problem = Problem::of(&graph).candidates([0, 1]).build().unwrap();
    let found = KMedian::default().fit(&problem, 1).unwrap();
    assert_eq!((found.centers, found.cost), (vec![1], 4.0));
    let back = Graph::directed(4, &arcs).unwrap().reversed();
    assert!(refused(&back, &[0, 1]).starts_with("no candidate is reached from 2 of 4 nodes"));
    assert!(refused(&back, &[3, 0]).starts_with("candidate 0 is not reached from 2 of 4 nodes"));
    let strong = Graph::largest_strong_component(4, &arcs).unwrap();
    assert_eq!((strong.nodes, strong.sizes), (vec![0, 1], vec![2, 1, 1]));
    assert_eq!(strong.graph.edges(), 2);
}

/// Efforts and the paper's algorithm take directed graphs too, and keep to what they cost.
#[test]
fn every_way_to_search_takes_one_way_streets() {
    let arcs = arcs(200, 100, 7);
    let table = table(200, &arcs);
    let graph = Graph::directed(200, &arcs).unwrap();
    let problem = Problem::of(&graph).build().unwrap();
    let paper = Hst { tree: TreeKind::Ball { levels: 6 }, search: TreeSearch::Paper };
    for effort in [Effort::Auto, Effort::Fast, Effort::Balanced] {
        let search = LocalSearch { effort, ..LocalSearch::default() };
        let plan = KMedian { init: Init::Hst(paper), search, ..KMedian::default() };
        let found = plan.fit(&problem, 7).unwrap();
        assert_close(found.cost, plain_cost(&table, &problem, &found.centers), "cost");
    }
    assert_eq!(problem.objective(), Objective::Median);
}
