//! What every chunk is asked in a pass over all items, and what it answers.

use super::chunk::Chunk;
use super::coreset::coreset;
use super::measure::{Measure, Measured};
use super::wire::{Reader, Writer, damaged};
use crate::{Error, Metric, Objective, Run, Seed};

/// What all passes of a fit have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) metric: Metric,
    pub(super) objective: Objective,
    pub(super) seed: Seed,
    /// The bytes that a search in a chunk may take for bounds of distances.
    pub(super) bounds: usize,
}

/// What every chunk is asked in a pass over all items: [`Pass::over`] answers for one of them. It
/// can be sent to where the items are, as bytes.
#[derive(Debug, Clone)]
pub struct Pass {
    pub(super) setting: Setting,
    pub(super) task: Task,
}

#[derive(Debug, Clone)]
pub(super) enum Task {
    /// The number of weighted centers that stand for the chunk.
    Coreset(usize),
    /// What centers cost, and what others in their places would.
    Measure(Box<Measure>),
}

/// What was found of one chunk in a [`Pass`]; it can be sent as bytes, too.
#[derive(Debug, Clone)]
pub struct Found {
    /// The hash of the chunk, by which answers are put into an order.
    pub(super) digest: u64,
    /// The number of items of the chunk.
    pub(super) items: u64,
    pub(super) answer: Answer,
}

#[derive(Debug, Clone)]
pub(super) enum Answer {
    Coreset(Chunk),
    Measured(Box<Measured>),
}

impl Pass {
    /// Goes over the items of a chunk.
    ///
    /// # Errors
    /// If the items are no vectors of the metric, or if the run is ended.
    pub fn over(&self, chunk: Chunk, run: &mut Run<'_>) -> Result<Found, Error> {
        let (digest, items) = (chunk.digest(), chunk.len() as u64);
        let answer = match &self.task {
            Task::Coreset(wanted) => {
                Answer::Coreset(coreset(&self.setting, &chunk, *wanted, digest, run)?)
            }
            Task::Measure(measure) => {
                Answer::Measured(Box::new(measure.over(&self.setting, chunk, digest)?))
            }
        };
        Ok(Found { digest, items, answer })
    }

    /// The pass as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let metric = METRICS.iter().position(|&metric| metric == self.setting.metric);
        out.number(metric.unwrap_or(METRICS.len()) as u64);
        out.number(u64::from(self.setting.objective == Objective::Means));
        out.number(self.setting.seed.0).number(self.setting.bounds as u64);
        match &self.task {
            Task::Coreset(wanted) => out.number(0).number(*wanted as u64),
            Task::Measure(measure) => measure.write(out.number(1)),
        };
        out.0
    }

    /// The pass that [`Pass::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader(bytes);
        let metric = *METRICS.get(reader.number()? as usize).ok_or_else(damaged)?;
        let objective = if reader.number()? == 1 { Objective::Means } else { Objective::Median };
        let (seed, bounds) = (Seed(reader.number()?), reader.number()? as usize);
        let task = match reader.number()? {
            0 => Task::Coreset(reader.number()? as usize),
            1 => Task::Measure(Box::new(Measure::read(&mut reader)?)),
            _ => return Err(damaged()),
        };
        reader.end()?;
        Ok(Self { setting: Setting { metric, objective, seed, bounds }, task })
    }
}

impl Found {
    /// What was found, as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(self.digest).number(self.items);
        match &self.answer {
            Answer::Coreset(chunk) => out.number(0).chunk(chunk),
            Answer::Measured(measured) => measured.write(out.number(1)),
        };
        out.0
    }

    /// What [`Found::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader(bytes);
        let (digest, items) = (reader.number()?, reader.number()?);
        let answer = match reader.number()? {
            0 => Answer::Coreset(reader.chunk()?),
            1 => Answer::Measured(Box::new(Measured::read(&mut reader)?)),
            _ => return Err(damaged()),
        };
        reader.end()?;
        Ok(Self { digest, items, answer })
    }
}

/// The metrics in the order of their numbers in bytes.
const METRICS: [Metric; 7] = [
    Metric::L1,
    Metric::L2,
    Metric::Linf,
    Metric::Hamming,
    Metric::Angular,
    Metric::RootCosine,
    Metric::Haversine,
];
