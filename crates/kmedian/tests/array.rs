//! Vectors from arrays of `ndarray`.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use kmedian::{LentVectors, Metric, Space};
use ndarray::Array2;

#[test]
fn every_layout_gives_the_same_vectors() {
    let rows = Array2::from_shape_fn((5, 16), |(row, column)| (row * row + column) as f32);
    let turned = rows.t().as_standard_layout().into_owned();
    let straight = LentVectors::of_array(rows.view(), Metric::L1).unwrap();
    let columns = LentVectors::of_array(turned.t(), Metric::L1).unwrap();
    let (mut one, mut other) = (straight.asker(), columns.asker());
    for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
        let distance = 16.0 * (a as f32 * a as f32 - b as f32 * b as f32).abs();
        assert_eq!([one.distance(a, b), other.distance(a, b)], [distance; 2]);
    }
    assert_eq!(straight.len(), 5);
    let none = Array2::<f32>::zeros((0, 3));
    assert!(LentVectors::of_array(none.view(), Metric::L2).is_err());
}
