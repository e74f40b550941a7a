//! The decision table: which way given data takes, with every threshold and its reason.
//!
//! All ways give the same centers, or centers of the same guarantee; they differ in time and
//! memory. What is decided here depends on the number of items n, of coordinates d and of centers
//! k, on the kind of space, and on a few probes of the data, never on the clock or on the number of
//! threads.
//!
//! | question | answer | decided by |
//! |---|---|---|
//! | are equal vectors one item? | if at least a tenth of them repeats others | [`merges`] |
//! | are all distances of vectors kept in a table? | for at most 2,048 items, or 512 where inner products are to be had | [`keeps_table`] |
//! | where does [`Init::Auto`](crate::Init::Auto) begin? | greedy seeding where distances are given, else a tree | [`starts_greedily`] |
//! | along how many axes is a tree's space projected? | d / 3, at most 16 | [`axes`] |
//! | are lower bounds of distances worth it? | if enough items are within reach of a candidate | [`bounds`] |
//! | are these bounds kept? | if a byte for each fits into the memory allowed | [`keeps_bounds`] |
//! | does [`Effort::Auto`](crate::Effort::Auto) certify? | if that is predicted to take 10 seconds at most | [`certifies`] |
//! | is a sample of the demand searched first? | if it is ten times smaller | [`first_sample`] |
//! | by what else are candidates dismissed? | triangles, or evidence of neighbors | [`pruning`] |
//! | is one question spread over the threads? | from 32,768 items on | [`spreads`] |

use std::fmt;
use std::time::Duration;

use crate::space::Abilities;

/// Which way the data took in a search: how its distances were had, and what kept most of them from
/// being looked at. Centers and certificates do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tactics {
    /// How distances were had.
    pub distances: Distances,
    /// By what candidates were dismissed without comparing them with every item.
    pub pruning: Pruning,
    /// Whether a sample of the demand was searched first.
    pub sampled: bool,
}

/// How a search has its distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Distances {
    /// Each is measured when it is asked for.
    #[default]
    Measured,
    /// All are looked up: they were given as a matrix, or measured once into a table.
    Tabulated,
    /// Shortest paths are explored outwards from an item.
    Explored,
}

/// What keeps a search from comparing every candidate with every item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Pruning {
    /// Nothing. All distances are in a table, so that looking at every item is cheap; in a given
    /// matrix the triangle inequality may not hold either.
    #[default]
    Nothing,
    /// The triangle inequality skips clusters that are out of reach.
    Triangles,
    /// On a graph: bounds that follow from candidates judged nearby.
    Evidence,
    /// Lower bounds of distances, from inner products.
    Products,
    /// Lower bounds of distances: every distance measured once, and rounded down to a byte.
    Bytes,
}

/// The share of the vectors up to which those that differ are worth a copy of them.
const WORTH_MERGING: f64 = 0.9;

/// Whether n vectors of which so many differ are merged, those that are equal to one item each.
pub(crate) fn merges(n: usize, different: usize) -> bool {
    different as f64 <= WORTH_MERGING * n as f64
}

/// The most vectors of which a table of all distances is made. It takes 16 MiB then, which a search
/// of a few passes reads faster than it measures distances, whatever d is.
pub(crate) const TABLE_ITEMS: usize = 2048;

/// The most vectors of which a table is made where inner products are to be had: bounds from products
/// of more of them take less time than all of their distances.
const FEW_WITH_PRODUCTS: usize = 512;

/// Whether all distances between so many vectors are measured once and kept.
pub(crate) fn keeps_table(n: usize, has_products: bool) -> bool {
    n <= if has_products { FEW_WITH_PRODUCTS } else { TABLE_ITEMS }
}

/// Whether a start that is not chosen is greedy seeding. A tree saves distances; where they cost
/// nothing, the swaps that it also saves take less time than the tree.
pub(crate) fn starts_greedily(abilities: Abilities) -> bool {
    abilities.has_table
}

/// The most axes of the approximate space that a tree is built on. A tree needs no more than a
/// rough idea of distances.
const MOST_AXES: usize = 16;

/// Coordinates for each axis. Fewer axes see too little of the variance, more cost too much.
const COORDINATES_PER_AXIS: usize = 3;

/// The fewest axes that are worth the trouble. With fewer, that is below 48 coordinates, distances
/// themselves are as cheap.
const FEWEST_AXES: usize = 15;

/// The share of the variance that the axes must see. With less, approximate distances say little.
pub(crate) const VARIANCE_SEEN: f64 = 0.5;

