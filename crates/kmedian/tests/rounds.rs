//! Rounds over more items than memory holds, against one search over all of them.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::ops::ControlFlow;

use kmedian::rounds::{Chunk, Rounds, Source};
use kmedian::{
    Assignment, Demand, Error, ErrorKind, KMedian, Metric, Objective, Problem, Run, Seed, Step,
    Vectors,
};
use rand::RngExt;

/// Points round some places.
struct Points {
    all: Chunk,
    /// Whether the last chunk comes first.
    reversed: bool,
}

impl Points {
    fn new(n: usize, dims: usize, places: usize, seed: u64) -> Self {
        let mut rng = Seed(seed).generator();
        let centers: Vec<f32> = (0..places * dims).map(|_| 10.0 * rng.random::<f32>()).collect();
        let mut all = Chunk::new(dims);
        for place in 0..n as u64 {
            let at = rng.random_range(0..places);
            let row = &centers[at * dims..(at + 1) * dims];
            all.rows.extend(row.iter().map(|center| center + rng.random::<f32>()));
            all.weights.push(1.0);
            all.places.push(place);
        }
        Self { all, reversed: false }
    }

    fn part(&self, start: usize, end: usize) -> Chunk {
        let Chunk { dims, rows, weights, places } = &self.all;
        let rows = rows[start * dims..end * dims].to_vec();
        let (weights, places) = (weights[start..end].to_vec(), places[start..end].to_vec());
        Chunk { dims: *dims, rows, weights, places }
    }

    fn space(&self, metric: Metric) -> Vectors {
        Vectors::new(self.all.dims, &self.all.rows, metric).unwrap()
    }
}

impl Source for Points {
    type Error = Error;

    fn each(
        &mut self,
        rows: usize,
        take: &mut dyn FnMut(Chunk) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut starts: Vec<usize> = (0..self.all.len()).step_by(rows).collect();
        if self.reversed {
            starts.reverse();
        }
        let part = |start: usize| self.part(start, self.all.len().min(start + rows));
        starts.into_iter().try_for_each(|start| take(part(start)))
    }
}

/// A plan whose memory holds so many rows.
fn plan(k: usize, rows: usize, dims: usize) -> Rounds {
    Rounds { memory: rows * (24 * dims + 160), ..Rounds::new(k) }
}

#[test]
fn the_cost_is_exact() {
    let mut points = Points::new(6000, 3, 30, 1);
    for metric in [Metric::L2, Metric::L1, Metric::Linf, Metric::Angular] {
        for objective in [Objective::Median, Objective::Means] {
            let plan = Rounds { metric, objective, ..plan(20, 1500, 3) };
            let found = plan.fit(&mut points, 3, 6000, &mut Run::default()).unwrap();
            assert!(found.chunks >= 4 && found.coreset_size < 6000);
            let places = found.centers.places.iter().map(|&place| place as usize);
            let places: Vec<usize> = places.collect();
            let assigned = Assignment::new(&points.space(metric), &places);
            let exact = assigned.cost(&Demand::uniform(6000), objective);
            assert!((found.cost / exact - 1.0).abs() < 1e-9, "{} {exact}", found.cost);
            assert_eq!(found.sizes.iter().sum::<f64>(), 6000.0);
            let best = found.costs.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(found.cost, best);
            for (at, &place) in places.iter().enumerate() {
                assert_eq!(found.centers.row(at), points.all.row(place));
            }
        }
    }
}

