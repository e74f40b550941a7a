//! The paper's experiments and ours: first raw results, then tables and figures made from them.
//!
//! Readers of the paper want to see its figures reproduced, and how kmedian compares with them.
//! Whoever changes kmedian wants to know whether it got worse. An [`Experiment`] is made of tasks:
//! a [`Study`] runs methods on a [`Universe`], [`Time`] and [`Distortion`] measure initializations
//! and trees. Every run is one [`Row`], a line of JSON in the file of its experiment, written as
//! soon as the run is over. If the work is ended early, the same command continues it: a run that
//! has a row is not done again.
//!
//! Rows do not depend on the number of threads, except for their seconds. Noise is seeded here, so
//! that rows can be reproduced: these are experiments, and nothing is private.

mod accuracy;
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

pub use accuracy::Accuracy;
pub use data::{Sources, Universe};
pub use distortion::Distortion;
pub use experiments::{Experiment, Task};
pub use failure::Failure;
pub use lab::Lab;
pub use methods::Method;
pub use progress::Progress;
pub use row::{Key, Outcome, Row, Stated};
pub use run::run;
pub use sizes::Sizes;
pub use store::{Store, read_rows};
pub use study::Study;
pub use time::Time;

/// The Rust of README.md, compiled and run with the documentation tests: here, as the packages of
/// the crates that are published do not hold the README of the checkout at the same place.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
