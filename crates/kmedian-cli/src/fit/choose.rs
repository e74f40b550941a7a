//! Choosing k: the columns that compare several numbers of centers, and the suggestion.

use kmedian::{Clustering, Suggestion, Tried, suggest_k};

/// What marks the suggested k in the table.
const MARK: &str = "<";

/// The number of centers to suggest, if there are several to choose from.
pub(super) fn suggestion(fits: &[Clustering]) -> Option<Suggestion> {
    suggest_k(&fits.iter().map(Tried::of).collect::<Vec<_>>())
}

/// What the columns of [`columns`] are called.
pub(super) fn heads(fits: &[Clustering]) -> Vec<String> {
    let names: &[&str] = if fits.len() > 1 { &["saves %", "silhouette"] } else { &["silhouette"] };
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A row of cells for each fit: by how much it lowers the cost of the fit before it, if there are
/// several; and its silhouette, with a mark at the suggestion.
pub(super) fn columns(fits: &[Clustering], suggestion: Option<&Suggestion>) -> Vec<Vec<String>> {
    let mut before = None;
    let mut rows = Vec::with_capacity(fits.len());
    for fit in fits {
        let is_suggested = suggestion.is_some_and(|suggestion| suggestion.k == fit.centers.len());
        let mark = match suggestion {
            None => "",
            Some(_) if is_suggested => MARK,
            Some(_) => " ",
        };
        let silhouette =
            fit.silhouette.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
        let mut row = vec![format!("{silhouette}{mark}")];
        if fits.len() > 1 {
            row.insert(0, before.map_or_else(|| "–".to_owned(), |cost| saved(cost, fit.cost)));
        }
        before = Some(fit.cost);
        rows.push(row);
    }
    rows
}

/// The share of a cost that another one saves, in percent.
fn saved(before: f64, after: f64) -> String {
    let share = if before > 0.0 { 100.0 * (before - after) / before } else { 0.0 };
    format!("{share:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_a_share_of_the_cost_before() {
        assert_eq!([saved(8.0, 6.0), saved(0.0, 0.0), saved(4.0, 5.0)], ["25.0", "0.0", "-25.0"]);
    }
}
