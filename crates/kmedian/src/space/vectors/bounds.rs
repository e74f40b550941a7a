//! Lower bounds of distances, rounded to a byte or two: which items may be closer than their cap,
//! for many sources at once.

mod code;
mod from_distances;
mod from_products;
mod large_pages;
mod level;
mod range;
mod rounded;
mod row;
mod symmetric;
mod whole_row;

use super::{LentVectors, Metric, Space, kernels};
use crate::memory::Means;
use crate::{Halt, Pruning, tactics};
use code::Code;
use from_distances::FromDistances;
use from_products::FromProducts;
use level::Level;
pub(crate) use range::Range;
use rounded::{Keep, Rounded};
use row::Levels;
pub(crate) use row::Row;
use symmetric::SIDE;

/// Lower bounds of the distances between all items of a space, the sources, and some of them.
///
/// Bounds are rounded down to levels: a byte each, or two where they are few or where that proves
/// too coarse ([`LowerBounds::sharpened`]). Where there is room for all of them they are computed once
/// and kept: at the beginning if all items are on both sides and most are candidates, else at the
/// first question about a source.
pub(crate) struct LowerBounds<'a> {
    source: Source<'a>,
    rounded: Precision,
    /// The distance that each level stands for: of those that are rounded to it the smallest, or
    /// less.
    distances: Vec<f32>,
}

/// Lower bounds, as coarse as they are.
enum Precision {
    Bytes(Rounded<u8>),
    Words(Rounded<u16>),
}

/// Evaluates an expression for lower bounds of either precision.
macro_rules! with_precision {
    ($rounded:expr, |$bounds:ident| $body:expr) => {
        match $rounded {
            Precision::Bytes($bounds) => $body,
            Precision::Words($bounds) => $body,
        }
    };
}

impl<'a> LowerBounds<'a> {
    /// The lower bounds by which candidates are dismissed; `None` if they are dismissed otherwise.
    /// They are kept if there is room for those of as many sources as there are `candidates`; those
    /// from distances, which are measured once, must have room.
    pub(crate) fn by(
        pruning: Pruning,
        vectors: &'a LentVectors<'a>,
        candidates: usize,
        items: &[u32],
        range: Range,
        means: &Means,
    ) -> Option<Self> {
        let origin = match pruning {
            Pruning::Products => Origin::multiplied(vectors, items, range),
            Pruning::Bytes => Origin::Measured(FromDistances::new(vectors, items)),
            Pruning::Nothing | Pruning::Triangles | Pruning::Evidence => return None,
        };
        Some(Self::new(Source::new(origin, vectors.len(), items, range, means), candidates, means))
    }

    /// Lower bounds of the distances between all vectors, from inner products, before there are any
    /// of k centers; kept if there is room for them. The metric must follow from inner products.
    ///
    /// How finely they are rounded does not depend on the memory that is allowed, as initial centers
    /// are chosen by them.
    pub(crate) fn before_centers(vectors: &'a LentVectors<'a>, k: usize, means: &Means) -> Self {
        let items: Vec<u32> = (0..vectors.len() as u32).collect();
        let range = Range::expected(vectors, k);
        let origin = Origin::multiplied(vectors, &items, range);
        let source = Source::new(origin, vectors.len(), &items, range, means);
        let fine = tactics::fine_bounds(items.len(), items.len(), usize::MAX);
        let room = if fine { means.memory / size_of::<u16>() } else { means.memory };
        let kept = tactics::keeps_bounds(items.len(), items.len(), room);
        Self::rounded(source, if kept { Keep::All } else { Keep::Nothing }, fine)
    }

    fn new(source: Source<'a>, candidates: usize, means: &Means) -> Self {
        let (sources, items) = (source.positions.len(), source.items.len());
        let affordable = |sources| tactics::keeps_bounds(sources, items, means.memory);
        let keep = if items == sources && 2 * candidates > sources && affordable(sources) {
            Keep::All
        } else if affordable(candidates) {
            Keep::Asked
        } else {
            Keep::Nothing
        };
        let fine = keep != Keep::Nothing && tactics::fine_bounds(candidates, items, means.memory);
        Self::rounded(source, keep, fine)
    }

    /// Lower bounds that are rounded to two bytes if they are to be `fine`, else to one.
    fn rounded(source: Source<'a>, keep: Keep, fine: bool) -> Self {
        let rounded = match fine {
            true => Precision::Words(Rounded::new(&source, keep)),
            false => Precision::Bytes(Rounded::new(&source, keep)),
        };
        let distances = with_precision!(&rounded, |rounded| rounded.distances(&source));
        Self { source, rounded, distances }
    }

