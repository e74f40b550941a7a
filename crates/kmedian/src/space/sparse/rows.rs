//! Sparse rows as they are kept: by row, and by column.

use std::f64::consts::FRAC_1_SQRT_2;

use super::SparseMetric;
use crate::{Error, ErrorKind};

/// Rows in compressed form (CSR), the columns of each in ascending order, and none of them zero.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    dims: usize,
    /// Row i has the entries from `starts[i]` up to `starts[i + 1]`.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    /// The size of each row, which its distances are computed from: the sum of the absolute values
    /// under l1, of the squares under l2 and angles, the number of entries for sets.
    sizes: Vec<f64>,
}

/// One sparse row: its columns in ascending order, and what is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) columns: &'a [u32],
    pub(super) values: &'a [f32],
    pub(super) size: f64,
}

impl Rows {
    pub(super) fn new(
        dims: usize,
        starts: &[usize],
        columns: &[u32],
        values: &[f32],
        metric: SparseMetric,
    ) -> Result<Self, Error> {
        check_layout(starts, columns, values)?;
        let mut rows = Self { dims, starts: vec![0], ..Self::default() };
        let mut entries: Vec<(u32, f32)> = Vec::new();
        for (item, bounds) in starts.windows(2).enumerate() {
            let span = bounds[0]..bounds[1];
            entries.clear();
            entries.extend(columns[span.clone()].iter().copied().zip(values[span].iter().copied()));
            entries.sort_unstable_by_key(|&(column, _)| column);
            check_row(item, dims, &entries)?;
            entries.retain(|&(_, value)| value != 0.0);
            rows.push(item, &mut entries, metric)?;
        }
        Ok(rows)
    }

    /// Adds a row, scaled to one length where only directions matter.
    fn push(
        &mut self,
        item: usize,
        entries: &mut [(u32, f32)],
        metric: SparseMetric,
    ) -> Result<(), Error> {
        match metric {
            SparseMetric::Angular => scale_to(1.0, item, entries)?,
            SparseMetric::RootCosine => scale_to(FRAC_1_SQRT_2, item, entries)?,
            _ => (),
        }
        let size = |&(_, value): &(u32, f32)| match metric {
            SparseMetric::L1 => f64::from(value).abs(),
            SparseMetric::L2 | SparseMetric::Angular | SparseMetric::RootCosine => {
                f64::from(value) * f64::from(value)
            }
            SparseMetric::Jaccard => 1.0,
        };
        self.sizes.push(entries.iter().map(size).sum());
        self.columns.extend(entries.iter().map(|&(column, _)| column));
        self.values.extend(entries.iter().map(|&(_, value)| value));
        self.starts.push(self.columns.len());
        Ok(())
    }

    /// The given rows alone, in this order.
    pub(super) fn select(&self, items: &[usize]) -> Self {
        let mut chosen = Self { dims: self.dims, starts: vec![0], ..Self::default() };
        for &item in items {
            let row = self.row(item);
            chosen.columns.extend_from_slice(row.columns);
            chosen.values.extend_from_slice(row.values);
            chosen.sizes.push(row.size);
            chosen.starts.push(chosen.columns.len());
        }
        chosen
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
        Row { columns, values, size: self.sizes[item] }
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
        self.values.iter().for_each(|value| sink(&value.to_bits().to_le_bytes()));
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
    pub(super) fn of(rows: &Rows) -> Self {
        let mut starts = vec![0; rows.dims + 1];
        rows.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let (mut items, mut values) = (vec![0; rows.entries()], vec![0.0; rows.entries()]);
        let mut next = starts.clone();
        for item in 0..rows.len() {
            let row = rows.row(item);
            for (&column, &value) in row.columns.iter().zip(row.values) {
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

/// Checks a row whose entries are sorted by column.
fn check_row(item: usize, dims: usize, entries: &[(u32, f32)]) -> Result<(), Error> {
    if let Some((column, _)) = entries.last().filter(|entry| entry.0 as usize >= dims) {
        return wrong(format!(
            "row {item} has something in column {column}, but there are only {dims} columns; give the rows more of them"
        ));
    }
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return wrong(format!("row {item} has column {} twice; add them up", pair[0].0));
    }
    if let Some((column, value)) = entries.iter().find(|entry| !entry.1.is_finite()) {
        return wrong(format!("row {item} is {value} in column {column}; give finite numbers"));
    }
    Ok(())
}

/// Scales a row to a length.
fn scale_to(length: f64, item: usize, entries: &mut [(u32, f32)]) -> Result<(), Error> {
    let square: f64 = entries.iter().map(|&(_, value)| f64::from(value) * f64::from(value)).sum();
    if square == 0.0 {
        return wrong(format!(
            "row {item} is all zeros, which has no direction; drop it or take a metric that needs none, such as l2"
        ));
    }
    let given = square.sqrt();
    entries.iter_mut().for_each(|(_, value)| *value = (f64::from(*value) / given * length) as f32);
    Ok(())
}
