//! The options of `kmedian private` and `kmedian centers`.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args as ClapArgs;
use kmedian::choice;
use kmedian::privacy::{Epsilon, Mechanism, Method};
use kmedian_data::{ColumnRef, DemandFormat};
use kmedian_ledger::Amount;

use super::words::words;
use super::{
    CentersOut, GoalArgs, NoiseArgs, RunArgs, SearchArgs, SnapArgs, Source, SpaceArgs, UniverseArgs,
};

const PRIVATE_EXAMPLES: &str = "\
Examples:
  kmedian private stops.csv --id stop --columns lat,lon --metric haversine --demand trips.parquet \\
      --epsilon 1 -k 10 --release trips.release.json
  kmedian private roads.gr --graph --demand visits.csv --key node --unit user --max-per-unit 5 \\
      --epsilon 0.5 -k 10,20,50 --release visits.release.json
  kmedian private shops.csv --demand sales.csv --epsilon 0.3 -k 8 --ledger ledger.db --dataset sales
  kmedian private shops.csv --demand sales.csv --epsilon 0.3 -k 8 --release sales.json \\
      --sign release.key

The items are public, the demand is private. What is printed and written may be published, whatever the
demand is; centers for other k follow from the release at no further cost: `kmedian help centers`.
To choose an epsilon before any is spent: `kmedian help plan`.";

#[derive(ClapArgs)]
#[command(after_help = PRIVATE_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct PrivateArgs {
    #[command(flatten)]
    pub(crate) universe: UniverseArgs,
    /// The private records: a table in any format, a row for each record; a repeated row counts
    /// again. How it is read is told by its name and the options below, never by what is in it. A
    /// folder, or a pattern in quotes ('trips-*.parquet'), is a table in several files
    #[arg(long, value_name = "FILE")]
    pub(crate) demand: PathBuf,
    /// The column of the demand that names the item, by its --id or 0-based position; without a
    /// header by position [default: the column of the same name as --id, or the only one]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<ColumnRef>,
    #[command(flatten)]
    pub(crate) snap: SnapArgs,
    /// The column of the demand that names whom a record belongs to: all records of a unit are
    /// protected together
    #[arg(long, value_name = "COLUMN")]
    pub(crate) unit: Option<ColumnRef>,
    /// Count at most so many records of a unit, drawn at random; the noise grows with it
    #[arg(long, value_name = "M", value_parser = at_least_one)]
    pub(crate) max_per_unit: Option<NonZeroU32>,
    /// The format of the demand: csv and tsv (RFC 4180: quoted cells may hold line breaks),
    /// csv-lines and tsv-lines (every line is a record, whatever is quoted), text (blanks),
    /// parquet, npy, idx [default: what its name tells; .gz is gzip]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) demand_format: Option<DemandFormat>,
    /// Whether the first record of the demand names its columns [default: yes for csv and tsv, no
    /// for text]
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) demand_header: Option<bool>,
    /// What separates the cells of csv and tsv: comma, semicolon, tab, pipe or another character
    /// [default: comma for csv, tab for tsv]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) demand_separator: Option<u8>,
    /// How much privacy may be lost: a decimal number, at most 100; 1 is common, less protects
    /// better
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(crate) epsilon: Spending,
    /// About how many records the demand has, if that may be known: with many, counts are finer
    /// [default: a 32nd of epsilon finds that out]
    #[arg(long, value_name = "N", value_parser = records)]
    pub(crate) demand_size: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) out: CentersOut,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[command(flatten)]
    pub(crate) noise: NoiseArgs,
    #[arg(
        long,
        help = choice::MECHANISM.help,
        value_parser = words(&choice::MECHANISM),
        default_value_t
    )]
    pub(crate) method: Mechanism,
    /// How many swaps --method paper does [default: 20]
    #[arg(long, value_name = "T")]
    pub(crate) iterations: Option<usize>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// The seed of the public tree and of the search; the noise is never seeded by it
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write the release to this file: JSON, to publish, and to derive other centers from
    #[arg(long, value_name = "FILE")]
    pub(crate) release: Option<PathBuf>,
    /// Sign the release with this private key: see `kmedian help key`
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Spend epsilon of a budget in this ledger, or do nothing at all (exit code 3): a file, or a
    /// database as postgres://user@host/database
    #[arg(long, value_name = "LEDGER")]
    pub(crate) ledger: Option<PathBuf>,
    /// The dataset of the ledger that the demand belongs to
    #[arg(long, value_name = "NAME")]
    pub(crate) dataset: Option<String>,
    /// Refuse to run without --ledger, a --dry-run too; so does KMEDIAN_REQUIRE_LEDGER=1 in the
    /// environment
    #[arg(long)]
    pub(crate) require_ledger: bool,
    /// Print true costs and counts on standard error, for the operator's eyes alone
    #[arg(long)]
    pub(crate) nonprivate_diagnostics: bool,
    /// Read the demand and say on standard error, for the operator's eyes alone, how many records
    /// name an item. Spends nothing, writes nothing, releases nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// For experiments: noise that anybody can repeat. The release says that it is not private
    #[arg(long, value_name = "SEED", conflicts_with = "ledger")]
    pub(crate) seeded_noise_not_private: Option<u64>,
}

