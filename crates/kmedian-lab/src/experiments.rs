//! Which experiments there are, and what each of them runs.

use std::sync::Arc;

use kmedian::privacy::Epsilon;
use kmedian::{Metric, Objective};

use crate::data::{Draw, Network, Source, Sources, or_library, road_network};
use crate::methods::Method::{
    self, DataFree, DpExact, DpHst, DpPlusPlus, DpRand, DpRefined, NdpExact, NdpHst, NdpPlusPlus,
    NdpRand, NdpRestarts,
};
use crate::{Distortion, Failure, Sizes, Study, Time};

/// An experiment, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// The paper's figures of initial and final cost, of iterations, and of the best cost within T.
    Cost,
    /// The cost over ε.
    Epsilon,
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
}

/// The paper's ε.
const ONE: &str = "1";

/// The city whose roads are used: all distances of its 6,105 junctions fit into memory, as the paper's methods
/// need them.
const CITY: &str = "oldenburg";

/// Non-private and private methods of the paper, and ours.
const ALL_METHODS: [Method; 10] = [
    NdpRand,
    NdpPlusPlus,
    NdpHst,
    NdpExact,
    DpRand,
    DpPlusPlus,
    DpHst,
    DpExact,
    DpRefined,
    DataFree,
];

/// What is compared where something else than k varies.
const FEW_METHODS: [Method; 5] = [NdpExact, DpHst, DpExact, DpRefined, DataFree];

/// Something to be run that fills rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Methods on a universe.
    Study(Study),
    /// How long initializations take.
    Time(Time),
    /// How much trees stretch distances.
    Distortion(Distortion),
}

