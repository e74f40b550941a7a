//! The only place where the ε of one run is divided and added up. All of it happens before the
//! demand is read.

use std::num::NonZeroU64;

use super::{Epsilon, Protection};
use crate::{Error, ErrorKind, Tree};

/// How ε is split over the levels of a tree.
///
/// All nodes of a level have the same part of ε. No record is below two nodes of a level, so it
/// pays for each level once. The root is not measured, and has no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Split {
    /// What did best in our measurements: [`Paper`](Split::Paper) where there are so few records
    /// for ε that the lowest level says little, then [`Uniform`](Split::Uniform), then
    /// [`CubeRoot`](Split::CubeRoot), and [`Uniform`](Split::Uniform) again where items are counted
    /// one by one. It is chosen from public numbers, and from a noisy number of records that is
    /// paid for. On a tree that was asked for by its kind it is [`CubeRoot`](Split::CubeRoot).
    #[default]
    Auto,
    /// Each level has half the share of the level above it, as in the paper, scaled so that all add
    /// up to ε.
    Paper,
    /// An equal share of ε for every level below the root.
    Uniform,
    /// In proportion to the cube root of the number of nodes on the level, which makes the squared
    /// error of all counts together least.
    CubeRoot,
}

impl Split {
    /// All splits, the default first.
    pub const ALL: [Split; 4] = [Split::Auto, Split::Paper, Split::Uniform, Split::CubeRoot];

    /// The split that [`Split::Auto`] stands for on a tree that was asked for by its kind, whatever
    /// the records; every other split stands for itself.
    fn resolved(self) -> Self {
        match self {
            Split::Auto => Split::CubeRoot,
            chosen => chosen,
        }
    }

    /// The shares of the levels below the root, the highest level first. A share is a whole number
    /// and means its part of the sum of all shares. `sizes` is the number of nodes of each level.
    fn shares(self, sizes: &[u64]) -> Vec<u64> {
        let levels = sizes.len();
        let share = |(level, &size): (usize, &u64)| match self {
            Split::Paper => 1 << levels.min(MOST_HALVINGS).saturating_sub(level + 1),
            Split::CubeRoot => cube_root(size << CUBE_ROOT_BITS).max(1),
            Split::Uniform | Split::Auto => 1,
        };
        sizes.iter().enumerate().map(share).collect()
    }
}

/// The number of levels after which [`Split::Paper`] no longer halves shares: the first share is
/// then 2³¹ and the last ones are 1, and their sum fits into 64 bits.
const MOST_HALVINGS: usize = 32;

/// By how many bits a number of nodes is shifted before its cube root is taken. A third of them,
/// eight, become binary digits after the point of the root, so that small levels can be told apart.
const CUBE_ROOT_BITS: u32 = 24;

/// One part in this many of ε is for the number of all records, where that is not public. It is
/// then known to within about 45 / ε records (a standard deviation), which is enough to choose a
/// tree: trees differ where the number of records times ε is 150, 300 or 1,000, or 2,500. All other
/// noise grows by 3 %.
pub(super) const PARTS_OF_TOTAL: u64 = 32;

/// An ε, split over the levels of a tree in shares that are whole numbers.
///
/// A node on the path from the root to a leaf spends the share of its level. A leaf above the last
/// level spends the shares of all levels that are missing below it, since no other node of its path
/// does. If the number of all records is counted first, it has a share of its own, which every path
/// pays. So the shares of every path add up to all shares, exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelBudget {
    epsilon: Epsilon,
    split: Split,
    /// The share of the number of all records; zero if it is not counted.
    total: u64,
    /// The share of each level below the root.
    shares: Vec<u64>,
    /// The share of each level and of all levels below it.
    rests: Vec<u64>,
}

impl LevelBudget {
    /// Splits ε over the levels of a tree below its root. The number of all records has no share.
    pub fn new(epsilon: Epsilon, split: Split, tree: &Tree) -> Self {
        let root = tree.nodes()[0].level;
        let mut sizes = vec![0; root as usize];
        for node in &tree.nodes()[1..] {
            sizes[(root - node.level - 1) as usize] += 1;
        }
        let split = split.resolved();
        Self::of(epsilon, split, 0, split.shares(&sizes))
    }

