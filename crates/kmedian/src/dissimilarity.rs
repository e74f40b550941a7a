//! How far two items are apart, by the word that a user gives.

use crate::{Assignment, Clustering, Error, ErrorKind, Metric, Objective, SparseMetric};

/// How far two items are apart, as `--metric` and `metric=` name it.
///
/// Most of these are metrics. Two are squares of metrics, which the objective
/// [`Means`](Objective::Means) sums: [`Cosine`](Self::Cosine) is the square of
/// [`Metric::RootCosine`], and [`SqEuclidean`](Self::SqEuclidean) that of [`Metric::L2`]. To find
/// centers under one of them, search under the metric with the objective that
/// [`Dissimilarity::objective`] returns, and let [`Dissimilarity::restate`] say what was found in
/// the dissimilarity. Cost, bound and gap are then exactly those of the dissimilarity.
///
/// ```
/// use kmedian::{Dissimilarity, KMedian, Objective, Problem, Vectors};
///
/// let cosine = Dissimilarity::Cosine;
/// let Some(metric) = cosine.of_vectors() else { return Ok(()) };
/// let space = Vectors::new(2, &[3.0, 0.0, 5.0, 0.0, 0.0, 1.0], metric)?;
/// let objective = cosine.objective(Objective::Median)?;
/// let problem = Problem::of(&space).objective(objective).build()?;
/// let found = cosine.restate(KMedian::default().fit(&problem, 1)?);
/// assert!((found.cost - 1.0).abs() < 1e-6); // 1 - cos of a right angle.
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Dissimilarity {
    /// [`Metric::L2`] of dense or sparse rows.
    L2,
    /// [`Metric::L1`] of dense or sparse rows.
    L1,
    /// [`Metric::Linf`].
    Linf,
    /// [`Metric::Angular`] of dense or sparse rows.
    Angular,
    /// [`Metric::RootCosine`] of dense or sparse rows.
    RootCosine,
    /// [`Metric::Haversine`].
    Haversine,
    /// [`Metric::Hamming`].
    Hamming,
    /// 1 − cos of the angle between two dense or sparse rows: no metric, but the square of one.
    Cosine,
    /// The square of the Euclidean distance of dense or sparse rows.
    SqEuclidean,
    /// [`SparseMetric::Jaccard`]: the Jaccard distance of sets.
    Jaccard,
    /// The number of edits between two texts, as of [`Texts`](crate::Texts).
    Levenshtein,
    /// The mean over columns of numbers and categories, as of [`Gower`](crate::Gower).
    Gower,
    /// A given table of all distances, as of [`Matrix`](crate::Matrix).
    Precomputed,
}

impl Dissimilarity {
    /// The metric under which dense vectors are searched for this dissimilarity: itself, or its
    /// root where it is a square. `None` if it is not for dense vectors.
    pub fn of_vectors(self) -> Option<Metric> {
        match self {
            Self::L2 | Self::SqEuclidean => Some(Metric::L2),
            Self::L1 => Some(Metric::L1),
            Self::Linf => Some(Metric::Linf),
            Self::Angular => Some(Metric::Angular),
            Self::RootCosine | Self::Cosine => Some(Metric::RootCosine),
            Self::Haversine => Some(Metric::Haversine),
            Self::Hamming => Some(Metric::Hamming),
            Self::Jaccard | Self::Levenshtein | Self::Gower | Self::Precomputed => None,
        }
    }

    /// The metric under which sparse rows are searched for this dissimilarity: itself, or its root
    /// where it is a square. `None` if it is not for sparse rows.
    pub fn of_sparse_rows(self) -> Option<SparseMetric> {
        match self {
            Self::L2 | Self::SqEuclidean => Some(SparseMetric::L2),
            Self::L1 => Some(SparseMetric::L1),
            Self::Angular => Some(SparseMetric::Angular),
            Self::RootCosine | Self::Cosine => Some(SparseMetric::RootCosine),
            Self::Jaccard => Some(SparseMetric::Jaccard),
            _ => None,
        }
    }

    /// Whether this dissimilarity is the square of a metric, as cosine and squared Euclidean are.
    /// Centers are then searched for under that metric, with squared distances.
    pub fn is_square(self) -> bool {
        matches!(self, Self::Cosine | Self::SqEuclidean)
    }

    /// The objective to search with under the metric, where `asked` is the objective that is wanted
    /// of the dissimilarity: k-means where k-median is asked for and the dissimilarity is a square.
    ///
    /// # Errors
    /// If k-means is asked for and the dissimilarity is a square already.
    pub fn objective(self, asked: Objective) -> Result<Objective, Error> {
        match (self.is_square(), asked) {
            (false, asked) => Ok(asked),
            (true, Objective::Median) => Ok(Objective::Means),
            (true, Objective::Means) => {
                let root = self.of_vectors().map_or("", Metric::name);
                let message = format!(
                    "{self} is a square already, which the objective means would square again; take the objective \
                     median, which sums {self}, or the metric {root} with means, which is the same"
                );
                Err(Error::new(ErrorKind::Parameter, message))
            }
        }
    }

    /// The dissimilarity of two items that are this far apart under the metric.
    #[inline]
    pub fn of(self, distance: f32) -> f32 {
        if self.is_square() { distance * distance } else { distance }
    }

    /// What was found under the metric, with every distance, and so the silhouette, as a
    /// dissimilarity. Cost and bound are of the dissimilarity already, if the search had the right
    /// [`Dissimilarity::objective`].
    pub fn restate(self, mut found: Clustering) -> Clustering {
        if self.is_square() {
            found.silhouette = found.squared_silhouette;
        }
        Clustering { assignment: self.restate_assignment(found.assignment), ..found }
    }

    /// An assignment under the metric, with every distance as a dissimilarity.
    pub fn restate_assignment(self, mut found: Assignment) -> Assignment {
        found.distances.iter_mut().for_each(|distance| *distance = self.of(*distance));
        found
    }
}

impl From<Metric> for Dissimilarity {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::L1 => Self::L1,
            Metric::L2 => Self::L2,
            Metric::Linf => Self::Linf,
            Metric::Angular => Self::Angular,
            Metric::RootCosine => Self::RootCosine,
            Metric::Haversine => Self::Haversine,
            Metric::Hamming => Self::Hamming,
        }
    }
}
