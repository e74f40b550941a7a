//! A space of few coordinates whose distances approximate those of a space of many.
//!
//! A vector is projected to its coordinates along a few principal axes, and the length of what is
//! left of it. What is left of two vectors is taken to be at right angles, as it nearly is where
//! there are many coordinates. So a distance is right on average, and never wrong by more than a
//! factor of √2: good enough to find the cells of a tree with, at a fraction of the price.

use rayon::prelude::*;

use super::super::Abilities;
use super::axes::{Axes, square, square_between};
use super::panels::Panels;
use super::{Asker, Caps, Hit, LentVectors, Metric, Question, Space, Vectors};
use crate::Halt;

/// The number of vectors that are projected together: few enough to stay in the cache.
const BLOCK: usize = 256;

/// A space of few coordinates that approximates one of many: the projections of all items to
/// principal axes.
pub(crate) struct Projection {
    seen: Vectors,
    /// For each item, the square of the length of what the axes do not see of it.
    rest: Vec<f32>,
    /// The largest distance of an item from the mean.
    radius: f32,
}

impl Projection {
    /// Projects vectors; `None` if a few axes see too little of their variance.
    pub(super) fn new(vectors: &LentVectors<'_>, halt: &Halt) -> Option<Self> {
        let Axes { mean, axes } = Axes::principal(vectors, halt)?;
        let count = axes.len();
        let panels = Panels::new(vectors.dims(), axes.iter().map(Vec::as_slice));
        let mut seen = vec![0.0; vectors.len() * count];
        let mut rest = vec![0.0; vectors.len()];
        let blocks = seen.par_chunks_mut(BLOCK * count).zip(rest.par_chunks_mut(BLOCK)).enumerate();
        let squares = blocks.map(|(block, (seen, rest))| {
            // The tree that is found with half of them is never looked at.
            if halt.is_stopped() {
                return 0.0;
            }
            let items = block * BLOCK..block * BLOCK + rest.len();
            let rows: Vec<&[f32]> = items.map(|item| vectors.coordinates(item)).collect();
            panels.products_centered(count, &rows, &mean, |row, at, products| {
                seen[row * count + at..][..products.len()].copy_from_slice(products);
            });
            let mut largest = 0.0;
            for ((row, seen), rest) in rows.iter().zip(seen.chunks_exact(count)).zip(rest) {
                let whole = square_between(row, &mean);
                *rest = (whole - square(seen)).max(0.0);
                largest = f32::max(largest, whole);
            }
            largest
        });
        let radius = squares.reduce(|| 0.0, f32::max).sqrt();
        let seen = Vectors::new(count, &seen, Metric::L2).ok()?;
        Some(Self { seen, rest, radius })
    }

    /// The approximate distance of two different items, from the distance of their projections.
    fn whole(&self, seen: f32, a: usize, b: usize) -> f32 {
        (seen * seen + self.rest[a] + self.rest[b]).sqrt()
    }
}

impl Space for Projection {
    fn len(&self) -> usize {
        self.seen.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(ProjectionAsker { projection: self, seen: self.seen.asker() })
    }

    fn diameter_bound(&self) -> f32 {
        2.0 * self.radius * (1.0 + self.seen.relative_error())
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.seen.smallest_distance()
    }

    /// At most √2 − 1, and rounding: what the axes do not see of two vectors is taken to be at
    /// right angles, but may point the same way, or opposite ways.
    fn relative_error(&self) -> f32 {
        std::f32::consts::SQRT_2 - 1.0 + self.seen.relative_error()
    }

    fn abilities(&self) -> Abilities {
        Abilities { obeys_triangles: false, ..Abilities::default() }
    }
}

struct ProjectionAsker<'a> {
    projection: &'a Projection,
    seen: Box<dyn Asker + 'a>,
}

impl Asker for ProjectionAsker<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        self.seen.ask(source, question, hits);
        for hit in hits.iter_mut().filter(|hit| hit.item as usize != source) {
            hit.distance = self.projection.whole(hit.distance, source, hit.item as usize);
        }
        if !matches!(question.caps, Caps::Uniform(f32::INFINITY)) {
            hits.retain(|hit| hit.distance < question.caps.of(hit.item as usize));
        }
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        if a == b {
            return 0.0;
        }
        self.projection.whole(self.seen.distance(a, b), a, b)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on has failed.
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::Seed;

    #[test]
    fn distances_are_right_up_to_the_error() {
        let mut rng = Seed(2).stream("vectors");
        let (n, dims) = (200, 100);
        let values: Vec<f32> =
            (0..n * dims).map(|at| rng.random_range(0.0..1.0f32) * (at % 9) as f32).collect();
        let vectors = Vectors::new(dims, &values, Metric::L2).unwrap();
        let projection = Projection::new(&vectors, &Halt::default()).unwrap();
        let error = 1.0 + projection.relative_error();
        let (mut real, mut projected) = (vectors.asker(), projection.asker());
        let (mut sum, mut approximate) = (0.0, 0.0);
        for a in 0..n {
            for b in 0..n {
                let (distance, other) = (real.distance(a, b), projected.distance(a, b));
                assert!(distance <= other * error, "{distance}, {other}");
                assert!(distance <= projection.diameter_bound());
                sum += distance;
                approximate += other;
            }
        }
        assert!((approximate / sum - 1.0).abs() < 0.02, "{approximate}, {sum}");
    }
}
