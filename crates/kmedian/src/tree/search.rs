//! Centers from a tree: exactly, for all k at once, or as the paper's Algorithms 4 and 5 do.

mod exact;
mod paper;

pub use exact::ExactSearch;
#[cfg(feature = "privacy")]
pub(crate) use paper::paper_search_by_counts;
pub use paper::{paper_search, paper_search_among};
