//! A space whose distances are all measured once, for many runs.

use kmedian::space::{Abilities, Asker};
use kmedian::{Matrix, Question, Space};
use rayon::prelude::*;

use crate::Failure;

/// A space whose distances are all in memory.
///
/// The paper's searches ask for all distances in every iteration, and hundreds of runs share a data
/// set. The diameter and the smallest distance, for which a [`Matrix`] would read all of its
/// entries in every run, are kept too.
pub struct Distances {
    matrix: Matrix,
    diameter: f32,
    smallest: Option<f32>,
    /// The name of the data.
    name: String,
}

impl Distances {
    /// Measures all distances, on all threads of the current pool. The two distances of a pair may
    /// differ by rounding; the one from the item with the smaller number is taken.
    ///
    /// # Errors
    /// If they are not distances: a number is negative or not finite.
    pub fn new(space: &dyn Space, name: &str) -> Result<Self, Failure> {
        let n = space.len();
        let mut values = vec![0.0f32; n * n];
        values.par_chunks_mut(n).enumerate().for_each_init(
            || (space.asker(), Vec::new()),
            |(asker, hits), (source, row)| {
                asker.ask(source, &Question::everything(), hits);
                for hit in hits.iter().filter(|hit| hit.item as usize > source) {
                    row[hit.item as usize] = hit.distance;
                }
            },
        );
        for row in 1..n {
            let (above, below) = values.split_at_mut(row * n);
            for (column, value) in below[..row].iter_mut().enumerate() {
                *value = above[column * n + row];
            }
        }
        let matrix = Matrix::new(n, values)?;
        let (diameter, smallest) = (matrix.diameter_bound(), matrix.smallest_distance());
        Ok(Self { matrix, diameter, smallest, name: name.to_string() })
    }

    /// The distances from one item to some others.
    pub(super) fn some(&self, source: usize, items: &[u32]) -> Vec<f32> {
        let mut asker = self.matrix.asker();
        items.iter().map(|&item| asker.distance(source, item as usize)).collect()
    }
}

impl Space for Distances {
    fn len(&self) -> usize {
        self.matrix.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        self.matrix.asker()
    }

    fn diameter_bound(&self) -> f32 {
        self.diameter
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.smallest
    }

    fn relative_error(&self) -> f32 {
        self.matrix.relative_error()
    }

    /// The abilities of a space whose distances have to be measured, as in the original space.
    fn abilities(&self) -> Abilities {
        Abilities { has_table: false, ..self.matrix.abilities() }
    }

    /// The name of the data stands for its distances, because a release of the lab is only used in
    /// the run that made it.
    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(self.name.as_bytes());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kmedian::{Metric, Vectors};

    #[test]
    fn distances_are_those_of_the_space() {
        let values: Vec<f32> = (0..60u16).map(|at| f32::from(at * at % 31)).collect();
        let space = Vectors::new(3, &values, Metric::L2).unwrap();
        let distances = Distances::new(&space, "test").unwrap();
        let (mut asked, mut kept) = (space.asker(), distances.asker());
        for a in 0..space.len() {
            for b in 0..space.len() {
                assert_eq!(kept.distance(a, b), asked.distance(a.min(b), a.max(b)));
            }
        }
        assert_eq!(distances.len(), 20);
        assert!(distances.diameter_bound() >= kept.distance(0, 1));
    }
}
