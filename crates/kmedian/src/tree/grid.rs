//! A randomly shifted grid over vectors, halved from level to level.

use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::Tree;
use super::grow::{Cell, group_by_key, grow};
use super::radii::{heights_from_radii, medoid_of_few};
use crate::space::AskerPool;
use crate::{Error, ErrorKind, LentVectors, Run, Seed, Space};

/// The number of random directions that vectors with more coordinates are projected to. A cell is
/// halved in each of them, so it has up to 2¹² parts.
const MOST_DIRECTIONS: usize = 12;

/// The number of bits of a grid coordinate, which fits into 32 bits; hence also the most levels of
/// a grid tree, as every level takes one bit.
const BITS: usize = 31;

/// Builds a grid tree: at every level, items are split by the cells of a grid of half the width. A
/// cell's height is the radius of its items, measured in the metric itself, so heights are right
/// even where the grid lies over a projection.
pub(super) fn build(
    space: &dyn Space,
    levels: usize,
    seed: Seed,
    run: &mut Run<'_>,
) -> Result<Tree, Error> {
    if levels > BITS {
        let message = format!("a grid tree has at most {BITS} levels, not {levels}");
        return Err(Error::new(ErrorKind::Parameter, message));
    }
    let Some(vectors) = space.own().as_vectors() else {
        let message =
            "a grid tree needs vectors; use a fitted, ball or frt tree for graphs and matrices";
        return Err(Error::new(ErrorKind::Parameter, message));
    };
    let places = Places::new(vectors, &mut seed.stream("grid"));
    let pool = AskerPool::new(space);
    let everyone: Vec<u32> = (0..space.len() as u32).collect();
    let center = medoid_of_few(&everyone, seed, &pool);
    let root = Cell { center, height: f32::INFINITY, items: everyone };
    let tree = grow(root, levels, run, |parent| {
        let groups = group_by_key(parent.items, |item| places.cell(item, parent.depth + 1));
        let seed = seed.numbered(parent.node);
        let cell = |(part, (_, items)): (usize, (_, Vec<u32>))| {
            let center = medoid_of_few(&items, seed.numbered(part as u64), &pool);
            Cell { center, height: f32::INFINITY, items }
        };
        groups.into_iter().enumerate().map(cell).collect()
    })?;
    Ok(heights_from_radii(tree, space, run.halt())?)
}

/// Every item's place on the finest grid.
struct Places {
    /// The grid coordinates of all items, item by item.
    coordinates: Vec<u32>,
    /// The number of coordinates of an item.
    dims: usize,
}

impl Places {
    /// Shifts the items by a random share of the width of the box that they fill, inside a box of
    /// twice that width. So the cells of the first grid have the width of the items' box, and cut
    /// it at a random place.
    fn new(vectors: &LentVectors<'_>, rng: &mut impl Rng) -> Self {
        let (points, dims) = projected(vectors, rng);
        let low: Vec<f32> = extreme(&points, dims, f32::INFINITY, f32::min);
        let high: Vec<f32> = extreme(&points, dims, f32::NEG_INFINITY, f32::max);
        let width = low.iter().zip(&high).map(|(low, high)| high - low).fold(0.0, f32::max);
        let shifts: Vec<f64> = (0..dims).map(|_| rng.random()).collect();
        let fine = (1u32 << BITS) as f64;
        let place = |(at, &value): (usize, &f32)| {
            let share = if width > 0.0 {
                f64::from(value - low[at % dims]) / f64::from(width)
            } else {
                0.0
            };
            ((share + shifts[at % dims]) / 2.0 * fine) as u32
        };
        let coordinates = points.par_iter().enumerate().map(place).collect();
        Self { coordinates, dims }
    }

    /// The cell of an item at a depth: the leading bits of its coordinates.
    fn cell(&self, item: u32, depth: usize) -> Vec<u32> {
        let at = item as usize * self.dims;
        self.coordinates[at..at + self.dims].iter().map(|place| place >> (BITS - depth)).collect()
    }
}

/// The coordinates of all items, item by item, and how many each has: at most 12. Items with more
/// coordinates are projected to 12 random directions.
fn projected(vectors: &LentVectors<'_>, rng: &mut impl Rng) -> (Vec<f32>, usize) {
    let dims = vectors.dims();
    if dims <= MOST_DIRECTIONS {
        let points =
            (0..vectors.len()).flat_map(|item| vectors.coordinates(item).to_vec()).collect();
        return (points, dims);
    }
    // Random signs keep distances as well as normal variates do (Achlioptas 2003).
    let signs: Vec<f32> =
        (0..MOST_DIRECTIONS * dims).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
    let project = |item: usize| {
        let point = vectors.coordinates(item);
        signs
            .chunks_exact(dims)
            .map(move |direction| point.iter().zip(direction).map(|(x, s)| x * s).sum())
            .collect::<Vec<f32>>()
    };
    ((0..vectors.len()).into_par_iter().flat_map_iter(project).collect(), MOST_DIRECTIONS)
}

fn extreme(points: &[f32], dims: usize, start: f32, pick: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    points.chunks_exact(dims).fold(vec![start; dims], |extreme, point| {
        extreme.iter().zip(point).map(|(&e, &x)| pick(e, x)).collect()
    })
}
