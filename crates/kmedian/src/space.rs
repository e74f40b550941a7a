//! A finite metric space over the items 0..n, and the one question that every algorithm asks of it.

mod assignment;
mod custom;
mod diameter;
mod gower;
mod graph;
mod groups;
mod matrix;
mod own;
mod pool;
mod question;
mod site_matrix;
mod smallest;
mod sparse;
mod texts;
mod vectors;

pub use crate::abilities::Abilities;
pub use assignment::{Assignment, Pair};
pub(crate) use assignment::{NOBODY, NONE, nearest_pairs, packed};
pub use custom::Custom;
pub use gower::{Feature, Gower, GowerRows};
pub use graph::{Chain, Component, Graph, Territories};
pub(crate) use graph::{Contracted, Inside, Piece};
pub(crate) use groups::Group;
pub use groups::Groups;
pub use matrix::{Matrix, TriangleViolation};
pub use own::Own;
pub(crate) use pool::{Answering, AskerPool};
pub(crate) use question::position;
use question::scan;
pub use question::{Among, Caps, Hit, Question};
pub use site_matrix::SiteMatrix;
pub use sparse::{LentSparseVectors, SparseMetric, SparseVectors};
pub use texts::Texts;
pub use vectors::{LentVectors, Metric, SnapIndex, Vectors, vector_unit, vector_units};
pub(crate) use vectors::{LowerBounds, Merged, PackedCenters, Range, Row};

/// A finite metric space over the items `0..len()`.
///
/// Algorithms never ask for a table of distances. All they ask is: *which items are closer to this
/// source than their own cap, and how close?* The cap is a radius when a ball is carved, the
/// distance to the nearest center when centers are seeded, and the distance to the second-nearest
/// center when a swap is judged. Each of these is 1-Lipschitz (two items' caps differ by at most
/// their distance), so a graph answers by a Dijkstra search that stops where the cap is reached, a
/// matrix by reading a row, and vectors by a blocked scan.
///
/// # When to implement it
///
/// [`Vectors`], [`SparseVectors`], [`Texts`], [`GowerRows`], [`Graph`], [`Matrix`] and [`Custom`]
/// (any function of two items) cover most data. A space of your own pays where an answer can be
/// found without measuring every distance. It owes five methods, and an [`Asker`] of two;
/// everything else has a default that is right for every metric.
///
/// ```
/// use kmedian::space::{Asker, Hit};
/// use kmedian::{KMedian, Problem, Question, Space};
///
/// /// Bus stops on a ring road, by their place along it in kilometers.
/// struct Ring {
///     length: f32,
///     stops: Vec<f32>,
/// }
///
/// impl Space for Ring {
///     fn len(&self) -> usize {
///         self.stops.len()
///     }
///     fn asker(&self) -> Box<dyn Asker + '_> {
///         Box::new(RingAsker(self))
///     }
///     fn diameter_bound(&self) -> f32 {
///         self.length / 2.0
///     }
///     fn smallest_distance(&self) -> Option<f32> {
///         let pairs = (0..self.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
///         let distances = pairs.map(|(a, b)| RingAsker(self).distance(a, b));
///         distances.filter(|&distance| distance > 0.0).min_by(f32::total_cmp)
///     }
///     fn relative_error(&self) -> f32 {
///         1e-6
///     }
/// }
///
/// struct RingAsker<'a>(&'a Ring);
///
/// impl Asker for RingAsker<'_> {
///     fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
///         hits.clear();
///         for item in question.among.items(self.0.len()) {
///             let distance = self.distance(source, item as usize);
///             if distance < question.caps.of(item as usize) {
///                 hits.push(Hit { item, distance });
///             }
///         }
///     }
///     fn distance(&mut self, a: usize, b: usize) -> f32 {
///         let along = (self.0.stops[a] - self.0.stops[b]).abs();
///         along.min(self.0.length - along)
///     }
/// }
///
/// let ring = Ring { length: 10.0, stops: vec![0.0, 0.5, 9.5, 5.0, 5.5, 4.5] };
/// let problem = Problem::of(&ring).build()?;
/// let found = KMedian::default().fit(&problem, 2)?;
/// assert_eq!(found.cost, 2.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
pub trait Space: Send + Sync {
    /// The number of items.
    fn len(&self) -> usize;

