//! A proximal bundle: the last few answers, put together into the best common direction.
//!
//! The bound is concave in the prices, and every answer (a set of open sites) bounds it from above
//! by a linear function, a *cut*. The next prices maximize the least of a few cuts, less the square
//! of the way from the present prices. That takes a small quadratic program over the cuts, whose
//! solution is an average of them; cuts that are dropped live on in that average.

use super::passes::Answer;

/// The most cuts. Each takes 4 bytes for each item; more than these saved no passes in trials on
/// TSPLIB instances.
const CUTS: usize = 15;

/// The share of the rise that the cuts promise for which prices move: a tenth, as is usual for
/// proximal bundles. With a larger share prices seldom move; with none they move for nothing.
const SERIOUS: f64 = 0.1;

/// Passes without a move after which the way becomes shorter. Each of them adds a cut, which often
/// makes the next step a good one without that; ten are two thirds of all cuts.
const PATIENCE: usize = 10;

/// The factor of the way after a rise that could have gone on. It is more than undone by two
/// [`SHORTER`] in turn, so that a way that was too long once does not stay so.
const LONGER: f64 = 1.5;

/// The factor of the way after [`PATIENCE`] passes in vain: nearer to 1 than that of a rise, as the
/// new cuts may have been all that was missing.
const SHORTER: f64 = 0.8;

/// The most changes of the weights of two cuts in a quadratic program, for each cut: a limit for
/// programs that converge slowly. With 15 cuts these are 3,000 changes, a few dozen operations
/// each.
const ROUNDS: usize = 200;

/// The share of the way to the target up to which a quadratic program is solved: a millionth of
/// what steps aim at, so that its error does not decide where prices go.
const PRECISION: f64 = 1e-6;

/// What an answer says of all prices: a linear function that is nowhere below the bound.
pub(super) struct Cut {
    /// By item, how many sites too few serve it: 1 less the number that do.
    pub(super) lack: Vec<f32>,
    /// Open sites, and to which share they are open.
    pub(super) open: Vec<(u32, f32)>,
    /// By how much the cut exceeds the value at the present prices.
    error: f64,
}

pub(super) struct Bundle {
    cuts: Vec<Cut>,
    /// The inner products of the cuts, weighted by demand.
    products: Vec<Vec<f64>>,
    /// The weight of each cut in the average.
    weights: Vec<f64>,
    /// How far prices go for each unit that an item is served too little.
    way: f64,
    failures: usize,
    /// The average of the cuts, by which the last step went.
    average: Vec<f64>,
    average_error: f64,
    promised: f64,
    demand: Vec<f64>,
}

impl Bundle {
    /// Begins with the answer at the present prices; `rise` is how far the value is from the
    /// target.
    pub(super) fn new(first: &Answer, rise: f64, demand: &[f64]) -> Self {
        let cut = Cut::of(first, 0.0);
        let square = product(demand, &cut.lack, &cut.lack);
        let way = if square > 0.0 { rise.max(0.0) / square } else { 0.0 };
        Self {
            products: vec![vec![square]],
            weights: vec![1.0],
            way,
            failures: 0,
            average: cut.lack.iter().map(|&lack| f64::from(lack)).collect(),
            average_error: 0.0,
            promised: 0.0,
            demand: demand.to_vec(),
            cuts: vec![cut],
        }
    }

    /// By how much each price should move.
    pub(super) fn step(&mut self, rise: f64) -> Vec<f64> {
        self.solve(PRECISION * rise.abs());
        self.average.fill(0.0);
        self.average_error = 0.0;
        for (cut, &weight) in self.cuts.iter().zip(&self.weights).filter(|(_, w)| **w > 0.0) {
            self.average_error += weight * cut.error;
            for (sum, &lack) in self.average.iter_mut().zip(&cut.lack) {
                *sum += weight * f64::from(lack);
            }
        }
        let square: f64 =
            self.average.iter().zip(&self.demand).map(|(lack, weight)| weight * lack * lack).sum();
        self.promised = self.way * square + self.average_error;
        self.average.iter().map(|lack| self.way * lack).collect()
    }

    /// Minimizes half of the way times the square of the average, plus its error, over all averages
    /// of the cuts: moves weight between the two cuts where that helps most.
    fn solve(&mut self, precision: f64) {
        let Self { cuts, products, weights, way, .. } = self;
        let slope = |at: usize, weights: &[f64]| {
            let along: f64 = products[at].iter().zip(weights).map(|(p, w)| p * w).sum();
            *way * along + cuts[at].error
        };
        let mut slopes: Vec<f64> = (0..cuts.len()).map(|at| slope(at, weights)).collect();
        for _ in 0..ROUNDS * cuts.len() {
            let (mut low, mut high) = (0, None::<usize>);
            for at in 0..slopes.len() {
                if slopes[at] < slopes[low] {
                    low = at;
                }
                if weights[at] > 0.0 && high.is_none_or(|high| slopes[at] > slopes[high]) {
                    high = Some(at);
                }
            }
            let Some(high) = high.filter(|&high| slopes[high] - slopes[low] > precision) else {
                return;
            };
            let bend =
                *way * (products[low][low] + products[high][high] - 2.0 * products[low][high]);
            let best = (slopes[high] - slopes[low]) / bend;
            let moved = if bend > 0.0 { best.min(weights[high]) } else { weights[high] };
            weights[low] += moved;
            weights[high] -= moved;
            for (at, slope) in slopes.iter_mut().enumerate() {
                *slope += *way * moved * (products[at][low] - products[at][high]);
            }
        }
    }

