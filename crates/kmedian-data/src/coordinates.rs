//! Coordinates in 32 bits that lose as little as possible of what 64 bits say.
//!
//! Distances are computed from 32-bit numbers, which have seven digits. Where the values of a
//! column are large and differ little, as timestamps do, these digits are all spent on what the
//! values have in common. Most metrics do not change if the same number is subtracted from a whole
//! column, so what they have in common is subtracted first, in 64 bits.

/// A column is far from zero if its largest absolute value is at least this many times what its
/// values span. To subtract its middle then wins at least three binary digits. Nearer to zero it
/// would win less, and change the last digit of distances for nothing.
const FAR: f64 = 4.0;

/// Coordinates in 32 bits, and what was done to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Centered {
    /// The coordinates, row after row, less the offset of their column.
    pub values: Vec<f32>,
    /// What was subtracted from each column: zero unless it is far from zero and does not fit 32
    /// bits.
    pub offsets: Vec<f64>,
    /// How many rows fewer are distinct now than were in 64 bits.
    pub merged: usize,
}

/// Brings rows of `dims` 64-bit coordinates each to 32 bits for a metric that subtracting the same
/// from all rows does not change: l1, l2, linf and hamming. Rows that come later, to be compared
/// with these, are to be [`shifted`] by the same offsets.
///
/// A column is left as it is, and the result is what a cast gives, unless some value of it does not
/// fit 32 bits and all its values are far from zero compared with what they span (at least four
/// times). Then its middle is subtracted.
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

/// Subtracts offsets, one for each column, from rows of 64-bit coordinates, and brings them to 32
/// bits. See [`centered`].
#[must_use]
pub fn shifted(values: &[f64], offsets: &[f64]) -> Vec<f32> {
    let rows = values.chunks_exact(offsets.len().max(1));
    rows.flat_map(|row| row.iter().zip(offsets).map(|(value, offset)| (value - offset) as f32))
        .collect()
}

/// What the values of a column span.
#[derive(Debug, Clone, Copy)]
struct Spread {
    low: f64,
    high: f64,
    /// Whether all values fit 32 bits.
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
    /// value that is larger than all before adds as much to what they span as to their size.
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

/// Coordinates that are read one after the other, and become [`Centered`] at the end. Of columns
/// that are not far from zero nothing but their 32-bit numbers is kept.
pub(crate) struct Coordinates {
    dims: usize,
    /// The column of the next value.
    column: usize,
    values: Vec<f32>,
    columns: Vec<Column>,
    /// A number for each complete row that differs, in all likelihood, if the row does. Kept from
    /// the first value on that does not fit 32 bits.
    keys: Option<Vec<u64>>,
    key: u64,
}

/// A column that may have to be centered.
#[derive(Clone, Default)]
struct Column {
    spread: Spread,
    /// Whether the column has to be looked at: it may be centered, and is far from zero so far.
    open: bool,
    /// What the 32-bit numbers lack to the values in 64 bits; `None` while that is nothing.
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

    fn add_to_key(&mut self, wide: f64) {
        if self.keys.is_none() {
            // All before fit 32 bits, so they tell what they were in 64.
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

/// How many rows fewer are distinct in 32 bits than were by these keys in 64.
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

/// Takes a coordinate into the key of its row. The two zeros are one number.
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
