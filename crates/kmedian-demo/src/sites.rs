//! Places the junctions: first along quays and main roads, then street by street.

use std::f64::consts::TAU;

use kmedian::Seed;
use rand::{Rng, RngExt};

use super::geometry::{Point, between, distance, minus, plus, polar, rotate};
use super::plan::{EXTENT, Plan, Use};

/// The distance between junctions along quays and main roads, in meters: a short block.
const STEP: f64 = 96.0;
/// The distance, in meters, within which a main road goes through an existing junction instead of
/// past it: a little over half of [`STEP`].
const SNAP: f64 = 54.0;
/// The distance of the quays from the water, in meters: a street and a promenade.
const QUAY: f64 = 22.0;
/// The least distance between two bridges, in junctions along the quay: about 400 meters.
const BRIDGE_GAP: i32 = 4;
/// The number of random places that are tried for further junctions. It is so large that in the end
/// hardly any has room.
const TRIALS: usize = 90_000;

/// Junctions without their streets, but with the main roads and bridges between them.
pub struct Sites {
    /// Where the junctions are, in meters.
    pub at: Vec<Point>,
    /// What the land at each junction is used for.
    pub land: Vec<Use>,
    /// Pairs of junctions that follow each other on a main road.
    pub main: Vec<(u32, u32)>,
    /// Pairs of junctions at the two ends of a bridge.
    pub bridges: Vec<(u32, u32)>,
}

/// Places the junctions of a plan.
pub fn place(plan: &Plan, seed: Seed) -> Sites {
    let sites = Sites { at: Vec::new(), land: Vec::new(), main: Vec::new(), bridges: Vec::new() };
    let mut builder = Builder {
        plan,
        sites,
        near: Buckets::new(),
        quays: Vec::new(),
        bridged: Vec::new(),
        middles: Vec::new(),
        near_middles: Buckets::new(),
    };
    builder.quays();
    for ring in &plan.rings {
        let closed = [ring.as_slice(), &ring[..1]].concat();
        builder.main_road(&closed);
    }
    plan.radials.iter().chain(&plan.links).for_each(|road| builder.main_road(road));
    let rng = &mut seed.stream("sites");
    builder.blocks(rng);
    builder.crescents(rng);
    builder.scatter(rng);
    builder.sites
}

/// Places junctions one after the other.
struct Builder<'a> {
    plan: &'a Plan,
    sites: Sites,
    /// The junctions by where they are.
    near: Buckets,
    /// For each step along the river, the junctions on its two banks.
    quays: Vec<(i32, [u32; 2])>,
    /// The steps along the river that have a bridge.
    bridged: Vec<i32>,
    /// The middle of each piece of main road between two junctions. No junction may be near it.
    middles: Vec<Point>,
    /// The middles of pieces of main road, by where they are.
    near_middles: Buckets,
}

