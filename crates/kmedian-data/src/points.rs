//! Points: rows of numbers, perhaps with ids and weights.

use std::path::Path;

use crate::columns::{ColumnRef, Want};
use crate::error::Error;
use crate::table::{Header, TableFormat, read_table};

/// Which columns of a table are points, ids and weights, and how the table is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointsOptions {
    /// The columns of coordinates, in this order; by default all but those of the ids and weights.
    ///
    /// By default, a column of text is an error in a text file, where it may be a mistyped number.
    /// In a Parquet file, where types are certain, it is left out with a note. The index of a
    /// pandas frame is left out too: a column without a name, or one that is named
    /// `__index_level_0__`.
    pub columns: Option<Vec<ColumnRef>>,
    /// The column that names the rows. It may hold text.
    pub id: Option<ColumnRef>,
    /// The column of weights: finite numbers from 0 up.
    pub weight: Option<ColumnRef>,
    /// Whether the first line of a text file names the columns.
    pub header: Header,
    /// The format; by default what the content of the file tells.
    pub format: Option<TableFormat>,
    /// Whether the middle of a column is subtracted from it where 32 bits would otherwise lose
    /// digits, as [`centered`](crate::centered) does; by default not. Set it only for metrics that
    /// this does not change.
    pub center: bool,
}

/// A table of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// The number of points, at least 1.
    pub rows: usize,
    /// The number of coordinates of each point, at least 1.
    pub dims: usize,
    /// The coordinates, row after row, less the offsets of their columns. All are finite.
    pub values: Vec<f32>,
    /// What was subtracted from each column: zero, unless [`PointsOptions::center`] asked for it
    /// and 32 bits would have lost digits.
    pub offsets: Vec<f64>,
    /// How many distinct rows were lost by rounding to 32 bits: their number in 64 bits less that
    /// in 32 bits.
    pub merged: usize,
    /// The names of the coordinates; positions where the file gives no names.
    pub columns: Vec<String>,
    /// The ids of the points, if a column of ids was asked for.
    pub ids: Option<Vec<String>>,
    /// The weights of the points, if a column of weights was asked for.
    pub weights: Option<Vec<f64>>,
    /// The format for people to read, for example `CSV (gzip)`.
    pub format: &'static str,
    /// What the user should know about the way the file was read.
    pub notes: Vec<String>,
}

/// Reads a table of points.
///
/// Text formats (CSV, TSV, blank-separated), `.npy` and IDX may be gzipped. The content decides the
/// format; an extension that contradicts it is an error, unless `options.format` is given.
///
/// - A list column of a Parquet file gives several coordinates, `name[0]`, `name[1]`, …
/// - An array of one dimension is one column; one of more than two is flattened to rows.
/// - Lines that begin with `#` are comments in blank-separated text only.
///
/// # Errors
///
/// If the file cannot be read, has no rows, or holds anything but finite numbers in the chosen
/// columns. See [`ErrorKind`](crate::ErrorKind).
pub fn read_points(path: &Path, options: &PointsOptions) -> Result<Points, Error> {
    read_table(path, Want::Points(options), options.header, options.format)
}
