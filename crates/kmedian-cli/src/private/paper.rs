//! What the paper's search releases: centers for one k, and how they came about.

use kmedian::privacy::{PrivateSearch, PrivateSearchResult, Universe as Fingerprint};
use kmedian::{Objective, Space};
use serde_json::{Value, json};

use super::mechanism::sha256;
use super::report::{Finding, Terms};

const FORMAT: &str = "kmedian private centers";
const VERSION: u32 = 1;

/// Centers that were selected privately.
pub(super) struct PaperRelease {
    search: PrivateSearch,
    objective: Objective,
    universe: Fingerprint,
    centers: Vec<usize>,
    is_private: bool,
}

impl PaperRelease {
    pub(super) fn new(
        search: PrivateSearch,
        objective: Objective,
        space: &dyn Space,
        found: PrivateSearchResult,
    ) -> Self {
        let PrivateSearchResult { centers, is_private, .. } = found;
        Self { search, objective, universe: Fingerprint::of(space), centers, is_private }
    }

    /// Nothing is known of the centers but that they were selected.
    pub(super) fn finding(&self) -> Finding {
        Finding { centers: self.centers.clone(), estimate: None }
    }

    pub(super) fn terms(&self) -> Terms {
        Terms {
            method: "paper".into(),
            epsilon: self.search.epsilon,
            protection: self.search.protection,
            is_private: self.is_private,
        }
    }

    /// A document like that of a noisy tree, which says what it is and whose format differs.
    pub(super) fn to_json(&self) -> String {
        let mut release = json!({
            "format": FORMAT,
            "version": VERSION,
            "software": concat!("kmedian ", env!("CARGO_PKG_VERSION")),
        });
        let (terms, fields) = (self.terms().json(), &mut release);
        for (name, value) in terms.as_object().into_iter().flatten() {
            fields[name] = value.clone();
        }
        fields["mechanism"] = json!("private local search, exponential mechanism (Algorithm 7)");
        fields["iterations"] = json!(self.search.iterations);
        fields["objective"] = json!(self.objective.to_string());
        fields["seed"] = json!(self.search.seed.0);
        fields["universe"] =
            json!({"items": self.universe.items, "sha256": self.universe.fingerprint});
        fields["center_indices"] = json!(self.centers);
        let checksum = sha256(&release.to_string());
        let document: Value = json!({"release": release, "checksum": checksum});
        format!("{document}\n")
    }
}
