//! Answers to questions about sparse rows, from the entries that two rows have in common.

use std::f64::consts::PI;

use super::rows::Row;
use super::{LentSparseVectors, SparseMetric};
use crate::space::{Among, Asker, Hit, Question, scan};

/// The share of the sizes of two rows below which their distance, a difference of sums, is computed
/// from the differences of their entries instead: sums in 64 bits that cancel up to that share keep
/// more digits than 32 bits have.
const CANCELS: f64 = 1e-4;

/// Answers questions about sparse rows.
///
/// What many items have in common with the source is summed up column by column of the source, from
/// all rows that have something there. Where a question is about few items, their own entries are
/// fewer than those: then each is compared with the source, spread out by column.
pub(super) struct SparseAsker<'a> {
    space: &'a LentSparseVectors<'a>,
    /// By item, what it has in common with the source; zero where there is nothing, and between
    /// questions.
    common: Vec<f64>,
    /// The items with an entry in a column of the source; some come more than once. Empty if they
    /// are so many that all of `common` is set to zero after the question.
    touched: Vec<u32>,
    /// By column, what the source has there; zero where there is nothing, and between questions.
    /// Empty if there are more columns than entries, as it would take more memory than the rows.
    spread: Vec<f32>,
}

impl<'a> SparseAsker<'a> {
    pub(super) fn new(space: &'a LentSparseVectors<'a>) -> Self {
        Self { space, common: Vec::new(), touched: Vec::new(), spread: Vec::new() }
    }

    /// Answers a question about many items: sums up what all have in common with a row, column by
    /// column.
    fn answer_together(&mut self, source: Row<'_>, question: &Question<'_>, hits: &mut Vec<Hit>) {
        self.gather(source);
        self.answer(source, question, hits, |item| self.common[item]);
        self.forget();
    }

    /// Answers a question about few items: compares each with a row, which is spread out by column.
    fn answer_singly(&mut self, source: Row<'_>, question: &Question<'_>, hits: &mut Vec<Hit>) {
        let LentSparseVectors { metric, rows, .. } = self.space;
        if rows.dims() <= rows.entries() {
            self.spread.resize(rows.dims(), 0.0);
            source.entries().for_each(|(column, here)| self.spread[column as usize] = here);
            let spread = &self.spread;
            self.answer(source, question, hits, |item| {
                let in_common = |(column, there): (u32, f32)| {
                    let here = spread[column as usize];
                    if here == 0.0 { 0.0 } else { in_common(*metric, here, there) }
                };
                rows.row(item).entries().map(in_common).sum()
            });
            source.columns.iter().for_each(|&column| self.spread[column as usize] = 0.0);
        } else {
            let common = |item| common(*metric, source, rows.row(item));
            self.answer(source, question, hits, common);
        }
    }

    /// Answers a question from what each item has in common with the source.
    fn answer(
        &self,
        source: Row<'_>,
        question: &Question<'_>,
        hits: &mut Vec<Hit>,
        common: impl Fn(usize) -> f64,
    ) {
        let LentSparseVectors { metric, rows, .. } = self.space;
        let from_common = |at: usize, common: f64| {
            distance(*metric, source, rows.size(at), common, || rows.row(at))
        };
        let distance = |item: u32| from_common(item as usize, common(item as usize));
        let closer = |item: u32| {
            let at = item as usize;
            let common = common(at);
            let sizes = source.size + rows.size(at);
            let beyond = is_beyond(*metric, sizes, common, question.caps.of(at));
            if beyond { None } else { question.caps.hit(item, from_common(at, common)) }
        };
        scan(rows.len(), question, hits, distance, closer);
    }

    /// Sums up what all items have in common with a row, column by column.
    fn gather(&mut self, source: Row<'_>) {
        let LentSparseVectors { metric, rows, postings, .. } = self.space;
        self.common.resize(rows.len(), 0.0);
        let few = self.to_gather(source) < rows.len();
        for (column, here) in source.entries() {
            let (items, values) = postings.column(column);
            for (&item, &there) in items.iter().zip(values) {
                self.common[item as usize] += in_common(*metric, here, there);
            }
            if few {
                self.touched.extend_from_slice(items);
            }
        }
    }

    /// Forgets what the items have in common with the source.
    fn forget(&mut self) {
        if self.touched.is_empty() {
            self.common.fill(0.0);
        }
        for item in self.touched.drain(..) {
            self.common[item as usize] = 0.0;
        }
    }

    /// The number of entries in all columns of a row: what gathering costs.
    fn to_gather(&self, source: Row<'_>) -> usize {
        source.columns.iter().map(|&column| self.space.postings.count(column)).sum()
    }
}

impl Asker for SparseAsker<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        let rows = &self.space.rows;
        let from = rows.row(source);
        if let Among::Listed(items) = question.among {
            let to_compare = items.len() * (1 + rows.entries() / rows.len());
            if to_compare < self.to_gather(from) {
                return self.answer_singly(from, question, hits);
            }
        }
        self.answer_together(from, question, hits);
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        let LentSparseVectors { metric, rows, .. } = self.space;
        between(*metric, rows.row(a), rows.row(b))
    }
}

