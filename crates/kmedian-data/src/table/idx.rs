//! IDX, the format of MNIST: a type code, the number of dimensions, their sizes, and the elements,
//! all big-endian.

use std::path::Path;

use super::decode::Array;
use super::element::Element;
use crate::columns::Want;
use crate::demand::{DemandColumns, DemandOptions, Tally};
use crate::error::{Error, ErrorKind};
use crate::input::Input;
use crate::parts::Parts;
use crate::points::Points;

/// Reads an IDX file as a table: images become rows of pixels, labels become one column.
pub(crate) fn read(
    path: &Path,
    mut input: Input,
    want: Want<'_>,
    parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    array(path, &mut input)?.read(path, input, want, parts)
}

/// Counts the records of a private IDX file.
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
    let truncated = |_| {
        let what = "ends inside its header; copy or download it again";
        Error::new(ErrorKind::Truncated, path, what)
    };
    let mut magic = [0; 4];
    input.reader.read_exact(&mut magic).map_err(truncated)?;
    let [_, _, code, dimensions] = magic;
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        let mut size = [0; 4];
        input.reader.read_exact(&mut size).map_err(truncated)?;
        shape.push(u32::from_be_bytes(size) as usize);
    }
    let element = match code {
        0x08 => Element::U8,
        0x09 => Element::I8,
        0x0b => Element::I16,
        0x0c => Element::I32,
        0x0d => Element::F32,
        0x0e => Element::F64,
        _ => {
            let what = format!("has the unknown IDX type code {code:#04x}");
            return Err(Error::new(ErrorKind::Format, path, what));
        }
    };
    let format = if input.gzip { "IDX (gzip)" } else { "IDX" };
    let start = 4 + 4 * u64::from(dimensions);
    Ok(Array { shape, element, big_endian: true, fortran: false, format, start })
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{gzip, sample};
    use crate::{Error, ErrorKind, Points, PointsOptions, read_points};

    fn idx(code: u8, shape: &[u32], data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, code, shape.len() as u8];
        bytes.extend(shape.iter().flat_map(|n| n.to_be_bytes()));
        bytes.extend(data);
        bytes
    }

    fn read(content: impl AsRef<[u8]>) -> Result<Points, Error> {
        read_points(&sample("images-idx3-ubyte", content).path, &PointsOptions::default())
    }

    #[test]
    fn images_become_rows_and_labels_a_column() {
        let points = read(gzip(idx(8, &[2, 1, 2], &[1, 2, 3, 255]))).unwrap();
        assert_eq!((points.rows, points.dims, points.format), (2, 2, "IDX (gzip)"));
        assert_eq!(points.values, [1.0, 2.0, 3.0, 255.0]);
        let labels = read(idx(8, &[3], &[7, 0, 9])).unwrap();
        assert_eq!((labels.rows, labels.dims), (3, 1));
    }

    #[test]
    fn other_types_are_big_endian() {
        assert_eq!(read(idx(0x0b, &[1], &[0xff, 0xff])).unwrap().values, [-1.0]);
        assert_eq!(read(idx(0x0e, &[1], &1.5f64.to_be_bytes())).unwrap().values, [1.5]);
    }

    #[test]
    fn a_cut_file_is_truncated() {
        let error = read(idx(8, &[3, 1, 2], &[1, 2, 3])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        assert!(error.to_string().contains("after 1 of 3 rows"));
        assert_eq!(read([0, 0, 8, 3, 0]).unwrap_err().kind(), ErrorKind::Truncated);
        let mut half = gzip(idx(8, &[2, 1, 2], &[1, 2, 3, 255]));
        half.truncate(half.len() - 3);
        assert_eq!(read(half).unwrap_err().kind(), ErrorKind::Truncated);
    }
}
