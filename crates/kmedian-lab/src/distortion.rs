//! Measures how much trees stretch distances.

use kmedian::{Demand, Seed, Tree, TreeKind};
use rand::RngExt;

use crate::data::{Source, Sources, Universe};
use crate::methods::timed;
use crate::progress::run;
use crate::row::Outcome;
use crate::studies::paper_sources;
use crate::{Failure, Lab, Row, Sizes};

/// A task of the experiment `distortion`: trees of several kinds over a universe, measured on
/// random pairs of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Distortion {
    pub(crate) source: Source,
    pairs: usize,
    seeds: u64,
}

/// The name of the experiment in rows.
const EXPERIMENT: &str = "distortion";

/// The trees that are compared: ball and grid trees with 8 levels, the paper's L for private
/// demand, and our default tree.
const TREES: [TreeKind; 4] = [
    TreeKind::Ball { levels: 8 },
    TreeKind::Frt,
    TreeKind::Grid { levels: 8 },
    TreeKind::Fitted { branching: 16, levels: 3 },
];

impl Distortion {
    /// The tasks of the experiment, on universes smaller than the paper's.
    pub(crate) fn all(sizes: &Sizes) -> [Self; 4] {
        let Sizes { tree_items, pairs, seeds, .. } = *sizes;
        paper_sources(tree_items, tree_items).map(|source| Self { source, pairs, seeds })
    }

    /// The name of the task, for progress.
    pub fn title(&self, sources: &Sources) -> String {
        format!("{EXPERIMENT}, {}", sources.name(&self.source))
    }

    /// All rows that the task makes, without their outcomes.
    pub fn rows(&self, sources: &Sources) -> Vec<Row> {
        let of_seed = |seed| self.trees().map(move |tree| self.row(sources, tree, seed));
        (0..self.seeds).flat_map(of_seed).collect()
    }

    /// The trees that suit the universe: grids are only for vectors.
    fn trees(&self) -> impl Iterator<Item = TreeKind> {
        let vectors = matches!(self.source, Source::Images { .. });
        TREES.into_iter().filter(move |tree| vectors || !matches!(tree, TreeKind::Grid { .. }))
    }

    fn row(&self, sources: &Sources, tree: TreeKind, seed: u64) -> Row {
        Row {
            experiment: EXPERIMENT.to_string(),
            data: sources.name(&self.source),
            demand: "none".to_string(),
            objective: "median".to_string(),
            method: tree.to_string(),
            n: self.source.len(),
            seed,
            ..Row::default()
        }
    }

    /// Does the runs of this task that have no row yet.
    ///
    /// # Errors
    /// If a run fails, or if Ctrl-C was pressed.
    pub fn run(&self, universe: &Universe, sources: &Sources, lab: &Lab) -> Result<(), Failure> {
        lab.progress.say(&self.title(sources));
        let of_seed = |seed| self.trees().map(move |tree| (tree, seed));
        let mut jobs: Vec<(TreeKind, u64)> = (0..self.seeds).flat_map(of_seed).collect();
        jobs.retain(|&(tree, seed)| lab.lacks(&self.row(sources, tree, seed)));
        lab.for_each(&jobs, |&(tree, seed)| {
            let outcome = self.measure(universe, tree, Seed(seed))?;
            lab.record(&self.row(sources, tree, seed).with(outcome))
        })
    }

    /// The mean of tree distance divided by distance, over random pairs of items that are not in
    /// one place.
    fn measure(&self, universe: &Universe, kind: TreeKind, seed: Seed) -> Result<Outcome, Failure> {
        let n = universe.len();
        let everyone = Demand::uniform(n);
        let built = timed(|| Tree::build(universe.space(), &everyone, kind, seed, &mut run()))?;
        let (tree, leaves) = (&built.value, built.value.leaves());
        let mut distances = kmedian::Space::asker(universe.distances());
        let mut rng = seed.stream("pairs");
        let mut stretches = Vec::with_capacity(self.pairs);
        for _ in 0..self.pairs {
            let [a, b] = [(); 2].map(|()| rng.random_range(0..n));
            let distance = distances.distance(a, b);
            if distance > 0.0 {
                let stretched = tree.distance_of_leaves(leaves[a], leaves[b]);
                stretches.push(f64::from(stretched) / f64::from(distance));
            }
        }
        let mean = stretches.iter().sum::<f64>() / stretches.len().max(1) as f64;
        Ok(Outcome { value: Some(mean), seconds: built.seconds, ..Outcome::default() })
    }
}
