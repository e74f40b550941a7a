//! A swap as a value: what a local search judges, and then does.

/// An exchange of one center for an item that is not a center.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Swap {
    /// The item that becomes a center.
    pub(crate) newcomer: usize,
    /// The slot of the center that leaves.
    pub(crate) slot: usize,
    /// By how much the cost changes; negative is better.
    pub(crate) change: f64,
}
