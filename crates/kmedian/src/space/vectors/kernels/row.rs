//! One row at a time: for long rows, which a partial fold often decides.

use super::Rows;
use super::batches::Batch;
use super::block::Probe;
use super::metric::{Found, Kernel};
use super::unit::{LANES, Task, Unit};

/// The number of vectors of [`LANES`] lanes that a fold runs over, so that an addition need not
/// wait for the one before it.
pub(super) const WIDTH: usize = 4;
/// The number of coordinates, 256, after which the fold so far is compared with the cap: seldom
/// enough to cost little beside the fold.
const STRETCH: usize = 4 * WIDTH * LANES;

/// How many rows ahead of the present one the beginning of a row is prefetched into the cache:
/// a later prefetch may come too late, an earlier one takes more of the cache.
const AHEAD: usize = 4;

/// The task to compute the distance between two rows.
pub(super) struct Distance<'a, K> {
    pub(super) kernel: K,
    pub(super) a: &'a [f32],
    pub(super) b: &'a [f32],
}

impl<K: Kernel> Task for Distance<'_, K> {
    type Output = f32;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> f32 {
        let mut fold = Fold::new(unit, self.kernel);
        fold.step(self.a, self.b);
        self.kernel.distance(fold.total())
    }
}

/// The way to look at long rows: one after the other, each given up once it reaches its cap.
#[derive(Clone, Copy)]
pub(super) struct Long;

impl Probe for Long {
    #[inline(always)]
    fn probe<U: Unit, K: Kernel>(
        self,
        unit: U,
        kernel: K,
        rows: Rows<'_>,
        from: &[f32],
        batch: &Batch<'_>,
    ) -> Found {
        let mut found = Found { distances: [0.0; LANES], closer: 0 };
        for lane in 0..batch.count.min(LANES) {
            if lane + AHEAD < LANES {
                let soon = rows.of(batch.items[lane + AHEAD] as usize);
                for line in soon[..STRETCH.min(soon.len())].as_chunks().0 {
                    unit.prefetch(line);
                }
            }
            let row = rows.of(batch.items[lane] as usize);
            if let Some(distance) = closer(unit, kernel, from, row, batch.caps[lane]) {
                found.distances[lane] = distance;
                found.closer |= 1 << lane;
            }
        }
        found
    }
}

/// The distance of two rows, if it is below the cap.
///
/// Decided as if the whole distance were compared: terms are not negative and roundings are
/// monotone, so no lane ever shrinks, and a fold of lanes none of which is smaller is not smaller.
/// Once the fold so far has reached the bound, the whole fold has too.
#[inline(always)]
pub(super) fn closer<U: Unit, K: Kernel>(
    unit: U,
    kernel: K,
    a: &[f32],
    b: &[f32],
    cap: f32,
) -> Option<f32> {
    let bound = kernel.bound(cap);
    let mut fold = Fold::new(unit, kernel);
    let (mut a, mut b) = (a, b);
    // With an infinite cap, nothing is decided before the end; nor does it pay for a short rest.
    while a.len() >= 2 * STRETCH && cap < f32::INFINITY {
        let ((x, rest_a), (y, rest_b)) = (a.split_at(STRETCH), b.split_at(STRETCH));
        fold.step(x, y);
        if fold.total() >= bound {
            return None;
        }
        (a, b) = (rest_a, rest_b);
    }
    fold.step(a, b);
    let fold = fold.total();
    if fold >= bound {
        return None;
    }
    let distance = kernel.distance(fold);
    (distance < cap).then_some(distance)
}

/// A fold of two rows that is under way.
struct Fold<U: Unit, K> {
    unit: U,
    kernel: K,
    lanes: [U::Lanes; WIDTH],
}

impl<U: Unit, K: Kernel> Fold<U, K> {
    #[inline(always)]
    fn new(unit: U, kernel: K) -> Self {
        Self { unit, kernel, lanes: [unit.load(&[0.0; LANES]); WIDTH] }
    }

    /// Goes on with the next coordinates; all but the last of them must fill the lanes.
    #[inline(always)]
    fn step(&mut self, a: &[f32], b: &[f32]) {
        let (long_a, a) = a.as_chunks::<{ WIDTH * LANES }>();
        let (long_b, b) = b.as_chunks::<{ WIDTH * LANES }>();
        for (x, y) in long_a.iter().zip(long_b) {
            let (x, y) = (x.as_chunks::<LANES>().0, y.as_chunks::<LANES>().0);
            for at in 0..WIDTH {
                self.join(at, self.unit.load(&x[at]), self.unit.load(&y[at]));
            }
        }
        let (full_a, a) = a.as_chunks::<LANES>();
        let (full_b, b) = b.as_chunks::<LANES>();
        // By their number, so that the lanes stay in registers.
        for at in 0..WIDTH - 1 {
            if let (Some(x), Some(y)) = (full_a.get(at), full_b.get(at)) {
                self.join(at, self.unit.load(x), self.unit.load(y));
            }
        }
        // What does not fill the lanes is a row of one or two quads.
        if let (Some(x), Some(y)) = (quads(a), quads(b)) {
            self.join(0, self.unit.load_quads(x), self.unit.load_quads(y));
        }
    }

    #[inline(always)]
    fn join(&mut self, at: usize, x: U::Lanes, y: U::Lanes) {
        let term = self.kernel.term(self.unit, x, y);
        self.lanes[at] = self.kernel.join(self.unit, self.lanes[at], term);
    }

    /// The fold of all lanes to one number.
    #[inline(always)]
    fn total(&self) -> f32 {
        let (unit, kernel) = (self.unit, self.kernel);
        let lanes = join_width(unit, kernel, self.lanes);
        let [low, high] = unit.split_halves(lanes, lanes);
        let lanes = kernel.join(unit, low, high);
        let [low, high] = unit.split_quads(lanes, lanes);
        let lanes = kernel.join(unit, low, high);
        let [low, high] = unit.split_pairs(lanes, lanes);
        let lanes = kernel.join(unit, low, high);
        let [low, high] = unit.split_singles(lanes, lanes);
        unit.first(kernel.join(unit, low, high))
    }
}

/// Joins 64 lanes to 16.
#[inline(always)]
pub(super) fn join_width<U: Unit, K: Kernel>(
    unit: U,
    kernel: K,
    lanes: [U::Lanes; WIDTH],
) -> U::Lanes {
    let [a, b, c, d] = lanes;
    kernel.join(unit, kernel.join(unit, a, c), kernel.join(unit, b, d))
}

/// The one or two quads of a short row, filled up with zeros to four; `None` for an empty row.
#[inline(always)]
fn quads(row: &[f32]) -> Option<[&[f32; 4]; 4]> {
    const ZEROS: &[f32; 4] = &[0.0; 4];
    let (quads, _) = row.as_chunks::<4>();
    Some([quads.first()?, quads.get(1).unwrap_or(ZEROS), ZEROS, ZEROS])
}
