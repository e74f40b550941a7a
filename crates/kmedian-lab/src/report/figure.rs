//! A figure of the report: what is drawn, and where it belongs.

use std::ops::{Deref, DerefMut};

/// Which part of the report a figure belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A figure of the paper.
    Paper,
    /// What the paper does not have.
    Beyond,
}

/// A figure of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its files.
    pub name: &'static str,
    /// The part of the report that the figure is in.
    pub part: Part,
    /// What is drawn.
    pub drawing: kmedian_plot::Figure,
    /// Whether less is better.
    pub less_is_better: bool,
    /// What should be in it and has no rows.
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
