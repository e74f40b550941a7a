//! Weights from a file of their own.

use std::path::Path;

use crate::columns::{ColumnRef, Want};
use crate::error::Error;
use crate::table::{Header, read_table};

/// Reads one column of weights: the only column of the file, or the one that is named.
///
/// Any table format will do; whether a text file has a header is detected.
///
/// # Errors
///
/// The errors of [`read_points`](crate::read_points); also if the file has several columns and none
/// is named, or if a weight is negative, infinite or NaN.
pub fn read_weights(path: &Path, column: Option<&ColumnRef>) -> Result<Vec<f64>, Error> {
    let table = read_table(path, Want::Weights(column), Header::Auto, None)?;
    Ok(table.weights.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::input::testing::sample;

    #[test]
    fn one_column_or_a_named_one() {
        let one = sample("w.txt", "1\n0\n2.5\n");
        assert_eq!(read_weights(&one.path, None).unwrap(), [1.0, 0.0, 2.5]);
        let named = sample("w.csv", "weight\n1e39\n");
        assert_eq!(read_weights(&named.path, None).unwrap(), [1e39]);
        let many = sample("w.csv", "name,pop\nOslo,7\nRome,28\n");
        assert_eq!(read_weights(&many.path, Some(&"pop".into())).unwrap(), [7.0, 28.0]);
        let error = read_weights(&many.path, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Column);
        assert!(error.to_string().ends_with("the weights: `name`, `pop`"));
    }

    #[test]
    fn bad_weights_are_told_apart() {
        for (cell, what) in [
            ("-1", "the weight `-1` is negative"),
            ("nan", "`nan` is not a finite number"),
            ("inf", "`inf` is not a finite number"),
            ("abc", "`abc` is not a number"),
        ] {
            let file = sample("w.csv", format!("w\n1\n{cell}\n"));
            let error = read_weights(&file.path, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Value);
            assert!(error.to_string().contains(&format!("line 3, column `w`: {what}")), "{error}");
        }
    }
}
