//! `kmedian fit`: from a file to centers.

use std::path::{self, Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kmedian::{
    Assignment, Clustering, Effort, Hst, Init, KMedian, LocalSearch, Objective, Problem, Seed,
    Strategy, TreeKind, TreeSearch,
};

use crate::args::{EffortArg, FitArgs, InitArg, ObjectiveArg, SearchArg, SwapArg, TreeArg};
use crate::console;
use crate::failure::{Failure, INTERRUPTED};
use crate::output::{Fitted, centers_table, json, labels_table, summary};
use crate::progress::{Spinner, catch_interrupts, interrupted};
use crate::universe::Universe;

/// More than any machine has cores; creating them would take longer than the work.
const MOST_THREADS: usize = 4096;

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    check_outputs(args)?;
    let plan = plan(args)?;
    in_threads(args.threads, || fit(args, &plan))?
}

/// Outputs must be writable, and must overwrite neither the inputs nor each other.
fn check_outputs(args: &FitArgs) -> Result<(), Failure> {
    let mut taken = vec![("the input", args.input.input.as_path())];
    taken
        .extend(args.input.weights.as_deref().map(|file| ("the file of weights", Path::new(file))));
    for (option, file) in [("--centers", &args.centers), ("--labels", &args.labels)] {
        let Some(file) = file else { continue };
        kmedian_data::check_table_path(file)?;
        if let Some((what, _)) = taken.iter().find(|(_, other)| same_file(file, other)) {
            let file = file.display();
            return Err(Failure::new(format!(
                "{option} {file}: would overwrite {what}; choose another name"
            )));
        }
        taken.push(("what --centers writes", file));
    }
    Ok(())
}

/// Whether two paths lead to one file, be it there or not.
fn same_file(a: &Path, b: &Path) -> bool {
    real_path(a).is_some_and(|a| real_path(b) == Some(a))
}

