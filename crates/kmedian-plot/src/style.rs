//! The styles by which series are told apart.

/// How a series is drawn. Color, mark and dashes each tell series apart, so a reader can do without
/// some of them, such as colors in print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The position of the color in [`COLORS`].
    pub color: usize,
    /// The mark at each point.
    pub mark: Mark,
    /// The dashes of the line, as SVG's `stroke-dasharray`; empty for a solid line.
    pub dashes: &'static str,
    /// Whether the series is emphasized by a thicker line.
    pub bold: bool,
}

/// A mark at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A hollow circle.
    Ring,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A diamond.
    Diamond,
    /// A cross.
    Cross,
    /// No mark, for a line that is there only for comparison. It is drawn without error bars.
    None,
}

/// The colors of series: ink, blue, vermilion, green, purple and gray. They follow Okabe and Ito,
/// so that they can be told apart under all common kinds of color blindness.
pub const COLORS: [&str; 6] = ["#222222", "#0072b2", "#d55e00", "#009e73", "#b85c93", "#767676"];

impl Style {
    /// A style with these fields, in a constant.
    pub const fn new(color: usize, mark: Mark, dashes: &'static str, bold: bool) -> Self {
        Self { color, mark, dashes, bold }
    }

    /// The style for the series at this position, from 0, if series have no styles of their own.
    /// The styles repeat after five.
    #[must_use]
    pub fn in_turn(place: usize) -> Self {
        IN_TURN[place % IN_TURN.len()]
    }
}

/// The styles of series that have no styles of their own.
const IN_TURN: [Style; 5] = [
    Style::new(1, Mark::Triangle, "", false),
    Style::new(2, Mark::Square, "7 3", false),
    Style::new(3, Mark::Diamond, "9 2 2 2", false),
    Style::new(4, Mark::Cross, "2 3", false),
    Style::new(5, Mark::Ring, "4 4", false),
];
