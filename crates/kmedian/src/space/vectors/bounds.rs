//! Lower bounds of distances, as bytes: which items may be closer than their cap, for many sources
//! at once.

mod code;
mod from_distances;
mod from_products;
mod large_pages;
mod symmetric_bytes;

use std::borrow::Cow;
use std::sync::OnceLock;

use super::kernels::{self, BYTES};
use super::{Hit, LentVectors, Metric, Space};
use crate::memory::Means;
use crate::{Halt, Pruning, tactics};
use code::Code;
use from_distances::FromDistances;
use from_products::FromProducts;
pub(super) use from_products::product_error;
use symmetric_bytes::{SIDE, SymmetricBytes};

/// Lower bounds of the distances between all items of a space, the sources, and some of them.
///
/// Bounds are rounded down to a byte each. Where there is room for all of them they are computed
/// once and kept: at the beginning if all items are on both sides and most are candidates, else at
/// the first question about a source.
pub(crate) struct LowerBounds<'a> {
    origin: Origin<'a>,
    items: Vec<u32>,
    /// For each item of the space its position among `items`; 0 if it is not among them.
    positions: Vec<u32>,
    /// The number of bytes in a row: a bound for each item, and padding that no threshold reaches.
    width: usize,
    code: Code,
    /// The distance that each byte stands for: of those that are rounded to it the smallest, or
    /// less.
    distances: [f32; 256],
    cache: Cache,
    halt: Halt,
}

/// What lower bounds are computed from.
enum Origin<'a> {
    Multiplied(FromProducts<'a>),
    Measured(FromDistances<'a>),
}

impl Origin<'_> {
    /// The metric, if the numbers that are rounded to bytes are squares; `None` if they are
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

/// The lower bounds that are kept for later questions.
enum Cache {
    /// No bounds are kept, as there is no room: each question computes them again.
    Absent,
    /// The row of each source that has been asked about.
    Rows(Vec<OnceLock<Vec<u8>>>),
    /// All bounds, where every source is one of the items: half of them computed, half mirrored.
    All(SymmetricBytes),
}

/// The distances that lower bounds should tell from each other: best those from `near` to `far`,
/// less well those from there to `farthest`; what is nearer counts as zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) near: f32,
    pub(crate) far: f32,
    pub(crate) farthest: f32,
}

impl<'a> LowerBounds<'a> {
    /// The lower bounds by which candidates are dismissed; `None` if they are dismissed otherwise.
    /// They are kept if there is room for those of as many sources as there are `candidates`.
    pub(crate) fn by(
        pruning: Pruning,
        vectors: &'a LentVectors<'a>,
        candidates: usize,
        items: &[u32],
        range: Range,
        means: &Means,
    ) -> Option<Self> {
        match pruning {
            Pruning::Products => Some(Self::multiplied(vectors, candidates, items, range, means)),
            Pruning::Bytes => Some(Self::measured(vectors, candidates, items, range, means)),
            Pruning::Nothing | Pruning::Triangles | Pruning::Evidence => None,
        }
    }

    /// Lower bounds from inner products, for vectors whose metric follows from them; kept if there
    /// is room for those of as many sources as there are `candidates`.
    fn multiplied(
        vectors: &'a LentVectors<'a>,
        candidates: usize,
        items: &[u32],
        range: Range,
        means: &Means,
    ) -> Self {
        let origin = Origin::Multiplied(FromProducts::new(vectors, items, width(items)));
        Self::new(origin, [vectors.len(), candidates], items, range, means)
    }

    /// Lower bounds from the distances themselves, measured once and kept, for which there must be
    /// room: for those of as many sources as there are `candidates`.
    fn measured(
        vectors: &'a LentVectors<'a>,
        candidates: usize,
        items: &[u32],
        range: Range,
        means: &Means,
    ) -> Self {
        let origin = Origin::Measured(FromDistances { vectors });
        Self::new(origin, [vectors.len(), candidates], items, range, means)
    }

    fn new(
        origin: Origin<'a>,
        [sources, candidates]: [usize; 2],
        items: &[u32],
        range: Range,
        means: &Means,
    ) -> Self {
        let numbers = [range.near, range.far, range.farthest].map(|far| origin.number(far));
        let code = Code::new(numbers);
        let mut positions = vec![0; sources];
        for (position, &item) in items.iter().enumerate() {
            positions[item as usize] = position as u32;
        }
        let mut lower = Self {
            items: items.to_vec(),
            positions,
            width: width(items),
            distances: code.smallest().map(|number| origin.distance(number)),
            code,
            origin,
            cache: Cache::Absent,
            halt: means.halt.clone(),
        };
        let affordable = |sources| tactics::keeps_bounds(sources, items.len(), means.memory);
        if items.len() == sources && 2 * candidates > sources && affordable(sources) {
            let tiles = lower.width / SIDE;
            lower.cache =
                Cache::All(SymmetricBytes::new(tiles, |tile, rows| lower.behind(tile, rows)));
        } else if affordable(candidates) {
            lower.cache = Cache::Rows(vec![OnceLock::new(); sources]);
        }
        lower
    }

    /// Caps, given for all items of the space, as the bytes that [`LowerBounds::close`] compares
    /// bounds with.
    pub(crate) fn thresholds(&self, caps: &[f32]) -> Vec<u8> {
        let mut thresholds: Vec<u8> =
            self.items.iter().map(|&item| self.threshold(caps[item as usize])).collect();
        thresholds.resize(self.width, 0);
        thresholds
    }

    /// The byte of a cap: as rounding is monotone, the bound of what is closer is not larger.
    pub(crate) fn threshold(&self, cap: f32) -> u8 {
        self.code.byte(self.origin.number(cap))
    }

