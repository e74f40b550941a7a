//! The nearest item of a place that is given by raw coordinates, found with a k-d tree.

use std::f64::consts::FRAC_1_SQRT_2;

use rayon::prelude::*;

use super::Metric;
use crate::{Error, ErrorKind};

/// The most items of a leaf of the tree. With 4 to 16 a query takes about as long.
const LEAF: usize = 8;

/// The most coordinates of a place. With more, a k-d tree is no faster than a scan.
const MOST_DIMS: usize = 16;

/// The places that one task of the thread pool looks up: about a millisecond of work.
const PART: usize = 1 << 10;

/// Finds the item that is nearest to a place: snaps raw coordinates to a set of items.
///
/// The answer is the one that a scan over all items in 64-bit floats would give; of equally near
/// items it is the one with the smallest number. It depends on the items and on the place alone, so
/// private records may be snapped: see PRIVACY.md.
///
/// Use it where records are coordinates (a trip begins at 52.37, 4.89) and items are known places
/// (the stops of a city). A place takes about a microsecond among 50,000 items, and memory is 8
/// bytes for each coordinate of an item, and 20 more for each item. Under haversine and angular,
/// distances are compared as chords of the unit sphere.
///
/// ```
/// use kmedian::{Metric, SnapIndex};
///
/// let stops = [52.370, 4.890, 52.373, 4.900, 52.360, 4.880];
/// let index = SnapIndex::new(2, &stops, Metric::Haversine)?.within(0.5)?;
/// let (stop, kilometers) = index.nearest(&[52.3725, 4.8992]).unwrap();
/// assert_eq!(stop, 1);
/// assert!(kilometers < 0.1);
/// // Too far away, and no place at all.
/// assert_eq!(index.nearest(&[52.4, 4.9]), None);
/// assert_eq!(index.nearest(&[f64::NAN, 4.9]), None);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SnapIndex {
    metric: Metric,
    /// The number of coordinates of a place, as they are given.
    dims: usize,
    /// The number of coordinates that distances are computed from: three under haversine.
    axes: usize,
    /// The items as they lie in the leaves, from left to right: their coordinates and numbers.
    points: Vec<f64>,
    items: Vec<u32>,
    /// The inner nodes in preorder.
    nodes: Vec<Node>,
    /// The largest cost, as [`Metric::cost_of_gaps`] has it, of an item that is near enough.
    limit: f64,
}

/// An inner node: items below the split on the axis are on the left, those above on the right.
#[derive(Debug, Clone, Copy)]
struct Node {
    axis: u32,
    /// The place of the right child among the nodes; the left child is the next node.
    right: u32,
    split: f64,
}

