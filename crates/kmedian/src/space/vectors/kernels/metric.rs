//! What each metric folds, and what it makes of the result.

use std::f64::consts::FRAC_PI_2;

use super::unit::{LANES, Unit};

/// The mean radius of the Earth in kilometers, as the IUGG defines it.
pub(in crate::space::vectors) const EARTH_RADIUS: f64 = 6371.0088;

/// Evaluates an expression with the kernel of a metric, compiled once for each.
macro_rules! with_kernel {
    ($metric:expr, |$kernel:ident| $body:expr) => {
        match $metric {
            Metric::L1 => {
                let $kernel = metric::L1;
                $body
            }
            Metric::L2 | Metric::RootCosine => {
                let $kernel = metric::L2;
                $body
            }
            Metric::Linf => {
                let $kernel = metric::Linf;
                $body
            }
            Metric::Hamming => {
                let $kernel = metric::Hamming;
                $body
            }
            Metric::Angular => {
                let $kernel = metric::Arc { factor: 1.0 / std::f64::consts::PI };
                $body
            }
            Metric::Haversine => {
                let $kernel = metric::Arc { factor: metric::EARTH_RADIUS };
                $body
            }
        }
    };
}

pub(super) use with_kernel;

/// The arithmetic of a metric: a distance as a fold over coordinates. The distance is the fold
/// itself, unless a metric says otherwise.
pub(super) trait Kernel: Copy {
    /// What a coordinate in which two rows have `x` and `y` adds to the fold. Never negative.
    fn term<U: Unit>(self, unit: U, x: U::Lanes, y: U::Lanes) -> U::Lanes;

    /// Joins two partial folds to one, which grows with each of them and is not below either.
    fn join<U: Unit>(self, unit: U, a: U::Lanes, b: U::Lanes) -> U::Lanes;

    /// The distance that a fold stands for. Grows with it.
    #[inline(always)]
    fn distance(self, fold: f32) -> f32 {
        fold
    }

    /// A fold from which on the distance is not below the cap. The distance of a smaller fold may
    /// not be below the cap either.
    #[inline(always)]
    fn bound(self, cap: f32) -> f32 {
        cap
    }

    /// The distances of sixteen folds, where they are below their caps.
    #[inline(always)]
    fn closer<U: Unit>(self, unit: U, folds: U::Lanes, caps: &[f32; LANES]) -> Found {
        Found::below(unit, folds, caps)
    }
}

/// Which of sixteen items are closer than their caps, and how close.
pub(super) struct Found {
    /// The distances of the items that are closer than their caps; anything elsewhere.
    pub(super) distances: [f32; LANES],
    /// A bit for each item, the lowest for the first: whether its distance is below its cap.
    pub(super) closer: u32,
}

impl Found {
    /// Finds out which of sixteen distances are below their caps.
    #[inline(always)]
    fn below<U: Unit>(unit: U, distances: U::Lanes, caps: &[f32; LANES]) -> Self {
        let closer = unit.below(distances, unit.load(caps));
        Self { distances: unit.store(distances), closer }
    }
}

/// The kernel of [`Metric::L1`](crate::Metric::L1): the sum of absolute differences.
#[derive(Clone, Copy)]
pub(super) struct L1;

/// The kernel of [`Metric::L2`](crate::Metric::L2): the square root of the sum of squared
/// differences.
#[derive(Clone, Copy)]
pub(super) struct L2;

/// The kernel of [`Metric::Linf`](crate::Metric::Linf): the largest absolute difference.
#[derive(Clone, Copy)]
pub(super) struct Linf;

/// The kernel of [`Metric::Hamming`](crate::Metric::Hamming): the number of coordinates that
/// differ.
#[derive(Clone, Copy)]
pub(super) struct Hamming;

/// The kernel of angles and great circles: the length of the arc between two points of the unit
/// sphere, times a factor.
#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) factor: f64,
}

impl Kernel for L1 {
    #[inline(always)]
    fn term<U: Unit>(self, unit: U, x: U::Lanes, y: U::Lanes) -> U::Lanes {
        unit.abs(unit.sub(x, y))
    }