    /// All bounds rounded to two bytes each in place of one; as they are if they are rounded so
    /// already, or not kept, or if `memory` has no room for that. Caps are to be set again.
    pub(crate) fn sharpened(self, candidates: usize, memory: usize) -> Self {
        let keep = match &self.rounded {
            Precision::Bytes(rounded) => rounded.keep(),
            Precision::Words(_) => Keep::Nothing,
        };
        let (items, room) = (self.source.items.len(), memory / size_of::<u16>());
        if keep == Keep::Nothing || !tactics::keeps_bounds(candidates, items, room) {
            return self;
        }
        Self::rounded(self.source, keep, true)
    }

    /// Whether bounds are rounded to a byte each, and kept.
    pub(crate) fn are_coarse(&self) -> bool {
        matches!(&self.rounded, Precision::Bytes(rounded) if rounded.are_kept())
    }

    /// What the bounds are computed from: [`Pruning::Products`] or [`Pruning::Bytes`].
    pub(crate) fn pruning(&self) -> Pruning {
        match self.source.origin {
            Origin::Multiplied(_) => Pruning::Products,
            Origin::Measured(_) => Pruning::Bytes,
        }
    }

    /// Whether all bounds are kept, so that asking for them again costs nothing.
    pub(crate) fn are_kept(&self) -> bool {
        with_precision!(&self.rounded, |rounded| rounded.are_kept())
    }

    /// The distance that each level stands for: of those that are rounded to it the smallest, or
    /// less.
    pub(crate) fn distances(&self) -> &[f32] {
        &self.distances
    }

    /// Takes the caps of all items, by their number, for those that bounds are compared with.
    pub(crate) fn set_caps(&mut self, caps: &[f32]) {
        let Self { source, rounded, .. } = self;
        let items = source.items.iter().copied();
        with_precision!(rounded, |rounded| rounded.set_caps(source, items, caps));
    }

    /// [`LowerBounds::set_caps`] for some items; the caps of the others must not have changed.
    pub(crate) fn update_caps(&mut self, items: impl Iterator<Item = u32>, caps: &[f32]) {
        let Self { source, rounded, .. } = self;
        with_precision!(rounded, |rounded| rounded.set_caps(source, items, caps));
    }

    /// The level of a cap: as rounding is monotone, the level of what is closer is not larger.
    pub(crate) fn threshold(&self, cap: f32) -> u16 {
        let Self { source, rounded, .. } = self;
        with_precision!(rounded, |rounded| rounded.threshold(source, cap).index() as u16)
    }

    /// For each source, lower bounds of its distances to the items.
    pub(crate) fn rows(&self, sources: &[u32]) -> Vec<Row<'_>> {
        let Self { source, rounded, distances } = self;
        let row = |levels| Row { levels, items: &source.items, distances };
        match rounded {
            Precision::Bytes(rounded) => {
                rounded.rows(source, sources).into_iter().map(Levels::Bytes).map(row).collect()
            }
            Precision::Words(rounded) => {
                rounded.rows(source, sources).into_iter().map(Levels::Words).map(row).collect()
            }
        }
    }

    /// The items of a list, all of which have bounds, that may be closer to a source than the given
    /// caps. All of the list if bounds are not kept.
    pub(crate) fn pick(&self, source: u32, items: &[u32], caps: &[f32]) -> Vec<u32> {
        if !self.are_kept() {
            return items.to_vec();
        }
        let row = &self.rows(&[source])[0];
        let close = |&item: &u32| {
            let level = row.at(self.source.positions[item as usize] as usize);
            level <= self.threshold(caps[item as usize])
        };
        items.iter().copied().filter(close).collect()
    }

    /// For each item of a list, all of which have bounds, lower bounds of its distances to some
    /// sources, as levels.
    pub(crate) fn table(&self, sources: &[usize], items: &[u32]) -> Vec<u16> {
        let at = |row: &Row<'_>, item: usize| row.at(self.source.positions[item] as usize);
        let mut table = vec![0; items.len() * sources.len()];
        if items.len() < sources.len() && self.are_symmetric() {
            for (line, row) in table.chunks_exact_mut(sources.len()).zip(self.rows(items)) {
                line.iter_mut().zip(sources).for_each(|(level, &source)| *level = at(&row, source));
            }
            return table;
        }
        let numbers: Vec<u32> = sources.iter().map(|&source| source as u32).collect();
        for (column, row) in self.rows(&numbers).iter().enumerate() {
            for (line, &item) in table.chunks_exact_mut(sources.len()).zip(items) {
                line[column] = at(row, item as usize);
            }
        }
        table
    }

    /// Whether all pairs of items have bounds that are kept, so that either may be the source.
    fn are_symmetric(&self) -> bool {
        with_precision!(&self.rounded, |rounded| rounded.keep() == Keep::All)
    }
}

