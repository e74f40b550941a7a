//! Writes CSV, TSV and JSON.

use std::io::{self, Write};

use super::{Column, Values};

/// Writes the names of columns.
pub(crate) fn write_header(
    out: &mut dyn Write,
    columns: &[Column],
    delimiter: u8,
) -> io::Result<()> {
    for (position, column) in columns.iter().enumerate() {
        separate(out, position, delimiter)?;
        write_cell(out, &column.name, delimiter)?;
    }
    out.write_all(b"\n")
}

/// Writes the rows of a table. Cells are quoted only where they must be.
pub(crate) fn write_rows(
    out: &mut dyn Write,
    columns: &[Column],
    rows: usize,
    delimiter: u8,
) -> io::Result<()> {
    for row in 0..rows {
        for (position, column) in columns.iter().enumerate() {
            separate(out, position, delimiter)?;
            match &column.values {
                Values::Integers(values) => write!(out, "{}", values[row])?,
                // The debug form is the shortest text that reads back as the same number.
                Values::Numbers(values) => write!(out, "{:?}", values[row])?,
                Values::Text(values) => write_cell(out, &values[row], delimiter)?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn separate(out: &mut dyn Write, position: usize, delimiter: u8) -> io::Result<()> {
    if position == 0 { Ok(()) } else { out.write_all(&[delimiter]) }
}

fn write_cell(out: &mut dyn Write, cell: &str, delimiter: u8) -> io::Result<()> {
    let special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    // An empty cell alone on its line would read as a blank line.
    let padded = cell.trim() != cell || cell.is_empty();
    if padded || cell.bytes().any(special) {
        write!(out, "\"{}\"", cell.replace('"', "\"\""))
    } else {
        out.write_all(cell.as_bytes())
    }
}

/// Writes rows as JSON objects, one on each line, with a comma between two of them. `first` says
/// whether nothing was written before.
pub(crate) fn write_objects(
    out: &mut dyn Write,
    columns: &[Column],
    rows: usize,
    mut first: bool,
) -> io::Result<()> {
    let keys: Vec<String> = columns.iter().map(|column| json_string(&column.name)).collect();
    for row in 0..rows {
        out.write_all(if std::mem::take(&mut first) { b"\n" } else { b",\n" })?;
        for (position, (column, key)) in columns.iter().zip(&keys).enumerate() {
            let before = if position == 0 { '{' } else { ',' };
            write!(out, "{before}{key}:")?;
            match &column.values {
                Values::Integers(values) => write!(out, "{}", values[row])?,
                Values::Numbers(values) if values[row].is_finite() => {
                    write!(out, "{:?}", values[row])?;
                }
                Values::Numbers(_) => out.write_all(b"null")?,
                Values::Text(values) => out.write_all(json_string(&values[row]).as_bytes())?,
            }
        }
        out.write_all(b"}")?;
    }
    Ok(())
}

fn json_string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes() {
        assert_eq!(json_string("a\"\\\u{1}é"), "\"a\\\"\\\\\\u0001é\"");
    }

    #[test]
    fn what_is_not_finite_is_null_in_json() {
        let values = Values::Numbers(vec![f64::NAN, 2.0]);
        let columns = [Column { name: "x".to_owned(), values }];
        let mut out = Vec::new();
        write_objects(&mut out, &columns, 2, true).unwrap();
        assert_eq!(out, b"\n{\"x\":null},\n{\"x\":2.0}");
    }

    #[test]
    fn empty_and_padded_cells_are_quoted() {
        let mut out = Vec::new();
        write_cell(&mut out, "", b',').unwrap();
        write_cell(&mut out, " a", b',').unwrap();
        write_cell(&mut out, "a b", b',').unwrap();
        assert_eq!(out, b"\"\"\" a\"a b");
    }
}
