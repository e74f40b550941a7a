//! The paper's experiments, reproduced and surpassed: raw results first, tables and figures after.
//!
//! Who reads the paper wants to see its figures come out, and by how much kmedian beats them; who
//! changes kmedian wants to know whether it got worse. An [`Experiment`] is made of tasks: a
//! [`Study`] runs methods on a [`Universe`], [`Time`] and [`Distortion`] measure initializations
//! and trees. Every run is one [`Row`], a line of JSON in the file of its experiment, written as
//! soon as the run is over. Whatever ends the work, the same command goes on where it was: what has
//! a row is not run again.
//!
//! Rows do not depend on the number of threads, but for their seconds. Noise is seeded here, so
//! that rows can be made again: these are experiments, and nothing is private.

pub mod data;
mod distortion;
mod effort;
mod experiments;
mod failure;
mod lab;
mod methods;
pub mod progress;
mod repetition;
pub mod report;
mod row;
mod run;
mod sizes;
mod store;
mod studies;
mod study;
mod time;

pub use data::{Sources, Universe};
pub use distortion::Distortion;
pub use experiments::{Experiment, Task};
pub use failure::Failure;
pub use lab::Lab;
pub use methods::Method;
pub use progress::Progress;
pub use row::{Key, Outcome, Row};
pub use run::run;
pub use sizes::Sizes;
pub use store::{Store, read_rows};
pub use study::Study;
pub use time::Time;
