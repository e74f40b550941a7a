use crate::choice;

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
    /// Great-circle distance in kilometers between (latitude, longitude) in degrees.
    Haversine,
    /// The number of coordinates that differ.
    Hamming,
}

impl Metric {
    /// All metrics of vectors.
    pub const ALL: [Metric; 6] =
        [Metric::L1, Metric::L2, Metric::Linf, Metric::Angular, Metric::Haversine, Metric::Hamming];

    /// The name of the metric, such as `l2`: the word that is parsed as it.
    pub fn name(self) -> &'static str {
        choice::METRIC.word(&self).unwrap_or_default()
    }
}
