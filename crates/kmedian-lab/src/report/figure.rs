//! Figures of the report: what is drawn, and in which part.

use std::ops::{Deref, DerefMut};

/// Which part of the report a figure belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A figure of the paper.
    Paper,
    /// A figure that the paper does not have.
    Beyond,
}

/// A figure of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of the figure's files, without an extension.
    pub name: &'static str,
    /// The part of the report that the figure is in.
    pub part: Part,
    /// What is drawn.
    pub drawing: kmedian_plot::Figure,
    /// Whether a smaller number is better, so that tables mark the smallest.
    pub less_is_better: bool,
    /// What should be in the figure but has no rows.
    pub missing: Vec<String>,
}

impl Deref for Figure {
    type Target = kmedian_plot::Figure;

    fn deref(&self) -> &kmedian_plot::Figure {
        &self.drawing
    }
}

impl DerefMut for Figure {
    fn deref_mut(&mut self) -> &mut kmedian_plot::Figure {
        &mut self.drawing
    }
}
