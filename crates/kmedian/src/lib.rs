//! Pick k representatives out of a known set of items, under any metric.
//!
//! Who needs exemplars of images, depots for a road network or medoids of whatever has a distance,
//! wants k *items* such that the others are near to one of them: the k-median problem, or k-means
//! with centers that are items. This crate finds them in three steps.
//!
//! 1. A **tree** of nested cells is built over the items ([`Tree`]; four kinds, [`TreeKind`]).
//! 2. **Initial centers** are read off the tree, optimally in the tree's own metric and for every k
//!    at once ([`tree::ExactSearch`], [`Init`]). They cost less than those of k-median++.
//! 3. **Local search** swaps centers for other items until no swap helps ([`LocalSearch`]): a
//!    certified local optimum, at most five times the best possible cost for k-median. By default
//!    it ends sooner where the certificate is predicted to take long ([`Effort`]).
//!
//! [`KMedian`] does all three:
//!
//! ```
//! use kmedian::{Demand, Graph, Init, KMedian, Problem, Stop};
//!
//! // A road with a village at each end: 0 – 1 – 2 ——— 3 – 4 – 5
//! let road = Graph::new(6, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 9.0), (3, 4, 1.0), (4, 5, 1.0)])?;
//! let people = Demand::new(vec![1.0, 5.0, 1.0, 1.0, 5.0, 1.0])?;
//! let problem = Problem::of(&road).demand(&people).build()?;
//!
//! let found = KMedian::default().fit(&problem, 2)?;
//! assert_eq!(found.cost, 4.0);
//! assert_eq!(found.stop, Stop::LocalOptimum);
//! # Ok::<(), kmedian::Error>(())
//! ```
//!
//! # Which parts to choose
//!
//! The defaults are what did best in our measurements. A [`Space`] is made of [`Vectors`],
//! [`SparseVectors`], [`Texts`], a table of mixed columns ([`Gower`]), a [`Graph`], a [`Matrix`],
//! or any function of two items ([`Custom`]); it must be a metric. [`Dissimilarity`] says what is
//! to be done under cosine. Where only some items may be centers, or some always are, a [`Problem`]
//! says so; a [`SiteMatrix`] is for clients and sites that are not the same, and a
//! [`Graph::directed`] for one-way streets. For the paper's own algorithms take [`TreeKind::Ball`]
//! with [`TreeSearch::Paper`] and [`SwapRule::Best`]. Where only initial centers are wanted, set
//! [`LocalSearch::max_swaps`] to zero. Where the optimum matters more than time, set
//! [`KMedian::restarts`].
//!
//! # Determinism
//!
//! A [`Seed`] gives the same centers on every machine, with any number of threads and any memory.
//! Only a time limit or an early end can change them. Work runs in the current rayon pool.

mod abilities;
mod bound;
pub mod choice;
mod choose_k;
mod clustering;
mod demand;
mod dissimilarity;
mod error;
mod init;
mod kmedian;
mod memory;
mod objective;
#[cfg(feature = "privacy")]
pub mod privacy;
mod problem;
pub mod rounds;
mod run;
mod search;
mod seed;
mod seeding;
mod service;
mod silhouette;
mod sites;
pub mod space;
mod tactics;
pub mod tree;

pub use bound::{Bound, LowerBound, Proof, gap};
pub use choose_k::{Reason, Suggestion, Tried, suggest_k};
pub use clustering::{Clustering, Stop, Times};
pub use demand::Demand;
pub use dissimilarity::Dissimilarity;
pub use error::{Error, ErrorKind};
pub use init::{Hst, Init, Start, TreeSearch};
pub use kmedian::{KMedian, Prepared};
pub use memory::{default_memory, memory_size};
pub use objective::Objective;
pub use problem::{Problem, ProblemBuilder};
pub use run::{Halt, Observer, Run, Step};
pub use search::{Effort, LocalSearch, SwapRule};
pub use seed::Seed;
pub use service::{Service, Ways};
pub use silhouette::medoid_silhouette;
pub use sites::{Goal, Sites};
pub use space::{
    Assignment, Custom, Feature, Gower, GowerRows, Graph, Hit, LentSparseVectors, LentVectors,
    Matrix, Metric, Question, SiteMatrix, SnapIndex, Space, SparseMetric, SparseVectors, Texts,
    Vectors, vector_unit, vector_units,
};
pub use tactics::{Distances, Pruning, Tactics};
pub use tree::{Tree, TreeKind};
