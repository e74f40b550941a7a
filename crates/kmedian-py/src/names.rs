//! Words that stand for a choice, as Python gives them.

use kmedian::privacy::Neighbours;
use kmedian::{Effort, Hst, Init, Metric, Objective, Strategy};

use crate::failure::Failure;

/// A metric by its own name, or by the one that scikit-learn and SciPy have for it.
pub(crate) fn metric(name: &str) -> Result<Metric, Failure> {
    match name {
        "euclidean" => Ok(Metric::L2),
        "manhattan" | "cityblock" => Ok(Metric::L1),
        "chebyshev" => Ok(Metric::Linf),
        _ => name.parse().map_err(|_| {
            let own = Metric::ALL.map(Metric::name).join(", ");
            let hint = match name {
                "cosine" => ". The metric form of cosine is angular",
                "sqeuclidean" => ". KMeansMedoids with l2 sums squares",
                _ => "",
            };
            Failure::Value(format!(
                "there is no metric {name:?}; choose one of {own}, euclidean, manhattan, chebyshev, precomputed, graph, \
                 or give a function of two rows{hint}"
            ))
        }),
    }
}

pub(crate) fn objective(name: &str) -> Result<Objective, Failure> {
    choose("objective", name, [("median", Objective::Median), ("means", Objective::Means)])
}

pub(crate) fn init(name: &str) -> Result<Init, Failure> {
    let choices = [
        ("auto", Init::Auto),
        ("hst", Init::Hst(Hst::default())),
        ("greedy", Init::Greedy),
        ("plusplus", Init::PlusPlus),
        ("random", Init::Random),
    ];
    choose("init", name, choices)
}

pub(crate) fn swap(name: &str) -> Result<Strategy, Failure> {
    choose("swap", name, [("eager", Strategy::Eager), ("best", Strategy::Best)])
}

pub(crate) fn neighbours(name: &str) -> Result<Neighbours, Failure> {
    let choices = [("add-remove", Neighbours::AddRemove), ("replace-one", Neighbours::ReplaceOne)];
    choose("neighbours", name, choices)
}

pub(crate) fn effort(name: &str) -> Result<Effort, Failure> {
    let choices =
        [("certified", Effort::Certified), ("balanced", Effort::Balanced), ("fast", Effort::Fast)];
    choose("effort", name, choices)
}

fn choose<T, const N: usize>(
    what: &str,
    name: &str,
    choices: [(&str, T); N],
) -> Result<T, Failure> {
    let names = choices.each_ref().map(|(name, _)| *name).join(", ");
    let chosen = choices.into_iter().find(|(known, _)| *known == name);
    let wrong = || Failure::Value(format!("{what}={name:?} is not known; choose one of {names}"));
    chosen.map(|(_, choice)| choice).ok_or_else(wrong)
}