/// What two entries of one column have in common: what the sizes of their rows, added up, exceed
/// the distance by; under l2 and angles half of that.
#[inline]
fn in_common(metric: SparseMetric, a: f32, b: f32) -> f64 {
    let (x, y) = (f64::from(a), f64::from(b));
    match metric {
        SparseMetric::L1 => x.abs() + y.abs() - (x - y).abs(),
        SparseMetric::L2 | SparseMetric::Angular | SparseMetric::RootCosine => x * y,
        SparseMetric::Jaccard => 1.0,
    }
}

/// By how much of itself a distance must exceed a cap for [`is_beyond`] to say so: more than
/// rounding to 32 bits, and than sums in 64 bits that do not cancel, are wrong by.
const SURELY: f64 = 1e-6;

/// Whether two rows are surely no closer than a cap, told from what they have in common without a
/// root, a division or an arc sine; if not, their distance has to be computed. Sums that cancel,
/// as of rows that are nearly the same, tell nothing.
#[inline]
fn is_beyond(metric: SparseMetric, sizes: f64, common: f64, cap: f32) -> bool {
    let cap = f64::from(cap) * (1.0 + SURELY);
    let square = sizes - 2.0 * common;
    match metric {
        SparseMetric::Jaccard => square > cap * (sizes - common),
        SparseMetric::L1 => {
            let sum = sizes - common;
            sum > cap && sum >= CANCELS * sizes
        }
        SparseMetric::L2 | SparseMetric::RootCosine => {
            square > cap * cap && square >= CANCELS * sizes
        }
        SparseMetric::Angular => {
            // With h for half the chord, the angle is 2 asin(h) / π; the first terms of the series
            // of asin, all of them positive, are less than it, by a thousandth at a right angle.
            let h2 = square / 4.0;
            let series = 15.0 / 336.0 + h2 * (105.0 / 3456.0);
            let series = 1.0 + h2 * (1.0 / 6.0 + h2 * (3.0 / 40.0 + h2 * series));
            let angle = 2.0 / PI * series;
            h2 * angle * angle > cap * cap && square >= CANCELS * sizes
        }
    }
}

/// The distance of two rows.
pub(super) fn between(metric: SparseMetric, a: Row<'_>, b: Row<'_>) -> f32 {
    distance(metric, a, b.size, common(metric, a, b), || b)
}

/// What two rows have in common, by going through their columns together.
fn common(metric: SparseMetric, a: Row<'_>, b: Row<'_>) -> f64 {
    let mut common = 0.0;
    merge(a, b, |x, y| {
        if let (Some(x), Some(y)) = (x, y) {
            common += in_common(metric, x, y);
        }
    });
    common
}

/// The distance of two rows from what they have in common; `row` is the second one, which is looked
/// at only if both are nearly the same.
#[inline]
fn distance<'b>(
    metric: SparseMetric,
    a: Row<'_>,
    size: f64,
    common: f64,
    row: impl FnOnce() -> Row<'b>,
) -> f32 {
    let sizes = a.size + size;
    match metric {
        SparseMetric::Jaccard => {
            let union = sizes - common;
            if union == 0.0 { 0.0 } else { ((union - common) / union) as f32 }
        }
        SparseMetric::L1 => {
            let sum = sizes - common;
            if sum < CANCELS * sizes {
                return difference(a, row(), f64::abs) as f32;
            }
            sum as f32
        }
        SparseMetric::L2 | SparseMetric::RootCosine => square(a, sizes, common, row).sqrt() as f32,
        SparseMetric::Angular => {
            // The chord of two unit rows is twice the sine of half their angle.
            let half = square(a, sizes, common, row).sqrt() / 2.0;
            (2.0 * libm::asin(half.min(1.0)) / PI) as f32
        }
    }
}

/// The square of the Euclidean distance of two rows.
#[inline]
fn square<'b>(a: Row<'_>, sizes: f64, common: f64, row: impl FnOnce() -> Row<'b>) -> f64 {
    let square = sizes - 2.0 * common;
    if square < CANCELS * sizes { difference(a, row(), |x| x * x) } else { square }
}

/// The sum over all columns of what the difference of two rows amounts to there.
fn difference(a: Row<'_>, b: Row<'_>, amount: impl Fn(f64) -> f64) -> f64 {
    let mut sum = 0.0;
    let number = |value: Option<f32>| f64::from(value.unwrap_or(0.0));
    merge(a, b, |x, y| sum += amount(number(x) - number(y)));
    sum
}

/// Goes through the columns of two rows in ascending order, and hands over what is there in each.
fn merge(a: Row<'_>, b: Row<'_>, mut visit: impl FnMut(Option<f32>, Option<f32>)) {
    let (mut at, mut other) = (0, 0);
    while at < a.columns.len() || other < b.columns.len() {
        // Columns are 32-bit numbers, so this is beyond all of them.
        let column =
            |row: Row<'_>, at: usize| row.columns.get(at).map_or(u64::MAX, |&c| u64::from(c));
        let (here, there) = (column(a, at), column(b, other));
        let x = (here <= there).then(|| a.value(at));
        let y = (there <= here).then(|| b.value(other));
        at += usize::from(x.is_some());
        other += usize::from(y.is_some());
        visit(x, y);
    }
}