/// Along how many axes n vectors of d coordinates are projected; `None` if that does not pay. With
/// the length of the rest, a projection fills registers of sixteen numbers.
pub(crate) fn axes(n: usize, d: usize) -> Option<usize> {
    let axes = (d / COORDINATES_PER_AXIS / 16 * 16).saturating_sub(1).min(MOST_AXES);
    (axes >= FEWEST_AXES && n >= 2 * axes).then_some(axes)
}

/// Candidates that are tried to estimate which share of the items is within reach of one.
pub(crate) const PROBES: usize = 8;

/// The share of the items within reach from which on bounds from inner products pay, if they are kept:
/// these are computed once, six times as fast as distances, many at a time.
const WORTH_MULTIPLYING: f32 = 0.05;

/// The share of the items within reach from which on they pay if they have to be computed in every
/// pass.
const WORTH_MULTIPLYING_AGAIN: f32 = 0.2;

/// The share of the items within reach from which on all distances are measured once and kept: that
/// costs half a pass, and a search takes a few passes.
const WORTH_MEASURING: f32 = 0.2;

/// Whence lower bounds come, where they pay: `within_reach` is the share of the items that a
/// candidate is compared with without them, and `kept` says whether there is room for them.
pub(crate) fn bounds(within_reach: f32, has_products: bool, kept: bool) -> Option<Pruning> {
    let (bounds, worth) = match (has_products, kept) {
        (true, true) => (Pruning::Products, WORTH_MULTIPLYING),
        (true, false) => (Pruning::Products, WORTH_MULTIPLYING_AGAIN),
        (false, true) => (Pruning::Bytes, WORTH_MEASURING),
        (false, false) => return None,
    };
    (within_reach > worth).then_some(bounds)
}

/// Whether there is room, in so many bytes, for the bounds between so many sources and items: a byte
/// for each pair.
pub(crate) fn keeps_bounds(sources: usize, items: usize, memory: usize) -> bool {
    sources.saturating_mul(items) <= memory
}

/// The longest time that [`Effort::Auto`](crate::Effort::Auto) takes to certify centers, predicted for
/// one thread: who waits longer should have asked for it.
const BEARABLE: Duration = Duration::from_secs(10);

/// How often all candidates are judged, about, until none improves the centers.
const PASSES: f64 = 3.0;

/// Seconds for a coordinate of a distance, and how many coordinates its other costs amount to: measured
/// on one thread of a processor with AVX2, as are the following.
const DISTANCE: (f64, f64) = (1.0 / 6e9, 32.0);

/// Seconds for a coordinate of an inner product, and how many its rounding to a byte amounts to.
const PRODUCT: (f64, f64) = (1.0 / 28e9, 32.0);

/// Seconds for a byte that is compared with its threshold.
const BYTE: f64 = 1e-10;

/// Seconds for an item that is closer to a candidate than its cap.
const CLOSE: f64 = 5e-9;

/// What it depends on how long it takes to certify centers.
pub(crate) struct Certifying {
    /// The number of candidates.
    pub(crate) candidates: usize,
    /// The number of items with demand.
    pub(crate) items: usize,
    /// The number of coordinates.
    pub(crate) dims: usize,
    /// How many items are closer to a candidate than their caps.
    pub(crate) close: f64,
    /// How many items a candidate is compared with, where there are no bounds.
    pub(crate) looked_at: f64,
    /// Whence lower bounds of distances come, where they pay.
    pub(crate) bounds: Option<Pruning>,
    /// Whether there is room for all bounds.
    pub(crate) kept: bool,
}

