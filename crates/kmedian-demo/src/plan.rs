//! The plan of the city: where the river flows, what the land is used for, where main roads lead.

use std::f64::consts::TAU;

use kmedian::Seed;
use rand::{Rng, RngExt};

use super::geometry::{Blob, Point, between, curve, distance, minus, plus, polar};
use super::river::River;

/// The width and height of the map in meters: a city that is crossed in half an hour by bicycle.
pub const EXTENT: Point = [9600.0, 8400.0];

/// How far built-up land reaches to both sides of a road into a suburb, in meters: two or three
/// blocks.
const RIBBON: f64 = 270.0;
/// How far main roads keep from the edge of the map, in meters, so that their ends can be seen.
const MARGIN: f64 = 250.0;

/// Names of suburbs.
const SUBURBS: [&str; 12] = [
    "Larkhill",
    "Ashgrove",
    "Kingsmead",
    "Millbrook",
    "Eastfield",
    "Linden Park",
    "Orchard End",
    "Heron Green",
    "Fairmeadow",
    "Rosebank",
    "Thornley",
    "Windmill Hill",
];

/// What a piece of land is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A dense and irregular net of lanes.
    OldTown,
    /// Unplanned streets around the old town and along the roads that lead out of it.
    Inner,
    /// Blocks of a planned quarter.
    Grid,
    /// Crescents with houses in gardens.
    Garden,
    /// Works and docks, where nobody lives.
    Industry,
    /// Grass and trees inside the city.
    Park,
    /// The country around the city.
    Open,
}

/// A part of the city with a name and a shape.
#[derive(Debug, Clone)]
pub struct District {
    /// The name of the district.
    pub name: &'static str,
    /// What the land of the district is used for.
    pub land: Use,
    /// Where the district is.
    pub shape: Blob,
    /// The angle by which the streets of the district are turned, in radians.
    pub turn: f64,
}

/// Everything that is decided before the first junction is placed.
pub struct Plan {
    /// The river.
    pub river: River,
    /// The districts; the first that contains a point decides what it is used for.
    pub districts: Vec<District>,
    /// Parks inside the city.
    pub parks: Vec<Blob>,
    /// Woods around the city.
    pub woods: Vec<Blob>,
    /// The ring roads, closed.
    pub rings: Vec<Vec<Point>>,
    /// The roads that lead out of the city.
    pub radials: Vec<Vec<Point>>,
    /// The roads from suburb to suburb, through open country.
    pub links: Vec<Vec<Point>>,
}

impl Plan {
    /// Makes up a plan. The same seed gives the same plan.
    pub fn new(seed: Seed) -> Self {
        let rng = &mut seed.stream("plan");
        let center = [EXTENT[0] / 2.0, EXTENT[1] / 2.0];
        let river = River::new(center, rng);
        let old_town = Blob::new(center, 600.0, 0.07, rng);
        let inner = Blob::new(center, 2180.0, 0.1, rng);
        let suburbs = draw_suburbs(center, rng);

        // The planned quarter is away from the river; the works are on it, downstream.
        let across = river.normal(0.0);
        let up = across[1].atan2(across[0]) + rng.random_range(-0.5..0.5);
        let grid = Blob::new(plus(center, polar(1650.0, up + TAU / 2.0)), 900.0, 0.05, rng);
        let works = Blob::new(river.at(rng.random_range(2100.0..2500.0)), 720.0, 0.12, rng);

        let district = |name, land, shape, turn| District { name, land, shape, turn };
        let mut districts = vec![
            district("Old Town", Use::OldTown, old_town, 0.0),
            district("Docks", Use::Industry, works, 0.0),
            district("New Town", Use::Grid, grid, rng.random_range(-0.35..0.35)),
        ];
        let first = rng.random_range(0..SUBURBS.len());
        for (i, &shape) in suburbs.iter().enumerate() {
            let name = SUBURBS[(first + i) % SUBURBS.len()];
            let turn = rng.random_range(0.0..TAU);
            districts.push(district(name, Use::Garden, shape, turn));
        }
        districts.push(district("", Use::Inner, inner, 0.0));

        let parks = draw_parks(center, up, rng);
        let woods = draw_woods(center, &suburbs, rng);
        let old_ring = old_town.widened(70.0);
        let city_ring = Blob::new(center, 1880.0, 0.05, rng);
        let radials = suburbs.iter().map(|suburb| draw_radial(&old_ring, suburb, rng)).collect();
        let links = draw_links(&suburbs, rng);
        let rings = vec![old_ring.outline(90), city_ring.outline(160)];
        Self { river, districts, parks, woods, rings, radials, links }
    }

