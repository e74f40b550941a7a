//! Vectors of which many are equal, each kept once.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{LentVectors, Vectors};
use crate::{Assignment, Demand, Halt, Sites, tactics};

/// The factor of hashes: the odd number next to 2⁶⁴ divided by the golden ratio, whose multiples
/// are spread evenly over 64 bits.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Vectors without repetitions, in the order in which they first appear, and the way back to all
/// items.
pub(crate) struct Merged {
    pub(crate) vectors: Vectors,
    /// For each item of the original space, the position of its vector among `vectors`.
    position: Vec<u32>,
    /// For each of `vectors`, the first item of the original space that has it.
    first: Vec<u32>,
}

impl Merged {
    /// Merges equal vectors; `None` if nearly all differ, or if the work is to end.
    pub(super) fn new(vectors: &LentVectors<'_>, halt: &Halt) -> Option<Self> {
        let hashes: Vec<u64> =
            (0..vectors.len).into_par_iter().map(|item| hash(vectors.row(item))).collect();
        halt.check().ok()?;
        let mut sorted = hashes.clone();
        sorted.par_sort_unstable();
        sorted.dedup();
        if !tactics::merges(vectors.len, sorted.len()) {
            return None;
        }
        let mut known: HashMap<u64, u32> = HashMap::with_capacity(sorted.len());
        let (mut position, mut first) = (Vec::with_capacity(vectors.len), Vec::new());
        for (item, hash) in hashes.into_iter().enumerate() {
            let new = first.len() as u32;
            let same = *known.entry(hash).or_insert(new);
            // Another row with the same hash, which is next to impossible, stays on its own.
            let is_known =
                same != new && equal(vectors.row(item), vectors.row(first[same as usize] as usize));
            if !is_known {
                first.push(item as u32);
            }
            position.push(if is_known { same } else { new });
        }
        Some(Self { vectors: vectors.excerpt(&first), position, first })
    }

    /// The number of vectors without repetitions.
    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    /// The demand at the merged vectors: that of equal items is added up. `None` if that is no
    /// valid demand.
    pub(crate) fn demand(&self, demand: &Demand) -> Option<Demand> {
        let mut weights = vec![0.0; self.len()];
        for &item in demand.items() {
            weights[self.position[item as usize] as usize] += demand.of(item as usize);
        }
        Demand::new(weights).ok()
    }

    /// Candidates and fixed centers among the merged vectors: a vector is one if an item is that
    /// has it.
    pub(crate) fn sites(&self, sites: &Sites) -> Sites {
        if sites.is_default() {
            return Sites::default();
        }
        let mut is_candidate = vec![false; self.len()];
        for item in (0..self.position.len()).filter(|&item| sites.is_candidate(item)) {
            is_candidate[self.position[item] as usize] = true;
        }
        let mut fixed: Vec<usize> = Vec::new();
        let mut is_fixed = vec![false; self.len()];
        for &item in sites.fixed() {
            let position = self.position[item] as usize;
            if !std::mem::replace(&mut is_fixed[position], true) {
                fixed.push(position);
            }
        }
        Sites::trusted(is_candidate, fixed)
    }

    /// How many merged vectors are centers if k items are, of which some are fixed: fewer, if
    /// fixed centers have equal vectors, or if all candidates are centers.
    pub(crate) fn centers_for(&self, k: usize, sites: &Sites) -> usize {
        let merged = self.sites(sites);
        let candidates = merged.listed().map_or(self.len(), <[u32]>::len);
        (k - (sites.fixed().len() - merged.fixed().len())).min(candidates)
    }

