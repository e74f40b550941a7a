//! The command line as it is typed. What it means is decided where it is used.

mod assign;
mod demand;
mod fit;
mod key;
mod ks;
mod ledger;
mod length;
mod make;
mod needs;
mod plan;
mod private;
mod search;
mod shared;
mod universe;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use assign::AssignArgs;
pub(crate) use demand::{DemandArgs, SnapArgs};
pub(crate) use fit::FitArgs;
pub(crate) use key::{KeyArgs, KeyCommand, VerifyArgs};
pub(crate) use ks::Ks;
pub(crate) use ledger::{LedgerArgs, LedgerCommand, LedgerFile};
pub(crate) use length::Length;
pub(crate) use make::{Corners, GridArgs, Lattice, MakeArgs, MakeCommand};
pub(crate) use plan::PlanArgs;
pub(crate) use private::{CentersArgs, PrivateArgs};
pub(crate) use search::{Search, SearchArgs};
pub(crate) use shared::{CentersOut, GoalArgs, ImageShape, NoiseArgs, RunArgs};
pub(crate) use universe::{InputArgs, Source, SpaceArgs, UniverseArgs};

/// The exit codes of all commands, for the end of `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0    done
  2    the input or an option cannot be used: one line on standard error says what and where, and what to do;
       nothing is half written
  3    the privacy budget of the dataset does not suffice: nothing was spent, read or written
  130  ended early by Ctrl-C, SIGTERM or SIGHUP: with the best centers so far, or, if there were none yet,
       with an error";

/// Pick k representatives out of a known set of items, under any metric.
#[derive(Parser)]
#[command(name = "kmedian", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Show no progress and no notes; errors and warnings stay
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command line, if every option is known and has what it needs.
pub(crate) fn parse(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Args, clap::Error> {
    let mut command = Args::command();
    let matches = command.try_get_matches_from_mut(words)?;
    needs::check(&command, &matches)?;
    Args::from_arg_matches(&matches)
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Find k centers among the items of a file
    Fit(Box<FitArgs>),
    /// Say what a file holds: items, columns, extent, components
    Info(InfoArgs),
    /// Find k centers for private demand over public items, and release them under differential
    /// privacy
    Private(Box<PrivateArgs>),
    /// Assign rows that came later to the centers that were found
    Assign(AssignArgs),
    /// Derive centers for other k from a private release, at no further cost of privacy
    Centers(CentersArgs),
    /// Simulate what private centers would cost for several epsilons, before any is spent
    Plan(PlanArgs),
    /// Make a public universe where there is none
    Universe(MakeArgs),
    /// Keep the books of privacy budgets: what was spent of a dataset, and what is left
    Ledger(LedgerArgs),
    /// Make keys that sign releases
    Key(KeyArgs),
    /// Check who signed a release, and that it was not changed since
    Verify(VerifyArgs),
    /// Site depots in a made-up city, and draw the map
    Demo(DemoArgs),
    /// Print a script that completes commands and options in a shell
    Completions(CompletionsArgs),
    /// Write the manual pages, one for each command
    Man(ManArgs),
}

#[derive(ClapArgs)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct DemoArgs {
    /// The city's seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many depots to site
    #[arg(short, default_value_t = 12)]
    pub(crate) k: usize,
    /// Where to write the map
    #[arg(long, default_value = "demo.html", value_name = "FILE")]
    pub(crate) page: PathBuf,
}

#[derive(ClapArgs)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  kmedian completions bash > ~/.local/share/bash-completion/completions/kmedian
  kmedian completions zsh > ~/.zfunc/_kmedian     # a folder of $fpath
  kmedian completions fish > ~/.config/fish/completions/kmedian.fish";

/// A shell whose words can be completed.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(ClapArgs)]
pub(crate) struct ManArgs {
    /// The folder to write them to, which is made if it is not there
    pub(crate) folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
