//! Writes tables, in the format that the file's name asks for.

mod atomic;
#[cfg(feature = "parquet")]
mod parquet;
mod reserved;
mod temporary;
mod text;

use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

#[cfg(feature = "parquet")]
use ::parquet::errors::ParquetError;

pub use atomic::write_atomically;
pub use reserved::ReservedFile;

#[cfg(not(feature = "parquet"))]
use crate::advice::Advice;
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
    #[cfg(feature = "parquet")]
    Parquet,
    Json,
}

impl Output {
    fn of(path: &Path) -> Result<Self, Error> {
        let extension = extension(path).unwrap_or_default();
        match extension.as_str() {
            "csv" => Ok(Self::Csv),
            "tsv" => Ok(Self::Tsv),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Self::Parquet),
            #[cfg(not(feature = "parquet"))]
            "parquet" => {
                let what = "Parquet was left out of this build";
                Err(Error::new(ErrorKind::Write, path, what).advise(Advice::NoParquet))
            }
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
    Output::of(path)?;
    check_columns(path, columns)?;
    write_table_in_parts(path, std::iter::once(Ok(columns.to_vec())))
}

/// Writes a table part after part, in the format of the extension: see [`write_table`]. All parts
/// have the same columns. The file appears only when it is complete; if a part is an error, there
/// is no file, and the error is returned.
///
/// # Errors
///
/// If the extension is not known, if a part is an error or has other columns than the first, or if
/// the file cannot be written.
pub fn write_table_in_parts<E: From<Error>>(
    path: &Path,
    parts: impl Iterator<Item = Result<Vec<Column>, E>>,
) -> Result<(), E> {
    let output = Output::of(path)?;
    let failed = RefCell::new(None);
    let mut parts = parts.map_while(|part| part.map_err(|error| failed.replace(Some(error))).ok());
    let written = write_atomically(path, |out| {
        let done = write_parts(path, output, out, &mut parts);
        // What a part says is the error, not that its file could not be written.
        if failed.borrow().is_some() { Err(io::Error::other("a part is missing")) } else { done }
    });
    match failed.take() {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

/// A table that is being written.
enum Table<'a> {
    Delimited(&'a mut dyn Write, u8),
    /// With whether there are rows before.
    Json(&'a mut dyn Write, bool),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Writer<&'a mut (dyn Write + Send)>>),
}

impl<'a> Table<'a> {
    fn new(
        output: Output,
        out: &'a mut (dyn Write + Send),
        columns: &[Column],
    ) -> io::Result<Self> {
        let delimiter = if output == Output::Tsv { b'\t' } else { b',' };
        match output {
            Output::Csv | Output::Tsv => {
                text::write_header(out, columns, delimiter)?;
                Ok(Self::Delimited(out, delimiter))
            }
            Output::Json => {
                out.write_all(b"[")?;
                Ok(Self::Json(out, false))
            }
            #[cfg(feature = "parquet")]
            Output::Parquet => {
                let writer = parquet::Writer::new(out, columns).map_err(|error| wrong(&error))?;
                Ok(Self::Parquet(Box::new(writer)))
            }
        }
    }

    fn write(&mut self, columns: &[Column], rows: usize) -> io::Result<()> {
        match self {
            Self::Delimited(out, delimiter) => text::write_rows(*out, columns, rows, *delimiter),
            Self::Json(out, begun) => {
                text::write_objects(*out, columns, rows, !*begun)?;
                *begun |= rows > 0;
                Ok(())
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.write(columns).map_err(|error| wrong(&error)),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Delimited(..) => Ok(()),
            Self::Json(out, _) => out.write_all(b"\n]\n"),
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.finish().map_err(|error| wrong(&error)),
        }
    }
}

fn write_parts(
    path: &Path,
    output: Output,
    out: &mut (dyn Write + Send),
    parts: &mut dyn Iterator<Item = Vec<Column>>,
) -> io::Result<()> {
    let Some(first) = parts.next() else { return Ok(()) };
    let mut table = Table::new(output, out, &first)?;
    let names = |columns: &[Column]| -> Vec<String> {
        columns.iter().map(|column| column.name.clone()).collect()
    };
    let wanted = names(&first);
    for part in std::iter::once(first).chain(parts) {
        let rows = check_columns(path, &part).map_err(io::Error::other)?;
        if names(&part) != wanted {
            return Err(io::Error::other("two parts of a table have different columns"));
        }
        table.write(&part, rows)?;
    }
    table.finish()
}

/// What the Parquet library says, on one line.
#[cfg(feature = "parquet")]
fn wrong(error: &ParquetError) -> io::Error {
    io::Error::other(one_line(&error.to_string(), 200))
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
    fn parts_are_written_as_one_table_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let part = |from: i64| {
            vec![Column { name: "x".to_owned(), values: Values::Integers(vec![from, from + 1]) }]
        };
        for name in ["t.csv", "t.tsv", "t.json", "t.parquet"] {
            let [whole, parts, none] =
                ["whole", "parts", "none"].map(|of| folder.path().join(format!("{of}{name}")));
            let both = Values::Integers(vec![1, 2, 3, 4]);
            write_table(&whole, &[Column { name: "x".to_owned(), values: both }]).unwrap();
            let given = [part(1), part(3)].into_iter().map(Ok::<_, Error>);
            write_table_in_parts(&parts, given).unwrap();
            if name == "t.parquet" {
                let read = |path| read_points(path, &PointsOptions::default()).unwrap().values;
                assert_eq!(read(&parts), read(&whole));
            } else {
                assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap());
            }
            let wrong = || Error::new(ErrorKind::Value, Path::new("a.csv"), "line 7");
            let failing = [Ok(part(1)), Err(wrong())].into_iter();
            assert_eq!(write_table_in_parts(&none, failing).unwrap_err(), wrong());
            assert!(!none.exists());
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
