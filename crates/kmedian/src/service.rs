//! How far it is to the centers: what those who are served notice.

use crate::{Assignment, Demand};

/// Distances to the nearest center, over all demand and over that of each center.
///
/// ```
/// use kmedian::{Assignment, Demand, Metric, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0], Metric::L1)?;
/// let people = Demand::new(vec![1.0, 1.0, 7.0, 1.0])?;
/// let service = Assignment::new(&places, &[0]).service(1, &people);
/// let all = service.overall;
/// assert_eq!((all.mean, all.median, all.p95, all.largest), (2.5, 2.0, 10.0, 10.0));
/// assert_eq!(all.farthest, 3);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Service {
    /// The distances of all demand.
    pub overall: Ways,
    /// For each center, the distances of the demand that it serves; `None` if it serves none.
    pub centers: Vec<Option<Ways>>,
}

/// Distances to the nearest center over some demand: each unit of it counts the same.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ways {
    /// The mean distance of the demand to its nearest center, in the unit of the space.
    pub mean: f64,
    /// The median: the least distance within which half of the demand is.
    pub median: f32,
    /// The 95th percentile: the least distance within which 95 % of the demand is.
    pub p95: f32,
    /// The largest distance of an item with demand to its nearest center.
    pub largest: f32,
    /// The item that is served worst: the first of those with the largest distance.
    pub farthest: usize,
}

/// The share of the demand within the 95th percentile, less what adding up many weights in 64 bits
/// may lose.
const MOST: f64 = 0.95 - ROUNDING;
/// The share of the demand within the median, less what adding up many weights in 64 bits may lose.
const HALF: f64 = 0.5 - ROUNDING;
/// The share of the demand that adding up many weights in 64 bits may lose: some thousands of the
/// roundings of a 64-bit number.
const ROUNDING: f64 = 1e-12;

/// Distances that are added up, nearest first.
#[derive(Clone, Copy)]
struct Sums {
    /// All demand there will be.
    total: f64,
    /// The demand so far.
    weight: f64,
    /// The sum of weight times distance so far.
    weighted: f64,
    ways: Ways,
}

impl Sums {
    fn of(total: f64) -> Self {
        let ways = Ways { mean: 0.0, median: 0.0, p95: 0.0, largest: 0.0, farthest: usize::MAX };
        Self { total, weight: 0.0, weighted: 0.0, ways }
    }

    fn add(&mut self, item: usize, weight: f64, distance: f32) {
        let before = self.weight / self.total;
        self.weight += weight;
        self.weighted += weight * f64::from(distance);
        let ways = &mut self.ways;
        if before < HALF {
            ways.median = distance;
        }
        if before < MOST {
            ways.p95 = distance;
        }
        if distance > ways.largest || ways.farthest == usize::MAX {
            (ways.largest, ways.farthest) = (distance, item);
        }
    }

    fn ways(&self) -> Option<Ways> {
        (self.total > 0.0).then(|| Ways { mean: self.weighted / self.weight, ..self.ways })
    }
}

impl Assignment {
    /// How far the demand is from the `k` centers that serve it. It takes a sort of the items with
    /// demand.
    pub fn service(&self, k: usize, demand: &Demand) -> Service {
        let mut items = demand.items().to_vec();
        let distance = |item: u32| self.distances[item as usize];
        items.sort_unstable_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        let mut overall = Sums::of(demand.total());
        let mut centers: Vec<Sums> = self.served(k, demand).into_iter().map(Sums::of).collect();
        for item in items {
            let (weight, away) = (demand.of(item as usize), distance(item));
            overall.add(item as usize, weight, away);
            centers[self.labels[item as usize] as usize].add(item as usize, weight, away);
        }
        let overall = overall.ways().unwrap_or(Sums::of(0.0).ways);
        Service { overall, centers: centers.iter().map(Sums::ways).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use rand::RngExt;

    /// The distance of every single unit of demand, sorted.
    fn plain(assignment: &Assignment, weights: &[u32], center: Option<u32>) -> Option<Ways> {
        let mut units: Vec<(f32, usize)> = Vec::new();
        for (item, &weight) in weights.iter().enumerate() {
            if center.is_none_or(|center| assignment.labels[item] == center) {
                units.extend(vec![(assignment.distances[item], item); weight as usize]);
            }
        }
        units.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let within = |percent: usize| {
            let count = (percent * units.len()).div_ceil(100).max(1);
            units.get(count - 1).map(|unit| unit.0)
        };
        let largest = units.last()?.0;
        let farthest = units.iter().find(|unit| unit.0 == largest)?.1;
        let sum: f64 = units.iter().map(|unit| f64::from(unit.0)).sum();
        let mean = sum / units.len() as f64;
        Some(Ways { mean, median: within(50)?, p95: within(95)?, largest, farthest })
    }

    #[test]
    fn every_unit_of_demand_counts_the_same() {
        let mut rng = Seed(5).stream("service");
        for _ in 0..500 {
            let (n, k) = (rng.random_range(1..60), 4);
            let assignment = Assignment {
                labels: (0..n).map(|_| rng.random_range(0..k)).collect(),
                distances: (0..n).map(|_| rng.random_range(0..9u8).into()).collect(),
            };
            let mut weights: Vec<u32> = (0..n).map(|_| rng.random_range(0..5)).collect();
            weights[0] = 1;
            let demand = Demand::new(weights.iter().map(|&w| w.into()).collect()).unwrap();
            let service = assignment.service(k as usize, &demand);
            let close = |ours: Option<Ways>, plain: Option<Ways>| match (ours, plain) {
                (Some(ours), Some(plain)) => {
                    assert!((ours.mean - plain.mean).abs() < 1e-9);
                    assert_eq!(Ways { mean: 0.0, ..ours }, Ways { mean: 0.0, ..plain });
                }
                (ours, plain) => assert_eq!(ours, plain),
            };
            close(Some(service.overall), plain(&assignment, &weights, None));
            for center in 0..k {
                close(service.centers[center as usize], plain(&assignment, &weights, Some(center)));
            }
        }
    }
}
