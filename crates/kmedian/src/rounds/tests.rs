use super::measure::Measure;
use super::pass::{Answer, Setting, Task};
use super::*;
use rand::RngExt;

/// Random points.
fn points(n: usize, dims: usize, seed: u64) -> Chunk {
    let mut rng = Seed(seed).generator();
    Chunk {
        dims,
        rows: (0..n * dims).map(|_| rng.random()).collect(),
        weights: vec![1.0; n],
        places: (0..n as u64).collect(),
    }
}

#[test]
fn a_pass_measures_what_a_plain_loop_does() {
    let mut chunk = points(600, 3, 4);
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
        let mut costs = [0.0; 5];
        let mut sizes = [0.0; 5];
        for item in 0..600 {
            let from = |slot: &usize| apart(chunk.row(item), centers.row(*slot));
            let slot = (0..5).min_by(|a, b| from(a).total_cmp(&from(b))).unwrap();
            costs[slot] += chunk.weights[item] * from(&slot);
            sizes[slot] += chunk.weights[item];
        }
        costs.iter().zip(&sums.costs).for_each(|(&cost, &found)| close(found, cost));
        sizes.iter().zip(&sums.sizes).for_each(|(&size, &found)| close(found, size));
    }
    let mut judged = [0.0; 10];
    for item in 0..600 {
        let from = |slot: &usize| apart(chunk.row(item), measure.centers.row(*slot));
        let slot = (0..5).min_by(|a, b| from(a).total_cmp(&from(b))).unwrap();
        for (at, judged) in judged.iter_mut().enumerate().skip(2 * slot).take(2) {
            *judged += chunk.weights[item] * apart(chunk.row(item), measure.candidates.row(at));
        }
    }
    judged.iter().zip(&found.judged).for_each(|(&cost, &found)| close(found, cost));
}

#[test]
fn damaged_bytes_are_errors() {
    let points = points(200, 2, 6);
    // Memory for 60 rows.
    let plan = Rounds { memory: 60 * (2 * PER_VALUE + PER_ROW), ..Rounds::new(5) };
    let mut fit = plan.begin(2, 200, 4).unwrap();
    let pass = fit.pass().unwrap().clone();
    let found: Vec<Found> = (0..4)
        .map(|at| pass.over(points.take(at * 50..at * 50 + 50), &mut Run::default()).unwrap())
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
