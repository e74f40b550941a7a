//! The random graph of the paper's Section 5.

use kmedian::Seed;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::Network;

/// The number of clusters of the graph, as in the paper.
pub const CLUSTERS: usize = 10;

/// The probability that two nodes of a cluster are joined, as in the paper.
const JOINED: f64 = 0.2;

/// The paper's random graph of n nodes, and the cluster of each node.
///
/// There are ten clusters. Two nodes of a cluster are joined with probability 0.2, at a length
/// drawn from U(0, 1). Links between any two clusters have lengths drawn from U(0.5, r).
///
/// The paper says that "some" nodes of each pair of clusters are linked. Here each pair of clusters
/// has n / 10 links, as many as a cluster has nodes. With that many, the costs are like those of
/// the paper's figures, and at r = 1 the clusters are nearly mixed up, as the paper says.
pub fn paper_graph(n: usize, r: f32, seed: Seed) -> (Network, Vec<usize>) {
    let mut rng = seed.stream("paper graph");
    let mut labels: Vec<usize> = (0..n).map(|node| node % CLUSTERS).collect();
    labels.shuffle(&mut rng);
    let mut edges: Vec<(u32, u32, f32)> = Vec::new();
    for a in 0..n as u32 {
        for b in 0..a {
            if labels[a as usize] == labels[b as usize] && rng.random_bool(JOINED) {
                edges.push((a, b, rng.random_range(f32::MIN_POSITIVE..1.0)));
            }
        }
    }
    let members: Vec<Vec<u32>> = (0..CLUSTERS)
        .map(|cluster| (0..n as u32).filter(|&node| labels[node as usize] == cluster).collect())
        .collect();
    for a in 0..CLUSTERS {
        for b in 0..a {
            for _ in 0..n / CLUSTERS {
                let ends = [a, b]
                    .map(|cluster| members[cluster][rng.random_range(0..members[cluster].len())]);
                edges.push((ends[0], ends[1], rng.random_range(0.5..r)));
            }
        }
    }
    (Network { name: format!("graph-r{r}"), nodes: n, edges, k: None }, labels)
}
