//! Sparse rows and texts are as far apart as their definitions say.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use common::{all_distances, of_rows, sparse, sparse_rows, texts, words};
use kmedian::{
    LentSparseVectors, Metric, Question, Space, SparseMetric, SparseVectors, Texts, Vectors,
};

/// The distance of two dense rows, from the definition, in 64 bits.
fn plain(metric: SparseMetric, a: &[f64], b: &[f64]) -> f64 {
    let pairs = || a.iter().zip(b);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    match metric {
        SparseMetric::L1 => pairs().map(|(x, y)| (x - y).abs()).sum(),
        SparseMetric::L2 => pairs().map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt(),
        SparseMetric::Angular => {
            let (a_length, b_length) = (dot(a, a).sqrt(), dot(b, b).sqrt());
            let chord = pairs().map(|(x, y)| (x / a_length - y / b_length).powi(2)).sum::<f64>();
            2.0 * (chord.sqrt() / 2.0).min(1.0).asin() / std::f64::consts::PI
        }
        SparseMetric::RootCosine => {
            let (a_length, b_length) = (dot(a, a).sqrt(), dot(b, b).sqrt());
            let chord = pairs().map(|(x, y)| (x / a_length - y / b_length).powi(2)).sum::<f64>();
            (chord / 2.0).sqrt()
        }
        SparseMetric::Jaccard => {
            let either = pairs().filter(|(x, y)| **x != 0.0 || **y != 0.0).count();
            let both = pairs().filter(|(x, y)| **x != 0.0 && **y != 0.0).count();
            if either == 0 { 0.0 } else { 1.0 - both as f64 / either as f64 }
        }
        _ => unreachable!("a metric without a definition"),
    }
}

fn dense(row: &[(u32, f32)]) -> Vec<f64> {
    let mut dense = vec![0.0; 50];
    row.iter().for_each(|&(column, value)| dense[column as usize] = f64::from(value));
    dense
}

#[test]
fn distances_are_those_of_the_dense_rows() {
    for seed in 0..20 {
        let rows = sparse_rows(40, seed);
        for metric in SparseMetric::ALL {
            let space = of_rows(&rows, metric).unwrap();
            for (a, distances) in all_distances(&space).into_iter().enumerate() {
                for (b, distance) in distances.into_iter().enumerate() {
                    let expected = plain(metric, &dense(&rows[a]), &dense(&rows[b]));
                    let error = (f64::from(distance) - expected).abs();
                    assert!(error <= 1e-6 * expected + 1e-7, "{metric}: {distance}, {expected}");
                    assert_eq!(distance, space.asker().distance(b, a), "{metric}: both ways");
                    assert!(rows[a] != rows[b] || distance == 0.0, "{metric}: equal rows");
                }
            }
        }
    }
}

/// Rows that are nearly the same keep the digits of their difference.
#[test]
fn nearly_equal_rows_are_told_apart() {
    let rows = [vec![(3, 1000.0), (7, 500.0)], vec![(3, 1000.0), (7, 500.001)]];
    let (a, b) = (f64::from(500.0_f32), f64::from(500.001_f32));
    for metric in [SparseMetric::L1, SparseMetric::L2] {
        let distance = of_rows(&rows, metric).unwrap().asker().distance(0, 1);
        assert_eq!(distance, (b - a) as f32, "{metric}");
    }
}

/// A cap just above the distance lets an item in, and one at the distance does not, whether items
/// are asked about all together or in a list, and however many share a column with the source.
#[test]
fn caps_are_kept_to_the_last_bit() {
    for (seed, metric) in (0..10).flat_map(|seed| SparseMetric::ALL.map(|metric| (seed, metric))) {
        let mut rows = sparse_rows(60, seed);
        // Nearly the same as another, and a column that all have.
        rows.push(rows[7].iter().map(|&(column, value)| (column, value * 1.000_001)).collect());
        if seed % 2 == 0 {
            rows.iter_mut().for_each(|row| row.retain(|entry| entry.0 != 49));
            rows.iter_mut().for_each(|row| row.push((49, 0.3)));
        }
        let space = of_rows(&rows, metric).unwrap();
        let every: Vec<u32> = (0..rows.len() as u32).collect();
        for (source, distances) in all_distances(&space).into_iter().enumerate() {
            let above: Vec<f32> = distances.iter().map(|distance| distance.next_up()).collect();
            let both = |caps| [Question::all(caps), Question::listed(&every, caps)];
            let mut hits = Vec::new();
            for (wide, narrow) in both(&above).iter().zip(&both(&distances)) {
                space.asker().ask(source, wide, &mut hits);
                let found: Vec<f32> = hits.iter().map(|hit| hit.distance).collect();
                assert_eq!(found, distances, "{metric}");
                space.asker().ask(source, narrow, &mut hits);
                assert_eq!(hits, [], "{metric}");
            }
        }
    }
}

