//! Finds the data of experiments, and makes universes from it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use kmedian::{Metric, Seed};

use super::{Images, Network, PLACES, Universe, paper_graph, places};
use crate::Failure;

/// The usual seed of universes, which are the same in all repetitions, because they are public.
/// Each repetition draws its own demand, and has its own randomness of the methods.
pub const SEED: Seed = Seed(1);

/// The digits of MNIST that imbalanced demand is drawn from.
const ZERO_AND_EIGHT: [usize; 2] = [0, 8];

/// The number of vectors that are made up if there are no images: enough for `--quick`.
const MADE_UP: usize = 2_000;

/// The source of a universe.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Random images, or made-up vectors if there are no images.
    Images {
        /// The number of images.
        n: usize,
        /// The metric of the images.
        metric: Metric,
        /// How many images are left out before them, so that others are taken.
        skip: usize,
    },
    /// The paper's random graph.
    PaperGraph {
        /// The number of nodes.
        n: usize,
        /// The largest length of links between clusters.
        r: u32,
        /// The seed of the graph.
        seed: Seed,
    },
    /// A network from a file.
    Network(Arc<Network>),
    /// Random places of the world.
    Places {
        /// The number of places.
        n: usize,
    },
}

impl Source {
    /// The number of items.
    pub fn len(&self) -> usize {
        match self {
            Source::Images { n, .. } | Source::PaperGraph { n, .. } | Source::Places { n } => *n,
            Source::Network(network) => network.nodes,
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The folders that data is read from, and the images once they have been read.
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

    /// The folder of shared data, with networks.
    ///
    /// # Errors
    /// If no such folder was given or found.
    pub fn shared(&self) -> Result<&Path, Failure> {
        self.shared.as_deref().ok_or_else(|| {
            Failure::new(
                "there is no ../shared/data beside the checkout; give its place with --shared",
            )
        })
    }

    /// Whether there is a folder of MNIST, so that images are not made up.
    pub fn has_mnist(&self) -> bool {
        self.mnist.is_some()
    }

    /// Whether there are places of the world.
    pub fn has_places(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.join(PLACES).exists())
    }

    /// The images of MNIST, or made-up vectors if there is no folder of MNIST.
    ///
    /// # Errors
    /// If there is a folder, but the images in it cannot be read.
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

    /// The name of a source in rows.
    pub fn name(&self, source: &Source) -> String {
        match source {
            Source::Images { metric, skip, .. } => {
                let kind = if self.has_mnist() { "mnist" } else { "made-up" };
                format!("{kind}-{metric}{}", other(*skip as u64, 0))
            }
            Source::PaperGraph { r, seed, .. } => format!("graph-r{r}{}", other(seed.0, SEED.0)),
            Source::Network(network) => network.name.clone(),
            Source::Places { .. } => "places".to_string(),
        }
    }

    /// Makes a universe, and measures all of its distances on all threads of the current pool.
    ///
    /// # Errors
    /// If its data cannot be read, or is not as expected.
    pub fn universe(&self, source: &Source) -> Result<Universe, Failure> {
        let name = self.name(source);
        match source {
            Source::Images { n, metric, skip } => {
                let (space, labels) = self.images()?.some(*skip, *n, *metric)?;
                Universe::new(&name, Box::new(space), labels, Some(ZERO_AND_EIGHT))
            }
            Source::PaperGraph { n, r, seed } => {
                let (network, labels) = paper_graph(*n, *r as f32, *seed);
                Universe::new(&name, Box::new(network.graph()?), labels, None)
            }
            Source::Network(network) => {
                Universe::new(&name, Box::new(network.graph()?), Vec::new(), None)
            }
            Source::Places { n } => {
                let space = places(self.shared()?, *n, SEED)?;
                Universe::new(&name, Box::new(space), Vec::new(), None)
            }
        }
    }
}

/// What a name ends in if a number is not the usual one.
fn other(number: u64, usual: u64) -> String {
    if number == usual { String::new() } else { format!("-{number}") }
}
