//! Shows progress on a terminal, and handles signals that ask the command to end.

use std::ops::ControlFlow;
use std::process;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kmedian::{Halt, Observer, Run, Step};

use crate::console::{self, error, note, number};
use crate::failure::INTERRUPTED;

/// The flag that a signal sets to end the work; every run of the command is given it.
static HALT: LazyLock<Halt> = LazyLock::new(Halt::default);

/// The error to print if a signal comes now, which then ends the command at once. `None` while the
/// work can end with what it has.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// Handles signals: Ctrl-C, SIGTERM (with which containers, schedulers and `timeout` end a command)
/// and SIGHUP (its terminal is gone). From now on, a signal ends the command at once, with an error
/// that says so.
pub(crate) fn end_on_signals() {
    say_before_the_end("stopped before there was a result; nothing was written".to_owned());
    let handler = || {
        let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(words) = words {
            error(&words);
            process::exit(i32::from(INTERRUPTED));
        }
        if interrupted() {
            process::exit(i32::from(INTERRUPTED));
        }
        HALT.stop();
        note("stopping with what there is; press Ctrl-C again to quit at once");
    };
    // If no handler can be set, a signal ends the command without a message, which is fine too.
    let _ = ctrlc::set_handler(handler);
    survive_size_limits();
}

/// Makes a write beyond the limit of a file's size (`ulimit -f`, quotas of schedulers) fail, as on
/// a full disk. By default its signal, SIGXFSZ, would end the command without a message and with
/// unfinished files.
#[cfg(unix)]
fn survive_size_limits() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // Nobody reads the flag: it is enough that the signal is handled.
    let flag = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag);
}

#[cfg(not(unix))]
fn survive_size_limits() {}

/// From now on, a signal ends the command at once, with this error, because the work cannot end
/// with what it has.
pub(crate) fn say_before_the_end(words: String) {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
}

/// From now on, the first signal asks the work to end with what it has, and the second ends it at
/// once.
pub(crate) fn catch_interrupts() {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Whether Ctrl-C was pressed, or the command was asked to end by SIGTERM or SIGHUP.
pub(crate) fn interrupted() -> bool {
    HALT.is_stopped()
}

/// One in this many candidates must be settled before it is said how long the others take: fewer
/// tell too little.
const FEW_SETTLED: usize = 20;

/// A line on the terminal that says what is going on. It is not shown where there is no terminal.
pub(crate) struct Spinner {
    bar: ProgressBar,
    started: Instant,
    /// How many candidates were settled at the last step of a local search, and since when their
    /// number has only grown.
    settling: (usize, Instant),
}

impl Spinner {
    pub(crate) fn new() -> Self {
        let bar =
            if console::is_quiet() { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let now = Instant::now();
        Self { bar, started: now, settling: (0, now) }
    }

    /// A run whose steps this spinner shows, and which signals end.
    pub(crate) fn run(&mut self) -> Run<'_> {
        Run::observed_by(self).halted_by(&HALT)
    }

    pub(crate) fn say(&mut self, what: &str) {
        self.bar.set_message(what.to_string());
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Spinner {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        self.bar.suspend(console::show_notes);
        let what = match *step {
            Step::TreeLevel { depth, cells } => format!("tree: level {depth}, {cells} cells"),
            Step::Ranked { items, of } => format!("tree: {items} of {of} items ranked"),
            Step::Seeded { centers, of } => format!("initial centers: {centers} of {of}"),
            Step::SearchStarted { cost } => format!("local search: cost {}", number(cost)),
            Step::Preparing { cost, swaps, time } => {
                let (cost, seconds) = (number(cost), time.as_secs_f64());
                format!(
                    "local search: cost {cost}, {swaps} swaps, bounds of all distances: about {seconds:.0} s"
                )
            }
            Step::Judged { settled, of, cost, swaps } => {
                let (share, left) = (100 * settled / of.max(1), self.left_to_settle(settled, of));
                let cost = number(cost);
                format!("local search: cost {cost}, {swaps} swaps, {share}% settled{left}")
            }
            Step::Selected { swaps, of } => format!("private search: {swaps} of {of} swaps"),
            Step::Simulated { scenario, runs, of } => {
                format!("{scenario}: {runs} of {of} runs done{}", self.left(runs, of))
            }
            Step::Chunk { round, items, of } => {
                let share = 100 * items / of.max(1);
                match round {
                    0 => format!("weighted items that stand for all: {share}% of the items"),
                    round => format!("round {round}: {share}% of the items"),
                }
            }
            Step::Round { round, cost } => {
                format!("round {}: cost {}", round + 1, number(cost))
            }
            Step::Restarted { restarts, best } => {
                format!("restart {restarts}: best cost {}", number(best))
            }
            Step::Bounded { bound, cost, .. } => {
                format!("bound: cost {}, no centers cost less than {}", number(cost), number(bound))
            }
            _ => return ControlFlow::Continue(()),
        };
        self.say(&what);
        ControlFlow::Continue(())
    }
}

impl Spinner {
    /// About how long the rest takes, in words; empty before any of it is done.
    fn left(&self, done: usize, of: usize) -> String {
        if done == 0 {
            return String::new();
        }
        time_left(self.started, done, of)
    }

    /// About how long it takes until all candidates are settled if no further swap improves the
    /// centers, in words; empty while too few are.
    fn left_to_settle(&mut self, settled: usize, of: usize) -> String {
        if settled < self.settling.0 {
            self.settling.1 = Instant::now();
        }
        self.settling.0 = settled;
        if settled < of.div_ceil(FEW_SETTLED) {
            return String::new();
        }
        time_left(self.settling.1, settled, of)
    }
}

/// About how long the rest takes, in words, if what is done so far was begun at `since`.
fn time_left(since: Instant, done: usize, of: usize) -> String {
    let each = since.elapsed().as_secs_f64() / done as f64;
    format!(", about {:.0} s left", each * of.saturating_sub(done) as f64)
}
