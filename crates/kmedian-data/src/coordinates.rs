//! Coordinates in 32 bits that lose as little as possible of what 64 bits say.
//!
//! Distances are computed from 32-bit numbers, which have seven digits. Where the values of a
//! column are large and differ little, as timestamps do, these digits are all spent on what the
//! values have in common. Most metrics do not change if the same number is subtracted from a whole
//! column, so what they have in common is subtracted first, in 64 bits.

/// A column counts as far from zero if its largest absolute value is at least this many times the
/// difference between its largest and smallest value. Subtracting its middle then saves at least
/// three binary digits. Nearer to zero it would save fewer, and change the last digit of distances
/// for nothing.
const FAR: f64 = 4.0;

/// Coordinates in 32 bits, and what was done to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Centered {
    /// The coordinates, row after row, less the offset of their column.
    pub values: Vec<f32>,
    /// What was subtracted from each column: zero, unless the column is far from zero and some of
    /// its values do not fit into 32 bits.
    pub offsets: Vec<f64>,
    /// How many distinct rows were lost by rounding: their number in 64 bits less that in 32 bits.
    pub merged: usize,
}

/// Rounds rows of `dims` 64-bit coordinates to 32 bits, for metrics that do not change if the same
/// row is subtracted from all rows: l1, l2, linf and hamming. Rows that come later, to be compared
/// with these, must be [`shifted`] by the same offsets.
///
/// The middle of a column is subtracted if some of its values do not fit into 32 bits, and if its
/// largest absolute value is at least four times the difference between its largest and smallest
/// value. All other columns are only rounded.
///
/// ```
/// let times: Vec<f64> = (0..300).map(|second| 1e12 + f64::from(second)).collect();
/// let centered = kmedian_data::centered(1, &times);
/// assert_eq!(centered.values[..2], [-149.5, -148.5]);
/// assert_eq!(centered.offsets, [1e12 + 149.5]);
/// assert_eq!(centered.merged, 0);
/// ```
#[must_use]
pub fn centered(dims: usize, values: &[f64]) -> Centered {
    let mut spreads = vec![Spread::default(); dims];
    for row in values.chunks_exact(dims.max(1)) {
        spreads.iter_mut().zip(row).for_each(|(spread, &value)| spread.add(value, value as f32));
    }
    let offsets: Vec<f64> = spreads.iter().map(Spread::offset).collect();
    let narrowed = shifted(values, &offsets);
    let inexact = spreads.iter().any(|spread| !spread.exact);
    let merged = if inexact {
        let keys = values.chunks_exact(dims.max(1)).map(|row| key(row.iter().copied()));
        lost(keys.collect(), dims, &narrowed)
    } else {
        0
    };
    Centered { values: narrowed, offsets, merged }
}

/// Subtracts offsets, one for each column, from rows of 64-bit coordinates, and rounds the results
/// to 32 bits. The offsets are those of [`centered`].
#[must_use]
pub fn shifted(values: &[f64], offsets: &[f64]) -> Vec<f32> {
    let rows = values.chunks_exact(offsets.len().max(1));
    rows.flat_map(|row| row.iter().zip(offsets).map(|(value, offset)| (value - offset) as f32))
        .collect()
}

/// The smallest and the largest value of a column.
#[derive(Debug, Clone, Copy)]
struct Spread {
    low: f64,
    high: f64,
    /// Whether all values fit into 32 bits without rounding.
    exact: bool,
}

impl Default for Spread {
    fn default() -> Self {
        Self { low: f64::INFINITY, high: f64::NEG_INFINITY, exact: true }
    }
}

impl Spread {
    fn add(&mut self, wide: f64, narrow: f32) {
        self.low = self.low.min(wide);
        self.high = self.high.max(wide);
        self.exact &= f64::from(narrow) == wide;
    }

