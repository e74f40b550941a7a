//! CSV, TSV and blank-separated text.

mod rows;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::path::Path;

use super::Header;
use super::header::judge;
use super::records::{Delimiter, Record, RecordError, Records};
use crate::columns::{Names, Want};
use crate::error::{Error, ErrorKind};
use crate::input::Input;
use crate::points::Points;
use rows::Rows;

/// Reads the wanted columns.
pub(crate) fn read(
    path: &Path,
    input: Input,
    delimiter: Delimiter,
    want: Want<'_>,
    header: Header,
) -> Result<Points, Error> {
    let format = format_name(delimiter, input.gzip);
    let mut source = Source { path, records: Records::new(input.reader, delimiter) };
    let Some(first) = source.next()? else {
        return Err(Error::new(ErrorKind::Empty, path, "has no rows"));
    };
    let second = source.next()?;
    let verdict = judge(&first, second.as_ref(), want, header);
    let names = column_names(&first, verdict.is_header);
    // A column without a name is the index that pandas writes, or the end of a trailing comma.
    let nameless = |column: usize| verdict.is_header && names[column].is_empty();
    let selection = want
        .resolve(&Names { path, names: &names, given: verdict.is_header }, |column| {
            !nameless(column)
        })?;
    let left_out = !selection.chosen && (0..names.len()).any(nameless);

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

/// The names on the header or, without one, the positions.
fn column_names(first: &Record, is_header: bool) -> Vec<String> {
    if is_header {
        first.cells().map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned()).collect()
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
