//! Sparse rows as they are kept: by row, and by column.

use std::borrow::Cow;
use std::f64::consts::FRAC_1_SQRT_2;

use super::SparseMetric;
use crate::{Error, ErrorKind};

/// Rows in compressed form (CSR), the columns of each in ascending order, and none of them zero, in
/// memory that may be borrowed.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows<'a> {
    dims: usize,
    /// Row i has the entries from `starts[i]` up to `starts[i + 1]`.
    starts: Cow<'a, [usize]>,
    columns: Cow<'a, [u32]>,
    /// The values as they were given; distances are those of [`Row::value`].
    values: Cow<'a, [f32]>,
    /// What the values of each row are multiplied by, where only directions matter; else empty.
    scales: Vec<f64>,
    /// The size of each row, which its distances are computed from: the sum of the absolute values
    /// under l1, of the squares under l2 and angles, the number of entries for sets.
    sizes: Vec<f64>,
}

/// One sparse row: its columns in ascending order, and what is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) columns: &'a [u32],
    values: &'a [f32],
    scale: f64,
    pub(super) size: f64,
}

impl<'a> Row<'a> {
    /// The value of the entry at a position: as it was given or, where only directions matter,
    /// scaled so that all rows are of one length, and rounded to 32 bits.
    #[inline]
    pub(super) fn value(&self, at: usize) -> f32 {
        scaled(self.values[at], self.scale)
    }

    /// The columns of the row, each with its value.
    #[inline]
    pub(super) fn entries(self) -> impl Iterator<Item = (u32, f32)> + 'a {
        let values = self.values.iter().map(move |&value| scaled(value, self.scale));
        self.columns.iter().copied().zip(values)
    }
}

#[inline]
fn scaled(value: f32, scale: f64) -> f32 {
    (f64::from(value) * scale) as f32
}

impl<'a> Rows<'a> {
    /// Rows where they are, if they can be used as they are: with ascending columns and without
    /// zeros. Else a copy that is so.
    pub(super) fn borrowing(
        dims: usize,
        starts: &'a [usize],
        columns: &'a [u32],
        values: &'a [f32],
        metric: SparseMetric,
    ) -> Result<Self, Error> {
        check_layout(starts, columns, values)?;
        let (starts, columns, values) = (starts.into(), columns.into(), values.into());
        let given = Self { dims, starts, columns, values, ..Self::default() };
        let rows = if given.are_tidy() { given } else { given.tidied() };
        rows.check()?;
        rows.measured(metric)
    }

    /// The rows in memory of their own.
    pub(super) fn into_owned(self) -> Rows<'static> {
        Rows {
            dims: self.dims,
            starts: self.starts.into_owned().into(),
            columns: self.columns.into_owned().into(),
            values: self.values.into_owned().into(),
            scales: self.scales,
            sizes: self.sizes,
        }
    }

    /// The columns and the values of each row, as they were given.
    fn given(&self) -> impl Iterator<Item = (&[u32], &[f32])> {
        let spans = self.starts.windows(2).map(|bounds| bounds[0]..bounds[1]);
        spans.map(|span| (&self.columns[span.clone()], &self.values[span]))
    }

    /// Whether the columns of every row are ascending, and no value is zero.
    fn are_tidy(&self) -> bool {
        self.given().all(|(columns, _)| columns.is_sorted()) && !self.values.contains(&0.0)
    }

    /// A copy whose columns are ascending in every row, and no value is zero.
    fn tidied(&self) -> Self {
        let (mut starts, room) = (vec![0], self.columns.len());
        let (mut sorted, mut values) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut entries: Vec<(u32, f32)> = Vec::new();
        for (columns, given) in self.given() {
            entries.clear();
            let all = columns.iter().copied().zip(given.iter().copied());
            entries.extend(all.filter(|&(_, value)| value != 0.0));
            entries.sort_unstable_by_key(|&(column, _)| column);
            sorted.extend(entries.iter().map(|&(column, _)| column));
            values.extend(entries.iter().map(|&(_, value)| value));
            starts.push(sorted.len());
        }
        let (starts, columns, values) = (starts.into(), sorted.into(), values.into());
        Self { dims: self.dims, starts, columns, values, ..Self::default() }
    }

    /// Checks rows whose columns are ascending.
    fn check(&self) -> Result<(), Error> {
        self.given()
            .enumerate()
            .try_for_each(|(item, (columns, values))| check_row(item, self.dims, columns, values))
    }

    /// The rows with their sizes, scaled to one length where only directions matter.
    fn measured(mut self, metric: SparseMetric) -> Result<Self, Error> {
        let length = match metric {
            SparseMetric::Angular => Some(1.0),
            SparseMetric::RootCosine => Some(FRAC_1_SQRT_2),
            _ => None,
        };
        if let Some(length) = length {
            let scale = |(item, (_, values))| scale_to(length, item, values);
            self.scales = self.given().enumerate().map(scale).collect::<Result<_, _>>()?;
        }
        let size = |value: f32| match metric {
            SparseMetric::L1 => f64::from(value).abs(),
            SparseMetric::L2 | SparseMetric::Angular | SparseMetric::RootCosine => {
                f64::from(value) * f64::from(value)
            }
            SparseMetric::Jaccard => 1.0,
        };
        let values = |(item, (_, values)): (usize, (_, &[f32]))| {
            let scale = self.scale(item);
            values.iter().map(|&value| size(scaled(value, scale))).sum()
        };
        self.sizes = self.given().enumerate().map(values).collect();
        Ok(self)
    }

    /// What the values of a row are multiplied by.
    fn scale(&self, item: usize) -> f64 {
        self.scales.get(item).copied().unwrap_or(1.0)
    }

    /// The given rows alone, in this order.
    pub(super) fn select(&self, items: &[usize]) -> Rows<'static> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in items.iter().map(|&item| self.row(item)) {
            columns.extend_from_slice(row.columns);
            values.extend_from_slice(row.values);
            starts.push(columns.len());
        }
        let chosen = |of: &[f64]| match of {
            [] => Vec::new(),
            _ => items.iter().map(|&item| of[item]).collect(),
        };
        Rows {
            dims: self.dims,
            starts: starts.into(),
            columns: columns.into(),
            values: values.into(),
            scales: chosen(&self.scales),
            sizes: chosen(&self.sizes),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    pub(super) fn entries(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn row(&self, item: usize) -> Row<'_> {
        let span = self.starts[item]..self.starts[item + 1];
        let (columns, values) = (&self.columns[span.clone()], &self.values[span]);
        Row { columns, values, scale: self.scale(item), size: self.sizes[item] }
    }

    /// The size of a row: see [`Row::size`].
    #[inline]
    pub(super) fn size(&self, item: usize) -> f64 {
        self.sizes[item]
    }

    /// The largest distance of a row from the row of zeros.
    pub(super) fn largest_size(&self, metric: SparseMetric) -> f64 {
        let largest = self.sizes.iter().copied().fold(0.0, f64::max);
        if metric == SparseMetric::L2 { largest.sqrt() } else { largest }
    }

    /// Hands all that distances depend on to `sink`.
    pub(super) fn content(&self, sink: &mut dyn FnMut(&[u8])) {
        sink(&(self.dims as u64).to_le_bytes());
        self.starts.iter().for_each(|&start| sink(&(start as u64).to_le_bytes()));
        self.columns.iter().for_each(|column| sink(&column.to_le_bytes()));
        let values = (0..self.len()).flat_map(|item| self.row(item).entries());
        values.for_each(|(_, value)| sink(&value.to_bits().to_le_bytes()));
    }
}