    /// Takes in the answer after a step of the prices, by which the value rose. Returns whether the
    /// new prices are to be the present ones.
    pub(super) fn learn(&mut self, answer: &Answer, step: &[f64], rise: f64) -> bool {
        let mut cut = Cut::of(answer, 0.0);
        let moves = rise > 0.0 && rise >= SERIOUS * self.promised;
        let along = |lack: &[f32]| -> f64 {
            let each = lack.iter().zip(step).zip(&self.demand);
            each.map(|((&lack, step), weight)| weight * f64::from(lack) * step).sum()
        };
        if moves {
            let average: f64 = (self.average.iter().zip(step).zip(&self.demand))
                .map(|((lack, step), weight)| weight * lack * step)
                .sum();
            self.average_error = (self.average_error + average - rise).max(0.0);
            let errors: Vec<f64> = self.cuts.iter().map(|cut| along(&cut.lack) - rise).collect();
            for (cut, more) in self.cuts.iter_mut().zip(errors) {
                cut.error = (cut.error + more).max(0.0);
            }
            let onward: f64 = (self.average.iter().zip(&cut.lack).zip(&self.demand))
                .map(|((lack, &new), weight)| weight * lack * f64::from(new))
                .sum();
            if onward > 0.0 {
                self.way *= LONGER;
            }
            self.failures = 0;
        } else {
            cut.error = (rise - along(&cut.lack)).max(0.0);
            self.failures += 1;
            if self.failures >= PATIENCE {
                self.failures = 0;
                self.way *= SHORTER;
            }
        }
        if self.cuts.len() >= CUTS {
            self.shrink();
        }
        self.push(cut, 0.0);
        moves
    }

    /// The value at the present prices has turned out to be lower, as there are more sites.
    pub(super) fn lower(&mut self, by: f64) {
        self.cuts.iter_mut().for_each(|cut| cut.error += by);
    }

    /// Keeps the heaviest cuts and the average of all.
    fn shrink(&mut self) {
        let mut order: Vec<usize> = (0..self.cuts.len()).collect();
        order.sort_by(|&a, &b| self.weights[b].total_cmp(&self.weights[a]).then(a.cmp(&b)));
        order.truncate(CUTS - 2);
        let average = Cut {
            lack: self.average.iter().map(|&lack| lack as f32).collect(),
            open: self.openings(),
            error: self.average_error,
        };
        let products = order.iter().map(|&a| order.iter().map(|&b| self.products[a][b]).collect());
        self.products = products.collect();
        self.weights = vec![0.0; order.len()];
        let mut cuts: Vec<Option<Cut>> = self.cuts.drain(..).map(Some).collect();
        self.cuts = order.into_iter().filter_map(|at| cuts[at].take()).collect();
        self.push(average, 1.0);
    }

    fn push(&mut self, cut: Cut, weight: f64) {
        let row: Vec<f64> =
            self.cuts.iter().map(|other| product(&self.demand, &other.lack, &cut.lack)).collect();
        for (products, &product) in self.products.iter_mut().zip(&row) {
            products.push(product);
        }
        let own = product(&self.demand, &cut.lack, &cut.lack);
        self.products.push(row.into_iter().chain([own]).collect());
        self.cuts.push(cut);
        self.weights.push(weight);
    }

    /// The sites that are open in the average of the cuts, and to which share.
    pub(super) fn openings(&self) -> Vec<(u32, f32)> {
        let mut open: Vec<(u32, f32)> = Vec::new();
        for (cut, &weight) in self.cuts.iter().zip(&self.weights).filter(|(_, w)| **w > 0.0) {
            open.extend(cut.open.iter().map(|&(site, share)| (site, share * weight as f32)));
        }
        open.sort_unstable_by_key(|&(site, _)| site);
        open.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        open
    }

    /// By item, how many sites serve it in the average of the cuts.
    pub(super) fn coverage(&self) -> Vec<f64> {
        self.average.iter().map(|lack| 1.0 - lack).collect()
    }
}

impl Cut {
    fn of(answer: &Answer, error: f64) -> Self {
        Self {
            lack: answer.served.iter().map(|served| 1.0 - served).collect(),
            open: answer.open.iter().map(|&site| (site, 1.0)).collect(),
            error,
        }
    }
}

fn product(demand: &[f64], a: &[f32], b: &[f32]) -> f64 {
    let each = a.iter().zip(b).zip(demand);
    each.map(|((&a, &b), weight)| weight * f64::from(a) * f64::from(b)).sum()
}
