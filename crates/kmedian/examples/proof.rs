//! Fits and proves, and prints what was proven after how much processor time: what
//! `cargo xtask bench proof` measures.
//!
//! ```text
//! proof points FILE DIMS K [OPTION…]     rows of 32-bit floats, nothing else
//! proof graph FILE K [OPTION…]           the number of nodes, then lines of two nodes and a length
//! ```
//!
//! Options: `floor` (distances in a matrix, rounded down), `gap=SHARE`, `optimal`, `bound`,
//! `balanced`, `certified`, `restarts=N`, `swaps=N`, `seed=N`, `time=SECONDS`, `times=M` (ends after M
//! times the processor time of the fit), `until=COST` (ends as soon as centers cost no more).

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use kmedian::{
    Effort, Error, Graph, KMedian, LocalSearch, Matrix, Metric, Problem, Proof, Run, Seed, Space,
    Step, Vectors,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (space, k, options): (Box<dyn Space>, usize, &[&str]) = match &words[..] {
        ["points", file, dims, k, options @ ..] => {
            let rows = points(file)?;
            let floor = options.contains(&"floor");
            let dims = dims.parse()?;
            let space: Box<dyn Space> = if floor {
                Box::new(floored(&rows, dims)?)
            } else {
                Box::new(Vectors::new(dims, &rows, Metric::L2)?)
            };
            (space, k.parse()?, options)
        }
        ["graph", file, k, options @ ..] => (Box::new(graph(file)?), k.parse()?, options),
        _ => return Err("proof points FILE DIMS K, or proof graph FILE K".into()),
    };
    let number = |name: &str| -> Option<f64> {
        options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    };
    let has = |name: &str| options.contains(&name);
    let efforts = [
        ("optimal", Effort::Optimal),
        ("balanced", Effort::Balanced),
        ("certified", Effort::Certified),
    ];
    let effort = efforts.into_iter().find(|effort| has(effort.0)).map_or(Effort::Auto, |e| e.1);
    let proof = match number("gap") {
        Some(gap) => Proof::Gap(gap),
        None if has("bound") => Proof::Bound,
        None => Proof::None,
    };
    let search = LocalSearch {
        effort,
        max_swaps: number("swaps").map(|most| most as usize),
        time_limit: number("time").map(Duration::from_secs_f64),
        ..LocalSearch::default()
    };
    let restarts = Some(number("restarts").unwrap_or(0.0) as usize);
    let seed = Seed(number("seed").unwrap_or(0.0) as u64);
    let plan = KMedian { search, restarts, proof, seed, ..KMedian::default() };
    let problem = Problem::of(&*space).build()?;
    let began = processor();
    println!("read {began:.2}");
    let (mut fit, mut bounded) = (0.0, false);
    let mut watch = |step: &Step| {
        let now = processor() - began;
        let cost = match *step {
            Step::Judged { cost, .. } | Step::Bounded { cost, .. } => cost,
            Step::Restarted { best, .. } => best,
            _ => f64::INFINITY,
        };
        if number("until").is_some_and(|enough| cost <= enough) {
            println!("met {now:.2}");
            return ControlFlow::Break(());
        }
        let Step::Bounded { bound, cost, .. } = step else {
            // The last step before the first bound is the end of the fit.
            if !bounded {
                fit = now;
            }
            return ControlFlow::Continue(());
        };
        if !std::mem::replace(&mut bounded, true) {
            println!("fit {fit:.2}");
        }
        println!("step {now:.2} {bound} {cost}");
        match number("times") {
            Some(times) if now > (1.0 + times) * fit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let prepared = plan.prepare(&problem, &mut Run::default())?;
    let found = prepared.fit(k, &mut Run::observed_by(&mut watch))?;
    let (bound, cost) = (found.bound.unwrap_or(0.0), found.cost);
    println!("end {:.2} {bound} {cost} {}", processor() - began, found.stop);
    let centers: Vec<String> = found.centers.iter().map(ToString::to_string).collect();
    println!("centers {}", centers.join(" "));
    Ok(())
}

fn points(file: &str) -> std::io::Result<Vec<f32>> {
    let bytes = fs::read(file)?;
    Ok(bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect())
}

/// All distances between points, rounded down to whole numbers.
fn floored(rows: &[f32], dims: usize) -> Result<Matrix, Error> {
    let n = rows.len() / dims;
    let mut values = Vec::with_capacity(n * n);
    for a in rows.chunks_exact(dims) {
        for b in rows.chunks_exact(dims) {
            let squares = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
            values.push(squares.sum::<f64>().sqrt().floor() as f32);
        }
    }
    Matrix::new(n, values)
}

fn graph(file: &str) -> Result<Graph, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(file)?;
    let mut lines = text.lines();
    let nodes = lines.next().unwrap_or_default().trim().parse()?;
    let mut edges = Vec::new();
    for line in lines {
        let [a, b, length] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(format!("no edge: {line}").into());
        };
        edges.push((a.parse()?, b.parse()?, length.parse()?));
    }
    Ok(Graph::new(nodes, &edges)?)
}

/// The processor seconds of all threads of this process so far, in hundredths.
fn processor() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}
