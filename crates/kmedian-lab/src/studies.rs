//! The studies of the experiments that compare methods: one function for each experiment.

use std::sync::Arc;

use kmedian::privacy::Epsilon;
use kmedian::{Metric, Objective};

use crate::data::{Draw, Network, Source, Sources, or_library, road_network};
use crate::methods::Method::{
    self, DataFree, DpExact, DpHst, DpPlusPlus, DpRand, DpRefined, NdpExact, NdpHst, NdpPlusPlus,
    NdpRand, NdpRestarts,
};
use crate::{Failure, Sizes, Study};

/// The ε of the paper's experiments.
const ONE: &str = "1";
/// A tenth of the paper's ε.
const A_TENTH: &str = "0.1";

/// The city whose roads are used. The paper's methods need all distances, and those of its 6,105
/// junctions fit into memory.
const CITY: &str = "oldenburg";

/// All methods, non-private and private, of the paper and ours, but without restarts.
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

/// The methods that are compared where something else than k varies.
const FEW_METHODS: [Method; 5] = [NdpExact, DpHst, DpExact, DpRefined, DataFree];

/// The studies of the paper's figures: its data, both kinds of demand, all methods.
pub(crate) fn cost(sizes: &Sizes) -> Result<Vec<Study>, Failure> {
    let demands = [Draw::Balanced, Draw::Imbalanced].map(|draw| (draw, sizes.records)).to_vec();
    let study = |source| Ok(Study { demands: demands.clone(), ..setting("cost", sizes, source)? });
    paper_sources(sizes.images, sizes.nodes).into_iter().map(study).collect()
}

/// The studies of the cost over ε.
pub(crate) fn epsilon(sizes: &Sizes) -> Result<Vec<Study>, Failure> {
    let study = |source| {
        Ok(Study {
            methods: FEW_METHODS.to_vec(),
            epsilons: epsilons(&sizes.epsilons)?,
            size_is_public: true,
            ks: vec![sizes.k],
            seeds: sizes.few_seeds,
            ..setting("epsilon", sizes, source)?
        })
    };
    two_sources(sizes).into_iter().map(study).collect()
}

/// The studies of our release with a tenth of the paper's ε, where noise is as large as the demand.
pub(crate) fn small_epsilon(sizes: &Sizes) -> Result<Vec<Study>, Failure> {
    let study = |source| {
        Ok(Study {
            methods: vec![NdpExact, DpExact, DpRefined, DataFree],
            epsilons: epsilons(&[A_TENTH])?,
            ..setting("small-epsilon", sizes, source)?
        })
    };
    paper_sources(sizes.images, sizes.nodes).into_iter().map(study).collect()
}

/// The studies of the cost over the number of records.
pub(crate) fn demand_size(sizes: &Sizes) -> Result<Vec<Study>, Failure> {
    let demand = |&records: &usize| (Draw::Imbalanced, records);
    let study = |source| {
        Ok(Study {
            demands: sizes.demand_sizes.iter().map(demand).collect(),
            size_is_public: true,
            methods: FEW_METHODS.to_vec(),
            ks: vec![sizes.k],
            seeds: sizes.few_seeds,
            ..setting("demand-size", sizes, source)?
        })
    };
    two_sources(sizes).into_iter().map(study).collect()
}

/// The studies of k-means instead of k-median.
pub(crate) fn means(sizes: &Sizes) -> Result<Vec<Study>, Failure> {
    let study = |source| {
        Ok(Study {
            objective: Objective::Means,
            seeds: sizes.few_seeds,
            ..setting("means", sizes, source)?
        })
    };
    two_sources(sizes).into_iter().map(study).collect()
}

/// The study of a road network with demand in a few districts.
pub(crate) fn roads(sizes: &Sizes, sources: &Sources) -> Result<Vec<Study>, Failure> {
    let whole = road_network(sources.shared()?, CITY)?;
    let network = match sizes.junctions {
        Some(junctions) => whole.around(0, junctions)?,
        None => whole,
    };
    let source = Source::Network(Arc::new(network));
    let demands = vec![(Draw::Districts, sizes.records)];
    Ok(vec![Study { demands, seeds: sizes.few_seeds, ..setting("roads", sizes, source)? }])
}

/// The studies of the OR-Library's instances, without privacy: two for each instance, since each
/// has its own k.
pub(crate) fn orlib(sizes: &Sizes, sources: &Sources) -> Result<Vec<Study>, Failure> {
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
            ..setting("orlib", sizes, Source::Network(Arc::new(network)))?
        };
        let once = Study { methods: vec![NdpRestarts], seeds: 1, ..study.clone() };
        Ok([study, once])
    };
    let studies: Result<Vec<[Study; 2]>, Failure> = instances.into_iter().map(study).collect();
    Ok(studies?.into_iter().flatten().collect())
}

/// The paper's four universes, with these numbers of images and nodes.
pub(crate) fn paper_sources(images: usize, nodes: usize) -> [Source; 4] {
    [
        Source::Images { n: images, metric: Metric::L1 },
        Source::Images { n: images, metric: Metric::L2 },
        Source::PaperGraph { n: nodes, r: 1 },
        Source::PaperGraph { n: nodes, r: 100 },
    ]
}

/// Two of the paper's universes, which stand for all in experiments that the paper does not have.
fn two_sources(sizes: &Sizes) -> [Source; 2] {
    let [_, images, graph, _] = paper_sources(sizes.images, sizes.nodes);
    [images, graph]
}

/// A study of all methods in the paper's hardest setting, imbalanced demand at ε = 1: other studies
/// differ from it in a few fields.
fn setting(experiment: &'static str, sizes: &Sizes, source: Source) -> Result<Study, Failure> {
    Ok(Study {
        experiment,
        source,
        objective: Objective::Median,
        demands: vec![(Draw::Imbalanced, sizes.records)],
        methods: ALL_METHODS.to_vec(),
        epsilons: epsilons(&[ONE])?,
        size_is_public: false,
        ks: sizes.ks.clone(),
        seeds: sizes.seeds,
        optimum: None,
    })
}

fn epsilons(written: &[&str]) -> Result<Vec<Epsilon>, Failure> {
    written.iter().map(|epsilon| Ok(epsilon.parse()?)).collect()
}
