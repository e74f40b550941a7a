//! Every named dissimilarity against its definition: what is found costs what the definition says,
//! what is certified cannot be improved by a swap, and what is proven optimal is what trying all
//! centers finds.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use common::{OBJECTIVES, of_rows, sparse_rows, words};
use kmedian::{
    Clustering, Demand, Dissimilarity, Effort, Feature, Gower, KMedian, LocalSearch, Objective,
    Problem, Seed, Space, SparseVectors, Stop, Texts, Vectors,
};
use rand::RngExt;

/// Random instances of each kind and objective; more if `KMEDIAN_INSTANCES` says so.
fn instances_of_each() -> u64 {
    std::env::var("KMEDIAN_INSTANCES").map_or(60, |instances| instances.parse().unwrap())
}

/// The number of items of an instance.
const ITEMS: usize = 9;

/// A space, the dissimilarity that is asked for, and all dissimilarities by definition.
struct Instance {
    name: String,
    dissimilarity: Dissimilarity,
    space: Box<dyn Space>,
    plain: Vec<Vec<f64>>,
}

fn table(n: usize, plain: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..n).map(|a| (0..n).map(|b| plain(a, b)).collect()).collect()
}

fn dense(row: &[(u32, f32)]) -> Vec<f64> {
    let mut dense = vec![0.0; 50];
    row.iter().for_each(|&(column, value)| dense[column as usize] = f64::from(value));
    dense
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The dissimilarity of two rows of numbers, from the definition.
fn of_numbers(dissimilarity: Dissimilarity, a: &[f64], b: &[f64]) -> f64 {
    let pairs = || a.iter().zip(b);
    let cosine = dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
    match dissimilarity {
        Dissimilarity::L1 => pairs().map(|(x, y)| (x - y).abs()).sum(),
        Dissimilarity::L2 => pairs().map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt(),
        Dissimilarity::SqEuclidean => pairs().map(|(x, y)| (x - y).powi(2)).sum(),
        Dissimilarity::Angular => cosine.clamp(-1.0, 1.0).acos() / std::f64::consts::PI,
        Dissimilarity::Cosine => 1.0 - cosine,
        Dissimilarity::RootCosine => (1.0 - cosine).max(0.0).sqrt(),
        Dissimilarity::Jaccard => {
            let either = pairs().filter(|(x, y)| **x != 0.0 || **y != 0.0).count();
            let both = pairs().filter(|(x, y)| **x != 0.0 && **y != 0.0).count();
            if either == 0 { 0.0 } else { 1.0 - both as f64 / either as f64 }
        }
        other => unreachable!("{other} is none of rows"),
    }
}

/// The number of edits between two texts, by the textbook's recursion over a table.
fn edits(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()] as f64
}

/// Gower's dissimilarity of two rows of a table, from the definition.
fn gower(features: &[Feature], a: usize, b: usize) -> f64 {
    let apart = |feature: &Feature| match feature {
        Feature::Numbers(values) => {
            let largest = values.iter().copied().fold(f64::MIN, f64::max);
            let range = largest - values.iter().copied().fold(f64::MAX, f64::min);
            if range == 0.0 { 0.0 } else { (values[a] - values[b]).abs() / range }
        }
        Feature::Categories(values) => f64::from(values[a] != values[b]),
    };
    features.iter().map(apart).sum::<f64>() / features.len() as f64
}

/// A table of numbers, one of them all equal, and categories, the last with `kinds` values.
fn mixed(n: usize, kinds: u32, seed: u64) -> Vec<Feature> {
    let mut rng = Seed(seed).stream("mixed");
    let numbers = (0..n).map(|_| rng.random_range(-50..50) as f64 * 0.25).collect();
    let colors = (0..n).map(|_| ["red", "green"][rng.random_range(0..2)].to_owned()).collect();
    let towns = (0..n).map(|_| rng.random_range(0..kinds).to_string()).collect();
    vec![
        Feature::Numbers(numbers),
        Feature::Categories(colors),
        Feature::Numbers(vec![7.0; n]),
        Feature::Categories(towns),
    ]
}

