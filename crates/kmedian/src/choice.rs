//! Options whose value is a word, such as `--effort fast`: one table, from which the crate, the
//! command, Python and the documents take names, help and errors.
//!
//! ```
//! use kmedian::{Effort, choice};
//!
//! assert_eq!(choice::EFFORT.find("fast")?, Effort::Fast);
//! assert_eq!("fast".parse::<Effort>()?, Effort::Fast);
//! assert_eq!(Effort::Fast.to_string(), "fast");
//! let error = choice::EFFORT.find("lazy").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "there is no effort `lazy`; choose one of auto, certified, balanced, fast, optimal"
//! );
//! # Ok::<(), kmedian::Error>(())
//! ```

use std::fmt;
use std::mem;
use std::str::FromStr;

use crate::{
    Dissimilarity, Effort, Error, ErrorKind, Hst, Init, Metric, Objective, SwapRule, TreeKind,
    TreeSearch,
};

/// A choice between a few values, each of which has a word.
#[derive(Debug)]
pub struct Choice<T: 'static> {
    /// What the choice is called: the option `--name` of the command, the argument `name=` in
    /// Python.
    pub name: &'static str,
    /// What the choice decides, in one line, as `--help` shows it.
    pub help: &'static str,
    /// The words that there are to choose from, with their values; the default is the first.
    pub words: &'static [Word<T>],
}

/// One of the values of a [`Choice`].
#[derive(Debug)]
pub struct Word<T> {
    /// The word as it is typed.
    pub word: &'static str,
    /// Other words for it, as other programs call it. Lists of words leave them out.
    pub aliases: &'static [&'static str],
    /// What the word means, in one line, as `--help` shows it.
    pub help: &'static str,
    /// The value that the word stands for. Fields that the word does not name, such as the levels
    /// of a tree, have their defaults.
    pub value: T,
}

impl<T: Clone> Choice<T> {
    /// The value that a word stands for.
    ///
    /// # Errors
    /// If there is no such word: the error says which there are.
    pub fn find(&self, word: &str) -> Result<T, Error> {
        let is_called = |known: &&Word<T>| known.word == word || known.aliases.contains(&word);
        let found = self.words.iter().find(is_called);
        found.map(|known| known.value.clone()).ok_or_else(|| {
            let meant = match self.similar(word) {
                Some(similar) => format!("did you mean {similar}? "),
                None => String::new(),
            };
            let message = format!("there is no {} `{word}`; {meant}{}", self.name, self.advice());
            Error::new(ErrorKind::Parameter, message)
        })
    }

    /// The word that was probably meant: one with a typing error or two, or one in capitals.
    fn similar(&self, word: &str) -> Option<&'static str> {
        let typed = word.to_lowercase();
        let names = self.words.iter().flat_map(|known| known.aliases.iter().chain([&known.word]));
        let near = names.filter_map(|&name| {
            let errors = typing_errors(&typed, name);
            (errors < name.len() && errors <= 1 + name.len() / 4).then_some((errors, name))
        });
        near.min().map(|(_, name)| name)
    }

    /// What to do about a word that is not known: a list of those that are.
    pub fn advice(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|known| known.word).collect();
        format!("choose one of {}", words.join(", "))
    }

    /// The word for a value, found by its variant alone, whatever its fields are; `None` if no word
    /// stands for the variant.
    pub fn word(&self, value: &T) -> Option<&'static str> {
        let kind = mem::discriminant(value);
        let found = self.words.iter().find(|known| mem::discriminant(&known.value) == kind);
        found.map(|known| known.word)
    }
}

/// A row of a table: a word, its value and its help.
const fn word<T>(word: &'static str, value: T, help: &'static str) -> Word<T> {
    Word { word, aliases: &[], help, value }
}

/// A row of a table whose words are those of a row of another one.
const fn named<T, U>(known: &Word<U>, value: T) -> Word<T> {
    Word { word: known.word, aliases: known.aliases, help: known.help, value }
}

/// A row of a table whose word has other names.
const fn also<T>(
    word: &'static str,
    aliases: &'static [&'static str],
    value: T,
    help: &'static str,
) -> Word<T> {
    Word { word, aliases, help, value }
}

/// How many letters are to be added, left out or replaced, or neighbors exchanged, to make one word
/// of another.
fn typing_errors(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    let mut last = '\0';
    for (i, a) in one.chars().take(64).enumerate() {
        let mut next = vec![i + 1];
        for (j, &b) in other.iter().enumerate() {
            let mut errors = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a == other[j - 1] && last == b {
                errors = errors.min(before[j - 1] + 1);
            }
            next.push(errors);
        }
        (before, row, last) = (row, next, a);
    }
    row[other.len()]
}

/// What a distance costs: the words of [`Objective`].
pub static OBJECTIVE: Choice<Objective> = Choice {
    name: "objective",
    help: "What is summed over the demand",
    words: &[
        word("median", Objective::Median, "The distance to the nearest center"),
        word(
            "means",
            Objective::Means,
            "The square of that distance; centers are items all the same",
        ),
    ],
};

