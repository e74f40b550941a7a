//! The decision table: which way given data takes, with every threshold and its reason.
//!
//! All ways give the same centers, or centers of the same guarantee; they differ in time and
//! memory. What is decided here depends on the number of items n, of coordinates d and of centers
//! k, on the kind of space, on a few probes of the data, and for [`keeps_bounds`] on the memory
//! allowed, never on the clock. The number of threads matters to [`spreads`] alone, which changes
//! no answer.
//!
//! | question | answer | decided by |
//! |---|---|---|
//! | are equal vectors one item? | if at least a tenth of them repeats others | [`merges`] |
//! | are all distances in a table? | up to 2,048 vectors; 1,024 short ones with products | [`keeps_table`] |
//! | where does [`Auto`](crate::Init::Auto) begin? | greedily if items are few | [`may_start_greedily`] |
//! | is it seeded by lower bounds of distances? | with products, where no sample comes first | [`seeds_by_bounds`] |
//! | do bounds of all distances come before centers? | if seeding needs many of them | [`bounds_first`] |
//! | along how many axes is a tree's space projected? | 15 if d ≥ 48, 16 if d ≥ 96 | [`axes`] |
//! | may lower bounds of distances pay? | if enough items are within reach | [`possible_bounds`] |
//! | are they faster than triangles? | if triangles dismiss too little | [`surely_bounded`], [`Judging::bounds`] |
//! | are these bounds kept? | if a byte for each fits into the memory allowed | [`keeps_bounds`] |
//! | are they rounded to two bytes? | if they are few, or one byte proves too coarse | [`fine_bounds`], [`lets_too_much_through`] |
//! | does [`Auto`](crate::Effort::Auto) certify? | if that takes 10 s at most | [`certifies`] |
//! | are there restarts unasked? | 4 after certifying up to 4,096 vectors | [`few_restarts`] |
//! | is a sample of the demand searched first? | if it is ten times smaller | [`first_sample`] |
//! | by what else are candidates dismissed? | triangles, or evidence of neighbors | [`pruning`] |
//! | does a bound make a table? | if d ≥ 16 and it fits into memory | [`tabulates_for_passes`] |
//! | are nearest centers found from inner products? | if k (d + 32) ≥ 2,048 | [`packs_centers`] |
//! | where is another center looked for? | round the one that is left, from 256 centers on | [`looks_around`], [`are_few_around`] |
//! | is one question spread over the threads? | from 32,768 items on | [`spreads`] |

mod time;

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::abilities::Abilities;
pub(crate) use time::{Judging, computing_together, lets_too_much_through};

/// Which way the data took in a search: how its distances were obtained, and what kept most of them
/// from being looked at. What a certified search guarantees does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tactics {
    /// How distances were obtained: measured, looked up in a table, or as shortest paths.
    pub distances: Distances,
    /// By what candidates were dismissed without comparing them with every item.
    pub pruning: Pruning,
    /// Whether a sample of the demand was searched first.
    pub sampled: bool,
}

/// How a search obtains distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Distances {
    /// Each distance is measured when it is asked for.
    #[default]
    Measured,
    /// All distances are looked up: they were given as a matrix, or measured once into a table.
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

/// The share of the vectors, nine tenths, up to which those that differ are copied and clustered in
/// place of all: with fewer repeated vectors, that saves too little to be worth the copy.
const WORTH_MERGING: f64 = 0.9;

/// Whether equal vectors are merged into one item each, if `different` of n vectors differ.
pub(crate) fn merges(n: usize, different: usize) -> bool {
    different as f64 <= WORTH_MERGING * n as f64
}

/// The most vectors of which a table of all distances is made. It takes 16 MiB then, which a search
/// of a few passes reads faster than it measures distances, whatever the number of coordinates is.
pub(crate) const TABLE_ITEMS: usize = 2048;

/// The most vectors of which a table of all distances is made under a metric that follows from
/// inner products: for more vectors, lower bounds from products take less time than all distances.
const FEW_WITH_PRODUCTS: usize = 1024;

/// The most coordinates of more than [`FEWEST`] vectors of which a table is made although there are
/// products. A search of 1,000 vectors with bounds takes 1.15 to 1.4 times as long as with a table
/// in 17 and in 54 dimensions, 1.1 to 1.2 times in 128, as long in 256, and 0.86 to 0.97 times in
/// 512 (AVX2 and AVX-512).
const SHORT: usize = 192;

