//! Centers of more items than memory holds.

mod chunk;
mod coreset;
mod driver;
mod fit;
mod ground;
mod measure;
mod pass;
#[cfg(test)]
mod tests;
mod wire;

pub use chunk::{Chunk, UNKNOWN_PLACE};
pub use fit::{InRounds, RoundsFit};
pub use pass::{Found, Pass};

use crate::{Error, ErrorKind, Metric, Objective, Run, Seed, Step};

/// The bytes that a chunk takes for each value of a row: as it was read, in 32 bits, and in the
/// copies that a search makes of it.
const PER_VALUE: usize = 24;

/// The bytes that a chunk takes for each row, whatever it holds: what a search keeps of an item.
const PER_ROW: usize = 160;

/// The share of the memory that a search may use for bounds of distances.
const BOUNDS: usize = 4;

/// How many weighted items stand for all, as a multiple of k, where memory allows: with more of
/// them a search on them takes longer, and the rounds correct it anyway.
const CORESET: usize = 128;

/// The fewest weighted items of a chunk, as a multiple of k: k items that are found without swaps
/// are too few. With 76 chunks of 26,316 items each, k = 100, they ended at a cost 5 % higher.
const LEAST_OF_CHUNK: usize = 2;

/// The most weighted items of a chunk, as a multiple of k.
const MOST_OF_CHUNK: usize = 8;

/// The fewest items of a chunk, as a multiple of k, if there are so many: of fewer, t·k of them
/// would be too large a part to be worth finding.
const LEAST_CHUNK: usize = 16;

/// The fewest items that memory must hold, as a multiple of k.
const LEAST_MEMORY: usize = 4;

/// Finds centers of vectors that are read chunk by chunk, again and again, and never all at once.
///
/// 1. Of each chunk, t·k weighted centers are found on a tree ([`Init::Hst`]), without swaps;
///    together they stand for all items (composable coresets in general metrics: Mazzetto,
///    Pietracaprina, Pucci 2019). The fewer chunks there are, the larger is t, from 2 to 8, so that
///    128·k of them stand for all items where memory holds so many.
/// 2. The union of these, the coreset, is clustered, which gives the first k centers.
/// 3. Every round goes once over all items. It measures the cost of the centers, what each of them
///    serves, and the cost of its items if one of 16 candidates took its place. It measures what
///    exchanges over longer distances would cost, which a search on the coreset has found. And it
///    draws new candidates: near the centers, and from where the cost is high. Then each center
///    gives way to its best candidate, if that costs less, which never raises the cost, or the
///    exchanges are done, if these are better. Rounds end once one lowers the cost by less than the
///    tolerance.
///
/// Rounds with one seed over the same chunks find the same centers, whatever the order of the
/// chunks and the number of threads: what is drawn of a chunk follows from the seed and the chunk's
/// own numbers, and sums are added in the order of their hashes.
///
/// [`Rounds::fit`] does all of it, where one machine reads all items. Where others do, as in a
/// cluster, [`Rounds::begin`] says what to ask of every chunk ([`Pass`]), and is told what was
/// [`Found`].
///
/// [`Init::Hst`]: crate::Init::Hst
///
/// ```
/// use kmedian::rounds::{Chunk, Rounds, Source};
/// use kmedian::{Error, Run};
///
/// /// The numbers 0 to 999 on a line, 100 of which are in memory at once.
/// struct Line;
///
/// impl Source for Line {
///     type Error = Error;
///
///     fn each(
///         &mut self,
///         rows: usize,
///         take: &mut dyn FnMut(Chunk) -> Result<(), Error>,
///     ) -> Result<(), Error> {
///         let all: Vec<u64> = (0..1000).collect();
///         all.chunks(rows.min(100)).try_for_each(|places| {
///             let rows = places.iter().map(|&place| place as f32).collect();
///             let weights = vec![1.0; places.len()];
///             take(Chunk { dims: 1, rows, weights, places: places.to_vec() })
///         })
///     }
/// }
///
/// let plan = Rounds { memory: 1 << 20, ..Rounds::new(2) };
/// let found = plan.fit(&mut Line, 1, 1000, &mut Run::default())?;
/// assert!(found.cost <= 1.01 * 125_000.0);
/// assert_eq!(found.sizes.iter().sum::<f64>(), 1000.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// The number of centers.
    pub k: usize,
    /// How far two vectors are apart.
    pub metric: Metric,
    /// What a distance costs.
    pub objective: Objective,
    /// The seed of all that is drawn.
    pub seed: Seed,
    /// The bytes of memory that a chunk may take, with all that is computed of it.
    pub memory: usize,
    /// Rounds end once one lowers the cost by less than this share of it.
    pub tolerance: f64,
    /// The most rounds that improve the centers.
    pub most_rounds: usize,
}