    /// This split, with one part in [`PARTS_OF_TOTAL`] of ε for the number of all records, and the
    /// rest for the levels as before.
    #[must_use]
    pub(super) fn with_total(self) -> Self {
        let total = self.rests.first().copied().unwrap_or(1);
        let shares = self.shares.iter().map(|share| share * (PARTS_OF_TOTAL - 1)).collect();
        Self::of(self.epsilon, self.split, total, shares)
    }

    fn of(epsilon: Epsilon, split: Split, total: u64, shares: Vec<u64>) -> Self {
        let add = |rest: &mut u64, &share: &u64| {
            *rest += share;
            Some(*rest)
        };
        let mut rests: Vec<u64> = shares.iter().rev().scan(0, add).collect();
        rests.reverse();
        Self { epsilon, split, total, shares, rests }
    }

    pub(super) fn from_shares(
        epsilon: Epsilon,
        split: Split,
        total: u64,
        shares: Vec<u64>,
    ) -> Result<Self, Error> {
        let most = PARTS_OF_TOTAL << (MOST_HALVINGS + 1);
        let all = shares.iter().try_fold(total, |sum, &share| sum.checked_add(share));
        let is_split = split != Split::Auto && !shares.contains(&0);
        if !is_split || all.is_none_or(|all| all > most) {
            let message = "the shares of the levels are not a split of ε; release the tree again";
            return Err(Error::new(ErrorKind::Release, message));
        }
        Ok(Self::of(epsilon, split, total, shares))
    }

    /// The ε that all levels, and the number of all records, may spend together.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// How ε is split over the levels: never [`Split::Auto`].
    pub fn split(&self) -> Split {
        self.split
    }

    /// The share of each level, from the one below the root down. A level has this number divided
    /// by the sum of all shares, [`total_share`](Self::total_share) among them, of ε.
    pub fn shares(&self) -> &[u64] {
        &self.shares
    }

    /// The share of ε for counting all records, in the unit of [`shares`](Self::shares); zero if
    /// their number is not counted.
    pub fn total_share(&self) -> u64 {
        self.total
    }

    /// The privacy loss that the number of all records may have for each record more or less:
    /// [`Rate::Unlimited`] if it is not counted.
    ///
    /// # Errors
    /// If that is less than 2⁻⁴⁸, the smallest [`Rate`].
    pub fn total_rate(&self, whom: Protection) -> Result<Rate, Error> {
        match self.total {
            0 => Ok(Rate::Unlimited),
            share => Rate::new(self.epsilon, share, self.all(), whom.records().into()),
        }
    }

    /// The sum of all shares.
    fn all(&self) -> u64 {
        self.total + self.rests.first().copied().unwrap_or(0)
    }

    /// The share of a node `depth` levels below the root, from 1 on. A leaf also has the shares of
    /// all levels below it.
    pub fn share(&self, depth: usize, is_leaf: bool) -> u64 {
        if is_leaf { self.rests[depth - 1] } else { self.shares[depth - 1] }
    }

    /// The privacy loss that a node may have for each record more or less below it: its part of ε,
    /// divided by the number of records that neighboring tables may differ in.
    ///
    /// # Errors
    /// If that is less than 2⁻⁴⁸, the smallest [`Rate`].
    pub fn rate(&self, depth: usize, is_leaf: bool, whom: Protection) -> Result<Rate, Error> {
        let share = self.share(depth, is_leaf);
        Rate::new(self.epsilon, share, self.all(), whom.records().into())
    }
}

/// How the ε of a private search is divided: a part for the initial centers, the rest in equal
/// parts for the selections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchBudget {
    epsilon: Epsilon,
    init_halves: u64,
    selections: u64,
}

impl SearchBudget {
    /// Half of ε for the initial centers if they look at the demand, nothing if they do not. The
    /// rest is for `selections` selections; zero of them count as one.
    pub fn new(epsilon: Epsilon, private_init: bool, selections: u64) -> Self {
        Self { epsilon, init_halves: u64::from(private_init), selections: selections.max(1) }
    }

