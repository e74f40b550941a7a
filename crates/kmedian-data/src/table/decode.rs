//! Arrays of binary numbers: what `.npy` and IDX have in common.

use std::io::{self, Read};
use std::path::Path;

use crate::columns::{Names, Selection, Want};
use crate::error::{Error, ErrorKind};
use crate::number::{BadNumber, check_weight, narrow};
use crate::points::Points;

/// The type of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl Element {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Decodes all of `bytes` into `out`, which is cleared first.
    fn decode(self, bytes: &[u8], big_endian: bool, out: &mut Vec<f64>) {
        macro_rules! decode {
            ($number:ty) => {{
                let (elements, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
                if big_endian {
                    out.extend(elements.iter().map(|&e| <$number>::from_be_bytes(e) as f64));
                } else {
                    out.extend(elements.iter().map(|&e| <$number>::from_le_bytes(e) as f64));
                }
            }};
        }
        out.clear();
        match self {
            Self::Bool => out.extend(bytes.iter().map(|&byte| f64::from(u8::from(byte != 0)))),
            Self::U8 => decode!(u8),
            Self::I8 => decode!(i8),
            Self::U16 => decode!(u16),
            Self::I16 => decode!(i16),
            Self::U32 => decode!(u32),
            Self::I32 => decode!(i32),
            Self::U64 => decode!(u64),
            Self::I64 => decode!(i64),
            Self::F32 => decode!(f32),
            Self::F64 => decode!(f64),
            Self::F16 => {
                let (elements, _) = bytes.as_chunks::<2>();
                out.extend(elements.iter().map(|&element| {
                    half_to_f64(if big_endian {
                        u16::from_be_bytes(element)
                    } else {
                        u16::from_le_bytes(element)
                    })
                }));
            }
        }
    }
}

/// IEEE 754 half precision: 1 sign bit, 5 exponent bits, 10 fraction bits.
fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    sign * size
}

/// An array that follows in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) element: Element,
    pub(crate) big_endian: bool,
    /// Whether the first index varies fastest, as in Fortran.
    pub(crate) fortran: bool,
    pub(crate) format: &'static str,
}

impl Array {
    /// Reads the array as a table: the first index counts rows, all others columns.
    pub(crate) fn read(
        &self,
        path: &Path,
        reader: &mut dyn Read,
        want: Want<'_>,
    ) -> Result<Points, Error> {
        let (rows, width) = self.table_shape(path)?;
        let names: Vec<String> = (0..width).map(|column| column.to_string()).collect();
        let selection = want.resolve(&Names { path, names: &names, given: false }, |_| true)?;
        let mut points = Points {
            rows,
            dims: selection.features.len(),
            values: Vec::new(),
            columns: selection.features.iter().map(|&column| names[column].clone()).collect(),
            ids: selection.id.map(|_| Vec::new()),
            weights: selection.weight.map(|_| Vec::new()),
            format: self.format,
            notes: Vec::new(),
        };
        if self.fortran && rows > 1 && width > 1 {
            let table = self.transposed(path, reader, rows, width)?;
            for (row, values) in table.chunks_exact(width).enumerate() {
                push_row(path, row, values, &selection, &mut points)?;
            }
        } else {
            let mut bytes = vec![0; width * self.element.size()];
            let mut values = Vec::with_capacity(width);
            for row in 0..rows {
                reader
                    .read_exact(&mut bytes)
                    .map_err(|error| self.cut_short(path, row, rows, &error))?;
                self.element.decode(&bytes, self.big_endian, &mut values);
                push_row(path, row, &values, &selection, &mut points)?;
            }
        }
        if matches!(reader.read(&mut [0]), Ok(1)) {
            points.notes.push("bytes after the end of the array were ignored".to_owned());
        }
        Ok(points)
    }

    fn table_shape(&self, path: &Path) -> Result<(usize, usize), Error> {
        let Some((&rows, rest)) = self.shape.split_first() else {
            let what = "holds a single number, not an array";
            return Err(Error::new(ErrorKind::Shape, path, what));
        };
        // A damaged header can claim any shape: a row of 4 GiB is no row.
        let plausible = |&width: &usize| {
            width.checked_mul(self.element.size()).is_some_and(|row| {
                row < 1 << 32 && rows.checked_mul(row).is_some_and(|bytes| bytes < 1 << 62)
            })
        };
        let width = rest.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        match width.filter(plausible) {
            None => {
                let what = format!("claims the impossible shape {:?}", self.shape);
                Err(Error::new(ErrorKind::Format, path, what))
            }
            Some(width) if rows == 0 || width == 0 => {
                let what = format!("holds no numbers: its shape is {:?}", self.shape);
                Err(Error::new(ErrorKind::Empty, path, what))
            }
            Some(width) => Ok((rows, width)),
        }
    }

