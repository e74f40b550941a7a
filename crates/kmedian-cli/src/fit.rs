//! `kmedian fit`: from a file to centers.

mod report;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use kmedian::{Assignment, Clustering, Hst, Init, KMedian, Problem, Seed, TreeKind, TreeSearch};

use crate::args::{FitArgs, InitArg, Ks, SearchArg, TreeArg};
use crate::console;
use crate::failure::{Failure, INTERRUPTED};
use crate::outputs::Outputs;
use crate::progress::{Spinner, catch_interrupts, interrupted};
use crate::threads::in_threads;
use crate::universe::Universe;
use report::{Fitted, centers_table, json, labels_table, summary};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode, Failure> {
    check_outputs(args)?;
    let plan = plan(args)?;
    in_threads(args.run.threads, || fit(args, &plan))?
}

fn check_outputs(args: &FitArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::beside([
        ("the input", Some(args.input.input.as_path())),
        ("the file of weights", args.input.weights.as_deref().map(Path::new)),
    ]);
    outputs.table("--centers", args.out.centers.as_deref())?;
    outputs.table("--labels", args.labels.as_deref())
}

fn fit(args: &FitArgs, plan: &KMedian) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let universe = Universe::read(args.input.source())?;
    let load_time = started.elapsed();
    let ks = Ks::of(args.out.k.as_ref(), &universe)?;
    catch_interrupts();
    let fits = fit_each(args, plan, &universe, &ks)?;

    if let Some(file) = &args.out.centers {
        kmedian_data::write_table(file, &centers_table(&universe, &fits))?;
    }
    if let Some(file) = &args.labels {
        kmedian_data::write_table(file, &labels_table(&universe, &fits))?;
    }
    let text = if args.run.json {
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
    let problem = Problem::new(&*universe.space, &universe.demand, args.goal.objective())?;
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

fn plan(args: &FitArgs) -> Result<KMedian, Failure> {
    let of_tree = args.tree.is_some() || args.levels.is_some() || args.search.is_some();
    if of_tree && !matches!(args.init, InitArg::Auto | InitArg::Hst) {
        let message =
            "--tree, --levels and --search are for --init hst; leave them out or take that";
        return Err(Failure::new(message));
    }
    let init = match args.init {
        InitArg::Auto if !of_tree => Init::Auto,
        InitArg::Random => Init::Random,
        InitArg::Plusplus => Init::PlusPlus,
        InitArg::Greedy => Init::Greedy,
        InitArg::Auto | InitArg::Hst => {
            Init::Hst(Hst { tree: tree(args)?, search: tree_search(args) })
        }
    };
    let plan = KMedian { init, seed: Seed(args.seed), ..KMedian::default() };
    Ok(args.local.checked()?.applied_to(plan))
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
