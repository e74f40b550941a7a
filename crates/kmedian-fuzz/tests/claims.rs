//! Headers that claim far more than their file holds are refused before room is made for it.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::fs;
use std::path::Path;

use kmedian_data::{
    DemandOptions, ErrorKind, ItemKeys, Nodes, PointsOptions, check_demand, read_demand,
    read_edges, read_points, read_weights,
};
use kmedian_fuzz::peak_memory;
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// The bytes that any small file may take.
const MOST: usize = 100 << 20;

fn idx(shape: &[u32]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    bytes.extend(shape.iter().flat_map(|n| n.to_be_bytes()));
    bytes.extend([7; 16]);
    bytes
}

fn npy(order: &str, shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0; 64]);
    bytes
}

/// Reads a file in every way there is. All refuse it, with little memory.
fn refused(path: &Path, content: &[u8], kind: ErrorKind) {
    fs::write(path, content).unwrap();
    let keys = ItemKeys::positions(3);
    let options = DemandOptions { key: Some(0.into()), ..DemandOptions::default() };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let ((), peak) = peak_memory(|| {
        let errors = [
            read_points(path, &PointsOptions::default()).unwrap_err(),
            read_weights(path, Some(&0.into())).unwrap_err(),
            check_demand(path, &options).unwrap_err(),
            read_demand(path, &keys, &options, &mut rng).err().unwrap(),
        ];
        assert!(errors.iter().all(|error| error.kind() == kind), "{errors:?}");
    });
    assert!(peak < MOST, "{} needs {peak} bytes", path.display());
}

#[test]
fn claims_without_bytes_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    // 268 million columns, in 28 bytes; 144 bytes; compressed.
    let images = idx(&[1, 1 << 28]);
    refused(&at("a-idx3-ubyte"), &images, ErrorKind::Truncated);
    refused(&at("a-idx3-ubyte.gz"), &gzip(&images), ErrorKind::Shape);
    for order in ["True", "False"] {
        for shape in ["(1, 268435456)", "(268435456, 4)", "(3, 99999999)", "(999999999999,)"] {
            refused(&at("a.npy"), &npy(order, shape), ErrorKind::Truncated);
        }
        refused(&at("a.npy.gz"), &gzip(&npy(order, "(2, 268435456)")), ErrorKind::Shape);
    }

    // Nodes by the billion.
    for (name, text) in [
        ("a.gr", "p sp 4294967290 1\na 1 2 3\n"),
        ("pmed1.txt", "4294967290 1 1\n1 2 3\n"),
        ("a.txt", "4294967290 1\n1 2 3\n"),
        ("a.txt", "0 4294967290 1\n"),
        ("a.gr", "p sp 3 9223372036854775808\na 1 2 3\n"),
        ("a.gr", "p sp 3 18446744073709551615\na 1 2 3\n"),
    ] {
        fs::write(at(name), text).unwrap();
        let (read, peak) = peak_memory(|| read_edges(&at(name), None, Nodes::Auto));
        // In a list of edges a large number is only a node's name.
        assert!(read.is_err() || name.ends_with(".txt"), "{text}");
        assert!(peak < MOST, "{text} needs {peak} bytes");
    }
}
