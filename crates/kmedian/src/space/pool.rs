//! Askers that several threads take turns with.

use std::sync::{Mutex, PoisonError};

use super::{Among, Asker, Hit, Question, Space};

/// Askers and their buffers, lent to a thread for one call and reused by the next.
pub(crate) struct AskerPool<'a> {
    space: &'a dyn Space,
    idle: Mutex<Vec<Answering<'a>>>,
}

/// An asker with a buffer for its answers.
pub(crate) struct Answering<'a> {
    pub(crate) asker: Box<dyn Asker + 'a>,
    pub(crate) hits: Vec<Hit>,
    /// How many listed items this asker was asked about so far; questions about all items or groups
    /// are not counted.
    looked_at: usize,
}

impl Answering<'_> {
    /// The answer to a question, which is overwritten by the next one.
    pub(crate) fn ask(&mut self, source: usize, question: &Question<'_>) -> &[Hit] {
        if let Among::Listed(items) = question.among {
            self.looked_at += items.len();
        }
        self.asker.ask(source, question, &mut self.hits);
        &self.hits
    }

    /// The distance between two items.
    pub(crate) fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.asker.distance(a, b)
    }

    /// The distances of some items to `target`: see [`Asker::ask_to`]. Overwritten by the next
    /// question.
    pub(crate) fn ask_to(&mut self, target: usize, items: &[u32]) -> &[Hit] {
        self.asker.ask_to(target, items, &mut self.hits);
        &self.hits
    }

    /// The distances of some items by paths inside a region: see [`Asker::ask_inside`]. Overwritten
    /// by the next question.
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

    /// The space that the askers answer questions about.
    pub(crate) fn space(&self) -> &'a dyn Space {
        self.space
    }

    /// How many listed items the askers that are not lent now were asked about so far.
    pub(crate) fn looked_at(&self) -> usize {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.iter().map(|answering| answering.looked_at).sum()
    }

    /// Lends an asker for the time of one call.
    pub(crate) fn lend<T>(&self, work: impl FnOnce(&mut Answering<'a>) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut answering = idle.unwrap_or_else(|| Answering {
            asker: self.space.asker(),
            hits: Vec::new(),
            looked_at: 0,
        });
        let result = work(&mut answering);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(answering);
        result
    }
}
