//! The items that the experiments cluster, and the demand that is drawn from them.

mod demand;
mod distances;
mod focus;
mod images;
mod network;
mod paper_graph;
mod places;
mod sources;
mod universe;

pub use demand::{Draw, draw};
pub use distances::Distances;
pub use focus::Focus;
pub use images::Images;
pub use network::{Network, optima, or_library, road_network};
pub use paper_graph::{CLUSTERS, paper_graph};
pub use places::{PLACES, places};
pub use sources::{SEED, Source, Sources};
pub use universe::Universe;
