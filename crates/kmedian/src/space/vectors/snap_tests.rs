//! The index against a scan over all items.

use super::*;
use crate::Seed;
use rand::RngExt;

/// The nearest item by a scan, with the arithmetic of the index.
fn scan(index: &SnapIndex, values: &[f64], place: &[f64]) -> Option<(usize, f64)> {
    let mut from = [0.0; MOST_DIMS];
    if !embed(index.metric, place, &mut from) {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for (item, row) in values.chunks_exact(index.dims).enumerate() {
        let mut to = [0.0; MOST_DIMS];
        assert!(embed(index.metric, row, &mut to));
        let pairs = to.iter().zip(&from).take(index.axes);
        let cost = index.cost(pairs.map(|(to, from)| to - from));
        if cost <= index.limit && best.is_none_or(|(_, least)| cost < least) {
            best = Some((item, cost));
        }
    }
    best.map(|(item, cost)| (item, index.distance(cost)))
}

#[test]
fn it_is_the_nearest_item_of_a_scan() {
    let mut rng = Seed(7).stream("snap");
    for round in 0..600 {
        let metric = Metric::ALL[round % Metric::ALL.len()];
        let dims = if metric == Metric::Haversine { 2 } else { rng.random_range(1..5) };
        let n = rng.random_range(1..200);
        // Few different values, so that places and items coincide and distances tie.
        let coarse = rng.random_range(0..3) > 0;
        let mut value = || {
            let value = rng.random_range(-90.0..90.0f64);
            if coarse { (value / 20.0).round() + 0.5 } else { value }
        };
        let items: Vec<f64> = (0..n * dims).map(|_| value()).collect();
        let places: Vec<f64> = (0..20 * dims).map(|_| value()).collect();
        let mut index = SnapIndex::new(dims, &items, metric).unwrap();
        if round % 2 == 0 {
            index = index.within(f64::from(round as u32 % 50)).unwrap();
        }
        for place in places.chunks_exact(dims) {
            let found = index.nearest(place);
            assert_eq!(found, scan(&index, &items, place), "{metric}: {place:?} in {items:?}");
        }
    }
}

#[test]
fn what_is_no_place_is_not_snapped() {
    let globe = SnapIndex::new(2, &[10.0, 20.0], Metric::Haversine).unwrap();
    for place in [
        &[f64::NAN, 0.0][..],
        &[0.0, f64::INFINITY],
        &[90.1, 0.0],
        &[0.0, -360.5],
        &[1.0],
        &[1.0, 2.0, 3.0],
    ] {
        assert_eq!(globe.nearest(place), None, "{place:?}");
        assert!(!globe.is_place(place));
    }
    assert_eq!(globe.nearest(&[10.0, 380.0 - 360.0]), Some((0, 0.0)));
    // A longitude beyond 180 degrees is the one a full turn back, up to rounding.
    assert!(globe.nearest(&[10.0, -340.0]).is_some_and(|(_, distance)| distance < 1e-6));
    let line = SnapIndex::new(1, &[1.0, 1.0], Metric::L2).unwrap();
    assert_eq!(line.nearest(&[1.0]), Some((0, 0.0)), "of equal items the first");
    // Where squares overflow, nothing can be told.
    assert_eq!(line.nearest(&[1e200]), None);
    assert!(line.is_place(&[1e200]));
    let angles = SnapIndex::new(2, &[1.0, 0.0, 0.0, 1.0], Metric::Angular).unwrap();
    assert_eq!(angles.nearest(&[0.0, 0.0]), None);
    assert_eq!(angles.nearest(&[1e300, 2e300]).map(|(item, _)| item), Some(1));
}

#[test]
fn a_limit_is_a_distance() {
    let globe = SnapIndex::new(2, &[0.0, 0.0], Metric::Haversine).unwrap();
    // A degree of the equator is 111.19 kilometers.
    assert!(globe.clone().within(111.2).unwrap().nearest(&[0.0, 1.0]).is_some());
    assert!(globe.clone().within(111.1).unwrap().nearest(&[0.0, 1.0]).is_none());
    assert!(globe.clone().within(1e9).unwrap().nearest(&[0.0, 180.0]).is_some());
    assert!(globe.clone().within(f64::NAN).is_err() && globe.within(-1.0).is_err());
    let line = SnapIndex::new(1, &[0.0], Metric::L1).unwrap().within(2.0).unwrap();
    assert_eq!(line.nearest(&[2.0]), Some((0, 2.0)));
    assert_eq!(line.nearest(&[2.1]), None);
}

#[test]
fn bad_items_are_refused() {
    for (dims, values, metric) in [
        (0, &[][..], Metric::L2),
        (2, &[1.0, 2.0, 3.0], Metric::L2),
        (17, &[0.0; 17], Metric::L2),
        (1, &[f64::NAN], Metric::L1),
        (1, &[1.0], Metric::Haversine),
        (2, &[91.0, 0.0], Metric::Haversine),
        (2, &[0.0, 0.0], Metric::Angular),
    ] {
        assert!(SnapIndex::new(dims, values, metric).is_err(), "{values:?} under {metric}");
    }
}
