//! Tests of values that are not UTF-8, columns without a value, and files with damaged bytes.

use std::num::NonZeroU32;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Int8Array, Int32Array, Int64Array,
    LargeBinaryArray, LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use rand::{SeedableRng, rngs::ChaCha20Rng};

use super::tests::encode;
use crate::input::testing::sample;
use crate::{
    DemandOptions, Error, ErrorKind, ItemKeys, PointsOptions, UnitBound, check_demand, read_demand,
    read_points,
};

/// The counts of the items `a` and `b`, and how many records were dropped. If a column of owners is
/// given, at most nine records of an owner are counted.
fn count(content: &[u8], unit: Option<&str>) -> Result<(Vec<u64>, u64), Error> {
    let file = sample("d.parquet", content);
    let ids = ["a", "b"].map(String::from);
    let keys = ItemKeys::named(&file.path, &ids)?;
    let bound = |unit: &str| UnitBound { column: unit.into(), most: NonZeroU32::new(9).unwrap() };
    let options = DemandOptions {
        key: Some("key".into()),
        unit: unit.map(bound),
        ..DemandOptions::default()
    };
    check_demand(&file.path, &options)?;
    let demand = read_demand(&file.path, &keys, &options, &mut ChaCha20Rng::seed_from_u64(1))?;
    let facts = demand.nonprivate;
    Ok((demand.counts, facts.unknown + facts.without_unit))
}

/// Replaces every occurrence of some bytes by others of the same length.
fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut found = 0;
    for place in 0..bytes.len() - from.len() {
        if bytes[place..].starts_with(from) {
            bytes[place..place + to.len()].copy_from_slice(to);
            found += 1;
        }
    }
    assert!(found > 0);
    bytes
}

#[test]
fn a_value_that_is_not_utf8_drops_its_record_alone() {
    let keys = ["a", "xyzzy", "b", "a"];
    let owners: ArrayRef = Arc::new(StringArray::from(vec!["u", "v", "plugh", "w"]));
    let columns: [ArrayRef; 4] = [
        Arc::new(StringArray::from(keys.to_vec())),
        Arc::new(LargeStringArray::from(keys.to_vec())),
        Arc::new(StringViewArray::from(keys.to_vec())),
        Arc::new(keys.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        let kind = column.data_type().clone();
        let columns = vec![("key", column), ("owner", owners.clone())];
        let bytes = encode(columns, Compression::UNCOMPRESSED);
        let bytes = replaced(bytes, b"xyzzy", b"x\xff\xfe\x80y");
        assert_eq!(count(&bytes, None), Ok((vec![2, 1], 1)), "{kind}");
        let bytes = replaced(bytes, b"plugh", b"p\xff\xfe\x80h");
        assert_eq!(count(&bytes, Some("owner")), Ok((vec![2, 0], 2)), "{kind}");
    }
}

/// Categories of numbers with codes of a byte: the library cannot make a batch of more numbers than
/// there are codes. It is one record that makes them too many, if pieces of a table are joined.
#[test]
fn numbers_written_as_categories_are_counted_however_many_there_are() {
    let piece = |numbers: std::ops::Range<i64>| -> ArrayRef {
        let codes = Int8Array::from_iter_values(0..numbers.clone().count() as i8);
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers));
        Arc::new(DictionaryArray::<Int8Type>::try_new(codes, values).unwrap())
    };
    for last in [128, 129, 200] {
        let pieces = [piece(0..100), piece(100..last)];
        let schema = RecordBatch::try_from_iter([("key", pieces[0].clone())]).unwrap().schema();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, schema.clone(), None).unwrap();
        for piece in pieces {
            writer.write(&RecordBatch::try_new(schema.clone(), vec![piece]).unwrap()).unwrap();
        }
        writer.close().unwrap();
        let file = sample("d.parquet", bytes);
        let options = DemandOptions { key: Some("key".into()), ..DemandOptions::default() };
        check_demand(&file.path, &options).unwrap();
        let demand = read_demand(
            &file.path,
            &ItemKeys::positions(150),
            &options,
            &mut ChaCha20Rng::seed_from_u64(1),
        );
        let counted = demand.unwrap().counts.iter().sum::<u64>();
        assert_eq!(counted, last.min(150) as u64, "{last}");
    }
}

