//! Tests that need more than a Rust toolchain: real data, a browser, a database server, the right
//! to mount.
//!
//! `cargo test` ignores them and prints why; `cargo xtask test` runs them by name. Where a need is
//! not met it says which tests were NOT run, and in CI (`CI` is set) that is a failure.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use crate::{browser, cargo, postgres, root};

/// Variables of the environment, by name.
type Variables = Vec<(&'static str, OsString)>;

/// Something that tests need, and the tests that need it.
struct Need {
    /// What follows `needs ` in the reason of `#[ignore = "needs …"]`.
    what: &'static str,
    /// Whether CI has it, so that its absence there is a failure.
    in_ci: bool,
    /// Provides it if it can, with the variables of the environment to tell the tests of it.
    provide: fn() -> Result<Variables, String>,
    /// The tests, as (file under `tests` without its ending, function).
    tests: &'static [(&'static str, &'static str)],
}

const NEEDS: [Need; 5] = [
    Need {
        what: "../shared/data",
        in_ci: true,
        provide: shared_data,
        tests: &[
            ("choose_k", "known_numbers_of_clusters_are_found"),
            ("initialization", "mnist"),
            ("orlib", "optima_are_proven"),
            ("orlib", "restarts_reach_the_proven_optima"),
            ("quick", "quick_rows_of_real_data_are_as_they_must_be"),
            ("shared_data", "benchmark_points"),
            ("shared_data", "cities_need_chosen_columns"),
            ("shared_data", "mnist_images_and_labels"),
            ("shared_data", "or_library_states_its_own_k"),
            ("shared_data", "roads_and_social_graphs"),
        ],
    },
    Need {
        what: "Chromium",
        in_ci: true,
        provide: || Ok(vec![(browser::VARIABLE, browser::chromium()?.into())]),
        tests: &[
            ("page_browser", "pages_are_drawn_and_answer_to_slider_and_keys"),
            ("report_browser", "every_figure_can_be_seen_and_nothing_is_logged"),
        ],
    },
    Need {
        what: "PostgreSQL",
        in_ci: true,
        provide: || Ok(vec![(postgres::VARIABLE, postgres::programs()?.into())]),
        tests: &[
            ("postgres", "a_connection_that_is_lost_at_the_commit_counts_as_spent"),
            ("postgres", "a_file_moves_to_a_server_with_its_hashes"),
            ("postgres", "a_kill_at_any_moment_loses_no_reservation"),
            ("postgres", "a_kill_at_any_step_leaves_spent_what_was_reserved"),
            ("postgres", "a_server_keeps_the_same_books_as_a_file"),
            ("postgres", "a_server_that_crashes_in_the_middle_forgets_nothing"),
            ("postgres", "nothing_that_was_spent_can_be_taken_back_by_sql"),
            ("postgres", "sixteen_processes_spend_the_budget_exactly"),
        ],
    },
    Need {
        what: "the command beside it",
        in_ci: true,
        // `cargo test --workspace` has built it when these tests are run.
        provide: || Ok(Vec::new()),
        tests: &[("short", "no_options_hurt_the_command")],
    },
    Need {
        what: "the right to mount a file system",
        // `a_limit_of_size_costs_nothing` fills a disk without that right.
        in_ci: false,
        provide: mount,
        tests: &[("release_file", "a_full_disk_costs_nothing")],
    },
];

/// What can be run here, and what cannot.
pub(crate) struct Met {
    needs: Vec<&'static Need>,
    variables: Variables,
    /// A line for each need that is not met: which tests are not run, and why.
    pub(crate) not_run: Vec<String>,
}

/// Looks for all that tests need, and installs what can be installed.
///
/// # Errors
/// If CI lacks something that it should have.
pub(crate) fn look() -> Result<Met, String> {
    let mut met = Met { needs: Vec::new(), variables: Vec::new(), not_run: Vec::new() };
    for need in &NEEDS {
        match (need.provide)() {
            Ok(variables) => {
                met.needs.push(need);
                met.variables.extend(variables);
            }
            Err(why) => {
                let names: Vec<&str> = need.tests.iter().map(|test| test.1).collect();
                let line = format!("needs {}: {why}: {}", need.what, names.join(", "));
                if need.in_ci && env::var_os("CI").is_some() {
                    return Err(format!("tests cannot be run, which is a failure in CI: {line}"));
                }
                met.not_run.push(line);
            }
        }
    }
    Ok(met)
}

impl Met {
    /// The tests whose needs are met, by name; `None` if there are none. All in one run with the
    /// features of the whole workspace, so that nothing is compiled again.
    pub(crate) fn tests(&self) -> Option<Command> {
        if self.needs.is_empty() {
            return None;
        }
        let tests = self.needs.iter().flat_map(|need| need.tests);
        let (mut files, names): (Vec<&str>, Vec<&str>) = tests.copied().unzip();
        files.dedup();
        let files = files.into_iter().flat_map(|file| ["--test", file]);
        let mut command = cargo(&["test", "--workspace"]);
        command.args(files).args(["--", "--ignored", "--exact"]).args(names);
        command.envs(self.variables.iter().cloned());
        Some(command)
    }
}

fn shared_data() -> Result<Variables, String> {
    let folder = root().join("../shared/data");
    if folder.is_dir() { Ok(Vec::new()) } else { Err(format!("{} is absent", folder.display())) }
}

/// Tries a mount that only the process that makes it sees.
fn mount() -> Result<Variables, String> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "mount", "-t", "tmpfs", "tmpfs"]).arg(env::temp_dir());
    let may = unshare.output().is_ok_and(|output| output.status.success());
    if may { Ok(Vec::new()) } else { Err("only root may, and not in every container".into()) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Beginnings of the reasons of ignored tests that `cargo xtask test` leaves alone: those that
    /// another test runs as a process of its own, and those that a developer runs by hand.
    const OTHER_REASONS: [&str; 2] = ["run by ", "by hand: "];

    /// The ignored tests of a source, as (reason, function).
    fn ignored(source: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut lines = source.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let Some(rest) = line.strip_prefix("#[ignore") else { continue };
            let reason = rest.split('"').nth(1).unwrap_or_default().to_owned();
            let function = lines.find_map(|line| line.strip_prefix("fn ")).unwrap_or_default();
            found.push((reason, function.split('(').next().unwrap_or_default().to_owned()));
        }
        found
    }

    fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_ignored_test_has_a_reason_and_is_run_by_someone() {
        let mut files = Vec::new();
        sources(&root().join("crates"), &mut files);
        let mut needing = BTreeSet::new();
        for file in &files {
            let stem = file.file_stem().unwrap().to_str().unwrap();
            for (reason, function) in ignored(&fs::read_to_string(file).unwrap()) {
                if let Some(what) = reason.strip_prefix("needs ") {
                    needing.insert([what.to_owned(), stem.to_owned(), function]);
                } else {
                    let known = OTHER_REASONS.iter().any(|other| reason.starts_with(other));
                    assert!(known, "{}: {function}: `{reason}`", file.display());
                }
            }
        }
        let listed = |need: &Need| {
            let row = |(file, test): &(&str, &str)| [need.what, file, test].map(str::to_owned);
            need.tests.iter().map(row).collect::<Vec<_>>()
        };
        let listed: BTreeSet<_> = NEEDS.iter().flat_map(listed).collect();
        assert_eq!(needing, listed, "left: ignored tests, right: those of this file");
    }

    #[test]
    fn ignored_tests_are_found() {
        let source = "#[test]\n#[ignore = \"needs a\"]\n/// x\nfn b() {}\n#[ignore]\nfn c() {}";
        let expected = [("needs a", "b"), ("", "c")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(ignored(source), expected);
    }
}
