//! Places for items that have none: two numbers each, so that similar items are drawn near to each
//! other as far as a plane allows.

use kmedian::{Assignment, Space};

/// The most items that principal axes are found on: axes of a thousand are those of all to the eye.
const SAMPLE: usize = 1024;
/// The most pivots that distances are measured from. Brandes and Pich find that 50 give pictures
/// that more hardly change.
const PIVOTS: usize = 50;
/// The rounds of orthogonal iteration: a picture has two hundred dots across, and by then two axes
/// are that exact unless the data hardly prefers them.
const ROUNDS: usize = 40;

/// The first two principal axes of rows of `dims` numbers: where each row is along them.
pub fn principal_places(dims: usize, rows: &[f32]) -> Vec<[f64; 2]> {
    let n = rows.len() / dims.max(1);
    let row = |item: usize| &rows[item * dims..(item + 1) * dims];
    let sample: Vec<usize> = (0..SAMPLE.min(n)).map(|place| place * n / SAMPLE.min(n)).collect();
    let mut mean = vec![0.0; dims];
    for &item in &sample {
        mean.iter_mut().zip(row(item)).for_each(|(mean, &x)| *mean += f64::from(x));
    }
    mean.iter_mut().for_each(|mean| *mean /= sample.len().max(1) as f64);
    let centered = |item: usize| -> Vec<f64> {
        row(item).iter().zip(&mean).map(|(&x, mean)| f64::from(x) - mean).collect()
    };
    let centered_sample: Vec<Vec<f64>> = sample.iter().map(|&item| centered(item)).collect();
    let axes = leading_axes(&centered_sample, dims);
    (0..n).map(|item| along(&centered(item), &axes)).collect()
}

/// Places from distances alone, for graphs, matrices, texts and any other space: pivot
/// multidimensional scaling (Brandes and Pich, "Eigensolver methods for progressive
/// multidimensional scaling of large data", 2006). Distances are measured from up to fifty pivots
/// among the items from `first` on, each as far from those before it as possible.
pub fn pivot_places(space: &dyn Space, first: usize) -> Vec<[f64; 2]> {
    let (n, mut columns) = (space.len(), Vec::new());
    let mut pivot = first.min(n.saturating_sub(1));
    let mut apart = vec![f32::INFINITY; n];
    while columns.len() < PIVOTS && columns.len() < n - first.min(n) {
        let away = finite(Assignment::new(space, &[pivot]).distances);
        apart.iter_mut().zip(&away).for_each(|(apart, &away)| *apart = apart.min(away));
        columns.push(away);
        apart[pivot] = 0.0;
        let farthest = (first..n).max_by(|&a, &b| apart[a].total_cmp(&apart[b]).then(b.cmp(&a)));
        match farthest {
            Some(next) if apart[next] > 0.0 => pivot = next,
            _ => break,
        }
    }
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|item| columns.iter().map(|column| f64::from(column[item]).powi(2)).collect())
        .collect();
    center_twice(&mut rows, columns.len());
    let axes = leading_axes(&rows, columns.len());
    rows.iter().map(|row| along(row, &axes)).collect()
}

/// Distances, with the largest in place of those that are infinite: of sites from each other, which
/// a rectangular matrix does not say.
fn finite(mut away: Vec<f32>) -> Vec<f32> {
    let largest = away.iter().copied().filter(|away| away.is_finite()).fold(0.0, f32::max);
    away.iter_mut().filter(|away| !away.is_finite()).for_each(|away| *away = largest);
    away
}

/// Turns squares of distances into inner products: takes off the means of rows and columns, and
/// halves what is left, with the other sign.
fn center_twice(rows: &mut [Vec<f64>], width: usize) {
    let n = rows.len().max(1) as f64;
    let mut of_column = vec![0.0; width];
    for row in rows.iter() {
        of_column.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / n);
    }
    let overall = of_column.iter().sum::<f64>() / width.max(1) as f64;
    for row in rows {
        let mean = row.iter().sum::<f64>() / width.max(1) as f64;
        for (value, column) in row.iter_mut().zip(&of_column) {
            *value = -0.5 * (*value - mean - column + overall);
        }
    }
}