/// The entries of sparse rows by column: which rows have something there, and what.
#[derive(Debug)]
pub(super) struct Postings {
    /// Column c has the entries from `starts[c]` up to `starts[c + 1]`.
    starts: Vec<usize>,
    items: Vec<u32>,
    values: Vec<f32>,
}

impl Postings {
    pub(super) fn of(rows: &Rows<'_>) -> Self {
        let mut starts = vec![0; rows.dims + 1];
        rows.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let (mut items, mut values) = (vec![0; rows.entries()], vec![0.0; rows.entries()]);
        let mut next = starts.clone();
        for item in 0..rows.len() {
            for (column, value) in rows.row(item).entries() {
                let at = &mut next[column as usize];
                (items[*at], values[*at]) = (item as u32, value);
                *at += 1;
            }
        }
        Self { starts, items, values }
    }

    /// The rows that have an entry in a column, and what the entries are.
    #[inline]
    pub(super) fn column(&self, column: u32) -> (&[u32], &[f32]) {
        let span = self.starts[column as usize]..self.starts[column as usize + 1];
        (&self.items[span.clone()], &self.values[span])
    }

    /// The number of entries in a column.
    #[inline]
    pub(super) fn count(&self, column: u32) -> usize {
        self.starts[column as usize + 1] - self.starts[column as usize]
    }
}

fn wrong<T>(message: String) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Value, message))
}

fn check_layout(starts: &[usize], columns: &[u32], values: &[f32]) -> Result<(), Error> {
    if columns.len() != values.len() {
        return wrong(format!(
            "there are {} columns but {} values; give a value for each",
            columns.len(),
            values.len()
        ));
    }
    let ends = (starts.first(), starts.last());
    if ends != (Some(&0), Some(&columns.len())) || !starts.is_sorted() {
        return wrong(format!(
            "the starts of the rows must rise from 0 to {}, the number of entries",
            columns.len()
        ));
    }
    Ok(())
}

/// Checks a row whose columns are ascending.
fn check_row(item: usize, dims: usize, columns: &[u32], values: &[f32]) -> Result<(), Error> {
    if let Some(column) = columns.last().filter(|&&column| column as usize >= dims) {
        return wrong(format!(
            "item {item} has something in column {column}, but there are only {dims} columns; give the rows more of them"
        ));
    }
    if let Some(pair) = columns.windows(2).find(|pair| pair[0] == pair[1]) {
        return wrong(format!("item {item} has column {} twice; add them up", pair[0]));
    }
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let (column, value) = (columns[at], values[at]);
        return wrong(format!("item {item} is {value} in column {column}; give finite numbers"));
    }
    Ok(())
}

/// What the values of a row are multiplied by so that it has the given length.
fn scale_to(length: f64, item: usize, values: &[f32]) -> Result<f64, Error> {
    let square: f64 = values.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    if square == 0.0 {
        return wrong(format!(
            "item {item} is all zeros, which has no direction; drop it or take a metric that needs none, such as l2"
        ));
    }
    Ok(length / square.sqrt())
}
