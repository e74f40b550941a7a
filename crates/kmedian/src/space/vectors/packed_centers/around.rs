//! The second-nearest center of items that lost one of their two, among the centers round the one
//! that is left to them.
//!
//! An item i that is d from the center c that is left to it, and u from any other, has its
//! second-nearest center s within d + u of c, as d(c, s) ≤ d(c, i) + d(i, s) ≤ d + u. Items that
//! lost a center share the one that is left with others, so that one comparison of c with all
//! centers serves many of them.

use rayon::prelude::*;

use super::{Bounds, PackedCenters, at_most};
use crate::space::{Pair, Space};
use crate::tactics;

impl PackedCenters<'_> {
    /// For each list of items that have a nearest center in common, their two nearest centers; of
    /// equally near ones the first slots. `None` for a list whose center has too many others round
    /// it to be worth it. `pair` tells of an item two centers or one, the first of which is that
    /// center.
    pub(crate) fn pairs_around(
        &self,
        lists: &[&[u32]],
        pair: impl Fn(u32) -> Pair + Sync,
    ) -> Vec<Option<Vec<Pair>>> {
        let find = |bounds: &mut Bounds, lists: &[&[u32]]| {
            let known = |items: &&[u32]| -> Vec<Pair> { items.iter().map(|&i| pair(i)).collect() };
            let known: Vec<Vec<Pair>> = lists.iter().map(known).collect();
            let left = |pairs: &Vec<Pair>| self.centers[pairs[0].slots[0] as usize];
            self.bound(&known.iter().map(left).collect::<Vec<u32>>(), bounds);
            let around = |(at, (&items, pairs)): (usize, (&&[u32], Vec<Pair>))| {
                self.around(items, pairs, (bounds.of_item(at), bounds.second(at)))
            };
            lists.iter().zip(known).enumerate().map(around).collect::<Vec<_>>()
        };
        let tasks = lists.par_chunks(self.together()).map_init(Bounds::default, find);
        tasks.flatten_iter().collect()
    }

    /// The two nearest centers of items that have a center in common, given what is known of them,
    /// lower bounds of the squares of that center's distances to all others, and the
    /// second-smallest of these.
    fn around(
        &self,
        items: &[u32],
        mut pairs: Vec<Pair>,
        (squares, second): (&[f32], f32),
    ) -> Option<Vec<Pair>> {
        // Any other center would do; the nearer it is, the fewer are left to be measured.
        let left = pairs[0].slots[0];
        let other = at_most(squares, second).into_iter().find(|&slot| slot != left)?;
        for (pair, &item) in pairs.iter_mut().zip(items) {
            *pair = self.measured(*pair, other, item);
        }
        let error = self.vectors.relative_error();
        let reach = pairs.iter().map(|pair| pair.reach(error)).fold(0.0, f32::max);
        let close = at_most(squares, self.square(reach));
        if !tactics::are_few_around(close.len(), self.centers.len()) {
            return None;
        }
        for (pair, &item) in pairs.iter_mut().zip(items) {
            *pair = close.iter().fold(*pair, |pair, &slot| self.measured(pair, slot, item));
        }
        Some(pairs)
    }
}
