//! Parquet files that made the Parquet library panic or take gigabytes: each is refused in one
//! line, and a private one before anything is spent if its index shows what is wrong.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
use kmedian_data::{
    DemandOptions, ItemKeys, PointsOptions, check_demand, read_demand, read_points,
};
use kmedian_fuzz::peak_memory;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnChunkMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter,
};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// A file whose columns consist of these parts, repeated.
fn encode(
    parts: &[(&str, &ArrayRef)],
    times: usize,
    codec: Compression,
    dictionary: bool,
) -> Vec<u8> {
    let properties = WriterProperties::builder().set_dictionary_enabled(dictionary);
    encode_with(parts, times, codec, properties)
}

fn encode_with(
    parts: &[(&str, &ArrayRef)],
    times: usize,
    codec: Compression,
    properties: WriterPropertiesBuilder,
) -> Vec<u8> {
    let columns = parts.iter().map(|&(name, part)| (name, part.clone(), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let properties = properties
        .set_compression(codec)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    for _ in 0..times {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
    bytes
}

/// The file with an index that says something else about its first column, and with other bytes
/// before the index.
fn indexed(
    bytes: &[u8],
    change: impl Fn(ColumnChunkMetaData) -> ColumnChunkMetaDataBuilder,
    content: impl Fn(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    let (data, tail) = bytes.split_at(bytes.len() - 8);
    let footer = u32::from_le_bytes(tail[..4].try_into().unwrap()) as usize;
    let (data, footer) = data.split_at(data.len() - footer);
    let mut builder = ParquetMetaDataReader::decode_metadata(footer).unwrap().into_builder();
    let groups = builder.take_row_groups().into_iter().map(|group| {
        let mut columns = group.columns().to_vec();
        columns[0] = change(columns[0].clone()).build().unwrap();
        group.into_builder().set_column_metadata(columns).build().unwrap()
    });
    let metadata = builder.set_row_groups(groups.collect()).build();
    let mut written = content(data);
    let mut footer = Vec::new();
    ParquetMetaDataWriter::new(&mut footer, &metadata).finish().unwrap();
    written.extend(footer);
    written
}

/// The file with some bytes replaced by others, once.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let place = bytes.windows(from.len()).position(|window| window == from).unwrap();
    [&bytes[..place], to, &bytes[place + from.len()..]].concat()
}

/// A small file of names, one of which is missing, and numbers.
fn small() -> Vec<u8> {
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("a"), Some("b")]));
    let numbers: ArrayRef = Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0, 4.0]));
    encode(&[("key", &names), ("x", &numbers)], 1, Compression::UNCOMPRESSED, false)
}

/// The errors of a private table, before and after its ε is spent.
fn private(path: &Path) -> [Option<String>; 2] {
    let ids = ["a", "b"].map(String::from);
    let keys = ItemKeys::named(path, &ids).ok().unwrap();
    let options = DemandOptions { key: Some("key".into()), ..DemandOptions::default() };
    let before = check_demand(path, &options).err();
    let after = read_demand(path, &keys, &options, &mut ChaCha8Rng::seed_from_u64(1)).err();
    [before, after].map(|error| error.map(|error| error.to_string()))
}

/// The error of a public table.
fn public(path: &Path) -> String {
    let options = PointsOptions { id: Some("key".into()), ..PointsOptions::default() };
    read_points(path, &options).unwrap_err().to_string()
}

