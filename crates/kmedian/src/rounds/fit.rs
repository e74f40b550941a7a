//! The state of a fit between two passes over all items.

use super::chunk::Chunk;
use super::coreset::{cluster, coreset, search};
use super::driver::{candidates, exchanged, exchanges, given_way};
use super::measure::{Measure, Measured, Sums};
use super::pass::{Answer, Found, Pass, Setting, Task};
use super::wire::damaged;
use super::{
    BOUNDS, CORESET, LEAST_MEMORY, LEAST_OF_CHUNK, MOST_OF_CHUNK, PER_ROW, PER_VALUE, Rounds,
};
use crate::{Effort, Error, ErrorKind, KMedian, Run, Step};

/// The least memory for bounds of distances, in bytes: 1 MiB.
const LEAST_BOUNDS: usize = 1 << 20;

/// A fit in rounds, between two passes over all items: [`InRounds::pass`] says what to ask of every
/// chunk, and [`InRounds::take`] is told what was found.
#[derive(Debug)]
pub struct InRounds {
    plan: Rounds,
    setting: Setting,
    dims: usize,
    items: u64,
    chunks: u64,
    /// The next pass; `None` at the end.
    pass: Option<Pass>,
    /// The coreset, and what its centers cost it.
    known: Chunk,
    coreset_cost: f64,
    /// The best centers that were measured.
    best: Option<(Chunk, Sums)>,
    costs: Vec<f64>,
    ended: &'static str,
}

/// Centers that rounds have found, and how that went.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundsFit {
    /// The centers, with their places among all items.
    pub centers: Chunk,
    /// What the centers cost, measured on all items.
    pub cost: f64,
    /// What the items of each center weigh together, measured on all items.
    pub sizes: Vec<f64>,
    /// The best cost that each round has measured on all items.
    pub costs: Vec<f64>,
    /// How many items there are.
    pub items: u64,
    /// In how many chunks they were read.
    pub chunks: u64,
    /// How many weighted items stood for all of them at first.
    pub coreset_size: usize,
    /// What the first centers cost these weighted items.
    pub coreset_cost: f64,
    /// Why the rounds ended: `tolerance`, `max-rounds`, `whole` if all items were one chunk, or
    /// `cancelled`.
    pub stop: &'static str,
}

impl Rounds {
    /// Begins to fit so many items with `dims` coordinates, in so many chunks of at most
    /// [`Rounds::rows_of_chunk`] rows.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn begin(&self, dims: usize, items: u64, chunks: u64) -> Result<InRounds, Error> {
        self.rows_of_chunk(dims, items)?;
        let bounds = (self.memory / BOUNDS).max(LEAST_BOUNDS);
        let (metric, objective, seed) = (self.metric, self.objective, self.seed);
        let setting = Setting { metric, objective, seed, bounds };
        let most = (self.memory / (PER_VALUE * dims + PER_ROW) / self.k) as u64;
        let times = most.min(CORESET as u64) / chunks.max(1);
        let wanted = match chunks {
            // The only chunk stands for itself.
            ..=1 => usize::MAX,
            _ => {
                let times = times.clamp(LEAST_OF_CHUNK as u64, MOST_OF_CHUNK as u64);
                self.k.saturating_mul(times as usize)
            }
        };
        let pass = Some(Pass { setting, task: Task::Coreset(wanted) });
        let known = Chunk::new(dims);
        let (plan, best, costs) = (self.clone(), None, Vec::new());
        let (coreset_cost, ended) = (0.0, "max-rounds");
        Ok(InRounds {
            plan,
            setting,
            dims,
            items,
            chunks,
            pass,
            known,
            coreset_cost,
            best,
            costs,
            ended,
        })
    }
}

impl InRounds {
    /// What to ask of every chunk next; `None` once the fit is at its end.
    pub fn pass(&self) -> Option<&Pass> {
        self.pass.as_ref()
    }

    /// The number of the next round; 0 while coresets are found.
    pub(super) fn round(&self) -> usize {
        match self.pass.as_ref().map(|pass| &pass.task) {
            Some(Task::Measure(measure)) => measure.round as usize + 1,
            _ => 0,
        }
    }

