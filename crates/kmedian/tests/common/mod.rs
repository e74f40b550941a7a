//! Small random instances that the tests share. Every test names the seeds it uses.

#![allow(dead_code, clippy::unwrap_used)] // Each test file uses some of these.

use std::collections::BTreeSet;

use kmedian::{
    Demand, Error, Graph, Matrix, Metric, Objective, Problem, Question, Seed, Space, SparseMetric,
    SparseVectors, Texts, Vectors,
};
use rand::RngExt;

pub const OBJECTIVES: [Objective; 2] = [Objective::Median, Objective::Means];

/// A named space of every kind, over `n` random items.
pub fn spaces(n: usize, seed: u64) -> Vec<(String, Box<dyn Space>)> {
    let mut spaces: Vec<(String, Box<dyn Space>)> = Vec::new();
    for metric in Metric::ALL {
        spaces.push((metric.to_string(), Box::new(vectors(n, 2, metric, seed))));
    }
    spaces.push(("l2, 20 dimensions".into(), Box::new(vectors(n, 20, Metric::L2, seed))));
    spaces.push(("graph".into(), Box::new(graph(n, 2 * n, seed))));
    spaces.push(("roads".into(), Box::new(roads(n, seed))));
    spaces.push(("matrix".into(), Box::new(matrix(n, seed))));
    for metric in SparseMetric::ALL {
        spaces.push((format!("sparse {metric}"), Box::new(sparse(n, metric, seed))));
    }
    spaces.push(("texts".into(), Box::new(texts(n, seed))));
    spaces
}

/// Random rows of 50 columns, of which each has one to nine; one in eight repeats another one.
pub fn sparse_rows(n: usize, seed: u64) -> Vec<Vec<(u32, f32)>> {
    let mut rng = Seed(seed).stream("sparse");
    let mut rows: Vec<Vec<(u32, f32)>> = Vec::new();
    for item in 0..n {
        let topic = rng.random_range(0..4) * 10;
        let columns: BTreeSet<u32> =
            (0..rng.random_range(1..10)).map(|_| topic + rng.random_range(0..20)).collect();
        let row = columns.into_iter().map(|column| (column, rng.random_range(-4..9) as f32 + 0.5));
        let row = row.collect();
        let repeated = item > 0 && rng.random_range(0..8) == 0;
        rows.push(if repeated { rows[rng.random_range(0..item)].clone() } else { row });
    }
    rows
}

/// [`sparse_rows`] as a space.
pub fn sparse(n: usize, metric: SparseMetric, seed: u64) -> SparseVectors {
    of_rows(&sparse_rows(n, seed), metric).unwrap()
}

/// Sparse rows of 50 columns as a space.
pub fn of_rows(rows: &[Vec<(u32, f32)>], metric: SparseMetric) -> Result<SparseVectors, Error> {
    let mut starts = vec![0];
    starts.extend(rows.iter().scan(0, |sum, row| {
        *sum += row.len();
        Some(*sum)
    }));
    let (columns, values): (Vec<u32>, Vec<f32>) = rows.concat().into_iter().unzip();
    SparseVectors::new(50, &starts, &columns, &values, metric)
}

/// Random words, some of them with characters of several bytes.
pub fn words(n: usize, seed: u64) -> Vec<String> {
    let mut rng = Seed(seed).stream("words");
    let stems = ["kitten", "sitting", "Straße", "naïve", ""];
    let letters = ['a', 'k', 't', 'é', 'ß', '字'];
    let word = |_| {
        let mut word: Vec<char> = stems[rng.random_range(0..stems.len())].chars().collect();
        for _ in 0..rng.random_range(0..5) {
            let at = rng.random_range(0..=word.len());
            word.insert(at, letters[rng.random_range(0..letters.len())]);
        }
        word.into_iter().collect()
    };
    (0..n).map(word).collect()
}

/// [`words`] as a space.
pub fn texts(n: usize, seed: u64) -> Texts {
    Texts::new(&words(n, seed)).unwrap()
}

