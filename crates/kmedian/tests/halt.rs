//! Runs that another thread ends in the middle of a step.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use kmedian::privacy::{PublicTree, Recipe};
use kmedian::space::{Abilities, Asker, Hit};
use kmedian::{
    Assignment, Clustering, Error, ErrorKind, Graph, Halt, Hst, Init, KMedian, Matrix, Metric,
    Objective, Problem, Question, Run, Seed, Space, Step, Stop, TreeKind, TreeSearch, Vectors,
};
use rand::RngExt;

fn vectors(n: usize, dims: usize, metric: Metric) -> Vectors {
    let mut rng = Seed(3).stream("halt");
    let values: Vec<f32> = (0..n * dims).map(|_| rng.random()).collect();
    Vectors::new(dims, &values, metric).unwrap()
}

fn ring(nodes: u32) -> Graph {
    let edges: Vec<_> = (0..nodes).map(|node| (node, (node + 1) % nodes, 1.0)).collect();
    Graph::new(nodes as usize, &edges).unwrap()
}

fn matrix(n: usize) -> Matrix {
    let distances: Vec<f32> = (0..n * n).map(|at| (at / n).abs_diff(at % n) as f32).collect();
    Matrix::new(n, distances).unwrap()
}

/// Vectors with and without inner products and tables, a graph and a matrix.
fn spaces() -> Vec<Box<dyn Space>> {
    vec![
        Box::new(vectors(2100, 2, Metric::L2)),
        Box::new(vectors(2100, 64, Metric::L2)),
        Box::new(vectors(400, 64, Metric::L1)),
        Box::new(ring(300)),
        Box::new(matrix(200)),
    ]
}

/// A run that was ended before it began.
fn ended() -> Run<'static> {
    let halt = Halt::default();
    halt.stop();
    Run::default().halted_by(&halt)
}

fn fit(problem: &Problem<'_>, init: Init, run: &mut Run<'_>) -> Result<Clustering, Error> {
    let plan = KMedian { init, ..KMedian::default() };
    plan.prepare(problem, run)?.fit(7, run)
}

/// Whatever was found is what it claims to be.
fn is_right(found: &Clustering, problem: &Problem<'_>) {
    let cost = problem.cost(&found.centers);
    assert!((found.cost - cost).abs() <= 1e-6 * cost, "{} is not {cost}", found.cost);
    assert_eq!(found.assignment, Assignment::new(problem.space(), &found.centers));
}

/// A search that was stopped has not judged everybody, so it must not say that it has.
#[test]
fn what_was_stopped_is_right_but_not_certified() {
    for space in spaces() {
        let problem = Problem::of(&*space).objective(Objective::Means).build().unwrap();
        let found = fit(&problem, Init::Random, &mut ended()).unwrap();
        assert_eq!(found.stop, Stop::Cancelled);
        is_right(&found, &problem);
        for init in [Init::Auto, Init::Greedy, Init::PlusPlus] {
            let error = fit(&problem, init, &mut ended()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Cancelled);
        }
    }
}

/// What a stopped run has prepared only in part is not kept for the next one.
#[test]
fn a_space_survives_a_run_that_was_stopped() {
    for (stopped, fresh) in spaces().into_iter().zip(spaces()) {
        let problem = Problem::of(&*stopped).build().unwrap();
        for init in [Init::Auto, Init::Random] {
            let _ = fit(&problem, init, &mut ended());
        }
        let after = fit(&problem, Init::Auto, &mut Run::default()).unwrap();
        let problem = Problem::of(&*fresh).build().unwrap();
        let alone = fit(&problem, Init::Auto, &mut Run::default()).unwrap();
        assert_eq!(
            (after.centers, after.swaps, after.judged),
            (alone.centers, alone.swaps, alone.judged)
        );
        assert_eq!((after.stop, after.assignment), (alone.stop, alone.assignment));
    }
}