    /// Takes what was found of every chunk in the last pass, in any order, and decides what comes
    /// next.
    ///
    /// # Errors
    /// If it is not what was asked for, if there are fewer items than centers, or if the run is
    /// ended before centers were measured.
    pub fn take(&mut self, mut found: Vec<Found>, run: &mut Run<'_>) -> Result<(), Error> {
        let items: u64 = found.iter().map(|found| found.items).sum();
        if items != self.items {
            let message = format!(
                "there were {} items, and in another pass {items}; fit items that stay the same",
                self.items
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        found.sort_by_key(|found| found.digest);
        let Some(pass) = self.pass.take() else { return Ok(()) };
        match pass.task {
            Task::Coreset(wanted) => self.take_coresets(found, wanted, run),
            Task::Measure(measure) => self.take_measured(*measure, found, run),
        }
    }

    fn take_coresets(
        &mut self,
        found: Vec<Found>,
        wanted: usize,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        let (k, whole) = (self.plan.k, found.len() == 1);
        let mut known = Chunk::new(self.dims);
        for part in found {
            match part.answer {
                Answer::Coreset(part) if part.dims == self.dims => known.append(&part),
                _ => return Err(damaged()),
            }
        }
        let each = PER_VALUE * self.dims + PER_ROW;
        let most = (self.plan.memory / each).max(LEAST_MEMORY * k);
        while known.len() > most {
            let mut smaller = Chunk::new(self.dims);
            let pieces = known.len().div_ceil(most);
            // As many as fit together, but no fewer than stand for a chunk, unless that is all.
            let wanted = (most / pieces).max(wanted.min(most / 2));
            for start in (0..known.len()).step_by(most) {
                let piece = known.take(start..known.len().min(start + most));
                let digest = piece.digest();
                smaller.append(&coreset(&self.setting, &piece, wanted, digest, run)?);
            }
            known = smaller;
        }
        let space = known.space(self.setting.metric)?;
        let plan = KMedian {
            search: search(&self.setting, Effort::Auto),
            seed: self.plan.seed,
            ..KMedian::default()
        };
        let found = cluster(&self.setting, &plan, &space, &known, k, run)?;
        let (centers, sums) = match found {
            Some((centers, assignment)) => {
                let mut sums = Sums::new(k);
                let nearest = assignment.labels.iter().zip(&assignment.distances);
                for ((&label, &distance), &weight) in nearest.zip(&known.weights) {
                    sums.count(label, weight * self.setting.objective.of(distance), weight);
                }
                (centers, sums)
            }
            None => ((0..k).collect(), Sums::new(k)),
        };
        let centers = known.take(centers);
        self.coreset_cost = sums.cost();
        self.known = known;
        if whole && self.known.len() as u64 == self.items {
            self.costs.push(self.coreset_cost);
            self.best = Some((centers, sums));
            self.ended = "whole";
            return Ok(());
        }
        let candidates = candidates(&self.setting, &self.known, &self.known, &centers)?;
        let newcomers = Chunk::new(self.dims);
        self.ask(Measure { round: 0, centers, candidates, newcomers, replaced: Vec::new() });
        Ok(())
    }

    fn ask(&mut self, measure: Measure) {
        let task = Task::Measure(Box::new(measure));
        self.pass = Some(Pass { setting: self.setting, task });
    }

    fn take_measured(
        &mut self,
        measure: Measure,
        found: Vec<Found>,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        let measured = added(found, &measure)?;
        let exchange =
            !measured.second.costs.is_empty() && measured.second.cost() < measured.sums.cost();
        let (centers, sums) = if exchange {
            (exchanged(&measure), &measured.second)
        } else {
            (measure.centers.clone(), &measured.sums)
        };
        let (cost, before) = (sums.cost(), self.cost());
        self.costs.push(cost);
        if cost < before {
            self.best = Some((centers.clone(), sums.clone()));
        }
        let step = Step::Round { round: measure.round as usize, cost: self.cost() };
        if run.step(&step).is_err() {
            self.ended = "cancelled";
            return Ok(());
        }
        let (next, saved) = if exchange { (centers, 0.0) } else { given_way(&measure, &measured) };
        let least = self.plan.tolerance * cost;
        let settled = measure.round > 0 && before - cost < least;
        if settled || measure.round as usize >= self.plan.most_rounds {
            self.ended = if settled { "tolerance" } else { "max-rounds" };
            return Ok(());
        }
        let round = measure.round + 1;
        let mut drawn = measured.near.clone();
        drawn.append(&measured.far);
        let done = exchanges(&self.setting, &self.known, &drawn, &next, round, run);
        let (newcomers, replaced) = match done {
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                self.ended = "cancelled";
                return Ok(());
            }
            done => done?,
        };
        if newcomers.is_empty() && !exchange && saved < least {
            self.ended = "tolerance";
            return Ok(());
        }
        let mut pool = self.known.clone();
        pool.append(&measured.near);
        let candidates = candidates(&self.setting, &self.known, &pool, &next)?;
        self.ask(Measure { round, centers: next, candidates, newcomers, replaced });
        Ok(())
    }

    /// What the best centers cost that were measured.
    fn cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |(_, sums)| sums.cost())
    }

    /// Ends with the best centers that were measured; false if there are none.
    pub fn end_early(&mut self) -> bool {
        if self.best.is_some() {
            (self.pass, self.ended) = (None, "cancelled");
        }
        self.best.is_some()
    }

    /// The best centers that were measured.
    ///
    /// # Errors
    /// If none were measured.
    pub fn finish(self) -> Result<RoundsFit, Error> {
        let Some((centers, sums)) = self.best else {
            return Err(Error::new(ErrorKind::Cancelled, "stopped before there was a result"));
        };
        Ok(RoundsFit {
            centers,
            cost: sums.cost(),
            sizes: sums.sizes,
            costs: self.costs,
            items: self.items,
            chunks: self.chunks,
            coreset_size: self.known.len(),
            coreset_cost: self.coreset_cost,
            stop: self.ended,
        })
    }
}

/// What was measured of all chunks together.
fn added(found: Vec<Found>, measure: &Measure) -> Result<Measured, Error> {
    let k = measure.centers.len();
    let mut all: Option<Measured> = None;
    for part in found {
        let Answer::Measured(part) = part.answer else { return Err(damaged()) };
        let second = if measure.newcomers.is_empty() { 0 } else { k };
        let fits = part.sums.costs.len() == k
            && part.second.costs.len() == second
            && part.judged.len() == measure.candidates.len()
            && [part.near.dims, part.far.dims] == [measure.centers.dims; 2];
        match &mut all {
            _ if !fits => return Err(damaged()),
            Some(all) => all.add(&part),
            None => all = Some(*part),
        }
    }
    all.ok_or_else(damaged)
}
