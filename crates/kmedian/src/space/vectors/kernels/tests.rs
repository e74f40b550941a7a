//! All units give the distances of a plain fold, and the decisions of a plain comparison, bit for
//! bit.

use rand::RngExt;

use super::metric::EARTH_RADIUS;
use super::row::Distance;
use super::sweep::Sweep;
use super::unit::{Task, Unit, on_all_units};
use super::*;
use crate::Seed;

/// The definition, one coordinate at a time.
pub(super) fn plain(metric: Metric, a: &[f32], b: &[f32]) -> f32 {
    let join = |s: f32, t: f32| if metric == Metric::Linf { s.max(t) } else { s + t };
    let mut lanes = [0.0; 64];
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        let term = match metric {
            Metric::L1 | Metric::Linf => (x - y).abs(),
            Metric::Hamming => f32::from(x != y),
            Metric::L2 | Metric::Angular | Metric::RootCosine | Metric::Haversine => {
                (x - y) * (x - y)
            }
        };
        lanes[at % 64] = join(lanes[at % 64], term);
    }
    for width in [32, 16, 8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] = join(lanes[lane], lanes[lane + width]);
        }
    }
    let arc = |factor: f64| {
        let half = (f64::from(lanes[0].sqrt()) / 2.0).min(1.0);
        (factor * 2.0 * libm::asin(half)) as f32
    };
    match metric {
        Metric::L1 | Metric::Linf | Metric::Hamming => lanes[0],
        Metric::L2 | Metric::RootCosine => lanes[0].sqrt(),
        Metric::Angular => arc(1.0 / std::f64::consts::PI),
        Metric::Haversine => arc(EARTH_RADIUS),
    }
}

/// A scan that brings its own list.
#[derive(Clone, Copy)]
struct Answer<'a, K> {
    kernel: K,
    rows: Rows<'a>,
    items: Items<'a>,
    caps: Caps<'a>,
}

impl<K: metric::Kernel> Task for Answer<'_, K> {
    type Output = Vec<Hit>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<Hit> {
        let Self { kernel, rows, items, caps } = self;
        let mut hits = Vec::new();
        Sweep { kernel, rows, from: rows.of(0), items, caps, hits: &mut hits }.run(unit);
        hits
    }
}

/// Two full batches of items and a part of one, the last of which repeats the first.
const ITEMS: usize = 37;