/// How far two vectors are apart: the words of [`Metric`].
pub static METRIC: Choice<Metric> =
    Choice { name: "metric", help: "How far two vectors are apart", words: METRICS };

const METRICS: &[Word<Metric>] = &[
    also(
        "l2",
        &["euclidean"],
        Metric::L2,
        "The square root of the sum of squared differences (Euclid)",
    ),
    also(
        "l1",
        &["manhattan", "cityblock"],
        Metric::L1,
        "The sum of absolute differences (Manhattan)",
    ),
    also("linf", &["chebyshev"], Metric::Linf, "The largest absolute difference (Chebyshev)"),
    word(
        "angular",
        Metric::Angular,
        "The angle as a share of a half turn: the metric form of cosine",
    ),
    word("root-cosine", Metric::RootCosine, "The root of 1 - cos, whose squares are cosine"),
    also(
        "haversine",
        &["great-circle"],
        Metric::Haversine,
        "Kilometers between latitude, longitude in degrees",
    ),
    word("hamming", Metric::Hamming, "How many coordinates differ"),
];

/// How far two items are apart: the words of [`Dissimilarity`], all of [`METRIC`] among them.
pub static DISSIMILARITY: Choice<Dissimilarity> = Choice {
    name: "metric",
    help: "How far two items are apart",
    words: &[
        named(&METRICS[0], Dissimilarity::L2),
        named(&METRICS[1], Dissimilarity::L1),
        named(&METRICS[2], Dissimilarity::Linf),
        named(&METRICS[3], Dissimilarity::Angular),
        named(&METRICS[4], Dissimilarity::RootCosine),
        named(&METRICS[5], Dissimilarity::Haversine),
        named(&METRICS[6], Dissimilarity::Hamming),
        word("cosine", Dissimilarity::Cosine, "1 - cos of the angle between rows"),
        word("sqeuclidean", Dissimilarity::SqEuclidean, "The square of l2"),
        word(
            "jaccard",
            Dissimilarity::Jaccard,
            "Sets: which share of what is in one of two is not in both",
        ),
        also(
            "levenshtein",
            &["edit"],
            Dissimilarity::Levenshtein,
            "Texts: how many characters are inserted, deleted or replaced",
        ),
        word(
            "gower",
            Dissimilarity::Gower,
            "Numbers and categories: the mean over columns, each from 0 to 1",
        ),
        word("precomputed", Dissimilarity::Precomputed, "A square matrix of distances is given"),
    ],
};

/// Where the search begins: the words of [`Init`], except for centers that are given.
pub static INIT: Choice<Init> = Choice {
    name: "init",
    help: "Where the search begins",
    words: &[
        word("auto", Init::Auto, "hst; greedy for a matrix, whose distances are at hand"),
        word("hst", Init::Hst(HST), "The best centers on a tree of cells"),
        word("greedy", Init::Greedy, "k-median++, the best of a few candidates for each center"),
        word("plusplus", Init::PlusPlus, "k-median++"),
        word("random", Init::Random, "Any items"),
    ],
};

/// Which tree the initialization `hst` builds: the words of [`TreeKind`], with the levels and the
/// branching that each has by default.
pub static TREE: Choice<TreeKind> = Choice {
    name: "tree",
    help: "The tree for the initialization hst",
    words: &[
        word("fitted", FITTED, "Cells fitted to the items; 3 levels"),
        word("ball", TreeKind::Ball { levels: 6 }, "The paper's balls of halved radius; 6 levels"),
        word("frt", TreeKind::Frt, "Random order, random radius; it finds its own levels"),
        word("grid", TreeKind::Grid { levels: 10 }, "A shifted grid, for vectors; 10 levels"),
    ],
};

/// How centers are found on the tree of the initialization `hst`: the words of [`TreeSearch`].
pub static SEARCH: Choice<TreeSearch> = Choice {
    name: "search",
    help: "How centers are found on the tree",
    words: &[
        word("exact", TreeSearch::Exact, "The best centers in the tree metric"),
        word("paper", TreeSearch::Paper, "The paper's scores, its Algorithms 4 and 5"),
    ],
};

/// Which improving swap a local search takes: the words of [`SwapRule`].
pub static SWAP: Choice<SwapRule> = Choice {
    name: "swap",
    help: "Which improving swap is taken",
    words: &[
        word("eager", SwapRule::Eager, "Improving swaps as they are found"),
        word("best", SwapRule::Best, "Always the best of all swaps: the paper's Algorithm 1"),
    ],
};

