//! Where the records of the demand are.

use kmedian::{Assignment, Demand, Seed};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::Universe;
use crate::Failure;

/// How demand is drawn from the items of a universe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Any items.
    Balanced,
    /// Items of two clusters, as the paper has it: what private methods find hardest.
    Imbalanced,
    /// Every item, once.
    All,
    /// Items in a few districts: the nearest to random places.
    Districts,
}

/// How many districts there are, and which part of all items each has.
const DISTRICTS: usize = 4;
const PART: usize = 25;

impl Draw {
    /// What rows call it.
    pub fn name(self) -> &'static str {
        match self {
            Draw::Balanced => "balanced",
            Draw::Imbalanced => "imbalanced",
            Draw::All => "all",
            Draw::Districts => "districts",
        }
    }
}

/// Draws so many records. As in the paper no item is drawn twice, unless there are fewer items to draw from than
/// records.
///
/// # Errors
/// If there is nothing to draw.
pub fn draw(universe: &Universe, how: Draw, records: usize, seed: Seed) -> Result<Demand, Failure> {
    let n = universe.len();
    let mut rng = seed.stream("demand");
    let mut pool: Vec<usize> = match how {
        Draw::All => return Ok(Demand::uniform(n)),
        Draw::Balanced => (0..n).collect(),
        Draw::Imbalanced => {
            let pair = universe.pair(seed);
            (0..n).filter(|&item| pair.contains(&universe.labels()[item])).collect()
        }
        Draw::Districts => {
            let place = |_| nearest(universe, rng.random_range(0..n));
            (0..DISTRICTS).flat_map(place).collect()
        }
    };
    let drawn: Vec<usize> = if records > pool.len() && !pool.is_empty() {
        (0..records).map(|_| pool[rng.random_range(0..pool.len())]).collect()
    } else {
        pool.shuffle(&mut rng);
        pool.truncate(records);
        pool
    };
    Ok(Demand::counts(n, drawn)?)
}

/// The items of the district round a place.
fn nearest(universe: &Universe, place: usize) -> Vec<usize> {
    let distances = Assignment::new(universe.distances(), &[place]).distances;
    let mut items: Vec<usize> = (0..universe.len()).collect();
    items.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(a.cmp(&b)));
    items.truncate(universe.len().div_ceil(PART));
    items
}