/// The most vectors of which a table is made whatever the number of their coordinates: so few
/// distances take a few milliseconds at most.
const FEWEST: usize = 255;

/// Whether all distances between n vectors of d coordinates are measured once and kept in a table;
/// d counts what the last step of a distance takes, too.
pub(crate) fn keeps_table(n: usize, d: usize, has_products: bool) -> bool {
    let most = match has_products {
        false => TABLE_ITEMS,
        true if d <= SHORT => FEW_WITH_PRODUCTS,
        true => FEWEST,
    };
    n <= most
}

/// The fewest coordinates of vectors for which a bound of the cost makes a table of all distances:
/// with fewer, distances are cheap and triangles skip most of them.
const PASSES_DIMS: usize = 16;

/// Whether a bound of the cost, which takes many passes over all pairs, measures the distances
/// between n vectors of d coordinates once, given the bytes that it may take: 4 for each pair.
pub(crate) fn tabulates_for_passes(n: usize, d: usize, memory: usize) -> bool {
    d >= PASSES_DIMS && n.saturating_mul(n).saturating_mul(4) <= memory
}

/// The vectors among which [`Init::Auto`](crate::Init::Auto) seeds few centers greedily. For 1,000
/// vectors in 2 to 384 dimensions a tree takes as long as the whole search for 10 centers; of fewer
/// than 256 it takes less than a millisecond, and its centers do not depend on the order of the
/// items. The centers that a search ends at cost the same from both, up to 0.05 %.
const SEEDED: RangeInclusive<usize> = 256..=2048;

/// The most centers that are few: for 2,000 vectors and 300 centers a tree takes less time than
/// greedy seeding does.
const FEW_CENTERS: usize = 64;

/// Whether [`Init::Auto`](crate::Init::Auto) may be greedy seeding, not a tree, in a space with
/// these abilities; `vectors` is the number of items if they are vectors. A tree saves distances;
/// where they are given and cost nothing, or where items and centers are few, the swaps that it
/// also saves take less time than the tree.
pub(crate) fn may_start_greedily(abilities: Abilities, vectors: Option<usize>) -> bool {
    abilities.has_table || vectors.is_some_and(|n| SEEDED.contains(&n))
}

/// Whether [`Init::Auto`](crate::Init::Auto) is greedy seeding for k centers, where it may be: if
/// they are few, or all distances are in a table.
pub(crate) fn starts_greedily(abilities: Abilities, k: usize) -> bool {
    abilities.has_table || k <= FEW_CENTERS
}

/// The fewest coordinates of vectors whose initial centers are chosen by lower bounds of distances
/// from inner products: with fewer, distances are as cheap.
const BOUNDED_DIMS: usize = 4;

/// The numbers of vectors whose initial centers are chosen by lower bounds of distances: with more,
/// a tree takes less time.
const BOUNDED: RangeInclusive<usize> = 256..=1 << 15;

/// Whether k initial centers of n vectors of d coordinates, whose metric follows from inner
/// products, are seeded greedily by lower bounds of distances, not found on a tree. Where a sample
/// of the demand is searched first, a tree takes little beside what follows.
pub(crate) fn seeds_by_bounds(n: usize, d: usize, k: usize) -> bool {
    BOUNDED.contains(&n) && d >= BOUNDED_DIMS && n < WORTH_SAMPLING.saturating_mul(draws(k))
}

/// The share of all n vectors, a sixteenth, that seeding may compare with all of them for a
/// small part of what it takes to compute all lower bounds at once.
const WORTH_COMPUTING_TWICE: usize = 16;

/// Whether lower bounds of the distances between all of n vectors come before k centers that are
/// seeded by them with so many trials each. They serve the search that follows better if they are
/// made for its initial centers; but where centers are many, seeding alone needs too many of them.
pub(crate) fn bounds_first(n: usize, k: usize, trials: usize) -> bool {
    k.saturating_mul(trials) > n / WORTH_COMPUTING_TWICE
}

/// The most principal axes of the approximate space that a tree is built on. A tree needs no more
/// than a rough idea of distances.
const MOST_AXES: usize = 16;

/// The coordinates of vectors for each principal axis that they are projected on. Fewer axes see
/// too little of the variance, more cost too much.
const COORDINATES_PER_AXIS: usize = 3;

/// The fewest principal axes that are worth projecting on. There would be fewer below 48
/// coordinates, and there distances themselves are as cheap.
const FEWEST_AXES: usize = 15;

