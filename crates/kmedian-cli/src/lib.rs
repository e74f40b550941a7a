//! The `kmedian` command as a function: [`run`] parses a command line, and runs the command that it
//! names. The program `kmedian` calls it, and so does the command that comes with the Python
//! package.
//!
//! To find centers from Rust, use the crate `kmedian`: this one prints, and is meant to be all that
//! its process does.

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

use args::{Command, MakeCommand};
use failure::{DONE, Failure};

/// Runs a command line, whose first word is the name of the program, and returns the exit code of
/// the process; `kmedian help` lists what each code means. Results go to standard output, errors
/// and notes to standard error.
///
/// Call it once in a process, from its main thread: it handles Ctrl-C and other signals from then
/// on, which may end the process at once, and keeps what options such as `--quiet` ask for.
pub fn run(words: &[OsString]) -> u8 {
    let args = match args::parse(words) {
        Ok(args) => args,
        Err(error) if !error.use_stderr() => {
            // Help or the version. A reader that has gone away (`| head`) is not an error.
            let _ = error.print();
            return DONE;
        }
        Err(error) => {
            console::error(&failure::one_line(&error.to_string()));
            return failure::BAD_INPUT;
        }
    };
    if args.quiet {
        console::be_quiet();
    }
    if stdin_is_named_twice(words) {
        console::error(
            "standard input can be read only once, but `-` is given twice; save one of them",
        );
        return failure::BAD_INPUT;
    }
    progress::end_on_signals();
    match check_vector_unit().and_then(|()| run_command(args.command)) {
        Ok(code) => {
            console::show_notes();
            code
        }
        Err(failure) => {
            console::error(failure.message());
            failure.exit_code()
        }
    }
}

fn run_command(command: Command) -> Result<u8, Failure> {
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
fn stdin_is_named_twice(words: &[OsString]) -> bool {
    let (mut named, mut separator) = (0, false);
    for argument in words.iter().skip(1) {
        let text = argument.to_string_lossy();
        let is_file = text == "-" && !separator;
        let given = text.starts_with("--") && !text.starts_with("--demand-separator=");
        named += usize::from(is_file || (given && text.ends_with("=-")));
        separator = text == "--demand-separator";
    }
    named > 1
}

fn run_demo(args: &args::DemoArgs) -> Result<u8, Failure> {
    let options = kmedian_demo::Options { seed: args.seed, k: args.k, page: args.page.clone() };
    let mut bar = progress::Spinner::new();
    let report = kmedian_demo::run(&options, &mut |what| bar.say(what))?;
    drop(bar);
    kmedian_data::write_atomically(&options.page, |file| file.write_all(report.html.as_bytes()))?;
    console::print(&report.text)?;
    Ok(DONE)
}
