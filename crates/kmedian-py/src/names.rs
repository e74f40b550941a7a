//! Turns words from Python, such as `"fast"`, into values of the core.

use kmedian::choice::{self, Choice};
use kmedian::{Dissimilarity, Metric};
use pyo3::pyfunction;

use crate::failure::Failure;

/// The dissimilarity of this name: its own, or the one that scikit-learn and SciPy use.
pub(crate) fn dissimilarity(name: &str) -> Result<Dissimilarity, Failure> {
    choice::DISSIMILARITY.find(name).map_err(|_| {
        let own = choice::DISSIMILARITY.advice();
        Failure::Value(format!(
            "there is no metric {name:?}; {own}, graph, another one of scipy.spatial.distance, or give a function of two \
             items"
        ))
    })
}

/// The metric of vectors of this name.
pub(crate) fn metric(name: &str) -> Result<Metric, Failure> {
    vectors(dissimilarity(name)?)
}

/// The metric that rows of numbers are searched under.
pub(crate) fn vectors(dissimilarity: Dissimilarity) -> Result<Metric, Failure> {
    dissimilarity.of_vectors().ok_or_else(|| {
        Failure::Value(format!("metric={:?} is not for rows of numbers", dissimilarity.to_string()))
    })
}

/// Whether distances under a metric stay the same if the same number is subtracted from all values
/// of a column.
#[pyfunction]
pub(crate) fn is_translation_invariant(name: &str) -> Result<bool, Failure> {
    metric(name).map(Metric::is_translation_invariant)
}

/// The value of a word of the core's table, or an error in Python's terms.
pub(crate) fn chosen<T: Clone>(choice: &Choice<T>, word: &str) -> Result<T, Failure> {
    let wrong =
        |_| Failure::Value(format!("{}={word:?} is not known; {}", choice.name, choice.advice()));
    choice.find(word).map_err(wrong)
}

/// A word, and what it means in one line.
type Word = (&'static str, &'static str);

/// All choices of the core that Python offers: the name of each, and its words with their help, the
/// default first.
#[pyfunction]
pub(crate) fn choices() -> Vec<(&'static str, Vec<Word>)> {
    vec![
        words(&choice::OBJECTIVE),
        words(&choice::DISSIMILARITY),
        words(&choice::INIT),
        words(&choice::SWAP),
        words(&choice::EFFORT),
        words(&choice::METHOD),
        words(&choice::SPLIT),
        words(&choice::NEIGHBOURS),
    ]
}

fn words<T>(choice: &Choice<T>) -> (&'static str, Vec<Word>) {
    (choice.name, choice.words.iter().map(|known| (known.word, known.help)).collect())
}
