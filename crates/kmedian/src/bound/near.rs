//! Which items each site could serve, kept so that a pass over many sites needs no questions.

use std::time::Instant;

use rayon::prelude::*;

use super::ground::{BLOCK, Ground};
use super::rounding::at_most;
use crate::{Halt, Hit, Objective};

/// The place of a site that has no list.
const NONE: u32 = u32::MAX;

/// The sites that one task of the thread pool adds up what they save for: lists of some hundreds of
/// items each are a task of some microseconds.
const TOGETHER: usize = 64;

/// For some sites, the items that each could serve for less than a limit of their price.
pub(super) struct Near {
    /// By item, the highest price for which the lists are complete.
    pub(super) limits: Vec<f64>,
    /// By item, the place of its list.
    place: Vec<u32>,
    lists: Vec<Box<[Hit]>>,
    /// The pairs of a site and an item in the lists, and how many there may be: once there are
    /// more, no lists are added.
    pairs: usize,
    pub(super) most: usize,
    objective: Objective,
}

/// A price with the weight of its item, side by side in memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Priced {
    pub(super) price: f64,
    pub(super) weight: f64,
}

impl Near {
    /// Lists for as many of the sites as fit into `most` pairs of a site and an item and can be
    /// made until a certain time, the first sites first, and always for the fixed ones; `None` if
    /// the work is to end.
    pub(super) fn new(
        ground: &Ground<'_>,
        limits: Vec<f64>,
        sites: &[u32],
        most: usize,
        until: Option<Instant>,
        halt: &Halt,
    ) -> Option<Self> {
        let objective = ground.problem.objective;
        let place = vec![NONE; ground.problem.len()];
        let mut near = Self { limits, place, lists: Vec::new(), pairs: 0, most, objective };
        near.extend(ground, &ground.fixed, None, halt)?;
        near.extend(ground, sites, until, halt)?;
        Some(near)
    }

    /// Adds lists for as many further sites as fit and can be made until a certain time, the first
    /// sites first; `None` if the work is to end.
    pub(super) fn extend(
        &mut self,
        ground: &Ground<'_>,
        sites: &[u32],
        until: Option<Instant>,
        halt: &Halt,
    ) -> Option<()> {
        let Self { limits, objective, .. } = &*self;
        let caps = ground.question(limits, 0.0);
        let within = |_: u32, hits: &[Hit]| -> Box<[Hit]> {
            let is_near = |hit: &&Hit| objective.of(hit.distance) < limits[hit.item as usize];
            hits.iter().filter(is_near).copied().collect()
        };
        let mut new: Vec<Box<[Hit]>> = Vec::new();
        let mut pairs = self.pairs;
        for block in sites.chunks(BLOCK) {
            let lists = ground.ask_each(block, &caps, halt, within)?;
            pairs += lists.iter().map(|list| list.len()).sum::<usize>();
            new.extend(lists);
            if pairs > self.most || until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
        self.pairs = pairs;
        for (&site, list) in sites.iter().zip(new) {
            self.place[site as usize] = self.lists.len() as u32;
            self.lists.push(list);
        }
        Some(())
    }

    /// The pairs of a site and an item in all lists.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// How many lists there are or were.
    pub(super) fn lists(&self) -> usize {
        self.lists.len()
    }

    /// Drops lists, of the first of the given sites first, until as many others of the usual length
    /// have room. Some sites may be left without a list that have one now.
    pub(super) fn make_room(&mut self, lists: usize, sites: &[u32]) {
        let usual =
            sites.iter().map(|&site| self.of(site).len()).sum::<usize>() / sites.len().max(1);
        for &site in sites {
            if self.pairs + lists * usual <= self.most {
                return;
            }
            let place = std::mem::replace(&mut self.place[site as usize], NONE);
            if let Some(list) = self.lists.get_mut(place as usize) {
                self.pairs -= std::mem::take(list).len();
            }
        }
    }

    /// Whether a site has a list.
    pub(super) fn has(&self, site: u32) -> bool {
        self.place[site as usize] != NONE
    }

    /// The items that a site could serve for less than the limit of their price; none if the site
    /// has no list.
    pub(super) fn of(&self, site: u32) -> &[Hit] {
        self.lists.get(self.place[site as usize] as usize).map_or(&[], AsRef::as_ref)
    }

    /// What each of some sites, all with lists, saves at given prices, rounded up.
    pub(super) fn savings(&self, sites: &[u32], priced: &[Priced]) -> Vec<f64> {
        let one = |&site: &u32| match self.objective {
            Objective::Median => saving(self.of(site), priced, |distance| distance),
            Objective::Means => saving(self.of(site), priced, |distance| distance * distance),
        };
        sites.par_chunks(TOGETHER).flat_map_iter(|sites| sites.iter().map(one)).collect()
    }

    /// Calls `serve` for every item that a site serves below its price.
    pub(super) fn serves(&self, site: u32, priced: &[Priced], mut serve: impl FnMut(usize)) {
        for hit in self.of(site) {
            let item = hit.item as usize;
            if self.objective.of(hit.distance) < priced[item].price {
                serve(item);
            }
        }
    }
}

/// What a site with a list of near items saves, rounded up. Four sums side by side, as each
/// addition waits for the one before it.
#[inline(always)]
fn saving(hits: &[Hit], priced: &[Priced], cost: impl Fn(f64) -> f64) -> f64 {
    let saved = |hit: &Hit| {
        let Priced { price, weight } = priced[hit.item as usize];
        let spare = price - cost(f64::from(hit.distance));
        weight * if spare > 0.0 { spare } else { 0.0 }
    };
    let mut sums = [0.0; 4];
    let (fours, rest) = hits.as_chunks::<4>();
    for four in fours {
        for (sum, hit) in sums.iter_mut().zip(four) {
            *sum += saved(hit);
        }
    }
    let rest: f64 = rest.iter().map(saved).sum();
    at_most(sums[0] + sums[1] + sums[2] + sums[3] + rest, hits.len() + 4)
}
