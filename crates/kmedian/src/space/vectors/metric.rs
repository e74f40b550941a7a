use std::borrow::Cow;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::coordinates::{directions, globe};
use super::kernels::EARTH_RADIUS;
use crate::Error;
use crate::space::diameter::LARGEST_DISTANCE;

/// A metric on vectors: how far two of them are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Metric {
    /// Sum of the absolute differences (Manhattan).
    L1,
    /// Square root of the sum of the squared differences (Euclid).
    L2,
    /// Largest absolute difference (Chebyshev).
    Linf,
    /// The angle between two vectors as a share of a half turn, 0 to 1: the metric form of cosine.
    ///
    /// Directions are kept as 32-bit unit vectors, each off by at most 2⁻²⁴, so an angle is off by
    /// at most 4·10⁻⁸ of a half turn. Nearly parallel vectors lose digits by that: an angle of 10⁻⁵
    /// of a half turn is right to 0.4 %.
    Angular,
    /// The root of 1 − cos of the angle between two vectors, 0 to √2: the straight line between two
    /// directions on a sphere of radius 1/√2. Its squares are the cosine dissimilarity
    /// ([`Dissimilarity::Cosine`](crate::Dissimilarity::Cosine)).
    RootCosine,
    /// Great-circle distance in kilometers between (latitude, longitude) in degrees.
    Haversine,
    /// The number of coordinates that differ.
    Hamming,
}

impl Metric {
    /// All metrics of vectors.
    pub const ALL: [Metric; 7] = [
        Metric::L1,
        Metric::L2,
        Metric::Linf,
        Metric::Angular,
        Metric::RootCosine,
        Metric::Haversine,
        Metric::Hamming,
    ];

    /// Whether distances stay the same if the same number is subtracted from a coordinate of all
    /// vectors. Whoever reads 64-bit numbers may then subtract what all have in common, before they
    /// are rounded to 32 bits.
    pub fn is_translation_invariant(self) -> bool {
        match self {
            Metric::L1 | Metric::L2 | Metric::Linf | Metric::Hamming => true,
            Metric::Angular | Metric::RootCosine | Metric::Haversine => false,
        }
    }

    /// The vectors as they are stored, and the number of their coordinates: as they are given, as
    /// directions of length one, or as points of the unit sphere.
    ///
    /// # Errors
    /// If the metric has no place for a vector, such as a latitude beyond a pole.
    pub(super) fn stored(
        self,
        dims: usize,
        values: &[f32],
    ) -> Result<(usize, Cow<'_, [f32]>), Error> {
        match self {
            Metric::Angular => Ok((dims, directions(dims, values, 1.0)?.into())),
            Metric::RootCosine => Ok((dims, directions(dims, values, FRAC_1_SQRT_2)?.into())),
            Metric::Haversine => Ok((3, globe(dims, values)?.into())),
            _ => Ok((dims, values.into())),
        }
    }

    /// Whether vectors are stored as they are given.
    pub(super) fn stores_as_given(self) -> bool {
        !matches!(self, Metric::Angular | Metric::RootCosine | Metric::Haversine)
    }

    /// Whether distances follow from inner products: the Euclidean distance does, and so do angles,
    /// as chords of the unit sphere.
    pub(super) fn has_products(self) -> bool {
        matches!(self, Metric::L2 | Metric::Angular | Metric::RootCosine | Metric::Haversine)
    }

    /// How many coordinates the last step of a distance takes as long as: an arcsine takes as long as
    /// the fold over 250 coordinates does with AVX2, where items lie side by side.
    pub(super) fn coordinates_of_last_step(self) -> usize {
        match self {
            Metric::Angular | Metric::Haversine => 250,
            _ => 0,
        }
    }

    /// The largest distance that is computed without an overflow of 32-bit numbers, with room to
    /// add some of them up. Under l2 not even its square may overflow.
    pub(super) fn largest_distance(self) -> f32 {
        match self {
            Metric::L2 => 4e18,
            _ => LARGEST_DISTANCE,
        }
    }

    /// The distance from which on 32-bit numbers are exact to a few digits: below it, terms of the
    /// sum underflow, under l2 as squares. Zero if distances do not get small with the coordinates.
    pub(super) fn smallest_distance(self) -> f32 {
        match self {
            Metric::L2 => 1e-15,
            Metric::L1 | Metric::Linf => 1e-30,
            Metric::Angular | Metric::RootCosine | Metric::Haversine | Metric::Hamming => 0.0,
        }
    }

    /// How far the computed distance of two rows of `stride` coordinates may be from the true one,
    /// in multiples of it.
    pub(super) fn relative_error(self, stride: usize) -> f32 {
        match self {
            // Near antipodes the arc changes with the square root of the chord's error.
            Metric::Angular | Metric::Haversine => 1e-3,
            // One rounding for each addition in a lane, for joining the lanes, and for the last
            // steps.
            _ => (stride / 16 + 16) as f32 * f32::EPSILON,
        }
    }

    /// What two points with 64-bit coordinates are compared by, given their gaps on each axis: a
    /// function of their distance that grows with it. Each axis adds its part in the same order, so
    /// a part that is no larger makes no larger sum, in floats too.
    #[inline(always)]
    pub(super) fn cost_of_gaps(self, gaps: impl Iterator<Item = f64>) -> f64 {
        match self {
            Metric::L1 => gaps.map(f64::abs).sum(),
            Metric::Linf => gaps.map(f64::abs).fold(0.0, f64::max),
            Metric::Hamming => gaps.filter(|&gap| gap != 0.0).count() as f64,
            // Of angles, the squared chord of the unit sphere.
            Metric::L2 | Metric::Angular | Metric::RootCosine | Metric::Haversine => {
                gaps.map(|gap| gap * gap).sum()
            }
        }
    }

    /// The cost, as [`Metric::cost_of_gaps`] has it, of points at a distance.
    pub(super) fn cost_of_distance(self, distance: f64) -> f64 {
        let chord = |angle: f64| 2.0 * libm::sin(angle.min(PI) / 2.0);
        match self {
            Metric::L1 | Metric::Linf | Metric::Hamming => distance,
            Metric::L2 | Metric::RootCosine => distance * distance,
            Metric::Angular => chord(distance * PI).powi(2),
            Metric::Haversine => chord(distance / EARTH_RADIUS).powi(2),
        }
    }

    /// The distance of points with a cost, as [`Metric::cost_of_gaps`] has it.
    pub(super) fn distance_of_cost(self, cost: f64) -> f64 {
        let angle = || 2.0 * libm::asin((cost.sqrt() / 2.0).min(1.0));
        match self {
            Metric::L1 | Metric::Linf | Metric::Hamming => cost,
            Metric::L2 | Metric::RootCosine => cost.sqrt(),
            Metric::Angular => angle() / PI,
            Metric::Haversine => angle() * EARTH_RADIUS,
        }
    }
}
