//! A space that keeps the distances to the items with demand next to each other.

use kmedian::space::{Abilities, Among, Asker};
use kmedian::{Hit, Question, Space};

use super::Distances;

/// A space with all distances, and with a copy of those to a few items, next to each other.
///
/// In every iteration the paper's searches ask how far each item is from those with demand. In a
/// row of all distances these are scattered, so reading them would read nearly all of memory: 400
/// MB for 10,000 items.
pub struct Focus<'a> {
    distances: &'a Distances,
    /// The items in focus.
    items: Vec<u32>,
    /// For each item of the space, its distances to the items in focus, row after row.
    rows: Vec<f32>,
}

impl<'a> Focus<'a> {
    /// Copies the distances to some items. Questions about exactly these items, in this order, are
    /// answered from the copy.
    pub fn new(distances: &'a Distances, items: Vec<u32>) -> Self {
        let rows = (0..distances.len()).flat_map(|source| distances.some(source, &items)).collect();
        Self { distances, items, rows }
    }
}

impl Space for Focus<'_> {
    fn len(&self) -> usize {
        self.distances.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(FocusAsker { focus: self, others: self.distances.asker() })
    }

    fn diameter_bound(&self) -> f32 {
        self.distances.diameter_bound()
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.distances.smallest_distance()
    }

    fn relative_error(&self) -> f32 {
        self.distances.relative_error()
    }

    fn abilities(&self) -> Abilities {
        self.distances.abilities()
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        self.distances.content(sink)
    }
}

struct FocusAsker<'a> {
    focus: &'a Focus<'a>,
    others: Box<dyn Asker + 'a>,
}

impl Asker for FocusAsker<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        let Focus { items, rows, .. } = self.focus;
        match question.among {
            Among::Listed(listed) if listed == items.as_slice() => {
                let row = &rows[source * items.len()..][..items.len()];
                let near = |(&item, &distance): (&u32, &f32)| {
                    (distance < question.caps.of(item as usize)).then_some(Hit { item, distance })
                };
                hits.clear();
                hits.extend(items.iter().zip(row).filter_map(near));
            }
            _ => self.others.ask(source, question, hits),
        }
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.others.distance(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kmedian::{Metric, Vectors};

    #[test]
    fn answers_are_those_of_all_distances() {
        let values: Vec<f32> = (0..60u16).map(|at| f32::from(at * at % 31)).collect();
        let space = Vectors::new(3, &values, Metric::L1).unwrap();
        let distances = Distances::new(&space, "test").unwrap();
        let items = [1, 4, 5, 16];
        let focus = Focus::new(&distances, items.to_vec());
        let caps: Vec<f32> = (0..20u8).map(|item| f32::from(item % 7) * 9.0).collect();
        let (mut near, mut far) = (focus.asker(), distances.asker());
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        let other = [0, 3, 9];
        let questions = [
            Question::listed(&items, &caps),
            Question::listed(&other, &caps),
            Question::all(&caps),
            Question::everything(),
        ];
        for question in questions {
            for source in 0..20 {
                near.ask(source, &question, &mut found);
                far.ask(source, &question, &mut expected);
                assert_eq!(found, expected);
            }
        }
    }
}
