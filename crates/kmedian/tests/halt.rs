//! Work that somebody ends in the middle of a step.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use kmedian::privacy::{PublicTree, Recipe};
use kmedian::{
    Demand, ErrorKind, Graph, Halt, Hst, Init, KMedian, Metric, Objective, Problem, Question, Seed,
    Silent, Space, Step, Stop, TreeKind, TreeSearch, Vectors,
};
use rand::RngExt;
use std::ops::ControlFlow;

fn vectors(n: usize, dims: usize, metric: Metric) -> Vectors {
    let mut rng = Seed(3).stream("halt");
    let values: Vec<f32> = (0..n * dims).map(|_| rng.random()).collect();
    Vectors::new(dims, &values, metric).unwrap()
}

fn ring(nodes: u32) -> Graph {
    let edges: Vec<_> = (0..nodes).map(|node| (node, (node + 1) % nodes, 1.0)).collect();
    Graph::new(nodes as usize, &edges).unwrap()
}

/// A search that was stopped has not judged everybody, so it must not say that it has.
fn never_certifies(space: &dyn Space) {
    let demand = Demand::uniform(space.len());
    let problem = Problem::of(space).demand(&demand).build().unwrap();
    let plan = KMedian { init: Init::Random, ..KMedian::default() };
    let found = plan.prepare(&problem, &mut Silent).unwrap().fit(5, &mut Silent).unwrap();
    assert_eq!(found.stop, Stop::Cancelled);
    let cost = problem.cost(&found.centers);
    assert!((found.cost - cost).abs() <= 1e-6 * cost, "{} is not {cost}", found.cost);
}

#[test]
fn what_was_stopped_is_right_but_not_certified() {
    let halt = Halt::default();
    halt.stop();
    for (dims, metric) in [(2, Metric::L2), (64, Metric::L2), (64, Metric::L1)] {
        never_certifies(&vectors(400, dims, metric).halted_by(halt.clone()));
    }
    never_certifies(&ring(300).halted_by(halt));
}

#[test]
fn stopping_in_the_middle_keeps_what_was_found() {
    let halt = Halt::default();
    let space = vectors(400, 64, Metric::L1).halted_by(halt.clone());
    let demand = Demand::uniform(400);
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    let plan = KMedian { init: Init::Random, restarts: 1_000_000, ..KMedian::default() };
    let mut observer = |step: &Step| {
        if matches!(step, Step::Restarted { restarts: 3, .. }) {
            halt.stop();
        }
        ControlFlow::Continue(())
    };
    let found = plan.prepare(&problem, &mut Silent).unwrap().fit(5, &mut observer).unwrap();
    assert_eq!(found.stop, Stop::Cancelled);
    assert!(found.restarts >= 3 && found.restarts < 10);
    let cost = problem.cost(&found.centers);
    assert!((found.cost - cost).abs() <= 1e-6 * cost, "{} is not {cost}", found.cost);
}

#[test]
fn abandoned_questions_cost_nothing() {
    let halt = Halt::default();
    let (vectors, graph) = (vectors(100, 16, Metric::L2), ring(100));
    let (vectors, graph) = (vectors.halted_by(halt.clone()), graph.halted_by(halt.clone()));
    let mut hits = Vec::new();
    halt.abandon();
    vectors.asker().ask(7, &Question::everything(), &mut hits);
    assert_eq!(hits.len(), 100);
    assert!(hits.iter().all(|hit| hit.distance == 0.0));
    graph.asker().ask(7, &Question::everything(), &mut hits);
    assert_eq!(hits.iter().map(|hit| hit.item).collect::<Vec<_>>(), [7]);
}

/// Every way to begin, on every kind of space, comes to an end without a panic.
#[test]
fn abandoned_work_ends() {
    let halt = Halt::default();
    halt.abandon();
    let spaces: [Box<dyn Space>; 4] = [
        Box::new(vectors(300, 2, Metric::L2).halted_by(halt.clone())),
        Box::new(vectors(300, 64, Metric::L2).halted_by(halt.clone())),
        Box::new(vectors(300, 64, Metric::L1).halted_by(halt.clone())),
        Box::new(ring(300).halted_by(halt)),
    ];
    for space in &spaces {
        let demand = Demand::uniform(space.len());
        let problem =
            Problem::of(&**space).demand(&demand).objective(Objective::Means).build().unwrap();
        for init in [Init::Auto, Init::Greedy, Init::PlusPlus, Init::Random] {
            let plan = KMedian { init, ..KMedian::default() };
            match plan.prepare(&problem, &mut Silent) {
                Ok(prepared) => {
                    assert_eq!(prepared.fit(7, &mut Silent).unwrap().stop, Stop::Cancelled);
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled),
            }
        }
    }
}

/// A tree that was stopped is not a tree with parts left out: it is none. Nor does it wait for the observer, who is
/// asked after a level.
#[test]
fn a_tree_that_is_halted_is_cancelled() {
    let trees = [
        TreeKind::default(),
        TreeKind::Fitted { branching: 64, levels: 1 },
        TreeKind::Ball { levels: 3 },
    ];
    let halt = Halt::default();
    let space = ring(3000).halted_by(halt.clone());
    let demand = Demand::uniform(space.len());
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    halt.stop();
    for tree in trees {
        for search in [TreeSearch::Exact, TreeSearch::Paper] {
            let init = Init::Hst(Hst { tree, search });
            let error = init.prepare(&problem, Seed(1), &mut Silent).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{tree:?}");
        }
    }
    let recipe = Recipe::new("1".parse().unwrap());
    let error = PublicTree::build(&space, &recipe, &mut Silent).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}
