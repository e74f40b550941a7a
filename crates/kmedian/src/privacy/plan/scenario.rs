//! Made-up demand: where the records might be.

use rand::RngExt;

use crate::{Assignment, Seed, Space};

/// A guess of where the demand is, from which records are made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scenario {
    /// The name of the scenario, such as `five places`.
    pub name: &'static str,
    /// What the scenario assumes, in words for people.
    pub what: &'static str,
    /// The number of random items that the records are around; zero if they are everywhere.
    places: usize,
}

/// All places of a scenario together hold one in this many of the items: one place has a
/// tenth, each of five a fiftieth.
const SHARE: usize = 10;

impl Scenario {
    /// All scenarios, from what is easiest to guess without data to what is hardest.
    pub const ALL: [Scenario; 3] = [
        Scenario { name: "everywhere", what: "all items alike", places: 0 },
        Scenario {
            name: "five places",
            what: "the fiftieth of the items round each of five",
            places: 5,
        },
        Scenario { name: "one place", what: "the tenth of the items round one", places: 1 },
    ];

    /// Draws `records` records, as a count for each item.
    pub(super) fn draw(&self, space: &dyn Space, records: u32, seed: Seed) -> Vec<u64> {
        let (n, mut rng) = (space.len(), seed.stream(self.name));
        let places: Vec<Vec<usize>> = (0..self.places)
            .map(|_| nearest(space, rng.random_range(0..n), (n / SHARE / self.places).max(1)))
            .collect();
        let mut counts = vec![0; n];
        for _ in 0..records {
            let item = match places.get(rng.random_range(0..self.places.max(1))) {
                Some(place) => place[rng.random_range(0..place.len())],
                None => rng.random_range(0..n),
            };
            counts[item] += 1;
        }
        counts
    }
}

/// The `count` items that are nearest to an item, which is one of them.
fn nearest(space: &dyn Space, item: usize, count: usize) -> Vec<usize> {
    let distances = Assignment::new(space, &[item]).distances;
    let mut items: Vec<usize> = (0..space.len()).collect();
    items.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(a.cmp(&b)));
    items.truncate(count);
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metric, Vectors};

    #[test]
    fn records_are_where_the_scenario_says() {
        let line: Vec<f32> = (0..200).map(|x| x as f32).collect();
        let line = Vectors::new(1, &line, Metric::L1).unwrap();
        let used = |scenario: &Scenario| {
            let counts = scenario.draw(&line, 3000, Seed(1));
            assert_eq!(counts.iter().sum::<u64>(), 3000);
            assert_eq!(counts, scenario.draw(&line, 3000, Seed(1)));
            counts.iter().filter(|&&count| count > 0).count()
        };
        let [everywhere, five, one] = Scenario::ALL.each_ref().map(used);
        assert!(everywhere > 190 && five <= 20 && one == 20, "{everywhere}, {five}, {one}");
        assert_eq!(
            Scenario::ALL[1].draw(&Vectors::new(1, &[0.0], Metric::L1).unwrap(), 3, Seed(1)),
            [3]
        );
    }
}