/// Padded rows of random coordinates.
pub(super) fn random_rows(dims: usize, scale: f32, metric: Metric) -> Vec<f32> {
    let mut rng = Seed(dims as u64).stream("kernels");
    let mut values = vec![0.0; ITEMS * padded(dims)];
    for row in values.chunks_exact_mut(padded(dims)) {
        row[..dims].fill_with(|| match metric {
            Metric::Hamming => rng.random_range(0..3) as f32,
            _ => scale * rng.random_range(-1.0..1.0f32),
        });
        if matches!(metric, Metric::Angular | Metric::RootCosine | Metric::Haversine) {
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    values.copy_within(0..padded(dims), (ITEMS - 1) * padded(dims));
    values
}

/// Distances and answers about all kinds of items, for caps on both sides of the distances.
fn check(metric: Metric, dims: usize, scale: f32) {
    let values = random_rows(dims, scale, metric);
    let rows = Rows { values: &values, stride: padded(dims) };
    let expected: Vec<f32> =
        (0..ITEMS).map(|item| plain(metric, rows.of(0), rows.of(item))).collect();
    let bits = |hits: &[Hit]| -> Vec<(u32, u32)> {
        hits.iter().map(|hit| (hit.item, hit.distance.to_bits())).collect()
    };
    let name = format!("{metric}, {dims} dimensions, scale {scale}");
    let mixed: Vec<u32> = (0..ITEMS as u32).map(|item| item * 5 % ITEMS as u32).collect();
    for shift in 0..8 {
        let cap = |(item, &d): (usize, &f32)| match (item + shift) % 8 {
            0 => d,
            1 => d.next_up(),
            2 => d.next_down(),
            3 => d * (1.0 - 1e-6),
            4 => d * (1.0 + 1e-6),
            5 => f32::INFINITY,
            6 => d * 0.3,
            _ => 0.0,
        };
        let caps: Vec<f32> = expected.iter().enumerate().map(cap).collect();
        let mut groups = Groups::new(vec![3, 0, 36, 7]);
        for (group, anchor) in [3, 0, 36].into_iter().enumerate() {
            let members: Vec<u32> =
                mixed.iter().copied().filter(|item| *item as usize % 3 == group).collect();
            groups.set(group, anchor, &members, |item| {
                expected[item as usize] + caps[item as usize] * 0.5
            });
        }
        let reached = groups.within_reach(|item| expected[item as usize]).collect();
        let all = (0..ITEMS as u32).collect();
        let few = mixed[..5].to_vec();
        let questions: [(Items<'_>, Vec<u32>); 4] = [
            (Items::Range(0, ITEMS as u32), all),
            (Items::Listed(&mixed), mixed.clone()),
            (Items::Listed(&mixed[..5]), few),
            (Items::Grouped(&groups), reached),
        ];
        for (items, listed) in questions {
            for caps in [Caps::PerItem(&caps), Caps::Uniform(caps[9])] {
                let hit = |&item: &u32| caps.hit(item, expected[item as usize]);
                let hits: Vec<Hit> = listed.iter().filter_map(hit).collect();
                with_kernel!(metric, |kernel| on_all_units(
                    || Answer { kernel, rows, items, caps },
                    |unit, found| assert_eq!(bits(&found), bits(&hits), "{name}, {unit}")
                ));
            }
        }
    }
    for (item, expected) in expected.iter().enumerate() {
        let (a, b) = (rows.of(0), rows.of(item));
        with_kernel!(metric, |kernel| on_all_units(
            || Distance { kernel, a, b },
            |unit, found| assert_eq!(found.to_bits(), expected.to_bits(), "{name}, {unit}")
        ));
    }
}

#[test]
fn units_agree_to_the_bit() {
    for metric in Metric::ALL {
        for dims in (1..=40).chain([48, 63, 64, 65, 100, 127, 128, 129, 200, 784, 1000]) {
            check(metric, dims, 100.0);
        }
    }
}

#[test]
fn units_agree_on_numbers_too_small_to_be_squared() {
    for dims in [2, 7, 16, 40, 200] {
        for scale in [1e-18, 1e-20, 1e-22, 1e-24] {
            check(Metric::L2, dims, scale);
        }
    }
}

/// A lookup that brings its own list.
#[derive(Clone, Copy)]
struct Known<'a> {
    first: usize,
    distances: &'a [f32],
    caps: Caps<'a>,
}

impl Task for Known<'_> {
    type Output = Vec<Hit>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<Hit> {
        let Self { first, distances, caps } = self;
        let mut hits = Vec::new();
        lookup::Lookup { first, distances, caps, hits: &mut hits }.run(unit);
        hits
    }
}

#[test]
fn units_agree_on_known_distances() {
    let mut rng = Seed::default().stream("lookup");
    let row: Vec<f32> = (0..100).map(|_| rng.random()).collect();
    let mut caps: Vec<f32> = (0..100).map(|_| rng.random()).collect();
    caps[17] = row[17];
    caps[18] = row[18].next_up();
    caps[19] = f32::INFINITY;
    for (first, end) in [(0, 100), (5, 6), (3, 67), (96, 100), (50, 50)] {
        for caps in [Caps::PerItem(&caps), Caps::Uniform(row[40]), Caps::Raised(&caps, 0.25)] {
            let distances = &row[first..end];
            let hits: Vec<Hit> =
                (first..end).filter_map(|item| caps.hit(item as u32, row[item])).collect();
            on_all_units(
                || Known { first, distances, caps },
                |unit, found| assert_eq!(found, hits, "{unit}, {first} to {end}"),
            );
        }
    }
}
