//! The picture: which items are drawn, where, and which areas and colors centers have.

use kmedian::Demand;
use serde_json::{Value, json};

use crate::areas::{Grid, runs};
use crate::colors::colors;
use crate::encode;
use crate::subject::{Places, Subject};
use crate::thin::{MOST_SHOWN, shown};

/// The room around the items, as a share of their extent, so that none is drawn on the edge.
const MARGIN: f64 = 0.04;
/// The width divided by the height of a picture, of the highest and of the widest one. Items
/// that fill less than that leave room on two sides.
const RATIOS: [f64; 2] = [0.6, 2.2];
/// The ratio of extents beyond which two coordinates are not of one kind, and are drawn on scales
/// of their own.
const OF_ONE_KIND: f64 = 8.0;
/// The width divided by the height of a picture whose coordinates have scales of their own: as
/// these cannot be compared, any shape would be as true.
const USUAL_RATIO: f64 = 1.5;

/// Where items are drawn, and which of them.
pub(crate) struct Map<'a> {
    subject: &'a Subject<'a>,
    /// The least and the largest number of each direction.
    bounds: [[f64; 2]; 2],
    /// The width of the picture divided by its height.
    ratio: f64,
    /// The items that are drawn, ascending.
    pub(crate) shown: Vec<usize>,
    /// The places of the items that are drawn, from 0 to 1.
    places: Vec<[f64; 2]>,
    grid: Grid,
    /// The color of each item in the picture before, if it was a center there.
    before: Vec<Option<usize>>,
}

impl<'a> Map<'a> {
    /// The picture of all items, of which some must be drawn.
    pub(crate) fn new(subject: &'a Subject<'a>, must: &[usize]) -> Self {
        let mut drawn = subject.places.drawn();
        drawn.resize(subject.space.len(), [0.0; 2]);
        let (bounds, ratio) = frame(&drawn, &subject.places);
        let share = |[low, high]: [f64; 2], x: f64| {
            let share = (x - low) / (high - low);
            if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }
        };
        let all: Vec<[f64; 2]> =
            drawn.iter().map(|&[x, y]| [share(bounds[0], x), share(bounds[1], y)]).collect();
        let shown = shown(&all, must, MOST_SHOWN);
        let places: Vec<[f64; 2]> = shown.iter().map(|&item| all[item]).collect();
        let grid = Grid::new(&places, ratio);
        Self { subject, bounds, ratio, shown, places, grid, before: vec![None; all.len()] }
    }

    /// What the script knows an item by; `None` if it is not drawn.
    pub(crate) fn place(&self, item: usize) -> Option<usize> {
        self.shown.binary_search(&item).ok()
    }

    /// The items for the script. `demand` is what they ask for, if that may be known and differs.
    pub(crate) fn object(&self, demand: Option<&Demand>) -> Value {
        let short = |share: f64| (share * 65535.0).round() as u16;
        let names = self.shown.iter().map(|&item| encode::name(&(self.subject.name)(item)));
        let [x, y] = self.subject.places.names();
        json!({
            "kind": self.subject.places.kind(),
            "names": [x, y],
            "bounds": self.bounds,
            "ratio": self.ratio,
            "grid": [self.grid.width, self.grid.height],
            "all": self.subject.space.len(),
            "served": self.shown.iter().filter(|&&item| item < self.subject.served).count(),
            "xy": encode::shorts(self.places.iter().flat_map(|place| place.map(short))),
            "items": names.collect::<Vec<String>>(),
            "sizes": demand.and_then(|demand| self.sizes(demand)),
        })
    }

    /// A byte for each item that is drawn: 0 without demand, 1 to 4 for how much; `None` if all ask
    /// for the same.
    fn sizes(&self, demand: &Demand) -> Option<String> {
        let of = |&item: &usize| demand.weights().get(item).copied().unwrap_or(0.0);
        let weights: Vec<f64> = self.shown.iter().map(of).collect();
        let most = weights.iter().copied().fold(0.0, f64::max);
        let differ = self
            .shown
            .iter()
            .zip(&weights)
            .any(|(&item, &weight)| item < self.subject.served && weight != weights[0]);
        // Dots are as large as the demand: their radius goes with its root.
        let size = |&weight: &f64| match weight {
            _ if weight <= 0.0 => 0,
            _ => 1 + ((weight / most).sqrt() * 3.999) as u8,
        };
        differ.then(|| encode::bytes(&weights.iter().map(size).collect::<Vec<u8>>()))
    }

    /// The centers of one k for the script: who serves what, in which areas and colors. A center
    /// keeps the color that it had in the picture before, if it can.
    pub(crate) fn centers(&mut self, centers: &[usize], labels: &[u32]) -> Value {
        let labels: Vec<u32> =
            self.shown.iter().map(|&item| labels.get(item).copied().unwrap_or(0)).collect();
        let cells = self.grid.cells(&labels);
        let wanted: Vec<Option<usize>> =
            centers.iter().map(|&center| self.before[center]).collect();
        let colors = colors(&self.grid.neighbors(&cells, centers.len()), &wanted);
        self.before.fill(None);
        centers.iter().zip(&colors).for_each(|(&center, &c)| self.before[center] = Some(c));
        json!({
            "centers": centers.iter().map(|&center| self.place(center)).collect::<Vec<_>>(),
            "labels": encode::labels(&labels),
            "areas": encode::labels(&runs(&cells)),
            "colors": colors,
        })
    }
}

