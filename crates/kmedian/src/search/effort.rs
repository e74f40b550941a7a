/// How long an eager local search goes on.
///
/// Where there is much demand, first passes judge swaps on samples of it, which is where most swaps are
/// found. The efforts differ in what follows. Little demand has no samples: there, all but a certified search
/// judge every item once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Effort {
    /// Samples alone: no swap is judged on all of the demand.
    Fast,
    /// Samples, then one more step: every center may give way to one of the items nearest to it, judged on all
    /// of the demand that it serves.
    Balanced,
    /// Samples, then all items on all of the demand, until no swap improves the centers: a local optimum,
    /// exactly.
    #[default]
    Certified,
}
