//! The nearest center of every item, and the second-nearest.

use rayon::prelude::*;

use super::{Answering, AskerPool, PackedCenters, Question, Space, position};
use crate::{Demand, Objective, tactics};

/// The nearest center of every item, and its distance.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Assignment {
    /// For each item, the position of its center in the list of centers; the first of equally near
    /// ones.
    pub labels: Vec<u32>,
    /// For each item, the distance to its nearest center.
    pub distances: Vec<f32>,
}

impl Assignment {
    /// Assigns all items of the space, with or without demand, to the nearest of the centers, which
    /// are given as items. Without a center all distances are infinite.
    pub fn new(space: &dyn Space, centers: &[usize]) -> Self {
        let pool = AskerPool::new(space);
        if !space.abilities().explores {
            let everyone: Vec<u32> = (0..space.len() as u32).collect();
            let pairs = nearest_pairs(centers, &everyone, &pool).into_iter();
            let nearest = pairs.map(|Pair { slots, distances }| (slots[0], distances[0]));
            let (labels, distances) = nearest.unzip();
            return Self { labels, distances };
        }
        let mut labels = vec![0; space.len()];
        let mut distances = vec![f32::INFINITY; space.len()];
        pool.lend(|asker| {
            for (label, &center) in centers.iter().enumerate() {
                for hit in asker.ask(center, &Question::all(&distances)).iter() {
                    labels[hit.item as usize] = label as u32;
                    distances[hit.item as usize] = hit.distance;
                }
            }
        });
        Self { labels, distances }
    }

    /// What the assignment costs: the sum over all items of their weight times what the distance to
    /// their center costs.
    pub fn cost(&self, demand: &Demand, objective: Objective) -> f64 {
        let cost =
            |&item: &u32| demand.of(item as usize) * objective.of(self.distances[item as usize]);
        demand.items().iter().map(cost).sum()
    }

    /// How many items each of the `k` centers has.
    pub fn sizes(&self, k: usize) -> Vec<usize> {
        let mut sizes = vec![0; k];
        for &label in &self.labels {
            sizes[label as usize] += 1;
        }
        sizes
    }

    /// How much demand each of the `k` centers serves.
    pub fn served(&self, k: usize, demand: &Demand) -> Vec<f64> {
        let mut served = vec![0.0; k];
        for &item in demand.items() {
            served[self.labels[item as usize] as usize] += demand.of(item as usize);
        }
        served
    }
}

/// The two nearest centers of an item, and their distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Positions in the list of centers, nearest first; `u32::MAX` where there is no such center.
    pub slots: [u32; 2],
    /// The distances to these centers; infinite where there is no such center.
    pub distances: [f32; 2],
}

/// The slot that stands for no center: larger than any other, so that ties go to a center.
pub(crate) const NONE: u32 = u32::MAX;
/// The two nearest centers of an item to which no center has been offered yet.
pub(crate) const NOBODY: Pair = Pair { slots: [NONE; 2], distances: [f32::INFINITY; 2] };

/// The number of items that are compared with all centers before the next ones are: few enough for
/// their coordinates to stay in the cache.
const BLOCK: usize = 512;

impl Pair {
    /// How far from the nearest center an item that is as close as the second-nearest may be, given
    /// by how much rounding may change a distance, relative to it: the sum of both distances, or a
    /// little more.
    pub(crate) fn reach(&self, relative_error: f32) -> f32 {
        let [first, second] = self.distances;
        ((first + second) * (1.0 + 4.0 * relative_error)).next_up()
    }

    /// The two nearest centers, with one more to choose from. Of equally near ones the first slot
    /// counts, so that the order of offers does not matter.
    pub(crate) fn offered(self, slot: u32, distance: f32) -> Self {
        let Self { slots, distances } = self;
        let nearer = |than: usize| (distance, slot) < (distances[than], slots[than]);
        if slots.contains(&slot) {
            self
        } else if nearer(0) {
            Self { slots: [slot, slots[0]], distances: [distance, distances[0]] }
        } else if nearer(1) {
            Self { slots: [slots[0], slot], distances: [distances[0], distance] }
        } else {
            self
        }
    }
}

/// Centers packed for inner products, where that finds the two nearest of an item faster.
pub(crate) fn packed<'a>(space: &'a dyn Space, centers: &[usize]) -> Option<PackedCenters<'a>> {
    let vectors = space.own().as_vectors()?;
    if !tactics::packs_centers(centers.len(), vectors.dims()) {
        return None;
    }
    PackedCenters::new(vectors, centers)
}

/// The two nearest centers of each of some ascending items of a space that does not explore; of
/// equally near ones the first slots. Found block by block, in parallel.
pub(crate) fn nearest_pairs(centers: &[usize], items: &[u32], pool: &AskerPool<'_>) -> Vec<Pair> {
    if let Some(centers) = packed(pool.space(), centers).filter(|_| items.len() >= BLOCK) {
        return centers.nearest_pairs(items);
    }
    let len = items.last().map_or(0, |&last| last as usize + 1);
    let blocks = items.par_chunks(BLOCK).map_init(
        || vec![f32::INFINITY; len],
        |caps, block| pool.lend(|asker| pairs_of_block(centers, block, caps, asker)),
    );
    blocks.flatten_iter().collect()
}

/// The two nearest centers of each item of a block. The cap of an item is the distance to its
/// second-nearest center so far, as centers that are not closer do not matter; `caps` must be
/// infinite at these items.
fn pairs_of_block(
    centers: &[usize],
    items: &[u32],
    caps: &mut [f32],
    asker: &mut Answering<'_>,
) -> Vec<Pair> {
    let mut pairs = vec![NOBODY; items.len()];
    for (slot, &center) in (0..).zip(centers) {
        let hits = asker.ask(center, &Question::listed(items, caps));
        for (rank, hit) in hits.iter().enumerate() {
            let Pair { slots, distances } = &mut pairs[position(items, hit.item, rank)];
            if hit.distance < distances[0] {
                (slots[1], distances[1]) = (slots[0], distances[0]);
                (slots[0], distances[0]) = (slot, hit.distance);
            } else {
                (slots[1], distances[1]) = (slot, hit.distance);
            }
            caps[hit.item as usize] = distances[1];
        }
    }
    pairs
}
