//! Compressed files that expand without end.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::fs;

use kmedian_data::{DemandOptions, ItemKeys, PointsOptions, read_demand, read_points};
use kmedian_fuzz::peak_memory;
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// A megabyte that expands to a gigabyte. A public table is refused on the way; a private one,
/// whose size may depend on its records, takes little memory whatever it expands to.
#[test]
fn what_expands_without_end_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv.gz");
    let member = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, &vec![b'7'; 1 << 24]).unwrap();
        encoder.finish().unwrap()
    };
    fs::write(&path, member.repeat(64)).unwrap();
    let (read, peak) = peak_memory(|| read_points(&path, &PointsOptions::default()));
    assert!(read.unwrap_err().to_string().contains("expands to more than 256 times its size"));
    assert!(peak < 512 << 20, "{peak} bytes");
    let keys = ItemKeys::positions(3);
    let options =
        DemandOptions { key: Some(0.into()), header: Some(false), ..DemandOptions::default() };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (read, peak) = peak_memory(|| read_demand(&path, &keys, &options, &mut rng));
    assert_eq!(read.ok().unwrap().counts, [0, 0, 0]);
    assert!(peak < 100 << 20, "{peak} bytes");
}
