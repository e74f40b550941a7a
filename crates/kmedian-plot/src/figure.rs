//! A figure before it is drawn: panels of series of means.

use crate::{Scale, Style, Summary};

/// A figure of small panels that share a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The title of the figure: what it shows.
    pub title: String,
    /// What the reader has to know. How the axes run and what bars are is added when it is drawn.
    pub caption: String,
    /// The name of the y axis.
    pub y_name: &'static str,
    /// The scale of the x axis.
    pub x_scale: Scale,
    /// The scale of the y axis.
    pub y_scale: Scale,
    /// The names at x = 0, 1, 2, …, if x stands for names; empty if it is a number.
    pub x_labels: Vec<String>,
    /// Whether lines join the points of a series.
    pub joined: bool,
    /// A line across every panel at this number, such as 1 where numbers are ratios. With it,
    /// series that are there only for comparison do not widen the y axis, so that the others fill
    /// it, and are drawn where they fit.
    pub line: Option<f64>,
    /// The number of panels in a row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// One pair of axes of a figure, with its series.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The title of the panel.
    pub title: String,
    /// The name of the x axis.
    pub x_name: &'static str,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
}

/// The means of one method, over x.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name of the method, for the legend.
    pub label: String,
    /// How the series is drawn.
    pub style: Style,
    /// Whether the series is there only for comparison.
    pub reference: bool,
    /// The points: x, ascending, and the summary of the runs at it.
    pub points: Vec<(f64, Summary)>,
}

impl Figure {
    /// A figure without panels yet: one panel in a row, with lines, over linear axes.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            caption: String::new(),
            y_name: "",
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x_labels: Vec::new(),
            joined: true,
            line: None,
            columns: 1,
            panels: Vec::new(),
        }
    }

    /// The series of the legend: the first of each label, in the order of the panels.
    pub fn legend(&self) -> Vec<&Series> {
        let mut legend: Vec<&Series> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if legend.iter().all(|known| known.label != series.label) {
                legend.push(series);
            }
        }
        legend
    }

    /// The label of an x: its name if x stands for names, or else the number.
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
    /// The summary of the runs at an x; `None` if the series has no point there.
    pub fn at(&self, x: f64) -> Option<Summary> {
        self.points.iter().find(|point| point.0 == x).map(|point| point.1)
    }
}
