//! Ranges where records are at a few items, all other items having none: inside of a leaf, all
//! records are then at one item.

use rand::RngExt;

use super::*;
use crate::privacy::interval::Estimate;
use crate::privacy::weights::variance_at_one_item;
use crate::privacy::{Entropy, PublicTree, Recipe};
use crate::{Metric, Seed, Vectors};

const ITEMS: usize = 400;
const K: usize = 10;
const RELEASES: u64 = 80;

/// In how many releases a range held the truth, and how many savings were called clear.
#[derive(Debug, Default)]
struct Found {
    cost: usize,
    saving: usize,
    clear: usize,
    clear_but_lost: usize,
}

impl Found {
    fn add(&mut self, [of_cost, of_saving]: [Interval; 2], [cost, saving]: [f64; 2]) {
        self.cost += usize::from(of_cost.contains(cost));
        self.saving += usize::from(of_saving.contains(saving));
        self.clear += usize::from(of_saving.low > 0.0);
        self.clear_but_lost += usize::from(of_saving.low > 0.0 && saving < 0.0);
    }
}

/// 320 records at eight random items.
fn few_points(seed: Seed) -> Vec<u64> {
    let mut rng = seed.stream("few points");
    let points: [usize; 8] = std::array::from_fn(|_| rng.random_range(0..ITEMS));
    let mut counts = vec![0; ITEMS];
    (0..320).for_each(|_| counts[points[rng.random_range(0..points.len())]] += 1);
    counts
}

/// What ranges about estimates of two standard deviations would be, if records were spread over the
/// items of their leaf.
fn if_spread(estimator: &Estimator<'_>, of_items: impl Fn(usize) -> f64) -> Interval {
    let spread = |records: f64, of_items: f64| records * of_items;
    let Estimate { value, deviation } = estimator.estimates.total_if(spread, of_items).unbiased();
    Interval { low: value - 2.0 * deviation, high: value + 2.0 * deviation }
}

/// How ranges do in many releases over one tree, and how those of [`if_spread`] do.
fn tried(epsilon: &str) -> [Found; 2] {
    let mut rng = Seed(1).stream("plane");
    let values: Vec<f32> = (0..2 * ITEMS).map(|_| rng.random_range(0.0..1.0)).collect();
    let plane = Vectors::new(2, &values, Metric::L2).unwrap();
    let run = &mut Run::default();
    let trees = PublicTree::build(&plane, &Recipe::new(epsilon.parse().unwrap()), run).unwrap();
    let (mut ours, mut spread) = (Found::default(), Found::default());
    for seed in (0..RELEASES).map(Seed) {
        let counts = few_points(seed);
        let mut entropy = Entropy::seeded_not_private(seed.named("noise"));
        let release = trees.copy_that_spends_again().release(&counts, &mut entropy).unwrap();
        let estimator = release.estimator(&plane, run).unwrap();
        let (goal, plan) = (Objective::Median, release.plan(Method::Refined));
        let found = estimator.centers(&[K], goal, &plan, run).unwrap().remove(0);
        let free = data_free_centers(&plane, &[K], goal, &plan, run).unwrap().remove(0);
        let advantage = estimator.advantages(&[[&found.centers, &free]], goal).unwrap()[0];
        let distances = |centers: &[usize]| -> Vec<f64> {
            Assignment::new(&plane, centers).distances.into_iter().map(f64::from).collect()
        };
        let (near, far) = (distances(&found.centers), distances(&free));
        let cost = |distances: &[f64]| -> f64 {
            distances.iter().zip(&counts).map(|(distance, &count)| distance * count as f64).sum()
        };
        let truth = [cost(&near), cost(&far) - cost(&near)];
        ours.add([found.cost_interval, advantage], truth);
        let of_saving = if_spread(&estimator, |item| far[item] - near[item]);
        spread.add([if_spread(&estimator, |item| near[item]), of_saving], truth);
    }
    [ours, spread]
}

#[test]
fn ranges_hold_where_records_are_at_a_few_items() {
    let [ours, spread] = tried("0.2");
    let part = |share: f64| (RELEASES as f64 * share) as usize;
    assert!(ours.cost >= part(0.72) && ours.saving >= part(0.85), "{ours:?} {spread:?}");
    assert!(spread.cost < part(0.7) && spread.saving < part(0.8), "{ours:?} {spread:?}");
}

#[test]
fn what_is_called_a_clear_saving_is_one() {
    let [ours, _] = tried("0.5");
    assert!(ours.clear >= RELEASES as usize / 4, "{ours:?}");
    assert!(20 * ours.clear_but_lost <= ours.clear, "{ours:?}");
}

#[test]
fn a_leaf_varies_as_records_at_one_of_its_items_do() {
    assert_eq!(variance_at_one_item(40.0, 3.0), 4800.0);
    assert_eq!(variance_at_one_item(0.5, 3.0), 1.5);
    assert_eq!(variance_at_one_item(0.0, 3.0), 0.0);
    // Twenty records at one of the items 0, 0, 3: a sum of 0, 0 or 60.
    let of_items: f64 = 9.0 / 3.0 - 1.0;
    assert_eq!(variance_at_one_item(20.0, of_items), 60.0 * 60.0 / 3.0 - 20.0 * 20.0);
}
