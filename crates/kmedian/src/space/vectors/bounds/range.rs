//! Which distances lower bounds should tell from each other.

use super::super::{LentVectors, Space, kernels};
use crate::seed::a_few;

/// One in this many items that are close to a candidate, the closest, is so close that lower bounds
/// need not tell its distance well from others.
const NEAR: usize = 20;

/// One in this many items, those with the largest caps, is so far from all others that lower bounds
/// need not tell its cap well from others.
const FAR: usize = 200;

/// The number of vectors whose distances from each other tell which caps to expect: 8,128 distances
/// take less than a millisecond.
const SAMPLE: usize = 128;

/// The distances that lower bounds should tell from each other: best those from `near` to `far`,
/// less well those from there to `farthest`; what is nearer counts as zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) near: f32,
    pub(crate) far: f32,
    pub(crate) farthest: f32,
}

impl Range {
    /// The range for the given caps of items, judged by the distances `close` of a few candidates to
    /// items closer than their caps. It reaches up to nearly all caps, and down to what all but the
    /// closest twentieth of `close` exceed; then, as later candidates may be nearer to items, lower
    /// by the same ratio again, but at most by two. No cap is above `farthest`.
    pub(crate) fn of(mut caps: Vec<f32>, mut close: Vec<f32>, farthest: f32) -> Self {
        let at =
            |values: &mut [f32], place| *values.select_nth_unstable_by(place, f32::total_cmp).1;
        let place = caps.len() - 1 - caps.len() / FAR;
        let far = at(&mut caps, place).min(farthest);
        if close.is_empty() {
            return Self { near: 0.0, far, farthest };
        }
        let place = close.len() / NEAR;
        let near = at(&mut close, place);
        Self { near: near / (far / near).clamp(1.0, 2.0), far, farthest }
    }

    /// The range for k centers that are still to be found, from the distances between a few of the
    /// vectors. If centers were drawn at random, the two nearest to an item would be among the share
    /// 2/k of all vectors that is nearest to it.
    pub(super) fn expected(vectors: &LentVectors<'_>, k: usize) -> Self {
        let items = a_few(vectors.len(), SAMPLE);
        let mut distances = vec![Vec::with_capacity(items.len()); items.len()];
        for (at, &a) in items.iter().enumerate() {
            for (other, &b) in items.iter().enumerate().skip(at + 1) {
                let distance = kernels::distance(vectors.metric(), vectors.row(a), vectors.row(b));
                distances[at].push(distance);
                distances[other].push(distance);
            }
        }
        let (mut caps, mut close, mut farthest) = (Vec::new(), Vec::new(), 0.0_f32);
        for mut of_item in distances {
            of_item.sort_unstable_by(f32::total_cmp);
            farthest = farthest.max(of_item.last().copied().unwrap_or(0.0));
            of_item.truncate((2 * of_item.len()).div_ceil(k).max(1));
            caps.extend(of_item.last());
            close.extend(of_item.iter().filter(|&&distance| distance > 0.0));
        }
        Self::of(caps, close, farthest)
    }
}
