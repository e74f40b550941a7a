/// How long an eager local search goes on.
///
/// Where there is much demand, first passes judge swaps on samples of it, which is where most swaps
/// are found. The efforts differ in what follows. Little demand has no samples: there, all but a
/// certified search judge every item once.
///
/// By default, [`Auto`](Effort::Auto) certifies where that is predicted to take seconds, and says
/// how long it would take elsewhere. Choose [`Certified`](Effort::Certified) wherever its time is
/// bearable: its result is a local optimum, and the bound on its cost holds. Each of its passes
/// asks one question for every item, so its time may grow with n². [`Balanced`](Effort::Balanced)
/// judges a few items of each cluster on that cluster alone, which grows with n, and suits a
/// million items. [`Fast`](Effort::Fast) looks at all items only to assign them. What each of them
/// costs and takes is measured in docs/PERFORMANCE.md.
///
/// ```
/// use kmedian::{Effort, KMedian, LocalSearch, Metric, Problem, Stop, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let search = LocalSearch { effort: Effort::Fast, ..LocalSearch::default() };
/// let found = KMedian { search, ..KMedian::default() }.fit(&problem, 2)?;
/// assert_eq!(found.stop, Stop::OnePass);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Effort {
    /// [`Certified`](Effort::Certified) if that is predicted to take 10 seconds at most on one
    /// thread, else [`Balanced`](Effort::Balanced). The prediction is made from the numbers of
    /// items and coordinates and from what a few candidates cost, not from a clock or the memory at
    /// hand, so every machine decides alike. Only vectors are predicted: on graphs, matrices and
    /// functions of two items it is always certified.
    /// [`Clustering::certifying`](crate::Clustering::certifying) tells what was predicted where it
    /// was too long.
    #[default]
    Auto,
    /// Swaps judged on samples alone, none on all of the demand; with too little demand for
    /// samples, every item judged once.
    Fast,
    /// Swaps judged on samples, then one more step: every center may give way to one of the items
    /// nearest to it, judged on all of the demand that it serves. With too little demand for
    /// samples, every item judged once.
    Balanced,
    /// Swaps judged on samples, then all items on all of the demand, until no swap improves the
    /// centers: a local optimum, exactly.
    Certified,
    /// [`Certified`](Effort::Certified), and then on and on: better centers and a bound of what is
    /// possible in turn, and cases in which sites are open or closed, until no centers are left
    /// that could cost less ([`Proof::Optimal`](crate::Proof::Optimal)). That may take for ever, so
    /// give a time limit. Only [`KMedian`](crate::KMedian) does it; a
    /// [`LocalSearch`](crate::LocalSearch) alone ends at a local optimum.
    Optimal,
}
