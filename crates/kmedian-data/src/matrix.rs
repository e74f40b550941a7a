//! Square matrices of distances.

use std::path::Path;

use crate::advice::Advice;
use crate::error::{Error, ErrorKind};
use crate::points::{PointsOptions, read_points};

/// A square matrix of distances. Its entries are finite; whether they make a metric is not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct SquareMatrix {
    /// The number of rows, and of columns.
    pub n: usize,
    /// The entries, row after row.
    pub values: Vec<f32>,
    /// The names of the columns; positions where the file gives no names.
    pub columns: Vec<String>,
    /// The ids of the rows, if a column of ids was asked for.
    pub ids: Option<Vec<String>>,
    /// The format for people to read, for example `CSV (gzip)`.
    pub format: &'static str,
    /// What the user should know about the way the file was read.
    pub notes: Vec<String>,
}

/// Reads a square matrix of distances from a table of any format.
///
/// # Errors
///
/// The errors of [`read_points`]; also if the table is not square.
pub fn read_matrix(path: &Path, options: &PointsOptions) -> Result<SquareMatrix, Error> {
    let table = read_points(path, options)?;
    if table.rows != table.dims {
        return Err(Error::new(
            ErrorKind::Shape,
            path,
            format!("is no square matrix: it has {} rows and {} columns", table.rows, table.dims),
        )
        .advise(Advice::IdsOrPoints));
    }
    Ok(SquareMatrix {
        n: table.rows,
        values: table.values,
        columns: table.columns,
        ids: table.ids,
        format: table.format,
        notes: table.notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::sample;

    #[test]
    fn square_is_read_and_anything_else_refused() {
        let file = sample("d.txt", "0 1\n1 0\n");
        let matrix = read_matrix(&file.path, &PointsOptions::default()).unwrap();
        assert_eq!((matrix.n, matrix.values), (2, vec![0.0, 1.0, 1.0, 0.0]));
        let file = sample("d.txt", "0 1 2\n1 0 3\n");
        let error = read_matrix(&file.path, &PointsOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Shape);
        assert!(error.to_string().contains("2 rows and 3 columns"));
    }

    #[test]
    fn rows_may_be_labelled() {
        let file = sample("d.csv", "city,a,b\na,0,1\nb,1,0\n");
        let options = PointsOptions { id: Some("city".into()), ..PointsOptions::default() };
        let matrix = read_matrix(&file.path, &options).unwrap();
        assert_eq!(matrix.ids.unwrap(), ["a", "b"]);
        assert_eq!(matrix.columns, ["a", "b"]);
    }
}
