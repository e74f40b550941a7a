//! A short run over every target, as part of the tests: `cargo xtask fuzz` runs longer ones.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::time::Duration;

use kmedian_fuzz::{Plan, run};

#[test]
fn no_damaged_file_hurts() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan {
        time: Duration::from_secs(20),
        seed: 1,
        target: None,
        case: None,
        folder: folder.path().to_path_buf(),
    };
    let report = run(&plan).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert!(report.targets.len() >= 24, "{:?}", report.targets);
    // The first case of each is a good file, which must have been accepted.
    assert!(report.targets.iter().all(|target| target.2 > 0 || target.0 == "command"));
}