    /// Whether the values so far are far from zero. Once they are not, they never are again: a
    /// larger value adds at least as much to their difference as to their size.
    fn is_far(&self) -> bool {
        self.low.abs().max(self.high.abs()) >= FAR * (self.high - self.low)
    }

    fn offset(&self) -> f64 {
        if !self.exact && self.low < self.high && self.is_far() {
            self.low + (self.high - self.low) / 2.0
        } else {
            0.0
        }
    }
}

/// Coordinates that are read one after the other, and become [`Centered`] at the end. Only 32-bit
/// numbers are kept, except for columns that are far from zero so far.
pub(crate) struct Coordinates {
    dims: usize,
    /// The column of the next value.
    column: usize,
    values: Vec<f32>,
    columns: Vec<Column>,
    /// A hash of each complete row in 64 bits, to count distinct rows. `None` until some value does
    /// not fit into 32 bits.
    keys: Option<Vec<u64>>,
    /// The hash of the row that is being read.
    key: u64,
}

/// A column that may have to be centered.
#[derive(Clone, Default)]
struct Column {
    spread: Spread,
    /// Whether the column may still be centered: that was asked for, and it is far from zero so
    /// far.
    open: bool,
    /// For each row, the value in 64 bits less the 32-bit number; `None` while all of these are
    /// zero.
    rest: Option<Vec<f64>>,
}

impl Coordinates {
    pub(crate) fn new(dims: usize, center: bool) -> Self {
        let column = Column { open: center, ..Column::default() };
        let (values, columns) = (Vec::new(), vec![column; dims]);
        Self { dims, column: 0, values, columns, keys: None, key: 0 }
    }

    /// Makes room for this number of rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.values.reserve_exact(rows.saturating_mul(self.dims));
    }

    /// Adds the next coordinate of a row, in 64 bits and rounded to 32.
    #[inline]
    pub(crate) fn push(&mut self, wide: f64, narrow: f32) {
        let exact = f64::from(narrow) == wide;
        if !exact || self.keys.is_some() {
            self.add_to_key(wide);
        }
        let column = self.column;
        if self.columns[column].open {
            let row = self.values.len() / self.dims;
            self.columns[column].add(row, wide, narrow);
        }
        self.values.push(narrow);
        self.column += 1;
        if self.column == self.dims {
            self.column = 0;
            if let Some(keys) = &mut self.keys {
                keys.push(std::mem::take(&mut self.key));
            }
        }
    }

    /// Adds a whole row of coordinates that no rounding changes: then no column is centered, and no
    /// row is lost. For all rows or none.
    pub(crate) fn push_exact(&mut self, row: &[f32]) {
        self.values.extend_from_slice(row);
    }

    fn add_to_key(&mut self, wide: f64) {
        if self.keys.is_none() {
            // All values before fit into 32 bits, so their 64-bit values are known.
            let rows = self.values.chunks_exact(self.dims);
            self.key = key_of_narrow(rows.remainder());
            self.keys = Some(rows.map(key_of_narrow).collect());
        }
        self.key = mixed(self.key, wide);
    }

    pub(crate) fn finish(mut self) -> Centered {
        let offsets: Vec<f64> = self.columns.iter().map(Column::offset).collect();
        for (place, (column, &offset)) in self.columns.iter().zip(&offsets).enumerate() {
            if let (Some(rest), true) = (&column.rest, offset != 0.0) {
                let values = self.values[place..].iter_mut().step_by(self.dims);
                for (value, rest) in values.zip(rest) {
                    *value = ((f64::from(*value) - offset) + rest) as f32;
                }
            }
        }
        let merged = self.keys.map_or(0, |keys| lost(keys, self.dims, &self.values));
        Centered { values: self.values, offsets, merged }
    }
}

impl Column {
    #[inline]
    fn add(&mut self, row: usize, wide: f64, narrow: f32) {
        self.spread.add(wide, narrow);
        if !self.spread.is_far() {
            (self.open, self.rest) = (false, None);
        } else if !self.spread.exact {
            let rest = self.rest.get_or_insert_with(|| vec![0.0; row]);
            rest.push(wide - f64::from(narrow));
        }
    }

