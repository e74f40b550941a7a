//! Local search over a few promising sites, whose near items are kept: each swap looks at the items
//! round it and at nothing else, so that thousands of perturbed centers are tried in a second.

use rand::{Rng, RngExt};

use super::least::Least;

/// The site that stands for none.
const NONE: u32 = u32::MAX;

/// The cost of an item none of whose near sites is open, in units of the limit up to which sites
/// are near. The true cost is not known here, only that it is above the limit; half as much again
/// makes such an item expensive, but not so much that no site is ever closed near it.
const FAR: f64 = 1.5;

/// The share of the cost below which a change is taken for rounding. Sums in 64 bits are kept over
/// some millions of changes, each of which may add 10⁻¹⁶ of the cost.
const ROUNDING: f64 = 1e-9;

/// The most sites that a perturbation opens and closes at once. A swap of one was tried by the
/// search before, and with more than a few less is left of what is good about the centers.
const MOST_PERTURBED: usize = 4;

/// The visits between two looks at the clock. A million of them take some milliseconds, so a search
/// ends in time, and looking takes no time worth saving.
const LOOK: u64 = 1 << 20;

/// When a search over a core ends: whichever comes first.
pub(super) struct Limits<'a> {
    /// The most perturbed centers to try.
    pub(super) tries: usize,
    /// The most visits to an item of a site or to a site of an item. With few centers a single try
    /// looks at nearly all of them, so tries alone would not tell how long a search takes.
    pub(super) visits: u64,
    /// Whether it is time to end.
    pub(super) ends: &'a dyn Fn() -> bool,
}

/// Promising sites and the items near them, with the sites that are open now. Sites are numbered
/// here from 0, and so are items with demand.
pub(super) struct Core {
    /// For each site, the items near it and what they cost there.
    items: Vec<Vec<(u32, f64)>>,
    /// For each item, the sites near it and what it costs there, cheapest first.
    sites: Vec<Vec<(u32, f64)>>,
    weights: Vec<f64>,
    /// What each item costs if none of its near sites is open.
    far: Vec<f64>,
    /// How much each site is worth trying.
    hope: Vec<f64>,
    /// Whether a site is open whatever happens.
    fixed: Vec<bool>,
    /// The place of each open site among the open ones; [`NONE`] for the others.
    place: Vec<u32>,
    open: Vec<u32>,
    /// The two cheapest open sites of each item.
    served: Vec<[(u32, f64); 2]>,
    /// What it costs to close each of the open sites.
    losses: Least,
    cost: f64,
    /// Sites to be judged again, as something near them has changed.
    queue: Vec<u32>,
    queued: Vec<bool>,
    /// What was opened and closed since the last time that was forgotten.
    journal: Vec<Change>,
    /// A buffer: what opening a site takes off the loss of each open site.
    reliefs: Vec<f64>,
    /// The visits so far to an item of a site or to a site of an item.
    visits: u64,
}

#[derive(Clone, Copy)]
enum Change {
    Opened(u32),
    Closed(u32),
}