/// Random points in clusters; one in eight repeats another one.
pub fn vectors(n: usize, dims: usize, metric: Metric, seed: u64) -> Vectors {
    let mut rng = Seed(seed).stream("vectors");
    let mut rows: Vec<Vec<f32>> = Vec::new();
    for item in 0..n {
        let center = rng.random_range(0..4) as f32 * 15.0;
        let row =
            (0..dims).map(|_| (1.0 + center + rng.random_range(0.0..8.0f32)).round()).collect();
        let repeated = item > 0 && rng.random_range(0..8) == 0;
        rows.push(if repeated { rows[rng.random_range(0..item)].clone() } else { row });
    }
    Vectors::new(dims, &rows.concat(), metric).unwrap()
}

/// A random connected graph.
pub fn graph(n: usize, more_edges: usize, seed: u64) -> Graph {
    let mut rng = Seed(seed).stream("graph");
    let mut edges: Vec<(u32, u32, f32)> = (1..n as u32)
        .map(|node| (node, rng.random_range(0..node), rng.random_range(0.1..1.0)))
        .collect();
    for _ in 0..more_edges {
        let ends = (rng.random_range(0..n as u32), rng.random_range(0..n as u32));
        edges.push((ends.0, ends.1, rng.random_range(0.1..3.0)));
    }
    Graph::new(n, &edges).unwrap()
}

/// A random connected graph most of whose nodes have two edges or one: chains, loops and dead ends.
pub fn roads(n: usize, seed: u64) -> Graph {
    let mut rng = Seed(seed).stream("roads");
    let mut edges: Vec<(u32, u32, f32)> = Vec::new();
    for node in 1..n as u32 {
        let length = rng.random_range(0.1..1.0);
        let before = if rng.random_range(0..4) == 0 { rng.random_range(0..node) } else { node - 1 };
        edges.push((node, before, length));
        if rng.random_range(0..8) == 0 {
            edges.push((node, rng.random_range(0..node), rng.random_range(0.1..1.0)));
        }
    }
    Graph::new(n, &edges).unwrap()
}

/// The distances of a random graph, as a matrix.
pub fn matrix(n: usize, seed: u64) -> Matrix {
    let graph = graph(n, n, seed);
    Matrix::new(n, all_distances(&graph).concat()).unwrap()
}

/// A table of all distances.
pub fn all_distances(space: &dyn Space) -> Vec<Vec<f32>> {
    let mut asker = space.asker();
    let mut hits = Vec::new();
    let row = |source| {
        asker.ask(source, &Question::everything(), &mut hits);
        hits.sort_by_key(|hit| hit.item);
        hits.iter().map(|hit| hit.distance).collect()
    };
    (0..space.len()).map(row).collect()
}

/// A demand that is zero at a third of the items.
pub fn demand(n: usize, seed: u64) -> Demand {
    let mut rng = Seed(seed).stream("demand");
    let mut weights: Vec<f64> = (0..n)
        .map(|_| if rng.random_range(0..3) == 0 { 0.0 } else { rng.random_range(0.5..4.0) })
        .collect();
    weights[0] = 1.0;
    Demand::new(weights).unwrap()
}

/// The cost of centers, from the definition.
pub fn plain_cost(table: &[Vec<f32>], problem: &Problem<'_>, centers: &[usize]) -> f64 {
    (0..problem.len())
        .map(|item| {
            let nearest =
                centers.iter().map(|&center| table[center][item]).fold(f32::INFINITY, f32::min);
            problem.demand().of(item) * problem.objective().of(nearest)
        })
        .sum()
}

/// All sets of `k` of the items `0..n`.
pub fn subsets(n: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in k - 1..n {
        for mut rest in subsets(last, k - 1) {
            rest.push(last);
            all.push(rest);
        }
    }
    all
}

/// Asserts that two costs differ by rounding at the most.
pub fn assert_close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e-9), "{what}: {a} and {b}");
}
