//! Tests of SciPy's `.npz` archives: valid ones of every kind, and damaged ones.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::input::testing::sample;
use crate::{Error, ErrorKind, SparseFormat, SparseRows, read_sparse};

/// An array of 64-bit numbers as a `.npy` file.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn whole(numbers: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    npy("<i8", &format!("({},)", numbers.len()), &data)
}

fn floats(numbers: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    npy("<f8", &format!("({},)", numbers.len()), &data)
}

type Members = Vec<(&'static str, Vec<u8>)>;

/// The members of a matrix of two rows: (0, 1.5, 0, -2) and (0, 0, 3, 0).
fn matrix() -> Members {
    vec![
        ("indices.npy", whole(&[1, 3, 2])),
        ("indptr.npy", whole(&[0, 2, 3])),
        ("format.npy", npy("|S3", "()", b"csr")),
        ("shape.npy", whole(&[2, 4])),
        ("data.npy", floats(&[1.5, -2.0, 3.0])),
    ]
}

/// A matrix with one of its members replaced.
fn with(name: &'static str, content: Vec<u8>) -> Members {
    let others = matrix().into_iter().filter(|(known, _)| *known != name);
    others.chain([(name, content)]).collect()
}

fn zip(members: &Members, deflate: bool) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let body = if deflate {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        } else {
            content.clone()
        };
        let offset = archive.len() as u32;
        let mut about = vec![20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for number in [crc.sum(), body.len() as u32, content.len() as u32] {
            about.extend(number.to_le_bytes());
        }
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&about);
        archive.extend(name.as_bytes());
        archive.extend(body);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend((members.len() as u16).to_le_bytes());
    archive.extend((members.len() as u16).to_le_bytes());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

fn read(content: impl AsRef<[u8]>) -> Result<SparseRows, Error> {
    read_sparse(&sample("a.npz", content).path, SparseFormat::Npz)
}

#[test]
fn rows_of_scipy() {
    for deflate in [false, true] {
        let rows = read(zip(&matrix(), deflate)).unwrap();
        assert_eq!((rows.rows(), rows.dims), (2, 4));
        assert_eq!((rows.starts, rows.columns), (vec![0, 2, 3], vec![1, 3, 2]));
        assert_eq!(rows.values, [1.5, -2.0, 3.0]);
    }
}

#[test]
fn errors_say_what_to_do() {
    for (members, what) in [
        (
            with("indices.npy", whole(&[1, -1, 2])),
            "row 1 has the negative column -1; columns count from 0: make the matrix again",
        ),
        (
            with("indices.npy", whole(&[1, 3, 4])),
            "row 2 has the column 4, but there are only 4; make the matrix again",
        ),
        (with("indices.npy", whole(&[1, 1, 2])), "row 1 has column 1 twice"),
        (with("indices.npy", whole(&[1, 3])), "data.npy has 3 numbers"),
        (with("indptr.npy", whole(&[0, 3])), "indptr.npy has 2 numbers"),
        (with("indptr.npy", whole(&[0, 4, 3])), "do not rise"),
        (with("indptr.npy", whole(&[1, 2, 3])), "do not rise from 0 to 3"),
        (with("shape.npy", whole(&[2, -4])), "is none of a matrix"),
        (with("shape.npy", whole(&[2, 1 << 30])), "more columns than its entries bear out"),
        (with("shape.npy", whole(&[2])), "shape.npy has 1 numbers"),
        (
            with("data.npy", floats(&[1.0, f64::NAN, 1.0])),
            "row 1, column 3: `NaN` is not a finite number; fill it in or remove the row",
        ),
        (with("data.npy", floats(&[1.0, 1.0, 1e300])), "row 2, column 2: "),
        (with("data.npy", npy("<f8", "(4000000000000,)", &[0; 24])), "data.npy claims the shape"),
        (with("format.npy", npy("|S3", "()", b"csc")), "format `csc`"),
        (with("data.npy", b"\x93NUMPY\x09\0\0\0\0\0".to_vec()), "version 9"),
        (matrix().split_off(1), "has no indices.npy"),
    ] {
        for deflate in [false, true] {
            let error = read(zip(&members, deflate)).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}

#[test]
fn damage_is_noticed() {
    let archive = zip(&matrix(), false);
    assert!(read(&archive[..archive.len() - 30]).is_err());
    assert!(read(b"PK\x03\x04").unwrap_err().to_string().contains("no zip archive"));
    let mut wrong = archive.clone();
    let at = wrong.windows(8).position(|bytes| bytes == 1.5f64.to_le_bytes()).unwrap();
    wrong[at + 3] ^= 1;
    let error = read(&wrong).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("checksum"), "{error}");
    for at in 0..archive.len() {
        let mut damaged = archive.clone();
        damaged[at] = damaged[at].wrapping_add(129);
        // Whatever it says, it ends without a panic.
        let _ = read(&damaged);
    }
}

/// A member that claims to expand far beyond its length is refused before it is expanded.
#[test]
fn a_bomb_is_refused() {
    let bomb = vec![0; 200 << 20];
    let mut members = with("data.npy", npy("<f8", &format!("({},)", bomb.len() / 8), &bomb));
    members.retain(|(name, _)| *name != "indices.npy");
    members.push(("indices.npy", whole(&[1, 3, 2])));
    let error = read(zip(&members, true)).unwrap_err().to_string();
    assert!(error.contains("expands to more than 256 times its size"), "{error}");
}
