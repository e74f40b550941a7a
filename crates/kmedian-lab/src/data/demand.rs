//! Draws the demand of experiments.

use kmedian::{Assignment, Demand, Seed};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::Universe;
use crate::Failure;

/// How demand is drawn from the items of a universe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Random items.
    Balanced,
    /// Random items of two clusters, as in the paper: the hardest demand for private methods.
    Imbalanced,
    /// Every item, once.
    All,
    /// Random items of a few districts: the items nearest to random places.
    Districts,
    /// Few random items, the first of which has twice as many records as the second, and so on, as
    /// 1, 1/2, 1/3, …: inside of the cells of a tree, all records are then at one item.
    Points,
}

/// The number of districts: demand is around a few places, and nowhere else.
const DISTRICTS: usize = 4;
/// A district has one in this many of the items: 4 %.
const PART: usize = 25;
/// The number of items that have all records under [`Draw::Points`]: more than there are centers,
/// so that non-private centers cost something.
const POINTS: usize = 30;

impl Draw {
    /// The name of the draw in rows.
    pub fn name(self) -> &'static str {
        match self {
            Draw::Balanced => "balanced",
            Draw::Imbalanced => "imbalanced",
            Draw::All => "all",
            Draw::Districts => "districts",
            Draw::Points => "points",
        }
    }
}

/// Draws demand of `records` records; with [`Draw::All`], one record at each item. As in the paper,
/// no item is drawn twice, unless there are fewer items to draw from than records.
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
        Draw::Points => {
            let drawn = (0..POINTS).map(|_| rng.random_range(0..n)).collect::<Vec<_>>();
            let records = (0..records).map(|_| drawn[rank(POINTS, rng.random_range(0.0..1.0))]);
            return Ok(Demand::counts(n, records)?);
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

/// The rank, from 0, that a number between 0 and 1 falls on if ranks have shares as 1, 1/2, 1/3, ….
fn rank(ranks: usize, at: f64) -> usize {
    let share = |rank: usize| 1.0 / (rank + 1) as f64;
    let mut left = at * (0..ranks).map(share).sum::<f64>();
    let falls = |&rank: &usize| {
        left -= share(rank);
        left < 0.0
    };
    (0..ranks).find(falls).unwrap_or(ranks - 1)
}

/// The items of the district around a place.
fn nearest(universe: &Universe, place: usize) -> Vec<usize> {
    let distances = Assignment::new(universe.distances(), &[place]).distances;
    let mut items: Vec<usize> = (0..universe.len()).collect();
    items.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(a.cmp(&b)));
    items.truncate(universe.len().div_ceil(PART));
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use kmedian::{Metric, Vectors};

    /// Two hundred points on a line; the cluster of each is its number modulo ten.
    fn line() -> Universe {
        let values: Vec<f32> = (0..200u8).map(f32::from).collect();
        let space = Vectors::new(1, &values, Metric::L1).unwrap();
        let labels = (0..200).map(|item| item % 10).collect();
        Universe::new("line", Box::new(space), labels, None).unwrap()
    }

    #[test]
    fn records_are_where_they_should_be() {
        let line = line();
        for seed in (0..10).map(Seed) {
            let drawn = |how, records| draw(&line, how, records, seed).unwrap();
            let balanced = drawn(Draw::Balanced, 50);
            assert_eq!((balanced.total(), balanced.items().len()), (50.0, 50));
            let pair = line.pair(seed);
            assert_ne!(pair[0], pair[1]);
            // Two clusters have 40 items: more records have to share them.
            for (records, items) in [(30, 30), (40, 40), (500, 40)] {
                let imbalanced = drawn(Draw::Imbalanced, records);
                assert_eq!((imbalanced.total(), imbalanced.items().len()), (records as f64, items));
                assert!(
                    imbalanced.items().iter().all(|&item| pair.contains(&(item as usize % 10)))
                );
            }
            let districts = drawn(Draw::Districts, 1000);
            assert_eq!(districts.total(), 1000.0);
            assert!(districts.items().len() <= DISTRICTS * 200 / PART);
            let points = drawn(Draw::Points, 1000);
            assert_eq!(points.total(), 1000.0);
            assert!(points.items().len() <= POINTS);
            let most = points.weights().iter().copied().fold(0.0, f64::max);
            assert!((200.0..450.0).contains(&most), "a quarter of all, or two: {most}");
            assert_eq!(drawn(Draw::All, 200).total(), 200.0);
            assert_eq!(drawn(Draw::Balanced, 50).weights(), balanced.weights());
        }
    }
}
