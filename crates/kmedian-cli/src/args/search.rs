//! The options of local search, shared by all commands that search.

use clap::Args as ClapArgs;
use kmedian::privacy::Method;
use kmedian::{Effort, KMedian, LocalSearch, SwapRule, choice};

use super::words::{by_default, words};
use crate::failure::Failure;

/// How local search goes on, and when it ends. What is not given is left to the defaults of the
/// core.
#[derive(ClapArgs)]
pub(crate) struct SearchArgs {
    #[arg(long, help = by_default(&choice::SWAP), value_parser = words(&choice::SWAP))]
    swap: Option<SwapRule>,
    #[arg(long, help = by_default(&choice::EFFORT), value_parser = words(&choice::EFFORT))]
    effort: Option<Effort>,
    /// A swap must lower the cost by more than this share of it, divided by k [default: 0]
    #[arg(long)]
    alpha: Option<f64>,
    /// Stop after this many swaps; 0 keeps the initial centers
    #[arg(long)]
    max_swaps: Option<usize>,
    /// Stop after this many seconds, with the best centers so far; `fit` counts reading the data
    /// and building the tree, and several k share what is left
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    /// Memory for bounds of distances, such as 2GiB or 500MB; less takes longer [default: half of
    /// what is free]; for items that are read in chunks, those of a chunk [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = kmedian::memory_size)]
    memory: Option<usize>,
    /// Search again this often from perturbed centers, and keep the best [default: for `fit` 4 where
    /// that takes next to no time (up to 4,096 items, certified), else 0]
    #[arg(long)]
    restarts: Option<usize>,
}

/// A local search whose parameters were checked, and how often it is restarted.
pub(crate) struct Search {
    pub(crate) local: LocalSearch,
    /// How often it is restarted; `None` is a few times where that takes next to no time.
    pub(crate) restarts: Option<usize>,
}

impl Search {
    /// A plan that uses this search. A plan that does no swaps still does none.
    pub(crate) fn applied_to(&self, plan: KMedian) -> KMedian {
        plan.searched_by(&self.local, self.restarts)
    }
}

impl SearchArgs {
    /// The search that the options ask for.
    pub(crate) fn checked(&self) -> Result<Search, Failure> {
        let local = LocalSearch {
            swap: self.swap.unwrap_or_default(),
            alpha: self.alpha.unwrap_or_default(),
            max_swaps: self.max_swaps,
            time_limit: self.time_limit.map(LocalSearch::seconds).transpose()?.flatten(),
            memory: self.memory,
            effort: self.effort.unwrap_or_default(),
        };
        local.check()?;
        Ok(Search { local, restarts: self.restarts })
    }

    /// The search that the options ask for; an error if an option was given but the method does not
    /// search.
    pub(crate) fn checked_for(&self, method: Method) -> Result<Search, Failure> {
        match (self.any_given(), method) {
            (Some(option), Method::Exact) => Err(Failure::new(format!(
                "{option} is for --method refined: exact takes the centers as the tree gives them"
            ))),
            _ => self.checked(),
        }
    }

    /// The bytes of memory that were given, if any were.
    pub(crate) fn memory(&self) -> Option<usize> {
        self.memory
    }

    /// The name of an option other than --memory that was given, if any was.
    pub(crate) fn any_but_memory(&self) -> Option<&'static str> {
        let Self { swap, effort, alpha, max_swaps, time_limit, restarts, .. } = self;
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

    /// The name of an option that was given, if any was: for methods that do not search, or must
    /// not be cut short.
    pub(crate) fn any_given(&self) -> Option<&'static str> {
        self.any_but_memory().or_else(|| self.memory.map(|_| "--memory"))
    }
}
