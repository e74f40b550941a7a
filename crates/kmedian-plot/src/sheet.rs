//! Draws a whole figure as one SVG file: title, legend, panels, caption.

use std::fmt::Write;

use crate::draw::{self, FONT, HEIGHT, KEY, panel_width};
use crate::text::{escape, lines, width};
use crate::{Figure, Scale};

/// The margin around the sheet and between panels, in units of the SVG.
const ROOM: f64 = 16.0;
/// The size of the title's text, in units of the SVG.
const TITLE: f64 = 17.0;
/// The height of a line of the legend and of the caption, in units of the SVG.
const LINE: f64 = 19.0;

/// Draws a figure as an SVG file.
pub fn draw(figure: &Figure) -> String {
    let columns = figure.columns.min(figure.panels.len()).max(1);
    let panel = panel_width(figure);
    // The sheet of a single panel is still wide enough for a title and a legend.
    let wide = (columns as f64 * (panel + ROOM) + ROOM).max(680.0);
    let mut body = String::new();
    let mut y = ROOM + TITLE;
    let _ = writeln!(
        body,
        "<text x=\"{ROOM}\" y=\"{y}\" font-size=\"{TITLE}\" font-weight=\"600\">{}</text>",
        escape(&figure.title)
    );
    y += 14.0;
    y = legend(&mut body, figure, y, wide) + 6.0;
    for (place, content) in figure.panels.iter().enumerate() {
        let x = ROOM + (place % columns) as f64 * (panel + ROOM);
        let at = y + (place / columns) as f64 * (HEIGHT + ROOM);
        let _ = writeln!(
            body,
            "<g class=\"panel\" transform=\"translate({x} {at})\">\n{}</g>",
            draw::panel(figure, content)
        );
    }
    y += figure.panels.len().div_ceil(columns) as f64 * (HEIGHT + ROOM) + 4.0;
    for line in lines(&caption(figure), FONT, wide - 2.0 * ROOM) {
        let _ = writeln!(
            body,
            "<text x=\"{ROOM}\" y=\"{y:.1}\" fill=\"#5a5a5a\">{}</text>",
            escape(&line)
        );
        y += LINE - 2.0;
    }
    let high = (y + 2.0).ceil();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"'DejaVu Sans', system-ui, sans-serif\" font-size=\"{FONT}\" fill=\"#222222\">\n\
         <title>{}</title>\n<rect width=\"{wide}\" height=\"{high}\" fill=\"#ffffff\"/>\n{body}</svg>\n",
        escape(&figure.title)
    )
}

/// The text below a figure: its caption, which axes are logarithmic, and what the bars are.
pub fn caption(figure: &Figure) -> String {
    let runs =
        figure.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let (mut least, mut most) = (usize::MAX, 0);
    for (_, summary) in runs {
        (least, most) = (least.min(summary.runs), most.max(summary.runs));
    }
    let runs = match (least, most) {
        (_, 0 | 1) => "One run each.".to_owned(),
        (least, most) if least == most => {
            format!("Means of {most} runs; bars are standard errors.")
        }
        (least, most) => format!("Means of {least} to {most} runs; bars are standard errors."),
    };
    let axes = match (figure.x_scale, figure.y_scale) {
        (Scale::Linear, Scale::Linear) => "",
        (Scale::Log, Scale::Linear) => " The axis across is logarithmic.",
        (Scale::Linear, Scale::Log) => " The axis upwards is logarithmic.",
        (Scale::Log, Scale::Log) => " Both axes are logarithmic.",
    };
    format!("{}{axes} {runs}", figure.caption)
}

/// Draws the legend from `y` on, on a sheet of this width. Returns the y below it.
fn legend(out: &mut String, figure: &Figure, mut y: f64, wide: f64) -> f64 {
    let mut x = ROOM;
    for series in figure.legend() {
        let room = KEY + 7.0 + width(&series.label, FONT) + 18.0;
        if x > ROOM && x + room > wide {
            (x, y) = (ROOM, y + LINE);
        }
        out.push_str(&draw::key(series, figure.joined, x, y));
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + KEY + 7.0,
            y + 11.0,
            escape(&series.label)
        );
        x += room;
    }
    y + LINE
}
