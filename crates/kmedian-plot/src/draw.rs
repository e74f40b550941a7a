//! Draws panels as SVG. Colors are attributes, so that a file needs no style sheet, and classes
//! too, so that a page can change them.

use std::fmt::Write;

use crate::text::{escape, width};
use crate::{Axis, COLORS, Figure, Mark, Panel, Series, Style};

/// The height of a panel, in units of the SVG.
pub const HEIGHT: f64 = 236.0;
/// The size of text, in units of the SVG.
pub const FONT: f64 = 11.5;
/// The upper end of the axes, in units of the SVG: above it is the title.
const TOP: f64 = 42.0;
/// The lower end of the axes, in units of the SVG: below it are numbers and the name of the axis.
const BOTTOM: f64 = HEIGHT - 40.0;
/// The room between the right end of the axes and of the panel, in units of the SVG.
const RIGHT: f64 = 12.0;
/// About how many numbers are written beside the axis: more would touch each other.
const TICKS: usize = 6;

/// The width of a panel of a figure, in units of the SVG.
pub fn panel_width(figure: &Figure) -> f64 {
    if figure.columns == 1 { 660.0 } else { 320.0 }
}

/// Draws a panel, without an enclosing SVG element; empty if the panel has no points.
pub fn panel(figure: &Figure, panel: &Panel) -> String {
    let Some(frame) = Frame::new(figure, panel) else { return String::new() };
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<text class=\"ink\" x=\"6\" y=\"15\" font-weight=\"600\" font-size=\"12.5\">{}</text>\
         <text class=\"soft\" x=\"6\" y=\"32\" fill=\"#5a5a5a\">{}</text>",
        escape(&panel.title),
        escape(figure.y_name),
    );
    frame.rules(&mut out, figure.line);
    frame.columns(&mut out, figure, panel);
    if let Some(y) = figure.line.and_then(|line| frame.up(line)) {
        let _ = writeln!(
            out,
            "<path class=\"one\" d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"#333333\" stroke-width=\"1.2\"/>",
            frame.left, frame.right
        );
    }
    let fits = |series: &&(usize, &Series)| {
        let inside = |y: f64| frame.y.share(y).is_some_and(|share| (0.0..=1.0).contains(&share));
        figure.line.is_none()
            || !series.1.reference
            || series.1.points.iter().all(|point| inside(point.1.mean))
    };
    let all: Vec<(usize, &Series)> = panel.series.iter().enumerate().collect();
    for &(place, series) in all.iter().filter(fits) {
        let aside =
            (place as f64 - (panel.series.len() - 1) as f64 / 2.0) * frame.beside(figure, panel);
        frame.series(&mut out, series, aside, figure.joined);
    }
    out
}

/// The axes of a panel.
struct Frame {
    /// The left end of the axes, in units of the SVG.
    left: f64,
    /// The right end of the axes, in units of the SVG.
    right: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn new(figure: &Figure, panel: &Panel) -> Option<Self> {
        let points = || panel.series.iter().flat_map(|series| &series.points);
        let fitted =
            panel.series.iter().filter(|series| figure.line.is_none() || !series.reference);
        let heights = fitted
            .flat_map(|series| &series.points)
            .flat_map(|(_, runs)| [runs.mean - runs.error, runs.mean, runs.mean + runs.error])
            .chain(figure.line);
        let y = Axis::around(heights, figure.y_scale, 0.05)?;
        // Names are in the middle of columns of equal width.
        let names = figure.x_labels.len();
        let room = if names == 0 { 0.04 } else { 0.5 / (names.max(2) - 1) as f64 };
        let x = Axis::around(points().map(|point| point.0), figure.x_scale, room)?;
        let widest = y.ticks(TICKS).iter().map(|tick| width(&tick.1, FONT)).fold(0.0, f64::max);
        Some(Self { left: 6.0 + widest + 7.0, right: panel_width(figure) - RIGHT, x, y })
    }

