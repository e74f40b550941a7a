//! The curves as an SVG picture that needs nothing else.

use std::fmt::Write;

use super::chart::Chart;

const SIZE: [f64; 2] = [720.0, 440.0];
/// Left, top, right and bottom of the axes.
const FRAME: [f64; 4] = [64.0, 56.0, 560.0, 384.0];
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
/// Lines across, from the bottom to the top.
const RULES: usize = 5;

/// Draws means as lines, the runs' range as bars, and what centers without data cost as dashes.
pub(super) fn draw(chart: &Chart, title: &str) -> String {
    let [left, top, right, bottom] = FRAME;
    let [width, height] = SIZE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{left}\" y=\"22\" font-size=\"15\" font-weight=\"600\">{title}</text>\n\
         <text x=\"{left}\" y=\"42\" fill=\"#555\">cost of private centers, in multiples of the non-private \
         cost</text>\n"
    );
    for rule in 0..RULES {
        let share = rule as f64 / (RULES - 1) as f64;
        let (y, [low, high]) = (up(share), chart.range);
        let _ = writeln!(
            out,
            "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{:.2}</text>",
            left - 8.0,
            y + 4.0,
            low + (high - low) * share
        );
    }
    let across = |place: usize| {
        let gap = (right - left) / chart.epsilons.len() as f64;
        left + gap * (place as f64 + 0.5)
    };
    for (place, epsilon) in chart.epsilons.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{epsilon}</text>",
            across(place),
            bottom + 20.0
        );
    }
    let middle = f64::midpoint(left, right);
    let _ = writeln!(
        out,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">ε</text>",
        bottom + 42.0
    );
    for (number, (line, colour)) in chart.lines.iter().zip(COLOURS).enumerate() {
        let _ = writeln!(out, "<g stroke=\"{colour}\" fill=\"none\" stroke-width=\"2\">");
        if let Some(share) = chart.share(line.data_free) {
            let y = up(share);
            let _ = writeln!(
                out,
                "<path d=\"M{left} {y:.1}H{right}\" stroke-width=\"1.5\" stroke-dasharray=\"3 5\"/>"
            );
        }
        let mut path = String::new();
        for (place, &[mean, least, most]) in line.heights.iter().enumerate() {
            let shares = [mean, least, most].map(|height| chart.share(height).map(up));
            let [Some(mean), Some(least), Some(most)] = shares else { continue };
            // The bars of several lines stand beside each other.
            let x = across(place) + 5.0 * (number as f64 - 1.0);
            let letter = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{x:.1} {mean:.1}");
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {least:.1}V{most:.1}\" stroke-opacity=\".5\"/><circle cx=\"{x:.1}\" \
                 cy=\"{mean:.1}\" r=\"3.5\" fill=\"{colour}\"/>"
            );
        }
        let _ = writeln!(out, "<path d=\"{path}\"/></g>");
        let y = top + 12.0 + 24.0 * number as f64;
        let _ = writeln!(
            out,
            "<path d=\"M{} {y}h24\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text>",
            right + 16.0,
            right + 48.0,
            y + 4.0,
            line.name
        );
    }
    let y = top + 12.0 + 24.0 * chart.lines.len() as f64;
    let _ = writeln!(
        out,
        "<path d=\"M{} {y}h24\" stroke=\"#555\" stroke-width=\"1.5\" stroke-dasharray=\"3 5\"/><text \
         x=\"{}\" y=\"{}\">without data</text>\n</svg>",
        right + 16.0,
        right + 48.0,
        y + 4.0
    );
    out
}

/// The place of a height, given from 0 to 1.
fn up(share: f64) -> f64 {
    let [_, top, _, bottom] = FRAME;
    bottom - (bottom - top) * share
}