impl Core {
    /// A core of sites, given the items near each and what they cost there, and for each item its
    /// weight and the cost up to which sites are near.
    pub(super) fn new(
        items: Vec<Vec<(u32, f64)>>,
        weights: Vec<f64>,
        limits: &[f64],
        hope: Vec<f64>,
        fixed: Vec<bool>,
    ) -> Self {
        let mut sites = vec![Vec::new(); weights.len()];
        for (site, near) in (0..).zip(&items) {
            for &(item, cost) in near {
                sites[item as usize].push((site, cost));
            }
        }
        for near in &mut sites {
            near.sort_unstable_by(|a: &(u32, f64), b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        }
        let far: Vec<f64> = limits.iter().map(|limit| FAR * limit + f64::MIN_POSITIVE).collect();
        let count = items.len();
        Self {
            items,
            sites,
            served: far.iter().map(|&far| [(NONE, far); 2]).collect(),
            weights,
            far,
            hope,
            fixed,
            place: vec![NONE; count],
            open: Vec::new(),
            losses: Least::default(),
            cost: 0.0,
            queue: Vec::new(),
            queued: vec![false; count],
            journal: Vec::new(),
            reliefs: Vec::new(),
            visits: 0,
        }
    }

    /// Opens exactly the given sites.
    pub(super) fn set(&mut self, open: &[u32]) {
        self.place.fill(NONE);
        self.open = open.to_vec();
        for (place, &site) in (0..).zip(open) {
            self.place[site as usize] = place;
        }
        for item in 0..self.served.len() {
            self.served[item] = self.cheapest_open(item);
        }
        self.sum_up();
        self.journal.clear();
        self.queue.clear();
        self.queued.fill(false);
        for site in 0..self.items.len() as u32 {
            self.enqueue(site);
        }
    }

    /// The sites that are open.
    pub(super) fn open(&self) -> &[u32] {
        &self.open
    }

    /// The cost of the open sites. True if every item has an open site near it.
    pub(super) fn cost(&self) -> f64 {
        self.cost
    }

    /// Adds up cost and losses, free of the rounding of many changes.
    fn sum_up(&mut self) {
        let mut losses = vec![0.0; self.open.len()];
        self.cost = 0.0;
        for (&weight, [first, second]) in self.weights.iter().zip(&self.served) {
            self.cost += weight * first.1;
            if first.0 != NONE {
                losses[self.place[first.0 as usize] as usize] += weight * (second.1 - first.1);
            }
        }
        for (&site, loss) in self.open.iter().zip(&mut losses) {
            if self.fixed[site as usize] {
                *loss = f64::INFINITY;
            }
        }
        self.losses = Least::new(&losses);
        self.reliefs = vec![0.0; self.open.len() + 1];
    }

    fn cheapest_open(&self, item: usize) -> [(u32, f64); 2] {
        let is_open = |near: &&(u32, f64)| self.place[near.0 as usize] != NONE;
        let mut open = self.sites[item].iter().filter(is_open).copied();
        let none = (NONE, self.far[item]);
        [open.next().unwrap_or(none), open.next().unwrap_or(none)]
    }

    fn enqueue(&mut self, site: u32) {
        let queued = &mut self.queued[site as usize];
        if !*queued && self.place[site as usize] == NONE {
            *queued = true;
            self.queue.push(site);
        }
    }

    /// Gives an item other cheapest sites, and keeps costs, losses and the queue up to date.
    fn serve(&mut self, item: usize, new: [(u32, f64); 2], judge: bool) {
        let old = self.served[item];
        if old == new {
            return;
        }
        let weight = self.weights[item];
        self.served[item] = new;
        self.cost += weight * (new[0].1 - old[0].1);
        for (pair, sign) in [(old, -1.0), (new, 1.0)] {
            let place = pair[0].0;
            if place != NONE && self.place[place as usize] != NONE {
                let place = self.place[place as usize] as usize;
                self.losses.add(place, sign * weight * (pair[1].1 - pair[0].1));
            }
        }
        if judge {
            let reach = old[1].1.max(new[1].1);
            for at in 0..self.sites[item].len() {
                let (site, cost) = self.sites[item][at];
                self.visits += 1;
                if cost >= reach {
                    break;
                }
                self.enqueue(site);
            }
        }
    }

    fn open_site(&mut self, site: u32, judge: bool) {
        self.journal.push(Change::Opened(site));
        self.place[site as usize] = self.open.len() as u32;
        self.open.push(site);
        let loss = if self.fixed[site as usize] { f64::INFINITY } else { 0.0 };
        self.losses.push(loss);
        self.reliefs.push(0.0);
        self.visits += self.items[site as usize].len() as u64;
        for at in 0..self.items[site as usize].len() {
            let (item, cost) = self.items[site as usize][at];
            let item = item as usize;
            let [first, second] = self.served[item];
            if (cost, site) < (first.1, first.0) {
                self.serve(item, [(site, cost), first], judge);
            } else if (cost, site) < (second.1, second.0) {
                self.serve(item, [first, (site, cost)], judge);
            }
        }
    }

    fn close_site(&mut self, site: u32, judge: bool) {
        self.journal.push(Change::Closed(site));
        let mut orphans = Vec::new();
        self.visits += self.items[site as usize].len() as u64;
        for &(item, _) in &self.items[site as usize] {
            let [first, second] = self.served[item as usize];
            if first.0 == site || second.0 == site {
                orphans.push(item as usize);
            }
        }
        let place = self.place[site as usize] as usize;
        self.place[site as usize] = NONE;
        for item in orphans {
            self.visits += self.sites[item].len() as u64;
            let new = self.cheapest_open(item);
            self.serve(item, new, judge);
        }
        self.open.swap_remove(place);
        self.losses.swap_remove(place);
        self.reliefs.pop();
        if let Some(&moved) = self.open.get(place) {
            self.place[moved as usize] = place as u32;
        }
        if judge {
            self.enqueue(site);
        }
    }

    /// The best site to close if one is opened, and by how much both change the cost.
    fn judge(&mut self, newcomer: u32) -> (u32, f64) {
        let mut saved = 0.0;
        let mut touched: Vec<u32> = Vec::new();
        self.visits += self.items[newcomer as usize].len() as u64;
        for &(item, cost) in &self.items[newcomer as usize] {
            let [first, second] = self.served[item as usize];
            if cost >= second.1 {
                continue;
            }
            let weight = self.weights[item as usize];
            let here = if cost < first.1 {
                saved += weight * (first.1 - cost);
                first.1
            } else {
                cost
            };
            if first.0 != NONE {
                let place = self.place[first.0 as usize];
                let relief = &mut self.reliefs[place as usize];
                if *relief == 0.0 {
                    touched.push(place);
                }
                *relief += weight * (second.1 - here);
            }
        }
        let (mut leaves, mut least) = self.losses.least();
        for place in touched {
            let relief = std::mem::take(&mut self.reliefs[place as usize]);
            let loss = self.losses.of(place as usize) - relief;
            if loss < least || (loss == least && (place as usize) < leaves) {
                (leaves, least) = (place as usize, loss);
            }
        }
        (self.open.get(leaves).copied().unwrap_or(NONE), least - saved)
    }

    /// Whether every item has an open site near it, so that the cost is true.
    pub(super) fn is_exact(&self) -> bool {
        self.served.iter().all(|served| served[0].0 != NONE)
    }

    /// Swaps while that lowers the cost, judging what is in the queue. Returns whether that came to
    /// its end.
    fn descend(&mut self, limits: &Limits<'_>) -> bool {
        let mut look = self.visits + LOOK;
        while let Some(site) = self.queue.pop() {
            if self.visits >= look {
                look = self.visits + LOOK;
                if (limits.ends)() {
                    return false;
                }
            }
            if self.visits >= limits.visits {
                return false;
            }
            self.queued[site as usize] = false;
            if self.place[site as usize] != NONE {
                continue;
            }
            let (leaves, change) = self.judge(site);
            if leaves != NONE && change < -ROUNDING * self.cost {
                self.open_site(site, true);
                self.close_site(leaves, true);
            }
        }
        true
    }

    /// Tries perturbed centers, and keeps what is no worse, up to the limits.
    pub(super) fn wander(&mut self, limits: &Limits<'_>, rng: &mut impl Rng) {
        self.visits = 0;
        let mut goes_on = self.descend(limits);
        for _ in 0..limits.tries {
            if !goes_on || (limits.ends)() {
                break;
            }
            self.journal.clear();
            let before = self.cost;
            self.perturb(rng);
            goes_on = self.descend(limits);
            if self.cost > before * (1.0 + ROUNDING) {
                self.undo();
                self.cost = before;
            }
        }
        self.sum_up();
    }

    /// Opens a few random sites near an item, and closes as many others near it.
    fn perturb(&mut self, rng: &mut impl Rng) {
        let item = rng.random_range(0..self.sites.len());
        let count = rng.random_range(1..=MOST_PERTURBED);
        for _ in 0..count {
            let closed = |site: u32| self.place[site as usize] == NONE;
            let may_open = self.sites[item].iter().map(|near| near.0).filter(|&site| closed(site));
            let Some(newcomer) = drawn(may_open, |site| self.hope[site as usize], rng) else {
                return;
            };
            let leaver = self.leaver(item, newcomer, rng);
            let Some(leaver) = leaver else { return };
            self.open_site(newcomer, true);
            self.close_site(leaver, true);
        }
    }

    /// A random open site near an item, or near the newcomer, that may be closed.
    fn leaver(&self, item: usize, newcomer: u32, rng: &mut impl Rng) -> Option<u32> {
        let may_close = |site: &u32| {
            *site != NONE && self.place[*site as usize] != NONE && !self.fixed[*site as usize]
        };
        let round = self.items[newcomer as usize].iter();
        let serving = round.flat_map(|near| self.served[near.0 as usize].map(|served| served.0));
        let here = self.sites[item].iter().map(|near| near.0);
        let mut near: Vec<u32> = here.chain(serving).filter(may_close).collect();
        near.sort_unstable();
        near.dedup();
        (!near.is_empty()).then(|| near[rng.random_range(0..near.len())])
    }

    /// Undoes what is in the journal.
    fn undo(&mut self) {
        let journal = std::mem::take(&mut self.journal);
        for &change in journal.iter().rev() {
            match change {
                Change::Opened(site) => self.close_site(site, false),
                Change::Closed(site) => self.open_site(site, false),
            }
        }
        self.journal.clear();
    }
}

/// One of some sites, drawn in proportion to their hope.
fn drawn(
    sites: impl Iterator<Item = u32> + Clone,
    hope: impl Fn(u32) -> f64,
    rng: &mut impl Rng,
) -> Option<u32> {
    let total: f64 = sites.clone().map(&hope).sum();
    let mut left = rng.random::<f64>() * total;
    let mut last = None;
    for site in sites {
        last = Some(site);
        left -= hope(site);
        if left < 0.0 {
            break;
        }
    }
    last
}