impl SnapIndex {
    /// An index of items with `dims` coordinates each, row by row.
    ///
    /// # Errors
    /// If there are no items, if they do not fill rows, if they have more than 16 coordinates, if a
    /// coordinate is NaN or infinite, if haversine is given anything but latitudes in -90..=90 and
    /// longitudes in -360..=360 degrees, or angular a zero vector.
    pub fn new(dims: usize, values: &[f64], metric: Metric) -> Result<Self, Error> {
        if dims == 0 || values.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "there are no items to snap to"));
        }
        if !values.len().is_multiple_of(dims) {
            let message = format!("{} values do not fill rows of {dims}", values.len());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        if dims > MOST_DIMS {
            let message = format!(
                "places of {dims} coordinates cannot be snapped; choose at most {MOST_DIMS}"
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        if metric == Metric::Haversine && dims != 2 {
            let message = format!("haversine needs latitude and longitude, not {dims} columns");
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let axes = if metric == Metric::Haversine { 3 } else { dims };
        let mut points = Vec::with_capacity(values.len() / dims * axes);
        for (item, row) in values.chunks_exact(dims).enumerate() {
            let mut point = [0.0; MOST_DIMS];
            if !embed(metric, row, &mut point) {
                let message = format!(
                    "item {item} has the coordinates {row:?}, which are no place under {metric}"
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            points.extend_from_slice(&point[..axes]);
        }
        let mut items: Vec<u32> = (0..(points.len() / axes) as u32).collect();
        let mut nodes = Vec::new();
        build(&points, axes, &mut items, &mut nodes);
        let points = items
            .iter()
            .flat_map(|&item| &points[item as usize * axes..(item as usize + 1) * axes])
            .copied()
            .collect();
        Ok(Self { metric, dims, axes, points, items, nodes, limit: f64::MAX })
    }

    /// Takes an item for near enough if it is at most `distance` away, in the unit of the metric
    /// (kilometers under haversine). Places without such an item have no nearest one.
    ///
    /// # Errors
    /// If the distance is negative or NaN.
    pub fn within(self, distance: f64) -> Result<Self, Error> {
        if distance.is_nan() || distance < 0.0 {
            let message = format!("{distance} is no distance to snap within; give one from 0 up");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let limit = self.metric.cost_of_distance(distance);
        Ok(Self { limit: limit.min(f64::MAX), ..self })
    }

    /// The number of coordinates of a place.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items: never.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The nearest item of a place, and how far away it is. `None` if the place is none (it has
    /// another number of coordinates, one that is not finite or out of the metric's range, or the
    /// zero vector under angular), or if every item is too far away.
    pub fn nearest(&self, place: &[f64]) -> Option<(usize, f64)> {
        let (item, cost) = self.find(place)?;
        Some((item as usize, self.distance(cost)))
    }

    /// Whether coordinates are a place, so that only the distance can keep it from being snapped.
    pub fn is_place(&self, place: &[f64]) -> bool {
        place.len() == self.dims && embed(self.metric, place, &mut [0.0; MOST_DIMS])
    }

    /// Looks many places up in parallel. `places` are their coordinates, row by row, and `found`
    /// has an element for each place, which is set to what `answer` makes of the coordinates and of
    /// their [`nearest`](Self::nearest) item. Places without an element are not looked up.
    pub fn nearest_of_each<T: Send>(
        &self,
        places: &[f64],
        found: &mut [T],
        answer: impl Fn(&[f64], Option<(usize, f64)>) -> T + Sync,
    ) {
        let parts = found.par_chunks_mut(PART).zip(places.par_chunks(PART * self.dims));
        parts.for_each(|(found, places)| {
            for (found, place) in found.iter_mut().zip(places.chunks_exact(self.dims)) {
                *found = answer(place, self.nearest(place));
            }
        });
    }

    fn find(&self, place: &[f64]) -> Option<(u32, f64)> {
        let mut from = [0.0; MOST_DIMS];
        if place.len() != self.dims || !embed(self.metric, place, &mut from) {
            return None;
        }
        let mut search =
            Search { index: self, from: &from[..self.axes], best: None, cost: self.limit };
        search.visit(0, 0, self.items.len(), &mut [0.0; MOST_DIMS][..self.axes]);
        search.best.map(|item| (item, search.cost))
    }

    /// What points are compared by, given their gaps on each axis.
    #[inline(always)]
    fn cost(&self, gaps: impl Iterator<Item = f64>) -> f64 {
        self.metric.cost_of_gaps(gaps)
    }

    /// The distance of points with a cost.
    fn distance(&self, cost: f64) -> f64 {
        self.metric.distance_of_cost(cost)
    }
}

/// The search for the nearest item of one place.
struct Search<'a> {
    index: &'a SnapIndex,
    from: &'a [f64],
    best: Option<u32>,
    /// The cost of the best item, or the limit while there is none.
    cost: f64,
}

impl Search<'_> {
    /// Looks for nearer items among those from `start` to `end`, which are those of the node, or of
    /// a leaf. `gaps` is on each axis how far the place is from their box at least.
    fn visit(&mut self, node: usize, start: usize, end: usize, gaps: &mut [f64]) {
        let (index, axes) = (self.index, self.index.axes);
        if end - start <= LEAF {
            for place in start..end {
                let point = &index.points[place * axes..(place + 1) * axes];
                let cost = index.cost(point.iter().zip(self.from).map(|(to, from)| to - from));
                self.take(index.items[place], cost);
            }
            return;
        }
        let Node { axis, right, split } = index.nodes[node];
        let (axis, middle) = (axis as usize, start + (end - start) / 2);
        let left = (node + 1, start, middle);
        let right = (right as usize, middle, end);
        let to_the_left = self.from[axis] < split;
        let (near, far) = if to_the_left { (left, right) } else { (right, left) };
        self.visit(near.0, near.1, near.2, gaps);
        let before = gaps[axis];
        gaps[axis] = split - self.from[axis];
        // An equally near item on the other side may have a smaller number.
        if index.cost(gaps.iter().copied()) <= self.cost {
            self.visit(far.0, far.1, far.2, gaps);
        }
        gaps[axis] = before;
    }

    fn take(&mut self, item: u32, cost: f64) {
        let nearer = match self.best {
            None => cost <= self.cost,
            Some(best) => cost < self.cost || (cost == self.cost && item < best),
        };
        if nearer {
            (self.best, self.cost) = (Some(item), cost);
        }
    }
}

/// Sorts the items into leaves, and appends the nodes above them in preorder.
fn build(points: &[f64], axes: usize, items: &mut [u32], nodes: &mut Vec<Node>) {
    if items.len() <= LEAF {
        return;
    }
    let at = |item: u32, axis: usize| points[item as usize * axes + axis];
    let width = |axis: usize| {
        let values = items.iter().map(|&item| at(item, axis));
        let (least, most) = values
            .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
        most - least
    };
    let axis = (0..axes).max_by(|&a, &b| width(a).total_cmp(&width(b))).unwrap_or(0);
    let middle = items.len() / 2;
    let (_, &mut item, _) =
        items.select_nth_unstable_by(middle, |&a, &b| at(a, axis).total_cmp(&at(b, axis)));
    let node = nodes.len();
    nodes.push(Node { axis: axis as u32, right: 0, split: at(item, axis) });
    let (left, right) = items.split_at_mut(middle);
    build(points, axes, left, nodes);
    nodes[node].right = nodes.len() as u32;
    build(points, axes, right, nodes);
}

/// Writes the point that a place is compared by: on the unit sphere under haversine and angular.
/// False if the coordinates are no place.
fn embed(metric: Metric, place: &[f64], point: &mut [f64; MOST_DIMS]) -> bool {
    if !place.iter().all(|value| value.is_finite()) {
        return false;
    }
    match metric {
        Metric::Haversine => {
            let &[latitude, longitude] = place else { return false };
            if latitude.abs() > 90.0 || longitude.abs() > 360.0 {
                return false;
            }
            let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
            let cos = libm::cos(latitude);
            point[0] = cos * libm::cos(longitude);
            point[1] = cos * libm::sin(longitude);
            point[2] = libm::sin(latitude);
        }
        Metric::Angular | Metric::RootCosine => {
            let radius = if metric == Metric::Angular { 1.0 } else { FRAC_1_SQRT_2 };
            // Divided by the largest first, so that no square overflows or vanishes.
            let largest = place.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            if largest == 0.0 {
                return false;
            }
            let length = place.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
            for (to, from) in point.iter_mut().zip(place) {
                *to = from / largest / length * radius;
            }
        }
        _ => point[..place.len()].copy_from_slice(place),
    }
    true
}

#[cfg(test)]
#[path = "snap_tests.rs"]
mod tests;
