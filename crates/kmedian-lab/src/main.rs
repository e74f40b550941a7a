//! The `kmedian-lab` command.

mod args;

use std::process::ExitCode;
use std::thread;

use clap::Parser;
use kmedian_lab::progress::{INTERRUPTED, catch_interrupts};
use kmedian_lab::report::{self, Origin};
use kmedian_lab::{Failure, Sizes, Sources, read_rows, run};

use args::{Action, Command};

/// The exit code for input that cannot be used.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let command = Command::parse();
    catch_interrupts();
    match start(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("kmedian-lab: {failure}");
            ExitCode::from(if failure.is_interrupt() { INTERRUPTED } else { BAD_INPUT })
        }
    }
}

fn start(Command { action, options }: Command) -> Result<(), Failure> {
    let sizes = if options.quick { Sizes::quick() } else { Sizes::full() };
    let sizes = sizes.with_seeds(options.seeds).with_only(options.records, options.epsilons);
    let sources = Sources::new(options.mnist, options.shared);
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.map_or_else(cores, usize::from);
    let experiments = action.experiments();
    let all = matches!(action, Action::All);
    if !experiments.is_empty() {
        run(&experiments, &sizes, &sources, &options.out, threads, all)?;
    }
    if all || experiments.is_empty() {
        let rows = read_rows(&options.out)?;
        report::write(&rows, Origin::of_folder(&options.out), &options.out)?;
        eprintln!("The report: {}", options.out.join("report.html").display());
    }
    Ok(())
}