impl Certifying {
    /// The predicted time, on one thread.
    pub(crate) fn time(&self) -> Duration {
        let (candidates, items) = (self.candidates as f64, self.items as f64);
        let price = |(each, more): (f64, f64)| each * (self.dims as f64 + more);
        // Half of the pairs if all items are both: bounds are symmetric.
        let half = if self.candidates == self.items { 0.5 } else { 1.0 };
        let judging = PASSES * candidates * (items * BYTE + self.close * CLOSE);
        let seconds = match self.bounds {
            Some(Pruning::Products) => {
                let times = if self.kept { half } else { PASSES };
                times * candidates * items * price(PRODUCT) + judging
            }
            Some(_) => half * candidates * items * price(DISTANCE) + judging,
            None => PASSES * candidates * self.looked_at * price(DISTANCE),
        };
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// Whether centers are certified although nobody asked for it.
pub(crate) fn certifies(predicted: Duration) -> bool {
    predicted <= BEARABLE
}

/// The fewest draws of a first sample: fewer take no time worth saving.
const SMALLEST_SAMPLE: usize = 1024;

/// The draws of a first sample for each center: enough to tell good centers from bad ones.
const DRAWS_PER_CENTER: usize = 16;

/// The items for each draw from which on a first sample saves time.
const WORTH_SAMPLING: usize = 10;

/// How many times the draws of the first sample a second one has: it tells good centers from better
/// ones.
const SECOND_SAMPLE: usize = 4;

/// The fewest items for each draw of a second sample.
const THINNED: usize = 4;

fn draws(k: usize) -> usize {
    SMALLEST_SAMPLE.max(DRAWS_PER_CENTER * k)
}

/// How often to draw from the demand at so many items for a first search; `None` if that would not
/// save much. In a space that explores, a search passes through items with and without demand
/// alike.
pub(crate) fn first_sample(items: usize, k: usize, abilities: Abilities) -> Option<usize> {
    (items >= WORTH_SAMPLING * draws(k) && !abilities.explores).then(|| draws(k))
}

/// How often to draw from the demand at so many items for a second search.
pub(crate) fn second_sample(items: usize, k: usize) -> usize {
    (SECOND_SAMPLE * draws(k)).min(items / THINNED)
}

/// What keeps candidates from being compared with every item, before lower bounds of distances do.
/// Where finding neighbors costs as much as judging them, which is so in a space that does not
/// explore, there is no evidence.
pub(crate) fn pruning(abilities: Abilities) -> Pruning {
    match (abilities.obeys_triangles, abilities.explores) {
        (false, _) => Pruning::Nothing,
        (true, true) => Pruning::Evidence,
        (true, false) => Pruning::Triangles,
    }
}

/// The items from which on a single question is spread over the threads. Below, handing out the
/// parts takes as long as answering.
const SPREAD_FROM: usize = 1 << 15;

/// Whether a question about so many items is spread over the threads of the current pool.
pub(crate) fn spreads(items: usize) -> bool {
    items >= SPREAD_FROM && rayon::current_num_threads() > 1
}

impl Distances {
    pub(crate) fn of(abilities: Abilities) -> Self {
        match abilities {
            Abilities { has_table: true, .. } => Distances::Tabulated,
            Abilities { explores: true, .. } => Distances::Explored,
            _ => Distances::Measured,
        }
    }
}

impl fmt::Display for Distances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Distances::Measured => "measured",
            Distances::Tabulated => "tabulated",
            Distances::Explored => "explored",
        })
    }
}

impl fmt::Display for Pruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pruning::Nothing => "nothing",
            Pruning::Triangles => "triangles",
            Pruning::Evidence => "evidence",
            Pruning::Products => "products",
            Pruning::Bytes => "bytes",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_for_few_vectors() {
        assert!(keeps_table(512, true) && !keeps_table(513, true));
        assert!(keeps_table(2048, false) && !keeps_table(2049, false));
    }

    #[test]
    fn axes_are_a_third_of_the_coordinates_and_few() {
        assert_eq!((axes(10_000, 784), axes(10_000, 64)), (Some(16), Some(15)));
        assert_eq!((axes(10_000, 47), axes(31, 784)), (None, None));
    }

    #[test]
    fn bounds_pay_where_much_is_within_reach() {
        assert_eq!(bounds(0.1, true, true), Some(Pruning::Products));
        assert_eq!(bounds(0.3, true, false), Some(Pruning::Products));
        assert_eq!(bounds(0.3, false, true), Some(Pruning::Bytes));
        let few = [bounds(0.04, true, true), bounds(0.1, true, false), bounds(0.1, false, true)];
        assert_eq!(few, [None; 3]);
        assert_eq!(bounds(1.0, false, false), None);
        assert!(keeps_bounds(16_000, 16_000, 256 << 20));
        assert!(!keeps_bounds(17_000, 17_000, 256 << 20));
    }

    #[test]
    fn certifying_takes_longer_without_memory() {
        let with = |candidates, kept| {
            let (items, bounds) = (candidates, Some(Pruning::Products));
            Certifying { candidates, items, dims: 768, close: 100.0, looked_at: 0.0, bounds, kept }
                .time()
        };
        assert!(certifies(with(10_000, true)) && !certifies(with(50_000, true)));
        assert!(with(10_000, false) > 2 * with(10_000, true));
    }

    #[test]
    fn samples_are_a_tenth_at_most() {
        let scanned = Abilities::default();
        assert_eq!(first_sample(10_240, 5, scanned), Some(1024));
        assert_eq!(first_sample(10_239, 5, scanned), None);
        assert_eq!(first_sample(100_000, 100, scanned), Some(1600));
        assert_eq!(first_sample(100_000, 5, Abilities { explores: true, ..scanned }), None);
        assert_eq!((second_sample(100_000, 5), second_sample(12_000, 5)), (4096, 3000));
    }
}
