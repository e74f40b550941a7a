//! Writes tables, in the format that the file's name asks for.

mod atomic;
#[cfg(feature = "parquet")]
mod parquet;
mod reserved;
mod temporary;
mod text;

use std::fs;
use std::path::Path;

pub use atomic::write_atomically;
pub use reserved::ReservedFile;

#[cfg(feature = "parquet")]
use crate::error::one_line;
use crate::error::{Error, ErrorKind, quote};
use crate::input::extension;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Floats. JSON has no infinity and no NaN: there they are written as `null`.
    Numbers(Vec<f64>),
    /// Text.
    Text(Vec<String>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name, unique in its table.
    pub name: String,
    /// The values: all columns of a table have equally many.
    pub values: Values,
}

/// The format of a table that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Csv,
    Tsv,
    Parquet,
    Json,
}

impl Output {
    fn of(path: &Path) -> Result<Self, Error> {
        let extension = extension(path).unwrap_or_default();
        match extension.as_str() {
            "csv" => Ok(Self::Csv),
            "tsv" => Ok(Self::Tsv),
            "parquet" => Ok(Self::Parquet),
            "json" => Ok(Self::Json),
            _ => {
                let problem = if extension.is_empty() {
                    "has no extension".to_owned()
                } else {
                    format!(
                        "tables are not written as {}",
                        quote(format!(".{extension}").as_bytes())
                    )
                };
                let what = format!("{problem}; end the name with .csv, .tsv, .parquet or .json");
                Err(Error::new(ErrorKind::Write, path, what))
            }
        }
    }
}

/// Writes a table in the format of the extension: `.csv`, `.tsv`, `.parquet`, or `.json` for an
/// array of objects. The file appears only when it is complete.
///
/// # Errors
///
/// If the extension is none of these; if there are no columns, or they differ in length or share a
/// name; or if the file cannot be written.
pub fn write_table(path: &Path, columns: &[Column]) -> Result<(), Error> {
    let output = Output::of(path)?;
    let rows = check_columns(path, columns)?;
    match output {
        Output::Csv => {
            write_atomically(path, |out| text::write_delimited(out, columns, rows, b','))
        }
        Output::Tsv => {
            write_atomically(path, |out| text::write_delimited(out, columns, rows, b'\t'))
        }
        Output::Json => write_atomically(path, |out| text::write_json(out, columns, rows)),
        #[cfg(not(feature = "parquet"))]
        Output::Parquet => {
            let what = "Parquet was left out of this build; name a .csv, .tsv or .json, or build \
                        with the feature `parquet`";
            Err(Error::new(ErrorKind::Write, path, what))
        }
        #[cfg(feature = "parquet")]
        Output::Parquet => {
            let bytes = parquet::encode(columns).map_err(|error| {
                let what = format!("cannot be written: {}", one_line(&error.to_string(), 200));
                Error::new(ErrorKind::Write, path, what)
            })?;
            write_atomically(path, |out| out.write_all(&bytes))
        }
    }
}

fn check_columns(path: &Path, columns: &[Column]) -> Result<usize, Error> {
    let fail = |what: String| Err(Error::new(ErrorKind::Shape, path, what));
    let Some(first) = columns.first() else {
        return fail("a table needs at least one column".to_owned());
    };
    let rows = first.values.len();
    for (position, column) in columns.iter().enumerate() {
        let name = quote(column.name.as_bytes());
        if column.values.len() != rows {
            let found = column.values.len();
            let first = quote(first.name.as_bytes());
            return fail(format!("column {name} has {found} values, but {first} has {rows}"));
        }
        if columns[..position].iter().any(|other| other.name == column.name) {
            return fail(format!("two columns are named {name}"));
        }
    }
    Ok(rows)
}

/// Checks that [`write_table`] could write to `path`: that it knows the extension, and that the
/// folder exists and lets files be created. Call it before hours of work, not after.
///
/// # Errors
///
/// If the table could not be written.
pub fn check_table_path(path: &Path) -> Result<(), Error> {
    Output::of(path)?;
    check_output_path(path)
}

