//! Running cases, and what must hold of each.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use kmedian::Seed;

use crate::command::Command;
use crate::targets::{Target, targets};
use crate::{MEMORY, mutate};

/// No case may take longer. Cases are small, so this is a loop that does not end, or nearly so.
pub const LONGEST: Duration = Duration::from_secs(60);

/// The bytes that a reader may need whatever it reads: 100 MiB. The columns that a table of any
/// length may have take 50 to 64 MiB of it.
const MEMORY_FOR_ALL: usize = 100 << 20;

/// The bytes that a reader may need beside [`MEMORY_FOR_ALL`], for each byte that it reads: a cell
/// of one digit and its separator, two bytes, becomes a number of 8 and its place in a table.
const MEMORY_A_BYTE: usize = 20;

/// Which cases are run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How long all targets take together.
    pub time: Duration,
    /// What the cases are made from.
    pub seed: u64,
    /// The only target, by its name.
    pub target: Option<String>,
    /// The only case.
    pub case: Option<u64>,
    /// The folder for what fails, and for the file of the case that is being run.
    pub folder: PathBuf,
}

/// What was run.
#[derive(Debug, Default)]
pub struct Report {
    /// The name of each target, how many cases it had, how many of them were accepted, and the most
    /// memory that one of them needed, in bytes.
    pub targets: Vec<(String, u64, u64, usize)>,
    /// What failed.
    pub failures: Vec<Failure>,
}

/// A case that failed.
#[derive(Debug)]
pub struct Failure {
    /// The name of the target.
    pub target: String,
    /// The number of the case.
    pub case: u64,
    /// What was wrong.
    pub what: String,
    /// Where the file is kept, if there is one.
    pub file: Option<PathBuf>,
}

/// The case that is being run, and since when: a thread ends the process if it takes too long.
static RUNNING: Mutex<Option<(String, Instant)>> = Mutex::new(None);

fn set_running(what: Option<String>) {
    if let Ok(mut running) = RUNNING.lock() {
        *running = what.map(|what| (what, Instant::now()));
    }
}

fn watch() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            let running = RUNNING.lock().ok().and_then(|running| running.clone());
            if let Some((what, since)) = running
                && since.elapsed() > LONGEST
            {
                eprintln!("fuzz: {what} takes longer than {} s", LONGEST.as_secs());
                std::process::exit(1);
            }
        }
    });
}

/// Runs the plan, the same time for each target. The report is complete even if cases fail; a case
/// that ends the process leaves its file in the folder of the plan.
///
/// # Errors
///
/// If the folder cannot be written.
pub fn run(plan: &Plan) -> std::io::Result<Report> {
    fs::create_dir_all(&plan.folder)?;
    watch();
    let wanted = |name: &str| plan.target.as_deref().is_none_or(|target| target == name);
    let targets: Vec<Target> = targets().into_iter().filter(|t| wanted(t.name)).collect();
    let command = if wanted("command") { Command::find(&plan.folder)? } else { None };
    let count = targets.len() + usize::from(command.is_some());
    let time = plan.time / count.max(1) as u32;
    let mut report = Report::default();
    for target in &targets {
        let mut accepted = 0;
        let mut most = 0;
        let cases = for_each_case(plan, target.name, time, &mut report, |case| {
            let (ok, peak) = read_case(plan, target, case)?;
            accepted += u64::from(ok);
            most = most.max(peak);
            Ok(())
        })?;
        report.targets.push((target.name.to_owned(), cases, accepted, most));
    }
    if let Some(command) = command {
        let mut accepted = 0;
        let cases = for_each_case(plan, "command", time, &mut report, |case| {
            accepted += u64::from(command.run(&mut Seed(plan.seed).stream(&format!("{case}")))?);
            Ok(())
        })?;
        report.targets.push(("command".to_owned(), cases, accepted, 0));
    }
    Ok(report)
}

/// Runs one case after the other until the time is over, and keeps what fails.
fn for_each_case(
    plan: &Plan,
    name: &str,
    time: Duration,
    report: &mut Report,
    mut run: impl FnMut(u64) -> Result<(), (String, Vec<u8>)>,
) -> std::io::Result<u64> {
    let started = Instant::now();
    let mut cases = 0;
    let first = plan.case.unwrap_or(0);
    while started.elapsed() < time && plan.case.is_none_or(|_| cases == 0) {
        let case = first + cases;
        set_running(Some(format!("{name}, seed {}, case {case}", plan.seed)));
        if let Err((what, bytes)) = run(case) {
            let file = plan.folder.join(format!("{name}-{}-{case}", plan.seed));
            fs::write(&file, bytes)?;
            eprintln!("fuzz: {name}, seed {}, case {case}: {what}", plan.seed);
            let target = name.to_owned();
            report.failures.push(Failure { target, case, what, file: Some(file) });
        }
        cases += 1;
    }
    set_running(None);
    Ok(cases)
}

/// Does something, and says how many bytes it needed at once, beyond those that were there before.
pub fn peak_memory<T>(work: impl FnOnce() -> T) -> (T, usize) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let done = work();
    (done, MEMORY.peak_usage().saturating_sub(before))
}

/// Damages a file, reads it, and says whether it was accepted and how much memory that took.
fn read_case(plan: &Plan, target: &Target, case: u64) -> Result<(bool, usize), (String, Vec<u8>)> {
    let mut rng = Seed(plan.seed).stream(&format!("{} {case}", target.name));
    let mut bytes = (target.sample)(&mut rng);
    // One in a hundred is left as it is: it must be accepted.
    let damaged = !case.is_multiple_of(100);
    if damaged {
        mutate::damage(&mut bytes, &mut rng);
    }
    (target.finish)(&mut bytes);
    let path = plan.folder.join(target.file);
    if let Err(error) = fs::write(&path, &bytes) {
        return Err((format!("cannot write {}: {error}", path.display()), bytes));
    }
    let read = || (target.read)(&path, &mut rng);
    let (outcome, peak) = peak_memory(|| catch_unwind(AssertUnwindSafe(read)));
    let fail = |what: String| Err((what, bytes.clone()));
    let (accepted, held) = match outcome {
        Err(_) => return fail("panicked".into()),
        Ok(Ok(held)) => (true, held),
        Ok(Err(message)) if message.is_empty() || message.chars().any(char::is_control) => {
            return fail(format!("the message is not one line: {message:?}"));
        }
        Ok(Err(message)) if !damaged => return fail(format!("a good file is refused: {message}")),
        Ok(Err(_)) => (false, 0),
    };
    // What a compressed file expands to, and was accepted, is what was read.
    let allowed = MEMORY_FOR_ALL + MEMORY_A_BYTE * bytes.len().max(held);
    if peak > allowed {
        return fail(format!("{peak} bytes of memory for a file of {}", bytes.len()));
    }
    Ok((accepted, peak))
}
