//! What statistical tests need, written from the definitions. All of it is two-sided by being
//! called twice.

#![allow(dead_code)] // Each test file uses some of these.

/// No statistical test here fails by chance more often than this.
pub const ALPHA: f64 = 1e-6;

/// The normal quantile of 1 − [`ALPHA`].
const NORMAL: f64 = 4.753_424;

/// Asserts that counts agree with expected counts, by a chi-square test at [`ALPHA`]. Cells in
/// which fewer than ten are expected are merged.
pub fn assert_fits(counts: &[u64], probabilities: &[f64], what: &str) {
    let total: u64 = counts.iter().sum();
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let (mut count, mut expected) = (0.0, 0.0);
    for (&of_cell, &probability) in counts.iter().zip(probabilities) {
        count += of_cell as f64;
        expected += probability * total as f64;
        if expected >= 10.0 {
            cells.push((count, expected));
            (count, expected) = (0.0, 0.0);
        }
    }
    if let Some(last) = cells.last_mut() {
        last.0 += count;
        last.1 += expected;
    }
    let statistic: f64 = cells.iter().map(|(c, e)| (c - e) * (c - e) / e).sum();
    let limit = chi_square_limit((cells.len() - 1) as f64);
    assert!(statistic <= limit, "{what}: chi-square {statistic:.1} is above {limit:.1}");
}

/// The value that a chi-square variable exceeds with the probability [`ALPHA`] (Wilson and
/// Hilferty).
fn chi_square_limit(freedom: f64) -> f64 {
    let share = 2.0 / (9.0 * freedom);
    freedom * (1.0 - share + NORMAL * share.sqrt()).powi(3)
}

/// A bound that the loss is above, but for a chance of `alpha`, given how often an event happened
/// in as many runs on each of two neighbours: ln(Clopper–Pearson's lower bound / its upper bound).
pub fn loss_at_least(often: u64, seldom: u64, runs: u64, alpha: f64) -> f64 {
    (probability_at_least(often, runs, alpha / 2.0)
        / probability_at_most(seldom, runs, alpha / 2.0))
    .ln()
}

/// The lower bound of Clopper and Pearson.
pub fn probability_at_least(successes: u64, runs: u64, alpha: f64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let (a, b) = (successes as f64, (runs - successes + 1) as f64);
    bisect(|p| incomplete_beta(a, b, p) < alpha)
}

/// The upper bound of Clopper and Pearson.
pub fn probability_at_most(successes: u64, runs: u64, alpha: f64) -> f64 {
    1.0 - probability_at_least(runs - successes, runs, alpha)
}

/// The largest p for which something holds that holds up to some p.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// The regularized incomplete beta function, by its continued fraction.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let gamma = |x: f64| libm::lgamma(x);
    let front = gamma(a + b) - gamma(a) - gamma(b) + a * x.ln() + b * (-x).ln_1p();
    let (mut c, mut d) = (1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / (1.0 + term * d);
            c = 1.0 + term / c;
            fraction *= c * d;
        }
        if (fraction - before).abs() <= 1e-12 * fraction {
            break;
        }
    }
    front.exp() * fraction / a
}

#[test]
fn clopper_and_pearson() {
    // Of n runs, none succeeded: the upper bound p has (1 − p)ⁿ = alpha.
    let bound = probability_at_most(0, 100, 0.05);
    assert!(((1.0 - bound).powi(100) - 0.05).abs() < 1e-9, "{bound}");
    // All succeeded: the lower bound has pⁿ = alpha.
    let bound = probability_at_least(100, 100, 0.05);
    assert!((bound.powi(100) - 0.05).abs() < 1e-9, "{bound}");
    // The tail of a binomial, summed up.
    let p = probability_at_least(3, 10, 0.01);
    let below: f64 = [(0, 1.0), (1, 10.0), (2, 45.0)]
        .into_iter()
        .map(|(k, ways)| ways * p.powi(k) * (1.0 - p).powi(10 - k))
        .sum();
    assert!((1.0 - below - 0.01).abs() < 1e-9, "{p}");
}

/// The exact probabilities with which candidates are selected.
pub fn selection(how: kmedian::privacy::Selection, costs: &[u64], rate: f64) -> Vec<f64> {
    let least = *costs.iter().min().expect("there are candidates");
    let heads: Vec<f64> = costs.iter().map(|&cost| (-rate * (cost - least) as f64).exp()).collect();
    match how {
        kmedian::privacy::Selection::Exponential => {
            let sum: f64 = heads.iter().sum();
            heads.iter().map(|head| head / sum).collect()
        }
        _ => {
            let mut probabilities = vec![0.0; costs.len()];
            flip(&heads, &(0..costs.len()).collect::<Vec<_>>(), 1.0, &mut probabilities);
            probabilities
        }
    }
}

/// Adds the probabilities of all orders in which the coins of the open candidates may be flipped.
fn flip(heads: &[f64], open: &[usize], reached: f64, probabilities: &mut [f64]) {
    for (at, &candidate) in open.iter().enumerate() {
        let drawn = reached / open.len() as f64;
        probabilities[candidate] += drawn * heads[candidate];
        let mut others = open.to_vec();
        others.remove(at);
        flip(heads, &others, drawn * (1.0 - heads[candidate]), probabilities);
    }
}