/// The share of the variance that principal axes must see: half. With less, distances between
/// projections say little about those between vectors.
pub(crate) const VARIANCE_SEEN: f64 = 0.5;

/// Along how many principal axes n vectors of d coordinates are projected: 15 for 48 to 95
/// coordinates, 16 for more; `None` if that does not pay, for fewer coordinates or very few
/// vectors.
pub(crate) fn axes(n: usize, d: usize) -> Option<usize> {
    let axes = (d / COORDINATES_PER_AXIS / 16 * 16).saturating_sub(1).min(MOST_AXES);
    (axes >= FEWEST_AXES && n >= 2 * axes).then_some(axes)
}

/// The number of candidates that are tried to estimate which share of the items is within reach of
/// one: a rough estimate, for the price of a few questions.
pub(crate) const PROBES: usize = 8;

/// The share of the items within reach of a candidate above which lower bounds from inner products
/// pay, if they are kept: a twentieth, as they are computed once, many at a time, and several times
/// as fast as distances.
const WORTH_MULTIPLYING: f32 = 0.05;

/// The share of the items within reach of a candidate above which lower bounds from inner products
/// pay if there is no room to keep them: a fifth, as they are computed again in every pass.
const WORTH_MULTIPLYING_AGAIN: f32 = 0.2;

/// The share of the items within reach of a candidate above which all distances are measured once
/// and kept as bytes: a fifth, as that costs half a pass over all pairs, and a search takes a few
/// passes.
const WORTH_MEASURING: f32 = 0.2;

/// What lower bounds of distances are computed from, if they may pay; `None` where they do not.
/// `within_reach` is the share of the items that a candidate is compared with if it is not
/// dismissed and there are no bounds, and `kept` says whether there is room for all of them. Where
/// triangles dismiss most candidates, they may still be faster: [`Judging::bounds`] compares the
/// two.
pub(crate) fn possible_bounds(
    within_reach: f32,
    has_products: bool,
    kept: bool,
) -> Option<Pruning> {
    let (bounds, worth) = match (has_products, kept) {
        (true, true) => (Pruning::Products, WORTH_MULTIPLYING),
        (true, false) => (Pruning::Products, WORTH_MULTIPLYING_AGAIN),
        (false, true) => (Pruning::Bytes, WORTH_MEASURING),
        (false, false) => return None,
    };
    (within_reach > worth).then_some(bounds)
}

/// Whether `memory`, in bytes, has room for the lower bounds of the distances between all sources
/// and items: a byte for each pair.
pub(crate) fn keeps_bounds(sources: usize, items: usize, memory: usize) -> bool {
    sources.saturating_mul(items) <= memory
}

/// The most bytes, 32 MiB, that lower bounds rounded to two bytes each take from the beginning: those
/// of 4,096 vectors. So many take little memory, and finer bounds let fewer candidates through.
const FINE: usize = 32 << 20;

/// Whether lower bounds of the distances between so many sources and items are rounded to two bytes
/// each from the beginning, given the bytes of memory that they may take; else to one.
pub(crate) fn fine_bounds(sources: usize, items: usize, memory: usize) -> bool {
    keeps_bounds(sources, items, memory.min(FINE) / 2)
}

/// The longest time that [`Effort::Auto`](crate::Effort::Auto) takes to certify centers, predicted
/// for one thread: who is to wait longer should have asked for it.
const BEARABLE: Duration = Duration::from_secs(10);

/// The memory that predictions assume, in bytes: 4 GiB, which most machines have to spare. The
/// memory of the machine at hand must not decide which centers are found.
pub(crate) const COMMON_MEMORY: usize = 4 << 30;

/// The most vectors whose lower bounds from inner products are computed without asking how much
/// triangles dismiss: in a few dimensions that takes a twentieth of a second, and it is never far
/// from the best way, where triangles may be worse by any factor once centers have moved.
const SURELY_FEW: usize = 1 << 13;

/// Whether lower bounds from inner products of n vectors of d coordinates, if they may pay and are
/// kept, are computed without asking how much triangles dismiss.
pub(crate) fn surely_bounded(n: usize, d: usize) -> bool {
    n <= SURELY_FEW && d >= BOUNDED_DIMS
}

/// The number of candidates that are judged by triangles before it is considered anew whether lower
/// bounds are faster, as centers have moved; each time twice as many.
pub(crate) const RECONSIDERED_AFTER: usize = 1024;

