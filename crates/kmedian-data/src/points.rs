//! Points: rows of numbers, perhaps with ids and weights.

use std::path::Path;

use crate::columns::{ColumnRef, Want};
use crate::error::{Error, list};
use crate::table::{Header, TableFormat, read_table};

/// Which columns of a table are points, ids and weights, and how the table is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointsOptions {
    /// The columns of coordinates, in this order; by default all but those of the ids and weights.
    ///
    /// By default, a column of text is left out with a note: in a text file one whose first cell
    /// that is no gap is text (in the first 64 rows), in a Parquet file one of that type. The index
    /// of a pandas frame is left out too: a column without a name, or one that is named
    /// `__index_level_0__`. Text further down in a column of numbers is an error, as it may be a
    /// mistyped number.
    pub columns: Option<Vec<ColumnRef>>,
    /// The column that names the rows. It may hold text.
    pub id: Option<ColumnRef>,
    /// The column of weights: finite numbers from 0 up.
    pub weight: Option<ColumnRef>,
    /// Further columns that are not read here, and left out of the coordinates by default.
    pub others: Vec<ColumnRef>,
    /// Whether the first line of a text file names the columns.
    pub header: Header,
    /// The format; by default what the content of the file tells.
    pub format: Option<TableFormat>,
    /// Whether the middle of a column is subtracted from it where 32 bits would otherwise lose
    /// digits, as [`centered`](crate::centered) does; by default not. Set it only for metrics that
    /// this does not change.
    pub center: bool,
    /// Whether rows with gaps are left out: with an empty cell, a marker such as `NA`, a null or a
    /// NaN in a column that is used. By default they are an error.
    pub skip_missing: bool,
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
    /// The names of columns that no option names, and that are no coordinates, as they hold text.
    pub passed_over: Vec<String>,
    /// The format for people to read, for example `CSV (gzip)`.
    pub format: &'static str,
    /// What the user should know about the way the file was read.
    pub notes: Vec<String>,
    /// The positions in the file, from 0, of the rows that were kept, if some were left out.
    pub kept: Option<Vec<usize>>,
}

impl Points {
    /// Adds that columns of these names were left out, as they hold text.
    pub(crate) fn pass_over(&mut self, names: Vec<String>) {
        if !names.is_empty() {
            self.notes.push(format!("left out, as they are no coordinates: {}", list(&names)));
        }
        self.passed_over = names;
    }
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
    read_table(path, Want::Points(options), options.header, options.format, None)
}

/// What is said of rows with gaps that were left out, if there are any, and the rows that were
/// kept.
pub(crate) fn left_out(
    read: usize,
    rows: usize,
    kept: Vec<usize>,
) -> (Vec<String>, Option<Vec<usize>>) {
    if read == rows {
        return (Vec::new(), None);
    }
    let note = format!("{} of {read} rows were left out, as they have gaps", read - rows);
    (vec![note], Some(kept))
}

/// Reads one column of a table as text, whatever it holds: cells that are missing are empty, and
/// bytes that are not UTF-8 are replaced. `options` say how the table is read.
///
/// # Errors
///
/// If the file cannot be read, has no rows, or has no such column.
pub fn read_texts(
    path: &Path,
    column: &ColumnRef,
    options: &PointsOptions,
) -> Result<Vec<String>, Error> {
    let table = read_table(path, Want::Texts(column), options.header, options.format, None)?;
    Ok(table.ids.unwrap_or_default())
}

/// A public table of demand: rows that name items.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyed {
    /// The item that each row names.
    pub keys: Vec<String>,
    /// How much each row counts; `None` if there is no such column, and each counts once.
    pub counts: Option<Vec<f64>>,
}

