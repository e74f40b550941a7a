//! The studies of the experiments that compare methods: one function for each experiment.

use std::sync::Arc;

use kmedian::privacy::Epsilon;
use kmedian::{Metric, Objective, Seed};

use crate::data::{Draw, Network, SEED, Source, Sources, or_library, road_network};
use crate::methods::Method::{
    self, DataFree, DpExact, DpHst, DpPlusPlus, DpRand, DpRefined, NdpExact, NdpHst, NdpPlusPlus,
    NdpRand, NdpRestarts,
};
use crate::{Accuracy, Failure, Sizes, Study};

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

/// The seeds of graphs that no choice in kmedian was made on.
const NEW_GRAPHS: [(u32, Seed); 2] = [(1, Seed(71)), (100, Seed(72))];

/// How many images are left out so that the others are some that no choice in kmedian was made on.
const SEEN_IMAGES: usize = 20_000;

/// A road network on which no choice in kmedian was made.
const NEW_ROADS: &str = "california";

/// The tasks of private accuracy: all ε with the usual number of records, all kinds of demand and
/// all k; then other numbers of records, and k-means, without demand at a few points.
pub(crate) fn accuracy(sizes: &Sizes, sources: &Sources) -> Result<Vec<Accuracy>, Failure> {
    let skip = if sizes.quick { 0 } else { SEEN_IMAGES };
    let images = |metric| Source::Images { n: sizes.few_images, metric, skip };
    let graph = |(r, seed)| Source::PaperGraph { n: sizes.nodes, r, seed };
    let mut clustered = NEW_GRAPHS.map(graph).to_vec();
    clustered.extend([Metric::L2, Metric::L1].map(images));
    let spread = spread_sources(sizes, sources)?;
    let demands = |source: &Source, records: &[usize]| {
        let uneven = if spread.contains(source) { Draw::Districts } else { Draw::Imbalanced };
        let of = |&records: &usize| [(Draw::Balanced, records), (uneven, records)];
        records.iter().flat_map(of).collect::<Vec<_>>()
    };
    let usual = |source: &Source| {
        let mut demands = demands(source, &[sizes.records]);
        demands.push((Draw::Points, sizes.records));
        Ok(Accuracy {
            source: source.clone(),
            objective: Objective::Median,
            demands,
            epsilons: epsilons(&sizes.epsilons)?,
            ks: sizes.ks.clone(),
            seeds: sizes.seeds,
        })
    };
    let (few, some) = (epsilons(&[A_TENTH, ONE])?, sizes.some_ks.clone());
    let further = |source: &Source| {
        let usual = usual(source)?;
        let (epsilons, ks) = (few.clone(), some.clone());
        let larger = demands(source, &sizes.accuracy_records);
        let larger = Accuracy { demands: larger, epsilons, ks, ..usual.clone() };
        let (epsilons, ks) = (larger.epsilons.clone(), larger.ks.clone());
        let demands = demands(source, &[sizes.records]);
        let means = Accuracy { objective: Objective::Means, demands, epsilons, ks, ..usual };
        Ok::<_, Failure>([larger, means])
    };
    let all: Vec<Source> = clustered.iter().chain(&spread).cloned().collect();
    let mut tasks = all.iter().map(usual).collect::<Result<Vec<_>, Failure>>()?;
    for source in &all {
        tasks.extend(further(source)?);
    }
    let only: Vec<&str> = sizes.only_epsilons.iter().map(String::as_str).collect();
    let only = epsilons(&only)?;
    for task in &mut tasks {
        task.demands.retain(|(_, records)| is_wanted(&sizes.only_records, records));
        task.epsilons.retain(|epsilon| is_wanted(&only, epsilon));
    }
    tasks.retain(|task| !task.demands.is_empty() && !task.epsilons.is_empty());
    Ok(tasks)
}

/// Whether a value is on a list; an empty list wants all.
fn is_wanted<T: PartialEq>(list: &[T], value: &T) -> bool {
    list.is_empty() || list.contains(value)
}

/// Two road networks and places of the world, whose items have no clusters. With small sizes, those
/// whose data is missing are left out.
fn spread_sources(sizes: &Sizes, sources: &Sources) -> Result<Vec<Source>, Failure> {
    let road = |name: &str, junctions: Option<usize>| {
        let whole = road_network(sources.shared()?, name)?;
        let network = match junctions {
            Some(junctions) => whole.around(0, junctions)?,
            None => whole,
        };
        Ok(Source::Network(Arc::new(network)))
    };
    let new_roads = sizes.junctions.unwrap_or(sizes.new_junctions);
    let found = [road(CITY, sizes.junctions), road(NEW_ROADS, Some(new_roads))];
    let mut all = Vec::new();
    for source in found {
        match source {
            Ok(source) => all.push(source),
            Err(_) if sizes.quick => {}
            Err(failure) => return Err(failure),
        }
    }
    if !sizes.quick || sources.has_places() {
        all.push(Source::Places { n: sizes.places });
    }
    Ok(all)
}

/// The paper's four universes, with these numbers of images and nodes.
pub(crate) fn paper_sources(images: usize, nodes: usize) -> [Source; 4] {
    [
        Source::Images { n: images, metric: Metric::L1, skip: 0 },
        Source::Images { n: images, metric: Metric::L2, skip: 0 },
        Source::PaperGraph { n: nodes, r: 1, seed: SEED },
        Source::PaperGraph { n: nodes, r: 100, seed: SEED },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_accuracy_can_be_narrowed_to_some_records_and_epsilons() {
        let sources = Sources::new(None, None);
        let tasks = |sizes: &Sizes| accuracy(sizes, &sources).unwrap();
        let all = tasks(&Sizes::quick());
        let records = Sizes::quick().records;
        let some = tasks(&Sizes::quick().with_only(vec![records], vec!["1.0".into()]));
        assert!(!some.is_empty() && some.len() < all.len());
        for task in &some {
            assert_eq!(task.epsilons, epsilons(&[ONE]).unwrap());
            assert!(task.demands.iter().all(|demand| demand.1 == records));
        }
        assert!(tasks(&Sizes::quick().with_only(vec![7], Vec::new())).is_empty());
        let wrong = Sizes::quick().with_only(Vec::new(), vec!["much".into()]);
        assert!(accuracy(&wrong, &sources).is_err());
    }
}
