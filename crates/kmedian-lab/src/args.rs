//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use kmedian_lab::Experiment;

/// The paper's experiments and ours: every run is one row in OUT/rows, and OUT/report.html shows
/// them.
#[derive(Debug, Parser)]
#[command(name = "kmedian-lab", version)]
pub(crate) struct Command {
    #[command(subcommand)]
    pub(crate) action: Action,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum Action {
    /// Every experiment, then the report; what needs data of --shared that is not there is left
    /// out.
    All,
    #[command(flatten)]
    One(Experiment),
    /// Figures, tables and the page from the rows that are there; runs nothing.
    Report,
}

impl Action {
    /// The experiments that are meant.
    pub(crate) fn experiments(self) -> Vec<Experiment> {
        match self {
            Action::All => Experiment::ALL.to_vec(),
            Action::One(experiment) => vec![experiment],
            Action::Report => Vec::new(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The folder for rows, figures and the report; what is there already is not run again.
    #[arg(long, global = true, default_value = "results")]
    pub(crate) out: PathBuf,
    /// Small sizes: about a minute for everything.
    #[arg(long, global = true)]
    pub(crate) quick: bool,
    /// A folder with MNIST's IDX files, plain or gzipped [default: ../shared/data/mnist beside the
    /// checkout, or data/mnist, which `cargo xtask data mnist` fills].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) mnist: Option<PathBuf>,
    /// A folder with orlib/ and roads/ [default: ../shared/data beside the checkout].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) shared: Option<PathBuf>,
    /// How many runs at a time [default: as many as there are cores]. Rows do not depend on it.
    #[arg(long, global = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Repetitions of every run [default: 10 for what the paper does, 5 for the rest; 2 with
    /// --quick].
    #[arg(long, global = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seeds: Option<u64>,
    /// Of `accuracy`, only demands of these numbers of records, as 500,100000 [default: all].
    #[arg(long, global = true, value_name = "NUMBERS", value_delimiter = ',')]
    pub(crate) records: Vec<usize>,
    /// Of `accuracy`, only these ε, as 0.1,1 [default: all].
    #[arg(long, global = true, value_name = "NUMBERS", value_delimiter = ',')]
    pub(crate) epsilons: Vec<String>,
}
