//! Damaged files for every reader of kmedian, and odd options for the command.
//!
//! Each target makes valid files, and each case damages one: bytes are flipped, cut out, repeated,
//! replaced by numbers that are too large. The reader may accept the file or refuse it in one line.
//! It must not panic, take longer than [`LONGEST`], or need more memory than 100 MiB and twenty
//! times what it read. A case is made from a seed and its number alone, so it can be made again:
//!
//! ```text
//! cargo xtask fuzz 60                        an hour over all targets
//! cargo run -p kmedian-fuzz -- --seconds 10 --target parquet --seed 7 --case 1234
//! ```
//!
//! What fails is kept under `target/fuzz`.

mod command;
mod mutate;
mod options;
mod run;
mod samples;
mod sparse;
mod targets;

pub use run::{Failure, LONGEST, Plan, Report, peak_memory, run};

/// Counts the bytes that readers allocate, and the most at once.
#[global_allocator]
pub(crate) static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
