//! `kmedian fit`: finds centers among the items of a file.

mod choose;
mod large;
mod report;

use std::path::Path;
use std::time::{Duration, Instant};

use kmedian::{Clustering, Effort, Hst, Init, KMedian, Problem, Proof, Seed};
use kmedian_data::demand_files;

use crate::args::{FitArgs, Ks};
use crate::console;
use crate::demand;
use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::geojson;
use crate::outputs::{MAP, Outputs, PAGE};
use crate::pictures::{Pictures, page_title};
use crate::progress::{Spinner, catch_interrupts, interrupted};
use crate::threads::in_threads;
use crate::universe::Universe;
use report::{centers_table, json, labels_table, shown, summary};

pub(crate) fn run(args: &FitArgs) -> Result<u8, Failure> {
    if large::is_asked_for(args) {
        large::check(args)?;
        return in_threads(args.run.threads, || large::fit(args))?;
    }
    check_outputs(args)?;
    let plan = plan(args)?;
    in_threads(args.run.threads, || fit(args, plan))?
}

fn check_outputs(args: &FitArgs) -> Result<(), Failure> {
    let mut outputs = Outputs::beside([
        ("the input", Some(args.input.input.as_path())),
        ("the file of weights", args.input.weights.as_deref().map(Path::new)),
        ("the file of sites", args.sites.as_deref()),
        ("the file of candidates", args.goal.candidates.as_deref().map(Path::new)),
        ("the file of fixed centers", args.goal.fixed.as_deref().map(Path::new)),
        ("the positions", args.input.space.positions.as_deref()),
    ]);
    let demand = args.demand.demand.iter().chain(&args.demand.clients);
    let demand = demand.map(|path| demand_files(path)).collect::<Result<Vec<_>, _>>()?;
    demand.iter().flatten().for_each(|file| outputs.input("the demand", file));
    outputs.table("--centers", args.out.centers.as_deref())?;
    outputs.named("--geojson", args.out.geojson.as_deref(), MAP)?;
    outputs.named("--report", args.out.report.as_deref(), PAGE)?;
    outputs.table("--labels", args.labels.as_deref())
}

fn fit(args: &FitArgs, mut plan: KMedian) -> Result<u8, Failure> {
    let started = Instant::now();
    let mut universe = Universe::read(args.source())?;
    let of_table = demand::read(&args.demand, &args.input.space, &args.input.input, &universe)?;
    if let Some(demand) = of_table {
        universe.demand = demand;
    }
    let load_time = started.elapsed();
    let ks = Ks::of(args.out.k.as_ref(), &universe)?;
    if args.out.geojson.is_some() {
        geojson::check(&universe)?;
    }
    let pictures = Pictures::of(&universe, args.out.image_shape)?;
    catch_interrupts();
    let left = |limit: Duration| limit.saturating_sub(started.elapsed());
    plan.search.time_limit = plan.search.time_limit.map(left);
    let fits = fit_each(args, &plan, &universe, &ks)?;

    if let Some(file) = &args.out.centers {
        kmedian_data::write_table(file, &centers_table(&universe, &fits))?;
    }
    if let Some(file) = &args.labels {
        kmedian_data::write_table(file, &labels_table(&universe, &fits))?;
    }
    if let Some(file) = &args.out.geojson {
        geojson::write(
            file,
            &universe,
            &fits.iter().map(|fit| shown(&universe, fit)).collect::<Vec<_>>(),
        )?;
    }
    if let Some(file) = &args.out.report {
        let title = page_title(&args.input.input);
        let page = pictures.with_subject(&universe, &title, args.goal.objective, |subject| {
            kmedian_report::fit_page(subject, &universe.demand, &fits)
        });
        kmedian_data::write_atomically(file, |out| out.write_all(page.as_bytes()))?;
    }
    let text = if args.run.json {
        json(args, &universe, &fits, load_time)
    } else {
        summary(args, &universe, &fits, load_time)
    };
    console::print(&text)?;
    if let Some(time) = fits.iter().filter_map(|fit| fit.certifying).max() {
        console::note(&report::uncertified(time));
    }
    if let Some(text) = args.gap.and_then(|asked| report::unproven(asked, &fits)) {
        console::note(&text);
    }
    if let Some(text) = plan.search.time_limit.and_then(|limit| report::overdue(limit, &fits)) {
        console::note(&text);
    }
    Ok(if interrupted() { INTERRUPTED } else { DONE })
}

/// Fits every k, all from one tree. After Ctrl-C, the k that was being fitted is the last.
fn fit_each(
    args: &FitArgs,
    plan: &KMedian,
    universe: &Universe,
    ks: &[usize],
) -> Result<Vec<Clustering>, Failure> {
    let problem = Problem::of(&*universe.space)
        .demand(&universe.demand)
        .objective(universe.objective(args.goal.objective)?)
        .sites(&universe.sites)
        .build()?;
    ks.iter().try_for_each(|&k| problem.check_k(k))?;
    let mut spinner = Spinner::new();
    let prepared = plan.prepare(&problem, &mut spinner.run())?;
    let found = prepared.fit_each(ks, &mut spinner.run())?.into_iter();
    Ok(found.map(|found| universe.dissimilarity.restate(found)).collect())
}

fn plan(args: &FitArgs) -> Result<KMedian, Failure> {
    let of_tree = args.tree.is_some() || args.levels.is_some() || args.search.is_some();
    let init = match &args.init {
        Init::Auto | Init::Hst(_) if of_tree => Init::Hst(hst(args)?),
        _ if of_tree => {
            let message =
                "--tree, --levels and --search are for --init hst; leave them out or take that";
            return Err(Failure::new(message));
        }
        init => init.clone(),
    };
    let search = args.local.checked()?;
    if args.gap.is_some() && search.local.effort == Effort::Optimal {
        let message = "--effort optimal proves a gap of 0; leave out that or --gap";
        return Err(Failure::new(message));
    }
    let proof = match args.gap {
        Some(gap) => Proof::Gap(gap),
        None if args.bound => Proof::Bound,
        None => Proof::None,
    };
    let plan = KMedian { init, proof, seed: Seed(args.seed), ..KMedian::default() };
    Ok(search.applied_to(plan))
}

fn hst(args: &FitArgs) -> Result<Hst, Failure> {
    let tree = args.tree.unwrap_or_default();
    let tree = args.levels.map_or(Ok(tree), |levels| tree.with_levels(levels));
    Ok(Hst { tree: tree?, search: args.search.unwrap_or_default() })
}