    /// What the land at a point is used for.
    pub fn land(&self, p: Point) -> Use {
        if self.parks.iter().any(|park| park.contains(p)) {
            return Use::Park;
        }
        if let Some(district) = self.districts.iter().find(|district| district.shape.contains(p)) {
            return district.land;
        }
        let near = |road: &Vec<Point>| road.iter().any(|&q| distance(p, q) < RIBBON);
        if self.radials.iter().any(near) { Use::Inner } else { Use::Open }
    }
}

fn draw_suburbs(center: Point, rng: &mut impl Rng) -> Vec<Blob> {
    let count = 7;
    let first = rng.random_range(0.0..TAU);
    let suburb = |i: usize| {
        let angle = first + TAU * (i as f64 + rng.random_range(-0.17..0.17)) / count as f64;
        let radius = rng.random_range(480.0..780.0);
        let [x, y] = polar(rng.random_range(2900.0..3500.0), angle);
        let limit = |value: f64, size: f64| {
            let most = size / 2.0 - MARGIN - radius;
            value.clamp(-most, most)
        };
        let middle = [limit(1.22 * x, EXTENT[0]), limit(y, EXTENT[1])];
        Blob::new(plus(center, middle), radius, 0.1, rng)
    };
    (0..count).map(suburb).collect()
}

fn draw_parks(center: Point, grid: f64, rng: &mut impl Rng) -> Vec<Blob> {
    let park = |(way, angle, radius): (f64, f64, f64)| {
        Blob::new(plus(center, polar(way, grid + angle)), radius, 0.13, rng)
    };
    [(1180.0, 1.75, 390.0), (1350.0, -1.5, 230.0), (1450.0, 0.5, 210.0), (2350.0, 3.4, 190.0)]
        .into_iter()
        .map(park)
        .collect()
}

/// Woods around the city, between the suburbs.
fn draw_woods(center: Point, suburbs: &[Blob], rng: &mut impl Rng) -> Vec<Blob> {
    let mut woods = Vec::new();
    for (i, a) in suburbs.iter().enumerate() {
        let b = suburbs[(i + 1) % suburbs.len()];
        let [x, y] = minus(between(a.center, b.center, rng.random_range(0.42..0.58)), center);
        let way = rng.random_range(1.0..1.25);
        for (shift, radius) in [(0.0, 430.0), (0.22, 300.0)] {
            let middle = plus(center, [x * (way + shift), y * (way + shift)]);
            let wood = Blob::new(middle, radius * rng.random_range(0.7..1.15), 0.16, rng);
            let room = |s: &Blob| distance(s.center, middle) > 1.1 * (s.radius + wood.radius);
            if suburbs.iter().all(room) {
                woods.push(wood);
            }
        }
    }
    woods
}

/// A slightly curved road from the ring of the old town into a suburb and nearly through it.
fn draw_radial(ring: &Blob, suburb: &Blob, rng: &mut impl Rng) -> Vec<Point> {
    let [x, y] = minus(suburb.center, ring.center);
    let way = x.hypot(y);
    let angle = y.atan2(x);
    let start = plus(ring.center, polar(ring.radius_at(angle), angle));
    let end = plus(ring.center, polar(way + 0.85 * suburb.radius, angle));
    let bend = rng.random_range(-0.16..0.16) * way;
    let control = plus(between(start, end, 0.5), polar(bend, angle + TAU / 4.0));
    curve(start, control, end)
}

/// Roads between neighboring suburbs, some of which are left out at random.
fn draw_links(suburbs: &[Blob], rng: &mut impl Rng) -> Vec<Vec<Point>> {
    let mut links = Vec::new();
    for (i, a) in suburbs.iter().enumerate() {
        let b = suburbs[(i + 1) % suburbs.len()].center;
        let [x, y] = minus(between(a.center, b, 0.5), [EXTENT[0] / 2.0, EXTENT[1] / 2.0]);
        let out = rng.random_range(0.02..0.14);
        if rng.random_bool(0.72) {
            links.push(curve(a.center, plus(between(a.center, b, 0.5), [x * out, y * out]), b));
        }
    }
    links
}
