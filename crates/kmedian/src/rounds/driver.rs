//! What is decided between two passes: which candidates are judged next, and which centers give
//! way.

use rand::seq::index;
use rayon::prelude::*;

use super::chunk::Chunk;
use super::coreset::search;
use super::ground::WITNESSES;
use super::measure::{Measure, Measured};
use super::pass::Setting;
use crate::demand::draw_some;
use crate::space::{AskerPool, Question, nearest_pairs};
use crate::{Demand, Effort, Error, LocalSearch, Problem, Run};

/// The candidates of each center that a pass judges. Each takes a distance an item, which is little
/// next to the k distances of its assignment.
pub(super) const JUDGED: usize = 16;

/// What a swap on the coreset must save to be measured on all items, as a share of what a center's
/// items cost on average: less is within what the coreset gets wrong, and a center that moves by
/// little is better found among the candidates.
const WORTH_MEASURING: f64 = 0.005;

/// The items of the coreset, and of those that were drawn of all items, that may replace a center in
/// an exchange, each as a multiple of k. With all of them, 384·k, finding exchanges for 1,000 centers
/// took longer than a pass over 20 million items.
const EXCHANGED: usize = 32;

/// The fewest of either if there are so many: to judge them takes a fraction of a second.
const EXCHANGED_AT_LEAST: usize = 1 << 14;

/// For each center the items of a pool that cost the coreset of its cluster least, filled up with
/// the center itself. The pool begins with the coreset.
pub(super) fn candidates(
    setting: &Setting,
    known: &Chunk,
    pool: &Chunk,
    centers: &Chunk,
) -> Result<Chunk, Error> {
    let mut all = pool.clone();
    all.append(centers);
    let space = all.space(setting.metric)?;
    let askers = AskerPool::new(&space);
    let items: Vec<u32> = (0..pool.len() as u32).collect();
    let places: Vec<usize> = (pool.len()..all.len()).collect();
    let pairs = nearest_pairs(&places, &items, &askers);
    let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); centers.len()];
    items.iter().for_each(|&item| clusters[pairs[item as usize].slots[0] as usize].push(item));

    let of_slot = |(slot, cluster): (usize, &Vec<u32>)| {
        let coreset = cluster.partition_point(|&item| (item as usize) < known.len());
        let mut witnesses = cluster[..coreset].to_vec();
        let weight = |item: u32| known.weights[item as usize];
        witnesses.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
        witnesses.truncate(WITNESSES);
        witnesses.sort_unstable();
        let total = |&item: &u32| {
            let cost = askers.lend(|asker| {
                let question = Question::ball(&witnesses, f32::INFINITY);
                let hits = asker.ask(item as usize, &question).iter();
                let cost = |distance| setting.objective.of(distance);
                hits.map(|hit| weight(hit.item) * cost(hit.distance)).sum::<f64>()
            });
            (cost, item)
        };
        let others = cluster.iter().filter(|&&item| pool.row(item as usize) != centers.row(slot));
        let mut judged: Vec<(f64, u32)> = others.map(total).collect();
        judged.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        judged.into_iter().take(JUDGED).map(|(_, item)| item as usize).collect::<Vec<_>>()
    };
    let chosen: Vec<Vec<usize>> = clusters.par_iter().enumerate().map(of_slot).collect();
    let mut found = Chunk::new(pool.dims);
    for (slot, chosen) in chosen.into_iter().enumerate() {
        let missing = JUDGED - chosen.len();
        found.append(&pool.take(chosen));
        found.append(&centers.take(std::iter::repeat_n(slot, missing)));
    }
    Ok(found.weightless())
}

/// The centers, each replaced by its best candidate if that costs its items less, and by how much
/// that lowers the cost at least.
pub(super) fn given_way(measure: &Measure, measured: &Measured) -> (Chunk, f64) {
    let k = measure.centers.len();
    let each = measure.candidates.len() / k;
    let (mut next, mut saved) = (Chunk::new(measure.centers.dims), 0.0);
    for slot in 0..k {
        let judged = &measured.judged[slot * each..(slot + 1) * each];
        let best = (0..each).min_by(|&a, &b| judged[a].total_cmp(&judged[b]));
        match best.filter(|&best| judged[best] < measured.sums.costs[slot]) {
            Some(best) => {
                saved += measured.sums.costs[slot] - judged[best];
                next.push(&measure.candidates, slot * each + best);
            }
            None => next.push(&measure.centers, slot),
        }
    }
    (next, saved)
}

/// The centers after some of them were replaced by newcomers.
pub(super) fn exchanged(measure: &Measure) -> Chunk {
    let mut centers = measure.centers.clone();
    for (at, &slot) in measure.replaced.iter().enumerate() {
        let (dims, slot) = (centers.dims, slot as usize);
        let row = measure.newcomers.row(at);
        centers.rows[slot * dims..(slot + 1) * dims].copy_from_slice(row);
        centers.places[slot] = measure.newcomers.places[at];
    }
    centers
}

/// Exchanges over longer distances that a search on the coreset finds: the newcomers, and the
/// places of the centers that they replace. Newcomers are looked for among items of the coreset,
/// drawn in proportion to what they cost, and among some of those that were drawn of all items: the
/// best ones near the centers are good centers elsewhere in a cluster, too.
pub(super) fn exchanges(
    setting: &Setting,
    known: &Chunk,
    drawn: &Chunk,
    centers: &Chunk,
    round: u64,
    run: &mut Run<'_>,
) -> Result<(Chunk, Vec<u64>), Error> {
    let k = centers.len();
    let most = EXCHANGED_AT_LEAST.max(EXCHANGED * k);
    let mut rng = setting.seed.named("exchange").numbered(round).generator();
    let mut all = centers.weightless();
    all.append(known);
    let some = index::sample(&mut rng, drawn.len(), drawn.len().min(most));
    all.append(&drawn.take(some).weightless());
    let space = all.space(setting.metric)?;
    let first: Vec<usize> = (0..k).collect();
    let costly = {
        let items: Vec<u32> = (k as u32..).take(known.len()).collect();
        let pairs = nearest_pairs(&first, &items, &AskerPool::new(&space));
        let costs = pairs.iter().zip(&known.weights);
        let costs = costs.map(|(pair, weight)| weight * setting.objective.of(pair.distances[0]));
        draw_some(costs, most, &mut rng)
    };
    if costly.is_empty() {
        return Ok((Chunk::new(all.dims), Vec::new()));
    }
    let candidates = first.iter().copied().chain(costly.into_iter().map(|item| k + item));
    let candidates = candidates.chain(k + known.len()..all.len());
    let demand = Demand::new(all.weights.clone())?;
    let problem = Problem::of(&space).demand(&demand).objective(setting.objective);
    let problem = problem.candidates(candidates).build()?;
    let search = LocalSearch { alpha: WORTH_MEASURING, ..search(setting, Effort::Balanced) };
    let found = search.run(&problem, &first, &mut rng, run)?.centers;
    let mut gone: Vec<bool> = vec![true; k];
    let mut newcomers = Vec::new();
    for center in found {
        match gone.get_mut(center) {
            Some(gone) => *gone = false,
            None => newcomers.push(center),
        }
    }
    let replaced = (0..k as u64).filter(|&slot| gone[slot as usize]).collect();
    Ok((all.take(newcomers).weightless(), replaced))
}