    /// Turns centers of the merged vectors, and what they serve, into those of all items: a center
    /// becomes the first candidate with its vector, and every item gets the label and the distance
    /// of its vector. The fixed centers come first. If `k` is more than there are merged
    /// candidates, all of these are centers already, and the first other candidates are added.
    pub(crate) fn expand(
        &self,
        found: (&[usize], &Assignment),
        k: usize,
        sites: &Sites,
    ) -> (Vec<usize>, Assignment) {
        let (found, Assignment { labels, distances }) = found;
        let mut first = self.first.clone();
        if !sites.is_default() {
            let of = |item: &usize| (self.position[*item] as usize, *item as u32);
            let candidates =
                (0..self.position.len()).rev().filter(|&item| sites.is_candidate(item));
            candidates.map(|item| of(&item)).for_each(|(place, item)| first[place] = item);
            sites.fixed().iter().rev().map(of).for_each(|(place, item)| first[place] = item);
        }
        let mut centers = sites.fixed().to_vec();
        let mut is_center = vec![false; self.position.len()];
        centers.iter().for_each(|&center| is_center[center] = true);
        // Where each center of the merged vectors is among all centers.
        let mut slots = Vec::with_capacity(found.len());
        for center in found.iter().map(|&center| first[center] as usize) {
            if std::mem::replace(&mut is_center[center], true) {
                slots.push(centers.iter().position(|&fixed| fixed == center).unwrap_or(0) as u32);
            } else {
                slots.push(centers.len() as u32);
                centers.push(center);
            }
        }
        let of_all = self.position.iter().map(|&position| position as usize);
        let mut assignment = Assignment {
            labels: of_all.clone().map(|position| slots[labels[position] as usize]).collect(),
            distances: of_all.map(|position| distances[position]).collect(),
        };
        // A center with the vector of another one serves itself.
        for (slot, &center) in (0..).zip(sites.fixed()) {
            assignment.labels[center] = slot;
        }
        let others =
            (0..is_center.len()).filter(|&item| !is_center[item] && sites.is_candidate(item));
        for item in others.take(k - centers.len()) {
            assignment.labels[item] = centers.len() as u32;
            centers.push(item);
        }
        (centers, assignment)
    }
}

/// The bits of the numbers in a row, which are the same for 0 and −0.
pub(super) fn bits(row: &[f32]) -> impl Iterator<Item = u32> {
    row.iter().map(|x| (x + 0.0).to_bits())
}

fn equal(a: &[f32], b: &[f32]) -> bool {
    bits(a).eq(bits(b))
}

fn hash(row: &[f32]) -> u64 {
    bits(row)
        .fold(GOLDEN, |hash, bits| (hash ^ u64::from(bits)).wrapping_mul(GOLDEN).rotate_left(29))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on has failed.
mod tests {
    use super::*;
    use crate::{Effort, KMedian, LocalSearch, Metric, Problem, Seed};

    #[test]
    fn equal_rows_are_one_item_with_their_weights_added() {
        let rows = [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, -0.0, 0.0, 5.0, 5.0];
        let vectors = Vectors::new(2, &rows, Metric::L1).unwrap();
        let merged = Merged::new(&vectors, &Halt::default()).unwrap();
        assert_eq!(
            (merged.position.as_slice(), merged.first.as_slice()),
            (&[0, 1, 0, 1, 2][..], &[0, 1, 4][..])
        );
        let demand = Demand::new(vec![1.0, 2.0, 4.0, 0.0, 8.0]).unwrap();
        assert_eq!(merged.demand(&demand).unwrap().weights(), [5.0, 2.0, 8.0]);
        let different = Vectors::new(1, &[1.0, 2.0, 3.0], Metric::L1).unwrap();
        assert!(Merged::new(&different, &Halt::default()).is_none());
    }

    #[test]
    fn centers_are_distinct_items_and_cost_what_they_say() {
        let rows: Vec<f32> = (0..600).map(|at| ((at * at) % 37) as f32).collect();
        let vectors = Vectors::new(2, &rows, Metric::L2).unwrap();
        let problem = Problem::of(&vectors).build().unwrap();
        let different = vectors.merged(&Halt::default()).unwrap().len();
        for k in [1, 3, different, different + 5, 300] {
            let search = LocalSearch { effort: Effort::Certified, ..LocalSearch::default() };
            let plan = KMedian { search, seed: Seed(k as u64), ..KMedian::default() };
            let found = plan.fit(&problem, k).unwrap();
            let mut centers = found.centers.clone();
            centers.sort_unstable();
            centers.dedup();
            assert_eq!(centers.len(), k);
            let cost = problem.cost(&found.centers);
            assert!((found.cost - cost).abs() <= 1e-9 * cost, "{} {cost}", found.cost);
            let distances: f64 = found.assignment.distances.iter().map(|&d| f64::from(d)).sum();
            assert!((distances - cost).abs() <= 1e-6 * cost);
            for (slot, &center) in found.centers.iter().enumerate() {
                let label = found.assignment.labels[center] as usize;
                assert!(label == slot || found.assignment.distances[center] == 0.0);
            }
        }
    }
}
