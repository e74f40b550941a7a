//! Distances between two padded rows of coordinates.
//!
//! Every sum runs over a fixed number of lanes that are added up in a fixed order, so the compiler may
//! use whatever vector unit there is and the result is the same to the last bit on every machine.

/// The rows' lengths are rounded up to these, so that the lanes always fill.
pub(super) fn padded(dims: usize) -> usize {
    match dims {
        0..=4 => 4,
        5..=8 => 8,
        _ => dims.next_multiple_of(16),
    }
}

/// A distance between two rows of equal, padded length.
pub(super) trait Kernel: Sync {
    fn distance(&self, a: &[f32], b: &[f32]) -> f32;

    /// The distance, if it is below the cap.
    #[inline]
    fn closer(&self, a: &[f32], b: &[f32], cap: f32) -> Option<f32> {
        let distance = self.distance(a, b);
        (distance < cap).then_some(distance)
    }
}

/// Sum of absolute differences.
pub(super) struct L1;
/// Square root of the sum of squared differences.
pub(super) struct L2;
/// Largest absolute difference.
pub(super) struct Linf;
/// Number of coordinates that differ.
pub(super) struct Hamming;
/// Length of the arc between two points of the unit sphere, times a factor.
pub(super) struct Arc {
    pub(super) factor: f64,
}

impl Kernel for L1 {
    #[inline]
    fn distance(&self, a: &[f32], b: &[f32]) -> f32 {
        lanes(a, b, |sum, x, y| sum + (x - y).abs(), |s, t| s + t)
    }
}

impl Kernel for L2 {
    #[inline]
    fn distance(&self, a: &[f32], b: &[f32]) -> f32 {
        lanes(a, b, |sum, x, y| sum + (x - y) * (x - y), |s, t| s + t).sqrt()
    }
}

impl Kernel for Linf {
    #[inline]
    fn distance(&self, a: &[f32], b: &[f32]) -> f32 {
        lanes(a, b, |most, x, y| f32::max(most, (x - y).abs()), f32::max)
    }
}

impl Kernel for Hamming {
    #[inline]
    fn distance(&self, a: &[f32], b: &[f32]) -> f32 {
        lanes(a, b, |count, x, y| count + f32::from(x != y), |s, t| s + t)
    }
}

impl Kernel for Arc {
    /// From the chord, which is exact for close points where the cosine is not.
    #[inline]
    fn distance(&self, a: &[f32], b: &[f32]) -> f32 {
        self.of_chord(L2.distance(a, b))
    }

    /// An arc is never shorter than its chord, which decides most cases.
    #[inline]
    fn closer(&self, a: &[f32], b: &[f32], cap: f32) -> Option<f32> {
        let chord = L2.distance(a, b);
        if self.factor * f64::from(chord) > f64::from(cap) {
            return None;
        }
        Some(self.of_chord(chord)).filter(|&distance| distance < cap)
    }
}

impl Arc {
    fn of_chord(&self, chord: f32) -> f32 {
        let half = (f64::from(chord) / 2.0).min(1.0);
        (self.factor * 2.0 * libm::asin(half)) as f32
    }
}

/// Folds two rows lane by lane, then the lanes into one number.
#[inline]
fn lanes(
    a: &[f32],
    b: &[f32],
    step: impl Fn(f32, f32, f32) -> f32 + Copy,
    join: impl Fn(f32, f32) -> f32 + Copy,
) -> f32 {
    match a.len() {
        4 => fold::<4>(a, b, step, join),
        8 => fold::<8>(a, b, step, join),
        _ => fold::<16>(a, b, step, join),
    }
}

#[inline]
fn fold<const LANES: usize>(
    a: &[f32],
    b: &[f32],
    step: impl Fn(f32, f32, f32) -> f32,
    join: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut sums = [0.0; LANES];
    for (x, y) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] = step(sums[lane], x[lane], y[lane]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] = join(sums[lane], sums[lane + width]);
        }
        width /= 2;
    }
    sums[0]
}
