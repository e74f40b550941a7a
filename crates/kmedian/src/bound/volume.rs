//! The volume algorithm: prices that follow an average of the answers, not only the last one.
//!
//! A plain subgradient step looks at the sites that save most at the present prices alone, and
//! jumps to and fro. Barahona and Anbil ("The volume algorithm", 2000) average them: the average is
//! a fractional solution that comes near to an optimum of the relaxation, and how far it is from
//! serving every item exactly once is a far better direction.

use super::passes::Answer;

/// The first share of the last answer in the average: a tenth, so that the average is of about ten
/// answers, as Barahona and Anbil have it. It is halved when the value rises slowly.
const FIRST_SHARE: f64 = 0.1;

/// The least share of the last answer in the average. An average of a thousand answers is so slow
/// that a few hundred passes more hardly change it.
const LAST_SHARE: f64 = 1e-3;

/// The passes after which the share is halved if the value has risen by less than [`RISE`]: ten
/// times as many as the first average is of, so that it has forgotten where it began.
const PATIENCE: usize = 100;

/// The share of the way to the target that the value must rise in [`PATIENCE`] passes, or the
/// average is too coarse. The way shrinks as the value rises, so 0.3 is asked of every stage alike.
const RISE: f64 = 0.3;

/// The passes without a rise after which steps become shorter: about as many as the first average
/// is of, so that one bad answer, which stays in it for so long, does not shorten them twice.
const FAILURES: usize = 12;

/// The first step, as a share of the step that would reach the target if the bound were linear. It
/// is a tenth, as prices of the bundle are good already, and a long step would leave them.
const FIRST_STEP: f64 = 0.1;

/// The longest step, as a share of the step that would reach the target if the bound were linear:
/// beyond twice that, steps of a subgradient method need not converge.
const LONGEST_STEP: f64 = 2.0;

/// The shortest step, as a share of the step that would reach the target if the bound were linear:
/// with shorter ones, hundreds of passes change the value by next to nothing.
const SHORTEST_STEP: f64 = 1e-3;

/// How the prices move from pass to pass.
pub(super) struct Volume {
    /// By item, how many of the open sites serve it below its price, averaged.
    coverage: Vec<f64>,
    /// By item, how often it is an open site, averaged.
    openings: Vec<f64>,
    demand: Vec<f64>,
    step: f64,
    share: f64,
    failures: usize,
    passes: usize,
    /// The passes and the rises since the share was last thought about.
    since: (usize, f64),
}

impl Volume {
    pub(super) fn new(coverage: Vec<f64>, openings: &[(u32, f32)], demand: &[f64]) -> Self {
        let mut open = vec![0.0; coverage.len()];
        openings.iter().for_each(|&(site, share)| open[site as usize] = f64::from(share));
        Self {
            coverage,
            openings: open,
            demand: demand.to_vec(),
            step: FIRST_STEP,
            share: FIRST_SHARE,
            failures: 0,
            passes: 0,
            since: (0, 0.0),
        }
    }

    /// Whether the steps have become so short, or the average so slow, that going on is of little
    /// use.
    pub(super) fn is_tired(&self) -> bool {
        self.step <= SHORTEST_STEP || self.share <= LAST_SHARE
    }

    /// By how much each price should move, given how far the value is from the target.
    pub(super) fn step(&self, rise: f64) -> Vec<f64> {
        let lacks = || self.coverage.iter().map(|coverage| 1.0 - coverage);
        let square: f64 =
            lacks().zip(&self.demand).map(|(lack, weight)| weight * lack * lack).sum();
        let step = if square > 0.0 { self.step * rise / square } else { 0.0 };
        lacks().map(|lack| step * lack).collect()
    }

    /// Takes in the answer after a step of the prices, by which the value rose; `left` is how far
    /// it was from the target. Returns whether the new prices are to be the present ones.
    pub(super) fn learn(&mut self, answer: &Answer, rise: f64, left: f64) -> bool {
        self.passes += 1;
        // The share for which the average comes closest to serving every item once.
        let (mut across, mut length, mut onward) = (0.0, 0.0, 0.0);
        let each = self.coverage.iter().zip(&answer.served).zip(&self.demand);
        for ((&coverage, &served), weight) in each {
            let (old, new) = (1.0 - coverage, 1.0 - f64::from(served));
            across += weight * old * (old - new);
            length += weight * (old - new) * (old - new);
            onward += weight * old * new;
        }
        let best = if length > 0.0 { across / length } else { self.share };
        let share = best.clamp(self.share / 10.0, self.share);
        for (average, &served) in self.coverage.iter_mut().zip(&answer.served) {
            *average += share * (f64::from(served) - *average);
        }
        self.openings.iter_mut().for_each(|average| *average *= 1.0 - share);
        answer.open.iter().for_each(|&site| self.openings[site as usize] += share);
        if rise > 0.0 {
            self.since.1 += rise;
            self.failures = 0;
            if onward > 0.0 {
                self.step = (1.1 * self.step).min(LONGEST_STEP);
            }
        } else {
            self.failures += 1;
            if self.failures >= FAILURES {
                self.failures = 0;
                self.step = (0.66 * self.step).max(SHORTEST_STEP);
            }
        }
        if self.passes >= self.since.0 + PATIENCE {
            if self.since.1 < RISE * left {
                self.share = (self.share / 2.0).max(LAST_SHARE);
            }
            self.since = (self.passes, 0.0);
        }
        rise > 0.0
    }

    /// The sites that are open in the average, and to which share.
    pub(super) fn openings(&self) -> Vec<(u32, f32)> {
        let open = (0..).zip(&self.openings).filter(|(_, share)| **share > 1e-6);
        open.map(|(site, &share)| (site, share as f32)).collect()
    }
}
