//! Checks the headers of the pages of a Parquet file, before the Parquet library allocates what
//! they claim.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::delta::{self, Lengths};
use super::footer::{damaged, range};
use super::thrift::Walk;
use crate::error::Error;

/// The number of bytes that are first read of the header of a page. One with long statistics needs
/// more.
const USUAL_HEAD: u64 = 512;

/// The longest header of a page, in bytes: 64 MiB. Its statistics hold at most two values of the
/// column.
const LONGEST_HEAD: u64 = 1 << 26;

/// How much memory the pages of a file need, and how many values they hold.
#[derive(Debug, Default)]
pub(super) struct Needs<'a> {
    /// The bytes of the largest page of each column, decompressed, added up over the columns: that
    /// many are in memory at once.
    pub(super) page_bytes: u64,
    /// The number of values of all columns.
    pub(super) values: u64,
    /// For each column, the chunks whose values have lengths that no header of a page shows.
    by_length: Vec<Vec<&'a ColumnChunkMetaData>>,
}

/// What the header of a page says.
#[derive(Debug, Default)]
struct Head {
    kind: i64,
    /// The number of bytes of the page, decompressed.
    plain: u64,
    /// The number of bytes of the page in the file.
    stored: u64,
    values: u64,
    /// The number of bytes of levels, which version 2 of the format leaves uncompressed.
    levels: u64,
    encoding: i64,
}

/// Checks the headers of all pages of some columns, which are given by their positions in the
/// index.
pub(super) fn check<'a>(
    path: &Path,
    mut file: &File,
    length: u64,
    index: &'a ParquetMetaData,
    columns: &[usize],
) -> Result<Needs<'a>, Error> {
    let mut needs = Needs::default();
    for &column in columns {
        let mut largest = 0;
        let mut chunks = Vec::new();
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
            if by_length {
                chunks.push(chunk);
            }
            needs.values = needs.values.saturating_add(values);
        }
        needs.page_bytes = needs.page_bytes.saturating_add(largest);
        needs.by_length.push(chunks);
    }
    Ok(needs)
}

impl Needs<'_> {
    /// Checks the pages that begin with the lengths of their values, one after the other: each is
    /// decompressed for that. The lengths of all columns are added up, as values of all columns
    /// are in memory at once.
    pub(super) fn check_lengths(&self, path: &Path, file: &File) -> Result<Lengths, Error> {
        let wrong = || damaged(path, "a page is not what its head says");
        let mut all_columns = Lengths::default();
        for chunks in &self.by_length {
            let mut longest = 0;
            for chunk in chunks {
                let lengths = delta::lengths(file, chunk).ok().flatten().ok_or_else(wrong)?;
                longest = lengths.longest.max(longest);
                all_columns.all = all_columns.all.saturating_add(lengths.all);
            }
            all_columns.longest = all_columns.longest.saturating_add(longest);
        }
        Ok(all_columns)
    }
}

/// The kind of a page that holds a dictionary.
const DICTIONARY: i64 = 2;

/// The encodings that begin with the lengths of all values: DELTA_LENGTH_BYTE_ARRAY and
/// DELTA_BYTE_ARRAY.
const LENGTHS_FIRST: [i64; 2] = [6, 7];

impl Head {
    /// Whether the header can be true: the page ends inside its chunk, and does not expand by more
    /// than its compression can achieve. `left` is the number of bytes left of the chunk.
    fn plausible(&self, chunk: &ColumnChunkMetaData, left: u64) -> bool {
        // The most bytes that one compressed byte can stand for. Snappy and LZ4: the longest copy,
        // divided by the bytes that encode it; deflate: 258 bytes in two bits; zstd: a block of 128
        // KiB in four bytes.
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

/// The header of the page at this position, and its length in bytes; `None` if there is no valid
/// one.
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
            // The headers of data pages, of dictionaries, and of data pages of version 2.
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
