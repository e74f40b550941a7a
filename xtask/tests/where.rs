//! "Where does this go" in CONTRIBUTING.md is true: its files exist, but for those that a change
//! makes.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::fs;
use std::path::Path;

/// A change: its title, how many files it says it takes, and its files with whether each is new.
type Change<'a> = (&'a str, usize, Vec<(&'a str, bool)>);

/// The changes of the section, in their order.
fn changes(document: &str) -> Vec<Change<'_>> {
    let mut found: Vec<Change> = Vec::new();
    let section = document.split("\n## Where does this go\n").nth(1).unwrap();
    for line in section.split("\n## ").next().unwrap().lines() {
        if let Some(title) = line.strip_prefix("### ") {
            let (title, count) = title.split_once(": ").unwrap();
            found.push((title, count.split(' ').next().unwrap().parse().unwrap(), Vec::new()));
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let mut parts = line.splitn(3, '`').skip(1);
            let (file, rest) = (parts.next().unwrap(), parts.next().unwrap());
            found.last_mut().unwrap().2.push((file, rest.starts_with(" (new): ")));
        }
    }
    found
}

#[test]
fn the_files_of_every_change_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let document = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let changes = changes(&document);
    assert_eq!(changes.len(), 10);
    for (title, count, files) in changes {
        assert_eq!(files.len(), count, "{title}");
        for (file, is_new) in files {
            let exists = root.join(file).is_file();
            let right = is_new != exists;
            assert!(right, "{title}: {file}: new: {is_new}, exists: {exists}");
        }
    }
}

#[test]
fn a_section_is_read_as_it_is_meant() {
    let document = "a\n## Where does this go\n### A b: 2 files, of 3\n1. `c.rs` (new): `d`\n2. `e.rs`: f\n## g\n1. `h`";
    let expected = vec![("A b", 2, vec![("c.rs", true), ("e.rs", false)])];
    assert_eq!(changes(document), expected);
}
