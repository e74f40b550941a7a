//! Weights, and lists of items, from files of their own.

use std::io::BufRead;
use std::path::Path;

use crate::columns::{ColumnRef, Want};
use crate::error::Error;
use crate::input::Input;
use crate::table::{Header, TableFormat, is_plain_text, read_table};

/// Reads one column of weights: the only column of the file, or the one that is named.
///
/// Any table format will do; whether a text file has a header is detected.
///
/// # Errors
///
/// The errors of [`read_points`](crate::read_points); also if the file has several columns and none
/// is named, or if a weight is negative, infinite or NaN.
pub fn read_weights(path: &Path, column: Option<&ColumnRef>) -> Result<Vec<f64>, Error> {
    let table = read_table(path, Want::Weights(column), Header::Auto, None, None)?;
    Ok(table.weights.unwrap_or_default())
}

/// Reads one column as text: the only column of the file, or the one that is named. So items may be
/// listed, by their names or positions, and a column may say of each row yes or no.
///
/// # Errors
///
/// The errors of [`read_points`](crate::read_points); also if the file has several columns and none
/// is named.
pub fn read_names(
    path: &Path,
    column: Option<&ColumnRef>,
    header: Header,
    format: Option<TableFormat>,
) -> Result<Vec<String>, Error> {
    let table = read_table(path, Want::Names(column), header, format, None)?;
    Ok(table.ids.unwrap_or_default())
}

/// Reads a list of names: every line is one, whatever characters it has, without the white space
/// around it. Blank lines are passed over. `None` if the file is a table, by its name or its first
/// bytes.
///
/// # Errors
///
/// If the file cannot be read, is empty, or is of a kind that is not read.
pub fn read_lines(path: &Path) -> Result<Option<Vec<String>>, Error> {
    let input = Input::open(path)?;
    if !is_plain_text(path, &input)? {
        return Ok(None);
    }
    let mut lines = Vec::new();
    for line in input.reader.split(b'\n') {
        let line = line.map_err(|error| Error::reading(path, &error))?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.is_empty() {
            lines.push(line.to_owned());
        }
    }
    Ok(Some(lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::input::testing::sample;

    #[test]
    fn lines_are_names() {
        let list = sample("l.txt", "New York\r\n\n #1\n3, 4");
        let lines = read_lines(&list.path).unwrap().unwrap();
        assert_eq!(lines, ["New York", "#1", "3, 4"]);
        for (name, content) in [("l.csv", "a\n"), ("l.tsv", "a\n"), ("l", "PAR1....")] {
            assert_eq!(read_lines(&sample(name, content).path).unwrap(), None, "{name}");
        }
    }

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
    fn names_are_text() {
        let names = |file: &crate::input::testing::Sample, column: Option<&ColumnRef>| {
            read_names(&file.path, column, Header::Auto, None)
        };
        let list = sample("l.txt", "3\n12\n");
        assert_eq!(names(&list, None).unwrap(), ["3", "12"]);
        let named = sample("l.csv", "site\nOslo\nRome\n");
        assert_eq!(names(&named, Some(&"site".into())).unwrap(), ["Oslo", "Rome"]);
        let many = sample("l.csv", "x,open\n1,yes\n2,no\n");
        assert_eq!(names(&many, Some(&"open".into())).unwrap(), ["yes", "no"]);
        let error = names(&many, None).unwrap_err().to_string();
        assert!(error.ends_with("the items: `x`, `open`"), "{error}");
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