/// The path without links and detours; the last part of it need not exist.
fn real_path(path: &Path) -> Option<PathBuf> {
    let path = path::absolute(path).ok()?;
    path.canonicalize()
        .ok()
        .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

fn fit(args: &FitArgs, plan: &KMedian) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let universe = Universe::read(&args.input)?;
    let load_time = started.elapsed();
    let ks = ks(args, &universe)?;
    catch_interrupts();
    let fits = fit_each(args, plan, &universe, &ks)?;

    if let Some(file) = &args.centers {
        kmedian_data::write_table(file, &centers_table(&universe, &fits))?;
    }
    if let Some(file) = &args.labels {
        kmedian_data::write_table(file, &labels_table(&universe, &fits))?;
    }
    let text = if args.json {
        json(args, &universe, &fits, load_time)
    } else {
        summary(args, &universe, &fits, load_time)
    };
    console::print(&text)?;
    Ok(if interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Fits every k, all from one tree; after Ctrl-C only those that have been begun.
fn fit_each(
    args: &FitArgs,
    plan: &KMedian,
    universe: &Universe,
    ks: &[usize],
) -> Result<Vec<Fitted>, Failure> {
    let problem = Problem::new(&*universe.space, &universe.demand, objective(args))?;
    let mut spinner = Spinner::new();
    let prepared = plan.prepare(&problem, &mut spinner)?;
    let mut fits = Vec::new();
    for &k in ks {
        let clustering: Clustering = prepared.fit(k, &mut spinner)?;
        let assignment = Assignment::new(problem.space, &clustering.centers);
        fits.push(Fitted { clustering, assignment });
        if interrupted() {
            break;
        }
    }
    Ok(fits)
}

/// Runs the work on a number of threads.
fn in_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let Some(threads) = threads else { return Ok(work()) };
    if threads == 0 {
        return Err(Failure::new("--threads 0: at least one thread has to do the work"));
    }
    if threads > MOST_THREADS {
        return Err(Failure::new(format!("--threads {threads}: choose 1 to {MOST_THREADS}")));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::new(format!("--threads {threads}: {error}")))?;
    Ok(pool.install(work))
}

/// The numbers of centers to fit, checked before any work is done.
fn ks(args: &FitArgs, universe: &Universe) -> Result<Vec<usize>, Failure> {
    let ks = match (&args.k, universe.k) {
        (Some(ks), _) => ks.0.clone(),
        (None, Some(k)) => vec![k],
        (None, None) => {
            return Err(Failure::new("how many centers? say so with -k, for example -k 10"));
        }
    };
    let n = universe.len();
    match ks.iter().find(|&&k| k == 0 || k > n) {
        Some(k) => {
            Err(Failure::new(format!("-k {k}: from {n} items, 1 to {n} centers can be chosen")))
        }
        None => Ok(ks),
    }
}

pub(crate) fn objective(args: &FitArgs) -> Objective {
    match args.objective {
        ObjectiveArg::Median => Objective::Median,
        ObjectiveArg::Means => Objective::Means,
    }
}

fn plan(args: &FitArgs) -> Result<KMedian, Failure> {
    let of_tree = args.tree.is_some() || args.levels.is_some() || args.search.is_some();
    if of_tree && args.init != InitArg::Hst {
        let message =
            "--tree, --levels and --search are for --init hst; leave them out or take that";
        return Err(Failure::new(message));
    }
    let init = match args.init {
        InitArg::Random => Init::Random,
        InitArg::Plusplus => Init::PlusPlus,
        InitArg::Greedy => Init::Greedy,
        InitArg::Hst => Init::Hst(Hst { tree: tree(args)?, search: tree_search(args) }),
    };
    let strategy = match args.swap {
        SwapArg::Eager => Strategy::Eager,
        SwapArg::Best => Strategy::Best,
    };
    let time_limit = args.time_limit.map(time_limit).transpose()?.flatten();
    let alpha = alpha(args.alpha)?;
    let search = LocalSearch {
        strategy,
        alpha,
        max_swaps: args.max_swaps,
        time_limit,
        effort: effort(args)?,
    };
    Ok(KMedian { init, search, restarts: args.restarts, seed: Seed(args.seed) })
}

fn effort(args: &FitArgs) -> Result<Effort, Failure> {
    match (args.swap, args.effort) {
        (_, EffortArg::Certified) => Ok(Effort::Certified),
        (SwapArg::Best, _) => Err(Failure::new(
            "--effort: the best of all swaps is always certified; use --swap eager",
        )),
        (SwapArg::Eager, EffortArg::Fast) => Ok(Effort::Fast),
        (SwapArg::Eager, EffortArg::Balanced) => Ok(Effort::Balanced),
    }
}

fn tree(args: &FitArgs) -> Result<TreeKind, Failure> {
    Ok(match (args.tree.unwrap_or(TreeArg::Fitted), args.levels) {
        (TreeArg::Frt, Some(_)) => {
            return Err(Failure::new("--levels: an frt tree finds its own levels"));
        }
        (TreeArg::Frt, None) => TreeKind::Frt,
        (TreeArg::Ball, levels) => TreeKind::Ball { levels: levels.unwrap_or(6) },
        (TreeArg::Grid, levels) => TreeKind::Grid { levels: levels.unwrap_or(10) },
        (TreeArg::Fitted, None) => TreeKind::default(),
        (TreeArg::Fitted, Some(levels)) => TreeKind::Fitted { branching: 16, levels },
    })
}

fn tree_search(args: &FitArgs) -> TreeSearch {
    match args.search {
        None | Some(SearchArg::Exact) => TreeSearch::Exact,
        Some(SearchArg::Paper) => TreeSearch::Paper,
    }
}

fn alpha(share: f64) -> Result<f64, Failure> {
    if share >= 0.0 && share.is_finite() {
        return Ok(share);
    }
    Err(Failure::new(format!("--alpha {share}: give a number, 0 or more")))
}

/// A limit that is too long for a duration is none.
fn time_limit(seconds: f64) -> Result<Option<Duration>, Failure> {
    if seconds >= 0.0 {
        return Ok(Duration::try_from_secs_f64(seconds).ok());
    }
    Err(Failure::new(format!("--time-limit {seconds}: give a number of seconds, 0 or more")))
}
