//! The candidate that serves an item best, where not every item is a candidate.

use crate::Problem;
use crate::space::{Answering, AskerPool};

/// Finds the candidate nearest to an item: where one would like a center that may be none.
pub(crate) struct NearestCandidate {
    candidates: Vec<u32>,
    /// By item, the nearest candidate, found for all items at once in a space that explores.
    known: Option<Vec<u32>>,
}

impl NearestCandidate {
    /// Gets ready to find candidates; `None` if every item is one.
    pub(crate) fn new(problem: &Problem<'_>, pool: &AskerPool<'_>) -> Option<Self> {
        let candidates = problem.sites().listed()?.to_vec();
        if candidates.len() == problem.len() {
            return None;
        }
        let known = problem.space.abilities().explores.then(|| {
            let everyone: Vec<u32> = (0..problem.len() as u32).collect();
            let shares = pool.lend(|asker| asker.asker.share(&everyone, &candidates));
            shares.into_iter().map(|share| candidates[share.item as usize]).collect()
        });
        Some(Self { candidates, known })
    }

    /// The candidate nearest to an item; of equally near ones the first.
    pub(crate) fn of(&self, item: usize, asker: &mut Answering<'_>) -> usize {
        if let Some(known) = &self.known {
            return known[item] as usize;
        }
        let hits = asker.ask_to(item, &self.candidates);
        let nearer = |a: &&crate::Hit, b: &&crate::Hit| {
            a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item))
        };
        hits.iter().min_by(nearer).map_or(self.candidates[0], |hit| hit.item) as usize
    }
}
