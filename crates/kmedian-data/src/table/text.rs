//! CSV, TSV and blank-separated text.

use std::io::BufRead;
use std::path::Path;

use super::Header;
use super::header::judge;
use super::records::{Delimiter, Record, RecordError, Records};
use crate::columns::{Names, Selection, Want};
use crate::error::{Error, ErrorKind, quote};
use crate::input::Input;
use crate::number::{self, BadNumber, check_weight};
use crate::points::Points;

/// Reads the wanted columns.
pub(crate) fn read(
    path: &Path,
    input: Input,
    delimiter: Delimiter,
    want: Want<'_>,
    header: Header,
) -> Result<Points, Error> {
    let format = format_name(delimiter, input.gzip);
    let mut source = Source {
        path,
        records: Records::new(input.reader, delimiter),
    };
    let Some(first) = source.next()? else {
        return Err(Error::new(ErrorKind::Empty, path, "has no rows"));
    };
    let second = source.next()?;
    let verdict = judge(&first, second.as_ref(), want, header);
    let names = column_names(&first, verdict.is_header);
    let selection = want.resolve(
        &Names {
            path,
            names: &names,
            given: verdict.is_header,
        },
        |_| true,
    )?;

    let mut rows = Rows::new(path, &names, first.len(), first.line, selection);
    if !verdict.is_header {
        rows.push(&first)?;
    }
    if let Some(mut record) = second {
        rows.push(&record)?;
        while source.read(&mut record)? {
            rows.push(&record)?;
        }
    }
    let mut points = rows.finish(format)?;
    points.notes.extend(verdict.note);
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

/// The names on the header or, without one, the positions.
fn column_names(first: &Record, is_header: bool) -> Vec<String> {
    if is_header {
        first
            .cells()
            .map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned())
            .collect()
    } else {
        (0..first.len()).map(|column| column.to_string()).collect()
    }
}

struct Source<'a, R> {
    path: &'a Path,
    records: Records<R>,
}

impl<R: BufRead> Source<'_, R> {
    fn read(&mut self, record: &mut Record) -> Result<bool, Error> {
        self.records.read(record).map_err(|error| match error {
            RecordError::Io(error) => Error::reading(self.path, &error),
            RecordError::OpenQuote(line) => Error::new(
                ErrorKind::Format,
                self.path,
                format!("line {line}: a quote is opened and never closed; add the closing one"),
            ),
        })
    }

    fn next(&mut self) -> Result<Option<Record>, Error> {
        let mut record = Record::default();
        Ok(self.read(&mut record)?.then_some(record))
    }
}

/// The rows read so far.
struct Rows<'a> {
    path: &'a Path,
    names: &'a [String],
    width: usize,
    first_line: usize,
    selection: Selection,
    rows: usize,
    values: Vec<f32>,
    ids: Vec<String>,
    weights: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(
        path: &'a Path,
        names: &'a [String],
        width: usize,
        first_line: usize,
        selection: Selection,
    ) -> Self {
        Self {
            path,
            names,
            width,
            first_line,
            selection,
            rows: 0,
            values: Vec::new(),
            ids: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn push(&mut self, record: &Record) -> Result<(), Error> {
        if record.len() != self.width {
            return Err(self.ragged(record));
        }
        for &column in &self.selection.features {
            match number::parse(record.cell(column)) {
                Ok(value) => self.values.push(value),
                Err(bad) => return Err(self.bad_value(record, column, bad)),
            }
        }
        if let Some(column) = self.selection.id {
            self.ids.push(self.id(record, column)?);
        }
        if let Some(column) = self.selection.weight {
            self.weights.push(self.weight(record, column)?);
        }
        self.rows += 1;
        Ok(())
    }

    fn id(&self, record: &Record, column: usize) -> Result<String, Error> {
        match std::str::from_utf8(record.cell(column)) {
            Ok(id) => Ok(id.trim().to_owned()),
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
            Err(bad) => bad.what(cell),
        };
        let message = format!("{problem}; weights are finite numbers from 0 up");
        Err(self.at(record, column, ErrorKind::Value, message))
    }

    fn bad_value(&self, record: &Record, column: usize, bad: BadNumber) -> Error {
        let cell = record.cell(column);
        let advice = bad.advice(cell, self.selection.text_advice());
        self.at(
            record,
            column,
            ErrorKind::Value,
            format!("{}; {advice}", bad.what(cell)),
        )
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
        Error::new(
            kind,
            self.path,
            format!("line {}, column {name}: {message}", record.line),
        )
    }

    fn finish(self, format: &'static str) -> Result<Points, Error> {
        if self.rows == 0 {
            return Err(Error::new(
                ErrorKind::Empty,
                self.path,
                "has a header but no rows",
            ));
        }
        Ok(Points {
            rows: self.rows,
            dims: self.selection.features.len(),
            values: self.values,
            columns: self
                .selection
                .features
                .iter()
                .map(|&c| self.names[c].clone())
                .collect(),
            ids: self.selection.id.map(|_| self.ids),
            weights: self.selection.weight.map(|_| self.weights),
            format,
            notes: Vec::new(),
        })
    }
}