/// Keeps the tests from running at once: memory is counted for the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// "column start and length should not be negative": the index shows it.
#[test]
fn a_column_before_the_file_is_refused_before_anything_is_spent() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let whole = small();
    let same = |bytes: &[u8]| bytes.to_vec();
    fs::write(&path, indexed(&whole, ColumnChunkMetaData::into_builder, same)).unwrap();
    assert_eq!(private(&path), [None, None], "the index can be written anew");
    for lie in [
        indexed(&whole, |column| column.into_builder().set_data_page_offset(-9), same),
        indexed(&whole, |column| column.into_builder().set_total_compressed_size(-9), same),
        indexed(&whole, |column| column.into_builder().set_dictionary_page_offset(Some(-9)), same),
        indexed(&whole, |column| column.into_builder().set_data_page_offset(1 << 40), same),
        indexed(&whole, |column| column.into_builder().set_total_compressed_size(1 << 40), same),
    ] {
        fs::write(&path, lie).unwrap();
        let [before, after] = private(&path);
        for error in [before.unwrap(), after.unwrap(), public(&path)] {
            assert!(error.contains("a column is not where its index says"), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}

/// "offset + len out of bounds": a page says that its marks of missing values end before they do.
/// No index shows it; it must be an error when it is read.
#[test]
fn marks_that_end_early_are_an_error() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let whole = small();
    // Two bytes of marks: one run of bits, of which 1, 3 and 4 are set.
    let cut = replaced(&whole, &[2, 0, 0, 0, 3, 0b1101], &[1, 0, 0, 0, 3, 0b1101]);
    fs::write(&path, cut).unwrap();
    let [_, after] = private(&path);
    for error in [after.unwrap(), public(&path)] {
        assert!(error.contains("cannot be read as Parquet"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

/// 64 million numbers in a few hundred kilobytes; a text of 256 MiB in a few; a page that claims a
/// gigabyte. Public tables are refused before room is made for that.
#[test]
fn claims_of_a_public_table_take_no_memory() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let many: ArrayRef = Arc::new(Float32Array::from(vec![1.5; 1 << 20]));
    let one: ArrayRef = Arc::new(Float32Array::from(vec![1.5]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1 << 28)]));
    let (plain, zstd) = (Compression::UNCOMPRESSED, Compression::ZSTD(Default::default()));
    let numbers = encode(&[("x", &many)], 64, plain, true);
    let texts = encode(&[("key", &text), ("x", &one)], 1, zstd, false);
    drop((many, text));
    // The head of a page begins with its kind and its size, here below 64 bytes, which becomes 2³⁰.
    let small = encode(&[("x", &one)], 1, Compression::SNAPPY, false);
    let longer = |data: &[u8]| {
        let size = data.windows(3).position(|w| w == [0x15, 0, 0x15]).unwrap() + 3;
        [&data[..size], &[0x80, 0x80, 0x80, 0x80, 0x08], &data[size + 1..]].concat()
    };
    let by_four = |column: ColumnChunkMetaData| {
        let size = column.compressed_size() + 4;
        column.into_builder().set_total_compressed_size(size)
    };
    let claim = indexed(&small, by_four, longer);
    for (file, id, what) in [
        (numbers, None, "no table of measurements"),
        (texts, Some("key".into()), "no table of measurements"),
        (claim, None, "a page is not what its head says"),
    ] {
        let most = (100 << 20) + 20 * file.len();
        assert!(file.len() < 1 << 20, "{} bytes are not few", file.len());
        fs::write(&path, file).unwrap();
        let options = PointsOptions { id, ..PointsOptions::default() };
        let (read, peak) = peak_memory(|| read_points(&path, &options));
        let error = read.err().map_or_else(String::new, |error| error.to_string());
        assert!(peak < most, "{what}: {peak} bytes");
        assert!(error.contains(what), "{error}");
    }
}

/// Three hundred texts of a megabyte that begin like each other, in a few kilobytes: a private table
/// is read some rows at a time, a public one is refused.
#[test]
fn long_values_in_few_bytes_take_no_memory() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1 << 20)]));
    let one: ArrayRef = Arc::new(Float32Array::from(vec![1.5]));
    let zstd = Compression::ZSTD(Default::default());
    for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        let properties = WriterProperties::builder()
            .set_column_dictionary_enabled("key".into(), false)
            .set_column_encoding("key".into(), encoding);
        let file = encode_with(&[("key", &text), ("x", &one)], 300, zstd, properties);
        assert!(file.len() < 1 << 20, "{} bytes are not few", file.len());
        fs::write(&path, file).unwrap();
        let (ended, peak) = peak_memory(|| private(&path));
        assert_eq!(ended, [None, None]);
        // Where only the compression makes them few, a page is in memory as it was written.
        let shared = encoding == Encoding::DELTA_BYTE_ARRAY;
        assert!(!shared || peak < 100 << 20, "{encoding}, private: {peak} bytes");
        let (error, peak) = peak_memory(|| public(&path));
        assert!(error.contains("no table of measurements"), "{error}");
        assert!(peak < 100 << 20, "{encoding}, public: {peak} bytes");
    }
}
