//! Choosing k: which of several numbers of centers to suggest.

use std::fmt;

use crate::Clustering;

/// Centers of which the medoid silhouette is at least this share of the largest one are about as
/// clearly apart: local search and sampling move it by as much.
const ABOUT_AS_GOOD: f64 = 0.99;

/// What is known of the centers for one k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// The number of centers.
    pub k: usize,
    /// The number of items that the centers serve, themselves among them.
    pub items: usize,
    /// The cost of the centers, as in [`Clustering::cost`].
    pub cost: f64,
    /// The [medoid silhouette](crate::medoid_silhouette) of the centers, from 0 to 1; `None` if
    /// they have none, as for k = 1.
    pub silhouette: Option<f64>,
}

impl Tried {
    /// The number, cost and silhouette of centers that were found.
    pub fn of(found: &Clustering) -> Self {
        let (k, items) = (found.centers.len(), found.assignment.labels.len());
        Self { k, items, cost: found.cost, silhouette: found.silhouette }
    }

    /// The medoid silhouette without the centers themselves, each of which adds 1 to it however
    /// near the others are: near k = n nearly all items are centers, and it would always be the
    /// largest there. `None` if all items are centers.
    fn silhouette_of_others(&self) -> Option<f64> {
        let silhouette = self.silhouette.filter(|value| value.is_finite())?;
        let share = self.k as f64 / self.items as f64;
        (share < 1.0).then(|| ((silhouette - share) / (1.0 - share)).max(0.0))
    }
}

/// A number of centers, and why it is suggested.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The number of centers that is suggested.
    pub k: usize,
    /// The medoid silhouette of the centers for this k, from 0 to 1.
    pub silhouette: f64,
    /// Why this k is suggested.
    pub reason: Reason,
}

/// Why a number of centers is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its medoid silhouette is the largest by far.
    Silhouette,
    /// Several have about the largest medoid silhouette, and this one is at the sharpest bend of
    /// the cost.
    Bend,
    /// Its medoid silhouette is the largest, but it is the largest k that was tried: a larger one
    /// may be better still.
    Last,
}

/// The suggestion in one line for people.
impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { k, silhouette, reason } = self;
        match reason {
            Reason::Silhouette => {
                write!(
                    f,
                    "k = {k}: its centers are the clearest apart (silhouette {silhouette:.3})"
                )
            }
            Reason::Bend => write!(
                f,
                "k = {k}: of the k whose centers are about the clearest apart (silhouette {silhouette:.3}), the one \
                 after which more centers save least"
            ),
            Reason::Last => write!(
                f,
                "k = {k}: its centers are the clearest apart (silhouette {silhouette:.3}), but it is the largest k \
                 tried; a larger one may be better"
            ),
        }
    }
}

/// Which of several numbers of centers to take, if nothing else is known of them: the one whose
/// centers are the clearest apart, by the medoid silhouette of the items that are no centers. If
/// several come within a hundredth of the largest, the sharpest bend of the cost among them decides:
/// that k where the last further center saved most, compared with the next one. `None` if fewer
/// than two k have a silhouette.
///
/// The silhouette as a guide to the number of clusters is Rousseeuw's (1987); distances to medoids
/// in place of mean distances, which makes it cheap, are van der Laan, Pollard and Bryan's (2003),
/// and Lenssen and Schubert (2022) find that its largest value marks the true number on generated
/// data. The ratio of successive drops is that of Krzanowski and Lai (1988) without their factor
/// for the dimension, as a metric has none. It is not used alone: on smooth curves the largest bend
/// is chance (Schubert, "Stop using the elbow criterion for k-means", 2023).
///
/// ```
/// use kmedian::{KMedian, Metric, Problem, Tried, Vectors, suggest_k};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 50.0, 51.0, 52.0, 90.0, 91.0, 92.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let plan = KMedian::default();
/// let tried: Result<Vec<Tried>, kmedian::Error> =
///     (2..=5).map(|k| Ok(Tried::of(&plan.fit(&problem, k)?))).collect();
/// assert_eq!(suggest_k(&tried?).map(|suggestion| suggestion.k), Some(3));
/// # Ok::<(), kmedian::Error>(())
/// ```
pub fn suggest_k(tried: &[Tried]) -> Option<Suggestion> {
    let mut tried = tried.to_vec();
    tried.sort_by_key(|tried| tried.k);
    tried.dedup_by_key(|tried| tried.k);
    let known = |at: usize| tried[at].silhouette_of_others();
    let places: Vec<usize> = (0..tried.len()).filter(|&at| known(at).is_some()).collect();
    let silhouette = |at: usize| known(at).unwrap_or(0.0);
    if places.len() < 2 {
        return None;
    }
    let top = places.iter().map(|&at| silhouette(at)).fold(0.0, f64::max);
    let hopeful: Vec<usize> =
        places.iter().copied().filter(|&at| silhouette(at) >= ABOUT_AS_GOOD * top).collect();
    let order = |a: usize, b: usize| {
        let by_bend = bend(&tried, a).total_cmp(&bend(&tried, b));
        by_bend.then(silhouette(a).total_cmp(&silhouette(b))).then(b.cmp(&a))
    };
    let &at = hopeful.iter().max_by(|&&a, &&b| order(a, b))?;
    let reason = match hopeful.as_slice() {
        _ if at + 1 == tried.len() => Reason::Last,
        [_, _, ..] if bend(&tried, at) > 0.0 => Reason::Bend,
        _ => Reason::Silhouette,
    };
    let Tried { k, silhouette, .. } = tried[at];
    Some(Suggestion { k, silhouette: silhouette?, reason })
}