    /// The distance between series at the same x, in units of the SVG: a little, so that bars do
    /// not hide each other or, without lines, as much as the column of a name allows.
    fn beside(&self, figure: &Figure, panel: &Panel) -> f64 {
        if figure.joined {
            return 1.6;
        }
        let column = (self.right - self.left) / figure.x_labels.len().max(1) as f64;
        (column / (panel.series.len() + 1) as f64).min(14.0)
    }

    fn across(&self, x: f64) -> Option<f64> {
        self.x.share(x).map(|share| self.left + (self.right - self.left) * share)
    }

    fn up(&self, y: f64) -> Option<f64> {
        self.y.share(y).map(|share| BOTTOM - (BOTTOM - TOP) * share.clamp(0.0, 1.0))
    }

    /// Draws the horizontal lines with their numbers, and the axes. The number of the line across
    /// the panel, if it has one, takes the place of those that it would touch.
    fn rules(&self, out: &mut String, line: Option<f64>) {
        let Self { left, right, .. } = *self;
        let place = line.and_then(|line| self.up(line));
        let touches = |value: f64| {
            place.zip(self.up(value)).is_some_and(|(line, tick)| (line - tick).abs() < FONT)
        };
        let mut ticks = self.y.ticks(TICKS);
        ticks.retain(|&(value, _)| !touches(value));
        ticks.extend(line.map(|line| (line, line.to_string())));
        for (value, label) in ticks {
            let Some(y) = self.up(value) else { continue };
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#dcdcdc\"/>\
                 <text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                left - 6.0,
                y + 4.0,
            );
        }
        let _ = writeln!(
            out,
            "\n<path class=\"axis\" d=\"M{left:.1} {TOP}V{BOTTOM}H{right:.1}\" fill=\"none\" stroke=\"#8a8a8a\"/>"
        );
    }

    /// Draws the numbers or names below the axes, and the name of the axis.
    fn columns(&self, out: &mut String, figure: &Figure, panel: &Panel) {
        let xs = panel.xs();
        let ticks: Vec<(f64, String)> = if !figure.x_labels.is_empty() || xs.len() <= 6 {
            xs.into_iter().map(|x| (x, figure.x_label(x))).collect()
        } else {
            self.x.ticks(7)
        };
        let mut free = 0.0;
        for (value, label) in ticks {
            let Some(x) = self.across(value) else { continue };
            let half = width(&label, FONT) / 2.0;
            let _ =
                write!(out, "<path class=\"axis\" d=\"M{x:.1} {BOTTOM}v4\" stroke=\"#8a8a8a\"/>");
            if x - half < free || x + half > self.right + RIGHT {
                continue;
            }
            free = x + half + 5.0;
            let _ = write!(
                out,
                "<text class=\"ink\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                BOTTOM + 17.0,
                escape(&label)
            );
        }
        let _ = writeln!(
            out,
            "\n<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#5a5a5a\">{}</text>",
            f64::midpoint(self.left, self.right),
            HEIGHT - 6.0,
            escape(panel.x_name),
        );
    }

    /// Draws a series: a line through its means, with an error bar and a mark at each.
    fn series(&self, out: &mut String, series: &Series, aside: f64, joined: bool) {
        let Style { color, mark, dashes, bold } = series.style;
        let ink = COLORS[color];
        let aside = if mark == Mark::None { 0.0 } else { aside };
        let thick = if bold { 2.6 } else { 1.5 };
        let _ = writeln!(
            out,
            "<g class=\"series c{color}\" stroke=\"{ink}\" fill=\"{ink}\" stroke-width=\"{thick}\"><title>{}</title>",
            escape(&series.label)
        );
        let mut path = String::new();
        let mut marks = String::new();
        for (x, runs) in &series.points {
            let (Some(x), Some(y)) = (self.across(*x), self.up(runs.mean)) else { continue };
            let x = (x + aside).clamp(self.left, self.right);
            let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
            if mark != Mark::None && runs.error > 0.0 {
                // On a logarithmic axis, a bar that reaches below zero ends at the bottom.
                let [low, high] = [-runs.error, runs.error]
                    .map(|error| self.up(runs.mean + error).unwrap_or(BOTTOM));
                let _ = write!(
                    marks,
                    "<path class=\"bar\" d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h4M{:.1} {high:.1}h4\" \
                     stroke-width=\"1\"/>",
                    x - 2.0,
                    x - 2.0
                );
            }
            marks += &draw_mark(mark, x, y, bold);
        }
        if joined || mark == Mark::None {
            let dashed = if dashes.is_empty() {
                String::new()
            } else {
                format!(" stroke-dasharray=\"{dashes}\"")
            };
            let _ = write!(out, "<path d=\"{path}\" fill=\"none\"{dashed}/>");
        }
        let _ = writeln!(out, "{marks}</g>");
    }
}

