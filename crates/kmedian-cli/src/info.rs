//! `kmedian info`: says what a file holds.

use std::path::Path;

use kmedian::privacy::{PrivateTree, Unit};
use serde_json::{Value, json};

use crate::args::InfoArgs;
use crate::centers::{about, read_text};
use crate::console::{self, grouped, number, printable};
use crate::failure::{DONE, Failure};
use crate::universe::Universe;

/// The most names of columns that are listed, so that they fit on a line or two.
const LISTED_COLUMNS: usize = 12;

pub(crate) fn run(args: &InfoArgs) -> Result<u8, Failure> {
    if let Some(release) = release(&args.input.input)? {
        let text = if args.json {
            format!("{:#}\n", of_release(&release))
        } else {
            lines_of_release(&args.input.input, &release)
        };
        console::print(&text)?;
        return Ok(DONE);
    }
    let universe = Universe::read(args.input.source())?;
    let of = |distance: f32| f64::from(universe.dissimilarity.of(distance));
    // A largest component is all that there is of it, however many there are.
    let falls_apart = universe.components.len() > 1 && !args.input.space.largest_component;
    let diameter = (!falls_apart).then(|| of(universe.space.diameter_bound()));
    let smallest = universe.space.smallest_distance().map(of);
    let text = if args.json {
        format!("{:#}\n", object(&universe, diameter, smallest))
    } else {
        lines(args, &universe, diameter, smallest)
    };
    console::print(&text)?;
    Ok(DONE)
}

/// The release that a file holds; `None` if its name does not end in `.json`, as that of a release
/// does.
fn release(file: &Path) -> Result<Option<PrivateTree>, Failure> {
    if !file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        return Ok(None);
    }
    PrivateTree::from_json(&read_text(file)?).map(Some).map_err(|error| about(file, &error))
}

fn of_release(release: &PrivateTree) -> Value {
    let (recipe, universe) = (release.recipe(), release.universe());
    let (unit, most) = unit(release);
    json!({
        "format": "kmedian release",
        "private": release.is_private(),
        "epsilon": recipe.epsilon.is_finite().then(|| recipe.epsilon.approximate()),
        "neighbours": recipe.protection.neighbours.to_string(),
        "unit": unit,
        "max_per_unit": most,
        "n": universe.items,
        "fingerprint": universe.fingerprint,
        "demand_size": recipe.records,
    })
}

fn unit(release: &PrivateTree) -> (&'static str, u32) {
    match release.recipe().protection.unit {
        Unit::Record => ("record", 1),
        Unit::Owner { at_most } => ("owner", at_most.get()),
    }
}

fn lines_of_release(file: &Path, release: &PrivateTree) -> String {
    let (recipe, universe) = (release.recipe(), release.universe());
    let protects = match unit(release) {
        ("record", _) => "one record".to_owned(),
        (_, most) => format!("an owner of at most {most} records"),
    };
    let private = if release.is_private() { "yes" } else { "NOT PRIVATE: an experiment" };
    let facts = [
        ("file", format!("{}, a release", file.display())),
        ("private", private.to_owned()),
        ("epsilon", recipe.epsilon.to_string()),
        ("protects", format!("{protects} ({})", recipe.protection.neighbours)),
        ("universe", format!("{} items, {}", universe.items, printable(&universe.fingerprint))),
        (
            "use it with",
            format!(
                "kmedian centers {} --universe ITEMS -k 10, and the options that the items were read with (--id, \
                 --columns, --metric or --graph …): the release does not hold them, and knows the items by the fingerprint",
                printable(&file.display().to_string())
            ),
        ),
    ];
    facts.iter().map(|(what, value)| format!("{what:<18} {value}\n")).collect()
}

fn object(universe: &Universe, diameter: Option<f64>, smallest: Option<f64>) -> Value {
    json!({
        "format": universe.format,
        "n": universe.len(),
        "metric": universe.metric,
        "columns": universe.columns,
        "edges": universe.edges,
        "components": universe.components,
        "k": universe.k,
        "demand": universe.demand.total(),
        "diameter_bound": diameter,
        "smallest_distance": smallest,
    })
}

fn lines(
    args: &InfoArgs,
    universe: &Universe,
    diameter: Option<f64>,
    smallest: Option<f64>,
) -> String {
    let mut facts = vec![
        ("file", format!("{}, {}", args.input.input.display(), universe.format)),
        ("items", grouped(universe.len() as f64)),
        ("distance", universe.metric.clone()),
    ];
    if !universe.columns.is_empty() {
        let mut shown =
            universe.columns.iter().take(LISTED_COLUMNS).cloned().collect::<Vec<_>>().join(", ");
        if universe.columns.len() > LISTED_COLUMNS {
            shown += ", …";
        }
        facts.push(("columns", format!("{}: {shown}", universe.columns.len())));
    }
    if let Some(edges) = universe.edges {
        facts.push(("edges", grouped(edges as f64)));
        let sizes: Vec<String> =
            universe.components.iter().take(5).map(ToString::to_string).collect();
        let more = if universe.components.len() > sizes.len() { ", …" } else { "" };
        let kind = if args.input.space.directed { "strong components" } else { "components" };
        facts.push((
            kind,
            format!("{} (of {}{more} nodes)", universe.components.len(), sizes.join(", ")),
        ));
    }
    if let Some(k) = universe.k {
        facts.push(("k in the file", k.to_string()));
    }
    facts.push(("demand", grouped(universe.demand.total())));
    let diameter = diameter.map_or_else(
        || "infinite: one-way streets do not lead from every node to every other".to_owned(),
        |diameter| format!("at most {}", grouped(diameter)),
    );
    facts.push(("diameter", diameter));
    let smallest = smallest.map_or("none, all items are in one place".to_string(), number);
    facts.push(("smallest distance", smallest));
    facts.iter().map(|(what, value)| format!("{what:<18} {value}\n")).collect()
}
