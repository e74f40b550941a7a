//! Shows progress and how much time is left, and handles Ctrl-C.

use std::io::{self, IsTerminal};
use std::process;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kmedian::{Halt, Run};

use crate::Failure;

/// The exit code after Ctrl-C, as in shells.
pub const INTERRUPTED: u8 = 130;

/// The flag that Ctrl-C sets to end the work.
static HALT: LazyLock<Halt> = LazyLock::new(Halt::default);

/// Handles Ctrl-C: from now on the first one ends the work at its next step, and the second one at
/// once. No row is lost in either case.
pub fn catch_interrupts() {
    let handler = || {
        if HALT.is_stopped() {
            process::exit(i32::from(INTERRUPTED));
        }
        HALT.stop();
        eprintln!("stopping; press Ctrl-C again to quit at once");
    };
    // If no handler can be set, Ctrl-C ends the command at once, which is fine too.
    let _ = ctrlc::set_handler(handler);
}

/// Fails if Ctrl-C was pressed.
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

/// Shows progress: as a bar on a terminal, elsewhere as a line for each part of the work.
pub struct Progress {
    bar: ProgressBar,
    /// Whether lines are printed, because standard error is no terminal.
    speaks: bool,
}

impl Progress {
    /// The progress of work that takes about `seconds`. Only the ratio of a part to that matters.
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

    /// Shows what is being done.
    pub fn say(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    /// Notes that a part of the work is done that was expected to take `seconds`.
    pub fn advance(&self, seconds: f64) {
        self.bar.inc(ticks(seconds));
    }

    /// Prints a line that stays on the screen.
    pub fn note(&self, what: &str) {
        if self.speaks { eprintln!("{what}") } else { self.bar.println(what) }
    }

    /// Reports the end of a named part of the work, with its number of rows and its time.
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

/// Seconds in the unit of the progress bar, milliseconds.
fn ticks(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}
