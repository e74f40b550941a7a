//! Splits private text into records of cells. What is in one record never changes how another is
//! read.

use std::io::{self, BufRead, ErrorKind, Read};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::names::trimmed;
use super::schema::Cells;

/// The longest record, in bytes: 1 MiB. A longer one is no row of a table. It must neither fill the
/// memory nor end the run, so it is dropped.
const MOST_BYTES: usize = 1 << 20;

/// The most cells of a record: 65,536, more than tables have columns. A record with more is
/// dropped.
const MOST_CELLS: usize = 1 << 16;

/// A byte order mark, with which a text may begin.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The cells of one record, one after the other.
pub(super) struct Record {
    text: Vec<u8>,
    /// Where each cell ends in the text.
    ends: Vec<usize>,
    cells: usize,
}

impl Record {
    /// An empty record, whose memory is reused for all records. It has room for one byte and one
    /// cell more than allowed, so that a record of exactly the allowed size is told from a longer
    /// one.
    pub(super) fn new() -> Self {
        Self { text: vec![0; MOST_BYTES + 1], ends: vec![0; MOST_CELLS + 1], cells: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.cells
    }

    /// The cell at this place, if there is one.
    pub(super) fn cell(&self, place: usize) -> Option<&[u8]> {
        let end = *self.ends[..self.cells].get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        self.text.get(start..end)
    }

    /// The cell at this place, if there is one and it is UTF-8.
    pub(super) fn text(&self, place: usize) -> Option<&str> {
        std::str::from_utf8(self.cell(place)?).ok()
    }

    /// The number in the cell at this place; NaN if there is none, or it is not finite.
    pub(super) fn number(&self, place: usize) -> f64 {
        self.text(place).map_or(f64::NAN, number_of)
    }

    fn is_blank(&self) -> bool {
        self.cells <= 1 && self.cell(0).unwrap_or_default().trim_ascii().is_empty()
    }

    /// Splits a line at its blanks into the cells of this record.
    fn split_blanks(&mut self, line: &[u8]) -> Found {
        let (mut used, mut cells) = (0, 0);
        for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            if cells == MOST_CELLS {
                return Found::TooLong;
            }
            self.text[used..used + word.len()].copy_from_slice(word);
            used += word.len();
            self.ends[cells] = used;
            cells += 1;
        }
        self.cells = cells;
        Found::Record
    }
}

/// The number that a text is, whatever white space is around it; NaN if it is none, or not finite.
pub(crate) fn number_of(text: &str) -> f64 {
    let number = text.parse().or_else(|_| trimmed(text).parse());
    number.ok().filter(|number: &f64| number.is_finite()).unwrap_or(f64::NAN)
}

/// What was read next from a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Record,
    /// A record that is too long to be read.
    TooLong,
    End,
}

/// What was found where the names of the columns should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderFound {
    Names,
    /// There is no line.
    Nothing,
    /// A line that is too long, or that holds a carriage return within it. If all lines of a file
    /// end in carriage returns, its length decides which of the two; so they are not told apart.
    NoLine,
    /// A quote is open at the end of the line.
    OpenQuote,
}

/// Reads records one after the other.
pub(super) struct Records<R> {
    reader: R,
    cells: Cells,
    core: Reader,
    line: Vec<u8>,
    /// Whether the last line ended with a carriage return and then with the table, so that a line
    /// feed may never have been meant to come.
    bare_return: bool,
}

impl<R: BufRead> Records<R> {
    /// The records of a table.
    ///
    /// A byte order mark at the beginning of the table is no part of its first record. It must not
    /// stay there: a quote after it would open no cell, and the lines of that cell would be
    /// records. CSV as RFC 4180 has it loses nothing by that. A cell that holds a quote is quoted,
    /// so a record begins with a mark and a quote only if the mark is the table's; and a mark in
    /// front of a name or a number is no part of it wherever the record is.
    pub(super) fn new(reader: R, cells: Cells) -> Self {
        let mut builder = ReaderBuilder::new();
        if let Cells::Quoted(separator) | Cells::Lines(separator) = cells {
            builder.delimiter(separator);
        }
        // A carriage return alone is left in its cell: not every program that writes CSV quotes it.
        let core = builder.terminator(Terminator::Any(b'\n')).build();
        Self { reader, cells, core, line: Vec::new(), bare_return: false }
    }