    #[inline(always)]
    fn join<U: Unit>(self, unit: U, a: U::Lanes, b: U::Lanes) -> U::Lanes {
        unit.add(a, b)
    }
}

impl Kernel for L2 {
    #[inline(always)]
    fn term<U: Unit>(self, unit: U, x: U::Lanes, y: U::Lanes) -> U::Lanes {
        let difference = unit.sub(x, y);
        unit.mul(difference, difference)
    }

    #[inline(always)]
    fn join<U: Unit>(self, unit: U, a: U::Lanes, b: U::Lanes) -> U::Lanes {
        unit.add(a, b)
    }

    #[inline(always)]
    fn distance(self, fold: f32) -> f32 {
        fold.sqrt()
    }

    /// The number after the rounded square of the cap is not below the true square, so the true
    /// root of a fold from there on is not below the cap; nor is the rounded root, as the cap is a
    /// number itself.
    #[inline(always)]
    fn bound(self, cap: f32) -> f32 {
        (cap * cap).next_up()
    }

    #[inline(always)]
    fn closer<U: Unit>(self, unit: U, folds: U::Lanes, caps: &[f32; LANES]) -> Found {
        Found::below(unit, unit.sqrt(folds), caps)
    }
}

impl Kernel for Linf {
    #[inline(always)]
    fn term<U: Unit>(self, unit: U, x: U::Lanes, y: U::Lanes) -> U::Lanes {
        unit.abs(unit.sub(x, y))
    }

    #[inline(always)]
    fn join<U: Unit>(self, unit: U, a: U::Lanes, b: U::Lanes) -> U::Lanes {
        unit.max(a, b)
    }
}

impl Kernel for Hamming {
    #[inline(always)]
    fn term<U: Unit>(self, unit: U, x: U::Lanes, y: U::Lanes) -> U::Lanes {
        unit.differ(x, y)
    }

    #[inline(always)]
    fn join<U: Unit>(self, unit: U, a: U::Lanes, b: U::Lanes) -> U::Lanes {
        unit.add(a, b)
    }
}

/// Folds the square of the chord, which is exact for close points where the cosine is not.
impl Kernel for Arc {
    #[inline(always)]
    fn term<U: Unit>(self, unit: U, x: U::Lanes, y: U::Lanes) -> U::Lanes {
        L2.term(unit, x, y)
    }

    #[inline(always)]
    fn join<U: Unit>(self, unit: U, a: U::Lanes, b: U::Lanes) -> U::Lanes {
        L2.join(unit, a, b)
    }

    #[inline(always)]
    fn distance(self, fold: f32) -> f32 {
        let half = (f64::from(fold.sqrt()) / 2.0).min(1.0);
        (self.factor * 2.0 * libm::asin(half)) as f32
    }

    /// The chord of an angle 2x, at most a half turn, is 2 sin x, and sin x ≤ x - x³/6 + x⁵/120.
    /// Its square is enlarged by far more than all roundings can take away, here and in the
    /// distance, and by the smallest normal number where it is too small to be rounded well. This
    /// decides nearly all cases without an arcsine.
    #[inline(always)]
    fn bound(self, cap: f32) -> f32 {
        let x = f64::from(cap) * (0.5 / self.factor);
        let square = x * x;
        let chord = 2.0 * x * (1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0)));
        let bound = (chord * chord * (1.0 + 4e-6)) as f32 + f32::MIN_POSITIVE;
        if x < FRAC_PI_2 { bound } else { f32::INFINITY }
    }

    #[inline(always)]
    fn closer<U: Unit>(self, unit: U, folds: U::Lanes, caps: &[f32; LANES]) -> Found {
        let mut bounds = [0.0; LANES];
        for (bound, &cap) in bounds.iter_mut().zip(caps) {
            *bound = self.bound(cap);
        }
        let mut open = unit.below(folds, unit.load(&bounds));
        let mut found = Found { distances: unit.store(folds), closer: 0 };
        while open != 0 {
            let lane = open.trailing_zeros() as usize % LANES;
            open &= open - 1;
            found.distances[lane] = self.distance(found.distances[lane]);
            found.closer |= u32::from(found.distances[lane] < caps[lane]) << lane;
        }
        found
    }
}
