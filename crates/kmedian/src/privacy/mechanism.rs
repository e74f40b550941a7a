use super::Method;

/// How private centers come about: what looks at the demand, and how centers follow from that.
///
/// Centers of [`Refined`](Mechanism::Refined) cost least in our measurements. Choose
/// [`Exact`](Mechanism::Exact) for centers that must stay centers when k grows, and
/// [`Paper`](Mechanism::Paper) for comparisons with the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Mechanism {
    /// Noisy counts of a public tree, from which centers for any k follow by [`Method::Refined`].
    #[default]
    Refined,
    /// Noisy counts of a public tree, from which centers for any k follow by [`Method::Exact`].
    Exact,
    /// The paper's Algorithm 7, a [`PrivateSearch`](super::PrivateSearch): centers for one k.
    Paper,
}

impl Mechanism {
    /// How centers are derived from noisy counts; `None` for [`Mechanism::Paper`], which releases
    /// centers and no counts.
    pub fn method(self) -> Option<Method> {
        match self {
            Mechanism::Refined => Some(Method::Refined),
            Mechanism::Exact => Some(Method::Exact),
            Mechanism::Paper => None,
        }
    }

    /// What the entry of a ledger calls the part that looks at the demand, such as `noisy tree`.
    pub fn looks_by(self) -> &'static str {
        match self {
            Mechanism::Refined | Mechanism::Exact => "noisy tree",
            Mechanism::Paper => "private local search",
        }
    }
}
