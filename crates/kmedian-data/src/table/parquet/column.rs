//! One column of a Parquet file as numbers or as text.

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::demand::{Cell, number_of};

/// A column of numbers, or of lists of equally many numbers.
pub(super) struct Numbers {
    /// The numbers, row after row.
    pub(super) values: Vec<f64>,
    /// The number of numbers in each row.
    pub(super) width: usize,
    /// Whether each row is a list.
    pub(super) list: bool,
}

impl Numbers {
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..(row + 1) * self.width]
    }
}

/// Why a column cannot be read. Rows count from 0 within the batch.
pub(super) enum BadColumn {
    /// A value is missing.
    Null { row: usize },
    /// A text is not UTF-8.
    NotUtf8 { row: usize },
    /// A list has another length than the first.
    Length { row: usize, found: usize, expected: usize },
    /// The type of the column is not supported.
    Type,
}

/// Whether values of this type can be coordinates: numbers, or lists of numbers.
pub(super) fn is_numeric(data_type: &DataType) -> bool {
    match data_type {
        DataType::Boolean | DataType::Decimal128(..) => true,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_numeric(item.data_type()) && !is_list(item.data_type())
        }
        DataType::Dictionary(_, value) => value.is_integer() || value.is_floating(),
        other => other.is_integer() || other.is_floating(),
    }
}

/// Whether each value is a list.
pub(super) fn is_list(data_type: &DataType) -> bool {
    use DataType::{FixedSizeList, LargeList, List};
    matches!(data_type, List(_) | LargeList(_) | FixedSizeList(..))
}

/// Whether values of this type are text, or bytes that may be text.
pub(super) fn is_text(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeUtf8, Utf8, Utf8View};
    match data_type {
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => true,
        Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// Whether values of this type can name rows: text and numbers. A column in which every value is
/// missing has a type of its own, which counts too.
pub(super) fn is_readable_id(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null => true,
        DataType::Dictionary(_, value) => is_readable_id(value),
        other => is_text(other) || is_numeric(other) && !is_list(other),
    }
}

/// The column as numbers.
pub(super) fn numbers(array: &ArrayRef) -> Result<Numbers, BadColumn> {
    no_nulls(array)?;
    match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let ends = lists.value_offsets().iter().map(|&end| end as usize);
            equal_lists(ends.collect(), lists.values())
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let ends = lists.value_offsets().iter().map(|&end| end as usize);
            equal_lists(ends.collect(), lists.values())
        }
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let ends = (0..=lists.len()).map(|row| lists.value_offset_at(row));
            equal_lists(ends.collect(), lists.values())
        }
        _ => Ok(Numbers { values: flat(array)?, width: 1, list: false }),
    }
}

fn no_nulls(array: &ArrayRef) -> Result<(), BadColumn> {
    // A dictionary may hold a null among its values. Only the logical nulls show that.
    match array.logical_nulls().and_then(|nulls| (0..array.len()).find(|&row| nulls.is_null(row))) {
        Some(row) => Err(BadColumn::Null { row }),
        None => Ok(()),
    }
}

/// The numbers of lists that must all have the length of the first. `ends` has the beginning of the
/// first list in `items`, and then the end of each.
fn equal_lists(ends: Vec<usize>, items: &ArrayRef) -> Result<Numbers, BadColumn> {
    let (Some(&first), Some(&last)) = (ends.first(), ends.last()) else {
        return Ok(Numbers { values: Vec::new(), width: 0, list: true });
    };
    let mut lengths = ends.windows(2).map(|pair| pair[1] - pair[0]);
    let width = lengths.next().unwrap_or(0);
    if let Some((row, found)) = lengths.enumerate().find(|&(_, length)| length != width) {
        return Err(BadColumn::Length { row: row + 1, found, expected: width });
    }
    let items = items.slice(first, last - first);
    no_nulls(&items).map_err(|bad| match bad {
        BadColumn::Null { row } => BadColumn::Null { row: row / width.max(1) },
        other => other,
    })?;
    Ok(Numbers { values: flat(&items)?, width, list: true })
}

/// The numbers of a column without lists or nulls.
fn flat(array: &ArrayRef) -> Result<Vec<f64>, BadColumn> {
    macro_rules! cast {
        ($kind:ty) => {
            array.as_primitive::<$kind>().values().iter().map(|&value| value as f64).collect()
        };
    }
    Ok(match array.data_type() {
        DataType::Boolean => {
            let bits = array.as_boolean().values();
            bits.iter().map(|bit| f64::from(u8::from(bit))).collect()
        }
        DataType::Int8 => cast!(Int8Type),
        DataType::Int16 => cast!(Int16Type),
        DataType::Int32 => cast!(Int32Type),
        DataType::Int64 => cast!(Int64Type),
        DataType::UInt8 => cast!(UInt8Type),
        DataType::UInt16 => cast!(UInt16Type),
        DataType::UInt32 => cast!(UInt32Type),
        DataType::UInt64 => cast!(UInt64Type),
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().map(|v| v.to_f64()).collect()
        }
        DataType::Float32 => cast!(Float32Type),
        DataType::Float64 => cast!(Float64Type),
        DataType::Decimal128(_, scale) => {
            let unit = 10f64.powi(i32::from(*scale));
            let values = array.as_primitive::<Decimal128Type>().values();
            values.iter().map(|&value| value as f64 / unit).collect()
        }
        DataType::Dictionary(..) => {
            let values = flat(array.as_any_dictionary().values())?;
            keys(array).into_iter().map(|key| values[key]).collect()
        }
        _ => return Err(BadColumn::Type),
    })
}

