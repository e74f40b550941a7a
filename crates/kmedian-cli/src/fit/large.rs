//! `kmedian fit` of more items than memory holds: a folder or a pattern of files, or one large file
//! with --chunked, read chunk by chunk in every round.

mod files;
mod labels;
mod report;

use std::path::Path;
use std::time::Instant;

use kmedian::Seed;
use kmedian::rounds::Rounds;

use crate::args::FitArgs;
use crate::console;
use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::outputs::Outputs;
use crate::progress::{Spinner, catch_interrupts, interrupted, say_before_the_end};
use files::Files;

/// The memory that chunks take where none is given: 1 GiB.
const MEMORY: usize = 1 << 30;

/// Whether the items are to be read chunk by chunk: that was asked for, or they are in a folder, or
/// in files that a pattern names.
pub(super) fn is_asked_for(args: &FitArgs) -> bool {
    let path = &args.input.input;
    let whole = args.input.space.graph || args.input.space.is_matrix() || args.rectangular;
    args.chunked || (!whole && (path.is_dir() || is_pattern(path)))
}

/// Whether no file has this name, and it looks like a pattern.
fn is_pattern(path: &Path) -> bool {
    !path.exists() && path.to_str().is_some_and(|name| name.contains(['*', '?', '[']))
}

/// Refuses options that need all items at once.
pub(super) fn check(args: &FitArgs) -> Result<(), Failure> {
    let (how, goal, out) = (&args.input.space, &args.goal, &args.out);
    let given = [
        (how.graph, "--graph"),
        (how.is_matrix(), "--matrix"),
        (args.rectangular, "--rectangular"),
        (args.sites.is_some(), "--sites"),
        (goal.candidates.is_some(), "--candidates"),
        (goal.fixed.is_some(), "--fixed"),
        (args.demand.demand.is_some(), "--demand"),
        (args.demand.clients.is_some(), "--clients"),
        (out.geojson.is_some(), "--geojson"),
        (out.report.is_some(), "--report"),
        (args.init != kmedian::Init::default(), "--init"),
        (args.tree.is_some(), "--tree"),
        (args.levels.is_some(), "--levels"),
        (args.search.is_some(), "--search"),
        (args.bound, "--bound"),
        (args.gap.is_some(), "--gap"),
        (how.skip_missing, "--skip-missing"),
        (how.keep_columns.is_some(), "--keep-columns"),
        (how.positions.is_some(), "--positions"),
    ];
    let given = given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option);
    let option = given.or_else(|| args.local.any_but_memory());
    match option {
        None => Ok(()),
        Some(option) => Err(Failure::new(format!(
            "{option} is for items that fit memory, but these are read in chunks; leave it out, or give one file"
        ))),
    }
}

/// Checks where results go, among all files that are read.
fn check_outputs(args: &FitArgs, files: &Files) -> Result<(), Failure> {
    let mut outputs = Outputs::beside([]);
    files.paths().iter().for_each(|file| outputs.input("the input", file));
    outputs.table("--centers", args.out.centers.as_deref())?;
    outputs.table("--labels", args.labels.as_deref())
}

pub(super) fn fit(args: &FitArgs) -> Result<u8, Failure> {
    let started = Instant::now();
    let k = match args.out.k.as_ref().map(|ks| ks.0.as_slice()) {
        Some([k]) => *k,
        Some(_) => {
            return Err(Failure::new(
                "-k: of items that are read in chunks, one number of centers at a time; give one",
            ));
        }
        None => return Err(Failure::new("how many centers? say so with -k, for example -k 10")),
    };
    let mut files = Files::open(args)?;
    check_outputs(args, &files)?;
    let mut spinner = Spinner::new();
    spinner.say("counting rows");
    let items = files.count()?;
    let metric = args.input.space.vector_metric();
    let objective = args.input.space.metric.objective(args.goal.objective)?;
    let plan = Rounds {
        metric,
        objective,
        seed: Seed(args.seed),
        memory: args.local.memory().unwrap_or(MEMORY),
        ..Rounds::new(k)
    };
    if k == 0 || k as u64 > items {
        let items = console::counted(items as usize, "item");
        return Err(Failure::new(format!(
            "-k {k}: from {items}, 1 to as many centers can be chosen"
        )));
    }
    let dims = files.dims()?;
    plan.rows_of_chunk(dims, items).map_err(|error| Failure::new(format!("--memory: {error}")))?;
    catch_interrupts();
    let found = plan.fit(&mut files, dims, items, &mut spinner.run());
    let found = found.map_err(|wrong| wrong.told(&files))?;
    drop(spinner);
    say_before_the_end(
        "stopped before all labels were written; there is no file of them".to_owned(),
    );
    let ids = match &args.labels {
        Some(file) => labels::write(file, &files, args.input.space.metric, &plan, &found)?,
        None => files.ids_of(&found.centers.places)?,
    };
    if let Some(file) = &args.out.centers {
        kmedian_data::write_table(file, &report::centers_table(&files, &found, ids.as_deref()))?;
    }
    let seconds = started.elapsed();
    let text = if args.run.json {
        report::json(args, &files, &found, ids.as_deref(), seconds)
    } else {
        report::summary(args, &files, &found, ids.as_deref(), seconds)
    };
    console::print(&text)?;
    Ok(if interrupted() { INTERRUPTED } else { DONE })
}
