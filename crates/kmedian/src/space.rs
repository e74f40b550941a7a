//! A finite metric space over the items 0..n, and the one question that every algorithm asks of it.

mod across;
mod axes;
mod closest;
mod coordinates;
mod custom;
mod expanse;
mod extent;
mod graph;
mod groups;
mod halt;
mod kernels;
mod matrix;
mod metric;
mod panels;
mod sieve;
mod sketch;
mod stand_in;
mod symmetric;
mod table;
mod vectors;

pub use custom::Custom;
pub use graph::{Component, Graph};
pub(crate) use groups::Group;
pub use groups::Groups;
pub use halt::Halt;
pub use matrix::{Matrix, TriangleViolation};
pub use metric::Metric;
pub(crate) use sieve::{Row, Sieve};
pub use vectors::{LentVectors, Vectors};

use std::sync::{Mutex, PoisonError};

/// A finite metric space over the items `0..len()`.
///
/// Algorithms never ask for a table of distances. All they ask is: *which items are closer to this
/// source than their own cap, and how close?* The cap is a radius when a ball is carved, the distance
/// to the nearest center when centers are seeded, and the distance to the second-nearest center when
/// a swap is judged. Each of these is 1-Lipschitz (two items' caps differ by at most their distance),
/// so a graph answers by a Dijkstra search that stops where the cap is reached, a matrix by reading a
/// row, and vectors by a blocked scan.
pub trait Space: Send + Sync {
    /// The number of items.
    fn len(&self) -> usize;

    /// Whether there are no items at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Something that answers questions; each thread uses one of its own.
    fn asker(&self) -> Box<dyn Asker + '_>;

    /// An upper bound of the largest distance between two items: never below it, and exact where that
    /// is cheap.
    fn diameter_bound(&self) -> f32;

    /// The smallest distance between two items that is not zero; `None` if all items coincide.
    fn smallest_distance(&self) -> Option<f32>;

    /// How far a distance may be from its true value, relative to it, by rounding alone.
    fn relative_error(&self) -> f32;

    /// Whether a question is answered by exploring outwards from the source. Then the caps of *all*
    /// items must hold and be 1-Lipschitz, not only those of the items asked about; and hits come by
    /// increasing distance.
    fn explores(&self) -> bool {
        false
    }

    /// Whether the distances are at hand: each costs no more than reading a number.
    fn at_hand(&self) -> bool {
        false
    }

    /// Whether the triangle inequality is beyond doubt. Where it is not, no item is skipped because of it,
    /// and a local optimum is one for any dissimilarity.
    fn obeys_triangles(&self) -> bool {
        true
    }

    /// Whether somebody wants work on this space to end before the next step: see [`Halt`].
    fn halted(&self) -> bool {
        false
    }

    /// The way without a branch that an item is on, if it is on one.
    fn passage(&self, item: usize) -> Option<Passage> {
        let _ = item;
        None
    }

    /// The two nearest centers of every item, where the space can keep them up to date better than by
    /// questions.
    fn territories(&self, centers: &[usize]) -> Option<Box<dyn Territories + '_>> {
        let _ = centers;
        None
    }

    /// The items as vectors, where they are.
    fn as_vectors(&self) -> Option<&LentVectors<'_>> {
        None
    }

    /// Hands over all that the distances depend on, piece by piece, so that the space can be recognized.
    /// Returns whether it could: nobody can look into a function.
    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        let _ = sink;
        false
    }
}

/// The two nearest centers of every item, kept up to date over swaps.
pub trait Territories: Send + Sync {
    /// The two nearest centers of an item.
    fn pair(&self, item: usize) -> Pair;

    /// Puts another center into a slot. Returns the items whose pair may have changed, each once.
    fn replace(&mut self, slot: usize, newcomer: usize) -> Vec<u32>;
}

/// The two nearest centers of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Their slots; the largest number where there is none.
    pub slots: [u32; 2],
    /// Their distances; infinite where there is none.
    pub distances: [f32; 2],
}

/// A way between two items without a branch: whoever leaves it passes one of its ends.
///
/// An item on it that is t along, of a length L, is min(d(first end) + t, d(second end) + L − t) away from
/// everything outside. From other items on the way it may be nearer, but by no more than |t − t'|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// Which way it is, counted from 0.
    pub number: usize,
    /// Where it begins and ends; twice the same item if it is a loop or a dead end.
    pub ends: [u32; 2],
    /// How far the item is from the first end, along the way.
    pub along: f64,
    /// How long the way is; there and back if it is a dead end.
    pub length: f64,
}

/// Answers questions about a [`Space`], reusing its memory from one to the next.
pub trait Asker: Send {
    /// Replaces `hits` by the items that are strictly closer to `source` than their cap, each once, in
    /// an order that depends on the question alone.
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>);

    /// The distance between two items.
    fn distance(&mut self, a: usize, b: usize) -> f32;

    /// Replaces `hits` by some items of a region, one of which is the source, and their distances. In a
    /// space that explores, only ways through the region count: no distance is less than it is without that
    /// limit, and items that cannot be reached are left out.
    fn ask_inside(&mut self, source: usize, items: &[u32], region: &[u32], hits: &mut Vec<Hit>) {
        let _ = region;
        self.ask(source, &Question::ball(items, f32::INFINITY), hits);
    }

    /// Gives each of the ascending `items` to the nearest of the `centers`, which are some of them: the hit
    /// at its position says which, by its position, and how far. In a space that explores, only ways among
    /// the items count, and whoever is given to a center can be reached from it by such ways.
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

    /// Replaces `hits` by all items that are closer to one of the sources than that source reaches: the
    /// distance given with it. An item may come more than once, and how close it is need not be said.
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

