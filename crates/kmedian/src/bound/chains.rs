//! What the nodes between two junctions of a graph save at most, from what the junctions do.
//!
//! A node j on a piece of the length L, t along it, is min(d(u, i) + t, d(v, i) + L − t) away from
//! every item i that is not inside of the piece, with u and v the junctions at its ends. So what it
//! saves there, Σ w · max(0, λ − d(u, i) − t, λ − d(v, i) − L + t), is convex in t: between the
//! ends it is below the chord from what u saves to what v does. For the few items inside of the
//! piece distances along it are known. In a dead end, t is lost for each item that u serves with
//! more than the length of the piece to spare. k-means has no such chord, as squares are not
//! linear.

use super::ground::Ground;
use super::levels::Most;
use super::rounding::{at_least, at_most};
use crate::space::{Contracted, Inside, Piece};
use crate::{Halt, Hit};

/// By how many relative errors of a distance sums are stretched: distances of nodes to both ends of
/// a piece, and along it, are rounded.
const ERRORS: f64 = 8.0;

/// A junction that was asked.
struct Said {
    saving: f64,
    /// Dead ends at the junction, and the weight of the items that lose their whole length.
    losses: Vec<(u32, f64)>,
}

/// Lowers what the nodes inside of pieces save at most. Junctions are asked where that is of use;
/// `None` if the work is to end.
pub(super) fn bound(
    ground: &Ground<'_>,
    net: &Contracted<'_>,
    sites: &[u32],
    prices: &[f64],
    most: &mut Most,
    halt: &Halt,
) -> Option<()> {
    let mut wanted = vec![false; ground.problem.len()];
    sites.iter().for_each(|&site| wanted[site as usize] = true);
    let mut losses = vec![0.0; net.pieces().len()];
    lower(ground, net, &wanted, prices, &losses, most);
    let mut asked: Vec<u32> =
        sites.iter().copied().filter(|&site| net.is_junction(site) && most.is_left(site)).collect();
    for piece in net.pieces() {
        let mut inside = net.inside(piece).iter();
        if inside.any(|at| wanted[at.node as usize] && most.is_left(at.node)) {
            let ends = [Some(piece.ends.0), piece.ends.1].into_iter().flatten();
            asked.extend(ends.filter(|&end| !most.exact[end as usize]));
        }
    }
    asked.sort_unstable();
    asked.dedup();
    let caps = ground.question(prices, 0.0);
    let said = ground.ask_each(&asked, &caps, halt, |junction, hits| Said {
        saving: ground.saving(prices, hits),
        losses: net
            .dead_ends(junction)
            .map(|(number, piece)| (number, lost(ground, net, prices, piece, hits)))
            .collect(),
    })?;
    for (junction, said) in asked.into_iter().zip(said) {
        most.set(junction, said.saving);
        said.losses.into_iter().for_each(|(piece, loss)| losses[piece as usize] = loss);
    }
    lower(ground, net, &wanted, prices, &losses, most);
    Some(())
}

/// The weight of the items outside of a dead end that its junction serves with more than the length
/// of the dead end to spare, rounded down.
fn lost(
    ground: &Ground<'_>,
    net: &Contracted<'_>,
    prices: &[f64],
    piece: &Piece,
    hits: &[Hit],
) -> f64 {
    let inside: f64 =
        net.inside(piece).iter().map(|at| ground.problem.demand.of(at.node as usize)).sum();
    let far = |hit: &&Hit| prices[hit.item as usize] - f64::from(hit.distance) > piece.length;
    let weights = hits.iter().filter(far).map(|hit| ground.problem.demand.of(hit.item as usize));
    (at_least(weights.sum(), hits.len()) - at_most(inside, hits.len())).max(0.0)
}

/// Lowers what the nodes inside of all pieces save at most, from what is known of the ends.
fn lower(
    ground: &Ground<'_>,
    net: &Contracted<'_>,
    wanted: &[bool],
    prices: &[f64],
    losses: &[f64],
    most: &mut Most,
) {
    let weights = ground.problem.demand.weights();
    let paid: f64 = prices.iter().zip(weights).map(|(price, weight)| price * weight).sum();
    let margin = ERRORS * f64::from(ground.problem.space.relative_error()) * paid;
    for (piece, loss) in net.pieces().iter().zip(losses) {
        let inside = net.inside(piece);
        let is_left = |at: &Inside| wanted[at.node as usize] && most.is_left(at.node);
        if !inside.iter().any(is_left) {
            continue;
        }
        let served = |from: f64, round: f64| -> f64 {
            let each = inside.iter().map(|at| {
                let away = (at.along - from).abs();
                let spare = prices[at.node as usize] - away.min(round - away);
                weights[at.node as usize] * spare.max(0.0)
            });
            each.sum()
        };
        let outside = |end: u32, from: f64| {
            let own = at_least(served(from, f64::INFINITY), inside.len());
            (most.savings[end as usize] - own).max(0.0)
        };
        let length = piece.length;
        let first = outside(piece.ends.0, 0.0);
        let last = match piece.ends.1 {
            Some(end) => outside(end, length),
            None => (first - length * loss).max(0.0),
        };
        if first.is_infinite() || last.is_infinite() {
            continue;
        }
        let round = if piece.ends.1.is_some() { length } else { f64::INFINITY };
        for at in inside {
            let share = at.along / length;
            let chord = (1.0 - share) * first + share * last;
            let own = at_most(served(at.along, round), inside.len());
            most.lower(at.node, at_most(chord + own, 8) + margin);
        }
    }
}