    /// Whether there are no items at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A new asker, which answers questions about this space with memory of its own; each thread
    /// uses its own.
    fn asker(&self) -> Box<dyn Asker + '_>;

    /// An upper bound of the largest distance between two items: never below it, and exact where
    /// that is cheap.
    fn diameter_bound(&self) -> f32;

    /// The smallest distance between two items that is not zero; `None` if all items coincide.
    fn smallest_distance(&self) -> Option<f32>;

    /// An upper bound of the relative error of a distance by rounding: the difference from its true
    /// value, divided by that. Bounds and heights leave this much room.
    fn relative_error(&self) -> f32;

    /// What algorithms may rely on beyond the answers to questions: by default the triangle
    /// inequality alone.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    /// Hands all that the distances depend on to `sink`, piece by piece, so that a private release
    /// can recognize the space that it was made for. Returns whether that was possible: the default
    /// is `false`, as for a function, which cannot be looked into.
    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        let _ = sink;
        false
    }

    /// Which of this crate's own spaces this is, for what only those can do. Leave the default.
    #[doc(hidden)]
    fn own(&self) -> Own<'_> {
        Own::default()
    }
}

/// Answers questions about a [`Space`], reusing its memory from one to the next.
pub trait Asker: Send {
    /// Replaces `hits` by the items that are strictly closer to `source` than their cap, each once,
    /// in an order that depends on the question alone.
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>);

    /// The distance between two items.
    fn distance(&mut self, a: usize, b: usize) -> f32;

    /// Replaces `hits` by the given `items` with the distances from them to `target`, in an order
    /// that depends on the question alone. The default is right where distances are symmetric.
    fn ask_to(&mut self, target: usize, items: &[u32], hits: &mut Vec<Hit>) {
        self.ask(target, &Question::ball(items, f32::INFINITY), hits);
    }

    /// Replaces `hits` by the given `items` with their distances from `source`; all of them are in
    /// `region`. In a space that explores, only paths inside the region count: no distance is less
    /// than it is without that limit, and items that cannot be reached are left out.
    fn ask_inside(&mut self, source: usize, items: &[u32], region: &[u32], hits: &mut Vec<Hit>) {
        let _ = region;
        self.ask(source, &Question::ball(items, f32::INFINITY), hits);
    }

    /// Assigns each of the ascending `items` to the nearest of the `centers`, which are some of
    /// them. Returns a hit for each item: its `item` is the position of the center among `centers`,
    /// and its `distance` is how far that is. In a space that explores, only paths among the items
    /// count, so every item can be reached from its center by such a path.
    fn share(&mut self, items: &[u32], centers: &[u32]) -> Vec<Hit> {
        let mut shares = vec![Hit { item: 0, distance: f32::INFINITY }; items.len()];
        let mut hits = Vec::new();
        let mut farthest = f32::INFINITY;
        for (part, &center) in centers.iter().enumerate() {
            self.ask(center as usize, &Question::ball(items, farthest), &mut hits);
            for (rank, hit) in hits.iter().enumerate() {
                let share = &mut shares[position(items, hit.item, rank)];
                if hit.distance < share.distance {
                    *share = Hit { item: part as u32, distance: hit.distance };
                }
            }
            farthest = shares.iter().map(|share| share.distance).fold(0.0, f32::max);
        }
        shares
    }

    /// Replaces `hits` by all items from which one of the sources is closer than the distance given
    /// with that source. The default is right where distances are symmetric. An item may come more
    /// than once, and the distances of the hits may be anything.
    fn ask_around(&mut self, sources: &[Hit], hits: &mut Vec<Hit>) {
        let mut found = Vec::new();
        for source in sources {
            let caps = Caps::Uniform(source.distance);
            let question = Question { among: Among::All, caps, largest: source.distance };
            self.ask(source.item as usize, &question, hits);
            found.append(hits);
        }
        *hits = found;
    }
}
