//! Decides which junctions a street joins: a β-skeleton, with main roads and bridges.

use std::collections::HashSet;

use super::geometry::{Point, between, distance};
use super::plan::{Plan, Use};
use super::sites::{Buckets, Sites};

/// The largest length of a street from junction to junction, in meters: a little over four short
/// blocks.
const LONGEST: f64 = 420.0;

/// A street between two junctions.
#[derive(Debug, Clone, Copy)]
pub struct Street {
    /// The two junctions that the street joins.
    pub ends: (u32, u32),
    /// Whether the street is part of a main road.
    pub main: bool,
    /// Whether the street is a bridge.
    pub bridge: bool,
}

/// Joins junctions by streets that do not cross.
///
/// Two junctions are joined if no third one lies in the lune between them, whose width grows with
/// β. At β = 1 this is the Gabriel graph, which is planar, and at β = 2 the relative neighborhood
/// graph, which is still connected. With any β in between, chosen street by street, the network is
/// both. Where β is small the network is dense; where it is large there are long blocks and dead
/// ends.
pub fn join(plan: &Plan, sites: &Sites) -> Vec<Street> {
    let mut near = Buckets::new();
    for (site, &p) in sites.at.iter().enumerate() {
        near.add(site as u32, p);
    }
    let main: HashSet<(u32, u32)> = sites.main.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    let mut streets = Vec::new();
    for (a, &p) in sites.at.iter().enumerate() {
        let around = near.within(p, LONGEST, &sites.at);
        for &b in around.iter().filter(|&&b| b as usize > a) {
            let ends = (a as u32, b);
            let main = main.contains(&ends);
            let q = sites.at[b as usize];
            let beta =
                if main { 1.0 } else { beta(sites.land[a]).max(beta(sites.land[b as usize])) };
            let in_lune =
                |&&r: &&u32| r as usize != a && r != b && blocks(p, q, sites.at[r as usize], beta);
            if around.iter().find(in_lune).is_none() && dry(plan, p, q, main) {
                streets.push(Street { ends, main, bridge: false });
            }
        }
    }
    let bridges = sites.bridges.iter();
    streets.extend(bridges.map(|&ends| Street { ends, main: true, bridge: true }));
    detour(sites, &mut streets);
    streets
}

/// Where two junctions of a main road are not joined, leads the road through a junction that is
/// joined to both.
fn detour(sites: &Sites, streets: &mut [Street]) {
    let mut leaving = vec![Vec::new(); sites.at.len()];
    for (street, &Street { ends: (a, b), .. }) in streets.iter().enumerate() {
        leaving[a as usize].push((b, street));
        leaving[b as usize].push((a, street));
    }
    for &(a, b) in &sites.main {
        let (from, to) = (&leaving[a as usize], &leaving[b as usize]);
        if from.iter().any(|&(end, _)| end == b) {
            continue;
        }
        let way = |site: u32| {
            let [a, b, r] = [a, b, site].map(|site| sites.at[site as usize]);
            distance(a, r) + distance(r, b)
        };
        let both = from.iter().flat_map(|&(r, first)| {
            to.iter().filter(move |&&(s, _)| s == r).map(move |&(_, second)| (r, first, second))
        });
        if let Some((_, first, second)) = both.min_by(|x, y| way(x.0).total_cmp(&way(y.0))) {
            streets[first].main = true;
            streets[second].main = true;
        }
    }
}

fn beta(land: Use) -> f64 {
    match land {
        Use::OldTown => 1.25,
        Use::Inner => 1.45,
        Use::Grid => 1.35,
        Use::Garden => 1.72,
        Use::Industry | Use::Park | Use::Open => 1.7,
    }
}

/// Whether r lies in the lune of p and q: inside both circles of radius β/2 times their distance,
/// one through p and one through q, that have their centers on the line through p and q.
fn blocks(p: Point, q: Point, r: Point, beta: f64) -> bool {
    let radius = beta * distance(p, q) / 2.0;
    [(p, q), (q, p)].iter().all(|&(p, q)| distance(between(p, q, beta / 2.0), r) < radius)
}

/// Whether a street stays on one bank of the river, and out of the parks unless it is a main road.
fn dry(plan: &Plan, p: Point, q: Point, main: bool) -> bool {
    let left = plan.river.offset(p) > 0.0;
    (0..=8).map(|i| between(p, q, f64::from(i) / 8.0)).all(|p| {
        let wet = (plan.river.offset(p) > 0.0) != left
            || plan.river.offset(p).abs() < plan.river.width / 2.0;
        !wet && (main || !plan.parks.iter().any(|park| park.contains(p)))
    })
}

/// For each junction, whether it is in the largest connected part of the network.
pub fn largest_part(junctions: usize, streets: &[Street]) -> Vec<bool> {
    let mut part: Vec<usize> = (0..junctions).collect();
    fn root(part: &mut [usize], mut site: usize) -> usize {
        while part[site] != site {
            part[site] = part[part[site]];
            site = part[site];
        }
        site
    }
    for street in streets {
        let (a, b) = (street.ends.0 as usize, street.ends.1 as usize);
        let (a, b) = (root(&mut part, a), root(&mut part, b));
        part[a.max(b)] = a.min(b);
    }
    let roots: Vec<usize> = (0..junctions).map(|site| root(&mut part, site)).collect();
    let mut sizes = vec![0; junctions];
    roots.iter().for_each(|&root| sizes[root] += 1);
    let largest = (0..junctions).max_by_key(|&root| sizes[root]);
    roots.iter().map(|&root| Some(root) == largest).collect()
}
