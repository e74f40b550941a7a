//! Weighted items that stand for a chunk.

use super::chunk::Chunk;
use super::pass::Setting;
use crate::space::{Assignment, Space};
use crate::{Demand, Effort, Error, Hst, Init, KMedian, LocalSearch, Problem, Run};

/// Items of a chunk, as many as are asked for, that stand for all of it: each has the weight of the
/// items that are nearest to it. They are the best centers of a tree: for t·k of them that takes a
/// small part of what greedy seeding takes, and swaps would judge most items of a chunk, and gain a
/// few tenths of a percent that rounds gain as well. A chunk of no more items stands for itself.
pub(super) fn coreset(
    setting: &Setting,
    chunk: &Chunk,
    wanted: usize,
    digest: u64,
    run: &mut Run<'_>,
) -> Result<Chunk, Error> {
    if chunk.len() <= wanted {
        return Ok(chunk.clone());
    }
    let space = chunk.space(setting.metric)?;
    let seed = setting.seed.named("coreset").numbered(digest);
    let plan = KMedian {
        init: Init::Hst(Hst::default()),
        search: LocalSearch { max_swaps: Some(0), ..search(setting, Effort::Fast) },
        restarts: Some(0),
        seed,
        ..KMedian::default()
    };
    let Some((centers, assignment)) = cluster(setting, &plan, &space, chunk, wanted, run)? else {
        return Ok(chunk.take(0..wanted));
    };
    let mut kept = chunk.take(centers);
    kept.weights.fill(0.0);
    for (&label, weight) in assignment.labels.iter().zip(&chunk.weights) {
        kept.weights[label as usize] += weight;
    }
    Ok(kept)
}

/// A search of some effort that takes no more memory for bounds than the setting allows.
pub(super) fn search(setting: &Setting, effort: Effort) -> LocalSearch {
    LocalSearch { effort, memory: Some(setting.bounds), ..LocalSearch::default() }
}

/// Centers of the items of a chunk, of which `space` is made, and which of them serves each item;
/// `None` if no item has a weight, so that any centers are as good as others.
pub(super) fn cluster(
    setting: &Setting,
    plan: &KMedian,
    space: &dyn Space,
    chunk: &Chunk,
    k: usize,
    run: &mut Run<'_>,
) -> Result<Option<(Vec<usize>, Assignment)>, Error> {
    if chunk.weights.iter().all(|&weight| weight == 0.0) {
        return Ok(None);
    }
    let demand = Demand::new(chunk.weights.clone())?;
    let problem = Problem::of(space).demand(&demand).objective(setting.objective).build()?;
    let found = plan.prepare(&problem, run)?.fit(k, run)?;
    Ok(Some((found.centers, found.assignment)))
}