/// Items that can be gone over again and again, some at a time.
pub trait Source {
    /// What may go wrong.
    type Error: From<Error>;

    /// Goes over all items: calls `take` with at most `rows` of them at a time, always with the
    /// same.
    ///
    /// # Errors
    /// If the items cannot be read, or if `take` fails.
    fn each(
        &mut self,
        rows: usize,
        take: &mut dyn FnMut(Chunk) -> Result<(), Self::Error>,
    ) -> Result<(), Self::Error>;
}

impl Rounds {
    /// A plan for so many centers: k-median under l2, 1 GiB, at most ten rounds, until one gains
    /// less than 0.1 %.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            metric: Metric::L2,
            objective: Objective::Median,
            seed: Seed(0),
            memory: 1 << 30,
            tolerance: 1e-3,
            most_rounds: 10,
        }
    }

    /// The most rows of a chunk of so many items with `dims` coordinates.
    ///
    /// # Errors
    /// If memory holds less than four rows for each center, if k is 0 or more than there are items,
    /// or if the tolerance is no share.
    pub fn rows_of_chunk(&self, dims: usize, items: u64) -> Result<usize, Error> {
        let parameter = |message: String| Err(Error::new(ErrorKind::Parameter, message));
        let Self { k, memory, tolerance, .. } = *self;
        if items == 0 {
            return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
        }
        if k == 0 || k as u64 > items {
            return parameter(format!(
                "k = {k} centers cannot be chosen from {items} items; k must be 1 to {items}"
            ));
        }
        if !(0.0..1.0).contains(&tolerance) {
            return parameter(format!("a tolerance of {tolerance} is no share; give 0 to 1"));
        }
        let each = PER_VALUE.saturating_mul(dims).saturating_add(PER_ROW);
        let held = (memory / each).min(u32::MAX as usize / 2);
        if held < LEAST_MEMORY.saturating_mul(k) && (held as u64) < items {
            let least = LEAST_MEMORY.saturating_mul(k).saturating_mul(each);
            return parameter(format!(
                "{memory} bytes of memory are too little for chunks of {LEAST_MEMORY}·k rows; give at least {least}, \
                 or fewer centers"
            ));
        }
        if held as u64 >= items {
            return Ok(held);
        }
        // With t = 2, so many chunks together have the wanted number of weighted items.
        let wanted = usize::try_from(items / (CORESET as u64 / 2)).unwrap_or(usize::MAX);
        Ok(wanted.max(LEAST_CHUNK.saturating_mul(k)).min(held).max(1))
    }

    /// Finds centers of a source of so many items with `dims` coordinates.
    ///
    /// If the run is ended after the first round, the best centers that were measured are the
    /// result.
    ///
    /// # Errors
    /// If the source fails, if a parameter is out of its range (see [`Rounds::rows_of_chunk`]), if
    /// items are no vectors of the metric, or if the run is ended before the first round is over.
    pub fn fit<S: Source>(
        &self,
        source: &mut S,
        dims: usize,
        items: u64,
        run: &mut Run<'_>,
    ) -> Result<RoundsFit, S::Error> {
        let rows = self.rows_of_chunk(dims, items)?;
        let mut fit = self.begin(dims, items, items.div_ceil(rows as u64))?;
        while let Some(pass) = fit.pass().cloned() {
            let (mut found, mut done) = (Vec::new(), 0);
            let mut ended = false;
            let gone = source.each(rows, &mut |chunk| {
                done += chunk.len() as u64;
                let over = pass.over(chunk, run).and_then(|over| {
                    found.push(over);
                    let step = Step::Chunk { round: fit.round(), items: done, of: items };
                    Ok(run.step(&step)?)
                });
                ended = matches!(&over, Err(error) if error.kind() == ErrorKind::Cancelled);
                Ok(over?)
            });
            match gone {
                Err(_) if ended && fit.end_early() => break,
                gone => gone?,
            }
            fit.take(found, run)?;
        }
        Ok(fit.finish()?)
    }
}
