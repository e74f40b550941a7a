//! Collects the rows of a text table, record after record.

use std::path::Path;

use crate::columns::{Selection, Want};
use crate::coordinates::Coordinates;
use crate::error::{Error, ErrorKind, quote};
use crate::number::{self, BadNumber, check_weight};
use crate::points::{Points, left_out};
use crate::table::records::Record;

/// The rows read so far.
pub(super) struct Rows<'a> {
    path: &'a Path,
    names: &'a [String],
    width: usize,
    first_line: usize,
    selection: Selection,
    rows: usize,
    /// The rows that were handed out before, in parts.
    before: usize,
    center: bool,
    values: Coordinates,
    ids: Vec<String>,
    weights: Vec<f64>,
    skip_missing: bool,
    any_text: bool,
    /// The number of records, those that were left out too.
    read: usize,
    /// The records that were kept, if some may be left out.
    kept: Vec<usize>,
    /// The coordinates of one record.
    row: Vec<(f64, f32)>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        path: &'a Path,
        names: &'a [String],
        (width, first_line): (usize, usize),
        selection: Selection,
        want: Want<'_>,
    ) -> Self {
        Self {
            values: Coordinates::new(selection.features.len(), want.center()),
            skip_missing: want.skip_missing(),
            any_text: want.any_text(),
            read: 0,
            kept: Vec::new(),
            row: Vec::new(),
            path,
            names,
            width,
            first_line,
            selection,
            rows: 0,
            before: 0,
            center: want.center(),
            ids: Vec::new(),
            weights: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, record: &Record) -> Result<(), Error> {
        if record.len() != self.width {
            return Err(self.ragged(record));
        }
        self.read += 1;
        self.row.clear();
        for &column in &self.selection.features {
            match number::parse_both(record.cell(column)) {
                Ok(both) => self.row.push(both),
                Err(bad) if self.skip_missing && bad.is_gap() => return Ok(()),
                Err(bad) => return Err(self.bad_value(record, column, bad)),
            }
        }
        if self.skip_missing {
            let is_gap =
                |column| number::parse::<f64>(record.cell(column)).is_err_and(BadNumber::is_gap);
            if self.selection.weight.is_some_and(is_gap) {
                return Ok(());
            }
            self.kept.push(self.read - 1);
        }
        self.row.iter().for_each(|&(wide, narrow)| self.values.push(wide, narrow));
        if let Some(column) = self.selection.id {
            self.ids.push(self.id(record, column)?);
        }
        if let Some(column) = self.selection.weight {
            self.weights.push(self.weight(record, column)?);
        }
        self.rows += 1;
        Ok(())
    }

    pub(super) fn id(&self, record: &Record, column: usize) -> Result<String, Error> {
        match std::str::from_utf8(record.cell(column)) {
            Ok(id) => Ok(id.trim().to_owned()),
            Err(_) if self.any_text => {
                Ok(String::from_utf8_lossy(record.cell(column)).trim().to_owned())
            }
            Err(_) => Err(self.at(
                record,
                column,
                ErrorKind::Value,
                "the text is not UTF-8; save the file as UTF-8".to_owned(),
            )),
        }
    }

    fn weight(&self, record: &Record, column: usize) -> Result<f64, Error> {
        let cell = record.cell(column);
        let problem = match number::parse::<f64>(cell) {
            Ok(weight) => match check_weight(weight) {
                Ok(weight) => return Ok(weight),
                Err(what) => format!("the weight {} {what}", quote(cell.trim_ascii())),
            },
            Err(BadNumber::TooLarge) => format!("{} is too large", quote(cell.trim_ascii())),
            Err(bad) => bad.what(cell),
        };
        let message = format!("{problem}; weights are finite numbers from 0 up");
        Err(self.at(record, column, ErrorKind::Value, message))
    }

    fn bad_value(&self, record: &Record, column: usize, bad: BadNumber) -> Error {
        let cell = record.cell(column);
        let at = |message: String| self.at(record, column, ErrorKind::Value, message);
        match bad.advice(cell) {
            Some(advice) => at(format!("{}; {advice}", bad.what(cell))),
            None => at(bad.what(cell)).advise(self.selection.text_advice()),
        }
    }

    fn ragged(&self, record: &Record) -> Error {
        Error::new(
            ErrorKind::Shape,
            self.path,
            format!(
                "line {} has {} columns, but line {} has {}; give every row the same columns",
                record.line,
                record.len(),
                self.first_line,
                self.width
            ),
        )
    }

    fn at(&self, record: &Record, column: usize, kind: ErrorKind, message: String) -> Error {
        let name = quote(self.names[column].as_bytes());
        Error::new(kind, self.path, format!("line {}, column {name}: {message}", record.line))
    }

    /// How many rows were read and not handed out yet.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// The rows read so far that were not handed out yet, as a table of their own.
    pub(super) fn part(&mut self, format: &'static str) -> Points {
        let (notes, kept) = left_out(self.read, self.before + self.rows, self.kept.clone());
        let next = Coordinates::new(self.selection.features.len(), self.center);
        let centered = std::mem::replace(&mut self.values, next).finish();
        let rows = std::mem::take(&mut self.rows);
        self.before += rows;
        Points {
            rows,
            dims: self.selection.features.len(),
            values: centered.values,
            offsets: centered.offsets,
            merged: centered.merged,
            columns: self.selection.features.iter().map(|&c| self.names[c].clone()).collect(),
            ids: self.selection.id.map(|_| std::mem::take(&mut self.ids)),
            weights: self.selection.weight.map(|_| std::mem::take(&mut self.weights)),
            passed_over: Vec::new(),
            format,
            notes,
            kept,
        }
    }

    pub(super) fn finish(mut self, format: &'static str) -> Result<Points, Error> {
        let none = self.before + self.rows == 0;
        if none && self.read > 0 {
            return Err(Error::new(ErrorKind::Empty, self.path, "has gaps in every row"));
        }
        if none {
            return Err(Error::new(ErrorKind::Empty, self.path, "has a header but no rows"));
        }
        Ok(self.part(format))
    }
}
