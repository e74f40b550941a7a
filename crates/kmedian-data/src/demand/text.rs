//! Counts the records of a private table that is text: CSV, TSV, or separated by blanks.

use std::path::Path;

use super::cell::Cell;
use super::names::trimmed;
use super::options::{DemandColumns, DemandOptions};
use super::records::{Found, HeaderFound, Record, Records};
use super::schema::{Cells, Schema};
use super::tally::Tally;
use crate::advice::Advice;
use crate::columns::{ColumnRef, Given, Names};
use crate::error::{Error, ErrorKind};
use crate::input::Input;

/// Separators that may have been meant, and their names in advice.
const SEPARATORS: [(u8, &str); 4] =
    [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab"), (b'|', "pipe")];

/// Counts the records of a private text file. If `tally` is `None`, only the header is read.
pub(crate) fn count(
    path: &Path,
    input: Input,
    (schema, cells): (&Schema, Cells),
    options: &DemandOptions,
    tally: Option<&mut Tally<'_>>,
) -> Result<DemandColumns, Error> {
    let reading = |error| Error::reading(path, &error);
    let mut records = Records::new(input.reader, cells);
    let mut record = Record::new();
    let (columns, width) = if schema.header {
        let found = records.read_header(&mut record).map_err(reading)?;
        let columns = columns(path, found, &record, options).map_err(|error| {
            let advice = advice(&input.head, input.gzip, cells, options);
            if error.kind() == ErrorKind::Column { error.advise(advice) } else { error }
        })?;
        (columns, Some(record.len()))
    } else {
        (options.positions(), None)
    };
    let Some(tally) = tally else { return Ok(columns) };
    loop {
        match records.read(&mut record).map_err(reading)? {
            Found::End => return Ok(columns),
            Found::TooLong => tally.add(None, Cell::Missing),
            // Without a header, no record says how many cells the others should have.
            Found::Record if width.is_some_and(|width| width != record.len()) => {
                tally.add(None, Cell::Missing);
            }
            Found::Record => {
                let unit = columns.unit.and_then(|unit| record.text(unit));
                if columns.snapped {
                    let place = columns.items.iter().map(|&at| record.number(at));
                    tally.add_place(place, unit.into());
                } else {
                    tally.add_cells(record.text(columns.key()).into(), unit.into());
                }
            }
        }
    }
}

/// The positions of the columns that are asked for, by the header. If the header is missing after
/// all, a private record is in its place, so no message repeats it.
fn columns(
    path: &Path,
    found: HeaderFound,
    header: &Record,
    options: &DemandOptions,
) -> Result<DemandColumns, Error> {
    let (kind, what) = match found {
        HeaderFound::Nothing => {
            (ErrorKind::Empty, "the file is empty; its first record should name the columns")
        }
        HeaderFound::NoLine => (
            ErrorKind::Format,
            "its first line is longer than a header, or holds a carriage return without a line feed, \
             which ends no line; if all lines end so, write them with line feeds",
        ),
        HeaderFound::OpenQuote => (
            ErrorKind::Format,
            "a quote is open at the end of its first line, which should name the columns; write the \
             header on one line",
        ),
        HeaderFound::Names => {
            let names = names(header);
            let columns = options.resolve(&Names { path, names: &names, given: Given::Private })?;
            let other = SEPARATORS.iter().find(|&&(byte, _)| {
                options.item_columns().is_empty() && names[columns.key()].contains(char::from(byte))
            });
            let Some((_, separator)) = other else { return Ok(columns) };
            let what = format!("the name of its only column holds a {separator}");
            let advice = Advice::SeparatorOrKey { separator, key: columns.key() };
            return Err(Error::new(ErrorKind::Format, path, what).advise(advice));
        }
    };
    Err(Error::new(kind, path, what))
}

fn names(header: &Record) -> Vec<String> {
    let cells = (0..header.len()).map(|place| header.cell(place).unwrap_or_default());
    let mut names: Vec<String> =
        cells.map(|cell| trimmed(&String::from_utf8_lossy(cell)).to_owned()).collect();
    // NumPy and others mark a header as a comment.
    if let Some(first) = names.first_mut()
        && let Some(name) = first.strip_prefix('#')
    {
        *first = trimmed(name).to_owned();
    }
    names
}

/// What to try if a header lacks a column: another separator under which it has the column, or a
/// file name that ends in `.gz`.
fn advice(head: &[u8], gzip: bool, cells: Cells, options: &DemandOptions) -> Advice {
    if !gzip && head.starts_with(&[0x1f, 0x8b]) {
        return Advice::GzipName;
    }
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let is_there = |separator: &dyn Fn(char) -> bool| {
        let mut wanted = options.references().filter_map(|column| match column {
            ColumnRef::Name(name) if column.position().is_none() => Some(name),
            _ => None,
        });
        let bare = |cell: &str| trimmed(trimmed(cell).trim_start_matches('#')).replace('"', "");
        let names: Vec<String> = line.split(separator).map(bare).collect();
        wanted.next().is_some()
            && options.references().all(|column| match column {
                ColumnRef::Name(name) if column.position().is_none() => names.contains(name),
                _ => true,
            })
    };
    for (separator, name) in SEPARATORS {
        let other = !matches!(cells, Cells::Quoted(now) | Cells::Lines(now) if now == separator);
        if other && is_there(&|c: char| c == char::from(separator)) {
            return Advice::Separator { name, as_csv: cells == Cells::Blanks };
        }
    }
    if cells != Cells::Blanks && is_there(&char::is_whitespace) {
        return Advice::TextWithHeader;
    }
    Advice::NoHeader
}