/// The coordinates for each part in which the distances of a candidate are measured.
const MEASURED_AT_ONCE: usize = 128;

/// The number of parts in which the distances of a candidate are measured if lower bounds do not
/// dismiss it, as it may be dismissed after each of them. Judging it takes as long as measuring a
/// distance of about 32 coordinates for each item, so with few coordinates there are few parts.
pub(crate) fn refinements(dims: usize) -> usize {
    (dims / MEASURED_AT_ONCE).clamp(1, 8)
}

/// Whether [`Effort::Auto`](crate::Effort::Auto) certifies centers, given the predicted time.
pub(crate) fn certifies(predicted: Duration) -> bool {
    predicted <= BEARABLE
}

/// The most candidates up to which a few further searches are done unasked: with so few, a search
/// takes a fraction of a second.
const RESTARTED_UP_TO: usize = 4096;

/// How many further searches are done unasked. Most of what many restarts gain is gained by the
/// first few.
const FEW_RESTARTS: usize = 4;

/// How many further searches are done unasked after a search among so many candidates. Where their
/// distances are not known to be cheap, as on a graph or under a function of two items, there are
/// none: a search may take long however few items there are.
pub(crate) fn few_restarts(candidates: usize, cheap: bool) -> usize {
    if cheap && candidates <= RESTARTED_UP_TO { FEW_RESTARTS } else { 0 }
}

/// The fewest draws of the first sample of the demand: fewer take no time worth saving.
const SMALLEST_SAMPLE: usize = 1024;

/// The draws, for each center, of the first sample of the demand: enough to tell good centers from
/// bad ones.
const DRAWS_PER_CENTER: usize = 16;

/// The items with demand, for each draw of a first sample, from which on that sample saves time.
const WORTH_SAMPLING: usize = 10;

/// How many times as many draws as the first sample of the demand the second one has: enough to
/// tell good centers from better ones.
const SECOND_SAMPLE: usize = 4;

/// The draws of the second sample from which on it is no larger than the first: lower bounds of its
/// distances then take hundreds of megabytes, and of a million items with 1,000 centers it took a
/// third of the time with four times as many draws, for 0.02 % of the cost.
const LARGE_SAMPLE: usize = 1 << 14;

/// The fewest items with demand for each draw of the second sample: a larger sample would save
/// little.
const THINNED: usize = 4;

/// The most hopeful candidates of one cluster. Each is compared with all of the cluster, so with a
/// limit the time for all clusters grows with the number of items, not with its square.
pub(crate) const HOPEFUL_PER_CENTER: usize = 256;

fn draws(k: usize) -> usize {
    SMALLEST_SAMPLE.max(DRAWS_PER_CENTER.saturating_mul(k))
}

/// How many draws from the demand at `items` items a first search is made on; `None` if that would
/// not save much. It does not in a space that explores, as a search passes through items with and
/// without demand alike.
pub(crate) fn first_sample(items: usize, k: usize, abilities: Abilities) -> Option<usize> {
    (items >= WORTH_SAMPLING * draws(k) && !abilities.explores).then(|| draws(k))
}

/// How many draws from the demand at `items` items a second search is made on.
pub(crate) fn second_sample(items: usize, k: usize) -> usize {
    let first = draws(k);
    (SECOND_SAMPLE * first).min(LARGE_SAMPLE.max(first)).min(items / THINNED)
}

/// How many hopeful candidates of each of k clusters a search on a sample of so many items judges:
/// about as many as come from the sample itself.
pub(crate) fn hopeful_per_center(sampled: usize, k: usize) -> usize {
    sampled.div_ceil(k).min(HOPEFUL_PER_CENTER)
}

/// What keeps candidates from being compared with every item, before lower bounds of distances do.
/// Where finding neighbors costs as much as judging them, which is so in a space that does not
/// explore, there is no evidence. Clusters are skipped by triangles only where distances are the
/// same both ways; evidence, which compares ways from candidates, needs no such thing.
pub(crate) fn pruning(abilities: Abilities) -> Pruning {
    match (abilities.obeys_triangles, abilities.explores) {
        (false, _) => Pruning::Nothing,
        (true, true) => Pruning::Evidence,
        (true, false) if abilities.symmetric => Pruning::Triangles,
        (true, false) => Pruning::Nothing,
    }
}

