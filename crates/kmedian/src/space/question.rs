//! The one question that every algorithm asks of a space, and its answer.

use super::Groups;

/// A question to a space: which of some items are closer to a source than a limit of their own, the
/// *cap*, and how close?
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The items that are asked about.
    pub among: Among<'a>,
    /// For each item the distance that it must be below to be in the answer.
    pub caps: Caps<'a>,
    /// No cap is larger than this; infinite if that is not known.
    pub largest: f32,
}

impl<'a> Question<'a> {
    /// The question which items of the space are closer to a source than a limit of their own:
    /// `caps` has the limit of each item, in the unit of the distances.
    pub fn all(caps: &'a [f32]) -> Self {
        Self { among: Among::All, caps: Caps::PerItem(caps), largest: f32::INFINITY }
    }

    /// The question which of the listed items are closer to a source than a limit of their own:
    /// `caps` has the limit of each item of the space, listed or not, in the unit of distances.
    pub fn listed(items: &'a [u32], caps: &'a [f32]) -> Self {
        Self { among: Among::Listed(items), caps: Caps::PerItem(caps), largest: f32::INFINITY }
    }

    /// The question which of the grouped items are closer to a source than a limit of their own:
    /// `caps` has the limit of each item of the space, grouped or not, in the unit of distances.
    pub fn grouped(groups: &'a Groups, caps: &'a [f32]) -> Self {
        Self { among: Among::Grouped(groups), caps: Caps::PerItem(caps), largest: f32::INFINITY }
    }

    /// This question with the knowledge that no cap exceeds `largest`: a graph need not look at
    /// edges that are longer.
    #[must_use]
    pub fn with_largest(self, largest: f32) -> Self {
        Self { largest, ..self }
    }

    /// The question which of the listed items are at most `radius` away.
    pub fn ball(items: &'a [u32], radius: f32) -> Self {
        let cap = radius.next_up();
        Self { among: Among::Listed(items), caps: Caps::Uniform(cap), largest: cap }
    }

    /// The question for the distances of all items of the space from a source, however far. An
    /// item that cannot be reached is not in the answer.
    pub fn everything() -> Self {
        Self { among: Among::All, caps: Caps::Uniform(f32::INFINITY), largest: f32::INFINITY }
    }
}

/// The items a [`Question`] is about.
#[derive(Debug, Clone, Copy)]
pub enum Among<'a> {
    /// All items of the space.
    All,
    /// The items of this list, none of them twice.
    Listed(&'a [u32]),
    /// The items of these groups, none of them twice; parts that are out of reach of the source are
    /// skipped.
    Grouped(&'a Groups),
}

impl<'a> Among<'a> {
    /// All items that the question is about, in a space of `len` items; of groups also those that
    /// an answer may skip.
    pub fn items(&self, len: usize) -> Box<dyn Iterator<Item = u32> + 'a> {
        match *self {
            Among::All => Box::new(0..len as u32),
            Among::Listed(items) => Box::new(items.iter().copied()),
            Among::Grouped(groups) => Box::new(groups.items()),
        }
    }
}

/// The caps of a [`Question`]: for each item the distance that it must be below to be in the
/// answer.
#[derive(Debug, Clone, Copy)]
pub enum Caps<'a> {
    /// One cap, which every item has.
    Uniform(f32),
    /// A cap for each item of the space, indexed by item.
    PerItem(&'a [f32]),
    /// A cap for each item of the space, indexed by item, to which the second number is added.
    Raised(&'a [f32], f32),
}

impl Caps<'_> {
    /// The distance that one item of the space must be below to be in the answer.
    #[inline]
    pub fn of(&self, item: usize) -> f32 {
        match self {
            Caps::Uniform(cap) => *cap,
            Caps::PerItem(caps) => caps[item],
            Caps::Raised(caps, by) => caps[item] + by,
        }
    }
}

/// An item in the answer to a [`Question`]: it is closer to the source than its cap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The number of the item, from 0, that is closer to the source than its cap.
    pub item: u32,
    /// The distance of the item from the source.
    pub distance: f32,
}

/// The position of an item among ascending ones, one of which it is; `guess` is tried first.
pub(crate) fn position(items: &[u32], item: u32, guess: usize) -> usize {
    let is_at = |at: &usize| items.get(*at) == Some(&item);
    // As if the items followed one another.
    let expected = (item - items[0]) as usize;
    let likely = [guess, expected].into_iter().find(is_at);
    likely.unwrap_or_else(|| items.partition_point(|&other| other < item))
}

/// Answers a question by looking at the items one by one: for spaces whose distances are cheap.
pub(super) fn scan(
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
    pub(super) fn hit(&self, item: u32, distance: f32) -> Option<Hit> {
        (distance < self.of(item as usize)).then_some(Hit { item, distance })
    }
}