fn draw_mark(mark: Mark, x: f64, y: f64, bold: bool) -> String {
    let r = if bold { 3.6 } else { 3.2 };
    match mark {
        Mark::Ring => format!(
            "<circle class=\"hollow\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" fill=\"#ffffff\"/>"
        ),
        Mark::Square => {
            format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"5.6\" height=\"5.6\" stroke=\"none\"/>",
                x - 2.8,
                y - 2.8
            )
        }
        Mark::Triangle => {
            format!("<path d=\"M{x:.1} {:.1}l4 7h-8z\" stroke=\"none\"/>", y - 4.4)
        }
        Mark::Diamond => {
            format!(
                "<path d=\"M{x:.1} {:.1}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\" stroke=\"none\"/>",
                y - 4.6
            )
        }
        Mark::Cross => format!(
            "<path d=\"M{:.1} {:.1}l6 6m0 -6l-6 6\" fill=\"none\" stroke-width=\"1.8\"/>",
            x - 3.0,
            y - 3.0
        ),
        Mark::None => String::new(),
    }
}

/// The width of a [`key`], in units of the SVG.
pub const KEY: f64 = 30.0;

/// Draws a short piece of a series for a legend. It begins at `x`, and its middle is 7 units below
/// `y`.
pub fn key(series: &Series, joined: bool, x: f64, y: f64) -> String {
    let Style { color, mark, dashes, bold } = series.style;
    let (ink, thick) = (COLORS[color], if bold { 2.6 } else { 1.5 });
    let line = if joined || mark == Mark::None {
        format!(
            "<path d=\"M{x:.1} {:.1}h{KEY}\" fill=\"none\" stroke-dasharray=\"{dashes}\"/>",
            y + 7.0
        )
    } else {
        String::new()
    };
    format!(
        "<g class=\"c{color}\" stroke=\"{ink}\" fill=\"{ink}\" stroke-width=\"{thick}\">{line}{}</g>",
        draw_mark(mark, x + KEY / 2.0, y + 7.0, bold)
    )
    .replace(" stroke-dasharray=\"\"", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Summary;

    fn drawn(line: Option<f64>) -> String {
        let mean = |mean: f64| Summary { mean, error: 0.0, runs: 2 };
        let series = Series {
            label: "private".into(),
            style: Style::in_turn(0),
            reference: false,
            points: vec![(0.1, mean(6.0)), (1.0, mean(1.9))],
        };
        let of = Panel { title: "items".into(), x_name: "x", series: vec![series] };
        let figure = Figure { line, panels: vec![of], ..Figure::new("ratios") };
        panel(&figure, &figure.panels[0])
    }

    #[test]
    fn the_line_across_has_its_number() {
        let with = drawn(Some(1.9));
        assert!(with.contains("class=\"one\"") && with.contains(">1.9</text>"), "{with}");
        assert!(!with.contains(">2</text>") && with.contains(">4</text>"), "{with}");
        let without = drawn(None);
        assert!(without.contains(">2</text>") && !without.contains("1.9<"), "{without}");
    }
}
