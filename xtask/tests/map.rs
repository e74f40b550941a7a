//! The map in ARCHITECTURE.md is true: every module has a row, and every row is a module.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The modules in a folder and those below it, by their paths from `root`.
fn modules(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            modules(root, &path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

/// What a cell of the map names: `a/{b,c}.rs` is two modules; `a/*.rs` stays as it is.
fn expanded(name: &str) -> Vec<String> {
    let Some((before, rest)) = name.split_once('{') else { return vec![name.to_owned()] };
    let (parts, after) = rest.split_once('}').unwrap();
    parts.split(',').map(|part| format!("{before}{part}{after}")).collect()
}

/// The row for all modules of a module's folder that have no row of their own.
fn row_of_folder(module: &str) -> String {
    let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/*.rs")
}

/// The modules without a row, and the rows without a module.
fn differences<'a>(
    there: &'a BTreeSet<String>,
    mapped: &'a BTreeSet<String>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let unnamed = |module: &&String| !mapped.contains(*module);
    let missing =
        there.iter().filter(unnamed).filter(|module| !mapped.contains(&row_of_folder(module)));
    let stands_for =
        |row: &String| there.iter().filter(unnamed).any(|module| row_of_folder(module) == *row);
    let stale = mapped.iter().filter(|row| !there.contains(*row) && !stands_for(row));
    (missing.map(String::as_str).collect(), stale.map(String::as_str).collect())
}

/// The modules that the map has, by their paths from the root of the workspace. A heading names the
/// folder of the tables below it.
fn mapped(document: &str) -> BTreeSet<String> {
    let mut folder = None;
    let mut found = BTreeSet::new();
    for line in document.lines() {
        if line.starts_with('#') {
            folder = line.strip_prefix("### `").and_then(|rest| rest.split('`').next());
        }
        let cell = line.strip_prefix("| `").and_then(|row| row.split(" | ").next());
        if let (Some(folder), Some(cell)) = (folder, cell) {
            let names = cell.split('`').filter(|name| name.ends_with(".rs"));
            found.extend(names.flat_map(expanded).map(|name| format!("{folder}/{name}")));
        }
    }
    found
}

#[test]
fn every_module_is_on_the_map_and_every_row_is_a_module() {
    let root = root();
    let mut there = BTreeSet::new();
    for crates in fs::read_dir(root.join("crates")).unwrap() {
        modules(&root, &crates.unwrap().path().join("src"), &mut there);
    }
    modules(&root, &root.join("xtask/src"), &mut there);
    let mapped = mapped(&fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap());
    assert!(there.len() > 100, "{} modules are too few to be all", there.len());
    let (missing, stale) = differences(&there, &mapped);
    assert!(missing.is_empty(), "not on the map: {missing:#?}");
    assert!(stale.is_empty(), "on the map, but no module: {stale:#?}");
}

#[test]
fn a_map_is_read_as_it_is_meant() {
    let document = "### `a/src`: a\n| module | x |\n|---|---|\n| `b.rs`, `c/{d,e}.rs` | `f.rs` |\n## g\n| `h.rs` | |\n";
    let expected = ["a/src/b.rs", "a/src/c/d.rs", "a/src/c/e.rs"].map(str::to_owned);
    assert_eq!(mapped(document), BTreeSet::from(expected));
}

#[test]
fn a_row_for_a_folder_stands_for_modules_without_a_row() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let there = set(&["a/b.rs", "a/b/c.rs", "a/b/d.rs", "a/b/e.rs"]);
    let none: (Vec<&str>, Vec<&str>) = (vec![], vec![]);
    assert_eq!(differences(&there, &set(&["a/b.rs", "a/b/c.rs", "a/b/*.rs"])), none);
    let of_none = set(&["a/b.rs", "a/b/c.rs", "a/b/d.rs", "a/b/e.rs", "a/b/*.rs", "a/f/*.rs"]);
    assert_eq!(differences(&there, &of_none), (vec![], vec!["a/b/*.rs", "a/f/*.rs"]));
    assert_eq!(differences(&there, &set(&["a/*.rs", "a/b/*.rs"])), none);
    let elsewhere = set(&["a/b.rs", "a/g/*.rs"]);
    assert_eq!(differences(&there, &elsewhere).0, ["a/b/c.rs", "a/b/d.rs", "a/b/e.rs"]);
}
