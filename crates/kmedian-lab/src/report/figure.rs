//! A figure before it is drawn: panels of series of means.

use super::axis::Scale;
use super::names::Style;
use super::stats::Summary;

/// Which part of the report a figure belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A figure of the paper.
    Paper,
    /// What the paper does not have.
    Beyond,
}

/// A figure of small panels that share a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its files.
    pub name: &'static str,
    /// The part of the report that the figure is in.
    pub part: Part,
    /// What the figure shows.
    pub title: String,
    /// What the reader has to know.
    pub caption: String,
    /// What runs upwards.
    pub y_name: &'static str,
    /// How x is spread.
    pub x_scale: Scale,
    /// How y is spread.
    pub y_scale: Scale,
    /// What is written at x = 0, 1, 2, …, where x stands for names.
    pub x_labels: Vec<String>,
    /// Whether lines join the points of a series.
    pub joined: bool,
    /// Whether less is better.
    pub less_is_better: bool,
    /// How many panels stand beside each other on a wide sheet.
    pub columns: usize,
    /// The panels.
    pub panels: Vec<Panel>,
    /// What should be in it and has no rows.
    pub missing: Vec<String>,
}

/// One picture of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What is shown here.
    pub title: String,
    /// What runs across.
    pub x_name: &'static str,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
}

/// The means of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What the method is called.
    pub label: String,
    /// How it is drawn.
    pub style: Style,
    /// Whether the series is only there to compare with.
    pub reference: bool,
    /// x, and the runs at it, in ascending order.
    pub points: Vec<(f64, Summary)>,
}

impl Figure {
    /// The series of the legend: each label once, in the order in which panels show them.
    pub fn legend(&self) -> Vec<&Series> {
        let mut legend: Vec<&Series> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if legend.iter().all(|known| known.label != series.label) {
                legend.push(series);
            }
        }
        legend
    }

    /// What is written at an x in tables.
    pub fn x_label(&self, x: f64) -> String {
        match self.x_labels.get(x as usize) {
            Some(label) => label.clone(),
            None => format!("{x}"),
        }
    }
}

impl Panel {
    /// All x at which some series has a point, in ascending order.
    pub fn xs(&self) -> Vec<f64> {
        let mut xs: Vec<f64> =
            self.series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        xs
    }
}

impl Series {
    /// The runs at an x.
    pub fn at(&self, x: f64) -> Option<Summary> {
        self.points.iter().find(|point| point.0 == x).map(|point| point.1)
    }
}
