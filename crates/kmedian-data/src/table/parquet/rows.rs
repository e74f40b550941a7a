//! Collects the rows of a Parquet file, batch after batch.

use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};

use super::column::{BadColumn, Numbers, for_each_cell, full_rows, numbers, texts};
use crate::columns::{Selection, Want};
use crate::coordinates::Coordinates;
use crate::demand::Cell;
use crate::error::{Error, ErrorKind, quote};
use crate::input::{ABSURD_BYTES, ABSURD_RATIO};
use crate::number::{check_weight, narrow};
use crate::points::{Points, left_out};
use crate::table::decode::explain;

/// The rows read so far.
pub(super) struct Rows<'a> {
    path: &'a Path,
    names: &'a [String],
    pub(super) selection: Selection,
    /// The columns of every batch, by their position in the file.
    used: Vec<usize>,
    /// The number of coordinates of each feature; empty before the first batch.
    widths: Vec<usize>,
    /// Whether each feature is a list; empty before the first batch.
    lists: Vec<bool>,
    rows: usize,
    /// The rows that were handed out before, in parts.
    before: usize,
    center: bool,
    /// The coordinates; `None` before the first batch, which shows how many each row has.
    values: Option<Coordinates>,
    ids: Vec<String>,
    weights: Vec<f64>,
    /// How many more bytes the ids may have.
    id_bytes: u64,
    skip_missing: bool,
    any_text: bool,
    /// The number of rows, those that were left out too.
    read: usize,
    /// The rows that were kept, if some may be left out.
    kept: Vec<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        path: &'a Path,
        names: &'a [String],
        want: Want<'_>,
        selection: Selection,
        used: Vec<usize>,
        length: u64,
    ) -> Self {
        Self {
            path,
            names,
            selection,
            used,
            widths: Vec::new(),
            lists: Vec::new(),
            rows: 0,
            before: 0,
            center: want.center(),
            values: None,
            ids: Vec::new(),
            weights: Vec::new(),
            id_bytes: ABSURD_BYTES.max(length.saturating_mul(ABSURD_RATIO)),
            skip_missing: want.skip_missing(),
            any_text: want.any_text(),
            read: 0,
            kept: Vec::new(),
        }
    }

    /// Adds the rows of a batch, less those with gaps if these are to be left out.
    pub(super) fn push_all(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        if !self.skip_missing {
            self.read += batch.num_rows();
            return self.push(batch);
        }
        let used = self.selection.features.iter().chain(&self.selection.weight);
        let columns: Vec<&ArrayRef> = used.map(|&column| self.column(batch, column)).collect();
        let full = full_rows(&columns, batch.num_rows());
        let mut start = 0;
        while start < full.len() {
            let run = full[start..].iter().take_while(|&&full| full).count();
            if run > 0 {
                self.kept.extend(self.read + start..self.read + start + run);
                self.push(&batch.slice(start, run))?;
            }
            start += run.max(1);
        }
        self.read += batch.num_rows();
        Ok(())
    }

    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.push_features(batch)?;
        if let Some(column) = self.selection.id {
            self.push_ids(batch, column)?;
        }
        if let Some(column) = self.selection.weight {
            let weights =
                numbers(self.column(batch, column)).map_err(|bad| self.bad(column, &bad))?;
            for (row, &weight) in weights.values.iter().enumerate() {
                match check_weight(weight) {
                    Ok(weight) => self.weights.push(weight),
                    Err(what) => {
                        let what = format!(
                            "the weight `{weight}` {what}; weights are finite numbers from 0 up"
                        );
                        return Err(self.at(row, column, &what));
                    }
                }
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    fn push_ids(&mut self, batch: &RecordBatch, column: usize) -> Result<(), Error> {
        let (mut ids, mut room) = (std::mem::take(&mut self.ids), self.id_bytes);
        let mut push = |id: &str| {
            let left = room.checked_sub(id.len() as u64);
            room = left.unwrap_or(0);
            if left.is_some() {
                ids.push(id.to_owned());
            }
        };
        let array = self.column(batch, column);
        if self.any_text {
            for_each_cell(array, &mut |cell| match cell {
                Cell::Text(text) => push(text),
                Cell::Whole(number) => push(&number.to_string()),
                Cell::Missing => push(""),
            })
        } else {
            texts(array, &mut push)
        }
        .map_err(|bad| self.bad(column, &bad))?;
        (self.ids, self.id_bytes) = (ids, room);
        if self.ids.len() < self.rows + batch.num_rows() {
            let what = "the ids are far longer than the file; name rows by another column";
            return Err(Error::new(ErrorKind::Format, self.path, what));
        }
        Ok(())
    }

    fn push_features(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let mut features: Vec<Numbers> = Vec::new();
        for (place, &column) in self.selection.features.iter().enumerate() {
            let feature =
                numbers(self.column(batch, column)).map_err(|bad| self.bad(column, &bad))?;
            match self.widths.get(place) {
                Some(&expected) if expected != feature.width => {
                    let bad = BadColumn::Length { row: 0, found: feature.width, expected };
                    return Err(self.bad(column, &bad));
                }
                _ => features.push(feature),
            }
        }
        if self.widths.is_empty() {
            self.widths = features.iter().map(|feature| feature.width).collect();
            self.lists = features.iter().map(|feature| feature.list).collect();
        }
        let mut values = self
            .values
            .take()
            .unwrap_or_else(|| Coordinates::new(self.widths.iter().sum(), self.center));
        for row in 0..batch.num_rows() {
            for (place, feature) in features.iter().enumerate() {
                for &value in feature.row(row) {
                    match narrow(value) {
                        Ok(narrow) => values.push(value, narrow),
                        Err(bad) => {
                            let column = self.selection.features[place];
                            return Err(self.at(row, column, &explain(bad, value)));
                        }
                    }
                }
            }
        }
        self.values = Some(values);
        Ok(())
    }

    pub(super) fn column<'b>(&self, batch: &'b RecordBatch, column: usize) -> &'b ArrayRef {
        let place = self.used.partition_point(|&used| used < column);
        batch.column(place)
    }

    fn at(&self, row: usize, column: usize, what: &str) -> Error {
        let name = quote(self.names[column].as_bytes());
        let message = format!("row {}, column {name}: {what}", self.before + self.rows + row + 1);
        Error::new(ErrorKind::Value, self.path, message)
    }

    pub(super) fn bad(&self, column: usize, bad: &BadColumn) -> Error {
        let name = quote(self.names[column].as_bytes());
        match *bad {
            BadColumn::Null { row } => {
                self.at(row, column, "the value is missing (null); fill it in or remove the row")
            }
            BadColumn::NotUtf8 { row } => {
                self.at(row, column, "the text is not UTF-8; write it as UTF-8")
            }
            BadColumn::Length { row, found, expected } => Error::new(
                ErrorKind::Shape,
                self.path,
                format!(
                    "row {}, column {name}: the list has {found} values, but the first has \
                     {expected}; make all lists equally long",
                    self.before + self.rows + row + 1
                ),
            ),
            BadColumn::Type => Error::new(
                ErrorKind::Column,
                self.path,
                format!("column {name} is of a type that is not read; choose other columns"),
            ),
        }
    }

    /// The rows read so far that were not handed out yet, as a table of their own.
    pub(super) fn part(&mut self) -> Points {
        let (notes, kept) = left_out(self.read, self.before + self.rows, self.kept.clone());
        let centered = self.values.take().unwrap_or_else(|| Coordinates::new(0, false)).finish();
        let rows = std::mem::take(&mut self.rows);
        self.before += rows;
        Points {
            rows,
            dims: self.widths.iter().sum(),
            values: centered.values,
            offsets: centered.offsets,
            merged: centered.merged,
            columns: self.coordinate_names(),
            ids: self.selection.id.map(|_| std::mem::take(&mut self.ids)),
            weights: self.selection.weight.map(|_| std::mem::take(&mut self.weights)),
            passed_over: Vec::new(),
            format: "Parquet",
            notes,
            kept,
        }
    }

    /// The rows that were not handed out yet.
    ///
    /// # Errors
    /// If there were no rows at all.
    pub(super) fn finish(mut self) -> Result<Points, Error> {
        if self.before + self.rows == 0 {
            let gaps = self.read > 0;
            let what = if gaps { "has gaps in every row" } else { "has columns but no rows" };
            return Err(Error::new(ErrorKind::Empty, self.path, what));
        }
        let dims: usize = self.widths.iter().sum();
        if dims == 0 && !self.selection.features.is_empty() {
            return Err(Error::new(ErrorKind::Empty, self.path, "its lists are empty"));
        }
        Ok(self.part())
    }

    fn coordinate_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (place, &column) in self.selection.features.iter().enumerate() {
            let (name, width) = (&self.names[column], self.widths[place]);
            if self.lists[place] {
                names.extend((0..width).map(|i| format!("{name}[{i}]")));
            } else {
                names.push(name.clone());
            }
        }
        names
    }
}
