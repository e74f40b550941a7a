//! An upper bound of the largest distance, from a few questions.

use rayon::prelude::*;

use super::{AskerPool, Hit, Question, Space};
use crate::{Error, ErrorKind};

/// The largest distance that is accepted: an eighth of the largest 32-bit number, so that sums of a
/// few distances do not overflow.
pub(super) const LARGEST_DISTANCE: f32 = f32::MAX / 8.0;

/// The number of items up to which the diameter is found exactly, by asking from every item: a
/// million distances at most.
const EXACT_UP_TO: usize = 1024;

/// How often the center is moved in search of a smaller radius round all items; more steps hardly
/// make it smaller.
const CENTER_STEPS: usize = 6;

/// An upper bound of the diameter: exact for few items, else twice the smallest radius found.
///
/// Any item's radius (its largest distance) is at least half the diameter and at most all of it, so
/// twice a radius is a bound. The search moves the center to where the far items found so far are
/// least far, as in the one-center problem.
pub(super) fn diameter_bound(space: &dyn Space) -> f32 {
    let bound = if space.len() <= EXACT_UP_TO { exact(space) } else { twice_radius(space) };
    bound * (1.0 + 2.0 * space.relative_error())
}

/// The largest distance from the first item. Refuses a space where that is more than `farthest`: no
/// two items are more than twice as far apart, so all distances can be computed.
pub(super) fn check(space: &dyn Space, farthest: f32) -> Result<f32, Error> {
    let pool = AskerPool::new(space);
    pool.lend(|asker| {
        let hits = asker.ask(0, &Question::everything());
        let found = farthest_of(hits).distance;
        if hits.len() == space.len() && found <= farthest {
            return Ok(found);
        }
        Err(too_large())
    })
}

/// The error of a space whose distances cannot be computed.
pub(super) fn too_large() -> Error {
    let message =
        "its distances are too large for 32-bit numbers; rescale it, for example to larger units";
    Error::new(ErrorKind::Value, message)
}

/// [`diameter_bound`] where the way back may be longer: exact for few items, else the longest way
/// to an item plus the longest from it, as every way can lead by it. If some items do not reach
/// others, it is `longest`, which no way exceeds.
pub(super) fn directed_bound(space: &dyn Space, longest: f32) -> f32 {
    let bound = match space.len() <= EXACT_UP_TO {
        true => exact(space),
        false => there_and_back(space).unwrap_or(longest),
    };
    bound * (1.0 + 2.0 * space.relative_error())
}

fn there_and_back(space: &dyn Space) -> Option<f32> {
    let everyone: Vec<u32> = (0..space.len() as u32).collect();
    let pool = AskerPool::new(space);
    pool.lend(|asker| {
        let mut bound = f32::INFINITY;
        let mut center = 0;
        for _ in 0..CENTER_STEPS {
            let back = asker.ask_to(center, &everyone);
            let (to, all_reach) = (farthest_of(back), back.len() == space.len());
            let hits = asker.ask(center, &Question::everything());
            if hits.len() < space.len() || !all_reach {
                return None;
            }
            let from = farthest_of(hits);
            bound = bound.min(from.distance + to.distance);
            // Half way to the farthest item is nearer to both ends.
            let half = from.distance / 2.0;
            let between = |hit: &&Hit| (hit.distance - half).abs();
            let next = hits.iter().min_by(|a, b| between(a).total_cmp(&between(b)));
            center = next.map_or(0, |hit| hit.item as usize);
        }
        Some(bound)
    })
}

fn exact(space: &dyn Space) -> f32 {
    let pool = AskerPool::new(space);
    (0..space.len())
        .into_par_iter()
        .map(|source| {
            pool.lend(|asker| farthest_of(asker.ask(source, &Question::everything())).distance)
        })
        .reduce(|| 0.0, f32::max)
}

fn twice_radius(space: &dyn Space) -> f32 {
    let pool = AskerPool::new(space);
    pool.lend(|asker| {
        let mut reach = vec![0f32; space.len()];
        let mut bound = f32::INFINITY;
        let mut center = 0;
        for _ in 0..CENTER_STEPS {
            let far = farthest_of(asker.ask(center, &Question::everything()));
            bound = bound.min(2.0 * far.distance);
            for hit in asker.ask(far.item as usize, &Question::everything()) {
                reach[hit.item as usize] = reach[hit.item as usize].max(hit.distance);
            }
            let closest = |&a: &usize, &b: &usize| reach[a].total_cmp(&reach[b]);
            center = (0..space.len()).min_by(closest).unwrap_or(0);
        }
        bound
    })
}

/// The farthest of the hits, the first of equally far ones; item 0 at distance 0 if there are none.
fn farthest_of(hits: &[Hit]) -> Hit {
    let nothing = Hit { item: 0, distance: 0.0 };
    hits.iter().fold(nothing, |far, &hit| if hit.distance > far.distance { hit } else { far })
}
