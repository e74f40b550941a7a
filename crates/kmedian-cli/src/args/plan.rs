//! The options of `kmedian plan`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use kmedian::choice;
use kmedian::privacy::{Epsilon, Method};

use super::private::at_least_one;
use super::words::words;
use super::{GoalArgs, NoiseArgs, RunArgs, SearchArgs, UniverseArgs};

const PLAN_EXAMPLES: &str = "\
Examples:
  kmedian plan stops.csv --columns lat,lon --metric haversine --epsilon 1 -k 10 --demand-size 500
  kmedian plan roads.gr --graph --epsilon 0.5 -k 20 --demand-size 100000 --max-per-unit 5 --plot plan.svg

It reads the public items alone, makes demand up and spends nothing: it can be repeated at will.";

#[derive(ClapArgs)]
#[command(after_help = PLAN_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) universe: UniverseArgs,
    /// About how much privacy may be lost; a tenth to ten times as much is tried
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub(crate) epsilon: Epsilon,
    /// How many centers
    #[arg(short, value_name = "K")]
    pub(crate) k: Option<usize>,
    /// About how many records the demand will have
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) demand_size: NonZeroU32,
    /// Plan for units of at most so many records, as --unit and --max-per-unit will have it
    #[arg(long, value_name = "M", value_parser = at_least_one)]
    pub(crate) max_per_unit: Option<NonZeroU32>,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[command(flatten)]
    pub(crate) noise: NoiseArgs,
    #[arg(long, help = choice::METHOD.help, value_parser = words(&choice::METHOD), default_value_t)]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// How often each epsilon is tried
    #[arg(long, default_value = "5", value_parser = at_least_one)]
    pub(crate) runs: NonZeroU32,
    /// Where randomness begins: a seed makes up the same demand and the same noise
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Draw the curves into this file (.svg)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Write a page to look at to this file (.html): the curves and their numbers
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
