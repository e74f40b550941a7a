//! Points, lines and soft shapes in the plane.

use std::f64::consts::TAU;

use rand::{Rng, RngExt};

/// A place, in meters from the upper left corner of the map; also a vector in meters.
pub type Point = [f64; 2];

/// A round shape with soft bays.
#[derive(Debug, Clone, Copy)]
pub struct Blob {
    /// The middle of the shape.
    pub center: Point,
    /// The mean radius of the shape, in meters.
    pub radius: f64,
    /// The size of each wave of the edge, as a share of the radius, and its phase in radians.
    waves: [(f64, f64); 3],
}

impl Blob {
    /// A shape with random bays. `roughness` is their depth as a share of the radius.
    pub fn new(center: Point, radius: f64, roughness: f64, rng: &mut impl Rng) -> Self {
        let mut wave = |share: f64| (roughness * share, rng.random_range(0.0..TAU));
        let waves = [wave(1.0), wave(0.6), wave(0.3)];
        Self { center, radius, waves }
    }

    /// The distance of the edge from the middle in a direction, which is an angle in radians.
    pub fn radius_at(&self, angle: f64) -> f64 {
        let waves = self.waves.iter().zip([2.0, 3.0, 5.0]);
        let sum: f64 = waves.map(|((size, phase), n)| size * (n * angle + phase).sin()).sum();
        self.radius * (1.0 + sum)
    }

    /// Whether a point lies inside.
    pub fn contains(&self, p: Point) -> bool {
        let [x, y] = minus(p, self.center);
        x.hypot(y) < self.radius_at(y.atan2(x))
    }

    /// This shape with a mean radius that is larger by some meters.
    pub fn widened(self, by: f64) -> Self {
        Self { radius: self.radius + by, ..self }
    }

    /// The edge as a closed polygon.
    pub fn outline(&self, corners: usize) -> Vec<Point> {
        let corner = |i: usize| {
            let angle = TAU * i as f64 / corners as f64;
            plus(self.center, polar(self.radius_at(angle), angle))
        };
        (0..corners).map(corner).collect()
    }
}

/// A quadratic Bézier curve as 60 short lines.
pub fn curve(start: Point, control: Point, end: Point) -> Vec<Point> {
    let point = |i: i32| {
        let t = f64::from(i) / 60.0;
        between(between(start, control, t), between(control, end, t), t)
    };
    (0..=60).map(point).collect()
}

/// The sum of two vectors.
pub fn plus(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1]]
}

/// The difference of two vectors.
pub fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

/// The vector of a length and a direction, which is an angle in radians.
pub fn polar(length: f64, angle: f64) -> Point {
    [length * angle.cos(), length * angle.sin()]
}

/// A vector, turned by an angle in radians.
pub fn rotate(p: Point, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    [p[0] * cos - p[1] * sin, p[0] * sin + p[1] * cos]
}

/// The point at the share `t` of the line from `a` to `b`.
pub fn between(a: Point, b: Point, t: f64) -> Point {
    [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
}

/// The straight distance of two points, in meters.
pub fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}