/// A question about a few items is answered like one about all: where columns are fewer than
/// entries, and where they are more.
#[test]
fn few_items_are_as_far_as_among_all() {
    for (n, metric) in [6, 60].into_iter().flat_map(|n| SparseMetric::ALL.map(|m| (n, m))) {
        let mut rows = sparse_rows(n, 3);
        // A column that all have makes it dear to look at all.
        rows.iter_mut().for_each(|row| row.retain(|entry| entry.0 < 49));
        rows.iter_mut().for_each(|row| row.push((49, 0.3)));
        let space = of_rows(&rows, metric).unwrap();
        assert_eq!(space.entries() > space.dims(), n == 60);
        let (mut asker, mut hits) = (space.asker(), Vec::new());
        for (source, distances) in all_distances(&space).into_iter().enumerate() {
            for (item, distance) in distances.into_iter().enumerate() {
                let caps = vec![f32::INFINITY; n];
                asker.ask(source, &Question::listed(&[item as u32], &caps), &mut hits);
                assert_eq!(hits[0].distance, distance, "{metric}: {source} to {item}");
            }
        }
    }
}

#[test]
fn rows_may_be_lent() {
    // Numbers with ascending columns, and with others, which have to be copied.
    let (tidy, untidy) = ([0, 2, 1, 3], [0, 2, 3, 1]);
    let (starts, values) = ([0, 2, 4], [1.0, -2.0, 0.5, 4.0]);
    for metric in SparseMetric::ALL {
        for columns in [&tidy, &untidy] {
            let lent = LentSparseVectors::borrowing(4, &starts, columns, &values, metric).unwrap();
            let own = SparseVectors::new(4, &starts, columns, &values, metric).unwrap();
            assert_eq!(all_distances(&lent), all_distances(&own), "{metric}");
            assert_eq!(all_distances(&lent.select(&[1, 0])), all_distances(&own), "{metric}");
        }
    }
}

#[test]
fn order_zeros_and_empty_rows_do_not_matter() {
    let given = [vec![(9, 2.0), (1, 0.0), (4, -1.0)], Vec::new(), vec![(2, 0.0)]];
    let tidy = [vec![(4, -1.0), (9, 2.0)], Vec::new(), Vec::new()];
    for metric in [SparseMetric::L1, SparseMetric::L2, SparseMetric::Jaccard] {
        let [given, tidy] = [&given, &tidy].map(|rows| of_rows(rows, metric).unwrap());
        assert_eq!(given.entries(), 2);
        assert_eq!(all_distances(&given), all_distances(&tidy));
        assert_eq!(given.asker().distance(1, 2), 0.0, "{metric}: two empty rows");
    }
}

#[test]
fn what_is_no_sparse_row_is_refused() {
    let refused = |starts: &[usize], columns: &[u32], values: &[f32], metric, what: &str| {
        let error = SparseVectors::new(5, starts, columns, values, metric).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    };
    let l2 = SparseMetric::L2;
    refused(&[0], &[], &[], l2, "there are no items");
    refused(&[0, 2], &[1, 2], &[1.0], l2, "2 columns but 1 values");
    refused(&[0, 2, 1], &[1], &[1.0], l2, "must rise from 0 to 1");
    refused(&[0, 1], &[5], &[1.0], l2, "item 0 has something in column 5, but there are only 5");
    refused(&[0, 0, 2], &[3, 3], &[1.0, 2.0], l2, "item 1 has column 3 twice");
    refused(&[0, 1], &[2], &[f32::NAN], l2, "item 0 is NaN in column 2");
    refused(&[0, 1], &[2], &[f32::MAX], l2, "too large for 32-bit numbers");
    refused(&[0, 1], &[2], &[0.0], SparseMetric::Angular, "item 0 is all zeros");
    assert!("jaccard".parse::<SparseMetric>().is_ok());
    let error = "cosine".parse::<SparseMetric>().unwrap_err().to_string();
    assert!(error.contains("give one of l1, l2, angular, root-cosine, jaccard"), "{error}");
}

