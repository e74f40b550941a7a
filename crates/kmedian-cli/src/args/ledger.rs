//! What `kmedian ledger` is told.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use kmedian_ledger::Amount;

const LEDGER_EXAMPLES: &str = "\
Examples:
  kmedian ledger create ledger.db --dataset visits-2026 --budget 2
  kmedian ledger list ledger.db
  kmedian ledger show ledger.db --dataset visits-2026 --json

A budget is set once and never raised. What a run has reserved stays spent, whatever became of the run.";

#[derive(ClapArgs)]
#[command(after_help = LEDGER_EXAMPLES, arg_required_else_help = false)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Subcommand)]
pub(crate) enum LedgerCommand {
    /// Add a dataset with its budget; creates the ledger if there is none
    Create {
        #[command(flatten)]
        file: LedgerFile,
        /// The name of the dataset
        #[arg(long, value_name = "NAME", value_parser = kmedian_ledger::check_name)]
        dataset: String,
        /// How much epsilon all private runs on it may spend together, for example 1 or 0.5
        #[arg(long, value_name = "E", value_parser = Amount::to_allow, allow_hyphen_values = true)]
        budget: Amount,
    },
    /// List the datasets: budget, spent, left
    List {
        #[command(flatten)]
        file: LedgerFile,
    },
    /// Show what was spent of a dataset, run by run
    Show {
        #[command(flatten)]
        file: LedgerFile,
        /// The name of the dataset
        #[arg(long, value_name = "NAME")]
        dataset: String,
    },
}

/// The ledger, and how to print what is in it.
#[derive(ClapArgs)]
pub(crate) struct LedgerFile {
    /// The ledger: an SQLite file
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Print JSON instead of a table; amounts are text, as they are exact
    #[arg(long)]
    pub(crate) json: bool,
}