/// What lower bounds are of, and what they are computed from.
struct Source<'a> {
    origin: Origin<'a>,
    items: Vec<u32>,
    /// For each item of the space its position among `items`; 0 if it is not among them.
    positions: Vec<u32>,
    /// The number of levels in a row: one for each item, and padding that no threshold reaches.
    width: usize,
    /// The numbers that levels should tell from each other: from the first to the second in fine
    /// steps, from there to the third in coarse ones.
    numbers: [f32; 3],
    halt: Halt,
}

impl<'a> Source<'a> {
    /// Sources are all of so many items.
    fn new(origin: Origin<'a>, sources: usize, items: &[u32], range: Range, means: &Means) -> Self {
        let numbers = [range.near, range.far, range.farthest].map(|far| origin.number(far));
        let mut positions = vec![0; sources];
        for (position, &item) in items.iter().enumerate() {
            positions[item as usize] = position as u32;
        }
        let (items, width, halt) = (items.to_vec(), width(items), means.halt.clone());
        Self { origin, items, positions, width, numbers, halt }
    }

    /// Fills in the bounds between the items of a tile and those that follow, where all items are
    /// sources.
    fn behind<L: Level>(&self, tile: usize, code: &Code<L>, levels: &mut [&mut [L]]) {
        let sources =
            (tile * SIDE..(tile + 1) * SIDE).map(|at| at.min(self.items.len() - 1) as u32);
        self.fill(&sources.collect::<Vec<u32>>(), tile * SIDE, code, levels);
    }

    /// For each source, lower bounds of its distances to the items.
    fn compare<L: Level>(&self, sources: &[u32], code: &Code<L>) -> Vec<Vec<L>> {
        let mut levels = vec![vec![L::from_bits(0); self.width]; sources.len()];
        let mut rows: Vec<&mut [L]> = levels.iter_mut().map(Vec::as_mut_slice).collect();
        self.fill(sources, 0, code, &mut rows);
        levels
    }

    /// For each source, lower bounds of its distances to the items from a position on, which is a
    /// multiple of the side of a tile.
    fn fill<L: Level>(
        &self,
        sources: &[u32],
        start: usize,
        code: &Code<L>,
        levels: &mut [&mut [L]],
    ) {
        let items = &self.items[start.min(self.items.len())..];
        match &self.origin {
            // The work is to end: bounds of zero are right, and cost nothing.
            _ if self.halt.is_stopped() => {}
            Origin::Multiplied(origin) => origin.compare(sources, start, code, levels),
            Origin::Measured(origin) => origin.compare(sources, start, code, levels),
        }
        // Beyond the items, nothing is up to the threshold of zero.
        for levels in levels {
            levels[items.len()..].fill(L::LARGEST);
        }
    }
}

/// What lower bounds are computed from.
enum Origin<'a> {
    Multiplied(FromProducts<'a>),
    Measured(FromDistances<'a>),
}

impl<'a> Origin<'a> {
    fn multiplied(vectors: &'a LentVectors<'a>, items: &[u32], range: Range) -> Self {
        Self::Multiplied(FromProducts::new(vectors, items, width(items), range))
    }

    /// The metric, if the numbers that are rounded to levels are squares; `None` if they are
    /// distances.
    fn squared(&self) -> Option<Metric> {
        match self {
            Origin::Multiplied(origin) => Some(origin.metric()),
            Origin::Measured(_) => None,
        }
    }

    /// The number that a distance is rounded as: its square where bounds come from products.
    /// Whatever is closer than the distance has a smaller number.
    fn number(&self, distance: f32) -> f32 {
        self.squared().map_or(distance, |metric| kernels::to_squares(metric, distance))
    }

    /// The distance that a number, the square or the distance itself, stands for.
    fn distance(&self, number: f32) -> f32 {
        self.squared().map_or(number, |metric| kernels::of_squares(metric, number))
    }
}

/// The number of levels in a row of bounds: one for each item, and padding up to a whole tile.
fn width(items: &[u32]) -> usize {
    items.len().next_multiple_of(SIDE)
}
