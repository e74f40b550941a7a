//! Askers that several threads take turns with.

use std::sync::{Mutex, PoisonError};

use super::{Asker, Hit, Question, Space};

/// Askers and their buffers, lent to a thread for one call and reused by the next.
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
