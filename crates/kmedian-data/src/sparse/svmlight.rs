//! svmlight and LIBSVM text: `label column:value column:value … # comment`.

use std::io::BufRead;
use std::path::Path;

use super::{SparseRows, check_columns, check_distinct};
use crate::error::{Error, ErrorKind, quote};
use crate::input::Input;
use crate::number;

/// Reads a line for each row. Labels and `qid:` are left out. Columns count from 1, unless one is
/// 0.
pub(super) fn read(path: &Path) -> Result<SparseRows, Error> {
    let mut input = Input::open(path)?;
    let mut notes = std::mem::take(&mut input.notes);
    let mut rows = SparseRows {
        dims: 0,
        starts: vec![0],
        columns: Vec::new(),
        values: Vec::new(),
        format: if input.gzip { "svmlight (gzip)" } else { "svmlight" },
        notes: Vec::new(),
    };
    let mut line = Vec::new();
    let mut labels = false;
    for number in 1.. {
        line.clear();
        let read = input.reader.read_until(b'\n', &mut line);
        if read.map_err(|error| Error::reading(path, &error))? == 0 {
            break;
        }
        let at =
            |what: String| Error::new(ErrorKind::Value, path, format!("line {number}: {what}"));
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let mut empty = true;
        for (place, field) in fields.enumerate() {
            empty = false;
            let Some(colon) = field.iter().position(|&byte| byte == b':') else {
                if place == 0 {
                    labels = true;
                    continue;
                }
                return Err(at(format!(
                    "{} is no `column:value`; write entries so, with blanks between them",
                    quote(field)
                )));
            };
            let (column, value) = (&field[..colon], &field[colon + 1..]);
            if column == b"qid" {
                continue;
            }
            rows.columns.push(parse_column(column).map_err(at)?);
            let value: f32 = number::parse(value).map_err(|bad| at(bad.explained(value)))?;
            rows.values.push(value);
        }
        if !empty {
            check_distinct(&rows.columns[rows.starts[rows.starts.len() - 1]..]).map_err(at)?;
            rows.starts.push(rows.columns.len());
        }
    }
    let first = u32::from(!rows.columns.contains(&0));
    rows.columns.iter_mut().for_each(|column| *column -= first);
    rows.dims = rows.columns.iter().max().map_or(0, |&last| last as usize + 1);
    check_columns(path, rows.dims, rows.columns.len())?;
    if labels {
        notes.push("the labels at the beginning of lines were left out".to_owned());
    }
    notes.push(format!("columns count from {first}"));
    rows.notes = notes;
    Ok(rows)
}

fn parse_column(text: &[u8]) -> Result<u32, String> {
    let digits = std::str::from_utf8(text).ok();
    if digits.is_some_and(|text| text.starts_with('-')) {
        return Err(format!("the column {} is negative; columns count from 0 or 1", quote(text)));
    }
    let number = digits.and_then(|text| text.parse::<u32>().ok());
    number
        .filter(|&column| column < u32::MAX)
        .ok_or_else(|| format!("{} is no column; give whole numbers from 0 or 1 up", quote(text)))
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{gzip, sample};
    use crate::{Error, SparseFormat, SparseRows, read_sparse};

    fn read(content: impl AsRef<[u8]>) -> Result<SparseRows, Error> {
        read_sparse(&sample("a.svm", content).path, SparseFormat::Svmlight)
    }

    #[test]
    fn lines_are_rows() {
        let text = "+1 1:0.5 4:-2 # first\n\n# nothing\n-1 qid:7 2:1\n0\n3:1e-3\n";
        for content in [text.as_bytes().to_vec(), gzip(text)] {
            let rows = read(content).unwrap();
            assert_eq!((rows.rows(), rows.dims), (4, 4));
            assert_eq!(rows.starts, [0, 2, 3, 3, 4]);
            assert_eq!(rows.columns, [0, 3, 1, 2]);
            assert_eq!(rows.values, [0.5, -2.0, 1.0, 1e-3]);
        }
        assert_eq!(read("1 0:1 2:1\n").unwrap().columns, [0, 2]);
        assert_eq!(read("1 1:1 3:1\n").unwrap().dims, 3);
    }

    #[test]
    fn errors_say_what_and_where() {
        for (content, what) in [
            ("1 -3:1\n", "line 1: the column `-3` is negative"),
            ("1 1:1\n1 2:1 2:3\n", "line 2: has column 2 twice"),
            ("1 a:1\n", "line 1: `a` is no column"),
            ("1 99999999999:1\n", "`99999999999` is no column"),
            ("1 4000000000:1\n", "more columns than its entries bear out"),
            ("1 2:x\n", "`x` is not a number"),
            ("1 2:nan\n", "`nan` is not a finite number; fill it in or remove the row"),
            ("1 2:1e99\n", "`1e99` is too large for a 32-bit number; rescale the column"),
            ("1 2:\n", "the cell is empty; fill it in"),
            ("1 two\n", "`two` is no `column:value`; write entries so"),
            ("# nothing\n", "has no rows"),
        ] {
            let error = read(content).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
