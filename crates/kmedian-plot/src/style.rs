//! How series are told apart.

/// How a series is drawn. Color, mark and dashes each tell series apart, so that any one of them
/// may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The number of the color.
    pub color: usize,
    /// The mark at each point.
    pub mark: Mark,
    /// The dashes of the line, as SVG wants them.
    pub dashes: &'static str,
    /// Whether it is the one to look at.
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
    /// No mark: a line to compare with.
    None,
}

/// The colors of Okabe and Ito, which stay apart under all common kinds of color blindness: ink,
/// blue, vermilion, green, purple, and a grey.
pub const COLORS: [&str; 6] = ["#222222", "#0072b2", "#d55e00", "#009e73", "#b85c93", "#767676"];

impl Style {
    /// A style.
    pub const fn new(color: usize, mark: Mark, dashes: &'static str, bold: bool) -> Self {
        Self { color, mark, dashes, bold }
    }

    /// A style for the series at this place of several that have none of their own.
    #[must_use]
    pub fn in_turn(place: usize) -> Self {
        IN_TURN[place % IN_TURN.len()]
    }
}

/// Styles for series that have none of their own.
const IN_TURN: [Style; 5] = [
    Style::new(1, Mark::Triangle, "", false),
    Style::new(2, Mark::Square, "7 3", false),
    Style::new(3, Mark::Diamond, "9 2 2 2", false),
    Style::new(4, Mark::Cross, "2 3", false),
    Style::new(5, Mark::Ring, "4 4", false),
];
