//! What a pass over all items measures: centers, candidates for their places, and a second set of
//! centers.

use super::chunk::Chunk;
use super::ground::Ground;
use super::pass::Setting;
use super::wire::{Reader, Writer};
use crate::Error;
use crate::space::AskerPool;

/// What a pass measures.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    /// The number of the round.
    pub(super) round: u64,
    pub(super) centers: Chunk,
    /// For each center equally many candidates that may take its place.
    pub(super) candidates: Chunk,
    /// Items that take the places of some centers in a second set of centers, and those places.
    pub(super) newcomers: Chunk,
    pub(super) replaced: Vec<u64>,
}

/// What a set of centers costs, center by center, and how much each of them serves.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) costs: Vec<f64>,
    pub(super) sizes: Vec<f64>,
}

impl Sums {
    pub(super) fn new(k: usize) -> Self {
        Self { costs: vec![0.0; k], sizes: vec![0.0; k] }
    }

    /// Adds an item that a center serves.
    pub(super) fn count(&mut self, slot: u32, cost: f64, weight: f64) {
        self.costs[slot as usize] += cost;
        self.sizes[slot as usize] += weight;
    }

    pub(super) fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.costs.iter_mut().zip(&other.costs).for_each(|(sum, cost)| *sum += cost);
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(sum, size)| *sum += size);
    }
}

/// What a pass has found of a chunk, or of all of them.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    pub(super) sums: Sums,
    /// Costs and sizes of the second set of centers; empty if there is none.
    pub(super) second: Sums,
    /// For each center and each of its candidates, the cost of the center's items from the
    /// candidate.
    pub(super) judged: Vec<f64>,
    /// Items near the centers, and items where the cost is high: candidates of the next round.
    pub(super) near: Chunk,
    pub(super) far: Chunk,
}

impl Measured {
    /// Adds what was found of another chunk.
    pub(super) fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.second.add(&other.second);
        self.judged.iter_mut().zip(&other.judged).for_each(|(sum, cost)| *sum += cost);
        self.near.append(&other.near);
        self.far.append(&other.far);
    }

    pub(super) fn write<'a>(&self, out: &'a mut Writer) -> &'a mut Writer {
        out.floats(&self.sums.costs).floats(&self.sums.sizes);
        out.floats(&self.second.costs).floats(&self.second.sizes);
        out.floats(&self.judged).chunk(&self.near).chunk(&self.far)
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let mut sums = || Ok::<_, Error>(Sums { costs: from.floats()?, sizes: from.floats()? });
        let (sums, second) = (sums()?, sums()?);
        let (judged, near, far) = (from.floats()?, from.chunk()?, from.chunk()?);
        Ok(Self { sums, second, judged, near, far })
    }
}

impl Measure {
    pub(super) fn write<'a>(&self, out: &'a mut Writer) -> &'a mut Writer {
        out.number(self.round).chunk(&self.centers).chunk(&self.candidates);
        out.chunk(&self.newcomers).numbers(&self.replaced)
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, Error> {
        let (round, centers, candidates) = (from.number()?, from.chunk()?, from.chunk()?);
        let (newcomers, replaced) = (from.chunk()?, from.numbers()?);
        Ok(Self { round, centers, candidates, newcomers, replaced })
    }

    /// Measures centers, candidates and second centers on the items of a chunk.
    pub(super) fn over(
        &self,
        setting: &Setting,
        chunk: Chunk,
        digest: u64,
    ) -> Result<Measured, Error> {
        let items = chunk.len();
        // One space of items, centers, candidates and newcomers, in this order.
        let mut all = chunk;
        for more in [&self.centers, &self.candidates, &self.newcomers] {
            all.append(more);
        }
        let space = all.space(setting.metric)?;
        let pool = AskerPool::new(&space);
        let ground = Ground::new(self, &all, items, setting.objective, pool);
        let seed = setting.seed.named("round").numbered(self.round).numbered(digest);
        Ok(Measured {
            judged: ground.judged(),
            second: ground.second(),
            near: all.take(ground.near(seed)),
            far: all.take(ground.far(seed)),
            sums: ground.sums,
        })
    }
}
