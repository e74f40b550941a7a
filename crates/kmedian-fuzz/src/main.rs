//! `kmedian-fuzz`: runs damaged files through every reader; see the library.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kmedian_fuzz::{Plan, run};

const USAGE: &str =
    "usage: kmedian-fuzz [--seconds N] [--seed N] [--target NAME] [--case N] [--folder FOLDER]";

fn main() -> ExitCode {
    let Some(plan) = plan(env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let report = match run(&plan) {
        Ok(report) => report,
        Err(error) => {
            eprintln!("fuzz: {}: {error}", plan.folder.display());
            return ExitCode::FAILURE;
        }
    };
    println!("| target | cases | accepted | most memory, MiB |\n|---|---|---|---|");
    for (name, cases, accepted, memory) in &report.targets {
        println!("| {name} | {cases} | {accepted} | {} |", memory >> 20);
    }
    let cases: u64 = report.targets.iter().map(|target| target.1).sum();
    println!("seed {}: {cases} cases, {} failures", plan.seed, report.failures.len());
    for failure in &report.failures {
        let file =
            failure.file.as_ref().map_or_else(String::new, |file| file.display().to_string());
        println!("{}, case {}: {} {file}", failure.target, failure.case, failure.what);
    }
    if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn plan(mut arguments: impl Iterator<Item = String>) -> Option<Plan> {
    let folder = PathBuf::from("target/fuzz");
    let mut plan =
        Plan { time: Duration::from_secs(60), seed: 1, target: None, case: None, folder };
    while let Some(option) = arguments.next() {
        let value = arguments.next()?;
        match option.as_str() {
            "--seconds" => plan.time = Duration::from_secs(value.parse().ok()?),
            "--seed" => plan.seed = value.parse().ok()?,
            "--target" => plan.target = Some(value),
            "--case" => plan.case = Some(value.parse().ok()?),
            "--folder" => plan.folder = value.into(),
            _ => return None,
        }
    }
    Some(plan)
}