    fn offset(&self) -> f64 {
        if self.open { self.spread.offset() } else { 0.0 }
    }
}

/// The number of distinct rows in 64 bits, by their hashes, less that in 32 bits.
fn lost(mut keys: Vec<u64>, dims: usize, values: &[f32]) -> usize {
    let distinct = |keys: &mut Vec<u64>| {
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    };
    let before = distinct(&mut keys);
    keys.clear();
    let rows = values.chunks_exact(dims.max(1));
    keys.extend(rows.map(key_of_narrow));
    before.saturating_sub(distinct(&mut keys))
}

fn key(row: impl Iterator<Item = f64>) -> u64 {
    row.fold(0, mixed)
}

fn key_of_narrow(row: &[f32]) -> u64 {
    key(row.iter().map(|&value| f64::from(value)))
}

/// Mixes a coordinate into the hash of its row. Positive and negative zero count as one number.
#[inline]
fn mixed(key: u64, value: f64) -> u64 {
    let mut bits = (key ^ (value + 0.0).to_bits()).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streamed(dims: usize, values: &[f64], center: bool) -> Centered {
        let mut coordinates = Coordinates::new(dims, center);
        values.iter().for_each(|&value| coordinates.push(value, value as f32));
        coordinates.finish()
    }

    #[test]
    fn both_ways_agree_to_the_bit() {
        let mut state = 7;
        let mut draw = |far: f64, span: f64| {
            state = mixed(state, 1.0);
            far + span * (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for (far, span) in [
            (0.0, 1.0),
            (1e12, 300.0),
            (-1e9, 1.0),
            (5.0, 1.0),
            (3.9, 1.0),
            (1e15, 1.0),
            (2.5, 0.0),
        ] {
            let values: Vec<f64> = (0..3000).map(|i| draw([far, 0.0, -far][i % 3], span)).collect();
            assert_eq!(streamed(3, &values, true), centered(3, &values), "{far} {span}");
        }
    }

    #[test]
    fn what_fits_32_bits_or_is_near_zero_stays_as_it_is() {
        let near: Vec<f64> = (0..100).map(|i| 0.1 * f64::from(i) - 2.0).collect();
        let years: Vec<f64> = (1990..2025).map(f64::from).collect();
        let constant = vec![0.1; 10];
        for values in [near, years, constant] {
            let centered = centered(1, &values);
            assert_eq!(centered.offsets, [0.0]);
            let cast: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            assert_eq!((centered.values, centered.merged), (cast, 0));
        }
    }

    #[test]
    fn rows_that_merge_are_counted() {
        // An outlier at zero: nothing can be subtracted.
        let values = [0.0, 1e12, 1e12 + 1.0, 1e12 + 2.0, 1e12 + 1e6];
        assert_eq!(centered(1, &values).merged, 2);
        assert_eq!(streamed(1, &values, true).merged, 2);
        // Not to be centered at all.
        assert_eq!(streamed(1, &values[1..], false).merged, 2);
        assert_eq!(streamed(1, &values[1..], true).merged, 0);
        // In rows of two only the whole row counts, and the two zeros are one.
        assert_eq!(centered(2, &[1e12, 1.0, 1e12 + 1.0, 2.0, 0.0, 3.0]).merged, 0);
        assert_eq!(centered(1, &[0.1, 0.0, -0.0]).merged, 0);
    }

    #[test]
    fn later_rows_are_shifted_alike() {
        let values: Vec<f64> = (0..300).map(|i| 1e12 + f64::from(i)).collect();
        let centered = centered(1, &values);
        assert_eq!(shifted(&values[7..9], &centered.offsets), centered.values[7..9]);
        assert!(shifted(&[], &[]).is_empty());
    }
}
