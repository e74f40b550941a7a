//! A figure before it is drawn: panels of series of means.

use crate::{Scale, Style, Summary};

/// A figure of small panels that share a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it shows.
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
    /// How many panels stand beside each other on a wide sheet.
    pub columns: usize,
    /// The panels.
    pub panels: Vec<Panel>,
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
    /// Whether it is only there to compare with.
    pub reference: bool,
    /// x, and the runs at it, in ascending order.
    pub points: Vec<(f64, Summary)>,
}

impl Figure {
    /// A figure without panels: one in a row, with lines, over even axes.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            caption: String::new(),
            y_name: "",
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x_labels: Vec::new(),
            joined: true,
            columns: 1,
            panels: Vec::new(),
        }
    }

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
