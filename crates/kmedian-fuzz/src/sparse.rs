//! Valid files of sparse rows.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use rand::{Rng, RngExt};

/// svmlight text.
pub(crate) fn svmlight(rng: &mut dyn Rng) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..rng.random_range(1..30u32) {
        let _ = write!(text, "{}", if rng.random() { "+1" } else { "-1" });
        let mut column = 0;
        for _ in 0..rng.random_range(0..8u32) {
            column += rng.random_range(1..9u32);
            let _ = write!(text, " {column}:{:.3}", rng.random::<f64>());
        }
        text.push_str(if rng.random() { " # note\n" } else { "\n" });
    }
    text.into_bytes()
}

/// What `scipy.sparse.save_npz` writes of a CSR matrix.
pub(crate) fn npz(rng: &mut dyn Rng) -> Vec<u8> {
    let (rows, dims) = (rng.random_range(1..20usize), rng.random_range(1..30usize));
    let (mut starts, mut columns) = (vec![0], Vec::new());
    for _ in 0..rows {
        columns.extend((0..dims as i64).filter(|_| rng.random_range(0..4u32) == 0));
        starts.push(columns.len() as i64);
    }
    let values: Vec<u8> = columns.iter().flat_map(|_| rng.random::<f32>().to_le_bytes()).collect();
    let whole = |numbers: &[i64]| {
        let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        npy("<i8", &format!("({},)", numbers.len()), &data)
    };
    archive(
        &[
            ("indices.npy", whole(&columns)),
            ("indptr.npy", whole(&starts)),
            ("format.npy", npy("|S3", "()", b"csr")),
            ("shape.npy", whole(&[rows as i64, dims as i64])),
            ("data.npy", npy("<f4", &format!("({},)", columns.len()), &values)),
        ],
        rng.random(),
    )
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A zip archive.
fn archive(members: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut crc = Crc::new();
        crc.update(content);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory does not fail.
        let _ = encoder.write_all(content);
        let deflated = encoder.finish().unwrap_or_default();
        let body = if deflate { &deflated } else { content };
        let mut about = vec![20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for number in [crc.sum(), body.len() as u32, content.len() as u32] {
            about.extend(number.to_le_bytes());
        }
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&about);
        archive.extend(name.as_bytes());
        archive.extend(body);
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
