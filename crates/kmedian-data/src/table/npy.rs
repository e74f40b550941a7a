//! NumPy's `.npy`: a magic number, a dictionary of three entries as text, and the elements.

use std::io::Read;
use std::path::Path;

use super::decode::Array;
use super::element::Element;
use crate::columns::Want;
use crate::demand::{DemandColumns, DemandOptions, Tally};
use crate::error::{Error, ErrorKind, quote};
use crate::input::Input;
use crate::parts::Parts;
use crate::points::Points;

/// Reads a `.npy` file of one or more dimensions as a table.
pub(crate) fn read(
    path: &Path,
    mut input: Input,
    want: Want<'_>,
    parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    array(path, &mut input)?.read(path, input, want, parts)
}

/// The number of rows of a `.npy` file, as its header says.
pub(crate) fn count_rows(path: &Path, mut input: Input) -> Result<u64, Error> {
    Ok(array(path, &mut input)?.shape.first().map_or(0, |&rows| rows as u64))
}

/// Counts the records of a private `.npy` file.
pub(crate) fn count(
    path: &Path,
    mut input: Input,
    options: &DemandOptions,
    tally: Option<&mut Tally<'_>>,
) -> Result<DemandColumns, Error> {
    let array = array(path, &mut input)?;
    let gzip = input.gzip;
    let reopen = || {
        let mut input = Input::open_as(path, gzip)?;
        self::array(path, &mut input)?;
        Ok(input.reader)
    };
    array.count(path, input, reopen, options, tally)
}

/// Reads the header, up to the first element of the array.
fn array(path: &Path, input: &mut Input) -> Result<Array, Error> {
    let format = if input.gzip { "NumPy (gzip)" } else { "NumPy" };
    Ok(Array { format, ..array_header(path, &mut input.reader)? })
}

/// Reads the header of an array that may be a part of a file.
pub(crate) fn array_header(path: &Path, reader: &mut dyn Read) -> Result<Array, Error> {
    let (header, start) = read_header(path, reader)?;
    Ok(Array { start, ..parse_header(path, &header, "NumPy")? })
}

/// The header as text, and the position in the file of the byte after it.
fn read_header(path: &Path, reader: &mut dyn Read) -> Result<(String, u64), Error> {
    let mut exactly = |bytes: &mut [u8]| {
        reader.read_exact(bytes).map_err(|_| {
            let what = "ends inside its header; copy or download it again";
            Error::new(ErrorKind::Truncated, path, what)
        })
    };
    let mut start = [0; 10];
    exactly(&mut start)?;
    let [.., major, _minor, low, high] = start;
    let (before, length) = match major {
        1 => (10, usize::from(u16::from_le_bytes([low, high]))),
        // From version 2 on, the length has four bytes. NumPy itself refuses headers of more than
        // 10,000 bytes.
        2 | 3 => {
            let mut rest = [0; 2];
            exactly(&mut rest)?;
            (12, u32::from_le_bytes([low, high, rest[0], rest[1]]).min(1 << 20) as usize)
        }
        _ => {
            let what = format!("is of .npy version {major}; versions 1 to 3 are read");
            return Err(Error::new(ErrorKind::Format, path, what));
        }
    };
    let mut header = vec![0; length];
    exactly(&mut header)?;
    Ok((String::from_utf8_lossy(&header).into_owned(), before + length as u64))
}

fn parse_header(path: &Path, header: &str, format: &'static str) -> Result<Array, Error> {
    let damaged = || {
        let what = format!("has a damaged .npy header: {}", quote(header.trim().as_bytes()));
        Error::new(ErrorKind::Format, path, what)
    };
    let descr = entry(header, "descr").ok_or_else(damaged)?;
    let fortran = match entry(header, "fortran_order").ok_or_else(damaged)? {
        value if value.starts_with("True") => true,
        value if value.starts_with("False") => false,
        _ => return Err(damaged()),
    };
    let shape = entry(header, "shape")
        .and_then(|value| value.strip_prefix('(')?.split_once(')'))
        .and_then(|(inside, _)| parse_shape(inside))
        .ok_or_else(damaged)?;
    let quoted = descr.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next());
    let (element, big_endian) = quoted.and_then(parse_type).ok_or_else(|| {
        let descr = quoted.map_or("a structure".to_owned(), |descr| quote(descr.as_bytes()));
        let what = format!("holds elements of type {descr}; save an array of plain numbers");
        Error::new(ErrorKind::Format, path, what)
    })?;
    Ok(Array { shape, element, big_endian, fortran, format, start: 0 })
}

/// The text of a header after `'key':`; `None` if it is not there.
fn entry<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{key}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn parse_shape(inside: &str) -> Option<Vec<usize>> {
    inside
        .split(',')
        .map(|n| n.trim().trim_end_matches('L'))
        .filter(|n| !n.is_empty())
        .map(|n| n.parse().ok())
        .collect()
}

