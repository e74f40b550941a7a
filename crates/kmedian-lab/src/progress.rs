//! What is going on and how long it will take, and Ctrl-C.

use std::io::{self, IsTerminal};
use std::process;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kmedian::{Halt, Run};

use crate::Failure;

/// The exit code after Ctrl-C, as shells have it.
pub const INTERRUPTED: u8 = 130;

static HALT: LazyLock<Halt> = LazyLock::new(Halt::default);

/// From now on, the first Ctrl-C ends the work at the next step, the second ends it at once. Either
/// way no row is lost.
pub fn catch_interrupts() {
    let handler = || {
        if HALT.is_stopped() {
            process::exit(i32::from(INTERRUPTED));
        }
        HALT.stop();
        eprintln!("stopping; press Ctrl-C again to quit at once");
    };
    // Without a handler Ctrl-C just ends the command, which is fine too.
    let _ = ctrlc::set_handler(handler);
}

/// Fails if the user asked to stop.
///
/// # Errors
/// If Ctrl-C was pressed.
pub fn check_interrupt() -> Result<(), Failure> {
    if HALT.is_stopped() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// A run of an algorithm that Ctrl-C ends.
pub fn run() -> Run<'static> {
    Run::default().halted_by(&HALT)
}

/// A bar on a terminal; elsewhere, one line for each part of the work.
pub struct Progress {
    bar: ProgressBar,
    speaks: bool,
}

impl Progress {
    /// The progress of work that takes about `seconds`: what counts is how the parts compare.
    pub fn new(seconds: f64) -> Self {
        let bar = ProgressBar::new(ticks(seconds));
        let template =
            "{wide_bar} {percent:>3}%, {eta} left, {elapsed} so far\n{spinner} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, speaks: !io::stderr().is_terminal() }
    }

    /// Says what is being done.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    /// A part of the work is done that was expected to take `seconds`.
    pub fn advance(&self, seconds: f64) {
        self.bar.inc(ticks(seconds));
    }

    /// Says something that stays to be read.
    pub fn note(&self, what: &str) {
        if self.speaks { eprintln!("{what}") } else { self.bar.println(what) }
    }

    /// A named part of the work is over.
    pub fn end(&self, what: &str, rows: usize, started: Instant) {
        if self.speaks {
            eprintln!("{what}: {rows} rows in {:.1} s", started.elapsed().as_secs_f64());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The bar counts whole thousandths of a second.
fn ticks(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}
