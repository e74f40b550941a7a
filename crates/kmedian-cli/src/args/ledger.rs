//! The options of `kmedian ledger`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use kmedian_ledger::{Amount, Neighbours, ProtectedChange, ProtectedUnit};

use super::private::at_least_one;

const LEDGER_EXAMPLES: &str = "\
Examples:
  kmedian ledger create ledger.db --dataset visits-2026 --budget 2
  kmedian ledger create ledger.db --dataset trips --budget 1 --protects owner --max-per-unit 5
  kmedian ledger list ledger.db
  kmedian ledger show ledger.db --dataset visits-2026 --json
  kmedian ledger verify ledger.db
  kmedian ledger verify ledger.db --expect sha256:5f0c...
  kmedian ledger list postgres://ann@localhost/books
  kmedian ledger move ledger.db --to postgres://ann@localhost/books

A budget is set once and never raised. What a run has reserved stays spent, whatever became of the run. What a
dataset protects is fixed when it is created, or else by its first run: epsilons of different units or
neighbours do not add up.";

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
        #[command(flatten)]
        protects: ProtectsArgs,
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
    /// Check that the ledger was not edited, and print the head of its chain
    Verify {
        #[command(flatten)]
        file: LedgerFile,
        /// A head that was printed before: it must be in the chain still
        #[arg(long, value_name = "HASH")]
        expect: Option<String>,
    },
    /// Move a ledger from a file to a PostgreSQL server, with its hashes; the file is closed for
    /// good
    Move {
        #[command(flatten)]
        file: LedgerFile,
        /// The database, as postgres://user@host/database; the password is read from PGPASSWORD
        #[arg(long, value_name = "URL")]
        to: PathBuf,
    },
}

/// What all runs on a dataset protect, if that is fixed before the first.
#[derive(ClapArgs)]
pub(crate) struct ProtectsArgs {
    /// What every run on it protects: single records, or owners with all their records [default:
    /// what the first run does]
    #[arg(long, value_enum, value_name = "record|owner")]
    protects: Option<UnitArg>,
    /// With --protects owner: how many records of one are counted at most
    #[arg(long, value_name = "M", value_parser = at_least_one)]
    max_per_unit: Option<NonZeroU32>,
    /// With --protects: whether tables that must look alike differ by one more or by one instead of
    /// another [default: add-remove]
    #[arg(long, value_name = "add-remove|replace-one")]
    neighbours: Option<Neighbours>,
}

impl ProtectsArgs {
    pub(crate) fn change(&self) -> Result<Option<ProtectedChange>, kmedian_ledger::Error> {
        let Some(unit) = self.protects else { return Ok(None) };
        let word = match unit {
            UnitArg::Record => "record",
            UnitArg::Owner => "owner",
        };
        let unit = ProtectedUnit::from_words(word, self.max_per_unit.map(NonZeroU32::get))?;
        Ok(Some(ProtectedChange { unit, neighbours: self.neighbours.unwrap_or_default() }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitArg {
    Record,
    Owner,
}

/// The ledger, and how to print what is in it.
#[derive(ClapArgs)]
pub(crate) struct LedgerFile {
    /// The ledger: an SQLite file, or a database as postgres://user@host/database
    #[arg(value_name = "LEDGER")]
    pub(crate) path: PathBuf,
    /// Print JSON instead of a table; amounts are text, as they are exact
    #[arg(long)]
    pub(crate) json: bool,
}
