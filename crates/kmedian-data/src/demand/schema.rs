//! How a private table is read: decided by options and by the file's name, never by what is in it.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::options::DemandOptions;
use crate::advice::{Advice, Part};
use crate::columns::ColumnRef;
use crate::error::{Error, ErrorKind, by_name, quote};
use crate::input::{extension, inner_extension};

/// A format of private tables, which also says what a record is.
///
/// It is given, or told by the name of the file, which is public. It is not guessed from the first
/// bytes: that would let the first record decide how all others are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DemandFormat {
    /// Cells are separated by commas, as in RFC 4180. A quoted cell may hold separators, doubled
    /// quotes and line breaks, so a record may have several lines.
    Csv,
    /// Like [`DemandFormat::Csv`], with tabs.
    Tsv,
    /// Cells are separated by commas, and every line is a record: a quote ends with its line at the
    /// latest. It is for files of programs that never quote, where a stray quote would swallow the
    /// lines after it.
    CsvLines,
    /// Like [`DemandFormat::CsvLines`], with tabs.
    TsvLines,
    /// Cells are separated by blanks. Every line is a record, unless it is blank or begins with
    /// `#`.
    Text,
    /// Apache Parquet; a row is a record.
    Parquet,
    /// NumPy's `.npy`; the first index counts records.
    Npy,
    /// The IDX format of MNIST; the first index counts records.
    Idx,
}

impl DemandFormat {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Csv, "csv"),
        (Self::Tsv, "tsv"),
        (Self::CsvLines, "csv-lines"),
        (Self::TsvLines, "tsv-lines"),
        (Self::Text, "text"),
        (Self::Parquet, "parquet"),
        (Self::Npy, "npy"),
        (Self::Idx, "idx"),
    ];

    /// The names of all formats, for a message.
    pub(crate) fn names() -> String {
        Self::ALL.map(|(_, name)| name).join(", ")
    }

    /// The format that the name of a file tells: that of `visits.csv.gz` is CSV. `None` if the
    /// extension is not known.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        // The files of MNIST, such as `t10k-labels-idx1-ubyte.gz`.
        if name.trim_end_matches(".gz").ends_with("-ubyte") {
            return Some(Self::Idx);
        }
        match inner_extension(path)?.as_str() {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "txt" | "text" | "dat" => Some(Self::Text),
            "parquet" | "pq" => Some(Self::Parquet),
            "npy" => Some(Self::Npy),
            "idx" => Some(Self::Idx),
            _ => None,
        }
    }

    /// Whether the format is text, which can be read from a pipe.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.separator().is_some() || self == Self::Text
    }

    /// The byte that separates cells by default; `None` for formats without one.
    fn separator(self) -> Option<u8> {
        match self {
            Self::Csv | Self::CsvLines => Some(b','),
            Self::Tsv | Self::TsvLines => Some(b'\t'),
            Self::Text | Self::Parquet | Self::Npy | Self::Idx => None,
        }
    }
}

impl fmt::Display for DemandFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Self::ALL[*self as usize];
        f.write_str(name)
    }
}

impl FromStr for DemandFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        by_name(&Self::ALL, "format of demand", text)
    }
}

/// How the cells of text are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cells {
    /// Cells are separated by this byte, with quotes that reach over lines.
    Quoted(u8),
    /// Cells are separated by this byte, line by line.
    Lines(u8),
    /// Cells are separated by blanks, line by line.
    Blanks,
}

/// All that is decided before a byte of the file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schema {
    pub(crate) format: DemandFormat,
    pub(crate) gzip: bool,
    /// How text is read; `None` for binary files.
    pub(crate) cells: Option<Cells>,
    /// Whether the first record of text names the columns.
    pub(crate) header: bool,
}

impl Schema {
    /// The schema that the options and the name of a file tell. The file is not opened.
    ///
    /// # Errors
    ///
    /// If they do not tell everything, or contradict each other.
    pub(crate) fn of(path: &Path, options: &DemandOptions) -> Result<Self, Error> {
        let refuse = |what: String| Error::new(ErrorKind::Format, path, what);
        let Some(format) = options.format.or_else(|| DemandFormat::of_name(path)) else {
            let what = "its name does not tell its format, and no record may";
            return Err(refuse(what.into()).advise(Advice::DemandFormat(DemandFormat::names())));
        };
        let gzip = matches!(extension(path).as_deref(), Some("gz" | "gzip"));
        if format == DemandFormat::Parquet && gzip {
            let what = "is Parquet inside gzip; decompress it first (Parquet compresses itself)";
            return Err(refuse(what.to_owned()));
        }
        if options.separator.is_some() && format.separator().is_none() {
            let what = format!("a separator is for csv and tsv, not for {format}");
            return Err(refuse(what).advise(Advice::NoSeparator));
        }
        if options.header.is_some() && !format.is_text() {
            let what = format!("a header is for text, and {format} has none");
            return Err(refuse(what).advise(Advice::LeaveHeaderOut));
        }
        let separator = options.separator.or(format.separator());
        let cells = match format {
            DemandFormat::Csv | DemandFormat::Tsv => separator.map(Cells::Quoted),
            DemandFormat::CsvLines | DemandFormat::TsvLines => separator.map(Cells::Lines),
            DemandFormat::Text => Some(Cells::Blanks),
            DemandFormat::Parquet | DemandFormat::Npy | DemandFormat::Idx => None,
        };
        let header = options.header.unwrap_or(format.separator().is_some()) && cells.is_some();
        let schema = Self { format, gzip, cells, header };
        if cells.is_some() && !header {
            schema.check_positions(path, options)?;
        }
        Ok(schema)
    }

