use std::sync::OnceLock;

use rand::RngExt;

use super::{Abilities, Asker, Hit, Question, Space, diameter, scan, smallest};
use crate::{Error, ErrorKind, Seed};

/// The number of random pairs that are tried before a function is taken for a metric: enough to
/// find out most that are none, at little cost.
const TRIED_PAIRS: usize = 1000;

/// The relative error that is granted to a user's metric, most of which are computed in 32 bits: by
/// this much the two directions of a distance may differ.
const TOLERANCE: f32 = 1e-5;

/// Items under a metric of the user's own: a function of two items.
///
/// The function must be a metric: symmetric, zero from an item to itself, never negative, and
/// subject to the triangle inequality; it is called from several threads. If it is not, the results
/// are some centers without any guarantee, and what they are said to cost may be wrong, unless
/// [`Custom::without_triangles`] tells the search not to rely on the triangle inequality.
///
/// ```
/// use kmedian::{Custom, Space};
///
/// let words = ["ant", "art", "cart", "bee"];
/// let lengths = Custom::new(words.len(), |a, b| words[a].len().abs_diff(words[b].len()) as f32)?;
/// assert_eq!(lengths.diameter_bound().round(), 1.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
pub struct Custom<F> {
    len: usize,
    metric: F,
    diameter: OnceLock<f32>,
    obeys_triangles: bool,
}

impl<F: Fn(usize, usize) -> f32 + Send + Sync> Custom<F> {
    /// Takes `metric` for the distance between two of the items `0..len`.
    ///
    /// # Errors
    /// If there are no items, or if a sample of pairs shows that the function is no metric.
    pub fn new(len: usize, metric: F) -> Result<Self, Error> {
        if len == 0 {
            return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
        }
        let mut rng = Seed::default().stream("metric check");
        for _ in 0..TRIED_PAIRS {
            let (a, b) = (rng.random_range(0..len), rng.random_range(0..len));
            check_pair(&metric, a, b)?;
        }
        Ok(Self { len, metric, diameter: OnceLock::new(), obeys_triangles: true })
    }

    /// Items under the function as any dissimilarity, for searches that do not rely on the triangle
    /// inequality. Costs, bounds and local optima are then right for any symmetric function, but a
    /// search that certifies its centers asks for all distances: worth it where these are kept once
    /// they are computed.
    ///
    /// ```
    /// use kmedian::{Custom, KMedian, Problem, Space};
    ///
    /// let years = [1905_f32, 1915.0, 1916.0, 1969.0];
    /// let squares = |a: usize, b: usize| (years[a] - years[b]).powi(2);
    /// let space = Custom::new(years.len(), squares)?.without_triangles();
    /// assert!(!space.abilities().obeys_triangles);
    /// let found = KMedian::default().fit(&Problem::of(&space).build()?, 2)?;
    /// assert_eq!(found.cost, 101.0); // 1915 for 1905 and 1916, and 1969.
    /// # Ok::<(), kmedian::Error>(())
    /// ```
    #[must_use]
    pub fn without_triangles(self) -> Self {
        Self { obeys_triangles: false, ..self }
    }

    fn between(&self, a: usize, b: usize) -> f32 {
        if a == b { 0.0 } else { (self.metric)(a, b) }
    }
}

fn check_pair(metric: &impl Fn(usize, usize) -> f32, a: usize, b: usize) -> Result<(), Error> {
    let (there, back, here) = (metric(a, b), metric(b, a), metric(a, a));
    let wrong = if !(0.0..=diameter::LARGEST_DISTANCE).contains(&there) {
        format!(
            "the distance of items {a} and {b} is {there}; it must be a number from 0 to {:e}",
            diameter::LARGEST_DISTANCE
        )
    } else if (there - back).abs() > TOLERANCE * there.max(back) {
        format!(
            "items {a} and {b} are {there} apart, but {back} the other way; a metric is symmetric"
        )
    } else if here.abs() > TOLERANCE {
        format!("item {a} is {here} away from itself; in a metric that is zero")
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::NotAMetric, wrong))
}

impl<F: Fn(usize, usize) -> f32 + Send + Sync> Space for Custom<F> {
    fn len(&self) -> usize {
        self.len
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(self)
    }

    fn diameter_bound(&self) -> f32 {
        *self.diameter.get_or_init(|| diameter::diameter_bound(self))
    }

    fn smallest_distance(&self) -> Option<f32> {
        let items: Vec<u32> = (0..self.len as u32).collect();
        smallest::smallest_distance(self, &items)
    }

    fn relative_error(&self) -> f32 {
        TOLERANCE
    }

    fn abilities(&self) -> Abilities {
        Abilities { obeys_triangles: self.obeys_triangles, ..Abilities::default() }
    }
}

impl<F: Fn(usize, usize) -> f32 + Send + Sync> Asker for &Custom<F> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        let distance = |item: u32| self.between(source, item as usize);
        scan(self.len, question, hits, distance, |item| question.caps.hit(item, distance(item)));
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.between(a, b)
    }
}