/// Two orthonormal axes along which rows have the largest sums of squares, by orthogonal iteration.
fn leading_axes(rows: &[Vec<f64>], width: usize) -> [Vec<f64>; 2] {
    // Beginnings that no data is likely to be orthogonal to, and that differ from each other.
    let beginning =
        |step: f64| (0..width).map(|at| 1.0 + ((at + 1) as f64 * step).fract()).collect();
    let mut axes: [Vec<f64>; 2] = [beginning(0.618_034), beginning(0.754_878)];
    orthonormalize(&mut axes);
    for _ in 0..ROUNDS {
        let mut next = [vec![0.0; width], vec![0.0; width]];
        for row in rows {
            let [x, y] = along(row, &axes);
            for (at, value) in row.iter().enumerate() {
                next[0][at] += x * value;
                next[1][at] += y * value;
            }
        }
        axes = next;
        orthonormalize(&mut axes);
    }
    axes
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn along(row: &[f64], axes: &[Vec<f64>; 2]) -> [f64; 2] {
    [dot(row, &axes[0]), dot(row, &axes[1])]
}

/// Makes two axes orthogonal, and their lengths one; an axis without length stays so.
fn orthonormalize([first, second]: &mut [Vec<f64>; 2]) {
    scale_to_one(first);
    let common = dot(first, second);
    second.iter_mut().zip(first.iter()).for_each(|(y, x)| *y -= common * x);
    scale_to_one(second);
}

fn scale_to_one(axis: &mut [f64]) {
    let length = dot(axis, axis).sqrt();
    if length > 0.0 {
        axis.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use kmedian::{Graph, Metric, Vectors};
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

    use super::*;

    /// The largest difference between distances in the plane and in the data.
    fn distortion(places: &[[f64; 2]], distance: impl Fn(usize, usize) -> f64) -> f64 {
        let mut most: f64 = 0.0;
        for a in 0..places.len() {
            for b in 0..a {
                let [x, y] = [0, 1].map(|axis| places[a][axis] - places[b][axis]);
                most = most.max((x.hypot(y) - distance(a, b)).abs());
            }
        }
        most
    }

    /// Points of a plane in space, which is tilted in many dimensions.
    fn tilted(n: usize, dims: usize) -> Vec<f32> {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let axes: Vec<[f64; 2]> =
            (0..dims).map(|_| [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)]).collect();
        let mut rows = Vec::new();
        for _ in 0..n {
            let (x, y): (f64, f64) = (rng.random_range(-9.0..9.0), rng.random_range(-2.0..2.0));
            rows.extend(axes.iter().map(|[a, b]| (a * x + b * y) as f32));
        }
        rows
    }

    #[test]
    fn a_tilted_plane_is_found_again() {
        let rows = tilted(60, 12);
        let space = Vectors::new(12, &rows, Metric::L2).unwrap();
        let distance = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|row| &rows[row * 12..(row + 1) * 12]);
            a.iter().zip(b).map(|(x, y)| f64::from(x - y).powi(2)).sum::<f64>().sqrt()
        };
        assert!(distortion(&principal_places(12, &rows), distance) < 1e-3);
        // Inner products with pivots stretch both axes, so that only their order stays.
        let places = pivot_places(&space, 0);
        let spread = |axis: usize| places.iter().map(|at| at[axis].powi(2)).sum::<f64>();
        assert!(spread(0) > spread(1) && spread(1) > 0.0);
    }

    #[test]
    fn a_path_is_drawn_in_its_order() {
        let edges: Vec<(u32, u32, f32)> = (1..30).map(|b| (b - 1, b, 1.0)).collect();
        let places = pivot_places(&Graph::new(30, &edges).unwrap(), 0);
        let along: Vec<f64> = places.iter().map(|at| at[0]).collect();
        assert!(along.is_sorted() || along.iter().rev().is_sorted(), "{along:?}");
    }

    #[test]
    fn one_item_and_equal_items_have_places() {
        let same = Vectors::new(3, &[1.0; 12], Metric::L2).unwrap();
        assert_eq!(pivot_places(&same, 0), [[0.0; 2]; 4]);
        assert_eq!(principal_places(3, &[1.0; 3]), [[0.0; 2]]);
        assert!(principal_places(3, &[]).is_empty());
    }
}
