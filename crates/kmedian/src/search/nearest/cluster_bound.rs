//! What a newcomer could change in a cluster at most, given no more than its distance to the
//! center.

use crate::{Hit, Objective};

/// The number of pieces of a piecewise linear bound of what changes in a cluster: more make it
/// tighter, and take longer to add up.
const PIECES: usize = 32;

/// The share by which the distances are raised up to which a newcomer matters to an item: far more
/// than rounding takes off their sums.
const SPARE: f32 = 1e-5;

/// An upper bound of what a newcomer could change in a cluster, which falls with its distance to
/// the center.
///
/// With d1 and d2 the distances of an item to its center and to the second-nearest, a newcomer t
/// away from the center is at least t − d1 away from the item: it saves the item no more than 2·d1
/// − t, and takes no more than d1 + d2 − t off what losing the center costs it (for k-means times
/// the slopes 2·d1 and 2·d2 of the cost). Both sums over the items are convex in t, so the chords
/// between a few of their points lie above them.
pub(crate) struct ClusterBound {
    /// The factor from a distance to the number of its piece.
    scale: f32,
    /// The bounds at the ends of the pieces.
    nodes: [Gain; PIECES + 1],
    /// The items, each with the distance from which a newcomer saves it nothing, falling.
    savable: Vec<Hit>,
}

/// What a newcomer saves and relieves for some items. Whether it is exact or an upper bound is said
/// where it is kept.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gain {
    /// What the newcomer saves the items if no center leaves.
    pub(crate) saved: f64,
    /// The relief: what the newcomer takes off the cost of losing the center of the items.
    pub(crate) relief: f64,
}

impl Gain {
    #[inline]
    pub(crate) fn add(&mut self, other: Gain) {
        self.saved += other.saved;
        self.relief += other.relief;
    }
}

/// The sum of the weights of some items, and the sum of weight × reach.
#[derive(Clone, Copy, Default)]
struct Sum {
    weight: f64,
    weighted_reach: f64,
}

impl Sum {
    fn add(&mut self, weight: f64, reach: f32) {
        self.weight += weight;
        self.weighted_reach += weight * f64::from(reach);
    }

    fn add_sum(&mut self, other: Sum) {
        self.weight += other.weight;
        self.weighted_reach += other.weighted_reach;
    }

    /// The sum of weight × (reach − distance).
    fn beyond(&self, distance: f64) -> f64 {
        (self.weighted_reach - self.weight * distance).max(0.0)
    }
}

/// An item of a cluster, with all that the bound of the cluster depends on.
pub(crate) struct Member {
    pub(crate) item: u32,
    pub(crate) weight: f64,
    /// The distances to its two nearest centers.
    pub(crate) distances: [f32; 2],
}

impl ClusterBound {
    /// The bound of a cluster of some members. `farthest` is the largest d1 + d2 of one of them,
    /// and `relative_error` the share by which distances may be wrong.
    pub(crate) fn new(
        objective: Objective,
        relative_error: f32,
        farthest: f32,
        members: impl Iterator<Item = Member>,
    ) -> Self {
        let raised = 1.0 + 4.0 * relative_error + SPARE;
        let step = (farthest / PIECES as f32).max(f32::MIN_POSITIVE);
        let scale = 1.0 / step;
        let piece = |reach: f32| ((reach * scale) as usize).min(PIECES);
        let mut saved = [Sum::default(); PIECES + 1];
        let mut relief = [Sum::default(); PIECES + 1];
        let mut savable = Vec::new();
        for Member { item, weight, distances: [first, second] } in members {
            let twice = 2.0 * first * raised;
            savable.push(Hit { item, distance: twice });
            saved[piece(twice)].add(weight * objective.growth(first), twice);
            let both = (first + second) * raised;
            relief[piece(both)].add(weight * objective.growth(second), both);
        }
        savable
            .sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.item.cmp(&b.item)));
        let mut nodes = [Gain::default(); PIECES + 1];
        let (mut all_saved, mut all_relief) = (Sum::default(), Sum::default());
        for node in (0..=PIECES).rev() {
            all_saved.add_sum(saved[node]);
            all_relief.add_sum(relief[node]);
            let distance = node as f64 * f64::from(step);
            nodes[node] =
                Gain { saved: all_saved.beyond(distance), relief: all_relief.beyond(distance) };
        }
        Self { scale, nodes, savable }
    }

    /// The items that a newcomer at the given distance from the center may save something.
    pub(crate) fn savable(&self, distance: f32) -> impl Iterator<Item = u32> {
        self.savable.iter().take_while(move |hit| hit.distance > distance).map(|hit| hit.item)
    }

    /// An upper bound of what a newcomer at least that far from the center could change.
    #[inline]
    pub(crate) fn at(&self, distance: f32) -> Gain {
        let place = distance * self.scale;
        let node = (place as usize).min(PIECES - 1);
        let (near, far) = (self.nodes[node], self.nodes[node + 1]);
        let share = f64::from(place - node as f32).min(1.0);
        let between = |near: f64, far: f64| near + share * (far - near);
        Gain { saved: between(near.saved, far.saved), relief: between(near.relief, far.relief) }
    }
}