/// How sharply the cost bends at a k: what each of the last further centers saved, divided by what
/// each of the next ones saves. Zero at the first and the last k, where that is not known.
fn bend(tried: &[Tried], at: usize) -> f64 {
    let saving = |before: &Tried, after: &Tried| {
        (before.cost - after.cost).max(0.0) / (after.k - before.k) as f64
    };
    match (at.checked_sub(1).map(|before| &tried[before]), tried.get(at + 1)) {
        (Some(before), Some(after)) => {
            // A next center that saves nothing must not make the ratio of two zeros.
            let least = tried[at].cost.max(f64::MIN_POSITIVE) * 1e-9;
            saving(before, &tried[at]) / saving(&tried[at], after).max(least)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(rows: &[(usize, f64, f64)]) -> Vec<Tried> {
        let row = |&(k, cost, silhouette)| Tried {
            k,
            items: 1_000_000,
            cost,
            silhouette: Some(silhouette),
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn the_clearest_is_suggested_and_bends_decide_ties() {
        let clear = tried(&[(2, 9.0, 0.4), (3, 5.0, 0.8), (4, 4.5, 0.6), (5, 4.0, 0.5)]);
        let found = suggest_k(&clear).unwrap();
        assert_eq!((found.k, found.reason), (3, Reason::Silhouette));
        assert!(found.to_string().starts_with("k = 3: its centers are the clearest apart"));
        let tied = tried(&[
            (2, 90.0, 0.5),
            (3, 50.0, 0.798),
            (4, 20.0, 0.795),
            (5, 19.0, 0.8),
            (6, 18.0, 0.5),
        ]);
        let found = suggest_k(&tied).unwrap();
        assert_eq!((found.k, found.reason), (4, Reason::Bend));
    }

    #[test]
    fn the_largest_k_is_suggested_with_a_doubt() {
        let rising = tried(&[(4, 8.0, 0.3), (6, 5.0, 0.5), (5, 6.0, 0.4)]);
        let found = suggest_k(&rising).unwrap();
        assert_eq!((found.k, found.reason), (6, Reason::Last));
    }

    #[test]
    fn without_a_bend_the_largest_silhouette_counts() {
        let ends = tried(&[(2, 9.0, 0.483), (3, 8.0, 0.463), (4, 7.0, 0.485)]);
        let found = suggest_k(&ends).unwrap();
        assert_eq!((found.k, found.reason), (4, Reason::Last));
        let first = tried(&[(2, 9.0, 0.485), (3, 8.0, 0.463), (4, 7.0, 0.483)]);
        let found = suggest_k(&first).unwrap();
        assert_eq!((found.k, found.reason), (2, Reason::Silhouette));
    }

    #[test]
    fn too_little_to_tell() {
        assert_eq!(suggest_k(&[]), None);
        let one = Tried { k: 1, items: 1_000_000, cost: 9.0, silhouette: None };
        assert_eq!(suggest_k(&[one, tried(&[(2, 5.0, 0.5)])[0]]), None);
        let two = tried(&[(2, 5.0, 0.5), (2, 5.0, 0.5)]);
        assert_eq!(suggest_k(&two), None, "one k, twice");
        // The first k with a silhouette has a bend if a smaller one was tried.
        let with_one = [one, tried(&[(2, 1.0, 0.8)])[0], tried(&[(3, 0.9, 0.799)])[0]];
        assert_eq!(suggest_k(&with_one).unwrap().k, 2);
    }

    #[test]
    fn centers_that_serve_only_themselves_count_for_nothing() {
        // Of 30 items, those that are no centers have silhouettes of 0.6, 0.8, 0.5 and 0.5.
        let of = |k: usize, cost: f64, others: f64| {
            let share = k as f64 / 30.0;
            Tried { k, items: 30, cost, silhouette: Some(share + (1.0 - share) * others) }
        };
        let all = [of(2, 30.0, 0.6), of(3, 9.0, 0.8), of(15, 4.0, 0.5), of(29, 0.3, 0.5)];
        assert!(all[3].silhouette > all[1].silhouette);
        let found = suggest_k(&all).unwrap();
        assert_eq!((found.k, found.reason), (3, Reason::Silhouette));
        assert_eq!(Some(found.silhouette), all[1].silhouette);
        // Where all items are centers, nothing is left to judge by.
        let whole = Tried { k: 30, items: 30, cost: 0.0, silhouette: Some(1.0) };
        assert_eq!(suggest_k(&[whole, all[3]]), None);
        assert_eq!(suggest_k(&[all[0], all[1], whole]).unwrap().k, 3);
    }

    #[test]
    fn costs_of_zero_are_no_trouble() {
        let zero = tried(&[(2, 0.0, 1.0), (3, 0.0, 1.0), (4, 0.0, 1.0)]);
        assert_eq!(suggest_k(&zero).unwrap().k, 2);
    }
}
