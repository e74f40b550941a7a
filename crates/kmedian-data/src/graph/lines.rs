//! The lines of edge lists and OR-Library files: two whole numbers and perhaps a length.

use std::io::BufRead;
use std::path::Path;

use crate::error::{Error, ErrorKind, quote};
use crate::number::{self, BadNumber};

use super::nodes::{Naming, Nodes, heads_a_column, is_number};

/// One line of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    /// The number of the line in the file, from 1.
    pub(crate) number: usize,
    pub(crate) u: u64,
    pub(crate) v: u64,
    /// The third field, if there is one: finite, but perhaps not positive.
    pub(crate) length: Option<f32>,
}

/// An error at a line.
pub(crate) fn at(path: &Path, line: usize, kind: ErrorKind, what: &str) -> Error {
    Error::new(kind, path, format!("line {line}: {what}"))
}

/// Reads all lines, without comments, blank lines and a first line of words; and the names of the
/// nodes, if they are no numbers.
pub(crate) fn read(
    path: &Path,
    reader: Box<dyn BufRead>,
    nodes: Nodes,
) -> Result<(Vec<Line>, Option<Vec<String>>), Error> {
    let mut lines = Vec::new();
    let mut seen = false;
    let mut naming = (nodes == Nodes::Names).then(Naming::default);
    for_each(path, reader, |number, text| {
        if text.starts_with(b"#") || text.starts_with(b"%") {
            return Ok(());
        }
        let (fields, count) = fields(text);
        let first = !std::mem::replace(&mut seen, true);
        if first && is_header(&fields[..count.min(3)]) {
            return Ok(());
        }
        if lines.is_empty()
            && nodes == Nodes::Auto
            && fields[..count.min(2)].iter().any(|field| !is_number(field))
        {
            naming = Some(Naming::default());
        }
        let length = match count {
            2 => None,
            3 => Some(
                parse_length(fields[2])
                    .map_err(|what| at(path, number, ErrorKind::Value, &what))?,
            ),
            _ => {
                let what = format!("has {count} fields, not `u v` or `u v length`");
                return Err(at(path, number, ErrorKind::Shape, &what));
            }
        };
        let mut node = |field: &[u8]| match (&mut naming, nodes) {
            (Some(naming), _) => Ok(naming.number(field)),
            (None, Nodes::From(first)) => match parse_node(field)?.checked_sub(u64::from(first)) {
                Some(node) => Ok(node),
                None => Err(format!("{} is no node: they count from {first}", quote(field))),
            },
            (None, _) => parse_node(field),
        };
        let wrong = |what: String| at(path, number, ErrorKind::Value, &what);
        let (u, v) = (node(fields[0]).map_err(wrong)?, node(fields[1]).map_err(wrong)?);
        lines.push(Line { number, u, v, length });
        Ok(())
    })?;
    lines.shrink_to_fit();
    Ok((lines, naming.map(Naming::names)))
}

/// Whether the fields of the first line are the names of columns: all are words, and either there
/// is one for a length, which would be a number, or one is what columns of nodes are called.
fn is_header(fields: &[&[u8]]) -> bool {
    let wordy = |field: &&[u8]| number::parse::<f64>(field) == Err(BadNumber::Text);
    fields.iter().all(wordy)
        && (fields.len() != 2 || fields.iter().any(|field| heads_a_column(field)))
}

/// Calls `visit` with every line that is not blank: its number and its text.
pub(crate) fn for_each(
    path: &Path,
    mut reader: Box<dyn BufRead>,
    mut visit: impl FnMut(usize, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut text = Vec::new();
    for number in 1.. {
        text.clear();
        let length = reader.read_until(b'\n', &mut text).map_err(|e| Error::reading(path, &e))?;
        if length == 0 {
            break;
        }
        let text = if number == 1 { text.strip_prefix(b"\xef\xbb\xbf") } else { None }
            .unwrap_or(&text)
            .trim_ascii();
        if !text.is_empty() {
            visit(number, text)?;
        }
    }
    Ok(())
}

/// The first three fields of a line, and the number of all fields. They are separated by blanks,
/// tabs, commas or semicolons; a name in quotes may hold these.
pub(crate) fn fields(text: &[u8]) -> ([&[u8]; 3], usize) {
    let mut first = [&b""[..]; 3];
    let mut count = 0;
    let mut rest = text;
    let separates = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';');
    while let Some(start) = rest.iter().position(|byte| !separates(byte)) {
        let quoted = rest[start..].strip_prefix(b"\"").and_then(|inside| {
            let end = inside.iter().position(|&byte| byte == b'"')?;
            let after = &inside[end + 1..];
            after.first().is_none_or(separates).then_some((&inside[..end], after))
        });
        let (field, after) = quoted.unwrap_or_else(|| {
            let end = rest[start..].iter().position(separates).map_or(rest.len(), |at| start + at);
            (&rest[start..end], &rest[end..])
        });
        if let Some(place) = first.get_mut(count) {
            *place = field;
        }
        count += 1;
        rest = after;
    }
    (first, count)
}

/// Parses a whole number from 0 up.
pub(crate) fn parse_node(field: &[u8]) -> Result<u64, String> {
    std::str::from_utf8(field)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{} is not a whole number from 0 up", quote(field)))
}

/// Parses a finite number. One that is not zero but would be in 32 bits is an error.
pub(crate) fn parse_length(field: &[u8]) -> Result<f32, String> {
    match number::parse::<f32>(field) {
        // A length that is positive in the file must not become zero in 32 bits.
        Ok(0.0) if number::parse::<f64>(field).is_ok_and(|wide| wide != 0.0) => {
            Err(format!("the length {} is too small for a 32-bit number; rescale", quote(field)))
        }
        Ok(length) => Ok(length),
        Err(bad) => Err(format!("{}; lengths are positive numbers", bad.what(field))),
    }
}

/// Refuses lengths that are not positive.
pub(crate) fn check_length(length: f32) -> Result<f32, String> {
    if length > 0.0 {
        Ok(length)
    } else {
        let what = if length < 0.0 { "negative" } else { "zero" };
        Err(format!("the length `{length}` is {what}; lengths are positive numbers"))
    }
}