/// Which of these items are closer than their cap?
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The items asked about.
    pub among: Among<'a>,
    /// How close the source must be to matter.
    pub caps: Caps<'a>,
    /// No cap is larger than this; infinite if that is not known.
    pub largest: f32,
}

impl<'a> Question<'a> {
    /// All items, each with a cap of its own.
    pub fn all(caps: &'a [f32]) -> Self {
        Self { among: Among::All, caps: Caps::PerItem(caps), largest: f32::INFINITY }
    }

    /// The listed items, each with a cap of its own (given for all items of the space).
    pub fn listed(items: &'a [u32], caps: &'a [f32]) -> Self {
        Self { among: Among::Listed(items), caps: Caps::PerItem(caps), largest: f32::INFINITY }
    }

    /// Grouped items, each with a cap of its own (given for all items of the space).
    pub fn grouped(groups: &'a Groups, caps: &'a [f32]) -> Self {
        Self { among: Among::Grouped(groups), caps: Caps::PerItem(caps), largest: f32::INFINITY }
    }

    /// The same question, with the largest of the caps: a graph need not look at edges that are longer.
    #[must_use]
    pub fn with_largest(self, largest: f32) -> Self {
        Self { largest, ..self }
    }

    /// The listed items at most `radius` away.
    pub fn ball(items: &'a [u32], radius: f32) -> Self {
        let cap = radius.next_up();
        Self { among: Among::Listed(items), caps: Caps::Uniform(cap), largest: cap }
    }

    /// Every item of the space, however far.
    pub fn everything() -> Self {
        Self { among: Among::All, caps: Caps::Uniform(f32::INFINITY), largest: f32::INFINITY }
    }
}

/// The items a [`Question`] is about.
#[derive(Debug, Clone, Copy)]
pub enum Among<'a> {
    /// All of the space.
    All,
    /// These, each once.
    Listed(&'a [u32]),
    /// These, each once, in groups of which parts may be skipped.
    Grouped(&'a Groups),
}

/// The caps of a [`Question`].
#[derive(Debug, Clone, Copy)]
pub enum Caps<'a> {
    /// The same for every item.
    Uniform(f32),
    /// Indexed by item, for all items of the space.
    PerItem(&'a [f32]),
    /// The same, all raised by as much.
    Raised(&'a [f32], f32),
}

impl Caps<'_> {
    /// The cap of one item.
    #[inline]
    pub fn of(&self, item: usize) -> f32 {
        match self {
            Caps::Uniform(cap) => *cap,
            Caps::PerItem(caps) => caps[item],
            Caps::Raised(caps, by) => caps[item] + by,
        }
    }
}

/// An item that a source is close to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The item.
    pub item: u32,
    /// Its distance from the source.
    pub distance: f32,
}

/// Where an item is among ascending ones, given where it probably is.
pub(crate) fn position(items: &[u32], item: u32, guess: usize) -> usize {
    let is_at = |at: &usize| items.get(*at) == Some(&item);
    // As if the items followed one another.
    let expected = (item - items[0]) as usize;
    let likely = [guess, expected].into_iter().find(is_at);
    likely.unwrap_or_else(|| items.partition_point(|&other| other < item))
}

/// Answers a question by looking at the items one by one: for spaces whose distances are cheap.
fn scan(
    len: usize,
    question: &Question<'_>,
    hits: &mut Vec<Hit>,
    distance: impl Fn(u32) -> f32,
    closer: impl Fn(u32) -> Option<Hit>,
) {
    hits.clear();
    match question.among {
        Among::All => hits.extend((0..len as u32).filter_map(closer)),
        Among::Listed(items) => hits.extend(items.iter().copied().filter_map(closer)),
        Among::Grouped(groups) => hits.extend(groups.within_reach(distance).filter_map(closer)),
    }
}

impl Caps<'_> {
    /// The item as a hit, if its distance is below its cap.
    #[inline]
    fn hit(&self, item: u32, distance: f32) -> Option<Hit> {
        (distance < self.of(item as usize)).then_some(Hit { item, distance })
    }
}

/// Askers and their buffers, lent to whichever thread needs one and reused by the next.
pub(crate) struct AskerPool<'a> {
    space: &'a dyn Space,
    idle: Mutex<Vec<Answering<'a>>>,
}

/// An asker with a buffer for its answers.
pub(crate) struct Answering<'a> {
    pub(crate) asker: Box<dyn Asker + 'a>,
    pub(crate) hits: Vec<Hit>,
}

impl Answering<'_> {
    /// The answer to a question, valid until the next.
    pub(crate) fn ask(&mut self, source: usize, question: &Question<'_>) -> &[Hit] {
        self.asker.ask(source, question, &mut self.hits);
        &self.hits
    }

    /// The distance between two items.
    pub(crate) fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.asker.distance(a, b)
    }

    /// The distances of some items by ways through a region, valid until the next question.
    pub(crate) fn ask_inside(&mut self, source: usize, items: &[u32], region: &[u32]) -> &[Hit] {
        self.asker.ask_inside(source, items, region, &mut self.hits);
        &self.hits
    }
}

impl<'a> AskerPool<'a> {
    pub(crate) fn new(space: &'a dyn Space) -> Self {
        let idle = Mutex::new(Vec::new());
        Self { space, idle }
    }

    /// Lends an asker for the time of one call.
    pub(crate) fn lend<T>(&self, work: impl FnOnce(&mut Answering<'a>) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut answering =
            idle.unwrap_or_else(|| Answering { asker: self.space.asker(), hits: Vec::new() });
        let result = work(&mut answering);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(answering);
        result
    }
}
