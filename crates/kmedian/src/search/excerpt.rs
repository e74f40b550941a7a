//! Some items of a problem as a problem of their own, for searches on a sample.

use crate::{Demand, Problem, Sites, Vectors};

/// Vectors of a few of many items: side by side in memory, and with room for lower bounds of all of
/// their distances, where there is none for those of all items.
pub(super) struct Excerpt {
    vectors: Vectors,
    /// By position in the excerpt, the item; ascending.
    items: Vec<u32>,
}

impl Excerpt {
    /// An excerpt of some items of a problem; `None` unless they are vectors.
    pub(super) fn new(problem: &Problem<'_>, mut items: Vec<u32>) -> Option<Self> {
        let vectors = problem.space.own().as_vectors()?;
        items.sort_unstable();
        items.dedup();
        Some(Self { vectors: vectors.excerpt(&items), items })
    }

    /// The part of a problem that the excerpt shows, with another demand, which is zero elsewhere;
    /// `None` if that is no valid demand.
    pub(super) fn problem(&self, of: &Problem<'_>, demand: &Demand) -> Option<Problem<'_>> {
        let weights = self.items.iter().map(|&item| demand.of(item as usize)).collect();
        let sites = if of.sites.is_default() {
            Sites::default()
        } else {
            let is_candidate = self.items.iter().map(|&item| of.sites.is_candidate(item as usize));
            Sites::trusted(is_candidate.collect(), self.positions(of.fixed()))
        };
        let (demand, objective) = (Demand::new(weights).ok()?, of.objective);
        Some(Problem { space: &self.vectors, demand, objective, sites })
    }

    /// The positions of some items in the excerpt.
    pub(super) fn positions(&self, items: &[usize]) -> Vec<usize> {
        items.iter().filter_map(|&item| self.items.binary_search(&(item as u32)).ok()).collect()
    }

    /// The items at some positions in the excerpt.
    pub(super) fn items(&self, positions: &[usize]) -> Vec<usize> {
        positions.iter().map(|&position| self.items[position] as usize).collect()
    }
}
