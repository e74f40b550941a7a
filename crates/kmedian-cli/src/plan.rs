//! `kmedian plan`: what private centers would cost for several ε, simulated on made-up demand over
//! the public items. It reads no private record, so it spends nothing.

mod chart;
mod plot;
mod svg;

use std::path::Path;

use kmedian::Seed;
use kmedian::privacy::{PlanCurve, Planner, Protection, Unit};
use kmedian_report::{PlanSubject, plan_page};
use serde_json::{Value, json};

use crate::args::{Ks, PlanArgs, Search};
use crate::console::{self, table};
use crate::failure::{DONE, Failure};
use crate::outputs::{Outputs, PAGE};
use crate::pictures::page_title;
use crate::progress::Spinner;
use crate::threads::in_threads;
use crate::universe::Universe;
use chart::Chart;

/// The ratio of private to non-private cost up to which private centers count as near: 10 % more.
const NEAR: f64 = 1.1;

pub(crate) fn run(args: &PlanArgs) -> Result<u8, Failure> {
    let mut outputs = Outputs::beside([("the universe", Some(args.universe.universe.as_path()))]);
    outputs.file("--plot", args.plot.as_deref())?;
    outputs.named("--report", args.report.as_deref(), PAGE)?;
    match &args.plot {
        Some(file) if !is_svg(file) => {
            let file = file.display();
            Err(Failure::new(format!("--plot {file}: plots are drawn as .svg; end the name so")))
        }
        _ => in_threads(args.run.threads, || plan(args))?,
    }
}

fn is_svg(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

fn plan(args: &PlanArgs) -> Result<u8, Failure> {
    let universe = Universe::read(args.universe.source(&args.goal))?;
    universe.check_metric("a private release")?;
    let asked = args.k.map(|k| Ks(vec![k]));
    let k = Ks::of(asked.as_ref(), &universe)?[0];
    let mut spinner = Spinner::new();
    spinner.say("centers without data");
    let sites = universe.sites.clone();
    let curves =
        Planner { sites, ..planner(args, k)? }.run(&*universe.space, &mut spinner.run())?;
    drop(spinner);
    let chart = Chart::of(&curves);
    if let Some(file) = &args.plot {
        let title = title(args, &universe, k);
        let drawing = svg::draw(&curves, &title, args.runs.get() as usize);
        kmedian_data::write_atomically(file, |out| out.write_all(drawing.as_bytes()))?;
    }
    if let Some(file) = &args.report {
        let subject = PlanSubject {
            title: &page_title(&args.universe.universe),
            what: title(args, &universe, k),
            runs: args.runs.get() as usize,
        };
        let page = plan_page(&subject, &curves);
        kmedian_data::write_atomically(file, |out| out.write_all(page.as_bytes()))?;
    }
    let text = if args.run.json {
        format!("{:#}\n", object(args, &universe, k, &curves))
    } else {
        let drawn = args.plot.as_ref().map(|file| format!("The plot: {}\n", file.display()));
        text(args, &universe, k, &curves) + &plot::draw(&chart) + &drawn.unwrap_or_default()
    };
    console::print(&text)?;
    Ok(DONE)
}

fn planner(args: &PlanArgs, k: usize) -> Result<Planner, Failure> {
    let unit = args.max_per_unit.map_or(Unit::Record, |at_most| Unit::Owner { at_most });
    let Search { local: search, restarts } = args.search.checked_for(args.method)?;
    Ok(Planner {
        split: args.noise.split,
        protection: Protection { unit, neighbours: args.noise.neighbours },
        objective: args.goal.objective,
        method: args.method,
        search,
        restarts,
        runs: args.runs,
        seed: Seed(args.seed),
        ..Planner::new(args.epsilon, k, args.demand_size)
    })
}

fn title(args: &PlanArgs, universe: &Universe, k: usize) -> String {
    let n = universe.len();
    format!("{n} items, {}, k = {k}, {} records", universe.metric, args.demand_size)
}

fn text(args: &PlanArgs, universe: &Universe, k: usize, curves: &[PlanCurve]) -> String {
    let mut text = format!(
        "{}: the cost of private centers, in multiples of the cost of non-private ones\n",
        title(args, universe, k)
    );
    text += &format!("Means of {} runs on made-up demand; nothing was spent.\n\n", args.runs);
    let mut rows = vec![vec!["epsilon".to_owned()]];
    rows[0].extend(curves.iter().map(|curve| curve.scenario.name.to_owned()));
    let mut without = vec!["without data".to_owned()];
    without.extend(curves.iter().map(|curve| times(curve.data_free)));
    rows.push(without);
    for place in 0..curves.first().map_or(0, |curve| curve.points.len()) {
        let mut row = vec![curves[0].points[place].epsilon.to_string()];
        row.extend(curves.iter().map(|curve| times(curve.points[place].mean)));
        rows.push(row);
    }
    text += &table(&rows);
    text += "\n";
    for curve in curves {
        text += &format!("{}: {}; {}\n", curve.scenario.name, curve.scenario.what, lesson(curve));
    }
    text + "\n"
}

/// What a curve shows, in words: the smallest ε at which private centers come near to the
/// non-private cost.
fn lesson(curve: &PlanCurve) -> String {
    let percent = (100.0 * (NEAR - 1.0)).round();
    match curve.points.iter().find(|point| point.mean <= NEAR) {
        Some(point) => {
            format!("within {percent} % of the non-private cost at epsilon {}", point.epsilon)
        }
        None => format!("never within {percent} % of the non-private cost"),
    }
}

/// A ratio of costs as text; a dash if it is infinite, as the non-private cost is zero.
fn times(ratio: f64) -> String {
    if ratio.is_finite() { format!("{ratio:.3}") } else { "–".to_owned() }
}

fn object(args: &PlanArgs, universe: &Universe, k: usize, curves: &[PlanCurve]) -> Value {
    let scenarios: Vec<Value> = curves.iter().map(scenario_object).collect();
    json!({
        "n": universe.len(),
        "k": k,
        "metric": universe.metric,
        "objective": args.goal.objective.to_string(),
        "method": args.method.to_string(),
        "demand_size": args.demand_size,
        "max_per_unit": args.max_per_unit.map_or(1, std::num::NonZeroU32::get),
        "runs": args.runs,
        "seed": args.seed,
        "scenarios": scenarios,
    })
}

fn scenario_object(curve: &PlanCurve) -> Value {
    let points: Vec<Value> = curve
        .points
        .iter()
        .map(|point| {
            json!({
                "epsilon": point.epsilon.approximate(),
                "cost_ratio": point.mean,
                "standard_error": point.error,
                "least": point.least,
                "most": point.most,
            })
        })
        .collect();
    json!({
        "name": curve.scenario.name,
        "demand": curve.scenario.what,
        "non_private_cost": curve.non_private_cost,
        "data_free_cost_ratio": curve.data_free,
        "curve": points,
    })
}
