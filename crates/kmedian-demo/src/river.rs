//! The river of the city.

use rand::{Rng, RngExt};

use super::geometry::{Point, minus, plus, rotate};

/// Names of rivers.
const RIVERS: [&str; 6] = ["Alder", "Isel", "Wend", "Morra", "Lyne", "Teal"];

/// A river that crosses the map from left to right: two waves over a straight axis.
#[derive(Debug, Clone, Copy)]
pub struct River {
    /// The name of the river.
    pub name: &'static str,
    /// The width of the river in meters.
    pub width: f64,
    /// A point of the axis, near the middle of the map.
    origin: Point,
    /// The angle of the axis, in radians.
    turn: f64,
    /// The height, the length and the phase of each wave, in meters, meters and radians.
    waves: [(f64, f64, f64); 2],
}

impl River {
    /// A river past the middle of the map, close enough for an old town on its bank.
    pub fn new(center: Point, rng: &mut impl Rng) -> Self {
        let turn = rng.random_range(-0.4..0.4);
        let side = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let origin = plus(center, rotate([0.0, side * rng.random_range(420.0..520.0)], turn));
        // Both waves are near zero at the origin, so that the old town stays on its bank.
        let waves = [
            (rng.random_range(250.0..420.0), 900.0, rng.random_range(-0.2..0.2)),
            (rng.random_range(60.0..120.0), 330.0, rng.random_range(-0.4..0.4)),
        ];
        Self { name: RIVERS[rng.random_range(0..RIVERS.len())], width: 135.0, origin, turn, waves }
    }

    /// The middle of the river at a distance along its axis, in meters.
    pub fn at(&self, along: f64) -> Point {
        plus(self.origin, rotate([along, self.wave(along)], self.turn))
    }

    /// The direction across the river at a distance along its axis, as a vector of length 1.
    pub fn normal(&self, along: f64) -> Point {
        let slope = self.wave(along + 1.0) - self.wave(along - 1.0);
        let length = 2f64.hypot(slope);
        rotate([-slope / length, 2.0 / length], self.turn)
    }

    /// About how far a point is from the middle of the river, in meters: negative on one bank,
    /// positive on the other.
    pub fn offset(&self, p: Point) -> f64 {
        let [along, across] = rotate(minus(p, self.origin), -self.turn);
        let slope = (self.wave(along + 1.0) - self.wave(along - 1.0)) / 2.0;
        (across - self.wave(along)) / 1f64.hypot(slope)
    }

    /// The distance along the axis, in meters, that is nearest to a point.
    pub fn along(&self, p: Point) -> f64 {
        rotate(minus(p, self.origin), -self.turn)[0]
    }

    /// The middle of the river from beyond one edge of the map to beyond the other.
    pub fn line(&self) -> Vec<Point> {
        (-64..=64).map(|i| self.at(f64::from(i) * 95.0)).collect()
    }

    fn wave(&self, along: f64) -> f64 {
        self.waves.iter().map(|(size, length, phase)| size * (along / length + phase).sin()).sum()
    }
}