    /// Reads the record that names the columns: the first line that is not blank, and nothing more.
    /// If it could go on to further lines, private records would decide where it ends.
    pub(super) fn read_header(&mut self, record: &mut Record) -> io::Result<HeaderFound> {
        loop {
            match self.read_line()? {
                Found::End => return Ok(HeaderFound::Nothing),
                Found::TooLong => return Ok(HeaderFound::NoLine),
                Found::Record if self.line.trim_ascii().is_empty() => {}
                Found::Record => break,
            }
        }
        if self.bare_return || self.line.contains(&b'\r') {
            return Ok(HeaderFound::NoLine);
        }
        let found = match self.cells {
            Cells::Blanks => {
                let line = self.line.trim_ascii_start();
                record.split_blanks(line.strip_prefix(b"#").unwrap_or(line))
            }
            Cells::Lines(_) => self.split_line(record),
            Cells::Quoted(_) => {
                self.line.push(b'\n');
                let (result, _, _, cells) =
                    self.core.read_record(&self.line, &mut record.text, &mut record.ends);
                record.cells = cells;
                match result {
                    ReadRecordResult::InputEmpty => return Ok(HeaderFound::OpenQuote),
                    ReadRecordResult::Record if cells <= MOST_CELLS => Found::Record,
                    _ => Found::TooLong,
                }
            }
        };
        Ok(if found == Found::Record { HeaderFound::Names } else { HeaderFound::NoLine })
    }

    /// Reads the next record that is not blank.
    pub(super) fn read(&mut self, record: &mut Record) -> io::Result<Found> {
        loop {
            let found = match self.cells {
                Cells::Quoted(_) => self.read_quoted(record)?,
                Cells::Lines(_) => match self.read_line()? {
                    Found::Record => self.split_line(record),
                    other => other,
                },
                Cells::Blanks => match self.read_line()? {
                    Found::Record if self.line.trim_ascii_start().starts_with(b"#") => continue,
                    Found::Record => record.split_blanks(&self.line),
                    other => other,
                },
            };
            if found != Found::Record || !record.is_blank() {
                return Ok(found);
            }
        }
    }

    /// Reads a record whose quoted cells may hold line breaks. A quote that is never closed ends
    /// with the table.
    fn read_quoted(&mut self, record: &mut Record) -> io::Result<Found> {
        let (mut used, mut cells, mut too_long) = (0, 0, false);
        loop {
            let input = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                input => input?,
            };
            let (text, ends) = (&mut record.text[used..], &mut record.ends[cells..]);
            let (result, read, written, ended) = self.core.read_record(input, text, ends);
            self.reader.consume(read);
            used += written;
            cells += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    // The rest of the record is read into the same buffer, and dropped.
                    (used, cells, too_long) = (0, 0, true);
                }
                ReadRecordResult::Record => {
                    too_long |= used > MOST_BYTES || cells > MOST_CELLS;
                    record.cells = cells;
                    return Ok(if too_long { Found::TooLong } else { Found::Record });
                }
                ReadRecordResult::End => return Ok(Found::End),
            }
        }
    }

    /// Splits the line that was read into cells. A quote that is still open at its end is closed
    /// there.
    fn split_line(&mut self, record: &mut Record) -> Found {
        self.core.reset();
        let (_, _, used, cells) =
            self.core.read_record(&self.line, &mut record.text, &mut record.ends);
        let (result, _, _, last) =
            self.core.read_record(b"", &mut record.text[used..], &mut record.ends[cells..]);
        record.cells = cells + last;
        match result {
            ReadRecordResult::OutputEndsFull => Found::TooLong,
            _ if record.cells > MOST_CELLS => Found::TooLong,
            _ => Found::Record,
        }
    }

    /// Reads a line, without its line break and without byte order marks in front of it. A table
    /// may begin with one, which would else change what its first line says. A line that is too
    /// long is skipped to its end, in bounded memory.
    fn read_line(&mut self) -> io::Result<Found> {
        let mut too_long = false;
        loop {
            self.line.clear();
            let most = MOST_BYTES as u64 + 1;
            let read = self.reader.by_ref().take(most).read_until(b'\n', &mut self.line)?;
            if read == 0 && !too_long {
                return Ok(Found::End);
            }
            let ended = self.line.ends_with(b"\n");
            if !ended && read > MOST_BYTES {
                too_long = true;
                continue;
            }
            self.line.truncate(read - usize::from(ended));
            self.bare_return = !ended && self.line.ends_with(b"\r");
            if self.line.ends_with(b"\r") {
                self.line.pop();
            }
            while self.line.starts_with(MARK) {
                self.line.drain(..MARK.len());
            }
            return Ok(if too_long { Found::TooLong } else { Found::Record });
        }
    }
}
