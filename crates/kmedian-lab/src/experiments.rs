//! Which experiments there are.

use clap::Subcommand;

use crate::data::Sources;
use crate::{Accuracy, Distortion, Failure, Sizes, Study, Time, studies};

/// An experiment, by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Subcommand)]
pub enum Experiment {
    /// The paper's figures of initial and final cost, of iterations, and of the best cost within T.
    Cost,
    /// The cost over ε.
    Epsilon,
    /// The cost with a tenth of the paper's ε.
    SmallEpsilon,
    /// The cost over the number of records.
    DemandSize,
    /// The cost of k-means.
    Means,
    /// How long initializations take, over k and over n.
    Time,
    /// How much trees stretch distances.
    Distortion,
    /// The OR-Library's instances, against their optima.
    Orlib,
    /// A real road network, with demand in a few districts.
    Roads,
    /// Private centers against non-private and data-free ones, for many ε, demands and universes.
    Accuracy,
}

/// A part of an experiment, which makes rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Compares methods on a universe.
    Study(Study),
    /// Measures how long initializations take.
    Time(Time),
    /// Measures how much trees stretch distances.
    Distortion(Distortion),
    /// Compares private centers with others, as users get them.
    Accuracy(Accuracy),
}

impl Experiment {
    /// All experiments, in the order in which `all` runs them.
    pub const ALL: [Experiment; 10] = [
        Experiment::Cost,
        Experiment::SmallEpsilon,
        Experiment::Epsilon,
        Experiment::DemandSize,
        Experiment::Means,
        Experiment::Orlib,
        Experiment::Roads,
        Experiment::Accuracy,
        Experiment::Distortion,
        Experiment::Time,
    ];

    /// The name of the experiment on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Cost => "cost",
            Experiment::Epsilon => "epsilon",
            Experiment::SmallEpsilon => "small-epsilon",
            Experiment::DemandSize => "demand-size",
            Experiment::Means => "means",
            Experiment::Time => "time",
            Experiment::Distortion => "distortion",
            Experiment::Orlib => "orlib",
            Experiment::Roads => "roads",
            Experiment::Accuracy => "accuracy",
        }
    }

    /// Whether images are among the data of the experiment.
    pub fn needs_images(self) -> bool {
        !matches!(self, Experiment::Orlib | Experiment::Roads)
    }

    /// All tasks of the experiment.
    ///
    /// # Errors
    /// If the experiment needs data that is missing.
    pub fn tasks(self, sizes: &Sizes, sources: &Sources) -> Result<Vec<Task>, Failure> {
        let studies = match self {
            Experiment::Cost => studies::cost(sizes)?,
            Experiment::Epsilon => studies::epsilon(sizes)?,
            Experiment::SmallEpsilon => studies::small_epsilon(sizes)?,
            Experiment::DemandSize => studies::demand_size(sizes)?,
            Experiment::Means => studies::means(sizes)?,
            Experiment::Orlib => studies::orlib(sizes, sources)?,
            Experiment::Roads => studies::roads(sizes, sources)?,
            Experiment::Accuracy => {
                let tasks = studies::accuracy(sizes, sources)?;
                return Ok(tasks.into_iter().map(Task::Accuracy).collect());
            }
            Experiment::Time => return Ok(Time::both(sizes).map(Task::Time).to_vec()),
            Experiment::Distortion => {
                return Ok(Distortion::all(sizes).map(Task::Distortion).to_vec());
            }
        };
        Ok(studies.into_iter().map(Task::Study).collect())
    }
}
