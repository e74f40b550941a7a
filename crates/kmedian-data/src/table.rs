//! Tables of any format: the format is detected, and each has its own reader.

mod decode;
mod detect;
mod element;
mod header;
mod idx;
#[cfg(not(feature = "parquet"))]
mod no_parquet;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
mod text;

use std::path::Path;
use std::str::FromStr;
use std::{fmt, fs, io};

use crate::advice::Advice;
use crate::cells::{Cells, of_points};
use crate::columns::Want;
use crate::demand::{DemandColumns, DemandFormat, DemandOptions, Schema, Tally, count_text};
use crate::error::{Error, ErrorKind};
use crate::input::{Input, is_standard_input};
use crate::parts::Parts;
use crate::points::Points;
pub(crate) use decode::Array;
pub(crate) use detect::is_plain_text;
use detect::{Layout, detect};
#[cfg(not(feature = "parquet"))]
use no_parquet as parquet;
pub(crate) use npy::array_header;

/// A table format, to override what the name and the content of a file suggest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// Text whose cells are separated by commas, or by semicolons or tabs if the first line has
    /// more of these.
    Csv,
    /// Text whose cells are separated by tabs.
    Tsv,
    /// Text whose cells are separated by blanks. Lines that begin with `#` are comments.
    Text,
    /// Apache Parquet.
    Parquet,
    /// An array of NumPy, `.npy`.
    Npy,
    /// The IDX format of MNIST.
    Idx,
}

impl TableFormat {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Csv, "csv"),
        (Self::Tsv, "tsv"),
        (Self::Text, "text"),
        (Self::Parquet, "parquet"),
        (Self::Npy, "npy"),
        (Self::Idx, "idx"),
    ];
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Self::ALL[*self as usize];
        f.write_str(name)
    }
}

impl FromStr for TableFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        crate::error::by_name(&Self::ALL, "table format", text)
    }
}

/// Whether the first line of a text table names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Header {
    /// Decide by the first two lines.
    ///
    /// The first line is a header if a column is asked for by a name that is on it, if some column
    /// has text on the first line and a number on the second, or if it holds only text. Empty
    /// cells, `nan`, `inf` and markers such as `NA` do not count as text, but as bad numbers. An
    /// empty cell followed by 0, 1, 2, … is a header too, as pandas writes it.
    #[default]
    Auto,
    /// The first line names the columns.
    Yes,
    /// The first line is data.
    No,
}

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [(Self::Auto, "auto"), (Self::Yes, "yes"), (Self::No, "no")];
        crate::error::by_name(&all, "answer", text)
    }
}

/// Reads what is wanted from a table of any format.
pub(crate) fn read_table(
    path: &Path,
    want: Want<'_>,
    header: Header,
    format: Option<TableFormat>,
    parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    let mut input = Input::open(path)?;
    let notes = std::mem::take(&mut input.notes);
    let mut points = match detect(path, &input, format)? {
        Layout::Text(delimiter) => text::read(path, input, delimiter, want, header, parts)?,
        Layout::Parquet => parquet::read(path, want, parts)?,
        Layout::Npy => npy::read(path, input, want, parts)?,
        Layout::Idx => idx::read(path, input, want, parts)?,
    };
    points.notes.splice(0..0, notes);
    Ok(points)
}

/// The number of rows of a table, if its format says it without being read.
pub(crate) fn count_rows(path: &Path, format: Option<TableFormat>) -> Result<Option<u64>, Error> {
    let input = Input::open(path)?;
    match detect(path, &input, format)? {
        Layout::Parquet => parquet::count_rows(path).map(Some),
        Layout::Npy => npy::count_rows(path, input).map(Some),
        Layout::Text(_) | Layout::Idx => Ok(None),
    }
}

/// Reads columns of a table of any format, whatever they hold.
pub(crate) fn read_cell_table(
    path: &Path,
    want: Want<'_>,
    header: Header,
    format: Option<TableFormat>,
) -> Result<Cells, Error> {
    let mut input = Input::open(path)?;
    let notes = std::mem::take(&mut input.notes);
    let mut cells = match detect(path, &input, format)? {
        Layout::Text(delimiter) => text::read_cells(path, input, delimiter, want, header)?,
        Layout::Parquet => parquet::read_cells(path, want)?,
        Layout::Npy => of_points(npy::read(path, input, want, None)?),
        Layout::Idx => of_points(idx::read(path, input, want, None)?),
    };
    cells.notes.splice(0..0, notes);
    Ok(cells)
}

/// Counts the records of a private table of any format, as a stream: the table need not fit into
/// memory. If `tally` is `None`, only the layout is checked.
pub(crate) fn count_table(
    path: &Path,
    options: &DemandOptions,
    tally: Option<&mut Tally<'_>>,
) -> Result<(Schema, DemandColumns), Error> {
    let reading = |error: io::Error| Error::reading(path, &error);
    if !is_standard_input(path) && fs::metadata(path).map_err(reading)?.is_dir() {
        return Err(reading(io::ErrorKind::IsADirectory.into()));
    }
    let schema = Schema::of(path, options)?;
    let columns = match (schema.cells, schema.format) {
        (_, DemandFormat::Parquet) => parquet::count(path, options, tally),
        (Some(cells), _) => {
            let input = Input::open_as(path, schema.gzip)?;
            count_text(path, input, (&schema, cells), options, tally)
        }
        (None, DemandFormat::Npy) => {
            npy::count(path, open_array(path, &schema, TableFormat::Npy)?, options, tally)
        }
        (None, _) => idx::count(path, open_array(path, &schema, TableFormat::Idx)?, options, tally),
    }?;
    Ok((schema, columns))
}

/// Opens a private array, and checks the bytes that it begins with. These belong to the format, not
/// to a record, so they are public.
fn open_array(path: &Path, schema: &Schema, format: TableFormat) -> Result<Input, Error> {
    let input = Input::open_as(path, schema.gzip)?;
    if detect::begins_as(format, &input.head) {
        return Ok(input);
    }
    let wrong = Error::new(ErrorKind::Format, path, format!("does not begin as {format} does"));
    Err(wrong.advise(Advice::DemandFormat(DemandFormat::names())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_names_round_trip() {
        for (format, name) in TableFormat::ALL {
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(format.to_string(), name);
        }
        assert!("xls".parse::<TableFormat>().unwrap_err().ends_with("npy or idx"));
    }
}