fn instances(seed: u64) -> Vec<Instance> {
    let mut all = Vec::new();
    let rows = sparse_rows(ITEMS, seed);
    let values: Vec<f64> = rows.iter().flat_map(|row| dense(row)).collect();
    let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    let row = |item: usize| &values[item * 50..(item + 1) * 50];
    for dissimilarity in [
        Dissimilarity::L1,
        Dissimilarity::L2,
        Dissimilarity::SqEuclidean,
        Dissimilarity::Angular,
        Dissimilarity::RootCosine,
        Dissimilarity::Cosine,
        Dissimilarity::Jaccard,
    ] {
        let plain = table(ITEMS, |a, b| of_numbers(dissimilarity, row(a), row(b)));
        let metric = dissimilarity.of_sparse_rows().unwrap();
        let mut push = |kind: &str, space: Box<dyn Space>| {
            let name = format!("{kind} {dissimilarity}, seed {seed}");
            all.push(Instance { name, dissimilarity, space, plain: plain.clone() });
        };
        push("sparse", Box::new(of_rows(&rows, metric).unwrap()));
        let same = SparseVectors::of_dense(50, &narrow, metric).unwrap();
        push("of dense", Box::new(same));
        if let Some(metric) = dissimilarity.of_vectors() {
            push("dense", Box::new(Vectors::new(50, &narrow, metric).unwrap()));
        }
    }
    let texts = words(ITEMS, seed);
    all.push(Instance {
        name: format!("texts, seed {seed}"),
        dissimilarity: Dissimilarity::Levenshtein,
        plain: table(ITEMS, |a, b| edits(&texts[a], &texts[b])),
        space: Box::new(Texts::new(&texts).unwrap()),
    });
    // Few categories are encoded as dense rows, many as sparse ones.
    for kinds in [3, 1000] {
        let mut features = mixed(if kinds == 3 { ITEMS } else { 90 }, kinds, seed);
        let fitted = Gower::of(&features).unwrap();
        let plain = table(ITEMS, |a, b| gower(&features, a, b));
        for feature in &mut features {
            match feature {
                Feature::Numbers(values) => values.truncate(ITEMS),
                Feature::Categories(values) => values.truncate(ITEMS),
            }
        }
        all.push(Instance {
            name: format!("gower, {kinds} kinds, seed {seed}"),
            dissimilarity: Dissimilarity::Gower,
            space: Box::new(fitted.rows(&features).unwrap()),
            plain,
        });
    }
    all
}

/// The weighted sum over all items of what the nearest center costs, by definition.
fn cost(plain: &[Vec<f64>], weights: &[f64], objective: Objective, centers: &[usize]) -> f64 {
    let nearest = |item: usize| {
        centers.iter().map(|&center| plain[center][item]).fold(f64::INFINITY, f64::min)
    };
    let power = if objective == Objective::Median { 1 } else { 2 };
    weights.iter().enumerate().map(|(item, weight)| weight * nearest(item).powi(power)).sum()
}

/// The least cost of any k of the items.
fn least(plain: &[Vec<f64>], weights: &[f64], objective: Objective, k: usize) -> f64 {
    let sets = (0u32..1 << ITEMS).filter(|set| set.count_ones() as usize == k);
    let costs = sets.map(|set| {
        let centers: Vec<usize> = (0..ITEMS).filter(|item| set >> item & 1 == 1).collect();
        cost(plain, weights, objective, &centers)
    });
    costs.fold(f64::INFINITY, f64::min)
}

/// The medoid silhouette of centers in the dissimilarity itself, from the definition. Rounding
/// leaves a little of dissimilarities that are zero.
fn silhouette(plain: &[Vec<f64>], weights: &[f64], centers: &[usize]) -> Option<f64> {
    let one = |item: usize| {
        let mut away: Vec<f64> = centers.iter().map(|&center| plain[center][item]).collect();
        away.sort_by(f64::total_cmp);
        let [first, second] = [away[0], *away.get(1)?];
        Some(if second > 1e-6 { 1.0 - first / second } else { 1.0 })
    };
    let all: Option<Vec<f64>> = (0..weights.len()).map(one).collect();
    let sum: f64 = all?.iter().zip(weights).map(|(one, weight)| one * weight).sum();
    Some(sum / weights.iter().sum::<f64>())
}

