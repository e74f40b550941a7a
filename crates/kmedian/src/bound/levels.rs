//! What sites save at most, without asking all of them: a site saves little more than its
//! neighbor.
//!
//! For a site j at distance r from a site c, every item is at most r closer to j than to c, so j
//! saves at most g(r) = Σ w · max(0, λ − cost(d(c, i) − r)). A question from c with all caps raised
//! by R gives g(0), what c saves itself, and g(R), which bounds all sites within R of it. For
//! k-median g is convex, so that the chord between the two bounds those that are nearer. Sites that
//! cannot save as much as those that are open do not matter, and need not be asked.

use super::ground::Ground;
use super::rounding::at_most;
use crate::{Halt, Hit, Objective};

/// The levels: one in so many of the sites that are left is asked, with caps raised by this share
/// of the mean cap. After the last level, all that are left are asked.
const LEVELS: [(usize, f32); 2] = [(16, 0.1), (4, 0.03)];

/// The fewest sites for which levels are worth it.
const MANY: usize = 4096;

/// By how many relative errors of a distance a radius is stretched, as distances are rounded.
const ERRORS: f32 = 4.0;

/// Room for the rounding of a chord, relative to it.
const ROUNDING: f64 = 1e-12;

/// The place that stands for none.
const NONE: u32 = u32::MAX;

/// What a site that was asked says of itself and its neighbors.
struct Said {
    saving: f64,
    /// Other sites, by their place, and what they save at most.
    neighbors: Vec<(u32, f64)>,
}

/// An upper bound of what each of some sites saves: exact, but for rounding up, unless it is below
/// the threshold. `None` if the work is to end.
pub(super) fn savings(
    ground: &Ground<'_>,
    sites: &[u32],
    prices: &[f64],
    threshold: f64,
    halt: &Halt,
) -> Option<Vec<f64>> {
    let abilities = ground.problem.space.abilities();
    let mut most = vec![f64::INFINITY; sites.len()];
    let mut asked = vec![false; sites.len()];
    let metric = abilities.obeys_triangles && abilities.symmetric;
    let pays = metric && !abilities.has_table && sites.len() >= MANY;
    if pays && threshold.is_finite() {
        let mut place = vec![NONE; ground.problem.len()];
        for (at, &site) in (0..).zip(sites) {
            place[site as usize] = at;
        }
        for (one_in, share) in LEVELS {
            let left = (0..sites.len()).filter(|&at| !asked[at] && most[at] >= threshold);
            let pivots: Vec<usize> = left.step_by(one_in).collect();
            let said = ask(ground, sites, prices, &place, &pivots, share, halt)?;
            for (&pivot, said) in pivots.iter().zip(said) {
                asked[pivot] = true;
                most[pivot] = said.saving;
                for (at, saving) in said.neighbors {
                    let at = at as usize;
                    if !asked[at] && saving < most[at] {
                        most[at] = saving;
                    }
                }
            }
        }
    }
    let left: Vec<usize> =
        (0..sites.len()).filter(|&at| !asked[at] && most[at] >= threshold).collect();
    let items: Vec<u32> = left.iter().map(|&at| sites[at]).collect();
    if items.is_empty() {
        return Some(most);
    }
    let caps = ground.question(prices, 0.0);
    let exact = ground.ask_each(&items, &caps, halt, |_, hits| ground.saving(prices, hits))?;
    for (at, saving) in left.into_iter().zip(exact) {
        most[at] = saving;
    }
    Some(most)
}

/// Asks some sites with caps raised by a share of the mean cap.
fn ask(
    ground: &Ground<'_>,
    sites: &[u32],
    prices: &[f64],
    place: &[u32],
    pivots: &[usize],
    share: f32,
    halt: &Halt,
) -> Option<Vec<Said>> {
    let objective = ground.problem.objective;
    let items = ground.items();
    let sum: f64 = items.iter().map(|&item| objective.distance(prices[item as usize])).sum();
    let radius = share * (sum / items.len() as f64) as f32;
    let caps = ground.question(prices, radius);
    let error = ERRORS * ground.problem.space.relative_error();
    let spare = error * (caps.largest() + radius);
    let askers: Vec<u32> = pivots.iter().map(|&at| sites[at]).collect();
    ground.ask_each(&askers, &caps, halt, |site, hits| {
        let saving = ground.saving(prices, hits);
        let raised = saving_within(ground, prices, hits, radius + spare);
        let mut neighbors = Vec::new();
        for hit in hits.iter().filter(|hit| hit.item != site) {
            let (at, away) = (place[hit.item as usize], hit.distance * (1.0 + error) + spare);
            if at != NONE && away <= radius {
                let along = match objective {
                    Objective::Median => f64::from(away) / f64::from(radius),
                    Objective::Means => 1.0,
                };
                let chord = saving + along * (raised - saving).max(0.0);
                neighbors.push((at, chord * (1.0 + ROUNDING)));
            }
        }
        Said { saving, neighbors }
    })
}

/// What a site would save if it were closer to every item by `radius`, rounded up.
fn saving_within(ground: &Ground<'_>, prices: &[f64], hits: &[Hit], radius: f32) -> f64 {
    let problem = &ground.problem;
    let saved = |hit: &Hit| {
        let item = hit.item as usize;
        let nearer = (hit.distance - radius).max(0.0).next_down().max(0.0);
        let spare = prices[item] - problem.objective.of(nearer);
        if spare > 0.0 { problem.demand.of(item) * spare } else { 0.0 }
    };
    at_most(hits.iter().map(saved).sum(), hits.len())
}