/// Checks that [`write_atomically`] could write to `path`: that the folder exists and lets files be
/// created.
///
/// # Errors
///
/// If the file could not be written.
pub fn check_output_path(path: &Path) -> Result<(), Error> {
    let fail = |what: String| Err(Error::new(ErrorKind::Write, path, what));
    if path.is_dir() {
        return fail("is a folder; name a file in it".to_owned());
    }
    let folder = atomic::folder_of(path);
    match fs::metadata(folder) {
        Err(_) => {
            return fail(format!("the folder {} does not exist; create it first", shown(folder)));
        }
        Ok(data) if !data.is_dir() => return fail(format!("{} is no folder", shown(folder))),
        Ok(_) => {}
    }
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => fail(format!("no file can be created in {}: {error}", shown(folder))),
    }
}

fn shown(folder: &Path) -> String {
    format!("`{}`", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PointsOptions, read_points};

    fn table() -> Vec<Column> {
        let column = |name: &str, values| Column { name: name.to_owned(), values };
        vec![
            column("id", Values::Text(vec!["a,\"b\"\tc".into(), "Zürich\n".into()])),
            column("cluster", Values::Integers(vec![-1, i64::MAX])),
            column("distance", Values::Numbers(vec![0.1, 1e300])),
        ]
    }

    fn written(name: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_table(&path, &table()).unwrap();
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn csv_and_tsv_quote_what_they_must() {
        let csv = "id,cluster,distance\n\"a,\"\"b\"\"\tc\",-1,0.1\n\"Zürich\n\",9223372036854775807,1e300\n";
        assert_eq!(written("t.csv"), csv);
        assert!(written("t.tsv").starts_with("id\tcluster\tdistance\n\"a,"));
    }

    #[test]
    fn json_is_an_array_of_objects() {
        let json = "[\n{\"id\":\"a,\\\"b\\\"\\tc\",\"cluster\":-1,\"distance\":0.1},\n\
                    {\"id\":\"Zürich\\n\",\"cluster\":9223372036854775807,\"distance\":1e300}\n]\n";
        assert_eq!(written("t.json"), json);
    }

    #[test]
    fn parquet_and_csv_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = table();
        table[2].values = Values::Numbers(vec![0.5, 2.0]);
        table[1].values = Values::Integers(vec![3, 4]);
        for name in ["t.parquet", "t.csv", "t.tsv"] {
            let path = folder.path().join(name);
            write_table(&path, &table).unwrap();
            let options = PointsOptions { id: Some("id".into()), ..PointsOptions::default() };
            let points = read_points(&path, &options).unwrap();
            assert_eq!(points.values, [3.0, 0.5, 4.0, 2.0]);
            assert_eq!(points.ids.unwrap()[0], "a,\"b\"\tc");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        assert_eq!(write_table(&path, &[]).unwrap_err().kind(), ErrorKind::Shape);
        let mut uneven = table();
        uneven[1].values = Values::Integers(vec![1]);
        let error = write_table(&path, &uneven).unwrap_err();
        assert!(error.to_string().contains("column `cluster` has 1 values, but `id` has 2"));
        let mut twice = table();
        twice[1].name = "id".to_owned();
        assert!(write_table(&path, &twice).unwrap_err().to_string().contains("two columns"));
        assert!(!path.exists());
    }

    #[test]
    fn a_bad_path_is_refused_beforehand() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str| check_table_path(&folder.path().join(name));
        assert_eq!(check("t.csv"), Ok(()));
        assert_eq!(check_table_path(Path::new("t.json")), Ok(()));
        for (name, what) in [
            ("t.xlsx", "tables are not written as `.xlsx`; end the name with .csv, .tsv"),
            ("t", "has no extension"),
            ("no/t.csv", "does not exist"),
        ] {
            let error = check(name).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Write);
            assert!(error.to_string().contains(what), "{error}");
        }
        fs::create_dir(folder.path().join("d.csv")).unwrap();
        assert!(check("d.csv").unwrap_err().to_string().contains("is a folder"));
        fs::write(folder.path().join("f"), "").unwrap();
        assert!(check("f/t.csv").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