/// The product of centers and coordinates (with what other costs of a pair amount to) from which on
/// inner products find the nearest centers: 61 centers in the plane, 22 of 64 coordinates. With
/// fewer, packing them takes longer than it saves. Measured for 100,000 to 1,000,000 points in 2 to
/// 64 dimensions on one thread of a processor with AVX-512.
const PACKED_FROM: (usize, usize) = (1 << 11, 32);

/// Whether so many centers are packed for inner products with items.
pub(crate) fn packs_centers(k: usize, dims: usize) -> bool {
    let (from, more) = PACKED_FROM;
    k * (dims + more) >= from
}

/// The fewest centers of which those round another are looked for when items have lost one of their
/// two nearest: with fewer, comparing the items with all centers takes no time.
const LOOKED_AROUND: usize = 256;

/// Whether items that lost one of k centers look for another round the one that is left to them,
/// not among all.
pub(crate) fn looks_around(k: usize) -> bool {
    k >= LOOKED_AROUND
}

/// The share of all centers, a sixteenth, that may be round one for items to be compared with each
/// of them: measuring a distance takes several times as long as a bound of it does.
const AROUND: usize = 16;

/// Whether so many centers round another are few of all k.
pub(crate) fn are_few_around(close: usize, k: usize) -> bool {
    close <= k / AROUND
}

/// The items from which on a single question to vectors is spread over the threads. Below, handing
/// out the parts takes as long as answering.
const SPREAD_FROM: usize = 1 << 15;

/// Whether a question about this many items is spread over the threads of the current pool.
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
        assert!(keeps_table(1024, 192, true) && !keeps_table(1025, 2, true));
        assert!(keeps_table(255, 784, true) && !keeps_table(256, 193, true));
        assert!(keeps_table(2048, 784, false) && !keeps_table(2049, 2, false));
    }

    #[test]
    fn trees_are_for_many_items_or_centers() {
        let measured = Abilities::default();
        let given = Abilities { has_table: true, ..measured };
        let may = |vectors| may_start_greedily(measured, vectors);
        assert!(may(Some(256)) && may(Some(2048)) && may_start_greedily(given, None));
        assert!(!may(Some(255)) && !may(Some(2049)) && !may(None));
        assert!(starts_greedily(measured, 64) && !starts_greedily(measured, 65));
        assert!(starts_greedily(given, 500));
    }

    #[test]
    fn centers_are_seeded_by_bounds_where_no_sample_comes_first() {
        assert!(seeds_by_bounds(256, 4, 5) && seeds_by_bounds(10_239, 768, 5));
        assert!(!seeds_by_bounds(255, 768, 5) && !seeds_by_bounds(3000, 3, 5));
        assert!(!seeds_by_bounds(10_240, 768, 5) && seeds_by_bounds(30_000, 768, 200));
        assert!(!seeds_by_bounds(33_000, 768, 1000));
        assert!(!bounds_first(3000, 10, 4) && bounds_first(3000, 100, 6));
    }

    #[test]
    fn bounds_are_finer_where_they_are_few() {
        assert!(fine_bounds(4096, 4096, 1 << 30) && !fine_bounds(4097, 4096, 1 << 30));
        assert!(!fine_bounds(4096, 4096, 16 << 20));
    }

    #[test]
    fn axes_are_a_third_of_the_coordinates_and_few() {
        assert_eq!((axes(10_000, 784), axes(10_000, 64)), (Some(16), Some(15)));
        assert_eq!((axes(10_000, 47), axes(31, 784)), (None, None));
    }

    #[test]
    fn bounds_pay_where_much_is_within_reach() {
        let bounds = possible_bounds;
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
    fn samples_are_a_tenth_at_most() {
        let scanned = Abilities::default();
        assert_eq!(first_sample(10_240, 5, scanned), Some(1024));
        assert_eq!(first_sample(10_239, 5, scanned), None);
        assert_eq!(first_sample(100_000, 100, scanned), Some(1600));
        assert_eq!(first_sample(100_000, 5, Abilities { explores: true, ..scanned }), None);
        assert_eq!((second_sample(100_000, 5), second_sample(12_000, 5)), (4096, 3000));
        assert_eq!(second_sample(1 << 20, 500), 16_384);
        assert_eq!(second_sample(1 << 20, 2000), 32_000);
        assert_eq!((hopeful_per_center(4096, 5), hopeful_per_center(16_000, 1000)), (256, 16));
    }
}
