//! Pick k representatives out of a known set of items, under any metric.

mod clustering;
mod demand;
mod error;
mod init;
mod kmedian;
mod local_search;
mod nearest;
mod objective;
mod observe;
mod restarts;
mod seed;
mod seeding;
pub mod space;
mod swap;
pub mod tree;

pub use clustering::{Clustering, Stop, Times};
pub use demand::Demand;
pub use error::{Error, ErrorKind};
pub use init::{Hst, Init, Start, TreeSearch};
pub use kmedian::{KMedian, Prepared};
pub use local_search::{LocalSearch, Strategy};
pub use objective::{Assignment, Objective, Problem};
pub use observe::{Observer, Silent, Step};
pub use seed::Seed;
pub use space::{Custom, Graph, Hit, Matrix, Metric, Question, Space, Vectors};
pub use tree::{Tree, TreeKind};
