use super::measure::Measure;
use super::pass::{Answer, Setting, Task};
use super::*;
use crate::{Assignment, Demand, KMedian, Problem, Vectors};
use rand::RngExt;

/// Points round some places, in chunks of a given size.
struct Points {
    all: Chunk,
    reversed: bool,
}

impl Points {
    fn new(n: usize, dims: usize, places: usize, seed: u64) -> Self {
        let mut rng = Seed(seed).generator();
        let centers: Vec<f32> = (0..places * dims).map(|_| 10.0 * rng.random::<f32>()).collect();
        let mut all = Chunk::new(dims);
        for place in 0..n as u64 {
            let at = rng.random_range(0..places);
            let noise = |center: &f32| center + rng.random::<f32>() + rng.random::<f32>();
            all.rows.extend(centers[at * dims..(at + 1) * dims].iter().map(noise));
            all.weights.push(1.0);
            all.places.push(place);
        }
        Self { all, reversed: false }
    }

    fn cost(&self, centers: &Chunk, metric: Metric, objective: Objective) -> f64 {
        let mut both = self.all.clone();
        both.append(&centers.weightless());
        let space = both.space(metric).unwrap();
        let places: Vec<usize> = (self.all.len()..both.len()).collect();
        let demand = Demand::new(both.weights.clone()).unwrap();
        Assignment::new(&space, &places).cost(&demand, objective)
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
        starts.into_iter().try_for_each(|start| {
            take(self.all.take(start..self.all.len().min(start + rows)))
        })
    }
}

/// A plan whose memory holds so many rows.
fn plan(k: usize, rows: usize, dims: usize) -> Rounds {
    Rounds { memory: rows * (PER_VALUE * dims + PER_ROW), ..Rounds::new(k) }
}

#[test]
fn the_cost_is_exact_and_near_that_of_one_search() {
    let mut points = Points::new(6000, 3, 30, 1);
    for metric in [Metric::L2, Metric::L1, Metric::Linf, Metric::Angular] {
        for objective in [Objective::Median, Objective::Means] {
            let plan = Rounds { metric, objective, ..plan(20, 1500, 3) };
            let found = plan.fit(&mut points, 3, 6000, &mut Run::default()).unwrap();
            assert!(found.chunks >= 4 && found.coreset_size < 6000);
            let exact = points.cost(&found.centers, metric, objective);
            assert!((found.cost / exact - 1.0).abs() < 1e-9, "{} {exact}", found.cost);
            assert_eq!(found.sizes.iter().sum::<f64>(), 6000.0);
            let best = found.costs.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(found.cost, best);
            let rows = |chunk: &Chunk, item: usize| chunk.row(item).to_vec();
            for (at, &place) in found.centers.places.iter().enumerate() {
                assert_eq!(rows(&found.centers, at), rows(&points.all, place as usize));
            }
            let space = Vectors::new(3, &points.all.rows, metric).unwrap();
            let problem = Problem::of(&space).objective(objective).build().unwrap();
            let alone = KMedian::default().fit(&problem, 20).unwrap().cost;
            assert!(found.cost <= 1.03 * alone, "{metric} {objective:?}: {} {alone}", found.cost);
        }
    }
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
    let space = Vectors::new(2, &points.all.rows, Metric::L2).unwrap();
    let problem = Problem::of(&space).build().unwrap();
    let alone = KMedian { seed: Seed(5), ..KMedian::default() }.fit(&problem, 7).unwrap();
    let places: Vec<usize> = found.centers.places.iter().map(|&place| place as usize).collect();
    assert_eq!((places, found.cost), (alone.centers, alone.cost));
}

#[test]
fn a_pass_measures_what_a_plain_loop_does() {
    let points = Points::new(600, 3, 8, 4);
    let mut chunk = points.all.clone();
    let mut rng = Seed(9).generator();
    chunk.weights.iter_mut().for_each(|weight| *weight = rng.random());
    let centers = chunk.take([1, 50, 100, 200, 300]);
    let candidates = chunk.take((0..10).map(|at| at * 11));
    // The second set keeps centers 0 and 3; items between centers 1, 2 and 4 lose both of theirs.
    let newcomers = chunk.take([7, 8, 9]);
    let replaced = vec![1, 2, 4];
    let second = chunk.take([1, 7, 8, 200, 9]);
    let measure = Measure { round: 0, centers, candidates, newcomers, replaced };
    let (metric, objective, seed) = (Metric::L2, Objective::Median, Seed(1));
    let setting = Setting { metric, objective, seed, bounds: 1 << 20 };
    let pass = Pass { setting, task: Task::Measure(Box::new(measure.clone())) };
    let pass = Pass::from_bytes(&pass.to_bytes()).unwrap();
    let found = pass.over(chunk.clone(), &mut Run::default()).unwrap();
    let found = Found::from_bytes(&found.to_bytes()).unwrap();
    let Answer::Measured(found) = found.answer else { panic!("measured") };
    let apart = |a: &[f32], b: &[f32]| {
        let square = |(a, b): (&f32, &f32)| f64::from(a - b).powi(2);
        a.iter().zip(b).map(square).sum::<f64>().sqrt()
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-4 * b.max(1.0), "{a} {b}");
    for (centers, sums) in [(&measure.centers, &found.sums), (&second, &found.second)] {
        let mut costs = vec![0.0; 5];
        let mut sizes = vec![0.0; 5];
        for item in 0..600 {
            let from = |slot: &usize| apart(chunk.row(item), centers.row(*slot));
            let slot = (0..5).min_by(|a, b| from(a).total_cmp(&from(b))).unwrap();
            costs[slot] += chunk.weights[item] * from(&slot);
            sizes[slot] += chunk.weights[item];
        }
        costs.iter().zip(&sums.costs).for_each(|(&cost, &found)| close(found, cost));
        sizes.iter().zip(&sums.sizes).for_each(|(&size, &found)| close(found, size));
    }
    let mut judged = vec![0.0; 10];
    for item in 0..600 {
        let from = |slot: &usize| apart(chunk.row(item), measure.centers.row(*slot));
        let slot = (0..5).min_by(|a, b| from(a).total_cmp(&from(b))).unwrap();
        for at in 2 * slot..2 * slot + 2 {
            judged[at] += chunk.weights[item] * apart(chunk.row(item), measure.candidates.row(at));
        }
    }
    judged.iter().zip(&found.judged).for_each(|(&cost, &found)| close(found, cost));
}

#[test]
fn damaged_bytes_are_errors() {
    let points = Points::new(200, 2, 4, 6);
    let mut fit = plan(5, 60, 2).begin(2, 200, 4).unwrap();
    let pass = fit.pass().unwrap().clone();
    let found: Vec<Found> = (0..4)
        .map(|at| pass.over(points.all.take(at * 50..at * 50 + 50), &mut Run::default()).unwrap())
        .collect();
    for bytes in [pass.to_bytes(), found[0].to_bytes()] {
        for end in 0..bytes.len() {
            let part = &bytes[..end];
            assert!(Pass::from_bytes(part).is_err() && Found::from_bytes(part).is_err());
        }
    }
    // A chunk that is missing, or that came twice.
    let error = fit.take(found[1..].to_vec(), &mut Run::default()).unwrap_err();
    assert!(error.to_string().contains("in another pass 150"), "{error}");
    fit.take(found.clone(), &mut Run::default()).unwrap();
    // What was asked before is no answer to what is asked now.
    assert!(fit.take(found, &mut Run::default()).is_err());
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
    use std::ops::ControlFlow;
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
