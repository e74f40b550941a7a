//! What a distance costs, for every number of coordinates from 1 to 2,048, and whether that is
//! smooth: `coordinates l2|l1|angular [MOST]` prints nanoseconds for each pair, at powers of two and
//! behind them, and every step of more than half between neighbors d and d + 1. The vector unit is
//! that of `KMEDIAN_VECTOR_UNIT`, or the best there is.

use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kmedian::space::{Among, Caps};
use kmedian::{Error, Metric, Question, Seed, Space, Vectors, vector_unit};
use rand::RngExt;

/// The numbers in all rows together, 64 KiB, so that they stay in the second cache of a core.
const NUMBERS: usize = 1 << 14;
/// The fewest rows that a source is compared with.
const FEWEST: usize = 64;
/// How often a question is timed: the least of all counts, as other work only ever adds.
const TIMES: usize = 60;
/// The step between neighbors that is reported: half as much again.
const STEP: f64 = 1.5;

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let metric = match args.next().as_deref() {
        Some("l2") => Metric::L2,
        Some("l1") => Metric::L1,
        Some("angular") => Metric::Angular,
        _ => {
            eprintln!("usage: coordinates l2|l1|angular [MOST]");
            return ExitCode::from(2);
        }
    };
    let most = args.next().and_then(|most| most.parse().ok()).unwrap_or(2048);
    match print(metric, most) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("coordinates: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Times a pair for each number of coordinates up to `most`, and prints what is of interest.
fn print(metric: Metric, most: usize) -> Result<(), Error> {
    println!("{metric}, {}: coordinates, ns for a pair", vector_unit());
    let (mut before, mut steps, mut largest) = (None, 0, 1.0);
    for dims in 1..=most {
        let mut now = nanoseconds(metric, dims)?;
        let mut ratio = before.map_or(1.0, |before: f64| now / before);
        if ratio > STEP {
            // Other work may have been in the way.
            now = now.min(nanoseconds(metric, dims)?);
            ratio = before.map_or(1.0, |before| now / before);
        }
        if ratio > STEP {
            println!("{dims:5} {now:8.2}  a step: {ratio:.2} x");
            steps += 1;
        } else if dims.is_power_of_two() || (dims - 1).is_power_of_two() {
            println!("{dims:5} {now:8.2}");
        }
        largest = f64::max(largest, ratio);
        before = Some(now);
    }
    println!("{steps} steps above {STEP} x; the largest is {largest:.2} x");
    Ok(())
}

/// The time of one pair of rows, in nanoseconds.
fn nanoseconds(metric: Metric, dims: usize) -> Result<f64, Error> {
    let rows = (NUMBERS / dims).max(FEWEST);
    let mut rng = Seed(1).stream("coordinates");
    let values: Vec<f32> = (0..rows * dims).map(|_| rng.random_range(0.5..1.5)).collect();
    let vectors = Vectors::new(dims, &values, metric)?;
    let caps = Caps::Uniform(f32::MAX);
    let question = Question { among: Among::All, caps, largest: f32::MAX };
    let (mut asker, mut hits, mut least) = (vectors.asker(), Vec::new(), Duration::MAX);
    for source in 0..TIMES {
        let started = Instant::now();
        asker.ask(source % rows, &question, &mut hits);
        least = least.min(started.elapsed());
    }
    Ok(least.as_secs_f64() * 1e9 / rows as f64)
}
