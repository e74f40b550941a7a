//! Claims, and verdicts on them, which are computed from rows. No verdict is written into the code.

mod accuracy;
mod ours;
mod paper;

use crate::row::Row;

use super::cells::Cell;
use super::select::{Measure, Rows};
use super::stats::{Summary, geometric_mean};
use super::text::number;

/// Who makes a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Section 5 of the paper.
    Paper,
    /// This project.
    Ours,
}

/// Whether a claim is true, by the rule that [`RULE`] states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is true in nine of ten cells, and in the others up to noise; one of our own limits
    /// in every cell.
    Holds,
    /// The claim does not hold, but is true in at least half of the cells.
    Partly,
    /// The claim is true in less than half of the cells.
    DoesNotHold,
    /// There are no rows to tell.
    NotMeasured,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Partly => "holds partly",
            Self::DoesNotHold => "does not hold",
            Self::NotMeasured => "not measured",
        }
    }
}

/// What verdicts mean, for readers of the report.
pub const RULE: &str = "A cell is one data set, demand and k; in each, two means are divided. A claim of the paper \
    holds if it is true of the means in nine of ten cells, and in the others untrue by less than two standard errors; it \
    holds partly if it is true in at least half of the cells, and does not hold otherwise. Our own limits get no such \
    grace: one cell that breaks a limit breaks the claim.";

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// A short name, for links and tests.
    pub name: &'static str,
    /// Who makes the claim.
    pub source: Source,
    /// What is claimed.
    pub statement: &'static str,
    /// Whether the claim is true.
    pub verdict: Verdict,
    /// The numbers behind the verdict, in words.
    pub evidence: String,
    /// The ratio that was measured in each cell.
    pub cells: Vec<Ratio>,
}

/// The ratio of two means in a cell: the one that is claimed to be small, divided by the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    /// The name of the cell.
    pub cell: String,
    /// The ratio, with its standard error.
    pub ratio: Summary,
}

/// What a claim says about every ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    /// Less than 1, up to noise.
    Below,
    /// At most this number, up to noise.
    About(f64),
    /// Less than 1 in every cell.
    StrictlyBelow,
    /// At most this number in every cell.
    AtMost(f64),
}

impl Limit {
    fn is_met(self, ratio: f64) -> bool {
        match self {
            Self::Below | Self::StrictlyBelow => ratio < 1.0,
            Self::About(most) | Self::AtMost(most) => ratio <= most,
        }
    }

    /// Whether a ratio that breaks the limit may do so by noise: by at most two standard errors.
    fn is_forgiven(self, ratio: Summary) -> bool {
        match self {
            Self::Below => ratio.mean - 1.0 <= 2.0 * ratio.error,
            Self::About(most) => ratio.mean - most <= 2.0 * ratio.error,
            Self::StrictlyBelow | Self::AtMost(_) => false,
        }
    }
}

/// All claims, in the order of the report.
pub fn all(rows: &[Row]) -> Vec<Claim> {
    let rows = Rows::all(rows);
    let mut claims = paper::claims(&rows);
    claims.extend(ours::claims(&rows));
    claims.extend(accuracy::claims(&rows));
    claims
}

/// A claim with the verdict that follows from its ratios. Ratios that are not finite are left out.
fn judge(
    name: &'static str,
    source: Source,
    statement: &'static str,
    limit: Limit,
    cells: Vec<Ratio>,
) -> Claim {
    let cells: Vec<Ratio> = cells.into_iter().filter(|cell| cell.ratio.mean.is_finite()).collect();
    let met = cells.iter().filter(|cell| limit.is_met(cell.ratio.mean)).count();
    let broken = || cells.iter().filter(|cell| !limit.is_met(cell.ratio.mean));
    let forgiven = broken().filter(|cell| limit.is_forgiven(cell.ratio)).count();
    // Large errors do not make a claim hold that is true in only half of the cells.
    let (half, nearly_all) = (2 * met >= cells.len(), 10 * met >= 9 * cells.len());
    let strict = matches!(limit, Limit::StrictlyBelow | Limit::AtMost(_));
    let verdict = match cells.len() {
        0 => Verdict::NotMeasured,
        count if nearly_all && met + forgiven == count => Verdict::Holds,
        _ if half => Verdict::Partly,
        _ => Verdict::DoesNotHold,
    };
    let evidence = evidence(&cells, met, (!strict).then_some(forgiven));
    Claim { name, source, statement, verdict, evidence, cells }
}

