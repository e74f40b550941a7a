//! Writes SVG path data in whole map units, as short as possible.

use super::geometry::Point;
use super::plan::EXTENT;

/// The size of a map unit in meters. With two, the map is 4,800 units wide, finer than most
/// screens.
pub const UNIT: f64 = 2.0;

/// The width and height of the map in map units.
pub const SIZE: [i32; 2] = [(EXTENT[0] / UNIT) as i32, (EXTENT[1] / UNIT) as i32];

/// Converts a point from meters to map units.
pub fn to_units(p: Point) -> [i32; 2] {
    p.map(|x| (x / UNIT).round() as i32)
}

/// Writes the path data of lines as relative moves.
#[derive(Default)]
pub struct Pen {
    path: String,
    /// Where the pen is, in map units.
    at: [i32; 2],
    /// Whether the last command was a line, so that its letter can be left out.
    in_line: bool,
}

impl Pen {
    /// Moves to a point without drawing.
    pub fn move_to(&mut self, p: [i32; 2]) {
        let letter = if self.path.is_empty() { "M" } else { "m" };
        self.step(letter, p);
        self.in_line = false;
    }

    /// Draws a straight line to a point.
    pub fn line_to(&mut self, p: [i32; 2]) {
        let letter = if self.in_line { "" } else { "l" };
        self.step(letter, p);
        self.in_line = true;
    }

    /// Draws a dot: a line of no length, which round caps make visible.
    pub fn dot(&mut self, p: [i32; 2]) {
        self.move_to(p);
        self.path.push_str("h0");
    }

    /// The path data of everything that was drawn.
    pub fn finish(self) -> String {
        self.path
    }

    fn step(&mut self, letter: &str, p: [i32; 2]) {
        let [x, y] = [p[0] - self.at[0], p[1] - self.at[1]];
        let space = |value: i32| if value < 0 { "" } else { " " };
        let before = if letter.is_empty() { space(x) } else { letter };
        self.path.push_str(&format!("{before}{x}{}{y}", space(y)));
        self.at = p;
    }
}

/// The path data of a line through points in meters.
pub fn line(points: &[Point]) -> String {
    let mut pen = Pen::default();
    for (i, &p) in points.iter().enumerate() {
        if i == 0 { pen.move_to(to_units(p)) } else { pen.line_to(to_units(p)) }
    }
    pen.finish()
}