#[test]
fn stopping_in_the_middle_keeps_what_was_found() {
    let halt = Halt::default();
    let space = vectors(400, 64, Metric::L1);
    let problem = Problem::of(&space).build().unwrap();
    let plan = KMedian { init: Init::Random, restarts: Some(1_000_000), ..KMedian::default() };
    let mut observer = |step: &Step| {
        if matches!(step, Step::Restarted { restarts: 3, .. }) {
            halt.stop();
        }
        ControlFlow::Continue(())
    };
    let mut run = Run::observed_by(&mut observer).halted_by(&halt);
    let found = plan.prepare(&problem, &mut run).unwrap().fit(5, &mut run).unwrap();
    assert_eq!(found.stop, Stop::Cancelled);
    assert!(found.restarts >= 3 && found.restarts < 10);
    is_right(&found, &problem);
}

/// A tree that was stopped is not a tree with parts left out: it is none. Nor does it wait for the
/// observer, who is asked after a level.
#[test]
fn a_tree_that_is_halted_is_cancelled() {
    let trees = [
        TreeKind::default(),
        TreeKind::Fitted { branching: 64, levels: 1 },
        TreeKind::Ball { levels: 3 },
    ];
    let space = ring(3000);
    let problem = Problem::of(&space).build().unwrap();
    for tree in trees {
        for search in [TreeSearch::Exact, TreeSearch::Paper] {
            let init = Init::Hst(Hst { tree, search });
            let error = init.prepare(&problem, Seed(1), &mut ended()).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{tree:?}");
        }
    }
    let recipe = Recipe::new("1".parse().unwrap());
    let error = PublicTree::build(&space, &recipe, &mut ended()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

/// A ring that counts what it is asked, and ends the run at some question.
struct Watched {
    ring: Graph,
    asked: AtomicUsize,
    last: usize,
    halt: Halt,
}

struct Counting<'a> {
    asker: Box<dyn Asker + 'a>,
    of: &'a Watched,
}

impl Counting<'_> {
    fn count(&self) {
        if self.of.asked.fetch_add(1, Ordering::SeqCst) + 1 == self.of.last {
            self.of.halt.stop();
        }
    }
}

impl Asker for Counting<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        self.count();
        self.asker.ask(source, question, hits);
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.asker.distance(a, b)
    }

    fn ask_inside(&mut self, source: usize, items: &[u32], region: &[u32], hits: &mut Vec<Hit>) {
        self.count();
        self.asker.ask_inside(source, items, region, hits);
    }

    fn share(&mut self, items: &[u32], centers: &[u32]) -> Vec<Hit> {
        self.asker.share(items, centers)
    }
}

impl Space for Watched {
    fn len(&self) -> usize {
        self.ring.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(Counting { asker: self.ring.asker(), of: self })
    }

    fn diameter_bound(&self) -> f32 {
        self.ring.diameter_bound()
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.ring.smallest_distance()
    }

    fn relative_error(&self) -> f32 {
        self.ring.relative_error()
    }

    fn abilities(&self) -> Abilities {
        self.ring.abilities()
    }
}

/// On a large graph a question takes up to a tenth of a second, and a level of a tree has hundreds:
/// whoever presses Ctrl-C must not wait for the level.
#[test]
fn a_tree_ends_in_the_middle_of_a_level() {
    for tree in [TreeKind::Fitted { branching: 64, levels: 1 }, TreeKind::Ball { levels: 9 }] {
        let questions = |last: usize| {
            let halt = Halt::default();
            let space =
                Watched { ring: ring(2000), asked: AtomicUsize::new(0), last, halt: halt.clone() };
            let problem = Problem::of(&space).build().unwrap();
            let before = space.asked.load(Ordering::SeqCst);
            let init = Init::Hst(Hst { tree, search: TreeSearch::Exact });
            let mut run = Run::default().halted_by(&halt);
            let ended = init.prepare(&problem, Seed(1), &mut run).map(|_| ());
            (ended.map_err(|error| error.kind()), space.asked.load(Ordering::SeqCst) - before)
        };
        let (whole, all) = questions(usize::MAX);
        assert_eq!(whole, Ok(()), "{tree:?}");
        assert!(all > 150, "{tree:?} asks only {all} questions");
        let (ended, asked) = questions(20);
        assert_eq!(ended, Err(ErrorKind::Cancelled), "{tree:?}");
        // Every thread may be in the middle of a question.
        assert!(asked < 60, "{tree:?}: {asked} of {all} questions after the end");
    }
}
