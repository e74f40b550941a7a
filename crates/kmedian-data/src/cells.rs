//! Columns of a table as they are: numbers, texts and lists.

use std::path::Path;

use crate::columns::Want;
use crate::error::{Error, ErrorKind, quote};
use crate::number::{self, BadNumber};
use crate::points::{Points, PointsOptions};
use crate::table::read_cell_table;

/// A table whose columns may hold anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// The number of rows, at least 1.
    pub rows: usize,
    /// The columns, at least one.
    pub columns: Vec<CellColumn>,
    /// The ids of the rows, if a column of ids was asked for.
    pub ids: Option<Vec<String>>,
    /// The weights of the rows, if a column of weights was asked for.
    pub weights: Option<Vec<f64>>,
    /// The format for people to read, for example `CSV (gzip)`.
    pub format: &'static str,
    /// What the user should know about the way the file was read.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct CellColumn {
    /// What the column is called; its position if the file gives no names.
    pub name: String,
    /// What it holds, row after row.
    pub values: CellValues,
}

/// What a column holds, row after row.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValues {
    /// Finite numbers, of a file whose columns have types.
    Numbers(Vec<f64>),
    /// Texts, which may be empty and may look like numbers.
    Texts(Vec<String>),
    /// Lists, whose elements are texts.
    Lists(Vec<Vec<String>>),
}

/// Numbers or categories.
#[derive(Debug, Clone, PartialEq)]
pub enum Mixed {
    /// Finite numbers.
    Numbers(Vec<f64>),
    /// Categories, none of which is empty.
    Categories(Vec<String>),
}

/// Reads columns of a table, whatever they hold. By default all columns are read but those of ids,
/// weights and others; columns without a name are left out, as they are an index.
///
/// # Errors
///
/// If the file cannot be read or has no rows, if a text is not UTF-8, or if a value of a typed file
/// is missing.
pub fn read_cells(path: &Path, options: &PointsOptions) -> Result<Cells, Error> {
    read_cell_table(path, Want::Points(options), options.header, options.format)
}

impl CellColumn {
    /// The column as numbers, if all of its values are, or else as categories. If `categorical`, it
    /// is one of categories whatever it holds.
    ///
    /// # Errors
    /// If a value is missing, or if the column holds lists. `path` is for the message.
    pub fn mixed(self, path: &Path, categorical: bool) -> Result<Mixed, Error> {
        let name = quote(self.name.as_bytes());
        let fail = |what: String| Err(Error::new(ErrorKind::Value, path, what));
        let texts = match self.values {
            CellValues::Numbers(numbers) if categorical => {
                numbers.iter().map(f64::to_string).collect()
            }
            CellValues::Numbers(numbers) => return Ok(Mixed::Numbers(numbers)),
            CellValues::Texts(texts) => texts,
            CellValues::Lists(_) => {
                return fail(format!(
                    "column {name} holds lists, which are neither numbers nor categories; leave it out"
                ));
            }
        };
        let parsed = |text: &String| number::parse::<f64>(text.as_bytes());
        let gap = texts.iter().position(|text| parsed(text).is_err_and(BadNumber::is_gap));
        if let Some(row) = gap {
            return fail(format!(
                "row {}, column {name}: the value is missing; fill it in or remove the row",
                row + 1
            ));
        }
        if categorical || texts.iter().any(|text| parsed(text).is_err()) {
            return Ok(Mixed::Categories(texts));
        }
        Ok(Mixed::Numbers(texts.iter().filter_map(|text| parsed(text).ok()).collect()))
    }
}

/// The columns of an array of numbers.
pub(crate) fn of_points(points: Points) -> Cells {
    let Points { rows, dims, values, columns, ids, weights, format, notes, .. } = points;
    let column = |(at, name): (usize, String)| {
        let numbers = values[at..].iter().step_by(dims).map(|&value| f64::from(value)).collect();
        CellColumn { name, values: CellValues::Numbers(numbers) }
    };
    let columns = columns.into_iter().enumerate().map(column).collect();
    Cells { rows, columns, ids, weights, format, notes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::sample;

    fn read(content: impl AsRef<[u8]>, options: &PointsOptions) -> Result<Cells, Error> {
        read_cells(&sample("a.csv", content).path, options)
    }

    fn mixed(content: &str) -> Result<Vec<Mixed>, Error> {
        let cells = read(content, &PointsOptions::default())?;
        let path = Path::new("a.csv");
        cells.columns.into_iter().map(|column| column.mixed(path, false)).collect()
    }

    #[test]
    fn columns_are_read_as_they_are() {
        let options = PointsOptions {
            id: Some("id".into()),
            weight: Some("w".into()),
            ..PointsOptions::default()
        };
        let cells = read("id,name,w,age\na,\"x, y\",2,30\nb,,1,4e1\n", &options).unwrap();
        assert_eq!(cells.ids.as_deref(), Some(["a", "b"].map(String::from).as_slice()));
        assert_eq!(cells.weights, Some(vec![2.0, 1.0]));
        let texts = |values: &[&str]| {
            CellValues::Texts(values.iter().map(|&value| value.to_owned()).collect())
        };
        assert_eq!(cells.columns[0].values, texts(&["x, y", ""]));
        assert_eq!(cells.columns[1].values, texts(&["30", "4e1"]));
        let chosen =
            PointsOptions { columns: Some(vec!["age".into()]), ..PointsOptions::default() };
        let cells = read("id,name,w,age\na,x,2,30\nb,,1,4e1\n", &chosen).unwrap();
        assert_eq!((cells.columns.len(), cells.columns[0].name.as_str()), (1, "age"));
    }

    #[test]
    fn numbers_are_told_from_categories() {
        let red = ["red", "blue"].map(String::from).to_vec();
        let found = mixed("age,color\n3,red\n4.5,blue\n").unwrap();
        assert_eq!(found, [Mixed::Numbers(vec![3.0, 4.5]), Mixed::Categories(red)]);
        for gap in ["", "NA", "nan"] {
            let error = mixed(&format!("age,color\n3,red\n{gap},blue\n")).unwrap_err().to_string();
            assert!(error.contains("row 2, column `age`: the value is missing"), "{error}");
        }
        let error = mixed("age,color\n3,\n4,red\n").unwrap_err().to_string();
        assert!(error.contains("row 1, column `color`: the value is missing"), "{error}");
        let column = CellColumn { name: "zip".into(), values: CellValues::Numbers(vec![1.0]) };
        let zips = Mixed::Categories(vec!["1".into()]);
        assert_eq!(column.mixed(Path::new("a.csv"), true), Ok(zips));
    }

    #[test]
    fn text_that_is_not_utf8_is_refused() {
        let error = read(b"name\nok\n\xff\xfe\n", &PointsOptions::default()).unwrap_err();
        assert!(error.to_string().contains("line 3, column `name`: the text is not UTF-8"));
        let error = read("a,b\n1\n", &PointsOptions::default()).unwrap_err();
        assert!(error.to_string().contains("line 2 has 1 columns"), "{error}");
    }
}