    /// The part of ε that the initial centers may spend: half of a finite ε, or `None` if they do
    /// not look at the demand. An infinite ε is returned as it is in both cases.
    pub fn init(&self) -> Option<Epsilon> {
        let Some((above, below)) = self.epsilon.fraction() else { return Some(self.epsilon) };
        (self.init_halves > 0).then(|| Epsilon::from_fraction(above, 2 * below).ok()).flatten()
    }

    /// The privacy loss that one selection may have for each unit of cost, if no record changes a
    /// cost by more than `sensitivity` units. A sensitivity of zero counts as one.
    ///
    /// # Errors
    /// If that is less than 2⁻⁴⁸, the smallest [`Rate`].
    pub fn selection(&self, sensitivity: u64, whom: Protection) -> Result<Rate, Error> {
        let sensitivity = u128::from(sensitivity.max(1)) * u128::from(whom.records());
        Rate::new(self.epsilon, 2 - self.init_halves, 2 * self.selections, sensitivity)
    }
}

/// The privacy loss that is allowed for each unit by which a count or a cost changes: a multiple of
/// 2⁻⁴⁸, rounded down. The smaller the rate, the larger the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// The rate in units of 2⁻⁴⁸. It is not zero: a sampler of noise at rate zero would never end.
    Finite(NonZeroU64),
    /// No limit on the privacy loss, for an infinite ε: no noise.
    Unlimited,
}

impl Rate {
    /// The number of binary digits of a rate after the point. They are fine enough for a rate of
    /// 2⁻⁴⁸, and leave 16 of 64 bits for the whole part.
    pub const BITS: u32 = 48;

    /// The rate `epsilon · share / all / sensitivity`, rounded down: it spends the part
    /// `share / all` of ε on values that differ by at most `sensitivity` between neighboring
    /// tables. [`Rate::Unlimited`] if ε is infinite, whatever the other numbers are.
    ///
    /// # Errors
    /// If the rate is below 2⁻⁴⁸ or not below 2¹⁶, if `all` or `sensitivity` is zero, or if a
    /// product of these numbers overflows 128 bits.
    pub fn new(epsilon: Epsilon, share: u64, all: u64, sensitivity: u128) -> Result<Self, Error> {
        let Some((above, below)) = epsilon.fraction() else { return Ok(Rate::Unlimited) };
        let dividend = (u128::from(above) * u128::from(share)).checked_mul(1 << Self::BITS);
        let divisor = (u128::from(below) * u128::from(all)).checked_mul(sensitivity);
        let rate = dividend.zip(divisor).and_then(|(above, below)| above.checked_div(below));
        let rate = rate.and_then(|rate| NonZeroU64::new(u64::try_from(rate).ok()?));
        rate.map(Rate::Finite).ok_or_else(|| {
            let message = format!(
                "ε = {epsilon} is too small to be split so often; choose a larger ε, fewer levels or \
                 iterations, or a smaller bound of records a unit"
            );
            Error::new(ErrorKind::Parameter, message)
        })
    }

    /// The privacy loss for each unit of a count or a cost as a float, for display and for
    /// estimates; infinite if there is no limit.
    pub fn approximate(self) -> f64 {
        match self {
            Rate::Finite(rate) => rate.get() as f64 / (1u64 << Self::BITS) as f64,
            Rate::Unlimited => f64::INFINITY,
        }
    }

    /// The variance of [discrete Laplace noise](super::discrete_laplace) of this rate, in squared
    /// units of the count or cost that it is added to; zero if there is no limit, hence no noise.
    pub fn variance(self) -> f64 {
        // 2 e^r / (e^r − 1)² for the rate r, written so that no part of it overflows for a large r,
        // and no digits cancel for a small one.
        let rate = self.approximate();
        let (away, one_less) = (libm::exp(-rate), -libm::expm1(-rate));
        2.0 * away / (one_less * one_less)
    }
}

/// The largest integer whose cube is not above the number.
fn cube_root(number: u64) -> u64 {
    let (mut low, mut high) = (0u64, 1 << 22);
    while low + 1 < high {
        let middle = low.midpoint(high);
        if middle.pow(3) <= number { low = middle } else { high = middle }
    }
    low
}
