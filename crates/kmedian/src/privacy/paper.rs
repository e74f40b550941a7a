//! What the paper's search releases: centers for one k, and how they came about.

use serde::Serialize;

use super::document::sha256;
use super::{Mechanism, PrivateSearch, PrivateSearchResult, Protection, Selection, Unit, Universe};
use crate::{Objective, Space};

/// What the document of a [`PaperRelease`] says it is.
const FORMAT: &str = "kmedian private centers";

/// The version of the format that is written.
const VERSION: u32 = 1;

/// How the centers were selected, in the words of a document.
fn mechanism(selection: Selection) -> &'static str {
    match selection {
        Selection::Exponential => "private local search, exponential mechanism (Algorithm 7)",
        Selection::PermuteAndFlip => "private local search, permute-and-flip (Algorithm 7)",
    }
}

/// Centers that the paper's Algorithm 7 selected privately, and the terms on which it did. It may
/// be published if [`PaperRelease::is_private`] says so.
///
/// It holds centers for one k. Those for another k cannot be derived from it, as they can from a
/// [`PrivateTree`](super::PrivateTree).
#[derive(Debug, Clone, PartialEq)]
pub struct PaperRelease {
    search: PrivateSearch,
    objective: Objective,
    universe: Universe,
    centers: Vec<usize>,
    is_private: bool,
}

impl PaperRelease {
    /// The document of what a private search found: `search` as it was run with `objective` on the
    /// items of `space`, and the centers of its result.
    pub fn new(
        search: PrivateSearch,
        objective: Objective,
        space: &dyn Space,
        found: PrivateSearchResult,
    ) -> Self {
        let PrivateSearchResult { centers, is_private, .. } = found;
        Self { search, objective, universe: Universe::of(space), centers, is_private }
    }

    /// The centers: distinct items.
    pub fn centers(&self) -> &[usize] {
        &self.centers
    }

    /// How the centers were searched for: ε, who is protected, how many swaps.
    pub fn search(&self) -> &PrivateSearch {
        &self.search
    }

    /// Whether the noise protects anybody: there is some, and nobody can repeat it.
    pub fn is_private(&self) -> bool {
        self.is_private
    }

    /// The file to publish: a line of JSON with the members `release` (the terms and the centers)
    /// and `checksum` (the SHA-256 of `release`).
    pub fn document(&self) -> String {
        let release = Body::of(self);
        // Strings and numbers can always be written.
        let checksum = sha256(&serde_json::to_string(&release).unwrap_or_default());
        let document = Document { release, checksum };
        serde_json::to_string(&document).unwrap_or_default() + "\n"
    }
}

/// The whole file: what is released, and a SHA-256 of it.
#[derive(Serialize)]
struct Document<'a> {
    release: Body<'a>,
    checksum: String,
}

/// The fields of a release, in the order in which they are written.
#[derive(Serialize)]
struct Body<'a> {
    format: &'static str,
    version: u32,
    software: &'static str,
    private: bool,
    method: String,
    /// `None` if ε is infinite.
    epsilon: Option<f64>,
    neighbours: String,
    unit: &'static str,
    /// The most records of a unit that are counted.
    max_per_unit: u32,
    mechanism: &'static str,
    iterations: Option<usize>,
    objective: String,
    seed: u64,
    universe: UniverseFacts<'a>,
    center_indices: &'a [usize],
}

#[derive(Serialize)]
struct UniverseFacts<'a> {
    items: usize,
    sha256: &'a str,
}

impl<'a> Body<'a> {
    fn of(release: &'a PaperRelease) -> Self {
        let PaperRelease { search, universe, .. } = release;
        let Protection { neighbours, unit } = search.protection;
        let (unit, max_per_unit) = match unit {
            Unit::Record => ("record", 1),
            Unit::Owner { at_most } => ("owner", at_most.get()),
        };
        Self {
            format: FORMAT,
            version: VERSION,
            software: concat!("kmedian ", env!("CARGO_PKG_VERSION")),
            private: release.is_private,
            method: Mechanism::Paper.to_string(),
            epsilon: search.epsilon.is_finite().then(|| search.epsilon.approximate()),
            neighbours: neighbours.to_string(),
            unit,
            max_per_unit,
            mechanism: mechanism(search.selection),
            iterations: search.iterations,
            objective: release.objective.to_string(),
            seed: search.seed.0,
            universe: UniverseFacts { items: universe.items, sha256: &universe.fingerprint },
            center_indices: &release.centers,
        }
    }
}
