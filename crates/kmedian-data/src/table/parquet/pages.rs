//! The heads of the pages of a column, checked before a library makes room for what they claim.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::delta;
use super::footer::{damaged, range};
use super::thrift::Walk;
use crate::error::Error;

/// The bytes that are read of the head of a page at first; with long statistics it needs more.
const USUAL_HEAD: u64 = 512;

/// The longest head of a page, in bytes: its statistics hold two values of the column at most.
const LONGEST_HEAD: u64 = 1 << 26;

/// What the pages of a file need at once, and how many values there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The bytes of the largest page of each column, added up.
    pub(super) page_bytes: u64,
    /// The values of all columns.
    pub(super) values: u64,
}

/// What the head of a page says.
#[derive(Debug, Default)]
struct Head {
    kind: i64,
    /// The bytes of its content as it will be, and as it is in the file.
    plain: u64,
    stored: u64,
    values: u64,
    /// The bytes that version 2 leaves uncompressed.
    levels: u64,
    encoding: i64,
}

/// Walks from page to page through these columns, counted as the index counts them.
pub(super) fn check(
    path: &Path,
    mut file: &File,
    length: u64,
    index: &ParquetMetaData,
    columns: &[usize],
) -> Result<Needs, Error> {
    let mut needs = Needs::default();
    for &column in columns {
        let mut largest = 0;
        for group in index.row_groups() {
            let wrong = || damaged(path, "a page is not what its head says");
            let chunk = group.columns().get(column).ok_or_else(wrong)?;
            if let Compression::BROTLI(_) | Compression::LZO = chunk.compression() {
                return Err(damaged(path, "its compression is brotli or lzo, which is not read"));
            }
            let (mut place, end) = range(chunk, length).ok_or_else(wrong)?;
            let mut values = 0u64;
            let mut by_length = false;
            while place < end && values < chunk.num_values().unsigned_abs() {
                let (head, size) = head(&mut file, place, end)
                    .map_err(|error| Error::reading(path, &error))?
                    .ok_or_else(wrong)?;
                place += size;
                if !head.plausible(chunk, end - place) {
                    return Err(wrong());
                }
                place += head.stored;
                by_length |= LENGTHS_FIRST.contains(&head.encoding);
                largest = largest.max(head.plain);
                if head.kind != DICTIONARY {
                    values = values.saturating_add(head.values);
                }
            }
            if by_length && !delta::all_there(file, chunk).map_err(|_| wrong())? {
                return Err(wrong());
            }
            needs.values = needs.values.saturating_add(values);
        }
        needs.page_bytes = needs.page_bytes.saturating_add(largest);
    }
    Ok(needs)
}

/// The kind of a page that holds a dictionary.
const DICTIONARY: i64 = 2;

/// The encodings that begin with the lengths of all values: DELTA_LENGTH_BYTE_ARRAY and
/// DELTA_BYTE_ARRAY.
const LENGTHS_FIRST: [i64; 2] = [6, 7];

impl Head {
    /// Whether a page with this head can be: it is all in its chunk, and what it claims to become
    /// is no more than the best compression can do.
    fn plausible(&self, chunk: &ColumnChunkMetaData, left: u64) -> bool {
        // The most bytes that one byte can stand for. Snappy and LZ4: the longest copy over its own
        // length; deflate: 258 bytes in two bits; zstd: a block of 128 KiB in four bytes.
        let most = match chunk.compression() {
            Compression::UNCOMPRESSED => 1,
            Compression::SNAPPY => 22,
            Compression::LZ4 | Compression::LZ4_RAW => 256,
            Compression::GZIP(_) => 1032,
            _ => 1 << 15,
        };
        let plain = self.stored.saturating_mul(most).saturating_add(64);
        self.stored <= left
            && self.plain <= plain
            && self.levels <= self.stored.min(self.plain)
            && (self.kind != DICTIONARY || self.values <= self.plain)
    }
}

/// Reads the head of the page at this place, and how long it is; nothing if there is none.
fn head(file: &mut &File, place: u64, end: u64) -> io::Result<Option<(Head, u64)>> {
    let mut bytes = Vec::new();
    let mut most = USUAL_HEAD;
    loop {
        file.seek(SeekFrom::Start(place))?;
        bytes.clear();
        (&mut *file).take(most.min(end - place)).read_to_end(&mut bytes)?;
        let mut walk = Walk::over(&bytes);
        match parse(&mut walk) {
            Some(head) => return Ok(Some((head, (bytes.len() - walk.left()) as u64))),
            None if most < (end - place).min(LONGEST_HEAD) => most *= 8,
            None => return Ok(None),
        }
    }
}

fn parse(walk: &mut Walk<'_>) -> Option<Head> {
    let mut head = Head::default();
    let (mut plain, mut stored) = (None, None);
    walk.fields(|number, _, walk| {
        match number {
            1 => head.kind = walk.number()?,
            2 => plain = Some(u64::try_from(walk.number()?).ok()?),
            3 => stored = Some(u64::try_from(walk.number()?).ok()?),
            // The heads of data pages, of dictionaries, and of data pages of version 2.
            5 | 7 | 8 => walk.fields(|inner, _, walk| {
                match (number, inner) {
                    (_, 1) => head.values = u64::try_from(walk.number()?).ok()?,
                    (5, 2) | (8, 4) => head.encoding = walk.number()?,
                    (8, 5 | 6) => head.levels += u64::try_from(walk.number()?).ok()?,
                    _ => return Some(false),
                }
                Some(true)
            })?,
            _ => return Some(false),
        }
        Some(true)
    })?;
    (head.plain, head.stored) = (plain?, stored?);
    Some(head)
}
