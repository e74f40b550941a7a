//! Where data comes from.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use kmedian::{Metric, Seed};

use super::{Images, Network, Universe, paper_graph};
use crate::Failure;

/// The universes are the same in all repetitions: they are public, and what is drawn anew is the
/// demand and every method's own randomness.
const SEED: Seed = Seed(1);

/// The digits of imbalanced demand.
const ZERO_AND_EIGHT: [usize; 2] = [0, 8];

/// The number of vectors that are made up where there are no images: enough for quick experiments.
const MADE_UP: usize = 2_000;

/// What a universe is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// The first images, in random order.
    Images {
        /// How many images.
        n: usize,
        /// What images are compared by.
        metric: Metric,
    },
    /// The paper's random graph.
    PaperGraph {
        /// How many nodes the graph has.
        n: usize,
        /// How long links between clusters are, at the most.
        r: u32,
    },
    /// A network from a file.
    Network(Arc<Network>),
}

impl Source {
    /// The number of items.
    pub fn len(&self) -> usize {
        match self {
            Source::Images { n, .. } | Source::PaperGraph { n, .. } => *n,
            Source::Network(network) => network.nodes,
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The folders that data is read from, and what has been read.
pub struct Sources {
    mnist: Option<PathBuf>,
    shared: Option<PathBuf>,
    images: OnceLock<Images>,
}

impl Sources {
    /// Looks for data: in the given folders, or else in `../shared/data` beside the checkout and in
    /// `data/mnist`, which `cargo xtask data mnist` fills.
    pub fn new(mnist: Option<PathBuf>, shared: Option<PathBuf>) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let there = |folder: PathBuf| folder.is_dir().then_some(folder);
        let shared = shared.or_else(|| there(root.join("../shared/data")));
        let of_shared = || shared.as_ref().and_then(|shared| there(shared.join("mnist")));
        let mnist = mnist.or_else(of_shared).or_else(|| there(root.join("data/mnist")));
        Self { mnist, shared, images: OnceLock::new() }
    }

    /// The folder of shared data.
    ///
    /// # Errors
    /// If there is none.
    pub fn shared(&self) -> Result<&Path, Failure> {
        self.shared.as_deref().ok_or_else(|| {
            Failure::new(
                "there is no ../shared/data beside the checkout; give its place with --shared",
            )
        })
    }

    /// Whether the images are those of MNIST.
    pub fn has_mnist(&self) -> bool {
        self.mnist.is_some()
    }

    /// The images: of MNIST, or made-up ones where there is no folder of them.
    ///
    /// # Errors
    /// If the folder does not have them.
    pub fn images(&self) -> Result<&Images, Failure> {
        if let Some(images) = self.images.get() {
            return Ok(images);
        }
        let images = match &self.mnist {
            Some(folder) => Images::mnist(folder, SEED)?,
            None => Images::made_up(MADE_UP, SEED),
        };
        Ok(self.images.get_or_init(|| images))
    }

    /// What rows call a source.
    pub fn name(&self, source: &Source) -> String {
        match source {
            Source::Images { metric, .. } => {
                format!("{}-{metric}", if self.has_mnist() { "mnist" } else { "made-up" })
            }
            Source::PaperGraph { r, .. } => format!("graph-r{r}"),
            Source::Network(network) => network.name.clone(),
        }
    }

    /// Makes a universe ready, on all threads of the current pool.
    ///
    /// # Errors
    /// If its data cannot be read, or is not what it should be.
    pub fn universe(&self, source: &Source) -> Result<Universe, Failure> {
        let name = self.name(source);
        match source {
            Source::Images { n, metric } => {
                let (space, labels) = self.images()?.first(*n, *metric)?;
                Universe::new(&name, Box::new(space), labels, Some(ZERO_AND_EIGHT))
            }
            Source::PaperGraph { n, r } => {
                let (network, labels) = paper_graph(*n, *r as f32, SEED);
                Universe::new(&name, Box::new(network.graph()?), labels, None)
            }
            Source::Network(network) => {
                Universe::new(&name, Box::new(network.graph()?), Vec::new(), None)
            }
        }
    }
}