/// How long a local search by eager swaps goes on: the words of [`Effort`]. With much demand, all
/// efforts first search on samples of it; each word says what follows after the samples.
pub static EFFORT: Choice<Effort> = Choice {
    name: "effort",
    help: "How long eager swaps go on: with much demand, first on samples of it (never on a graph)",
    words: &[
        word(
            "auto",
            Effort::Auto,
            "Certified where that is predicted to take seconds, else balanced",
        ),
        word(
            "certified",
            Effort::Certified,
            "After samples on all of the demand, until no swap improves the centers",
        ),
        word(
            "balanced",
            Effort::Balanced,
            "After samples while centers give way to items near them",
        ),
        word("fast", Effort::Fast, "On samples alone"),
        word(
            "optimal",
            Effort::Optimal,
            "Certified, and then until no centers can cost less, or a limit is reached",
        ),
    ],
};

/// The default tree, as a constant.
const FITTED: TreeKind = TreeKind::Fitted { branching: 16, levels: 3 };
/// The default initialization by a tree, as a constant.
const HST: Hst = Hst { tree: FITTED, search: TreeSearch::Exact };

/// Values are printed and read by the words of their table.
macro_rules! by_word {
    ($($type:ty => $table:ident, $wordless:literal;)*) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($table.word(self).unwrap_or($wordless))
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(word: &str) -> Result<Self, Error> {
                $table.find(word)
            }
        }
    )*};
}

// The text is for values that have no word in their table: only centers that are given have none.
by_word! {
    Objective => OBJECTIVE, "";
    Metric => METRIC, "";
    Dissimilarity => DISSIMILARITY, "";
    Init => INIT, "given";
    TreeKind => TREE, "";
    TreeSearch => SEARCH, "";
    SwapRule => SWAP, "";
    Effort => EFFORT, "";
}

impl Metric {
    /// The name of the metric, such as `l2`: the word that is parsed as it.
    pub fn name(self) -> &'static str {
        METRIC.word(&self).unwrap_or_default()
    }
}

#[cfg(feature = "privacy")]
mod private;

#[cfg(feature = "privacy")]
pub use private::{MECHANISM, METHOD, NEIGHBOURS, SPLIT};

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word is read as what prints as it, and the first is the default.
    pub(super) fn check<T: Clone + fmt::Display>(choice: &Choice<T>, default: Option<&T>) {
        for known in choice.words {
            assert_eq!(choice.find(known.word).unwrap().to_string(), known.word);
            assert!(!known.help.is_empty() && !known.help.ends_with('.'), "{}", known.word);
        }
        let error = choice.find("nonsense").map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("there is no {} `nonsense`; ", choice.name)));
        assert!(choice.words.iter().all(|known| error.contains(known.word)), "{error}");
        if let Some(default) = default {
            assert_eq!(choice.words[0].word, default.to_string());
        }
    }

    #[test]
    fn other_names_and_typing_errors() {
        for (name, metric) in [
            ("euclidean", Metric::L2),
            ("manhattan", Metric::L1),
            ("cityblock", Metric::L1),
            ("chebyshev", Metric::Linf),
            ("great-circle", Metric::Haversine),
        ] {
            assert_eq!(METRIC.find(name).unwrap(), metric);
            assert_ne!(metric.to_string(), name, "the word is its first name");
        }
        for (typed, meant) in [
            ("haversin", "haversine"),
            ("L2", "l2"),
            ("euclidian", "euclidean"),
            ("hmaming", "hamming"),
        ] {
            let error = METRIC.find(typed).unwrap_err().to_string();
            assert!(error.contains(&format!("; did you mean {meant}? choose one of")), "{error}");
        }
        assert!(!METRIC.find("cosine").unwrap_err().to_string().contains("did you mean"));
        for (one, other, errors) in
            [("", "abc", 3), ("abc", "acb", 1), ("ab", "ab", 0), ("abcd", "bcx", 2)]
        {
            assert_eq!(typing_errors(one, other), errors, "{one} and {other}");
        }
    }

    #[test]
    fn words_are_what_they_stand_for() {
        check(&OBJECTIVE, Some(&Objective::default()));
        check(&METRIC, None);
        check(&DISSIMILARITY, None);
        check(&INIT, Some(&Init::default()));
        check(&TREE, Some(&TreeKind::default()));
        check(&SEARCH, Some(&TreeSearch::default()));
        check(&SWAP, Some(&SwapRule::default()));
        check(&EFFORT, Some(&Effort::default()));
        assert_eq!(Init::Given(vec![1]).to_string(), "given");
        assert_eq!(TreeKind::Ball { levels: 2 }.to_string(), "ball");
        assert_eq!((FITTED, HST), (TreeKind::default(), Hst::default()));
    }

    #[test]
    fn every_metric_has_a_word() {
        assert!(Metric::ALL.iter().all(|metric| METRIC.word(metric) == Some(metric.name())));
        assert_eq!(METRIC.words.len(), Metric::ALL.len());
        for (metric, known) in METRIC.words.iter().zip(DISSIMILARITY.words) {
            assert_eq!((metric.word, Dissimilarity::from(metric.value)), (known.word, known.value));
            assert_eq!(known.value.of_vectors(), Some(metric.value));
        }
    }
}
