//! Splits public text into records of cells, with the line numbers that an editor shows.
//!
//! One splitter serves CSV, TSV and blank-separated text. It hands out byte ranges of a reused
//! buffer, so that millions of numbers are parsed without allocating a `String`. It counts every
//! line, including blank lines and comments, so that an error points at the right one.

use std::io::{self, BufRead};
use std::ops::Range;

/// What separates two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    Byte(u8),
    Whitespace,
}

/// The cells of one record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    text: Vec<u8>,
    cells: Vec<Range<usize>>,
    /// The line the record begins on, counted from 1.
    pub(crate) line: usize,
}

impl Record {
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The cell at `column`; empty beyond the last.
    pub(crate) fn cell(&self, column: usize) -> &[u8] {
        self.cells.get(column).map_or(&[], |range| &self.text[range.clone()])
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.iter().map(|range| &self.text[range.clone()])
    }
}

/// Why no record could be read.
pub(crate) enum RecordError {
    Io(io::Error),
    /// A quote that opened on this line is never closed.
    OpenQuote(usize),
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads records one after the other.
pub(crate) struct Records<R> {
    reader: R,
    delimiter: Delimiter,
    raw: Vec<u8>,
    line: usize,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(reader: R, delimiter: Delimiter) -> Self {
        Self { reader, delimiter, raw: Vec::new(), line: 0 }
    }

    /// Reads the next record into `record`; false at the end of the file.
    pub(crate) fn read(&mut self, record: &mut Record) -> Result<bool, RecordError> {
        loop {
            if !self.next_line()? {
                return Ok(false);
            }
            let comment = self.delimiter == Delimiter::Whitespace
                && self.raw.trim_ascii_start().starts_with(b"#");
            if !comment && !self.raw.trim_ascii().is_empty() {
                break;
            }
        }
        record.line = self.line;
        record.cells.clear();
        match self.delimiter {
            Delimiter::Whitespace => {
                std::mem::swap(&mut record.text, &mut self.raw);
                split_blanks(&record.text, &mut record.cells);
            }
            Delimiter::Byte(delimiter) if self.raw.contains(&b'"') => {
                self.unquote(delimiter, record)?;
            }
            Delimiter::Byte(delimiter) => {
                std::mem::swap(&mut record.text, &mut self.raw);
                split_at(&record.text, delimiter, &mut record.cells);
            }
        }
        Ok(true)
    }

    /// Reads a line into `raw`, without its line break, and without a byte order mark on the first
    /// line. False at the end of the file.
    fn next_line(&mut self) -> io::Result<bool> {
        self.raw.clear();
        if self.reader.read_until(b'\n', &mut self.raw)? == 0 {
            return Ok(false);
        }
        if self.line == 0 && self.raw.starts_with(b"\xef\xbb\xbf") {
            self.raw.drain(..3);
        }
        self.line += 1;
        if self.raw.ends_with(b"\n") {
            self.raw.pop();
        }
        if self.raw.ends_with(b"\r") {
            self.raw.pop();
        }
        Ok(true)
    }

    /// Splits a line with quotes. A cell that begins with a quote ends at the next quote that is
    /// not doubled, and may span several lines. A quote elsewhere is an ordinary character.
    fn unquote(&mut self, delimiter: u8, record: &mut Record) -> Result<(), RecordError> {
        let first_line = self.line;
        record.text.clear();
        let mut start = 0;
        let mut quoted = false;
        let mut fresh = true;
        loop {
            let mut bytes = self.raw.iter().copied().peekable();
            while let Some(byte) = bytes.next() {
                match byte {
                    b'"' if quoted && bytes.peek() == Some(&b'"') => {
                        bytes.next();
                        record.text.push(b'"');
                    }
                    b'"' if quoted => quoted = false,
                    b'"' if fresh => {
                        quoted = true;
                        fresh = false;
                    }
                    _ if byte == delimiter && !quoted => {
                        record.cells.push(start..record.text.len());
                        start = record.text.len();
                        fresh = true;
                    }
                    _ => {
                        record.text.push(byte);
                        fresh = fresh && byte == b' ';
                    }
                }
            }
            if !quoted {
                record.cells.push(start..record.text.len());
                return Ok(());
            }
            record.text.push(b'\n');
            if !self.next_line()? {
                return Err(RecordError::OpenQuote(first_line));
            }
        }
    }
}

fn split_at(text: &[u8], delimiter: u8, cells: &mut Vec<Range<usize>>) {
    let mut start = 0;
    for (position, &byte) in text.iter().enumerate() {
        if byte == delimiter {
            cells.push(start..position);
            start = position + 1;
        }
    }
    cells.push(start..text.len());
}

fn split_blanks(text: &[u8], cells: &mut Vec<Range<usize>>) {
    let mut start = None;
    for (position, byte) in text.iter().enumerate() {
        match (byte.is_ascii_whitespace(), start) {
            (false, None) => start = Some(position),
            (true, Some(begin)) => {
                cells.push(begin..position);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(begin) = start {
        cells.push(begin..text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, delimiter: Delimiter) -> Vec<(usize, Vec<String>)> {
        let mut records = Records::new(text.as_bytes(), delimiter);
        let mut record = Record::default();
        let mut all = Vec::new();
        while records.read(&mut record).ok().unwrap() {
            let cells = record.cells().map(|cell| String::from_utf8_lossy(cell).into_owned());
            all.push((record.line, cells.collect()));
        }
        all
    }

    fn rows(expected: &[(usize, &[&str])]) -> Vec<(usize, Vec<String>)> {
        expected
            .iter()
            .map(|(line, cells)| (*line, cells.iter().map(|&cell| cell.to_owned()).collect()))
            .collect()
    }

    #[test]
    fn blank_lines_crlf_and_a_byte_order_mark() {
        assert_eq!(
            split("\u{feff}a,b\r\n\r\n1,\r\n,2", Delimiter::Byte(b',')),
            rows(&[(1, &["a", "b"]), (3, &["1", ""]), (4, &["", "2"])])
        );
    }

    #[test]
    fn quotes_protect_separators_quotes_and_line_ends() {
        assert_eq!(
            split("\"a,\"\"b\"\"\",2\n\"x\ny\",3\n5\" pipe,4\n", Delimiter::Byte(b',')),
            rows(&[(1, &["a,\"b\"", "2"]), (2, &["x\ny", "3"]), (4, &["5\" pipe", "4"])])
        );
    }

    #[test]
    fn an_open_quote_is_found_where_it_opened() {
        let text = &b"1,2\n\"3,4\n5,6\n"[..];
        let mut records = Records::new(text, Delimiter::Byte(b','));
        let mut record = Record::default();
        assert!(records.read(&mut record).ok().unwrap());
        assert!(matches!(records.read(&mut record), Err(RecordError::OpenQuote(2))));
    }

    #[test]
    fn blanks_separate_and_comments_are_skipped() {
        assert_eq!(
            split("# x y\n  1 \t 2  \n\n3 4", Delimiter::Whitespace),
            rows(&[(2, &["1", "2"]), (4, &["3", "4"])])
        );
    }
}
