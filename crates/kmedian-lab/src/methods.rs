//! The methods that are compared: the paper's, and ours.

mod ours;
mod paper;

pub(crate) use ours::{data_free, local_search, public_tree, release, restarts};
pub(crate) use paper::{ball_tree, initial_centers, private_search, search as paper_search_from};

use std::time::Instant;

/// A method that finds centers for demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// The paper's NDP-rand: random items, then Algorithm 1.
    NdpRand,
    /// The paper's NDP-k-median++: Algorithm 2, then Algorithm 1.
    NdpPlusPlus,
    /// The paper's NDP-HST: its ball tree of six levels and subtree search, then Algorithm 1.
    NdpHst,
    /// Ours: exact search on a fitted tree, then swaps to a certified local optimum.
    NdpExact,
    /// Ours with 200 restarts: [`NdpExact`](Method::NdpExact), then again from perturbed centers.
    NdpRestarts,
    /// The paper's DP-rand: Algorithm 7 from random items.
    DpRand,
    /// The paper's DP-k-median++: Algorithm 7 from k-median++ on the public items.
    DpPlusPlus,
    /// The paper's DP-HST: Algorithm 7 from Algorithm 6 with eight levels.
    DpHst,
    /// Ours: exact search on a tree, for the weights that a private release estimates.
    DpExact,
    /// Ours, the default: [`DpExact`](Method::DpExact), then swaps for the estimated weights.
    DpRefined,
    /// Ours without any demand: all items have the same weight.
    DataFree,
}

impl Method {
    /// The name of the method in rows.
    pub fn name(self) -> &'static str {
        match self {
            Method::NdpRand => "ndp-rand",
            Method::NdpPlusPlus => "ndp-plusplus",
            Method::NdpHst => "ndp-hst",
            Method::NdpExact => "ndp-exact",
            Method::NdpRestarts => "ndp-restarts",
            Method::DpRand => "dp-rand",
            Method::DpPlusPlus => "dp-plusplus",
            Method::DpHst => "dp-hst",
            Method::DpExact => "dp-exact",
            Method::DpRefined => "dp-refined",
            Method::DataFree => "data-free",
        }
    }

    /// Whether the method spends ε.
    pub fn is_private(self) -> bool {
        use Method::{DpExact, DpHst, DpPlusPlus, DpRand, DpRefined};
        matches!(self, DpRand | DpPlusPlus | DpHst | DpExact | DpRefined)
    }
}

/// The result of some work, and how many seconds it took.
#[derive(Debug, Clone)]
pub(crate) struct Timed<T> {
    pub(crate) value: T,
    pub(crate) seconds: f64,
}

/// Does some work, and measures how long it takes.
pub(crate) fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Timed<T>, E> {
    let started = Instant::now();
    let value = work()?;
    Ok(Timed { value, seconds: started.elapsed().as_secs_f64() })
}
