//! The `kmedian` command.

mod advice;
mod args;
mod cells;
mod centers;
mod console;
mod failure;
mod fit;
mod info;
mod key;
mod ledger;
mod outputs;
mod plan;
mod private;
mod progress;
mod threads;
mod universe;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            console::error(&failure::one_line(&error.to_string()));
            return ExitCode::from(failure::BAD_INPUT);
        }
    };
    progress::end_on_signals();
    let done = match args.command {
        Command::Fit(args) => fit::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Private(args) => private::run(&args),
        Command::Centers(args) => centers::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Ledger(args) => ledger::run(&args.command),
        Command::Key(args) => key::run(&args.command),
        Command::Verify(args) => verify::run(&args),
        Command::Demo(args) => run_demo(&args),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            console::error(failure.message());
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run_demo(args: &args::DemoArgs) -> Result<ExitCode, Failure> {
    let options = kmedian_demo::Options { seed: args.seed, k: args.k, page: args.page.clone() };
    let mut bar = progress::Spinner::new();
    let report = kmedian_demo::run(&options, &mut |what| bar.say(what))?;
    drop(bar);
    kmedian_data::write_atomically(&options.page, |file| file.write_all(report.html.as_bytes()))?;
    console::print(&report.text)?;
    Ok(ExitCode::SUCCESS)
}
