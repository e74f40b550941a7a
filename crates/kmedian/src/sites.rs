//! Which items may be centers, and which always are.

use std::sync::Arc;

use crate::{Error, ErrorKind, Objective};

/// The candidates, which are the items that may be centers, and the fixed centers, which always are
/// and never leave. By default all items are candidates, and none is fixed.
///
/// Both are public, also in a private run. Clones share their lists, so they cost nothing.
///
/// ```
/// use kmedian::{Metric, Problem, Sites, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0], Metric::L1)?;
/// // Only even places are for sale, and there is a depot at the first.
/// let sites = Sites::new(5, Some(&[0, 2, 4]), &[0])?;
/// let problem = Problem::of(&places).sites(&sites).build()?;
/// assert_eq!(problem.candidates().collect::<Vec<_>>(), [0, 2, 4]);
/// assert_eq!(problem.fixed(), [0]);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sites(Option<Arc<Lists>>);

/// Candidates and fixed centers that are not the default.
#[derive(Debug, PartialEq, Eq)]
struct Lists {
    /// By item, whether it may be a center.
    is_candidate: Vec<bool>,
    /// By item, whether it may be a center and is not fixed.
    is_free: Vec<bool>,
    /// The items that may be centers, ascending.
    candidates: Vec<u32>,
    /// The items that are always centers, in the order in which they were given.
    fixed: Vec<usize>,
}

impl Sites {
    /// Takes the candidates among the items `0..items` (`None` if all of them are), and the
    /// centers that are fixed.
    ///
    /// # Errors
    /// If an item is unknown or given twice, if there is no candidate, or if a fixed center is not
    /// among the candidates.
    pub fn new(items: usize, candidates: Option<&[usize]>, fixed: &[usize]) -> Result<Self, Error> {
        if candidates.is_some_and(<[usize]>::is_empty) {
            let message = "there are no candidates; give at least one item that may be a center";
            return Err(Error::new(ErrorKind::Empty, message));
        }
        let is_candidate = match candidates {
            Some(candidates) => marks(items, candidates, "candidates")?,
            None => vec![true; items],
        };
        marks(items, fixed, "fixed centers")?;
        if let Some(&item) = fixed.iter().find(|&&item| !is_candidate[item]) {
            let message = format!(
                "item {item} is a fixed center, but not among the candidates; add it to them, or do not fix it"
            );
            return Err(Error::new(ErrorKind::Parameter, message));
        }
        if fixed.is_empty() && is_candidate.iter().all(|&may| may) {
            return Ok(Self::default());
        }
        Ok(Self::trusted(is_candidate, fixed.to_vec()))
    }

    /// Sites that are known to be right: by item, whether it may be a center, and the fixed ones.
    pub(crate) fn trusted(is_candidate: Vec<bool>, fixed: Vec<usize>) -> Self {
        let candidates =
            (0..is_candidate.len() as u32).filter(|&item| is_candidate[item as usize]).collect();
        let mut is_free = is_candidate.clone();
        fixed.iter().for_each(|&item| is_free[item] = false);
        Self(Some(Arc::new(Lists { is_candidate, is_free, candidates, fixed })))
    }

    /// Whether all items are candidates, and none is fixed.
    pub fn is_default(&self) -> bool {
        self.0.is_none()
    }

    /// The items that are always centers, in the order in which they were given.
    pub fn fixed(&self) -> &[usize] {
        self.0.as_ref().map_or(&[], |lists| &lists.fixed)
    }

    /// Whether an item, given by its number from 0, may be a center.
    #[inline]
    pub fn is_candidate(&self, item: usize) -> bool {
        self.0.as_ref().is_none_or(|lists| lists.is_candidate[item])
    }

    /// Whether an item may be a center and is not fixed.
    pub(crate) fn is_free(&self, item: usize) -> bool {
        self.0.as_ref().is_none_or(|lists| lists.is_free[item])
    }

    /// The candidates, ascending; `None` if all items are.
    pub(crate) fn listed(&self) -> Option<&[u32]> {
        self.0.as_ref().map(|lists| lists.candidates.as_slice())
    }

    /// The number of items that the lists were made for; `None` for the default, which fits any.
    pub(crate) fn items(&self) -> Option<usize> {
        self.0.as_ref().map(|lists| lists.is_candidate.len())
    }
}

/// What centers are sought: how they are judged, and where they may be. An [`Objective`] alone is a
/// goal too, with all items as candidates.
///
/// Whatever finds centers without being given a [`Problem`](crate::Problem), such as a private
/// release, takes a goal.
///
/// ```
/// use kmedian::{Goal, Metric, Objective, Problem, Sites, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 5.0], Metric::L1)?;
/// let goal = Goal { objective: Objective::Means, sites: Sites::new(3, Some(&[1, 2]), &[])? };
/// let problem = Problem::of(&places).goal(&goal).build()?;
/// assert_eq!((problem.cost(&[1]), problem.candidates().len()), (17.0, 2));
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Goal {
    /// What a distance to the nearest center costs.
    pub objective: Objective,
    /// Which items may be centers, and which always are.
    pub sites: Sites,
}

impl From<Objective> for Goal {
    fn from(objective: Objective) -> Self {
        Self { objective, sites: Sites::default() }
    }
}

/// A mark at each of the items `0..items` that is in a list.
fn marks(items: usize, list: &[usize], whom: &str) -> Result<Vec<bool>, Error> {
    let mut marks = vec![false; items];
    for &item in list {
        let wrong = match marks.get_mut(item) {
            None => format!(
                "there is no item {item}, which is given among the {whom}; the items are 0 to {}",
                items.saturating_sub(1)
            ),
            Some(true) => {
                format!("item {item} is given twice among the {whom}; give each item once")
            }
            Some(mark) => {
                *mark = true;
                continue;
            }
        };
        return Err(Error::new(ErrorKind::Parameter, wrong));
    }
    Ok(marks)
}
