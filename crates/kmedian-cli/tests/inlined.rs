//! What a vector unit does is a few instructions, not calls: a call for every operation made rows
//! of 17 to 64 coordinates an order of magnitude slower.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::process::Command;

/// What names the modules of the standard library whose functions stand for instructions of our
/// units. Other crates have instructions of their own, for checksums and hashes.
const OF_UNITS: [&str; 2] = ["avx", "fma"];

#[test]
fn no_operation_of_a_vector_unit_is_a_call() {
    let listed = Command::new("nm").arg(env!("CARGO_BIN_EXE_kmedian")).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let symbols = String::from_utf8(listed.stdout).unwrap();
    assert!(symbols.contains("vectorize"), "the symbols of the vector units are missing");
    let left: Vec<&str> = symbols
        .lines()
        .filter(|symbol| symbol.contains("core_arch"))
        .filter(|symbol| OF_UNITS.iter().any(|name| symbol.contains(name)))
        .collect();
    assert!(left.is_empty(), "mark what calls these #[inline(always)]: {left:#?}");
}
