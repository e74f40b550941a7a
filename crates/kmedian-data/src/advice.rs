//! What to do about an error, as a value: callers word it with the names of their own options.

use std::fmt;

/// What to do about an [`Error`](crate::Error), as a value: a caller words it with the names of its
/// own options ([`Error::worded`](crate::Error::worded)). As text it names no option.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Choose the columns of coordinates.
    Columns,
    /// Choose other columns of coordinates.
    OtherColumns,
    /// A column of coordinates holds text: choose the numeric columns, or take this one as the
    /// names of the rows.
    ColumnsOrIds,
    /// Say which column holds the ids of a matrix, or read the table as points.
    IdsOrPoints,
    /// Read a public table as this format, or one of these, which the text lists.
    Format(&'static str),
    /// Give the file another name, or read it as this format.
    RenameOrFormat(&'static str),
    /// Choose another column for this part of a record.
    OtherColumn(Part),
    /// Say which column holds the keys of private records.
    NameKey,
    /// Say which format private records have; the text lists the names of all formats.
    DemandFormat(String),
    /// Give the position of a column from 0, or say that there is a header.
    PositionOrHeader,
    /// Give the position of the keys, or say that there is a header.
    KeyPositionOrHeader,
    /// Say that there is no header, and choose columns by position.
    NoHeader,
    /// Read private records as text, separated by blanks, with a header: the column is there then.
    TextWithHeader,
    /// Give this separator: the column is there then.
    Separator {
        /// The name of the separator, such as `semicolon`.
        name: &'static str,
        /// Whether the format must be given as csv too.
        as_csv: bool,
    },
    /// Give this separator if it separates columns, or else say that the keys are in this column.
    SeparatorOrKey {
        /// The name of the separator, such as `semicolon`.
        separator: &'static str,
        /// The position of the column of keys, from 0.
        key: usize,
    },
    /// Give no separator: the format has none to choose.
    NoSeparator,
    /// Do not say whether there is a header: the format has none.
    LeaveHeaderOut,
    /// Let the name of a compressed file end in `.gz`.
    GzipName,
    /// Write the table as another format, or take a build that reads and writes Parquet.
    NoParquet,
}

/// The part that a column plays in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The names of the rows.
    Id,
    /// The items that private records name.
    Key,
    /// The owners of private records.
    Unit,
    /// The raw coordinates of records.
    Coordinate,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id => "ids",
            Self::Key => "keys",
            Self::Unit => "units",
            Self::Coordinate => "coordinates",
        })
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns => write!(f, "choose columns of numbers"),
            Self::OtherColumns => write!(f, "choose other columns"),
            Self::ColumnsOrIds => {
                write!(f, "choose the numeric columns, or name rows by this one")
            }
            Self::IdsOrPoints => write!(f, "name a column of ids, or read it as points"),
            Self::Format(format) => write!(f, "try the format {format}"),
            Self::RenameOrFormat(format) => write!(f, "rename it, or choose the format {format}"),
            Self::OtherColumn(part) => write!(f, "choose another column of {part}"),
            Self::NameKey => write!(f, "name the column of the keys"),
            Self::DemandFormat(names) => write!(f, "give its format: {names}"),
            Self::PositionOrHeader => {
                write!(f, "choose by position from 0, or say that there is a header")
            }
            Self::KeyPositionOrHeader => {
                write!(f, "give the position of the keys from 0, or say that there is a header")
            }
            Self::NoHeader => write!(f, "if the file has no header, say so, and give positions"),
            Self::TextWithHeader => write!(f, "it is there if the file is text with a header"),
            Self::Separator { name, as_csv: true } => {
                write!(f, "it is there if the file is csv with the separator {name}")
            }
            Self::Separator { name, as_csv: false } => {
                write!(f, "it is there with the separator {name}")
            }
            Self::SeparatorOrKey { separator, key } => write!(
                f,
                "give the separator {separator} if that separates columns, or say that the keys are in column \
                 {key} if it does not"
            ),
            Self::NoSeparator | Self::LeaveHeaderOut => write!(f, "leave it out"),
            Self::GzipName => write!(f, "it looks like gzip: then let its name end in .gz"),
            Self::NoParquet => {
                write!(f, "take CSV or another format, or build with the feature `parquet`")
            }
        }
    }
}
