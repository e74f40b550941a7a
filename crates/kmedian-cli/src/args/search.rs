//! How long to look for better centers: the options of all commands that search.

use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use kmedian::privacy::Method;
use kmedian::{Effort, KMedian, LocalSearch, Strategy};

use crate::failure::Failure;

/// How local search goes on, and when it ends. What is not given is left to the defaults of the core.
#[derive(ClapArgs)]
pub(crate) struct SearchArgs {
    /// Take improving swaps as they are found, or always the best of all [default: eager]
    #[arg(long, value_enum)]
    swap: Option<SwapArg>,
    /// How long eager swaps go on: with much demand, first on samples of it (never on a graph); then not at all
    /// (fast), while centers give way to items near them (balanced), or until no swap improves them (certified)
    /// [default: certified]
    #[arg(long, value_enum)]
    effort: Option<EffortArg>,
    /// A swap must lower the cost by more than this share of it, divided by k [default: 0]
    #[arg(long)]
    alpha: Option<f64>,
    /// Stop after this many swaps; 0 keeps the initial centers
    #[arg(long)]
    max_swaps: Option<usize>,
    /// Stop after this many seconds of local search, for each k; the tree is not counted
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    /// Search again this often from perturbed centers, and keep the best [default: 0]
    #[arg(long)]
    restarts: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum SwapArg {
    Eager,
    Best,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EffortArg {
    Fast,
    Balanced,
    Certified,
}

/// A checked search, for any plan.
pub(crate) struct Search {
    local: LocalSearch,
    restarts: usize,
}

impl Search {
    /// The plan, searched so. One that does no swaps still does none.
    pub(crate) fn applied_to(&self, plan: KMedian) -> KMedian {
        let max_swaps = plan.search.max_swaps.or(self.local.max_swaps);
        let search = LocalSearch { max_swaps, ..self.local.clone() };
        KMedian { search, restarts: self.restarts, ..plan }
    }
}

impl SearchArgs {
    /// The search that the options ask for.
    pub(crate) fn checked(&self) -> Result<Search, Failure> {
        let local = LocalSearch {
            strategy: match self.swap {
                None | Some(SwapArg::Eager) => Strategy::Eager,
                Some(SwapArg::Best) => Strategy::Best,
            },
            alpha: self.alpha.map_or(Ok(0.0), alpha)?,
            max_swaps: self.max_swaps,
            time_limit: self.time_limit.map(time_limit).transpose()?.flatten(),
            effort: self.effort()?,
        };
        Ok(Search { local, restarts: self.restarts.unwrap_or(0) })
    }

    /// The search that the options ask for, if the method does one.
    pub(crate) fn checked_for(&self, method: Method) -> Result<Search, Failure> {
        match (self.any_given(), method) {
            (Some(option), Method::Exact) => Err(Failure::new(format!(
                "{option} is for --method refined: exact takes the centers as the tree gives them"
            ))),
            _ => self.checked(),
        }
    }

    /// An option that was given, if any was: some methods do not search, or must not be cut short.
    pub(crate) fn any_given(&self) -> Option<&'static str> {
        let Self { swap, effort, alpha, max_swaps, time_limit, restarts } = self;
        let given = [
            (swap.is_some(), "--swap"),
            (effort.is_some(), "--effort"),
            (alpha.is_some(), "--alpha"),
            (max_swaps.is_some(), "--max-swaps"),
            (time_limit.is_some(), "--time-limit"),
            (restarts.is_some(), "--restarts"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    fn effort(&self) -> Result<Effort, Failure> {
        match (self.swap, self.effort) {
            (_, None | Some(EffortArg::Certified)) => Ok(Effort::Certified),
            (Some(SwapArg::Best), _) => Err(Failure::new(
                "--effort: the best of all swaps is always certified; use --swap eager",
            )),
            (_, Some(EffortArg::Fast)) => Ok(Effort::Fast),
            (_, Some(EffortArg::Balanced)) => Ok(Effort::Balanced),
        }
    }
}

fn alpha(share: f64) -> Result<f64, Failure> {
    if share >= 0.0 && share.is_finite() {
        return Ok(share);
    }
    Err(Failure::new(format!("--alpha {share}: give a number, 0 or more")))
}

/// The limit as a duration; no limit, if it is too long for one.
fn time_limit(seconds: f64) -> Result<Option<Duration>, Failure> {
    if seconds >= 0.0 {
        return Ok(Duration::try_from_secs_f64(seconds).ok());
    }
    Err(Failure::new(format!("--time-limit {seconds}: give a number of seconds, 0 or more")))
}
