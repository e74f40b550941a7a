//! No snippet of the documents escapes: each is run by a test, or says why not.
//!
//! A fence names its language. `rust` is compiled and run as a documentation test of the core, `sh`
//! by `crates/kmedian-cli/tests/documents.rs`, `python` by
//! `crates/kmedian-py/tests/test_documents.py`; `text` is no program, and `text printed` what the
//! snippet before it prints, as the same tests check. What cannot be run has the reason after its
//! language: `sh not-run: …`.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders without documents of ours: what is built, and what is fetched.
const NOT_OURS: [&str; 4] = ["target", "data", "results", ".git"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The Markdown files in a folder and below.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !NOT_OURS.contains(&name) {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// What follows the backticks of every fence that opens, and what is wrong with the snippets.
fn fences(document: &str) -> (Vec<&str>, Vec<String>) {
    let (mut opened, mut wrong) = (Vec::new(), Vec::new());
    let (mut inside, mut blank) = (false, true);
    for (at, line) in document.lines().enumerate() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            inside = !inside;
            if inside {
                opened.push(info);
                wrong.extend(complaint(info).map(|what| format!("line {}: {what}", at + 1)));
            }
        } else if !inside && blank && line.starts_with("    ") {
            wrong.push(format!("line {}: a snippet without a fence", at + 1));
        }
        blank = line.trim().is_empty();
    }
    if inside {
        wrong.push("a fence is not closed".into());
    }
    (opened, wrong)
}

/// What is wrong with a fence that opens like this, if anything.
fn complaint(info: &str) -> Option<String> {
    match info.split_once(' ') {
        None if ["rust", "sh", "python", "text"].contains(&info) => None,
        Some(("sh" | "python", why)) if why.starts_with("not-run: ") => None,
        Some(("text", "printed")) => None,
        _ => Some(format!("`{info}` is no language that a test runs, and has no reason not to be")),
    }
}

#[test]
fn every_snippet_is_run_or_says_why_not() {
    let root = root();
    let mut files = Vec::new();
    documents(&root, &mut files);
    let (mut all_wrong, mut rust, mut count) = (Vec::new(), BTreeSet::new(), 0);
    for file in &files {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap();
        let text = fs::read_to_string(file).unwrap();
        let (opened, wrong) = fences(&text);
        count += opened.len();
        all_wrong.extend(wrong.into_iter().map(|what| format!("{name}: {what}")));
        if opened.contains(&"rust") {
            rust.insert(name.to_owned());
        }
    }
    assert!(all_wrong.is_empty(), "{all_wrong:#?}");
    assert!(files.len() > 10 && count > 30, "{count} fences in {} files", files.len());
    // The lab includes these documents where it is tested.
    let lab = fs::read_to_string(root.join("crates/kmedian-lab/src/lib.rs")).unwrap();
    let included = lab.split("include_str!(\"../../../").skip(1);
    let included: BTreeSet<String> =
        included.filter_map(|rest| rest.split('"').next().map(str::to_owned)).collect();
    assert_eq!(rust, included, "left: documents with Rust, right: those that are tested");
}

#[test]
fn snippets_that_escape_are_caught() {
    let wrong = |document| fences(document).1.len();
    assert_eq!(wrong("```rust\n```\n\n```sh not-run: hours\n```\n\n* a\n    b\n"), 0);
    for escaping in ["```\n```", "```js\n```", "```sh not-run\n```", "a\n\n    b\n", "```sh\n"] {
        assert_eq!(wrong(escaping), 1, "{escaping}");
    }
}
