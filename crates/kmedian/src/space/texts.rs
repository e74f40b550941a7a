//! Texts, and how many edits they are apart.

use std::sync::OnceLock;

use rapidfuzz::distance::levenshtein::{Args, BatchComparator};

use super::{Asker, Hit, Question, Space, diameter, scan, smallest};
use crate::{Error, ErrorKind};

/// A space of texts under the Levenshtein distance: the least number of characters that have to be
/// inserted, deleted or replaced to make one text the other. Characters are those of Unicode
/// (scalar values): `é` as one character is an edit away from `e`.
///
/// A distance takes as many steps as the texts have characters, times the length of one of them in
/// blocks of 64; it is given up as soon as it is known to reach the cap of a question.
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
}

/// The most bytes of a text: below, 32-bit floats tell all numbers of edits apart.
const LONGEST: usize = 1 << 24;

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
        let texts = texts.iter().map(|text| text.as_ref().into()).collect();
        Ok(Self { texts, diameter: OnceLock::new() })
    }

    /// The text of an item.
    pub fn text(&self, item: usize) -> &str {
        &self.texts[item]
    }

    /// The distance of an item to a text that need not be one.
    pub fn distance_to(&self, item: usize, text: &str) -> f32 {
        Source::new(text).distance(self.text(item))
    }
}

/// A text that others are compared with.
struct Source(BatchComparator<char>);

impl Source {
    fn new(text: &str) -> Self {
        Self(BatchComparator::new(text.chars()))
    }

    fn distance(&self, text: &str) -> f32 {
        self.0.distance(text.chars()) as f32
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
        let distance = |item: u32| from.distance(self.text(item as usize));
        let closer = |item: u32| {
            let cap = question.caps.of(item as usize);
            let distance = from.below(self.text(item as usize), cap)?;
            (distance < cap).then_some(Hit { item, distance })
        };
        scan(self.len(), question, hits, distance, closer);
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        Source::new(self.text(a)).distance(self.text(b))
    }
}
