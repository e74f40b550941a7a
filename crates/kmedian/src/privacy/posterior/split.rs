//! How a cell's records are shared out between its two halves.

/// The number of kinds of splits: even, one-sided, sampled, and four widths of spread.
pub(super) const KINDS: usize = 3 + SPREADS.len();

/// How wide the spread kinds are, as the κ of a beta distribution: the variance of a share s is
/// s(1 − s)/(κ + 1), from a slight preference for one half (30) to nearly one-sided (0.5).
const SPREADS: [f64; 4] = [30.0, 8.0, 2.0, 0.5];

/// The number of classes of halves by their number of leaves; kinds have shares in each.
const CLASSES: usize = 4;

/// The share of the even kind before any count is looked at. The others have equal parts of the
/// rest.
const EVEN_AT_FIRST: f64 = 0.7;

/// How many even splits are added to those that were seen when shares are estimated, so that a few
/// splits cannot rule out that halves are alike.
const EVEN_ADDED: f64 = 1.0;

/// How many splits of every other kind are added when shares are estimated, so that none is ruled
/// out.
const OTHERS_ADDED: f64 = 0.1;

/// The shares of the kinds of splits: how unequal halves are, in halves of about as many leaves.
///
/// Every kind has the public share as its mean. *Even*: exactly the public share. *One-sided*: all
/// records are in one half. *Sampled*: each record falls into a half by itself. *Spread*: about the
/// public share, more or less; on top of being sampled.
pub(super) struct Shares([[f64; KINDS]; CLASSES]);

/// How many splits of each kind were seen; a split may count in part for several kinds.
#[derive(Default)]
pub(super) struct Tally([[f64; KINDS]; CLASSES]);

/// What is known of the first half of a cell before it is judged.
pub(super) struct Measured {
    /// How many records the whole cell holds.
    pub(super) mass: f64,
    /// The part of the cell's items that are in its first half.
    pub(super) share: f64,
    /// The count of the first half.
    pub(super) count: f64,
    /// The variance of that count.
    pub(super) variance: f64,
}

/// A split as it was judged.
pub(super) struct Split {
    /// The number of records in the first half.
    pub(super) first: f64,
    /// How likely each kind is.
    pub(super) kinds: [f64; KINDS],
    /// The logarithm of how much better the mixture of kinds explains the count than the even kind.
    pub(super) evidence: f64,
}

/// The class of a half by its number of leaves.
fn class(leaves: usize) -> usize {
    match leaves {
        0..=2 => 0,
        3..=5 => 1,
        6..=16 => 2,
        _ => 3,
    }
}

impl Default for Shares {
    fn default() -> Self {
        let mut shares = [(1.0 - EVEN_AT_FIRST) / (KINDS - 1) as f64; KINDS];
        shares[0] = EVEN_AT_FIRST;
        Self([shares; CLASSES])
    }
}

impl Shares {
    /// The shares for a half of that many leaves.
    pub(super) fn of(&self, leaves: usize) -> &[f64; KINDS] {
        &self.0[class(leaves)]
    }
}

impl Tally {
    pub(super) fn add(&mut self, leaves: usize, kinds: &[f64; KINDS]) {
        self.0[class(leaves)].iter_mut().zip(kinds).for_each(|(sum, kind)| *sum += kind);
    }

    /// The shares of the kinds that explain what was seen.
    pub(super) fn estimate(&self) -> Shares {
        let added = |kind: usize| if kind == 0 { EVEN_ADDED } else { OTHERS_ADDED };
        let of_class = |seen: &[f64; KINDS]| {
            let all: f64 = (0..KINDS).map(|kind| seen[kind] + added(kind)).sum();
            std::array::from_fn(|kind| (seen[kind] + added(kind)) / all)
        };
        Shares(self.0.each_ref().map(of_class))
    }
}

impl Measured {
    /// The posterior mean of the first half: the means under every kind, weighted by how well the
    /// kind explains the count.
    pub(super) fn judge(&self, shares: &[f64; KINDS]) -> Split {
        let &Self { mass, share, count, variance } = self;
        let even = share * mass;
        let unmoved = Split { first: even, kinds: *shares, evidence: 0.0 };
        if mass <= 0.0 || variance.is_infinite() {
            return unmoved;
        }
        // Densities are divided by that of the even kind, whose exponent may be far from zero.
        let away = |mean: f64, variance: f64| -(count - mean) * (count - mean) / (2.0 * variance);
        let base = away(even, variance);
        if variance == 0.0 || !base.is_finite() {
            return Split { first: count, kinds: [0.0; KINDS], evidence: f64::INFINITY };
        }
        let mut logs = [0.0; KINDS];
        let mut means = [even; KINDS];
        let [all, none] = [(share, mass), (1.0 - share, 0.0)]
            .map(|(prior, at)| libm::log(prior) + away(at, variance) - base);
        let larger = all.max(none);
        let [all, none] = [all, none].map(|log| libm::exp(log - larger));
        logs[1] = larger + libm::log(all + none);
        means[1] = mass * (all / (all + none));
        let sampled = mass * share * (1.0 - share);
        for kind in 2..KINDS {
            let spread = kind.checked_sub(3).map_or(0.0, |at| mass * sampled / (SPREADS[at] + 1.0));
            let prior = sampled + spread;
            logs[kind] = away(even, variance + prior) - base
                + 0.5 * libm::log(variance / (variance + prior));
            means[kind] = (even + prior / (prior + variance) * (count - even)).clamp(0.0, mass);
        }
        let largest = logs.iter().copied().fold(0.0, f64::max);
        let mut kinds: [f64; KINDS] =
            std::array::from_fn(|kind| shares[kind] * libm::exp(logs[kind] - largest));
        let sum: f64 = kinds.iter().sum();
        kinds.iter_mut().for_each(|kind| *kind /= sum);
        let first = kinds.iter().zip(means).map(|(kind, mean)| kind * mean).sum();
        Split { first, kinds, evidence: largest + libm::log(sum) }
    }
}