/// Categories of yes and no, which the library cannot make at all.
#[test]
fn yes_and_no_written_as_categories_name_nothing() {
    let values: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    for rows in [0, 1] {
        let codes = Int32Array::from(vec![0; rows]);
        let column = DictionaryArray::<Int32Type>::try_new(codes, values.clone()).unwrap();
        let bytes = encode(vec![("key", Arc::new(column))], Compression::UNCOMPRESSED);
        assert_eq!(count(&bytes, None), Ok((vec![0, 0], rows as u64)));
    }
}

#[test]
fn bytes_may_name_items_and_rows() {
    let values: Vec<&[u8]> = vec![b"a", b"\xff", b"b"];
    let columns: [ArrayRef; 2] =
        [Arc::new(BinaryArray::from(values.clone())), Arc::new(LargeBinaryArray::from(values))];
    for column in columns {
        let x: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
        let bytes = encode(vec![("key", column), ("x", x)], Compression::SNAPPY);
        assert_eq!(count(&bytes, None), Ok((vec![1, 1], 1)));
        let options = PointsOptions { id: Some("key".into()), ..PointsOptions::default() };
        let error = read_points(&sample("p.parquet", bytes).path, &options).unwrap_err();
        assert!(
            error.to_string().contains("row 2, column `key`: the text is not UTF-8"),
            "{error}"
        );
    }
}

#[test]
fn a_column_of_nothing_drops_every_record() {
    let none: ArrayRef = Arc::new(NullArray::new(3));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a"]));
    let bytes = encode(vec![("key", none.clone())], Compression::SNAPPY);
    assert_eq!(count(&bytes, None), Ok((vec![0, 0], 3)));
    let bytes = encode(vec![("key", names), ("owner", none)], Compression::SNAPPY);
    assert_eq!(count(&bytes, None), Ok((vec![2, 1], 0)));
    assert_eq!(count(&bytes, Some("owner")), Ok((vec![0, 0], 3)));
}

#[test]
fn no_damaged_byte_panics() {
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a"]));
    let x: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let whole = encode(vec![("key", names), ("x", x)], Compression::SNAPPY);
    assert_eq!(count(&whole, None), Ok((vec![2, 1], 0)));
    let options = PointsOptions { id: Some("key".into()), ..PointsOptions::default() };
    for place in 4..whole.len() - 4 {
        for value in [0, 0x7f, 0xff, whole[place] ^ 1, whole[place].wrapping_add(0x10)] {
            let mut bytes = whole.clone();
            bytes[place] = value;
            let read = [
                count(&bytes, None).map(|_| ()),
                read_points(&sample("p.parquet", &bytes).path, &options).map(|_| ()),
            ];
            for error in read.into_iter().filter_map(Result::err) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
}

#[test]
fn an_index_that_lies_is_found_before_a_row_is_read() {
    let x: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let whole = encode(vec![("key", x)], Compression::UNCOMPRESSED);
    let end = whole.len();
    let mut long = whole.clone();
    long[end - 8..end - 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = count(&long, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("its index is longer than the file"), "{error}");
    // Cut out some of the data: all that follows, and the column's end, is not where the index
    // says.
    let mut cut = whole;
    cut.drain(6..30);
    let error = count(&cut, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format, "{error}");
}

/// A file of one column of text, in one of the encodings that begin with the lengths of all values.
fn by_lengths(encoding: Encoding, compression: Compression, version: WriterVersion) -> Vec<u8> {
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("b"), Some("a")]));
    let batch = RecordBatch::try_from_iter([("key", names)]).unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(encoding)
        .set_compression(compression)
        .set_writer_version(version);
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn a_page_that_claims_more_lengths_than_it_has_is_refused() {
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let zipped = by_lengths(encoding, Compression::SNAPPY, version);
            assert_eq!(count(&zipped, None), Ok((vec![2, 1], 1)));
            let whole = by_lengths(encoding, Compression::UNCOMPRESSED, version);
            assert_eq!(count(&whole, None), Ok((vec![2, 1], 1)));
            // The head of the lengths: blocks of 128 in four parts, and three values.
            let claim = replaced(whole, &[0x80, 1, 4, 3], &[0x80, 1, 4, 0x7f]);
            let error = count(&claim, None).unwrap_err();
            assert!(error.to_string().contains("a page is not what its head says"), "{error}");
        }
    }
}