    /// For each source, lower bounds of its distances to the items.
    pub(crate) fn rows(&self, sources: &[u32]) -> Vec<Row<'_>> {
        let whole = |bounds| Row([bounds, Cow::default()]);
        match &self.cache {
            Cache::Absent => self.compare(sources).into_iter().map(Cow::Owned).map(whole).collect(),
            Cache::Rows(rows) => {
                let unknown = |source: &u32| rows[*source as usize].get().is_none();
                let new: Vec<u32> = sources.iter().copied().filter(unknown).collect();
                for (&source, bounds) in new.iter().zip(self.compare(&new)) {
                    rows[source as usize].get_or_init(|| bounds);
                }
                let bounds = sources.iter().filter_map(|&source| rows[source as usize].get());
                bounds.map(|bounds| Cow::Borrowed(bounds.as_slice())).map(whole).collect()
            }
            Cache::All(all) => {
                let row = |&source: &u32| Row(all.row(source as usize).map(Cow::Borrowed));
                sources.iter().map(row).collect()
            }
        }
    }

    /// The items that may be closer to a source than their cap, in order, with distances that are
    /// never above the true ones. To be consumed by `for_each` or a fold: step by step it is slow.
    pub(crate) fn close<'s>(
        &'s self,
        row: &'s Row<'_>,
        thresholds: &'s [u8],
    ) -> impl Iterator<Item = Hit> + 's {
        let (before, behind) = thresholds.split_at(row.0[0].len());
        let first = self.close_part(0, &row.0[0], before);
        first.chain(self.close_part(before.len(), &row.0[1], behind))
    }

    /// [`LowerBounds::close`] for bounds and thresholds of the items from a position on.
    fn close_part<'s>(
        &'s self,
        start: usize,
        bounds: &'s [u8],
        thresholds: &[u8],
    ) -> impl Iterator<Item = Hit> + 's {
        let bits = kernels::up_to(bounds.as_chunks().0, thresholds.as_chunks().0);
        bits.into_iter().enumerate().flat_map(move |(block, bits)| {
            Ones(bits).map(move |at| {
                let place = block * BYTES + at;
                let distance = self.distances[usize::from(bounds[place])];
                Hit { item: self.items[start + place], distance }
            })
        })
    }

    /// The items of a list, all of which have bounds, that may be closer to a source than their
    /// cap. All of the list if bounds are not cached.
    pub(crate) fn pick(&self, source: u32, items: &[u32], caps: &[f32]) -> Vec<u32> {
        if let Cache::Absent = self.cache {
            return items.to_vec();
        }
        let bounds = &self.rows(&[source])[0];
        let close = |&item: &u32| {
            let bound = bounds.at(self.positions[item as usize] as usize);
            bound <= self.threshold(caps[item as usize])
        };
        items.iter().copied().filter(close).collect()
    }

    /// For each item of a list, all of which have bounds, lower bounds of its distances to some
    /// sources, as bytes; `None` if bounds are not cached.
    pub(crate) fn table(&self, sources: &[usize], items: &[u32]) -> Option<Vec<u8>> {
        if let Cache::Absent = self.cache {
            return None;
        }
        let sources: Vec<u32> = sources.iter().map(|&source| source as u32).collect();
        let mut table = vec![0; items.len() * sources.len()];
        for (column, row) in self.rows(&sources).iter().enumerate() {
            for (line, &item) in table.chunks_exact_mut(sources.len()).zip(items) {
                line[column] = row.at(self.positions[item as usize] as usize);
            }
        }
        Some(table)
    }

    /// Fills in the bounds between the items of a tile and those that follow, where all items are
    /// sources.
    fn behind(&self, tile: usize, bounds: &mut [&mut [u8]]) {
        let sources =
            (tile * SIDE..(tile + 1) * SIDE).map(|at| at.min(self.items.len() - 1) as u32);
        self.fill(&sources.collect::<Vec<u32>>(), tile * SIDE, bounds);
    }

    /// For each source, lower bounds of its distances to the items.
    fn compare(&self, sources: &[u32]) -> Vec<Vec<u8>> {
        let mut bounds = vec![vec![0; self.width]; sources.len()];
        let mut rows: Vec<&mut [u8]> = bounds.iter_mut().map(Vec::as_mut_slice).collect();
        self.fill(sources, 0, &mut rows);
        bounds
    }

    /// For each source, lower bounds of its distances to the items from a position on, which is a
    /// multiple of the side of a tile.
    fn fill(&self, sources: &[u32], start: usize, bounds: &mut [&mut [u8]]) {
        let items = &self.items[start.min(self.items.len())..];
        match &self.origin {
            // The work is to end: bounds of zero are right, and cost nothing.
            _ if self.halt.is_stopped() => {}
            Origin::Multiplied(origin) => origin.compare(sources, start, &self.code, bounds),
            Origin::Measured(origin) => origin.compare(sources, items, &self.code, bounds),
        }
        // Beyond the items, nothing is up to the threshold of zero.
        for bounds in bounds {
            bounds[items.len()..].fill(u8::MAX);
        }
    }
}

/// The number of bytes in a row of bounds: one for each item, and padding up to a whole tile.
fn width(items: &[u32]) -> usize {
    items.len().next_multiple_of(SIDE)
}

/// Lower bounds of the distances of a source to all items, in one or two parts.
pub(crate) struct Row<'a>([Cow<'a, [u8]>; 2]);

impl Row<'_> {
    fn at(&self, position: usize) -> u8 {
        let [before, behind] = &self.0;
        before.get(position).copied().unwrap_or_else(|| behind[position - before.len()])
    }
}

/// The positions of the ones among bits, the lowest first.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (at < BYTES).then_some(at)
    }
}
