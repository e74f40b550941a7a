//! A made-up city: junctions, roads, and the people who live there.

use kmedian::Seed;
use rand::{Rng, RngExt};

use super::geometry::Point;
use super::plan::{District, Plan, Use};
use super::{sites, streets};

/// A city on a map of [`EXTENT`](super::plan::EXTENT) meters.
pub struct City {
    /// Where the junctions are, in meters from the upper left corner.
    pub junctions: Vec<[f32; 2]>,
    /// The roads: two junctions and the length in meters.
    pub roads: Vec<(u32, u32, f32)>,
    /// For each road, whether it is a main road.
    pub main: Vec<bool>,
    /// The positions in `roads` of the bridges.
    pub bridges: Vec<usize>,
    /// How many people live at each junction.
    pub people: Vec<f64>,
    /// The districts that have a name.
    pub districts: Vec<District>,
    /// The outlines of parks and woods, in meters.
    pub greens: Vec<Vec<Point>>,
    /// The middle of the river, as points in meters.
    pub river: Vec<Point>,
    /// The name of the river.
    pub river_name: &'static str,
    /// The width of the river in meters.
    pub river_width: f64,
}

impl City {
    /// Makes up a city. The same seed gives the same city.
    pub fn new(seed: Seed) -> Self {
        let plan = Plan::new(seed);
        let sites = sites::place(&plan, seed);
        let streets = streets::join(&plan, &sites);
        let kept = streets::largest_part(sites.at.len(), &streets);
        let mut new_number = vec![0; kept.len()];
        let mut junctions = Vec::new();
        let mut people = Vec::new();
        let rng = &mut seed.stream("people");
        for site in (0..kept.len()).filter(|&site| kept[site]) {
            new_number[site] = junctions.len() as u32;
            junctions.push(sites.at[site].map(|x| x as f32));
            people.push(inhabitants(sites.land[site], rng));
        }
        let streets: Vec<_> =
            streets.into_iter().filter(|street| kept[street.ends.0 as usize]).collect();
        let road = |street: &streets::Street| {
            let (a, b) = (new_number[street.ends.0 as usize], new_number[street.ends.1 as usize]);
            (a, b, straight(junctions[a as usize], junctions[b as usize]))
        };
        Self {
            roads: streets.iter().map(road).collect(),
            main: streets.iter().map(|street| street.main).collect(),
            bridges: (0..streets.len()).filter(|&road| streets[road].bridge).collect(),
            junctions,
            people,
            greens: plan.parks.iter().chain(&plan.woods).map(|green| green.outline(48)).collect(),
            districts: plan.districts.into_iter().filter(|part| !part.name.is_empty()).collect(),
            river: plan.river.line(),
            river_name: plan.river.name,
            river_width: plan.river.width,
        }
    }
}

/// The straight distance of two junctions, in meters.
pub fn straight(a: [f32; 2], b: [f32; 2]) -> f32 {
    let [x, y] = [0, 1].map(|axis| f64::from(a[axis]) - f64::from(b[axis]));
    x.hypot(y) as f32
}

fn inhabitants(land: Use, rng: &mut impl Rng) -> f64 {
    let typical = match land {
        Use::OldTown => 75.0,
        Use::Inner => 105.0,
        Use::Grid => 160.0,
        Use::Garden => 58.0,
        Use::Industry | Use::Park | Use::Open => return 0.0,
    };
    let spread: f64 = rng.random_range(0.35..1.25) + rng.random_range(0.0..0.4);
    (typical * spread).round()
}

#[cfg(test)]
mod tests {
    use kmedian::{Graph, Space};

    use super::*;

    const SEEDS: [u64; 4] = [1, 2, 3, 1234];

    fn cities() -> impl Iterator<Item = City> {
        SEEDS.into_iter().map(|seed| City::new(Seed(seed)))
    }

    /// Which side of the line through a and b a point is on.
    fn side(a: Point, b: Point, p: Point) -> bool {
        (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0])
    }

    fn cross(a: Point, b: Point, p: Point, q: Point) -> bool {
        side(a, b, p) != side(a, b, q) && side(p, q, a) != side(p, q, b)
    }

    fn ends(city: &City, road: usize) -> [Point; 2] {
        let (a, b, _) = city.roads[road];
        [a, b].map(|junction| city.junctions[junction as usize].map(f64::from))
    }

    #[test]
    fn the_same_seed_makes_the_same_city() {
        let [a, b, c] = [5, 5, 6].map(|seed| City::new(Seed(seed)));
        assert_eq!(a.junctions, b.junctions);
        assert_eq!(a.roads, b.roads);
        assert_eq!(a.people, b.people);
        assert_ne!(a.junctions, c.junctions);
    }

    #[test]
    fn the_roads_hold_the_city_together() {
        for city in cities() {
            assert!((2500..4000).contains(&city.junctions.len()), "{}", city.junctions.len());
            let graph = Graph::new(city.junctions.len(), &city.roads).unwrap();
            assert_eq!(graph.len(), city.people.len());
        }
    }

    #[test]
    fn lengths_are_straight_distances_in_metres() {
        for city in cities() {
            for &(a, b, length) in &city.roads {
                let (p, q) = (city.junctions[a as usize], city.junctions[b as usize]);
                let wanted = (p[0] - q[0]).hypot(p[1] - q[1]);
                assert!(length > 0.0 && (length - wanted).abs() <= 1e-3 * wanted);
            }
        }
    }

    #[test]
    fn only_bridges_cross_the_river() {
        for city in cities() {
            assert!(city.bridges.len() >= 2);
            for road in 0..city.roads.len() {
                let [p, q] = ends(&city, road);
                let over = city.river.windows(2).any(|line| cross(line[0], line[1], p, q));
                assert_eq!(over, city.bridges.contains(&road), "road {road}");
            }
        }
    }

    #[test]
    fn roads_meet_at_junctions_only() {
        for city in cities().take(2) {
            for road in 0..city.roads.len() {
                let (a, b, _) = city.roads[road];
                let [p, q] = ends(&city, road);
                for other in 0..road {
                    let (c, d, _) = city.roads[other];
                    let apart = ![c, d].contains(&a) && ![c, d].contains(&b);
                    let [r, s] = ends(&city, other);
                    assert!(!(apart && cross(p, q, r, s)), "{road} and {other} cross");
                }
            }
        }
    }

    #[test]
    fn junctions_have_few_roads() {
        for city in cities() {
            let mut degree = vec![0; city.junctions.len()];
            for &(a, b, _) in &city.roads {
                degree[a as usize] += 1;
                degree[b as usize] += 1;
            }
            assert!(degree.iter().all(|d| (1..=8).contains(d)));
            let usual = degree.iter().filter(|d| (2..=4).contains(*d)).count();
            assert!(10 * usual > 7 * degree.len());
        }
    }

    #[test]
    fn people_live_in_some_places_and_not_in_others() {
        for city in cities() {
            assert!(city.people.iter().sum::<f64>() > 100_000.0);
            assert!(city.people.contains(&0.0));
            assert!(city.people.iter().all(|people| people.is_finite() && *people >= 0.0));
        }
    }
}
