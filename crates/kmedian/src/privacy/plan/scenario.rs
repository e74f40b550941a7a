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
    records: Records,
}

/// Where the records of a scenario are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Records {
    /// At any items.
    Everywhere,
    /// Round that many random items.
    Round(usize),
    /// At that many random items for each center, and at no other.
    At(usize),
}

/// All places of a scenario together hold one in this many of the items: one place has a
/// tenth, each of five a fiftieth.
const SHARE: usize = 10;

impl Scenario {
    /// All scenarios, from what is easiest to guess without data to what is hardest.
    pub const ALL: [Scenario; 4] = [
        Scenario { name: "everywhere", what: "all items alike", records: Records::Everywhere },
        Scenario {
            name: "five places",
            what: "the fiftieth of the items round each of five",
            records: Records::Round(5),
        },
        Scenario {
            name: "one place",
            what: "the tenth of the items round one",
            records: Records::Round(1),
        },
        Scenario {
            name: "few items",
            what: "two single items for each center",
            records: Records::At(2),
        },
    ];

    /// Draws `records` records for k centers, as a count for each item.
    pub(super) fn draw(&self, space: &dyn Space, k: usize, records: u32, seed: Seed) -> Vec<u64> {
        let (n, mut rng) = (space.len(), seed.stream(self.name));
        let places: Vec<Vec<usize>> = match self.records {
            Records::Everywhere => Vec::new(),
            Records::Round(places) => (0..places)
                .map(|_| nearest(space, rng.random_range(0..n), (n / SHARE / places).max(1)))
                .collect(),
            Records::At(items) => (0..k * items).map(|_| vec![rng.random_range(0..n)]).collect(),
        };
        let mut counts = vec![0; n];
        for _ in 0..records {
            let item = match places.get(rng.random_range(0..places.len().max(1))) {
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
            let counts = scenario.draw(&line, 4, 3000, Seed(1));
            assert_eq!(counts.iter().sum::<u64>(), 3000);
            assert_eq!(counts, scenario.draw(&line, 4, 3000, Seed(1)));
            counts.iter().filter(|&&count| count > 0).count()
        };
        let [everywhere, five, one, few] = Scenario::ALL.each_ref().map(used);
        assert!(everywhere > 190 && five <= 20 && one == 20, "{everywhere}, {five}, {one}");
        assert!((2..=8).contains(&few), "{few}");
        let single = Vectors::new(1, &[0.0], Metric::L1).unwrap();
        assert!(Scenario::ALL.iter().all(|scenario| scenario.draw(&single, 1, 3, Seed(1)) == [3]));
    }
}