/// The type and whether it is big-endian, from a code such as `<f8`.
fn parse_type(descr: &str) -> Option<(Element, bool)> {
    let order = descr.chars().next()?;
    let element = match &descr[order.len_utf8()..] {
        "b1" => Element::Bool,
        "u1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return None,
    };
    matches!(order, '<' | '>' | '|' | '=').then_some((element, order == '>'))
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{gzip, sample};
    use crate::{Error, ErrorKind, Points, PointsOptions, read_points, read_weights};

    fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let header =
            format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(content: impl AsRef<[u8]>) -> Result<Points, Error> {
        read_points(&sample("a.npy", content).path, &PointsOptions::default())
    }

    #[test]
    fn rows_of_bytes() {
        let file = npy("'|u1'", false, "(2, 3)", &[1, 2, 3, 4, 5, 255]);
        for content in [file.clone(), gzip(file)] {
            let points = read(content).unwrap();
            assert_eq!((points.rows, points.dims), (2, 3));
            assert_eq!(points.values, [1.0, 2.0, 3.0, 4.0, 5.0, 255.0]);
            assert_eq!(points.columns, ["0", "1", "2"]);
        }
    }

    #[test]
    fn fortran_order_and_more_dimensions() {
        let points = read(npy("'|u1'", true, "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
        assert_eq!(points.values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let points = read(npy("'|u1'", false, "(2, 1, 2)", &[1, 2, 3, 4])).unwrap();
        assert_eq!((points.rows, points.dims), (2, 2));
        let points = read(npy("'|u1'", false, "(3,)", &[1, 2, 3])).unwrap();
        assert_eq!((points.rows, points.dims), (3, 1));
    }

    #[test]
    fn floats_in_both_byte_orders() {
        let big: Vec<u8> = [1.5f64, -2.0].iter().flat_map(|v| v.to_be_bytes()).collect();
        assert_eq!(read(npy("'>f8'", false, "(1, 2)", &big)).unwrap().values, [1.5, -2.0]);
        let little: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(read(npy("'<f4'", false, "(2, 1)", &little)).unwrap().values, [1.5, -2.0]);
    }

    #[test]
    fn ids_and_weights_by_position() {
        let file = sample("a.npy", npy("'|i1'", false, "(2, 3)", &[7, 2, 3, 8, 5, 6]));
        let options = PointsOptions {
            id: Some(0.into()),
            weight: Some(2.into()),
            ..PointsOptions::default()
        };
        let points = read_points(&file.path, &options).unwrap();
        assert_eq!(points.ids.unwrap(), ["7", "8"]);
        assert_eq!(points.weights.unwrap(), [3.0, 6.0]);
        assert_eq!(points.values, [2.0, 5.0]);
        let file = sample("w.npy", npy("'|i1'", false, "(2,)", &[1, 0xff]));
        let error = read_weights(&file.path, None).unwrap_err().to_string();
        assert!(error.contains("row 2, column `0`: the weight `-1` is negative"), "{error}");
    }

    #[test]
    fn errors_say_what_and_where() {
        let nan: Vec<u8> = [1.0f64, f64::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
        let huge: Vec<u8> = [1.0f64, 1e300].iter().flat_map(|v| v.to_le_bytes()).collect();
        for (content, kind, what) in [
            (npy("'<f8'", false, "(2, 1)", &nan), ErrorKind::Value, "row 2, column `0`: `NaN`"),
            (npy("'<f8'", false, "(1, 2)", &huge), ErrorKind::Value, "column `1`: `1e300` is too"),
            (npy("'<f8'", false, "(3, 1)", &[0; 16]), ErrorKind::Truncated, "after 2 of 3 rows"),
            (npy("'<f8'", true, "(2, 2)", &[0; 16]), ErrorKind::Truncated, "after 1 of 2 columns"),
            (npy("'|O'", false, "(2,)", b""), ErrorKind::Format, "type `|O`"),
            (npy("[('x', '<f8')]", false, "(2,)", b""), ErrorKind::Format, "a structure"),
            (npy("'<f8'", false, "()", &nan), ErrorKind::Shape, "a single number"),
            (npy("'<f8'", false, "(0, 3)", b""), ErrorKind::Empty, "[0, 3]"),
            (
                npy("'<f8'", false, "(4294967296, 4294967296)", b""),
                ErrorKind::Format,
                "impossible shape",
            ),
            (b"\x93NUMPY\x01\x00\xff".to_vec(), ErrorKind::Truncated, "inside its header"),
            (b"\x93NUMPY\x09\x00\x01\x00\x00".to_vec(), ErrorKind::Format, "version 9"),
        ] {
            let error = read(content).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }

    #[test]
    fn bytes_after_the_array_are_noted() {
        let points = read(npy("'|u1'", false, "(1, 1)", &[1, 2])).unwrap();
        assert_eq!(points.notes.len(), 1);
    }
}