fn check(instance: &Instance, objective: Objective, seed: u64) {
    let Instance { name, dissimilarity, space, plain } = instance;
    let name = format!("{name}, {objective}");
    let mut rng = Seed(seed).stream("weights");
    let weights: Vec<f64> = (0..ITEMS).map(|_| rng.random_range(0..5) as f64 * 0.5).collect();
    if weights.iter().sum::<f64>() == 0.0 {
        return;
    }
    let k = rng.random_range(1..5);
    let Ok(searched) = dissimilarity.objective(objective) else {
        assert!(dissimilarity.is_square() && objective == Objective::Means, "{name}");
        return;
    };
    let demand = Demand::new(weights.clone()).unwrap();
    let problem = Problem::of(&**space).demand(&demand).objective(searched).build().unwrap();
    let fit = |effort| {
        let search = LocalSearch { effort, ..LocalSearch::default() };
        let plan = KMedian { search, seed: Seed(seed), ..KMedian::default() };
        dissimilarity.restate(plan.fit(&problem, k).unwrap())
    };
    let close = |found: f64, expected: f64| (found - expected).abs() <= 2e-5 * expected + 2e-6;
    let says = |found: &Clustering| {
        let expected = cost(plain, &weights, objective, &found.centers);
        assert!(close(found.cost, expected), "{name}: {} for {expected}", found.cost);
        for (item, &distance) in found.assignment.distances.iter().enumerate() {
            let center = found.centers[found.assignment.labels[item] as usize];
            assert!(close(distance.into(), plain[center][item]), "{name}: item {item}");
        }
        let expected = silhouette(plain, &weights, &found.centers);
        match (found.silhouette, expected) {
            (Some(ours), Some(expected)) => {
                assert!((ours - expected).abs() < 1e-3, "{name}: silhouette {ours} for {expected}");
            }
            (ours, expected) => assert_eq!(ours, expected, "{name}"),
        }
    };
    let certified = fit(Effort::Certified);
    says(&certified);
    assert_eq!(certified.stop, Stop::LocalOptimum, "{name}");
    for slot in 0..k {
        for item in (0..ITEMS).filter(|item| !certified.centers.contains(item)) {
            let mut swapped = certified.centers.clone();
            swapped[slot] = item;
            let swapped = cost(plain, &weights, objective, &swapped);
            let room = 2e-5 * certified.cost + 2e-6;
            assert!(swapped >= certified.cost - room, "{name}: {swapped} < {}", certified.cost);
        }
    }
    let optimal = fit(Effort::Optimal);
    says(&optimal);
    assert_eq!(optimal.stop, Stop::Optimal, "{name}");
    let best = least(plain, &weights, objective, k);
    assert!(close(optimal.cost, best), "{name}: {} for {best}", optimal.cost);
    assert!(optimal.bound.unwrap() <= best + 2e-5 * best + 2e-6, "{name}: the bound holds");
}

#[test]
fn found_certified_and_optimal_by_definition() {
    for seed in 0..instances_of_each() {
        for instance in instances(seed) {
            for objective in OBJECTIVES {
                check(&instance, objective, seed);
            }
        }
    }
}

#[test]
fn squares_are_not_squared_again() {
    for square in [Dissimilarity::Cosine, Dissimilarity::SqEuclidean] {
        assert_eq!(square.objective(Objective::Median).unwrap(), Objective::Means);
        let error = square.objective(Objective::Means).unwrap_err().to_string();
        assert!(error.contains("is a square already"), "{error}");
        assert!((square.of(1.5) - 2.25).abs() < f32::EPSILON);
    }
    assert_eq!(Dissimilarity::L1.objective(Objective::Means).unwrap(), Objective::Means);
}

/// New rows keep the ranges of the fitted table, and categories that were not in it differ from all.
#[test]
fn new_rows_of_mixed_columns() {
    let texts = |values: &[&str]| {
        Feature::Categories(values.iter().map(|&value| value.to_owned()).collect())
    };
    let fitted = [Feature::Numbers(vec![0.0, 10.0]), texts(&["a", "b"])];
    let gower = Gower::of(&fitted).unwrap();
    let centers = gower.rows(&fitted).unwrap();
    let new = [Feature::Numbers(vec![5.0, 30.0]), texts(&["b", "c"])];
    let rows = gower.rows(&new).unwrap();
    let distances = rows.distances_to(&centers).unwrap();
    let expected = [0.75, 0.25, 2.0, 1.5];
    for (found, expected) in distances.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{distances:?}");
    }
    assert_eq!(rows.nearest_of(&centers).unwrap().labels, [1, 1]);
    let refused = |table: &[Feature], what: &str| {
        let error = gower.rows(table).err().unwrap().to_string();
        assert!(error.contains(what), "{error}");
    };
    refused(&[texts(&["a"]), texts(&["a"])], "column 0 is not of the kind");
    refused(&[Feature::Numbers(vec![1.0])], "1 columns, but the fitted table had 2");
    refused(&[Feature::Numbers(vec![f64::NAN]), texts(&["a"])], "row 0, column 0: NaN");
    refused(&[Feature::Numbers(vec![1.0]), texts(&[])], "column 1 has 0 rows");
    assert!(Gower::of(&[]).is_err() && Gower::of(&[texts(&[])]).is_err());
}