/// The ratios of one method to another, in the cells that have both.
fn divide<'c, 'r: 'c>(
    cells: impl IntoIterator<Item = &'c Cell<'r>>,
    (small, of_small): (&str, Measure),
    (large, of_large): (&str, Measure),
) -> Vec<Ratio> {
    let of = |cell: &Cell<'_>| {
        let ratio = cell.get(small, of_small)?.over(cell.get(large, of_large)?);
        Some(Ratio { cell: cell.label(), ratio })
    };
    cells.into_iter().filter_map(of).collect()
}

fn evidence(cells: &[Ratio], met: usize, forgiven: Option<usize>) -> String {
    let by_ratio = |a: &&Ratio, b: &&Ratio| a.ratio.mean.total_cmp(&b.ratio.mean);
    let (Some(least), Some(most)) = (cells.iter().min_by(by_ratio), cells.iter().max_by(by_ratio))
    else {
        return "No rows.".into();
    };
    if cells.len() == 1 {
        return format!("Ratio {} ({}).", ratio(most.ratio.mean), most.cell);
    }
    let ratios: Vec<f64> = cells.iter().map(|cell| cell.ratio.mean).collect();
    let average = geometric_mean(&ratios).filter(|mean| mean.is_finite()).map(ratio);
    let mut text = format!("True in {met} of {} cells. Ratio ", cells.len());
    if let Some(average) = average {
        text += &format!("{average} on average, ");
    }
    text += &format!(
        "from {} to {} (the largest: {}).",
        ratio(least.ratio.mean),
        ratio(most.ratio.mean),
        most.cell
    );
    let off = cells.len() - met;
    match forgiven {
        Some(forgiven) if off > 0 => {
            text += &format!(" Untrue in {off}, of which {forgiven} within two standard errors.");
        }
        _ => {}
    }
    text
}

/// A ratio as text. Below 10 it has three decimals, to tell 1.05 from 1.054.
fn ratio(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { number(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(limit: Limit, ratios: &[(f64, f64)]) -> Verdict {
        let cells = ratios
            .iter()
            .map(|&(mean, error)| Ratio {
                cell: "somewhere".into(),
                ratio: Summary { mean, error, runs: 10 },
            })
            .collect();
        judge("test", Source::Paper, "…", limit, cells).verdict
    }

    #[test]
    fn verdicts_by_hand() {
        assert_eq!(verdict(Limit::Below, &[]), Verdict::NotMeasured);
        assert_eq!(verdict(Limit::Below, &[(0.9, 0.0), (0.99, 0.0)]), Verdict::Holds);
        assert_eq!(verdict(Limit::Below, &[(0.9, 0.0), (1.01, 0.0)]), Verdict::Partly);
        assert_eq!(
            verdict(Limit::Below, &[(0.9, 0.0), (1.1, 0.0), (1.2, 0.0)]),
            Verdict::DoesNotHold
        );
    }

    #[test]
    fn noise_excuses_one_cell_in_ten() {
        let with = |off: &[(f64, f64)]| {
            let mut ratios = vec![(0.9, 0.0); 10 - off.len()];
            ratios.extend(off);
            verdict(Limit::Below, &ratios)
        };
        assert_eq!(with(&[(1.01, 0.006)]), Verdict::Holds);
        assert_eq!(with(&[(1.01, 0.004)]), Verdict::Partly);
        assert_eq!(with(&[(1.01, 0.006), (1.01, 0.006)]), Verdict::Partly);
    }

    #[test]
    fn noise_alone_does_not_make_a_claim_hold() {
        assert_eq!(verdict(Limit::Below, &[(1.01, 1.0), (1.02, 1.0)]), Verdict::DoesNotHold);
        assert_eq!(verdict(Limit::Below, &[(1.0, 0.0)]), Verdict::DoesNotHold);
    }

    #[test]
    fn our_limits_get_no_grace() {
        assert_eq!(verdict(Limit::AtMost(1.05), &[(1.05, 0.0), (1.01, 0.0)]), Verdict::Holds);
        assert_eq!(verdict(Limit::AtMost(1.05), &[(1.0501, 1.0), (1.0, 0.0)]), Verdict::Partly);
        assert_eq!(verdict(Limit::StrictlyBelow, &[(1.0, 1.0), (0.5, 0.0)]), Verdict::Partly);
        assert_eq!(verdict(Limit::StrictlyBelow, &[(1.5, 1.0), (1.5, 0.0)]), Verdict::DoesNotHold);
    }
}
