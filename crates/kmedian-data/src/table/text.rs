//! Reads CSV, TSV and blank-separated text.

mod cells;
mod rows;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::path::Path;

use super::Header;
use super::header::judge;
use super::records::{Delimiter, Record, RecordError, Records};
use crate::columns::{Given, Names, Want};
use crate::error::{Error, ErrorKind};
use crate::input::{Input, check_width};
use crate::number::{self, BadNumber};
use crate::parts::Parts;
use crate::points::Points;
pub(crate) use cells::read_cells;
use rows::Rows;

/// The most records that are read ahead to find out whether a column whose first cells are gaps is
/// text: enough for names that some items lack, few enough to be kept.
const AHEAD: usize = 64;

/// Reads the wanted columns of a text table.
pub(crate) fn read(
    path: &Path,
    input: Input,
    delimiter: Delimiter,
    want: Want<'_>,
    header: Header,
    mut parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    let format = format_name(delimiter, input.gzip);
    let size = input.size;
    let Some(mut table) = Table::open(path, input, delimiter)? else {
        return Err(Error::new(ErrorKind::Empty, path, "has no rows"));
    };
    check_width(path, table.first.len(), size)?;
    let verdict = judge(&table.first, table.ahead.first(), want, header);
    table.look_ahead(verdict.is_header)?;
    let names = table.names(verdict.is_header);
    // A column without a name is the index that pandas writes, or comes from a comma at the end of
    // every line.
    let nameless = |column: usize| verdict.is_header && names[column].is_empty();
    let wordy = |column: usize| table.holds_text(verdict.is_header, column) == Some(true);
    let given = Given::on_header(verdict.is_header);
    let by_default = |column: usize| !nameless(column) && !wordy(column);
    let selection = want.resolve(&Names { path, names: &names, given }, by_default)?;
    let left_out = !selection.chosen && (0..names.len()).any(nameless);
    let of_text: Vec<String> = (0..names.len())
        .filter(|&column| !selection.chosen && !nameless(column) && wordy(column))
        .filter(|&column| selection.is_unnamed(column))
        .map(|column| names[column].clone())
        .collect();

    let (width, line) = (table.first.len(), table.first.line);
    let mut rows = Rows::new(path, &names, (width, line), selection, want);
    table.for_each(verdict.is_header, |record| {
        rows.push(record)?;
        match &mut parts {
            Some(parts) if rows.len() >= parts.rows(width) => parts.take(path, rows.part(format)),
            _ => Ok(()),
        }
    })?;
    let mut points = rows.finish(format)?;
    points.notes.extend(verdict.note);
    points.pass_over(of_text);
    if left_out {
        points.notes.push("columns without a name were left out, as an index is".to_owned());
    }
    Ok(points)
}

fn format_name(delimiter: Delimiter, gzip: bool) -> &'static str {
    match (delimiter, gzip) {
        (Delimiter::Byte(b'\t'), false) => "TSV",
        (Delimiter::Byte(b'\t'), true) => "TSV (gzip)",
        (Delimiter::Byte(b';'), false) => "CSV with semicolons",
        (Delimiter::Byte(b';'), true) => "CSV with semicolons (gzip)",
        (Delimiter::Byte(_), false) => "CSV",
        (Delimiter::Byte(_), true) => "CSV (gzip)",
        (Delimiter::Whitespace, false) => "text",
        (Delimiter::Whitespace, true) => "text (gzip)",
    }
}

/// A text table of which a few records have been read.
struct Table<'a> {
    path: &'a Path,
    records: Records<Box<dyn BufRead>>,
    first: Record,
    /// The records after the first that have been read: at least one, if there is one.
    ahead: Vec<Record>,
}

impl<'a> Table<'a> {
    /// Opens a table, and reads its first two records. `None` if it has no records.
    fn open(path: &'a Path, input: Input, delimiter: Delimiter) -> Result<Option<Self>, Error> {
        let mut records = Records::new(input.reader, delimiter);
        let mut first = Record::default();
        if !next(path, &mut records, &mut first)? {
            return Ok(None);
        }
        let mut table = Self { path, records, first, ahead: Vec::new() };
        table.read_one_ahead()?;
        Ok(Some(table))
    }

    /// Reads a further record. Returns whether there was one.
    fn read_one_ahead(&mut self) -> Result<bool, Error> {
        let mut record = Record::default();
        let there = next(self.path, &mut self.records, &mut record)?;
        self.ahead.extend(there.then_some(record));
        Ok(there)
    }

    /// Reads records until every column has a cell that is no gap, but not too many.
    fn look_ahead(&mut self, is_header: bool) -> Result<(), Error> {
        let told = |table: &Self, column| table.holds_text(is_header, column).is_some();
        let mut untold: Vec<usize> = (0..self.first.len()).collect();
        loop {
            untold.retain(|&column| !told(self, column));
            if untold.is_empty() || self.ahead.len() >= AHEAD || !self.read_one_ahead()? {
                return Ok(());
            }
        }
    }

    /// Whether the first cell of a column that is no gap is text, as far as the records tell that
    /// have been read; `None` if all of them have gaps there.
    fn holds_text(&self, is_header: bool, column: usize) -> Option<bool> {
        let first = (!is_header).then_some(&self.first);
        let records = first.into_iter().chain(&self.ahead);
        let cells =
            records.filter(|record| column < record.len()).map(|record| record.cell(column));
        let mut told = cells.filter_map(|cell| match number::parse::<f64>(cell) {
            Err(BadNumber::Blank | BadNumber::Missing) => None,
            Err(BadNumber::Text) => Some(!number::has_decimal_comma(cell)),
            _ => Some(false),
        });
        told.next()
    }

    /// The names of the columns: those of the header or, without one, the positions from 0.
    fn names(&self, is_header: bool) -> Vec<String> {
        if is_header {
            let name = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
            self.first.cells().map(name).collect()
        } else {
            positions(self.first.len())
        }
    }

    /// Calls `push` with every record except for the header.
    fn for_each(
        mut self,
        is_header: bool,
        mut push: impl FnMut(&Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if !is_header {
            push(&self.first)?;
        }
        self.ahead.iter().try_for_each(&mut push)?;
        let mut record = Record::default();
        while next(self.path, &mut self.records, &mut record)? {
            push(&record)?;
        }
        Ok(())
    }
}

fn positions(width: usize) -> Vec<String> {
    (0..width).map(|column| column.to_string()).collect()
}

/// Reads the next record; false at the end of the file.
fn next(
    path: &Path,
    records: &mut Records<Box<dyn BufRead>>,
    record: &mut Record,
) -> Result<bool, Error> {
    records.read(record).map_err(|error| match error {
        RecordError::Io(error) => Error::reading(path, &error),
        RecordError::OpenQuote(line) => Error::new(
            ErrorKind::Format,
            path,
            format!("line {line}: a quote is opened and never closed; add the closing one"),
        ),
    })
}
