use std::fmt;

/// How long an eager local search goes on.
///
/// Where there is much demand, first passes judge swaps on a sample of it, which is where most swaps are
/// found. The efforts differ in what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Effort {
    /// Nothing: all that was judged was judged on the sample. Little demand has no sample, and is
    /// balanced.
    Fast,
    /// Then those items that are nearest to their centers are judged once more, on all of the demand. With
    /// little demand, every item is judged once.
    Balanced,
    /// Items are judged on all of the demand until none of them improves the centers: a local optimum,
    /// exactly.
    #[default]
    Certified,
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effort::Fast => "fast",
            Effort::Balanced => "balanced",
            Effort::Certified => "certified",
        })
    }
}
