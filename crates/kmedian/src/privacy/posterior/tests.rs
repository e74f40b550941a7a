use rand::RngExt;

use super::*;
use crate::privacy::hierarchy::Hierarchy;
use crate::{Halt, Metric, Seed, Vectors};

/// A shape of `groups` cells of `each` leaves of `size` items, and points on a line, cell after
/// cell.
fn line(groups: u32, each: u32, size: u32, scale: f32) -> (Hierarchy, Vectors) {
    let mut parents = vec![0; 1 + groups as usize];
    parents.extend((0..groups * each).map(|leaf| 1 + leaf / each));
    let leaves = (0..groups * each * size).map(|item| 1 + groups + item / size).collect();
    // Cells are at irregular distances, so that it is clear which of them are neighbors.
    let place = |item: u32| item + 3 * (item / size) + (item / size).pow(2) * 37 % 101;
    let points: Vec<f32> =
        (0..groups * each * size).map(|item| scale * place(item) as f32).collect();
    let space = Vectors::new(1, &points, Metric::L1).expect("points");
    (Hierarchy::read(parents, leaves).expect("a tree"), space)
}

/// Counts of all cells with noise of about the given deviation, and their variances.
fn noisy(shape: &Hierarchy, of_items: &[u64], deviation: f64, seed: u64) -> (Vec<i64>, Vec<f64>) {
    let mut rng = Seed(seed).stream("noise");
    let mut noise = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let counts = shape.counts(of_items).into_iter();
    let counts = counts.map(|count| count as i64 + (deviation * noise()).round() as i64).collect();
    let mut variances = vec![deviation * deviation; shape.len()];
    variances[0] = f64::INFINITY;
    (counts, variances)
}

fn cells(
    shape: &Hierarchy,
    space: &Vectors,
    counts: &[i64],
    variances: &[f64],
) -> Option<Vec<f64>> {
    let halves = Halves::new(shape, space, &Halt::default()).expect("halves");
    posterior(&halves, counts, variances).map(|found| halves.of_cells(&found.masses))
}

fn near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn without_information_all_items_weigh_alike() {
    let (shape, space) = line(6, 5, 3, 1.0);
    for seed in 0..40 {
        let (counts, variances) = noisy(&shape, &[1; 90], 1e6, seed);
        let masses = cells(&shape, &space, &counts, &variances).expect("records");
        let share = |cell: usize| shape.sizes()[cell] as f64 / 90.0;
        // Noise is taken for a difference in few releases: the doubt is 22,000 to 1 against it.
        for cell in 0..shape.len() {
            assert!(near(masses[cell], masses[0] * share(cell), 1e-9), "seed {seed}, cell {cell}");
        }
    }
}

#[test]
fn exact_counts_are_kept_exactly() {
    let (shape, space) = line(4, 6, 2, 1.0);
    let mut rng = Seed(4).stream("counts");
    let of_items: Vec<u64> = (0..48).map(|_| rng.random_range(0..30)).collect();
    let counts: Vec<i64> = shape.counts(&of_items).into_iter().map(|count| count as i64).collect();
    let mut none = vec![0.0; shape.len()];
    none[0] = f64::INFINITY;
    let masses = cells(&shape, &space, &counts, &none).expect("records");
    assert!(masses.iter().zip(&counts).all(|(&mass, &count)| mass == count as f64));
    // With next to no noise they are nearly kept.
    let mut little = vec![1e-4; shape.len()];
    little[0] = f64::INFINITY;
    let masses = cells(&shape, &space, &counts, &little).expect("records");
    assert!(masses.iter().zip(&counts).all(|(&mass, &count)| (mass - count as f64).abs() < 0.05));
}

#[test]
fn parts_add_up_and_nothing_is_negative() {
    for seed in 0..30 {
        let (shape, space) = line(5, 7, 2, 1.0);
        let of_items: Vec<u64> = (0..70).map(|item| if item < 20 { 9 } else { 0 }).collect();
        let deviation = [0.5, 3.0, 20.0][seed as usize % 3];
        let (counts, variances) = noisy(&shape, &of_items, deviation, seed);
        let Some(masses) = cells(&shape, &space, &counts, &variances) else { continue };
        for cell in (0..shape.len()).filter(|&cell| !shape.is_leaf(cell)) {
            let sum: f64 = shape.children(cell).map(|part| masses[part]).sum();
            assert!(near(sum, masses[cell], 1e-9), "{sum} of {}", masses[cell]);
        }
        assert!(masses.iter().all(|&mass| mass >= 0.0));
    }
}

#[test]
fn neither_the_scale_of_distances_nor_the_order_of_cells_matters() {
    let of_items: Vec<u64> = (0..90).map(|item| if item % 30 < 12 { 8 } else { 1 }).collect();
    let (shape, space) = line(6, 5, 3, 1.0);
    let (counts, variances) = noisy(&shape, &of_items, 4.0, 1);
    let masses = cells(&shape, &space, &counts, &variances).expect("records");
    let (_, scaled) = line(6, 5, 3, 1024.0);
    assert_eq!(cells(&shape, &scaled, &counts, &variances).expect("records"), masses);
    // All siblings the other way round: the cells of a level are numbered from its end.
    let turned = |cell: u32| match cell {
        0 => 0,
        1..=6 => 7 - cell,
        _ => 36 + 7 - cell,
    };
    let leaves = shape.leaves().iter().map(|&leaf| turned(leaf)).collect();
    let other = Hierarchy::read(shape.parents().to_vec(), leaves).expect("a tree");
    let permuted: Vec<i64> =
        (0..shape.len() as u32).map(|cell| counts[turned(cell) as usize]).collect();
    let found = cells(&other, &space, &permuted, &variances).expect("records");
    for cell in 0..shape.len() as u32 {
        let (a, b) = (found[turned(cell) as usize], masses[cell as usize]);
        assert!(near(a, b, 1e-6), "cell {cell}: {a} and {b}");
    }
}

#[test]
fn where_there_are_no_records_there_is_no_estimate() {
    let (shape, space) = line(3, 3, 2, 1.0);
    let none = vec![0.0; shape.len()];
    assert_eq!(cells(&shape, &space, &vec![0; shape.len()], &none), None);
}

#[test]
fn many_siblings_are_merged_into_one() {
    let (shape, space) = line(1, 300, 1, 1.0);
    let halves = Halves::new(&shape, &space, &Halt::default()).expect("halves");
    assert_eq!(halves.nodes().len(), 599);
    let root = halves.nodes().last().expect("a root");
    assert_eq!((root.items, root.leaves, &root.cells), (300.0, 300, &vec![1, 0]));
}

#[test]
fn a_total_is_never_negative() {
    for count in [-1e9, -50.0, -1.0, 0.0, 1.0, 1e9] {
        for variance in [0.0, 1.0, 1e4, 1e12] {
            let mean = total(count, variance);
            assert!(
                mean >= 0.0 && mean.is_finite() && mean >= count,
                "{count}, {variance}: {mean}"
            );
        }
    }
    assert!(near(total(500.0, 100.0), 500.0, 1e-9));
}

#[test]
fn where_nothing_was_counted_nothing_is_said() {
    let (shape, space) = line(2, 2, 1, 1.0);
    assert_eq!(cells(&shape, &space, &[0; 7], &[f64::INFINITY; 7]), None);
}
