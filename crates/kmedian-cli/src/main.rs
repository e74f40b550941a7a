//! The `kmedian` command: parses the command line, and runs the command that it names.

mod advice;
mod args;
mod assign;
mod cells;
mod centers;
mod console;
mod demand;
mod failure;
mod fit;
mod geo;
mod geojson;
mod grid;
mod info;
mod key;
mod ledger;
mod outputs;
mod pictures;
mod places;
mod plan;
mod private;
mod progress;
mod service;
mod shell;
mod snap;
mod threads;
mod universe;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Command, MakeCommand};
use failure::Failure;

fn main() -> ExitCode {
    let args = match args::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            console::error(&failure::one_line(&error.to_string()));
            return ExitCode::from(failure::BAD_INPUT);
        }
    };
    if args.quiet {
        console::be_quiet();
    }
    if stdin_is_named_twice(std::env::args_os()) {
        console::error(
            "standard input can be read only once, but `-` is given twice; save one of them",
        );
        return ExitCode::from(failure::BAD_INPUT);
    }
    progress::end_on_signals();
    match check_vector_unit().and_then(|()| run(args.command)) {
        Ok(code) => {
            console::show_notes();
            code
        }
        Err(failure) => {
            console::error(failure.message());
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Fit(args) => fit::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Private(args) => private::run(&args),
        Command::Assign(args) => assign::run(&args),
        Command::Centers(args) => centers::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Universe(args) => match args.command {
            MakeCommand::Grid(args) => grid::run(&args),
        },
        Command::Ledger(args) => ledger::run(&args.command),
        Command::Key(args) => key::run(&args.command),
        Command::Verify(args) => verify::run(&args),
        Command::Demo(args) => run_demo(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    }
}

/// Checks that the vector unit that the environment names, if it names one, is used.
fn check_vector_unit() -> Result<(), Failure> {
    match std::env::var("KMEDIAN_VECTOR_UNIT") {
        Ok(name) if name != kmedian::vector_unit() => Err(Failure::new(format!(
            "KMEDIAN_VECTOR_UNIT is `{}`; this machine has {}",
            failure::plain(&name),
            kmedian::vector_units().join(", ")
        ))),
        _ => Ok(()),
    }
}

/// Whether more than one file is to be read from standard input.
fn stdin_is_named_twice(arguments: impl Iterator<Item = OsString>) -> bool {
    let (mut named, mut separator) = (0, false);
    for argument in arguments.skip(1) {
        let text = argument.to_string_lossy();
        let is_file = text == "-" && !separator;
        let given = text.starts_with("--") && !text.starts_with("--demand-separator=");
        named += usize::from(is_file || (given && text.ends_with("=-")));
        separator = text == "--demand-separator";
    }
    named > 1
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
