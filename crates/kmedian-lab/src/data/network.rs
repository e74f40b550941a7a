//! Reads networks from files: roads, and the OR-Library's instances with their optima.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use kmedian::{Assignment, Graph};
use kmedian_data::{Nodes, read_edges};

use crate::Failure;

/// An undirected network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// The name of the network in rows.
    pub name: String,
    /// The number of nodes.
    pub nodes: usize,
    /// The edges: their two nodes, from 0, and their length.
    pub edges: Vec<(u32, u32, f32)>,
    /// The number of centers to find, if that is part of the instance.
    pub k: Option<usize>,
}

impl Network {
    /// Reads a network from a file, and gives it a name.
    ///
    /// # Errors
    /// If the file cannot be read or is no network.
    pub fn read(path: &Path, name: &str) -> Result<Self, Failure> {
        let read = read_edges(path, None, Nodes::Auto)?;
        let edges = read.edges.iter().map(|edge| (edge.a, edge.b, edge.length)).collect();
        Ok(Self { name: name.to_string(), nodes: read.nodes, edges, k: read.k })
    }

    /// The network as a space.
    ///
    /// # Errors
    /// If the network is not connected.
    pub fn graph(&self) -> Result<Graph, Failure> {
        Ok(Graph::new(self.nodes, &self.edges)?)
    }

    /// The part of the network with the `nodes` nodes that are nearest to one of them. It is
    /// connected, because all nodes on the shortest path to a node are nearer than that node.
    ///
    /// # Errors
    /// If the network is not connected.
    pub fn around(&self, node: usize, nodes: usize) -> Result<Self, Failure> {
        let distances = Assignment::new(&self.graph()?, &[node]).distances;
        let mut near: Vec<u32> = (0..self.nodes as u32).collect();
        near.sort_by(|&a, &b| distances[a as usize].total_cmp(&distances[b as usize]));
        near.truncate(nodes);
        let numbers: HashMap<u32, u32> =
            near.iter().enumerate().map(|(number, &node)| (node, number as u32)).collect();
        let inside = |&(a, b, length): &(u32, u32, f32)| {
            Some((*numbers.get(&a)?, *numbers.get(&b)?, length))
        };
        let edges = self.edges.iter().filter_map(inside).collect();
        Ok(Self { name: self.name.clone(), nodes: near.len(), edges, k: None })
    }
}

/// The road network of a city, `roads/NAME.graph.txt.gz` in the folder of shared data.
///
/// # Errors
/// If the file does not exist, or is no network.
pub fn road_network(shared: &Path, name: &str) -> Result<Network, Failure> {
    let path = shared.join(format!("roads/{name}.graph.txt.gz"));
    if !path.exists() {
        return Err(Failure::at(&path, "is not there; give the folder that has it with --shared"));
    }
    Network::read(&path, name)
}

/// The OR-Library's instances in the folder of shared data, with their optima.
///
/// # Errors
/// If there are none, or one of them cannot be read.
pub fn or_library(shared: &Path) -> Result<Vec<(Network, f64)>, Failure> {
    let folder = shared.join("orlib");
    let mut found = Vec::new();
    for (name, optimum) in optima(&folder.join("pmedopt.txt"))? {
        let path = folder.join(format!("{name}.txt"));
        if path.exists() {
            found.push((Network::read(&path, &name)?, optimum));
        }
    }
    if found.is_empty() {
        return Err(Failure::at(
            &folder,
            "has no instance pmedI.txt; get them from the OR-Library",
        ));
    }
    Ok(found)
}

/// Reads the list of proven optima: a title, then a line with a name and a number for each
/// instance. Other lines are left out.
///
/// # Errors
/// If the file cannot be read.
pub fn optima(path: &Path) -> Result<Vec<(String, f64)>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::at(path, format!("{error}; give the OR-Library's folder by --shared"))
    })?;
    let entry = |line: &str| {
        let (name, optimum) = line.trim().split_once(char::is_whitespace)?;
        Some((name.to_string(), optimum.trim().parse().ok()?))
    };
    Ok(text.lines().skip(1).filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_connected_and_keeps_its_distances() {
        let edges = (1..30u32).map(|node| (node, node / 2, 1.0 + node as f32 / 8.0)).collect();
        let whole = Network { name: "tree".into(), nodes: 30, edges, k: None };
        let part = whole.around(1, 9).unwrap();
        assert_eq!((part.nodes, part.edges.len()), (9, 8));
        let mut near = Assignment::new(&whole.graph().unwrap(), &[1]).distances;
        near.sort_by(f32::total_cmp);
        assert_eq!(Assignment::new(&part.graph().unwrap(), &[0]).distances, near[..9]);
    }

    #[test]
    fn optima_are_read_behind_their_title() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pmedopt.txt");
        fs::write(&path, "Data file   Optimal solution value\npmed1 5819\n pmed2   4093\n\n")
            .unwrap();
        assert_eq!(optima(&path).unwrap(), [("pmed1".into(), 5819.0), ("pmed2".into(), 4093.0)]);
    }
}