/// Sparse and dense rows are clustered alike, up to ties.
#[test]
fn sparse_rows_are_clustered_like_dense_ones() {
    use kmedian::{KMedian, Problem};
    for (sparse_metric, metric) in [
        (SparseMetric::L1, Metric::L1),
        (SparseMetric::L2, Metric::L2),
        (SparseMetric::Angular, Metric::Angular),
        (SparseMetric::RootCosine, Metric::RootCosine),
    ] {
        let rows = sparse_rows(200, 3);
        let values: Vec<f32> =
            rows.iter().flat_map(|row| dense(row)).map(|value| value as f32).collect();
        let dense = Vectors::new(50, &values, metric).unwrap();
        let sparse = of_rows(&rows, sparse_metric).unwrap();
        let cost = |space: &dyn Space| {
            let problem = Problem::of(space).build().unwrap();
            KMedian { restarts: Some(30), ..KMedian::default() }.fit(&problem, 6).unwrap().cost
        };
        let (sparse, dense) = (cost(&sparse), cost(&dense));
        assert!((sparse - dense).abs() < 0.005 * dense, "{metric}: {sparse} and {dense}");
    }
}

#[test]
fn new_rows_are_as_far_from_centers_as_old_ones() {
    for metric in SparseMetric::ALL {
        let rows = sparse_rows(40, 5);
        let (all, centers) =
            (of_rows(&rows, metric).unwrap(), of_rows(&rows[..4], metric).unwrap());
        let table = all_distances(&all);
        let distances = all.distances_to(&centers).unwrap();
        let nearest = all.nearest_of(&centers).unwrap();
        for item in 0..40 {
            assert_eq!(distances[item * 4..][..4], table[item][..4], "{metric}");
            let label = nearest.labels[item] as usize;
            assert_eq!(nearest.distances[item], table[item][label], "{metric}");
            assert!(table[item][..4].iter().all(|&other| nearest.distances[item] <= other));
        }
    }
    let other = sparse(3, SparseMetric::L1, 1);
    assert!(sparse(3, SparseMetric::L2, 1).nearest_of(&other).is_err());
}

/// The number of edits between two texts, by the textbook's table.
fn plain_edits(a: &str, b: &str) -> f32 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()] as f32
}

#[test]
fn texts_are_edits_apart() {
    for seed in 0..10 {
        let (words, space) = (words(40, seed), texts(40, seed));
        for (a, distances) in all_distances(&space).into_iter().enumerate() {
            for (b, distance) in distances.into_iter().enumerate() {
                assert_eq!(
                    distance,
                    plain_edits(&words[a], &words[b]),
                    "{} {}",
                    words[a],
                    words[b]
                );
                assert_eq!(distance, space.distance_to(a, &words[b]));
            }
        }
    }
    assert!(Texts::new::<&str>(&[]).unwrap_err().to_string().contains("no items"));
}

/// Whether distances are kept, as of few texts, or measured whenever they are asked for, as of
/// many: answers are those of the distances that are measured one by one.
#[test]
fn texts_answer_from_what_they_keep() {
    let mut texts = words(60, 1);
    // Farther from all others than two bytes hold.
    texts.push("x".repeat(70_000));
    let n = texts.len();
    let few = Texts::new(&texts).unwrap();
    texts.resize(8200, String::from("a"));
    let many = Texts::new(&texts).unwrap();
    let listed: Vec<u32> = (0..n as u32).collect();
    let caps: Vec<f32> = (0..8200).map(|item| [1.0, 3.0, 2.5, 7e4, 9e4][item % 5]).collect();
    let questions = [
        Question::listed(&listed[..5], &caps),
        Question::listed(&listed, &caps),
        Question::listed(&listed[..5], &caps),
    ];
    // Sources in an order in which each finds some of its distances with others.
    for source in (0..n).map(|at| at * 25 % n) {
        let plain: Vec<f32> = (0..n).map(|item| few.distance_to(item, &texts[source])).collect();
        let below = |item: usize| plain[item] < caps[item];
        for space in [&few, &many] {
            let mut asker = space.asker();
            for question in &questions {
                let mut hits = Vec::new();
                asker.ask(source, question, &mut hits);
                let asked = question.among.items(n).map(|item| item as usize);
                let expected: Vec<usize> = asked.filter(|&item| below(item)).collect();
                let found: Vec<usize> = hits.iter().map(|hit| hit.item as usize).collect();
                assert_eq!(found, expected, "{source}");
                assert!(hits.iter().all(|hit| hit.distance == plain[hit.item as usize]));
            }
            assert!((0..n).all(|item| asker.distance(source, item) == plain[item]), "{source}");
        }
    }
}
