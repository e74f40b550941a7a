//! Texts, and how many edits they are apart.

use std::sync::OnceLock;

use rapidfuzz::distance::levenshtein::{Args, BatchComparator};

use super::{Abilities, Among, Asker, Hit, Question, Space, diameter, scan, smallest};
use crate::{Error, ErrorKind};

/// A space of texts under the Levenshtein distance: the least number of characters that have to be
/// inserted, deleted or replaced to make one text the other. Characters are those of Unicode
/// (scalar values): `é` as one character is an edit away from `e`.
///
/// A distance takes as many steps as the texts have characters, times the length of one of them in
/// blocks of 64. Of at most 8,192 texts each distance is measured once and kept, in two bytes; of
/// more texts it is measured whenever it is asked for, and given up as soon as it is known to reach
/// the cap of a question.
///
/// ```
/// use kmedian::{KMedian, Problem, Texts};
///
/// let words = Texts::new(&["kitten", "sitting", "mitten", "Saturday", "Sunday"])?;
/// let found = KMedian::default().fit(&Problem::of(&words).build()?, 2)?;
/// assert_eq!(found.cost, 1.0 + 3.0 + 3.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug)]
pub struct Texts {
    texts: Vec<Box<str>>,
    diameter: OnceLock<f32>,
    /// By text, its distances to all texts, once they were asked for; of many texts there are none.
    kept: Vec<OnceLock<Box<[u16]>>>,
}

/// The most bytes of a text: below, 32-bit floats tell all numbers of edits apart.
const LONGEST: usize = 1 << 24;

/// The most texts whose distances are kept: they take 128 MiB then. A search asks for most of them
/// several times over, and to measure one takes a hundred times as long as to look it up.
const KEPT_UP_TO: usize = 1 << 13;

/// A question about at least one in this many texts has all distances of its source measured and
/// kept, where they are kept at all; one about fewer is not worth that.
const WORTH_KEEPING: usize = 4;

/// What is kept of a distance that is too large for two bytes: as much or more.
const FAR: u16 = u16::MAX;

impl Texts {
    /// Takes each text for an item; equal texts are different items at a distance of zero.
    ///
    /// # Errors
    /// If there are no texts, or if one has 16 MiB or more.
    pub fn new<T: AsRef<str>>(texts: &[T]) -> Result<Self, Error> {
        if texts.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
        }
        if let Some(item) = texts.iter().position(|text| text.as_ref().len() >= LONGEST) {
            let message = format!("text {item} has 16 MiB or more; cut it, or leave it out");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let texts: Vec<Box<str>> = texts.iter().map(|text| text.as_ref().into()).collect();
        let rows = if texts.len() <= KEPT_UP_TO { texts.len() } else { 0 };
        let kept = (0..rows).map(|_| OnceLock::new()).collect();
        Ok(Self { texts, diameter: OnceLock::new(), kept })
    }

    /// The text of an item.
    pub fn text(&self, item: usize) -> &str {
        &self.texts[item]
    }

    /// The distance of an item to a text that need not be one.
    pub fn distance_to(&self, item: usize, text: &str) -> f32 {
        Source::new(text).distance(self.text(item))
    }

    /// The distances of a text to all, if they are known, or if the question is worth that they be
    /// measured and kept.
    fn row(&self, source: usize, question: &Question<'_>) -> Option<&[u16]> {
        let row = self.kept.get(source)?;
        let few = |items: &[u32]| items.len() < self.len() / WORTH_KEEPING;
        match question.among {
            Among::Listed(items) if few(items) => row.get().map(AsRef::as_ref),
            _ => Some(row.get_or_init(|| self.measured(source))),
        }
    }

    /// The distances of a text to all, of which those are looked up that the others know.
    fn measured(&self, source: usize) -> Box<[u16]> {
        let from = Source::new(self.text(source));
        let edits = |text: &str| from.edits(text).min(FAR.into()) as u16;
        let known = self.kept.iter().map(|row| row.get().map(|row| row[source]));
        self.texts.iter().zip(known).map(|(text, row)| row.unwrap_or_else(|| edits(text))).collect()
    }
}

/// A text that others are compared with.
struct Source(BatchComparator<char>);

impl Source {
    fn new(text: &str) -> Self {
        Self(BatchComparator::new(text.chars()))
    }

    fn edits(&self, text: &str) -> usize {
        self.0.distance(text.chars())
    }

    fn distance(&self, text: &str) -> f32 {
        self.edits(text) as f32
    }

    /// The distance of a text, if that is below the cap.
    fn below(&self, text: &str, cap: f32) -> Option<f32> {
        if cap > LONGEST as f32 {
            return Some(self.distance(text));
        }
        // The most edits that are fewer than the cap.
        let most = (cap.ceil() as usize).checked_sub(1)?;
        let edits = self.0.distance_with_args(text.chars(), &Args::default().score_cutoff(most));
        edits.map(|edits| edits as f32)
    }
}

impl Space for Texts {
    fn len(&self) -> usize {
        self.texts.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(self)
    }

    fn abilities(&self) -> Abilities {
        // Where distances are kept, to look at all of them is cheaper than triangles are.
        Abilities { obeys_triangles: self.kept.is_empty(), ..Abilities::default() }
    }

    fn diameter_bound(&self) -> f32 {
        *self.diameter.get_or_init(|| diameter::diameter_bound(self))
    }

    fn smallest_distance(&self) -> Option<f32> {
        let items: Vec<u32> = (0..self.len() as u32).collect();
        smallest::smallest_distance(self, &items)
    }

    fn relative_error(&self) -> f32 {
        // Whole numbers are exact; sums of two of them need not be.
        f32::EPSILON
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(b"levenshtein");
        for text in &self.texts {
            sink(&(text.len() as u64).to_le_bytes());
            sink(text.as_bytes());
        }
        true
    }
}

impl Asker for &Texts {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        let from = Source::new(self.text(source));
        let measured = |item: u32| from.distance(self.text(item as usize));
        let below = |item: u32, cap: f32| from.below(self.text(item as usize), cap);
        let caps = question.caps;
        let Some(row) = self.row(source, question) else {
            let closer = |item: u32| {
                let distance = below(item, caps.of(item as usize))?;
                caps.hit(item, distance)
            };
            return scan(self.len(), question, hits, measured, closer);
        };
        let known = |item: u32| Some(row[item as usize]).filter(|&edits| edits < FAR);
        let distance = |item: u32| known(item).map_or_else(|| measured(item), f32::from);
        let closer = |item: u32| caps.hit(item, distance(item));
        scan(self.len(), question, hits, distance, closer);
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        let row = self.kept.get(a).and_then(OnceLock::get);
        match row.map(|row| row[b]) {
            Some(edits) if edits < FAR => edits.into(),
            _ => Source::new(self.text(a)).distance(self.text(b)),
        }
    }
}
