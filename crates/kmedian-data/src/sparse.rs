//! Sparse rows: SciPy's `.npz` and svmlight text.

mod npz;
mod svmlight;
mod zip;

use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::input::inner_extension;

/// A format of sparse rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SparseFormat {
    /// What `scipy.sparse.save_npz` writes of a CSR matrix.
    Npz,
    /// The text of svmlight and LIBSVM: a line for each row, with a label and `column:value`.
    Svmlight,
}

impl SparseFormat {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Npz, "npz"), (Self::Svmlight, "svmlight"), (Self::Svmlight, "libsvm")];

    /// The format that a file has by its name: `.npz`, `.svm`, `.svmlight` or `.libsvm`, which may
    /// be followed by `.gz`; `None` if the name tells of no sparse rows.
    pub fn of(path: &Path) -> Option<Self> {
        match inner_extension(path)?.as_str() {
            "npz" => Some(Self::Npz),
            "svm" | "svmlight" | "libsvm" => Some(Self::Svmlight),
            _ => None,
        }
    }
}

impl FromStr for SparseFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        crate::error::by_name(&Self::ALL, "format of sparse rows", text)
    }
}

/// Rows most of whose columns are zero, in compressed form (CSR).
#[derive(Debug, Clone, PartialEq)]
pub struct SparseRows {
    /// The number of columns.
    pub dims: usize,
    /// The entries of row i are those from `starts[i]` up to `starts[i + 1]`.
    pub starts: Vec<usize>,
    /// The column of each entry, below `dims`, in no particular order in its row.
    pub columns: Vec<u32>,
    /// The value of each entry. All are finite.
    pub values: Vec<f32>,
    /// The format for people to read.
    pub format: &'static str,
    /// What the user should know about the way the file was read.
    pub notes: Vec<String>,
}

impl SparseRows {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Reads sparse rows. None is made dense, and memory grows with the entries that are read, never
/// with what a header claims.
///
/// # Errors
///
/// If the file cannot be read, is not of the format, has no rows, has a negative column or the same
/// column twice in a row, or a value that is not a finite 32-bit number.
pub fn read_sparse(path: &Path, format: SparseFormat) -> Result<SparseRows, Error> {
    let rows = match format {
        SparseFormat::Npz => npz::read(path)?,
        SparseFormat::Svmlight => svmlight::read(path)?,
    };
    if rows.rows() == 0 {
        return Err(Error::new(ErrorKind::Empty, path, "has no rows"));
    }
    Ok(rows)
}

/// The number of columns that sparse rows of any length may have: 2²², four times as many as
/// scikit-learn's HashingVectorizer has. A list by columns takes 16 bytes for each, 64 MiB.
const COLUMNS_FOR_ALL: usize = 1 << 22;

/// How many columns there may be for each entry, if they are more than [`COLUMNS_FOR_ALL`]: more
/// lets a file of few bytes claim more memory, fewer refuses tables with many unused columns.
const COLUMNS_AN_ENTRY: usize = 16;

/// Refuses more columns than a file with this many entries can justify.
fn check_columns(path: &Path, dims: usize, entries: usize) -> Result<(), Error> {
    if dims <= COLUMNS_FOR_ALL || dims / COLUMNS_AN_ENTRY <= entries {
        return Ok(());
    }
    let what = format!(
        "has {dims} columns, more columns than its entries bear out; leave out those that are always zero"
    );
    Err(Error::new(ErrorKind::Shape, path, what))
}

/// Refuses a row that has a column twice.
fn check_distinct(columns: &[u32]) -> Result<(), String> {
    if columns.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let mut sorted = columns.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("has column {} twice; add them up", pair[0])),
        None => Ok(()),
    }
}
