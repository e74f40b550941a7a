//! Checks what the index at the end of a Parquet file claims, before the Parquet library believes
//! it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::thrift::{LIST, STRUCT, Walk};
use crate::error::{Error, ErrorKind};
use crate::input::is_standard_input;

/// The number of bytes at the end of a file after its index: four for the length of the index, and
/// `PAR1`.
const TAIL: u64 = 8;

/// The most columns of a file, counting those that group others. Each takes about a kilobyte of
/// memory once it is read, but only ten bytes in the file.
const MOST_COLUMNS: usize = 1 << 16;

/// The deepest nesting of columns, such as lists of lists of structs. It is far deeper than in any
/// table that is read, and shallow enough for the stack.
const DEEPEST_SCHEMA: usize = 32;

/// The fewest bytes of a file that describe a chunk of a column. The Parquet library takes about
/// 500 bytes of memory for it.
const SHORTEST_CHUNK: usize = 16;

pub(super) fn damaged(path: &Path, why: &str) -> Error {
    let what = format!("cannot be read as Parquet ({why}); write it again, or as CSV");
    Error::new(ErrorKind::Format, path, what)
}

/// Opens a Parquet file and checks its index, which is at the end of the file, so that a partial
/// download fails with a clear error. Returns the file and its length in bytes.
pub(super) fn open(path: &Path) -> Result<(File, u64), Error> {
    if is_standard_input(path) {
        let what = "is Parquet, which is read from its end, through a pipe; save it first";
        return Err(Error::new(ErrorKind::Format, path, what));
    }
    let reading = |error| Error::reading(path, &error);
    let mut file = File::open(path).map_err(reading)?;
    let length = file.metadata().map_err(reading)?.len();
    let mut tail = [0; TAIL as usize];
    if length >= 4 + TAIL {
        file.seek(SeekFrom::Start(length - TAIL)).map_err(reading)?;
        file.read_exact(&mut tail).map_err(reading)?;
    }
    let [a, b, c, d, magic @ ..] = tail;
    if &magic != b"PAR1" {
        let what = "begins as Parquet but its end is missing; copy or download it again";
        return Err(Error::new(ErrorKind::Truncated, path, what));
    }
    let claimed = u64::from(u32::from_le_bytes([a, b, c, d]));
    let Some(start) = (length - TAIL).checked_sub(claimed).filter(|&start| start >= 4) else {
        return Err(damaged(path, "its index is longer than the file"));
    };
    let mut index = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(reading)?;
    (&mut file).take(claimed).read_to_end(&mut index).map_err(reading)?;
    check_index(&index).map_err(|why| damaged(path, why))?;
    Ok((file, length))
}

/// Checks that the lists of the index are as long as they claim, and that its columns are a tree.
fn check_index(index: &[u8]) -> Result<(), &'static str> {
    let mut problem = "its index is damaged";
    let walked = Walk::over(index).fields(|number, kind, walk| match (number, kind) {
        (2, LIST) => check_schema(walk).map_err(|why| problem = why).ok().map(|()| true),
        (4, LIST) => check_groups(walk).map(|()| true),
        _ => Some(false),
    });
    walked.ok_or(problem)
}

/// Checks the list of columns, each of which states how many columns are below it.
fn check_schema(walk: &mut Walk<'_>) -> Result<(), &'static str> {
    const BROKEN: &str = "its columns are damaged";
    let (length, _) = walk.list().filter(|&(_, kind)| kind == STRUCT).ok_or(BROKEN)?;
    if length > MOST_COLUMNS {
        return Err("it has more than 65,536 columns");
    }
    // For each open level, how many columns of it are still to come.
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..length {
        let mut below = 0;
        walk.fields(|number, _, walk| {
            if number == 5 {
                below = walk.number()?;
            }
            Some(number == 5)
        })
        .ok_or(BROKEN)?;
        if below < 0 || below > length as i64 || open.len() > DEEPEST_SCHEMA {
            return Err(BROKEN);
        }
        if let Some(last) = open.last_mut() {
            *last -= 1;
        }
        open.push(below);
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    Ok(())
}

/// Checks the list of row groups, each with its list of column chunks.
fn check_groups(walk: &mut Walk<'_>) -> Option<()> {
    let (length, kind) = walk.list()?;
    for _ in 0..length {
        if kind != STRUCT {
            return None;
        }
        walk.fields(|number, kind, walk| {
            if (number, kind) != (1, LIST) {
                return Some(false);
            }
            let (chunks, kind) = walk.list()?;
            if chunks.checked_mul(SHORTEST_CHUNK)? > walk.left() {
                return None;
            }
            (0..chunks).try_for_each(|_| walk.skip(kind))?;
            Some(true)
        })?;
    }
    Some(())
}

/// The first byte of a column chunk in the file, and the byte after its last; `None` if that is not
/// inside the file. A chunk without values has no bytes, and writers give it any position.
pub(super) fn range(chunk: &ColumnChunkMetaData, length: u64) -> Option<(u64, u64)> {
    if chunk.num_values() == 0 {
        return Some((TAIL, TAIL));
    }
    let at = |place: i64| u64::try_from(place).ok().filter(|&place| place >= 4);
    let data = at(chunk.data_page_offset())?;
    let start = match chunk.dictionary_page_offset() {
        Some(place) => at(place)?,
        None => data,
    };
    let end = start.checked_add(u64::try_from(chunk.compressed_size()).ok()?)?;
    let inside = end <= length - TAIL && data <= end;
    (inside && chunk.num_values() >= 0 && chunk.uncompressed_size() >= 0).then_some((start, end))
}

/// Checks how many rows the row groups claim, and that their column chunks are inside the file.
pub(super) fn check_ranges(path: &Path, index: &ParquetMetaData, length: u64) -> Result<(), Error> {
    let mut rows = 0i64;
    for group in index.row_groups() {
        let sum = rows.checked_add(group.num_rows()).filter(|_| group.num_rows() >= 0);
        rows = sum.ok_or_else(|| damaged(path, "it claims an impossible number of rows"))?;
        if group.columns().iter().any(|chunk| range(chunk, length).is_none()) {
            return Err(damaged(path, "a column is not where its index says"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::basic::Type as PhysicalType;
    use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type};

    use super::*;

    /// The range of a chunk of 100 bytes at some position, in a file of 1,000 bytes.
    fn range_of(values: i64, place: i64) -> Option<(u64, u64)> {
        let kind = Type::primitive_type_builder("x", PhysicalType::INT64).build().unwrap();
        let column = ColumnDescriptor::new(Arc::new(kind), 0, 0, ColumnPath::from("x"));
        let chunk = ColumnChunkMetaData::builder(Arc::new(column))
            .set_num_values(values)
            .set_data_page_offset(place)
            .set_total_compressed_size(100)
            .build()
            .unwrap();
        range(&chunk, 1000)
    }

    #[test]
    fn a_chunk_without_values_may_be_anywhere() {
        assert_eq!(range_of(7, 4), Some((4, 104)));
        assert_eq!((range_of(7, 0), range_of(7, 950)), (None, None));
        assert!(range_of(0, 0).is_some());
    }
}