/// Reads a public table whose rows name items: the column of keys (by default the only one that is
/// not that of the counts), and a column of counts, if there is one.
///
/// # Errors
///
/// If the file cannot be read, has no rows or no such columns, or if a count is no finite number
/// from 0 up.
pub fn read_keyed(
    path: &Path,
    key: Option<&ColumnRef>,
    count: Option<&ColumnRef>,
) -> Result<Keyed, Error> {
    let table = read_table(path, Want::Keyed { key, count }, Header::Auto, None, None)?;
    Ok(Keyed { keys: table.ids.unwrap_or_default(), counts: table.weights })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::input::testing::sample;

    #[test]
    fn text_columns_are_passed_over() {
        let file = sample("a.csv", "name,lat,when,lon\na,1,2024-01-01,2\nb,3,2024-01-02,4\n");
        let points = read_points(&file.path, &PointsOptions::default()).unwrap();
        assert_eq!(
            (points.columns, points.values),
            (vec!["lat".into(), "lon".into()], vec![1.0, 2.0, 3.0, 4.0])
        );
        assert_eq!(points.notes, ["left out, as they are no coordinates: `name`, `when`"]);
        // An item without a name, or a few of them, do not make coordinates of the names.
        let rows = |nameless: usize| "NA,1\n,1\n".repeat(nameless / 2) + "a,1\nb,1\n,1\n";
        for header in ["name,x\n", ""] {
            let file = sample("a.csv", header.to_owned() + &rows(60));
            let points = read_points(&file.path, &PointsOptions::default()).unwrap();
            assert_eq!((points.rows, points.dims), (63, 1));
            assert!(points.notes[0].starts_with("left out, as they are no coordinates: "));
            let file = sample("a.csv", header.to_owned() + &rows(200));
            let error = read_points(&file.path, &PointsOptions::default()).unwrap_err();
            assert!(error.to_string().contains("`NA` marks a missing value"), "{error}");
        }
        // A decimal comma, and text further down, are mistakes.
        for content in ["x;y\n1,5;2\n", "x;y\n1;2\n1;2\n1;b\n", "x;y\na;b\n"] {
            let file = sample("a.csv", content);
            assert!(read_points(&file.path, &PointsOptions::default()).is_err(), "{content}");
        }
    }

    #[test]
    fn rows_with_gaps_can_be_left_out() {
        let file =
            sample("a.csv", "id,x,y,w\na,1,2,1\nb,,2,1\nc,NA,2,1\nd,3,nan,1\ne,5,6,\nf,7,8,2\n");
        let plain = PointsOptions {
            id: Some("id".into()),
            weight: Some("w".into()),
            ..PointsOptions::default()
        };
        assert_eq!(read_points(&file.path, &plain).unwrap_err().kind(), ErrorKind::Value);
        let points =
            read_points(&file.path, &PointsOptions { skip_missing: true, ..plain }).unwrap();
        assert_eq!((points.rows, points.kept), (2, Some(vec![0, 5])));
        assert_eq!(points.values, [1.0, 2.0, 7.0, 8.0]);
        assert_eq!(points.ids.unwrap(), ["a", "f"]);
        assert_eq!(points.weights.unwrap(), [1.0, 2.0]);
        assert_eq!(points.notes, ["4 of 6 rows were left out, as they have gaps"]);
        let file = sample("a.csv", "x\nNA\n");
        let options = PointsOptions { skip_missing: true, ..PointsOptions::default() };
        assert_eq!(read_points(&file.path, &options).unwrap_err().kind(), ErrorKind::Empty);
    }

    #[test]
    fn keyed_tables_and_columns_of_text() {
        let file = sample("a.csv", "stop,n,note\nx,2,\ny,3,b\nx,1,c\n");
        let keyed = read_keyed(&file.path, Some(&"stop".into()), Some(&"n".into())).unwrap();
        assert_eq!(
            (keyed.keys, keyed.counts),
            (vec!["x".into(), "y".into(), "x".into()], Some(vec![2.0, 3.0, 1.0]))
        );
        assert_eq!(read_keyed(&file.path, Some(&"stop".into()), None).unwrap().counts, None);
        assert_eq!(
            read_keyed(&file.path, None, Some(&"n".into())).unwrap_err().kind(),
            ErrorKind::Column
        );
        let texts = read_texts(&file.path, &"note".into(), &PointsOptions::default()).unwrap();
        assert_eq!(texts, ["", "b", "c"]);
    }
}