/// One local optimum may be some percent above another, as there are more clusters than centers; the
/// mean over several tells how good rounds are.
#[test]
fn the_cost_is_near_that_of_one_search() {
    let mut ratios = Vec::new();
    for seed in 0..5 {
        let mut points = Points::new(6000, 3, 30, seed);
        for metric in [Metric::L2, Metric::L1] {
            for objective in [Objective::Median, Objective::Means] {
                let plan = Rounds { metric, objective, seed: Seed(seed), ..plan(20, 1500, 3) };
                let found = plan.fit(&mut points, 3, 6000, &mut Run::default()).unwrap();
                let space = points.space(metric);
                let problem = Problem::of(&space).objective(objective).build().unwrap();
                let one = KMedian { seed: Seed(seed), restarts: Some(0), ..KMedian::default() };
                ratios.push(found.cost / one.fit(&problem, 20).unwrap().cost);
            }
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!(mean <= 1.01 && ratios.iter().all(|&ratio| ratio <= 1.08), "{mean}: {ratios:?}");
}

#[test]
fn neither_threads_nor_the_order_of_chunks_change_the_answer() {
    let mut points = Points::new(5000, 4, 25, 2);
    let plan = plan(12, 1000, 4);
    let mut fit = |reversed: bool, threads: usize| {
        points.reversed = reversed;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| plan.fit(&mut points, 4, 5000, &mut Run::default()).unwrap())
    };
    let found = fit(false, 1);
    assert_eq!(fit(false, 3), found);
    assert_eq!(fit(true, 2), found);
}

#[test]
fn one_chunk_is_one_search() {
    let mut points = Points::new(900, 2, 9, 3);
    let plan = Rounds { seed: Seed(5), ..plan(7, 1000, 2) };
    let found = plan.fit(&mut points, 2, 900, &mut Run::default()).unwrap();
    assert_eq!((found.stop, found.chunks, found.coreset_size), ("whole", 1, 900));
    let space = points.space(Metric::L2);
    let problem = Problem::of(&space).build().unwrap();
    let alone = KMedian { seed: Seed(5), ..KMedian::default() }.fit(&problem, 7).unwrap();
    let places: Vec<usize> = found.centers.places.iter().map(|&place| place as usize).collect();
    assert_eq!((places, found.cost), (alone.centers, alone.cost));
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |plan: Rounds, items: u64| plan.rows_of_chunk(2, items).unwrap_err().to_string();
    assert!(refused(Rounds::new(0), 9).contains("k = 0 centers"));
    assert!(refused(Rounds::new(10), 9).contains("k must be 1 to 9"));
    assert!(refused(Rounds::new(1), 0).contains("no items"));
    assert!(refused(Rounds { tolerance: 1.0, ..Rounds::new(1) }, 9).contains("is no share"));
    assert!(refused(Rounds { memory: 100, ..Rounds::new(2) }, 9).contains("give at least 1664"));
    let mut points = Points::new(300, 2, 4, 6);
    points.all.rows[2 * 250..2 * 250 + 2].fill(0.0);
    let plan = Rounds { metric: Metric::Angular, ..plan(2, 64, 2) };
    let error = plan.fit(&mut points, 2, 300, &mut Run::default()).unwrap_err();
    assert!(error.to_string().starts_with("item 250 is the zero vector"), "{error}");
}

#[test]
fn items_without_weight_count_for_nothing() {
    let mut points = Points::new(2000, 2, 6, 8);
    points.all.weights[..1000].fill(0.0);
    let found = plan(6, 400, 2).fit(&mut points, 2, 2000, &mut Run::default()).unwrap();
    assert_eq!(found.sizes.iter().sum::<f64>(), 1000.0);
    points.all.weights.fill(0.0);
    let found = plan(6, 400, 2).fit(&mut points, 2, 2000, &mut Run::default()).unwrap();
    assert_eq!((found.cost, found.centers.len()), (0.0, 6));
}

#[test]
fn a_run_that_is_ended_has_the_best_centers_so_far() {
    let mut points = Points::new(4000, 3, 40, 9);
    let end_at = |wanted: usize| {
        move |step: &Step| match *step {
            Step::Chunk { round, .. } if round == wanted => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let mut early = end_at(0);
    let error = plan(30, 800, 3).fit(&mut points, 3, 4000, &mut Run::observed_by(&mut early));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Cancelled);
    let mut late = end_at(2);
    let plan = Rounds { tolerance: 0.0, ..plan(30, 800, 3) };
    let found = plan.fit(&mut points, 3, 4000, &mut Run::observed_by(&mut late)).unwrap();
    assert_eq!((found.stop, found.costs.len()), ("cancelled", 1));
    assert_eq!(found.cost, found.costs[0]);
}
