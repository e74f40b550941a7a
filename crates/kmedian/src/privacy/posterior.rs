//! Weights from noisy counts: shrunk towards the public shares of the items, never pruned.
//!
//! What centers are expected to cost is linear in the weights, so the right summary of a release is
//! the posterior mean of every cell under a prior whose mean is the public one: a cell that holds a
//! tenth of the items holds a tenth of the records, unless its counts say otherwise. With no
//! information all items weigh alike, and private centers are those without data. With exact counts
//! the weights are exact. Pruning what came out negative, as is often done, keeps the positive half
//! of the noise as demand that is not there.
//!
//! Counts are averaged on the way up, and then every cell is shared out between its two
//! [halves](Halves) on the way down. How unequal halves are is learned from all of them together:
//! see [`Shares`].

mod halves;
mod split;

pub(super) use halves::Halves;
use split::{Measured, Shares};

/// How often the shares of the kinds of splits are estimated anew. After ten times they change by
/// less than a percent.
const ROUNDS: usize = 12;

/// The logarithm of the odds against any difference at all between the items, before counts are
/// looked at: about 22,000 to 1. Differences are only believed if the counts favor them by more: to
/// miss them costs what centers without data cost, but to see some that are not there costs more
/// than that.
const DOUBT: f64 = 10.0;

/// What is believed of the halves of a release.
pub(super) struct Posterior {
    /// The estimated number of records in every half, in the order of [`Halves::nodes`]. The two
    /// parts of a half add up to it.
    pub(super) masses: Vec<f64>,
    /// Whether the counts show that items differ. If not, all items weigh alike.
    pub(super) shows_differences: bool,
}

/// What counts say of the halves; `None` if they show no records at all, or if nothing was counted,
/// as in a tree of one cell.
///
/// `variances` is infinite for a cell that was not measured, and zero where there is no noise.
pub(super) fn posterior(halves: &Halves, noisy: &[i64], variances: &[f64]) -> Option<Posterior> {
    let counts = Counts::averaged(halves, noisy, variances);
    let root = halves.nodes().len() - 1;
    if counts.variances[root].is_infinite() {
        return None;
    }
    let total = total(counts.means[root], counts.variances[root]);
    if total <= 0.0 {
        return None;
    }
    let mut shares = Shares::default();
    let mut found = counts.shared_out(halves, total, &shares);
    for _ in 1..ROUNDS {
        shares = found.kinds.estimate();
        found = counts.shared_out(halves, total, &shares);
    }
    let shows_differences = found.evidence > DOUBT;
    if !shows_differences {
        let items = halves.nodes()[root].items;
        let alike = |half: &halves::Half| total * (half.items / items);
        found.masses = halves.nodes().iter().map(alike).collect();
    }
    Some(Posterior { masses: found.masses, shows_differences })
}

/// The number of records by a count and its variance: the mean of a normal distribution, given that
/// it is not negative.
fn total(count: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    if deviation == 0.0 {
        return count.max(0.0);
    }
    let z = count / deviation;
    let below = 0.5 * libm::erfc(-z / std::f64::consts::SQRT_2);
    if below < 1e-12 {
        // So far in the tail, what is left of the distribution is exponential.
        return deviation / -z;
    }
    let density = libm::exp(-z * z / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
    count + deviation * density / below
}

/// For every half, an average of its own counts and of what its parts add up to, each weighted by
/// the inverse of its variance; nothing outside of the half has a part in it.
struct Counts {
    means: Vec<f64>,
    variances: Vec<f64>,
}

/// What [`Counts::shared_out`] finds.
struct Found {
    masses: Vec<f64>,
    kinds: split::Tally,
    /// The logarithm of how much better unequal halves explain the counts than equal ones.
    evidence: f64,
}

impl Counts {
    fn averaged(halves: &Halves, noisy: &[i64], variances: &[f64]) -> Self {
        let nodes = halves.nodes();
        let mut counts =
            Self { means: vec![0.0; nodes.len()], variances: vec![f64::INFINITY; nodes.len()] };
        for (at, half) in nodes.iter().enumerate() {
            if let Some([a, b]) = half.parts {
                let sum = counts.means[a] + counts.means[b];
                counts.add(at, sum, counts.variances[a] + counts.variances[b]);
            }
            for &cell in &half.cells {
                counts.add(at, noisy[cell] as f64, variances[cell]);
            }
        }
        counts
    }

    /// Averages what is known of a half with one more count of it.
    fn add(&mut self, at: usize, count: f64, variance: f64) {
        let (mean, known) = (self.means[at], self.variances[at]);
        if variance.is_infinite() {
            return;
        }
        if known.is_infinite() || variance == 0.0 {
            (self.means[at], self.variances[at]) = (count, variance);
        } else if known > 0.0 {
            self.means[at] += known / (known + variance) * (count - mean);
            self.variances[at] = known * variance / (known + variance);
        }
    }

    /// Shares out all records from the root down.
    fn shared_out(&self, halves: &Halves, total: f64, shares: &Shares) -> Found {
        let nodes = halves.nodes();
        let mut masses = vec![0.0; nodes.len()];
        let mut kinds = split::Tally::default();
        let mut evidence = 0.0;
        masses[nodes.len() - 1] = total;
        for (at, half) in nodes.iter().enumerate().rev() {
            let Some([a, b]) = half.parts else { continue };
            let mass = masses[at];
            let share = if half.items > 0.0 { nodes[a].items / half.items } else { 0.5 };
            let split = self.measured([a, b], mass, share).judge(shares.of(half.leaves));
            evidence += split.evidence;
            kinds.add(half.leaves, &split.kinds);
            masses[a] = split.first.clamp(0.0, mass);
            masses[b] = mass - masses[a];
        }
        Found { masses, kinds, evidence }
    }

    /// What the counts say of the first of two parts that hold `mass` records together.
    fn measured(&self, [a, b]: [usize; 2], mass: f64, share: f64) -> Measured {
        let (first, second) = (self.variances[a], self.variances[b]);
        let missing = mass - self.means[a] - self.means[b];
        let (count, variance) = match (first.is_finite(), second.is_finite()) {
            (true, true) if first + second > 0.0 => {
                let both = first + second;
                (self.means[a] + missing * (first / both), first * (second / both))
            }
            (true, _) => (self.means[a], first),
            (false, true) => (mass - self.means[b], second),
            (false, false) => (share * mass, f64::INFINITY),
        };
        Measured { mass, share, count, variance }
    }
}

#[cfg(test)]
mod tests;
