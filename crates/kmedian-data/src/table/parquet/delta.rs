//! Checks pages of text in delta encodings before the Parquet library allocates what they claim.
//!
//! Such a page begins with the lengths of its values, as differences in blocks of bit-packed
//! numbers. Their number is inside the page, under its compression, so the head of the page does
//! not show it. The library allocates memory for all of them before it has seen one. A value may
//! also begin with what the value before it begins with, so that a few bytes stand for thousands of
//! long values: how long they are, only the lengths say.

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

/// How long the values of delta-encoded pages are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    /// The bytes of the longest value, or more.
    pub(super) longest: u64,
    /// The bytes of all values.
    pub(super) all: u64,
}

impl Lengths {
    /// Adds `count` lengths that grow or shrink evenly from the first to the last. `None` if one is
    /// negative.
    fn add(&mut self, first: i64, last: i64, count: u64) -> Option<()> {
        let (first, last) = (u64::try_from(first).ok()?, u64::try_from(last).ok()?);
        self.longest = self.longest.max(first).max(last);
        let both = u128::from(first) + u128::from(last);
        let sum = both.saturating_mul(u128::from(count)) / 2;
        self.all = self.all.saturating_add(u64::try_from(sum).unwrap_or(u64::MAX));
        Some(())
    }
}

/// How long the values of the delta-encoded pages of a chunk are. `None` if a page does not hold as
/// many lengths as it claims.
pub(super) fn lengths(
    file: &File,
    chunk: &ColumnChunkMetaData,
) -> Result<Option<Lengths>, ParquetError> {
    let rows = usize::try_from(chunk.num_values()).unwrap_or(0);
    let mut pages = SerializedPageReader::new(Arc::new(file.try_clone()?), chunk, rows, None)?;
    let mut found = Lengths::default();
    while let Some(page) = pages.get_next_page()? {
        let streams = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            // First the lengths of the prefixes that values share with the value before them, then
            // the lengths of the rest.
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => continue,
        };
        let Some(of_page) = values(&page, chunk).and_then(|bytes| {
            let mut walk = Walk::over(bytes);
            let most = u64::from(page.num_values());
            (0..streams).try_fold(Lengths::default(), |sum, _| {
                let part = read_lengths(&mut walk, most)?;
                let longest = sum.longest.saturating_add(part.longest);
                Some(Lengths { longest, all: sum.all.saturating_add(part.all) })
            })
        }) else {
            return Ok(None);
        };
        found.longest = found.longest.max(of_page.longest);
        found.all = found.all.saturating_add(of_page.all);
    }
    Ok(Some(found))
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

/// Reads one list of lengths. `None` if it is damaged or cut short, or claims more than `most`
/// lengths.
fn read_lengths(walk: &mut Walk<'_>, most: u64) -> Option<Lengths> {
    let block = walk.unsigned()?;
    let parts = walk.unsigned()?;
    let claimed = walk.unsigned()?;
    let mut last = walk.number()?;
    if claimed > most || block > LONGEST_BLOCK || parts == 0 || block < parts {
        return None;
    }
    let mut lengths = Lengths::default();
    let part = (block / parts) as usize;
    // The first length is part of the head.
    let mut left = claimed.saturating_sub(1) as usize;
    if claimed > 0 {
        lengths.add(last, last, 1)?;
    }
    while left > 0 {
        let least = walk.number()?;
        let widths = walk.take(parts as usize)?;
        for &width in widths.iter().take(left.div_ceil(part)) {
            let packed = walk.take(usize::from(width) * part / 8)?;
            let count = part.min(left);
            left -= count;
            if width == 0 {
                // All differences are the same, and take no bytes: a few may claim very many.
                let first = last.checked_add(least)?;
                last = least.checked_mul(count as i64)?.checked_add(last)?;
                lengths.add(first, last, count as u64)?;
                continue;
            }
            for at in 0..count {
                let more = unpacked(packed, at, width)?;
                last = last.wrapping_add(least).wrapping_add(more as i64);
                lengths.add(last, last, 1)?;
            }
        }
    }
    Some(lengths)
}

/// The number at a place among packed numbers of some bits each, the lowest bits first.
fn unpacked(packed: &[u8], at: usize, width: u8) -> Option<u64> {
    let bit = at * usize::from(width);
    let from = packed.get(bit / 8..)?;
    let mut bytes = [0; size_of::<u128>()];
    let there = from.len().min(bytes.len());
    bytes[..there].copy_from_slice(&from[..there]);
    let mask = u128::from(u64::MAX) >> 64u8.checked_sub(width)?;
    Some((u128::from_le_bytes(bytes) >> (bit % 8) & mask) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], most: u64) -> Option<(Lengths, usize)> {
        let mut walk = Walk::over(bytes);
        read_lengths(&mut walk, most).map(|lengths| (lengths, walk.left()))
    }

    #[test]
    fn lengths_must_be_there() {
        // Blocks of 128 in four parts; three lengths, the first 7; differences of 3 bits in one
        // part, which begin with 2 and 5.
        let mut bytes = vec![0x80, 1, 4, 3, 14, 0, 3, 0, 0, 0];
        assert_eq!(read(&bytes, 3), None);
        bytes.push(0b101_010);
        bytes.extend([0; 32 * 3 / 8 - 1 + 5]);
        // 7, 9, 14.
        assert_eq!(read(&bytes, 3), Some((Lengths { longest: 14, all: 30 }, 5)));
        assert_eq!(read(&bytes, 2), None);
        // A list of one, or none, has no block.
        let one = Lengths { longest: 7, all: 7 };
        assert_eq!(read(&[0x80, 1, 4, 1, 14, 9], 3), Some((one, 1)));
        assert_eq!(read(&[0x80, 1, 4, 0, 0], 3), Some((Lengths::default(), 0)));
        // Forty more lengths, each by 1 longer than the one before it, in no bytes.
        let even = [0x80, 1, 4, 41, 14, 2, 0, 0, 0, 0];
        assert_eq!(read(&even, 41), Some((Lengths { longest: 47, all: 7 + 40 * 55 / 2 }, 0)));
        // No value is shorter than nothing.
        assert_eq!(read(&[0x80, 1, 4, 1, 13, 9], 3), None);
    }

    #[test]
    fn a_claim_of_millions_needs_its_blocks() {
        let claim = [0x80, 1, 4, 0xff, 0xff, 0xff, 0x7f, 14, 0, 0, 0, 0, 0];
        assert_eq!(read(&claim, u64::MAX), None);
        let long_block = [0x80, 0x80, 0x80, 1, 1, 0xff, 0xff, 0x7f, 14, 0, 0];
        assert_eq!(read(&long_block, u64::MAX), None);
    }
}
