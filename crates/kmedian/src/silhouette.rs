//! How well centers are told apart: the medoid silhouette.

use crate::space::{AskerPool, NOBODY, Pair, nearest_pairs};
use crate::{Demand, Question, Space};

/// The medoid silhouette of centers: the mean over the demand of 1 − d₁/d₂, where d₁ and d₂ are the
/// distances of an item to its nearest and second-nearest center.
///
/// It is between 0 and 1, and the larger the clearer it is which center an item belongs to: at 0
/// every item is as near to another center as to its own, at 1 all items are centers. Where both
/// distances are zero, an item counts 1, as van der Laan, Pollard and Bryan ("A new partitioning
/// around medoids algorithm", 2003) and Lenssen and Schubert ("Clustering by direct optimization of
/// the medoid silhouette", 2022) have it. `None` with less than two centers or without demand. The
/// silhouette of a search's own centers is [`Clustering::silhouette`](crate::Clustering), at no
/// further distance.
///
/// ```
/// use kmedian::{Demand, Metric, Vectors, medoid_silhouette};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 9.0, 10.0], Metric::L1)?;
/// let found = medoid_silhouette(&places, &[0, 3], &Demand::uniform(4));
/// assert_eq!(found, Some((1.0 + 8.0 / 9.0 + 8.0 / 9.0 + 1.0) / 4.0));
/// # Ok::<(), kmedian::Error>(())
/// ```
pub fn medoid_silhouette(space: &dyn Space, centers: &[usize], demand: &Demand) -> Option<f64> {
    silhouettes(space, centers, demand)[0]
}

/// The medoid silhouette of centers by distances, and that by the squares of distances.
pub(crate) fn silhouettes(
    space: &dyn Space,
    centers: &[usize],
    demand: &Demand,
) -> [Option<f64>; 2] {
    let pool = AskerPool::new(space);
    if !space.abilities().explores {
        let pairs = nearest_pairs(centers, demand.items(), &pool);
        return weighted_means(centers.len(), demand, pairs.into_iter());
    }
    let mut pairs = vec![NOBODY; space.len()];
    let mut caps = vec![f32::INFINITY; space.len()];
    pool.lend(|asker| {
        for (slot, &center) in (0..).zip(centers) {
            for hit in asker.ask(center, &Question::all(&caps)).iter() {
                let item = hit.item as usize;
                pairs[item] = pairs[item].offered(slot, hit.distance);
                caps[item] = pairs[item].distances[1];
            }
        }
    });
    let pairs = demand.items().iter().map(|&item| pairs[item as usize]);
    weighted_means(centers.len(), demand, pairs)
}

/// The medoid silhouettes of `k` centers, by distances and by their squares, from the two nearest
/// centers of every item with demand, in the order of these items.
pub(crate) fn weighted_means(
    k: usize,
    demand: &Demand,
    pairs: impl Iterator<Item = Pair>,
) -> [Option<f64>; 2] {
    if k < 2 || demand.total() <= 0.0 {
        return [None; 2];
    }
    let (mut plain, mut squared) = (0.0, 0.0);
    for (&item, pair) in demand.items().iter().zip(pairs) {
        let (weight, share) = (demand.of(item as usize), share(pair));
        plain += weight * (1.0 - share);
        squared += weight * (1.0 - share * share);
    }
    [plain, squared].map(|sum| Some(sum / demand.total()))
}

/// d₁/d₂ of one item, 0 where both are.
fn share(Pair { distances: [first, second], .. }: Pair) -> f64 {
    if second > 0.0 { f64::from(first) / f64::from(second) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::{Graph, KMedian, Matrix, Metric, Problem, Proof, Seed, Vectors};

    /// The definition, from all distances to the centers.
    fn plain(space: &dyn Space, centers: &[usize], demand: &Demand) -> Option<f64> {
        let (mut sum, mut total, mut asker) = (0.0, 0.0, space.asker());
        for item in 0..space.len() {
            let mut away: Vec<f32> =
                centers.iter().map(|&center| asker.distance(center, item)).collect();
            away.sort_by(f32::total_cmp);
            let [first, second] = [away[0], *away.get(1)?].map(f64::from);
            let one = if second > 0.0 { (second - first) / second } else { 1.0 };
            sum += demand.of(item) * one;
            total += demand.of(item);
        }
        Some(sum / total)
    }

    #[test]
    fn searches_and_the_function_agree_with_the_definition() {
        let mut rng = Seed(7).stream("silhouette");
        for round in 0..200 {
            let n = rng.random_range(3..40);
            // A coarse grid, so that there are equal rows and ties.
            let values: Vec<f32> =
                (0..2 * n).map(|_| f32::from(rng.random_range(0..6u8))).collect();
            let vectors = Vectors::new(2, &values, Metric::L1).unwrap();
            let mut asker = vectors.asker();
            let table: Vec<f32> =
                (0..n * n).map(|cell| asker.distance(cell / n, cell % n)).collect();
            let matrix = Matrix::new(n, table).unwrap();
            let mut edges: Vec<(u32, u32, f32)> =
                (1..n as u32).map(|b| (rng.random_range(0..b), b, 1.0 + (b % 3) as f32)).collect();
            edges.push((0, n as u32 - 1, 2.5));
            let graph = Graph::new(n, &edges).unwrap();
            let mut weights: Vec<f64> =
                (0..n).map(|_| f64::from(rng.random_range(0..4u8))).collect();
            weights[0] = 1.0;
            let demand = Demand::new(weights).unwrap();
            let k = rng.random_range(1..=n.min(6));
            for space in [&vectors as &dyn Space, &matrix, &graph] {
                let problem = Problem::of(space).demand(&demand).build().unwrap();
                let proof = if round % 3 == 0 { Proof::Gap(0.01) } else { Proof::None };
                let restarts = round % 2;
                let plan = KMedian { proof, restarts: Some(restarts), ..KMedian::default() };
                let found = plan.fit(&problem, k).unwrap();
                let expected = plain(space, &found.centers, &demand);
                let ours = medoid_silhouette(space, &found.centers, &demand);
                for value in [found.silhouette, ours] {
                    match (value, expected) {
                        (Some(value), Some(expected)) => {
                            assert!((value - expected).abs() < 1e-6, "{value} {expected}");
                        }
                        (value, expected) => assert_eq!(value, expected),
                    }
                }
            }
        }
    }

    #[test]
    fn one_center_and_equal_items() {
        let places = Vectors::new(1, &[3.0; 5], Metric::L2).unwrap();
        let demand = Demand::uniform(5);
        assert_eq!(medoid_silhouette(&places, &[2], &demand), None);
        assert_eq!(medoid_silhouette(&places, &[2, 4], &demand), Some(1.0));
    }
}
