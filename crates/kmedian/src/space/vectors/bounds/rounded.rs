//! Lower bounds of distances, rounded to levels of one kind: computed when they are asked for, or
//! kept.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::Source;
use super::code::Code;
use super::level::Level;
use super::row::Compared;
use super::symmetric::{SIDE, SymmetricMatrix};

/// Lower bounds of the distances between sources and items, rounded to levels.
pub(super) struct Rounded<L: Level> {
    code: Code<L>,
    /// The caps of all items, as levels, and the lowest level up to the end of a row.
    thresholds: Vec<L>,
    cache: Cache<L>,
}

/// The lower bounds that are kept for later questions.
enum Cache<L: Level> {
    /// No bounds are kept, as there is no room: each question computes them again.
    Absent,
    /// The row of each source that has been asked about.
    Rows(Vec<OnceLock<Vec<L>>>),
    /// All bounds, where every source is one of the items: half of them computed, half mirrored.
    All(SymmetricMatrix<L>),
}

/// Which lower bounds are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Nothing,
    /// Lower bounds of the sources that are asked about.
    Asked,
    /// Lower bounds of all pairs, where every source is one of the items.
    All,
}

impl<L: Level> Rounded<L> {
    pub(super) fn new(source: &Source<'_>, keep: Keep) -> Self {
        let code = Code::new(source.numbers);
        let cache = match keep {
            Keep::Nothing => Cache::Absent,
            Keep::Asked => Cache::Rows(vec![OnceLock::new(); source.positions.len()]),
            Keep::All => {
                let fill = |tile: usize, rows: &mut [&mut [L]]| source.behind(tile, &code, rows);
                Cache::All(SymmetricMatrix::new(source.width / SIDE, fill))
            }
        };
        let thresholds = vec![L::from_bits(0); source.width];
        Self { code, thresholds, cache }
    }

    /// The distance that each level stands for: of those that are rounded to it the smallest, or
    /// less.
    pub(super) fn distances(&self, source: &Source<'_>) -> Vec<f32> {
        self.code.smallest().map(|number| source.origin.distance(number)).collect()
    }

    /// Which bounds are kept.
    pub(super) fn keep(&self) -> Keep {
        match self.cache {
            Cache::Absent => Keep::Nothing,
            Cache::Rows(_) => Keep::Asked,
            Cache::All(_) => Keep::All,
        }
    }

    /// Whether bounds are kept.
    pub(super) fn are_kept(&self) -> bool {
        self.keep() != Keep::Nothing
    }

    /// The level of a cap: as rounding is monotone, the bound of what is closer is not larger.
    pub(super) fn threshold(&self, source: &Source<'_>, cap: f32) -> L {
        self.code.level(source.origin.number(cap))
    }

    /// Takes the caps of some items, by their number, for those that bounds are compared with.
    pub(super) fn set_caps(
        &mut self,
        source: &Source<'_>,
        items: impl Iterator<Item = u32>,
        caps: &[f32],
    ) {
        for item in items {
            let threshold = self.threshold(source, caps[item as usize]);
            self.thresholds[source.positions[item as usize] as usize] = threshold;
        }
    }

    /// For each source, lower bounds of its distances to the items.
    pub(super) fn rows(&self, source: &Source<'_>, sources: &[u32]) -> Vec<Compared<'_, L>> {
        let row = |parts| Compared { parts, thresholds: &self.thresholds };
        let whole = |levels| row([levels, Cow::default()]);
        match &self.cache {
            Cache::Absent => {
                source.compare(sources, &self.code).into_iter().map(Cow::Owned).map(whole).collect()
            }
            Cache::Rows(rows) => {
                let unknown = |source: &u32| rows[*source as usize].get().is_none();
                let new: Vec<u32> = sources.iter().copied().filter(unknown).collect();
                for (&source, levels) in new.iter().zip(source.compare(&new, &self.code)) {
                    rows[source as usize].get_or_init(|| levels);
                }
                let levels = sources.iter().filter_map(|&source| rows[source as usize].get());
                levels.map(|levels| Cow::Borrowed(levels.as_slice())).map(whole).collect()
            }
            Cache::All(all) => {
                let parts = |&source: &u32| all.row(source as usize).map(Cow::Borrowed);
                sources.iter().map(parts).map(row).collect()
            }
        }
    }
}
