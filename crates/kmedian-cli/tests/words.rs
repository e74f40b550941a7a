//! Words of the table of choices: the help lists them with what they mean, and what is none of them
//! is refused with those there are. That the documents have them, `tests/words.rs` of the core
//! sees.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod common;

use common::{Folder, refused};
use kmedian::choice::{self, Choice};

fn check<T: Clone>(choice: &Choice<T>, command: &str) {
    let folder = Folder::with(&[("p.csv", "x\n1\n2\n")]);
    let help = folder.run(&format!("help {command}")).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains(choice.help), "{command} --{}: {help}", choice.name);
    for known in choice.words {
        let line = format!("- {}: {}", known.word, known.help);
        assert!(help.contains(&line), "{command} --{}: {line}", choice.name);
    }
    let refusal = format!("there is no {} `nonsense`; {}", choice.name, choice.advice());
    refused(&folder, &format!("{command} p.csv --{} nonsense", choice.name), &[&refusal]);
}

#[test]
fn help_and_errors_have_the_words_of_the_table() {
    check(&choice::OBJECTIVE, "fit");
    check(&choice::DISSIMILARITY, "fit");
    check(&choice::INIT, "fit");
    check(&choice::TREE, "fit");
    check(&choice::SEARCH, "fit");
    for command in ["fit", "private", "centers", "plan"] {
        check(&choice::SWAP, command);
        check(&choice::EFFORT, command);
    }
    check(&choice::MECHANISM, "private");
    check(&choice::METHOD, "centers");
    for command in ["private", "plan"] {
        check(&choice::SPLIT, command);
        check(&choice::NEIGHBOURS, command);
    }
}