    /// Refuses columns by name where there is no header. It does not look for the name on the first
    /// line, which is a private record.
    fn check_positions(&self, path: &Path, options: &DemandOptions) -> Result<(), Error> {
        let refuse = |what: String| Error::new(ErrorKind::Column, path, what);
        let format = self.format;
        let unit = options.unit.as_ref().map(|unit| (Part::Unit, &unit.column));
        let part = if options.places.is_empty() { Part::Key } else { Part::Coordinate };
        let items = options.item_columns().iter().map(|column| (part, column));
        for (part, column) in items.chain(unit) {
            if let (ColumnRef::Name(name), None) = (column, column.position()) {
                let name = quote(name.as_bytes());
                let what = format!(
                    "the column of {part}, {name}, is a name, but {format} is read without a header"
                );
                return Err(refuse(what).advise(Advice::PositionOrHeader));
            }
        }
        if options.item_columns().is_empty() {
            let what = format!(
                "{format} is read without a header, so nothing tells which column holds the keys"
            );
            return Err(refuse(what).advise(Advice::KeyPositionOrHeader));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(name: &str, options: &DemandOptions) -> Result<Schema, String> {
        Schema::of(Path::new(name), options).map_err(|error| error.to_string())
    }

    #[test]
    fn names_round_trip() {
        for (format, name) in DemandFormat::ALL {
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(format.to_string(), name);
        }
        assert!("xls".parse::<DemandFormat>().unwrap_err().ends_with("npy or idx"));
    }

    #[test]
    fn the_name_tells_format_and_compression() {
        let plain = DemandOptions { key: Some(0.into()), ..DemandOptions::default() };
        for (name, format, gzip, header) in [
            ("a.csv", DemandFormat::Csv, false, true),
            ("a.b.TSV.GZ", DemandFormat::Tsv, true, true),
            ("a.tab", DemandFormat::Tsv, false, true),
            ("a.txt", DemandFormat::Text, false, false),
            ("a.dat.gz", DemandFormat::Text, true, false),
            ("a.pq", DemandFormat::Parquet, false, false),
            ("a.npy.gz", DemandFormat::Npy, true, false),
            ("t10k-labels-idx1-ubyte.gz", DemandFormat::Idx, true, false),
        ] {
            let found = schema(name, &plain).unwrap();
            assert_eq!((found.format, found.gzip, found.header), (format, gzip, header), "{name}");
        }
        for name in ["a", "a.xls", "a.gz", "csv"] {
            assert!(schema(name, &plain).unwrap_err().contains("give its format"), "{name}");
        }
        assert!(schema("a.parquet.gz", &plain).unwrap_err().contains("decompress it first"));
    }

    #[test]
    fn options_come_before_the_name() {
        let options = DemandOptions {
            format: Some(DemandFormat::CsvLines),
            separator: Some(b';'),
            header: Some(false),
            key: Some("1".into()),
            ..DemandOptions::default()
        };
        let found = schema("a.npy", &options).unwrap();
        assert_eq!((found.cells, found.header), (Some(Cells::Lines(b';')), false));
        for (name, format) in [("a.txt", "text"), ("a.npy", "npy"), ("a.parquet", "parquet")] {
            let options = DemandOptions { format: None, ..options.clone() };
            let error = schema(name, &options).unwrap_err();
            assert!(error.contains("a separator is for csv and tsv"), "{error}");
            let options = DemandOptions { separator: None, header: Some(true), ..options };
            let text = format == "text";
            assert_eq!(schema(name, &options).is_ok(), text, "{name}");
        }
    }

    #[test]
    fn without_a_header_columns_are_positions() {
        let options = DemandOptions { header: Some(false), ..DemandOptions::default() };
        assert!(schema("a.csv", &options).unwrap_err().contains("give the position of the keys"));
        let named = DemandOptions { key: Some("stop".into()), ..options };
        let error = schema("a.csv", &named).unwrap_err();
        assert!(error.contains("the column of keys, `stop`, is a name"), "{error}");
        assert!(schema("a.txt", &DemandOptions { header: None, ..named }).is_err());
    }
}