/// For each row, whether it has no gap: no null, NaN or infinity in any of the columns.
pub(super) fn full_rows(columns: &[&ArrayRef], rows: usize) -> Vec<bool> {
    let mut full = vec![true; rows];
    for array in columns {
        let nulls = array.logical_nulls();
        let floats = array.data_type().is_floating().then(|| flat(array).ok()).flatten();
        for (row, full) in full.iter_mut().enumerate() {
            let null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            let infinite = floats.as_ref().is_some_and(|values| !values[row].is_finite());
            *full &= !null && !infinite;
        }
    }
    full
}

/// The numbers of a column of coordinates; NaN where a value is null or is not a finite number.
pub(super) fn numbers_or_nan(array: &ArrayRef) -> Result<Vec<f64>, BadColumn> {
    let data_type = array.data_type();
    if is_numeric(data_type) && !matches!(data_type, DataType::Dictionary(..)) {
        let mut numbers = flat(array)?;
        for (row, number) in numbers.iter_mut().enumerate() {
            if !array.is_valid(row) || !number.is_finite() {
                *number = f64::NAN;
            }
        }
        return Ok(numbers);
    }
    let mut numbers = Vec::with_capacity(array.len());
    for_each_cell(array, &mut |cell| {
        numbers.push(match cell {
            Cell::Text(text) => number_of(text),
            Cell::Whole(number) => number as f64,
            Cell::Missing => f64::NAN,
        });
    })?;
    Ok(numbers)
}

/// Calls `push` with the text of every row. Numbers are written out, integers exactly.
pub(super) fn texts(array: &ArrayRef, push: &mut dyn FnMut(&str)) -> Result<(), BadColumn> {
    no_nulls(array)?;
    let mut row = 0;
    let mut bad = None;
    for_each_cell(array, &mut |cell| {
        match cell {
            _ if bad.is_some() => {}
            Cell::Text(text) => push(text),
            Cell::Whole(number) => push(&number.to_string()),
            Cell::Missing => bad = Some(row),
        }
        row += 1;
    })?;
    // No value is null, so a row without text is not UTF-8.
    bad.map_or(Ok(()), |row| Err(BadColumn::NotUtf8 { row }))
}

/// Calls `push` with the cell of every row: missing where a value is null or not UTF-8.
pub(super) fn for_each_cell(
    array: &ArrayRef,
    push: &mut dyn FnMut(Cell<'_>),
) -> Result<(), BadColumn> {
    macro_rules! whole {
        ($kind:ty) => {
            for number in array.as_primitive::<$kind>().iter() {
                push(number.map_or(Cell::Missing, |number| Cell::Whole(number.into())));
            }
        };
    }
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(|text| push(text.into())),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(|text| push(text.into())),
        DataType::Utf8View => array.as_string_view().iter().for_each(|text| push(text.into())),
        DataType::BinaryView => array
            .as_binary_view()
            .iter()
            .for_each(|bytes| push(bytes.and_then(|bytes| str::from_utf8(bytes).ok()).into())),
        DataType::Null => (0..array.len()).for_each(|_| push(Cell::Missing)),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => write_each(array.as_primitive::<UInt64Type>().iter(), push),
        DataType::Float32 => write_each(array.as_primitive::<Float32Type>().iter(), push),
        DataType::Boolean => write_each(array.as_boolean().iter(), push),
        DataType::Decimal128(_, scale) => {
            let numbers = array.as_primitive::<Decimal128Type>().iter();
            write_each(numbers.map(|number| Some(decimal(number?, *scale))), push);
        }
        DataType::Dictionary(..) => {
            let mut values: Vec<Option<String>> = Vec::new();
            let dictionary = array.as_any_dictionary();
            for_each_cell(dictionary.values(), &mut |cell| {
                values.push(match cell {
                    Cell::Missing => None,
                    Cell::Text(text) => Some(text.to_owned()),
                    Cell::Whole(number) => Some(number.to_string()),
                });
            })?;
            let keys = keys(array);
            for row in 0..array.len() {
                let key = keys.get(row).filter(|_| array.is_valid(row));
                push(key.and_then(|&key| values[key].as_deref()).into());
            }
        }
        _ => {
            let numbers = flat(array)?.into_iter().enumerate();
            write_each(numbers.map(|(row, n)| array.is_valid(row).then_some(n)), push);
        }
    }
    Ok(())
}

/// A decimal number in all of its digits: by way of a float, owners that differ in the seventeenth
/// digit would be one. Zeros at the end of a fraction are left out.
fn decimal(number: i128, scale: i8) -> String {
    let digits = number.unsigned_abs().to_string();
    let sign = if number < 0 { "-" } else { "" };
    let Ok(places @ 1..) = usize::try_from(scale) else {
        let zeros = if number == 0 { 0 } else { usize::from(scale.unsigned_abs()) };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    };
    // At least one digit is before the point.
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Calls `push` with the text of every value. All are written into one buffer, which is reused.
fn write_each<T: Display>(values: impl Iterator<Item = Option<T>>, push: &mut dyn FnMut(Cell<'_>)) {
    let mut text = String::new();
    for value in values {
        text.clear();
        // Writing to a string cannot fail.
        let written = value.and_then(|value| write!(text, "{value}").ok());
        push(written.map(|()| text.as_str()).into());
    }
}

/// For each row, the position of its value in the dictionary; an arbitrary one where the row is
/// null. Empty if the dictionary has no values.
fn keys(array: &ArrayRef) -> Vec<usize> {
    let dictionary = array.as_any_dictionary();
    if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() }
}