impl Builder<'_> {
    fn add(&mut self, p: Point) -> u32 {
        let site = self.sites.at.len() as u32;
        self.sites.at.push(p);
        self.sites.land.push(self.plan.land(p));
        self.near.add(site, p);
        site
    }

    fn add_or_snap(&mut self, p: Point) -> u32 {
        let near = self.near.within(p, SNAP, &self.sites.at);
        let closer = |a: &u32, b: &u32| {
            let way = |&site: &u32| distance(self.sites.at[site as usize], p);
            way(a).total_cmp(&way(b))
        };
        match near.into_iter().min_by(closer) {
            Some(site) => site,
            None => self.add(p),
        }
    }

    /// Adds a junction at a point if it is on dry land inside the map, and if no other junction is
    /// within `room` meters.
    fn add_if_free(&mut self, p: Point, room: f64) {
        let inside = (0..2).all(|axis| (60.0..EXTENT[axis] - 60.0).contains(&p[axis]));
        let free = self.near.within(p, room, &self.sites.at).is_empty()
            && self.near_middles.within(p, STEP / 2.0 + 2.0, &self.middles).is_empty();
        if inside && free && !self.wet(p) {
            self.add(p);
        }
    }

    fn wet(&self, p: Point) -> bool {
        self.plan.river.offset(p).abs() < self.plan.river.width / 2.0 + QUAY
    }

    /// Adds streets along both banks, where the city reaches them.
    fn quays(&mut self) {
        for step in -45..=45 {
            let banks = self.banks(step);
            if banks.iter().all(|&p| !matches!(self.plan.land(p), Use::Open | Use::Park)) {
                self.quay(step);
            }
        }
        for pair in self.quays.clone().windows(2).filter(|pair| pair[0].0 + 1 == pair[1].0) {
            let ((_, a), (_, b)) = (pair[0], pair[1]);
            self.join(a[0], b[0]);
            self.join(a[1], b[1]);
        }
    }

    fn banks(&self, step: i32) -> [Point; 2] {
        let along = f64::from(step) * STEP;
        let [x, y] = self.plan.river.normal(along);
        let half = self.plan.river.width / 2.0 + QUAY + 1.0;
        [-half, half].map(|way| plus(self.plan.river.at(along), [way * x, way * y]))
    }

    /// The junctions on the two banks at a step along the river, which are added if they are
    /// missing.
    fn quay(&mut self, step: i32) -> [u32; 2] {
        if let Some((_, sites)) = self.quays.iter().find(|(other, _)| *other == step) {
            return *sites;
        }
        let sites = self.banks(step).map(|p| self.add(p));
        self.quays.push((step, sites));
        sites
    }

    /// The two ends of the bridge near a point; a new bridge if none is near.
    fn bridge(&mut self, p: Point) -> [u32; 2] {
        let wanted = (self.plan.river.along(p) / STEP).round() as i32;
        let old = self.bridged.iter().copied().find(|step| (step - wanted).abs() < BRIDGE_GAP);
        let step = old.unwrap_or(wanted);
        let [left, right] = self.quay(step);
        if old.is_none() {
            self.bridged.push(step);
            self.sites.bridges.push((left, right));
        }
        [left, right]
    }

    /// Adds a main road along a line, with a bridge where it crosses the river.
    fn main_road(&mut self, line: &[Point]) {
        let mut last: Option<(u32, Point)> = None;
        for p in paced(line, STEP) {
            if self.wet(p) {
                continue;
            }
            let site = self.add_or_snap(p);
            if let Some((from, q)) = last {
                let side = |p: Point| usize::from(self.plan.river.offset(p) > 0.0);
                let (a, b) = (side(q), side(p));
                if a == b {
                    self.join(from, site);
                } else {
                    let bridge = self.bridge(between(p, q, 0.5));
                    self.join(from, bridge[a]);
                    self.join(bridge[b], site);
                }
            }
            last = Some((site, p));
        }
    }

    fn join(&mut self, a: u32, b: u32) {
        if a != b {
            self.sites.main.push((a, b));
            let middle = between(self.sites.at[a as usize], self.sites.at[b as usize], 0.5);
            self.near_middles.add(self.middles.len() as u32, middle);
            self.middles.push(middle);
        }
    }

    /// Adds the corners of the blocks of the planned quarter.
    fn blocks(&mut self, rng: &mut impl Rng) {
        let plan = self.plan;
        for district in plan.districts.iter().filter(|district| district.land == Use::Grid) {
            for (column, row) in (-14..=14).flat_map(|column| (-14..=14).map(move |r| (column, r)))
            {
                let jitter = |rng: &mut _| RngExt::random_range(rng, -4.0..4.0);
                let corner =
                    [88.0 * f64::from(column) + jitter(rng), 112.0 * f64::from(row) + jitter(rng)];
                let p = plus(district.shape.center, rotate(corner, district.turn));
                if plan.land(p) == Use::Grid {
                    self.add_if_free(p, SNAP);
                }
            }
        }
    }

    /// Adds streets in rings around the middle of each garden suburb.
    fn crescents(&mut self, rng: &mut impl Rng) {
        let plan = self.plan;
        for district in plan.districts.iter().filter(|district| district.land == Use::Garden) {
            for ring in 1..11 {
                let radius = f64::from(ring) * 88.0;
                let count = (TAU * radius / 96.0).round();
                for i in 0..count as usize {
                    let angle =
                        district.turn + TAU * (i as f64 + rng.random_range(-0.12..0.12)) / count;
                    let [x, y] = polar(radius + rng.random_range(-8.0..8.0), angle);
                    let p = plus(district.shape.center, [x, 0.93 * y]);
                    if plan.land(p) == Use::Garden {
                        self.add_if_free(p, 60.0);
                    }
                }
            }
        }
    }

    /// Adds junctions at random places, as dense as the use of the land asks for.
    fn scatter(&mut self, rng: &mut impl Rng) {
        for _ in 0..TRIALS {
            let p = [rng.random_range(0.0..EXTENT[0]), rng.random_range(0.0..EXTENT[1])];
            let room = match self.plan.land(p) {
                Use::OldTown => 50.0,
                Use::Inner => 83.0,
                Use::Grid => 80.0,
                Use::Garden => 84.0,
                Use::Industry => 190.0,
                Use::Park | Use::Open => continue,
            };
            self.add_if_free(p, room);
        }
    }
}

