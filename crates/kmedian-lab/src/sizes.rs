//! The sizes of the experiments: as in the paper, or small and quick.

/// The sizes of all experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// Whether these are the small sizes of `--quick`.
    pub quick: bool,
    /// The number of images.
    pub images: usize,
    /// The number of nodes of the paper's graph.
    pub nodes: usize,
    /// The number of records of the demand.
    pub records: usize,
    /// The numbers of centers.
    pub ks: Vec<usize>,
    /// The number of centers in experiments that vary something else.
    pub k: usize,
    /// The number of repetitions of the paper's experiments.
    pub seeds: u64,
    /// The number of repetitions of our further experiments, of which there are many.
    pub few_seeds: u64,
    /// The ε that are compared, as decimal text.
    pub epsilons: Vec<&'static str>,
    /// The numbers of records in the experiment that varies them.
    pub demand_sizes: Vec<usize>,
    /// The number of items where time is measured over k.
    pub time_n: usize,
    /// The numbers of centers where time is measured over k.
    pub time_ks: Vec<usize>,
    /// The numbers of items where time is measured over them.
    pub time_ns: Vec<usize>,
    /// The number of centers where time is measured over the number of items.
    pub time_k: usize,
    /// The number of items whose trees are measured for distortion.
    pub tree_items: usize,
    /// The number of pairs of items whose distances are compared with those in a tree.
    pub pairs: usize,
    /// The most instances of the OR-Library that are run, from the first on.
    pub instances: usize,
    /// The number of junctions of the road network that are used, around one of them; `None` for
    /// all.
    pub junctions: Option<usize>,
    /// The number of images where private accuracy is measured.
    pub few_images: usize,
    /// The number of junctions of the second road network, around one of them.
    pub new_junctions: usize,
    /// The number of places of the world.
    pub places: usize,
    /// The further numbers of records for which private accuracy is measured.
    pub accuracy_records: Vec<usize>,
    /// The numbers of centers for these, and for k-means.
    pub some_ks: Vec<usize>,
    /// If not empty, private accuracy is measured for these numbers of records alone.
    pub only_records: Vec<usize>,
    /// If not empty, private accuracy is measured for these ε alone, as decimal text.
    pub only_epsilons: Vec<String>,
}

impl Sizes {
    /// The sizes of the paper, where it states them. Others are chosen so that all experiments
    /// together take less than 40 minutes on two cores.
    pub fn full() -> Self {
        Self {
            quick: false,
            images: 10_000,
            nodes: 3_000,
            records: 500,
            ks: vec![2, 5, 10, 15, 20],
            k: 10,
            seeds: 10,
            few_seeds: 5,
            epsilons: vec!["0.01", "0.03", "0.1", "0.3", "1", "3", "10"],
            demand_sizes: vec![100, 200, 500, 1_000, 2_000, 5_000, 10_000],
            time_n: 2_000,
            time_ks: vec![2, 5, 10, 20, 50, 100, 200],
            time_ns: vec![500, 1_000, 2_000, 5_000, 10_000, 20_000],
            time_k: 20,
            tree_items: 2_000,
            pairs: 20_000,
            instances: usize::MAX,
            junctions: None,
            few_images: 4_000,
            new_junctions: 6_000,
            places: 5_000,
            accuracy_records: vec![100, 5_000, 50_000, 100_000],
            some_ks: vec![10, 20],
            only_records: Vec::new(),
            only_epsilons: Vec::new(),
        }
    }

    /// Small sizes: all experiments together take about a minute, in the build that tests use.
    pub fn quick() -> Self {
        Self {
            quick: true,
            images: 500,
            nodes: 400,
            records: 300,
            ks: vec![5, 10],
            k: 10,
            seeds: 2,
            few_seeds: 2,
            epsilons: vec!["0.1", "1", "10"],
            demand_sizes: vec![100, 1_000],
            time_n: 500,
            time_ks: vec![5, 20],
            time_ns: vec![250, 500],
            time_k: 20,
            tree_items: 300,
            pairs: 2_000,
            instances: 2,
            junctions: Some(400),
            few_images: 400,
            new_junctions: 400,
            places: 400,
            accuracy_records: vec![2_000],
            some_ks: vec![10],
            only_records: Vec::new(),
            only_epsilons: Vec::new(),
        }
    }

    /// Sets how often every experiment is repeated; `None` leaves that as it is.
    #[must_use]
    pub fn with_seeds(self, seeds: Option<u64>) -> Self {
        let (seeds, few_seeds) = seeds.map_or((self.seeds, self.few_seeds), |seeds| (seeds, seeds));
        Self { seeds, few_seeds, ..self }
    }

    /// Measures private accuracy for these numbers of records and these ε alone; for all of them
    /// where a list is empty.
    #[must_use]
    pub fn with_only(self, only_records: Vec<usize>, only_epsilons: Vec<String>) -> Self {
        Self { only_records, only_epsilons, ..self }
    }
}
