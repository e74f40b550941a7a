//! Differentially private centers over a public universe.
//!
//! Who holds a table of visits, purchases or check-ins over a public catalog wants good sites
//! without telling who is in the table. The items, their distances and the tree over them are
//! public; how many records each item has (the *demand*) is private. All of ε is spent on one noisy
//! tree:
//!
//! ```text
//! public tree ─► exact counts ─► discrete Laplace noise ─► PrivateTree, the release
//!     ─► posterior means ─► weights on the public items ─► centers for any k
//! ```
//!
//! Everything in the second line is computed from the release, so it costs no further ε: centers
//! for every k, for k-median and k-means, today or in ten years.
//!
//! ```
//! use kmedian::privacy::{Entropy, Epsilon, Method, PrivateTree, Recipe};
//! use kmedian::{Metric, Objective, Run, Vectors};
//!
//! let stops: Vec<f32> = (0..200).map(|stop| stop as f32).collect();
//! let stops = Vectors::new(1, &stops, Metric::L1)?;
//! let visits: Vec<u64> = (0..200).map(|stop| if stop < 100 { 50 } else { 1 }).collect();
//!
//! let recipe = Recipe::new("1".parse::<Epsilon>()?);
//! let release = PrivateTree::release(&stops, &visits, &recipe, &mut Entropy::system(), &mut Run::default())?;
//! assert!(release.is_private());
//! let json = release.to_json();
//!
//! let release = PrivateTree::from_json(&json)?;
//! let plan = release.plan(Method::Refined);
//! let found = release.centers(&stops, &[2, 3], Objective::Median, &plan, &mut Run::default())?;
//! assert_eq!(found[1].centers.len(), 3);
//! # Ok::<(), kmedian::Error>(())
//! ```
//!
//! The claims, their proofs and the threat model are in `PRIVACY.md`.

mod budget;
mod consistency;
mod derive;
mod document;
mod entropy;
mod epsilon;
mod estimator;
mod fingerprint;
mod grid;
mod hierarchy;
mod init;
mod interval;
#[cfg(feature = "signatures")]
mod keys;
#[cfg(test)]
mod law;
mod local_search;
mod mechanism;
mod noise;
mod nonprivate;
mod paper;
mod plan;
mod posterior;
mod protection;
mod recipe;
mod release;
mod sampler;
mod select;
#[cfg(feature = "signatures")]
mod signature;
mod swap_costs;
mod tree;
mod weights;

pub use budget::{LevelBudget, Rate, SearchBudget, Split};
pub use derive::data_free_centers;
pub use document::sha256;
pub use entropy::Entropy;
pub use epsilon::Epsilon;
pub use estimator::Estimator;
pub use fingerprint::{Seen, Universe};
pub use init::PrivateInit;
pub use interval::Interval;
#[cfg(feature = "signatures")]
pub use keys::{PublicKey, SigningKey};
pub use local_search::{PrivateSearch, PrivateSearchResult, Sensitivity};
pub use mechanism::Mechanism;
pub use noise::{bernoulli_exp, discrete_laplace};
pub use nonprivate::{Diagnostics, NonPrivate, diagnose};
pub use paper::PaperRelease;
pub use plan::{PlanCurve, PlanPoint, Planner, Scenario};
pub use protection::{Neighbours, Protection, Unit};
pub use recipe::Recipe;
pub use release::{Method, PrivateCenters, PrivateTree};
pub use select::Selection;
#[cfg(feature = "signatures")]
pub use signature::{LedgerEntry, Signature, Statement};
pub use tree::{PublicTree, TreeChoice};