/// Points along a line, evenly spaced from its start to its end, about `step` meters apart.
fn paced(line: &[Point], step: f64) -> Vec<Point> {
    let length: f64 = line.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
    let step = length / (length / step).round().max(1.0);
    let mut points = Vec::new();
    let mut ahead = 0.0;
    for pair in line.windows(2) {
        let way = distance(pair[0], pair[1]);
        while ahead <= way && way > 0.0 {
            points.push(between(pair[0], pair[1], ahead / way));
            ahead += step;
        }
        ahead -= way;
    }
    points.extend(line.last().filter(|_| ahead < step / 2.0));
    points
}

/// Numbers of points, by the square of the map that they are in: finds the points near a place
/// quickly.
pub struct Buckets {
    lists: Vec<Vec<u32>>,
}

impl Buckets {
    /// The side of a square, in meters: no search has a much larger radius.
    const SIDE: f64 = 200.0;
    /// The number of squares over the width of the map.
    const COLUMNS: i32 = (EXTENT[0] / Self::SIDE) as i32 + 1;
    /// The number of squares over the height of the map.
    const ROWS: i32 = (EXTENT[1] / Self::SIDE) as i32 + 1;

    /// No points yet.
    pub fn new() -> Self {
        Self { lists: vec![Vec::new(); (Self::COLUMNS * Self::ROWS) as usize] }
    }

    fn square(p: Point) -> [i32; 2] {
        let index = |axis: usize, count: i32| ((p[axis] / Self::SIDE) as i32).clamp(0, count - 1);
        [index(0, Self::COLUMNS), index(1, Self::ROWS)]
    }

    /// Adds a point by its number.
    pub fn add(&mut self, number: u32, p: Point) {
        let [column, row] = Self::square(p);
        self.lists[(row * Self::COLUMNS + column) as usize].push(number);
    }

    /// The numbers of the points closer to `p` than a radius; `at` has the place of every point.
    pub fn within(&self, p: Point, radius: f64, at: &[Point]) -> Vec<u32> {
        let low = Self::square(minus(p, [radius, radius]));
        let high = Self::square(plus(p, [radius, radius]));
        let mut found = Vec::new();
        for row in low[1]..=high[1] {
            for column in low[0]..=high[0] {
                let list = &self.lists[(row * Self::COLUMNS + column) as usize];
                found.extend(list.iter().filter(|&&q| distance(at[q as usize], p) < radius));
            }
        }
        found
    }
}