impl PrivateArgs {
    pub(crate) fn source(&self) -> Source<'_> {
        let rows = self.out.report.is_some();
        Source { rows, ..self.universe.source(&self.goal) }
    }
}

/// The ε of a run, twice: as an exact fraction for the mechanism, and as an exact amount for the
/// ledger.
#[derive(Clone, Copy)]
pub(crate) struct Spending {
    pub(crate) epsilon: Epsilon,
    pub(crate) amount: Amount,
}

impl FromStr for Spending {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let epsilon = text.parse().map_err(|error: kmedian::Error| error.to_string())?;
        let amount = Amount::to_spend(text).map_err(|error| error.to_string())?;
        Ok(Self { epsilon, amount })
    }
}

pub(super) fn at_least_one(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "give a whole number, 1 or more".to_owned())
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("say yes or no; it is never guessed from the records".to_owned()),
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("comma", _) => Ok(b','),
        ("semicolon", _) => Ok(b';'),
        ("tab", _) => Ok(b'\t'),
        ("pipe", _) => Ok(b'|'),
        (_, &[byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
        _ => Err("give comma, semicolon, tab, pipe, or one ASCII character but a quote".to_owned()),
    }
}

fn records(text: &str) -> Result<NonZeroU64, String> {
    text.parse().map_err(|_| "give a whole number of records, 1 or more".to_owned())
}

const CENTERS_EXAMPLES: &str = "\
Examples:
  kmedian centers trips.release.json --universe stops.csv --id stop --columns lat,lon --metric haversine -k 5
  kmedian centers visits.release.json --universe roads.gr --graph -k 2..50 --json
  kmedian centers visits.release.json --universe roads.gr --graph -k 20 --objective means --centers sites.csv

The universe is read with the same options as when the release was made.";

#[derive(ClapArgs)]
#[command(after_help = CENTERS_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct CentersArgs {
    /// What `kmedian private --release` wrote
    pub(crate) release: PathBuf,
    /// The public items that the release is for
    #[arg(long, value_name = "FILE")]
    pub(crate) universe: PathBuf,
    #[command(flatten)]
    pub(crate) space: SpaceArgs,
    #[command(flatten)]
    pub(crate) out: CentersOut,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[arg(long, help = choice::METHOD.help, value_parser = words(&choice::METHOD), default_value_t)]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

impl CentersArgs {
    pub(crate) fn source(&self) -> Source<'_> {
        let rows = self.out.report.is_some();
        Source { rows, ..Source::public(&self.universe, &self.space, &self.goal) }
    }
}
