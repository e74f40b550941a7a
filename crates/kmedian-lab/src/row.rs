//! A row: what is kept of one run of one method.

use serde::{Deserialize, Serialize};

/// One run of one method: everything a table or a figure may want to know of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// The experiment: `cost`, `small-epsilon`, `epsilon`, `demand-size`, `means`, `time-k`,
    /// `time-n`, `distortion`, `orlib` or `roads`.
    pub experiment: String,
    /// The items and their metric, such as `mnist-l1`, `graph-r100`, `pmed1`, `oldenburg`.
    pub data: String,
    /// Where the demand is: `balanced`, `imbalanced`, `all`, `districts`; `none` where there is
    /// none.
    pub demand: String,
    /// `median` or `means`.
    pub objective: String,
    /// The method, by the name that [`Method`](crate::Method) gives it; where time is measured the
    /// initialization, where distortion is measured the tree.
    pub method: String,
    /// The number of items.
    pub n: usize,
    /// The number of centers; 0 where there are none.
    pub k: usize,
    /// The number of records of the demand; 0 where there is no demand.
    pub records: usize,
    /// The ε that was spent; `None` if the method is not private, or does not look at the demand.
    pub epsilon: Option<f64>,
    /// The number of the repetition.
    pub seed: u64,
    /// The cost of the initial centers on the demand.
    pub init_cost: Option<f64>,
    /// The cost on the demand after each iteration of the paper's searches.
    pub costs: Vec<f64>,
    /// The cost on the demand of the centers that came out.
    pub final_cost: Option<f64>,
    /// What is not a cost: the mean distortion, or the proven optimum.
    pub value: Option<f64>,
    /// How long the whole method took, on one thread; for the paper's methods, with all distances
    /// at hand.
    pub seconds: f64,
    /// How long the initialization alone took.
    pub init_seconds: Option<f64>,
}

/// What tells a run from all others: two rows with the same key are the same run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    names: [String; 5],
    sizes: [usize; 3],
    epsilon: Option<u64>,
    seed: u64,
}

impl Row {
    /// The run that the row is of.
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

    /// The row of a run, with what the run came to.
    #[must_use]
    pub fn with(self, outcome: Outcome) -> Self {
        let Outcome { init_cost, costs, final_cost, value, seconds, init_seconds } = outcome;
        Self { init_cost, costs, final_cost, value, seconds, init_seconds, ..self }
    }
}

/// What a run came to: the half of a [`Row`] that is not its key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The cost of the initial centers on the demand.
    pub init_cost: Option<f64>,
    /// The cost on the demand after each iteration of the paper's searches.
    pub costs: Vec<f64>,
    /// The cost on the demand of the centers that came out.
    pub final_cost: Option<f64>,
    /// What is not a cost: the mean distortion, or the proven optimum.
    pub value: Option<f64>,
    /// How long the whole method took, on one thread.
    pub seconds: f64,
    /// How long the initialization alone took, in seconds.
    pub init_seconds: Option<f64>,
}

impl Outcome {
    /// This row with the time it took.
    #[must_use]
    pub(crate) fn lasting(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }
}
