//! A crate that is published is whole: its package has the licenses, and none of its files is
//! compiled from a file outside.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The folders of the crates that are published: all but those that say they are not.
fn published(root: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let is_published = |folder: &PathBuf| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        !manifest.lines().any(|line| line == "publish = false")
    };
    folders.filter(is_published).collect()
}

/// The files that go into the package of a crate.
fn packaged(folder: &Path) -> Vec<String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["package", "--list", "--allow-dirty", "--offline"]).current_dir(folder);
    let listed = cargo.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(listed.status.success(), "{}: {}", folder.display(), text(&listed.stderr));
    text(&listed.stdout).lines().map(|line| line.replace('\\', "/")).collect()
}

/// Files that a source is compiled from beside itself, as it names them.
fn compiled_in(source: &str) -> Vec<&str> {
    let openings = ["include_str!(\"", "include_bytes!(\"", "#[path = \""];
    let named = |opening| source.split(opening).skip(1).map(|rest| rest.split('"').next().unwrap());
    openings.into_iter().flat_map(named).collect()
}

/// The place of a file that a source of the package names, from the package's root; nothing if it
/// is outside.
fn place(source: &str, named: &str) -> Option<String> {
    let mut place: Vec<&str> = source.split('/').collect();
    place.pop();
    for part in Path::new(named).components() {
        match part {
            Component::ParentDir => place.pop().map(drop)?,
            Component::Normal(name) => place.push(name.to_str()?),
            _ => {}
        }
    }
    Some(place.join("/"))
}

#[test]
fn packages_are_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let crates = published(root);
    assert_eq!(crates.len(), 7);
    for folder in crates {
        let files = packaged(&folder);
        for license in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            let has = files.iter().any(|file| file == license);
            assert!(has, "{} has no {license}: see its neighbors", folder.display());
        }
        for source in files.iter().filter(|file| file.ends_with(".rs")) {
            let text = fs::read_to_string(folder.join(source)).unwrap();
            for named in compiled_in(&text) {
                let is_inside = place(source, named).is_some_and(|place| files.contains(&place));
                let at = folder.join(source);
                assert!(is_inside, "{}: {named} is not in the package", at.display());
            }
        }
    }
}

#[test]
fn a_file_outside_is_found() {
    assert_eq!(
        compiled_in("x = include_str!(\"../a.md\");\n#[path = \"b.rs\"]"),
        ["../a.md", "b.rs"]
    );
    assert_eq!(place("src/lib.rs", "../a.md").as_deref(), Some("a.md"));
    assert_eq!(place("src/a/b.rs", "c.css").as_deref(), Some("src/a/c.css"));
    assert_eq!(place("src/lib.rs", "../../README.md"), None);
}
