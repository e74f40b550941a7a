//! Rows: what is kept of one run of one method.

use serde::{Deserialize, Serialize};

/// The result of one run of one method: everything that tables and figures need.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// The experiment: `cost`, `small-epsilon`, `epsilon`, `demand-size`, `means`, `time-k`,
    /// `time-n`, `distortion`, `orlib`, `roads` or `accuracy`.
    pub experiment: String,
    /// The items and their metric, such as `mnist-l1`, `graph-r100`, `pmed1`, `oldenburg`.
    pub data: String,
    /// How the demand was drawn: `balanced`, `imbalanced`, `all`, `districts` or `points`; `none` if
    /// there is no demand.
    pub demand: String,
    /// The objective: `median` or `means`.
    pub objective: String,
    /// The [name](crate::Method::name) of the method; the initialization where time is measured,
    /// and the kind of tree where distortion is measured.
    pub method: String,
    /// The number of items.
    pub n: usize,
    /// The number of centers; 0 if there are none.
    pub k: usize,
    /// The number of records of the demand; 0 if there is no demand.
    pub records: usize,
    /// The ε that was spent; `None` if the method spends none.
    pub epsilon: Option<f64>,
    /// The number of the repetition, which is also its seed.
    pub seed: u64,
    /// The cost of the initial centers on the demand.
    pub init_cost: Option<f64>,
    /// The cost on the demand after each iteration of the paper's searches; empty for other
    /// methods.
    pub costs: Vec<f64>,
    /// The cost on the demand of the centers that the method ends with.
    pub final_cost: Option<f64>,
    /// A number that is no cost of this run: the mean distortion, or the proven optimum.
    pub value: Option<f64>,
    /// The time of the whole method in seconds, on one thread; for the paper's methods, with all
    /// distances in memory.
    pub seconds: f64,
    /// The time of the initialization alone, in seconds.
    pub init_seconds: Option<f64>,
    /// What a release states of its own error; `None` for other methods and experiments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<Stated>,
}

/// What a release states of the cost and the sizes of its centers, as ranges that should hold the
/// truth in 90 % of releases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stated {
    /// The ends of the range of the cost on the demand.
    pub cost: [f64; 2],
    /// The ends of the range of what they cost less than centers without data.
    pub advantage: [f64; 2],
    /// The part of the centers whose true number of records is in its range.
    pub sizes_covered: f64,
}

/// What identifies a run: two rows with the same key are of the same run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    names: [String; 5],
    sizes: [usize; 3],
    epsilon: Option<u64>,
    seed: u64,
}

impl Row {
    /// The key of the run that the row is of.
    pub fn key(&self) -> Key {
        let names = [&self.experiment, &self.data, &self.demand, &self.objective, &self.method]
            .map(String::clone);
        Key {
            names,
            sizes: [self.n, self.k, self.records],
            epsilon: self.epsilon.map(f64::to_bits),
            seed: self.seed,
        }
    }

    /// The row with the outcome of its run.
    #[must_use]
    pub fn with(self, outcome: Outcome) -> Self {
        let Outcome { init_cost, costs, final_cost, value, seconds, init_seconds, stated } =
            outcome;
        Self { init_cost, costs, final_cost, value, seconds, init_seconds, stated, ..self }
    }
}

/// The outcome of a run: the fields of a [`Row`] that are not its key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The cost of the initial centers on the demand.
    pub init_cost: Option<f64>,
    /// The cost on the demand after each iteration of the paper's searches; empty for other
    /// methods.
    pub costs: Vec<f64>,
    /// The cost on the demand of the centers that the method ends with.
    pub final_cost: Option<f64>,
    /// A number that is no cost of this run: the mean distortion, or the proven optimum.
    pub value: Option<f64>,
    /// The time of the whole method in seconds, on one thread.
    pub seconds: f64,
    /// The time of the initialization alone, in seconds.
    pub init_seconds: Option<f64>,
    /// What a release states of its own error.
    pub stated: Option<Stated>,
}

impl Outcome {
    /// This outcome with the time that the run took, in seconds.
    #[must_use]
    pub(crate) fn lasting(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }
}
