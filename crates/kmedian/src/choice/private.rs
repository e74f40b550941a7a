//! Options of a private run whose value is a word.

use std::fmt;
use std::str::FromStr;

use super::{Choice, word};
use crate::Error;
use crate::privacy::{Mechanism, Method, Neighbours, Split};

/// How centers are derived from a private release: the words of [`Method`].
pub static METHOD: Choice<Method> = Choice {
    name: "method",
    help: "How centers are derived from a private release",
    words: &[word("refined", Method::Refined, REFINED), word("exact", Method::Exact, EXACT)],
};

/// How private centers are found, from private records to centers: the words of [`Mechanism`]. Its
/// option is called `method`, like that of [`METHOD`], which has the words that derive centers from
/// a release.
pub static MECHANISM: Choice<Mechanism> = Choice {
    name: "method",
    help: "How private centers are found",
    words: &[
        word("refined", Mechanism::Refined, REFINED),
        word("exact", Mechanism::Exact, EXACT),
        word(
            "paper",
            Mechanism::Paper,
            "The paper's Algorithm 7: swaps that are selected privately; one k, nothing to derive others from",
        ),
    ],
};

/// The help of the word `refined`.
const REFINED: &str = "From noisy counts of a public tree, refined by local search";
/// The help of the word `exact`.
const EXACT: &str =
    "From noisy counts of a public tree alone: the centers for k are among those for k + 1";

/// How ε is split over the levels of a private tree: the words of [`Split`].
pub static SPLIT: Choice<Split> = Choice {
    name: "split",
    help: "How epsilon is split over the levels of the tree",
    words: &[
        word("auto", Split::Auto, "From public numbers: cube-root"),
        word("paper", Split::Paper, "Half as much from each level to the next below"),
        word("uniform", Split::Uniform, "An equal share for every level"),
        word(
            "cube-root",
            Split::CubeRoot,
            "By the cube root of the number of cells: the least error",
        ),
    ],
};

/// Which tables of records nobody may be able to tell apart: the words of [`Neighbours`].
pub static NEIGHBOURS: Choice<Neighbours> = Choice {
    name: "neighbours",
    help: "Which tables must look alike",
    words: &[
        word("add-remove", Neighbours::AddRemove, "That differ by one record or unit more"),
        word(
            "replace-one",
            Neighbours::ReplaceOne,
            "That differ by one instead of another, for twice the noise",
        ),
    ],
};

by_word! {
    Method => METHOD, "";
    Mechanism => MECHANISM, "";
    Split => SPLIT, "";
    Neighbours => NEIGHBOURS, "";
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn words_are_what_they_stand_for() {
        check(&METHOD, Some(&Method::default()));
        check(&MECHANISM, Some(&Mechanism::default()));
        check(&SPLIT, Some(&Split::default()));
        check(&NEIGHBOURS, Some(&Neighbours::default()));
    }
}
