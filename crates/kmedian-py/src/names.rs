//! Turns words from Python, such as `"fast"`, into values of the core.

use kmedian::Metric;
use kmedian::choice::{self, Choice};
use pyo3::pyfunction;

use crate::failure::Failure;

/// The metric of this name: its own, or the one that scikit-learn and SciPy use.
pub(crate) fn metric(name: &str) -> Result<Metric, Failure> {
    match name {
        "euclidean" => Ok(Metric::L2),
        "manhattan" | "cityblock" => Ok(Metric::L1),
        "chebyshev" => Ok(Metric::Linf),
        _ => name.parse().map_err(|_| {
            let own = choice::METRIC.advice();
            let hint = match name {
                "cosine" => ". The metric form of cosine is angular",
                "sqeuclidean" => ". KMeansMedoids with l2 sums squares",
                _ => "",
            };
            Failure::Value(format!(
                "there is no metric {name:?}; {own}, euclidean, manhattan, chebyshev, precomputed, graph, \
                 or give a function of two rows{hint}"
            ))
        }),
    }
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
        words(&choice::METRIC),
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