impl Experiment {
    /// All of them.
    pub const ALL: [Experiment; 8] = [
        Experiment::Cost,
        Experiment::Epsilon,
        Experiment::DemandSize,
        Experiment::Means,
        Experiment::Orlib,
        Experiment::Roads,
        Experiment::Distortion,
        Experiment::Time,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Cost => "cost",
            Experiment::Epsilon => "epsilon",
            Experiment::DemandSize => "demand-size",
            Experiment::Means => "means",
            Experiment::Time => "time",
            Experiment::Distortion => "distortion",
            Experiment::Orlib => "orlib",
            Experiment::Roads => "roads",
        }
    }

    /// Whether images are among its data.
    pub fn needs_images(self) -> bool {
        !matches!(self, Experiment::Orlib | Experiment::Roads)
    }

    /// Everything it runs.
    ///
    /// # Errors
    /// If it needs data that is not there.
    pub fn tasks(self, sizes: &Sizes, sources: &Sources) -> Result<Vec<Task>, Failure> {
        let (imbalanced, both) = (
            vec![(Draw::Imbalanced, sizes.records)],
            vec![(Draw::Balanced, sizes.records), (Draw::Imbalanced, sizes.records)],
        );
        let studies = match self {
            Experiment::Cost => {
                let study = Study { demands: both, ..self.study(sizes, paper_graph(sizes, 1))? };
                on_each(
                    &study,
                    [
                        images(sizes, Metric::L1),
                        images(sizes, Metric::L2),
                        paper_graph(sizes, 1),
                        paper_graph(sizes, 100),
                    ],
                )
            }
            Experiment::Epsilon => {
                let study = Study {
                    demands: imbalanced,
                    methods: FEW_METHODS.to_vec(),
                    epsilons: epsilons(&sizes.epsilons)?,
                    size_is_public: true,
                    ks: vec![sizes.k],
                    seeds: sizes.few_seeds,
                    ..self.study(sizes, paper_graph(sizes, 1))?
                };
                on_each(&study, two(sizes))
            }
            Experiment::DemandSize => {
                let drawn = |&records: &usize| (Draw::Imbalanced, records);
                let study = Study {
                    demands: sizes.demand_sizes.iter().map(drawn).collect(),
                    methods: FEW_METHODS.to_vec(),
                    size_is_public: true,
                    ks: vec![sizes.k],
                    seeds: sizes.few_seeds,
                    ..self.study(sizes, paper_graph(sizes, 1))?
                };
                on_each(&study, two(sizes))
            }
            Experiment::Means => {
                let study = Study {
                    objective: Objective::Means,
                    demands: imbalanced,
                    seeds: sizes.few_seeds,
                    ..self.study(sizes, paper_graph(sizes, 1))?
                };
                on_each(&study, two(sizes))
            }
            Experiment::Orlib => self.instances(sizes, sources)?,
            Experiment::Roads => {
                let network = road_network(sources.shared()?, CITY)?;
                let network = match sizes.junctions {
                    Some(junctions) => network.around(0, junctions)?,
                    None => network,
                };
                let demands = vec![(Draw::Districts, sizes.records)];
                let study = Study {
                    demands,
                    seeds: sizes.few_seeds,
                    ..self.study(sizes, Source::Network(Arc::new(network)))?
                };
                vec![study]
            }
            Experiment::Time => return Ok(Time::both(sizes).into_iter().map(Task::Time).collect()),
            Experiment::Distortion => {
                let few =
                    Sizes { images: sizes.tree_items, nodes: sizes.tree_items, ..sizes.clone() };
                let sources = [
                    images(&few, Metric::L1),
                    images(&few, Metric::L2),
                    paper_graph(&few, 1),
                    paper_graph(&few, 100),
                ];
                let task = |source| Distortion { source, pairs: sizes.pairs, seeds: sizes.seeds };
                return Ok(sources.map(task).map(Task::Distortion).to_vec());
            }
        };
        Ok(studies.into_iter().map(Task::Study).collect())
    }

    /// All methods in the paper's setting: what most studies are, but for a few things.
    fn study(self, sizes: &Sizes, source: Source) -> Result<Study, Failure> {
        Ok(Study {
            experiment: self.name(),
            source,
            objective: Objective::Median,
            demands: Vec::new(),
            methods: ALL_METHODS.to_vec(),
            epsilons: epsilons(&[ONE])?,
            size_is_public: false,
            ks: sizes.ks.clone(),
            seeds: sizes.seeds,
            optimum: None,
        })
    }

    /// The OR-Library's instances: a study for each, since each has a k of its own.
    fn instances(self, sizes: &Sizes, sources: &Sources) -> Result<Vec<Study>, Failure> {
        let mut instances = or_library(sources.shared()?)?;
        instances.truncate(sizes.instances);
        let study = |(network, optimum): (Network, f64)| {
            let (nodes, k) = (network.nodes, network.k.unwrap_or(sizes.k));
            let study = Study {
                demands: vec![(Draw::All, nodes)],
                methods: vec![NdpRand, NdpPlusPlus, NdpHst, NdpExact],
                ks: vec![k],
                seeds: sizes.few_seeds,
                optimum: Some(optimum),
                ..self.study(sizes, Source::Network(Arc::new(network)))?
            };
            let once = Study { methods: vec![NdpRestarts], seeds: 1, ..study.clone() };
            Ok([study, once])
        };
        let studies: Result<Vec<[Study; 2]>, Failure> = instances.into_iter().map(study).collect();
        Ok(studies?.into_iter().flatten().collect())
    }
}

fn images(sizes: &Sizes, metric: Metric) -> Source {
    Source::Images { n: sizes.images, metric }
}

fn paper_graph(sizes: &Sizes, r: u32) -> Source {
    Source::PaperGraph { n: sizes.nodes, r }
}

/// The two universes of experiments that go beyond the paper.
fn two(sizes: &Sizes) -> [Source; 2] {
    [images(sizes, Metric::L2), paper_graph(sizes, 1)]
}

fn on_each<const N: usize>(study: &Study, sources: [Source; N]) -> Vec<Study> {
    sources.map(|source| Study { source, ..study.clone() }).to_vec()
}

fn epsilons(written: &[&str]) -> Result<Vec<Epsilon>, Failure> {
    written.iter().map(|epsilon| Ok(epsilon.parse()?)).collect()
}