/// The part of the plane that is drawn, in both directions, and the ratio of its sides.
fn frame(drawn: &[[f64; 2]], places: &Places) -> ([[f64; 2]; 2], f64) {
    let range = |axis: usize| {
        let values = drawn.iter().map(|at| at[axis]).filter(|x| x.is_finite());
        let [low, high] = values
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        match high - low {
            extent if extent > 0.0 => [low - MARGIN * extent, high + MARGIN * extent],
            _ if low.is_finite() => [low - 1.0, low + 1.0],
            _ => [-1.0, 1.0],
        }
    };
    let mut bounds = [range(0), range(1)];
    let middle = |[low, high]: [f64; 2]| (low + high) / 2.0;
    // A degree of longitude is shorter than one of latitude by the cosine of the latitude.
    let stretch = match places {
        Places::Degrees(_) => middle(bounds[1]).to_radians().cos().max(0.1),
        _ => 1.0,
    };
    let extent = |[low, high]: [f64; 2]| high - low;
    let ratio = stretch * extent(bounds[0]) / extent(bounds[1]);
    if matches!(places, Places::Plane { .. }) && !(1.0 / OF_ONE_KIND..=OF_ONE_KIND).contains(&ratio)
    {
        return (bounds, USUAL_RATIO);
    }
    let fitting = ratio.clamp(RATIOS[0], RATIOS[1]);
    // More room in the direction that is short of it.
    let (axis, factor) = if ratio > fitting { (1, ratio / fitting) } else { (0, fitting / ratio) };
    let half = factor * extent(bounds[axis]) / 2.0;
    let center = middle(bounds[axis]);
    bounds[axis] = [center - half, center + half];
    (bounds, fitting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_not_distorted_unless_axes_are_of_different_kinds() {
        let plane = |at: &[[f64; 2]]| {
            let names = ["a", "b"].map(String::from);
            frame(at, &Places::Plane { names, at: at.to_vec() })
        };
        let (bounds, ratio) = plane(&[[0.0, 0.0], [4.0, 1.0]]);
        let extents = bounds.map(|[low, high]| high - low);
        assert!((extents[0] / extents[1] - ratio).abs() < 1e-9 && ratio == RATIOS[1]);
        let (bounds, ratio) = plane(&[[0.0, 0.0], [1000.0, 1.0]]);
        assert!(ratio == USUAL_RATIO && (bounds[1][1] - 1.04).abs() < 1e-9);
        let (bounds, _) = plane(&[[5.0, 5.0], [5.0, 5.0]]);
        assert!(bounds[0][0] < 5.0 && bounds[0][1] > 5.0);
        let (bounds, _) = plane(&[]);
        assert!(bounds.concat().iter().all(|x| x.is_finite()));
    }

    #[test]
    fn a_degree_of_longitude_is_short_in_the_north() {
        let corners = vec![[59.0, 0.0], [61.0, 4.0]];
        let (_, ratio) =
            frame(&Places::Degrees(corners.clone()).drawn(), &Places::Degrees(corners));
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }
}
