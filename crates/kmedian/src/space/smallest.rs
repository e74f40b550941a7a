//! The smallest positive distance between two items, without looking at all pairs.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::{AskerPool, Question, Space};

/// The number of pivots: items whose distances to all others may dismiss a pair before its distance
/// is computed. More dismiss few pairs more, and each costs a question.
const PIVOTS: usize = 8;

/// The smallest positive distance among the given items; `None` if all are in one place.
///
/// Items are sorted by their distance from a pivot. Two items are at least as far apart as their
/// distances from any pivot differ, so only a window of the sorted items is looked at, and most
/// pairs in it are dismissed by the other pivots.
pub(super) fn smallest_distance(space: &dyn Space, items: &[u32]) -> Option<f32> {
    let pool = AskerPool::new(space);
    let rows = pivot_rows(space, &pool, items);
    let error = space.relative_error();
    // Positive floats are ordered like their bits, so an atomic integer holds the best so far.
    let best = AtomicU32::new(f32::INFINITY.to_bits());
    (0..rows.len()).into_par_iter().for_each(|at| {
        pool.lend(|asker| {
            let row = &rows[at];
            for other in &rows[at + 1..] {
                let bound = f32::from_bits(best.load(Ordering::Relaxed));
                let slack = bound + 2.0 * error * (row.keys[0] + other.keys[0] + bound);
                if other.keys[0] - row.keys[0] > slack {
                    break;
                }
                if row.keys.iter().zip(&other.keys).any(|(a, b)| (a - b).abs() > slack) {
                    continue;
                }
                let distance = asker.distance(row.item as usize, other.item as usize);
                if distance > 0.0 {
                    best.fetch_min(distance.to_bits(), Ordering::Relaxed);
                }
            }
        });
    });
    Some(f32::from_bits(best.into_inner())).filter(|best| best.is_finite())
}

/// An item and its distances from the pivots.
struct Row {
    item: u32,
    keys: [f32; PIVOTS],
}

/// The items with their distances from pivots that lie far from each other, sorted by the distance
/// from the first pivot.
fn pivot_rows(space: &dyn Space, pool: &AskerPool<'_>, items: &[u32]) -> Vec<Row> {
    let mut rows: Vec<Row> = items.iter().map(|&item| Row { item, keys: [0.0; PIVOTS] }).collect();
    let mut row_of = vec![0; space.len()];
    for (row, &item) in items.iter().enumerate() {
        row_of[item as usize] = row;
    }
    let question = Question::ball(items, f32::INFINITY);
    let mut nearest = vec![f32::INFINITY; items.len()];
    let mut pivot = 0;
    for key in 0..PIVOTS {
        pool.lend(|asker| {
            for hit in asker.ask(items[pivot] as usize, &question) {
                let row = row_of[hit.item as usize];
                rows[row].keys[key] = hit.distance;
                nearest[row] = nearest[row].min(hit.distance);
            }
        });
        let farther = |&a: &usize, &b: &usize| nearest[a].total_cmp(&nearest[b]);
        pivot = (0..items.len()).max_by(farther).unwrap_or(0);
    }
    rows.par_sort_unstable_by(|a, b| a.keys[0].total_cmp(&b.keys[0]).then(a.item.cmp(&b.item)));
    rows
}
