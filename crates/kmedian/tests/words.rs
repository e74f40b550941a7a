//! The tables of docs/command.md and docs/python/api.md have every word of every choice.

#![cfg(feature = "privacy")]
#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use std::fs;
use std::path::Path;

use kmedian::choice::{self, Choice};

fn words<T>(choice: &Choice<T>) -> Vec<&'static str> {
    choice.words.iter().map(|known| known.word).collect()
}

/// The words that are in none of a document's rows with the given first cell. The document writes
/// them as code, between two of `quote`.
fn missing(document: &str, row: &str, quote: &str, words: &[&'static str]) -> Vec<&'static str> {
    let is_row = |line: &&str| line.starts_with(&format!("| {row} | "));
    let rows: Vec<&str> = document.lines().filter(is_row).collect();
    assert!(!rows.is_empty(), "there is no row `{row}`");
    let named =
        |word: &str| rows.iter().any(|line| line.contains(&format!("`{quote}{word}{quote}`")));
    words.iter().copied().filter(|word| !named(word)).collect()
}

#[test]
fn tables_have_every_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let command = (
        "docs/command.md",
        "",
        [
            ("metrics", words(&choice::DISSIMILARITY)),
            ("objectives", words(&choice::OBJECTIVE)),
            ("`--init`", words(&choice::INIT)),
            ("`--tree`", words(&choice::TREE)),
            ("`--search`", words(&choice::SEARCH)),
            ("`--swap`", words(&choice::SWAP)),
            ("`--effort`", words(&choice::EFFORT)),
            ("`--method`", words(&choice::MECHANISM)),
            ("`--split`", words(&choice::SPLIT)),
            ("`--neighbours`", words(&choice::NEIGHBOURS)),
        ]
        .to_vec(),
    );
    let python = (
        "docs/python/api.md",
        "\"",
        [
            ("`metric`", words(&choice::DISSIMILARITY)),
            ("`objective`", words(&choice::OBJECTIVE)),
            ("`init`", words(&choice::INIT)),
            ("`swap`", words(&choice::SWAP)),
            ("`effort`", words(&choice::EFFORT)),
            ("`method`", words(&choice::METHOD)),
            ("`split`", words(&choice::SPLIT)),
            ("`neighbours`", words(&choice::NEIGHBOURS)),
        ]
        .to_vec(),
    );
    for (name, quote, rows) in [command, python] {
        let document = read(name);
        for (row, words) in rows {
            let missing = missing(&document, row, quote, &words);
            assert!(missing.is_empty(), "{name}, row {row}: add {missing:?}");
        }
    }
}

#[test]
fn a_missing_word_is_found() {
    let document =
        "| what | which |\n|---|---|\n| `--a` | `b`: c; `d` |\n| `--e` | `f` |\n`--a` | `g`";
    assert_eq!(missing(document, "`--a`", "", &["b", "c", "d", "f", "g"]), ["c", "f", "g"]);
}
