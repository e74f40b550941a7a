//! The rooms of the core use each other in one direction only: ARCHITECTURE.md lists them bottom
//! up, and no room uses one that comes after it. So there is no cycle, and each room can be read
//! knowing only those before it.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The line of ARCHITECTURE.md after which the rooms are listed.
const TITLE: &str = "### Which room uses which";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The rooms in the order in which ARCHITECTURE.md lists them.
fn listed() -> Vec<String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let after = text.split_once(TITLE).expect("the section of rooms").1;
    let list = after.split("```").nth(1).expect("a fenced list of rooms");
    list.lines().skip(1).flat_map(str::split_whitespace).map(ToString::to_string).collect()
}

/// Rust without comments, without the content of strings, and without what is compiled for tests
/// alone.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            3 + raw.find("\"#").map_or(raw.len(), |end| end + 2)
        } else if next == '"' {
            string_length(rest)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest[1..].find('\'').unwrap() + 2
        } else {
            code.push(next);
            next.len_utf8()
        };
        rest = &rest[skipped..];
    }
    without_tests(&code)
}

/// How many bytes a string literal takes at the beginning of a text.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return at + 1,
            _ => escaped = letter == '\\' && !escaped,
        }
    }
    text.len()
}

/// Code without the items that follow `#[cfg(test)]`.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        rest = &after[item_length(after)..];
    }
    kept + rest
}

/// How many bytes an item takes at the beginning of code: up to its semicolon, or to the brace that
/// closes it.
fn item_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in code.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The first names of the paths that a `use` tree or a path begins with: of `{a::B, c}` these are
/// `a` and `c`.
fn heads(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(inside) = path.strip_prefix('{') else { return vec![name(path)] };
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name(&inside[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name(&inside[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// What `lib.rs` declares: the rooms, and the room that each name of the crate comes from.
fn declared(lib: &str) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let mut rooms = BTreeSet::new();
    let mut names = BTreeMap::new();
    for statement in code(lib).split(';') {
        let statement = statement.split(']').next_back().unwrap().trim();
        let statement = statement.trim_start_matches("pub ");
        if let Some(room) = statement.strip_prefix("mod ") {
            rooms.insert(room.to_string());
        } else if let Some((room, rest)) =
            statement.strip_prefix("use ").and_then(|path| path.split_once("::"))
        {
            for name in heads(rest) {
                names.insert(name, room.to_string());
            }
        }
    }
    (rooms, names)
}

/// All Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Where paths begin that lead out of a file: after `crate::`, or after as many `super::` as there
/// are modules above.
fn paths_out(code: &str, depth: usize) -> Vec<&str> {
    let supers = "super::".repeat(depth);
    let mut found = Vec::new();
    for prefix in ["crate::", supers.as_str()] {
        for (at, _) in code.match_indices(prefix) {
            let goes_on = code[..at].ends_with("super::");
            let is_name = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !goes_on && !is_name {
                found.push(&code[at + prefix.len()..]);
            }
        }
    }
    found
}

/// Which rooms each file uses, beside its own: the room, its file, the used room, and by what name.
fn uses() -> Vec<(String, String, String, String)> {
    let source = root().join("crates/kmedian/src");
    let (rooms, names) = declared(&fs::read_to_string(source.join("lib.rs")).unwrap());
    let mut uses = Vec::new();
    for path in files(&source) {
        let file = path.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        let stem = file.rsplit('/').next().unwrap().trim_end_matches(".rs");
        // A module of tests is declared after `#[cfg(test)]`, in a file that is read here.
        let parent = path.parent().unwrap();
        let above =
            if parent == source { source.join("lib.rs") } else { parent.with_extension("rs") };
        let text_above = fs::read_to_string(above).unwrap();
        let is_module = |text: &str| text.contains(&format!("mod {stem};"));
        if file == "lib.rs" || (is_module(&text_above) && !is_module(&code(&text_above))) {
            continue;
        }
        let room = file.split(['/', '.']).next().unwrap();
        let code = code(&fs::read_to_string(&path).unwrap());
        for name in paths_out(&code, file.matches('/').count() + 1).into_iter().flat_map(heads) {
            let used = if rooms.contains(&name) { Some(&name) } else { names.get(&name) };
            let used = used.unwrap_or_else(|| panic!("{file}: lib.rs has no `{name}`"));
            if used != room {
                uses.push((room.to_string(), file.clone(), used.clone(), name));
            }
        }
    }
    uses
}

#[test]
fn rooms_use_those_before_them_only() {
    let order = listed();
    let (rooms, _) =
        declared(&fs::read_to_string(root().join("crates/kmedian/src/lib.rs")).unwrap());
    assert_eq!(order.iter().cloned().collect::<BTreeSet<_>>(), rooms, "every room, and no other");
    assert_eq!(order.len(), rooms.len(), "every room once");
    let place = |room: &str| order.iter().position(|listed| listed == room).unwrap();
    let uses = uses();
    assert!(uses.len() > 100, "only {} uses were found", uses.len());
    let upward: Vec<String> = uses
        .iter()
        .filter(|(room, _, used, _)| place(used) > place(room))
        .map(|(_, file, used, name)| {
            format!("{file} uses `{name}`, of `{used}`, which comes later")
        })
        .collect();
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}

#[test]
fn what_is_read_of_a_file() {
    let text = r#"
        use crate::{Error, space::{Hit, Pair}, tree};
        // crate::comment
        const TEXT: &str = "crate::string \" crate::more";
        fn f(c: char) -> bool { c == '"' && super::super::run::g() }
        #[cfg(test)]
        mod tests { use crate::test_alone; fn g() { {} } }
        #[cfg(test)]
        use crate::also_a_test;
        fn h(hit: &crate::Hit) -> super::Other {}
    "#;
    let code = code(text);
    let found: Vec<String> = paths_out(&code, 2).into_iter().flat_map(heads).collect();
    assert_eq!(found, ["Error", "space", "tree", "Hit", "run"]);
    let (rooms, names) = declared(
        "#[cfg(feature = \"privacy\")]\npub mod privacy;\nmod run;\npub use run::{Halt, Run};\n\
         pub use space::graph::Graph;",
    );
    assert_eq!(rooms.into_iter().collect::<Vec<_>>(), ["privacy", "run"]);
    assert_eq!((names["Halt"].as_str(), names["Run"].as_str()), ("run", "run"));
}