    /// Reads an array in Fortran order and lays it out row after row.
    fn transposed(
        &self,
        path: &Path,
        reader: &mut dyn Read,
        rows: usize,
        width: usize,
    ) -> Result<Vec<f64>, Error> {
        // Reading before allocating the table: the shape is only a claim.
        let size = self.element.size();
        let mut bytes = Vec::new();
        reader
            .take((rows * width * size) as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::reading(path, &error))?;
        if bytes.len() < rows * width * size {
            let columns = bytes.len() / (rows * size);
            let what =
                format!("ends after {columns} of {width} columns; copy or download it again");
            return Err(Error::new(ErrorKind::Truncated, path, what));
        }
        let mut table = vec![0.0; rows * width];
        let mut values = Vec::with_capacity(rows);
        for (stored, column) in bytes.chunks_exact(rows * size).enumerate() {
            self.element.decode(column, self.big_endian, &mut values);
            let column = row_major_column(stored, &self.shape[1..]);
            for (row, &value) in values.iter().enumerate() {
                table[row * width + column] = value;
            }
        }
        Ok(table)
    }

    fn cut_short(&self, path: &Path, row: usize, rows: usize, error: &io::Error) -> Error {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            let what = format!("ends after {row} of {rows} rows; copy or download it again");
            Error::new(ErrorKind::Truncated, path, what)
        } else {
            Error::reading(path, error)
        }
    }
}

/// The column of a flattened row for the `stored`-th column of an array in Fortran order.
fn row_major_column(mut stored: usize, shape: &[usize]) -> usize {
    let mut column = 0;
    let mut stride: usize = shape.iter().product();
    for &n in shape {
        stride /= n;
        column += stored % n * stride;
        stored /= n;
    }
    column
}

fn push_row(
    path: &Path,
    row: usize,
    values: &[f64],
    selection: &Selection,
    points: &mut Points,
) -> Result<(), Error> {
    let at = |column: usize, what: String| {
        let message = format!("row {}, column `{column}`: {what}", row + 1);
        Err(Error::new(ErrorKind::Value, path, message))
    };
    for &column in &selection.features {
        match narrow(values[column]) {
            Ok(value) => points.values.push(value),
            Err(bad) => return at(column, explain(bad, values[column])),
        }
    }
    if let (Some(column), Some(ids)) = (selection.id, &mut points.ids) {
        ids.push(values[column].to_string());
    }
    if let (Some(column), Some(weights)) = (selection.weight, &mut points.weights) {
        match check_weight(values[column]) {
            Ok(weight) => weights.push(weight),
            Err(what) => {
                let weight = values[column];
                return at(
                    column,
                    format!("the weight `{weight}` {what}; weights are finite numbers from 0 up"),
                );
            }
        }
    }
    Ok(())
}

/// What is wrong with a number of a binary file, and what to do.
pub(crate) fn explain(bad: BadNumber, value: f64) -> String {
    let cell = format!("{value:?}");
    format!("{}; {}", bad.what(cell.as_bytes()), bad.advice(cell.as_bytes(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_decode() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_953_125),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x7bff, 65504.0),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), value);
        }
        assert!(half_to_f64(0x7e00).is_nan());
    }

    #[test]
    fn both_byte_orders_decode() {
        let mut out = Vec::new();
        Element::I16.decode(&[0xff, 0xfe, 0, 1], true, &mut out);
        assert_eq!(out, [-2.0, 1.0]);
        Element::I16.decode(&[0xfe, 0xff, 1, 0], false, &mut out);
        assert_eq!(out, [-2.0, 1.0]);
        Element::Bool.decode(&[0, 1, 7], false, &mut out);
        assert_eq!(out, [0.0, 1.0, 1.0]);
    }

    #[test]
    fn fortran_columns_are_put_in_their_place() {
        let order: Vec<usize> = (0..6).map(|stored| row_major_column(stored, &[2, 3])).collect();
        assert_eq!(order, [0, 3, 1, 4, 2, 5]);
    }
}
