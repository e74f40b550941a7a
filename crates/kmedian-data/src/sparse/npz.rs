//! SciPy's `.npz` of a CSR matrix: a zip archive of NumPy arrays.

use std::io::Read;
use std::path::Path;

use super::zip::Archive;
use super::{SparseRows, check_columns, check_distinct};
use crate::error::{Error, ErrorKind, quote};
use crate::number::narrow;
use crate::table::{Array, array_header};

/// The bytes of an array that are decoded at once: 64 KiB, so that memory grows with what is read
/// and not with what a header claims. A multiple of the size of every element.
const CHUNK: usize = 1 << 16;

pub(super) fn read(path: &Path) -> Result<SparseRows, Error> {
    let archive = Archive::open(path)?;
    check_format(path, &archive)?;
    let fail = |kind, what: String| Err(Error::new(kind, path, what));
    let shape = numbers(path, &archive, "shape.npy", Some(2), Ok)?;
    let whole = |number: f64| number.fract() == 0.0 && (0.0..4e15).contains(&number);
    let &[rows, dims] = shape.as_slice() else {
        return fail(ErrorKind::Shape, "its shape is not one of two dimensions".into());
    };
    if !whole(rows) || !whole(dims) || dims > f64::from(u32::MAX) {
        return fail(ErrorKind::Shape, format!("its shape ({rows}, {dims}) is none of a matrix"));
    }
    let (rows, dims) = (rows as usize, dims as usize);
    // How long all arrays are is known before a number of them is believed.
    let entries = length(path, &archive, "indices.npy")?;
    for (name, expected) in [("data.npy", Some(entries)), ("indptr.npy", rows.checked_add(1))] {
        let found = length(path, &archive, name)?;
        if Some(found) != expected {
            return fail(
                ErrorKind::Shape,
                format!("{name} has {found} numbers, which do not fit its shape; write it again"),
            );
        }
    }
    check_columns(path, dims, entries)?;
    let mut last = 0.0;
    let starts = numbers(path, &archive, "indptr.npy", None, |number| {
        let rises = whole(number) && number >= last && number <= entries as f64;
        last = number;
        rises.then_some(number as usize).ok_or("the starts of its rows do not rise".to_owned())
    })?;
    if (starts.first(), starts.last()) != (Some(&0), Some(&entries)) {
        let what = format!("the starts of its rows do not rise from 0 to {entries}");
        return fail(ErrorKind::Shape, what);
    }
    let mut at = 0;
    let columns = numbers(path, &archive, "indices.npy", None, |number| {
        let row = starts.partition_point(|&start| start <= at);
        at += 1;
        if number < 0.0 {
            let advice = "columns count from 0: make the matrix again";
            return Err(format!("row {row} has the negative column {number}; {advice}"));
        }
        if !whole(number) || number >= dims as f64 {
            return Err(format!(
                "row {row} has the column {number}, but there are only {dims}; make the matrix again, with more columns"
            ));
        }
        Ok(number as u32)
    })?;
    for (row, bounds) in starts.windows(2).enumerate() {
        if let Err(what) = check_distinct(&columns[bounds[0]..bounds[1]]) {
            let what = format!("row {} {what}, for example with X.sum_duplicates()", row + 1);
            return fail(ErrorKind::Value, what);
        }
    }
    let mut at = 0;
    let values = numbers(path, &archive, "data.npy", None, |number| {
        let (row, column) = (starts.partition_point(|&start| start <= at), columns[at]);
        at += 1;
        narrow(number).map_err(|bad| {
            format!("row {row}, column {column}: {}", bad.explained(number.to_string().as_bytes()))
        })
    })?;
    Ok(SparseRows { dims, starts, columns, values, format: "SciPy CSR", notes: Vec::new() })
}

/// Refuses matrices that are not kept by rows.
fn check_format(path: &Path, archive: &Archive<'_>) -> Result<(), Error> {
    let member = archive.member("format.npy")?;
    let mut bytes = Vec::new();
    // The header of a .npy file has at least 64 bytes, and the name of the format three or more.
    archive
        .read(&member)?
        .take(1 << 12)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::reading(path, &error))?;
    let name: Vec<u8> = bytes.iter().rev().copied().take_while(|&byte| byte != b'\n').collect();
    let name: Vec<u8> = name.into_iter().rev().filter(|&byte| byte != 0).collect();
    if name == b"csr" {
        return Ok(());
    }
    let what = format!(
        "is a sparse matrix of format {}; write it by rows, scipy.sparse.save_npz(file, X.tocsr())",
        quote(&name)
    );
    Err(Error::new(ErrorKind::Format, path, what))
}

/// The number of elements of an array, by its header, which agrees with the length of the member.
fn length(path: &Path, archive: &Archive<'_>, name: &str) -> Result<usize, Error> {
    let member = archive.member(name)?;
    let array = array_header(path, &mut archive.read(&member)?)?;
    elements(path, &array, member.size, name)
}

fn elements(path: &Path, array: &Array, size: u64, name: &str) -> Result<usize, Error> {
    let count = match array.shape.as_slice() {
        &[count] => Some(count),
        _ => None,
    };
    let bytes = count.and_then(|count| count.checked_mul(array.element.size()));
    match (count, bytes) {
        (Some(count), Some(bytes)) if (bytes as u64).checked_add(array.start) == Some(size) => {
            Ok(count)
        }
        _ => {
            let what = format!(
                "{name} claims the shape {:?}, which is not what its {size} bytes hold; write it again",
                array.shape
            );
            Err(Error::new(ErrorKind::Shape, path, what))
        }
    }
}

/// The elements of an array, each turned into what is wanted of it. If `expected` is given, there
/// must be as many.
fn numbers<T>(
    path: &Path,
    archive: &Archive<'_>,
    name: &str,
    expected: Option<usize>,
    mut wanted: impl FnMut(f64) -> Result<T, String>,
) -> Result<Vec<T>, Error> {
    let member = archive.member(name)?;
    let mut reader = archive.read(&member)?;
    let array = array_header(path, &mut reader)?;
    let count = elements(path, &array, member.size, name)?;
    if expected.is_some_and(|expected| expected != count) {
        let what = format!("{name} has {count} numbers; write it again");
        return Err(Error::new(ErrorKind::Shape, path, what));
    }
    let reading = |error| Error::reading(path, &error);
    let (mut bytes, mut decoded) = (vec![0; CHUNK], Vec::new());
    let mut left = count * array.element.size();
    let mut all = Vec::new();
    while left > 0 {
        let part = &mut bytes[..left.min(CHUNK)];
        reader.read_exact(part).map_err(reading)?;
        left -= part.len();
        array.element.decode(part, array.big_endian, &mut decoded);
        for &number in &decoded {
            let value = wanted(number).map_err(|what| Error::new(ErrorKind::Value, path, what))?;
            all.push(value);
        }
    }
    // Reading on, to the end, compares the checksum.
    reader.read(&mut [0]).map_err(reading)?;
    Ok(all)
}

#[cfg(test)]
#[path = "npz_tests.rs"]
mod tests;
