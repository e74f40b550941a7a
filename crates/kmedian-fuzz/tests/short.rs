//! A short run over every target, as part of the tests: `cargo xtask fuzz` runs longer ones.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::time::Duration;

use kmedian_fuzz::{Plan, Report, run};

/// Runs cases for some seconds, of all targets or of one. None of them fails.
fn pass(seconds: u64, seed: u64, target: Option<&str>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan {
        time: Duration::from_secs(seconds),
        seed,
        target: target.map(str::to_owned),
        case: None,
        folder: folder.path().to_path_buf(),
    };
    let report = run(&plan).unwrap();
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    report
}

#[test]
fn no_damaged_file_hurts() {
    let report = pass(19, 1, None);
    let readers = report.targets.iter().filter(|target| target.0 != "command");
    // The first case of each is a good file, which must have been accepted.
    let accepting = readers.filter(|target| target.2 > 0).count();
    assert_eq!(accepting, 28, "{:?}", report.targets);
}

#[test]
#[ignore = "needs the command beside it"]
fn no_options_hurt_the_command() {
    // Most random options are refused: those of the first case of this seed are not.
    let report = pass(1, 7, Some("command"));
    let [(_, cases, accepted, _)] = &report.targets[..] else { panic!("{:?}", report.targets) };
    assert!(*cases > 1 && *accepted > 0, "{accepted} of {cases} runs succeeded");
}
