//! Checks pages of text in delta encodings before the Parquet library allocates what they claim.
//!
//! Such a page begins with the lengths of its values, as differences in blocks of bit-packed
//! numbers. Their number is inside the page, under its compression, so the head of the page does
//! not show it. The library allocates memory for all of them before it has seen one.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::SerializedPageReader;

use super::thrift::Walk;

/// The most values in a block. Writers use 128 or 256, whatever the values are. Every block has
/// some bytes of its own, so this also limits how many values a page of some length can claim.
const LONGEST_BLOCK: u64 = 4096;

/// Whether every delta-encoded page of a chunk holds as many lengths as it claims.
pub(super) fn all_there(file: &File, chunk: &ColumnChunkMetaData) -> Result<bool, ParquetError> {
    let rows = usize::try_from(chunk.num_values()).unwrap_or(0);
    let mut pages = SerializedPageReader::new(Arc::new(file.try_clone()?), chunk, rows, None)?;
    while let Some(page) = pages.get_next_page()? {
        let streams = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            // First the lengths of the prefixes that values share with the value before them, then
            // the lengths of the rest.
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => continue,
        };
        let checked = values(&page, chunk).and_then(|bytes| {
            let mut walk = Walk::over(bytes);
            (0..streams).try_for_each(|_| pass_lengths(&mut walk, u64::from(page.num_values())))
        });
        if checked.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The bytes of a page after its levels, which say where values are missing. `None` if the page is
/// damaged.
fn values<'a>(page: &'a Page, chunk: &ColumnChunkMetaData) -> Option<&'a [u8]> {
    let column = chunk.column_descr();
    match page {
        Page::DataPage { buf, def_level_encoding, rep_level_encoding, .. } => {
            let mut rest: &[u8] = buf;
            let levels = [
                (column.max_rep_level(), rep_level_encoding),
                (column.max_def_level(), def_level_encoding),
            ];
            for (_, encoding) in levels.into_iter().filter(|&(highest, _)| highest > 0) {
                let (length, after) = rest.split_first_chunk()?;
                // Levels without a length are of an older encoding than delta encodings, so they do
                // not occur here.
                let length = (*encoding == Encoding::RLE).then(|| u32::from_le_bytes(*length))?;
                rest = after.get(length as usize..)?;
            }
            Some(rest)
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            buf.get(def_levels_byte_len.checked_add(*rep_levels_byte_len)? as usize..)
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// Walks over one list of lengths. `None` if it is damaged or cut short, or claims more than `most`
/// lengths.
fn pass_lengths(walk: &mut Walk<'_>, most: u64) -> Option<()> {
    let block = walk.unsigned()?;
    let parts = walk.unsigned()?;
    let lengths = walk.unsigned()?;
    walk.number()?;
    if lengths > most || block > LONGEST_BLOCK || parts == 0 || block < parts {
        return None;
    }
    let part = block / parts;
    // The first length is part of the head.
    let mut left = lengths.saturating_sub(1);
    while left > 0 {
        walk.number()?;
        let mut widths = *walk;
        walk.jump(parts as usize)?;
        for _ in 0..parts {
            let width = u64::from(widths.byte()?);
            if left > 0 {
                walk.jump(usize::try_from(width * part / 8).ok()?)?;
            }
            left = left.saturating_sub(part);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(bytes: &[u8], most: u64) -> Option<usize> {
        let mut walk = Walk::over(bytes);
        pass_lengths(&mut walk, most).map(|()| walk.left())
    }

    #[test]
    fn lengths_must_be_there() {
        // Blocks of 128 in four parts; three lengths, the first 7; differences of 3 bits in one
        // part.
        let mut bytes = vec![0x80, 1, 4, 3, 14, 0, 3, 0, 0, 0];
        assert_eq!(passes(&bytes, 3), None);
        bytes.extend([0; 32 * 3 / 8 + 5]);
        assert_eq!(passes(&bytes, 3), Some(5));
        assert_eq!(passes(&bytes, 2), None);
        // A list of one, or none, has no block.
        assert_eq!(passes(&[0x80, 1, 4, 1, 14, 9], 3), Some(1));
        assert_eq!(passes(&[0x80, 1, 4, 0, 0], 3), Some(0));
    }

    #[test]
    fn a_claim_of_millions_needs_its_blocks() {
        let claim = [0x80, 1, 4, 0xff, 0xff, 0xff, 0x7f, 14, 0, 0, 0, 0, 0];
        assert_eq!(passes(&claim, u64::MAX), None);
        let long_block = [0x80, 0x80, 0x80, 1, 1, 0xff, 0xff, 0x7f, 14, 0, 0];
        assert_eq!(passes(&long_block, u64::MAX), None);
    }
}
