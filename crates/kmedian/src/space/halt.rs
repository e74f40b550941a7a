use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::{Hit, Question, scan};

const RUNNING: u8 = 0;
const STOPPED: u8 = 1;
const ABANDONED: u8 = 2;

/// Ends work on a space from another thread, in the middle of a step.
///
/// An [`Observer`](crate::Observer) is asked after every step, and some steps are long: they prepare a search of
/// millions of distances. Whoever cannot wait gives the space a clone of this, for example by
/// [`LentVectors::halted_by`](super::LentVectors::halted_by), and tells the observer to break as well, because only that
/// ends the work.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<AtomicU8>);

impl Halt {
    /// Nothing more is prepared or judged. Questions are still answered, so that what has been found is right.
    pub fn stop(&self) {
        self.0.fetch_max(STOPPED, Ordering::Relaxed);
    }

    /// What is found is of no use to anybody. Questions are answered as if all items were in one place, which takes
    /// no time.
    pub fn abandon(&self) {
        self.0.fetch_max(ABANDONED, Ordering::Relaxed);
    }

    /// Whether the work is to end, one way or the other.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) != RUNNING
    }

    /// Whether nobody needs what is found.
    pub fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Relaxed) == ABANDONED
    }
}

/// The answer to any question once the work was abandoned.
pub(super) fn in_one_place(len: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
    scan(len, question, hits, |_| 0.0, |item| question.caps.hit(item, 0.0));
}
