//! `kmedian info`: says what a file holds.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::args::InfoArgs;
use crate::console::{self, number};
use crate::failure::Failure;
use crate::universe::Universe;

/// The most names of columns that are listed, so that they fit on a line or two.
const LISTED_COLUMNS: usize = 12;

pub(crate) fn run(args: &InfoArgs) -> Result<ExitCode, Failure> {
    let universe = Universe::read(args.input.source())?;
    let diameter = f64::from(universe.space.diameter_bound());
    let smallest = universe.space.smallest_distance().map(f64::from);
    let text = if args.json {
        format!("{:#}\n", object(&universe, diameter, smallest))
    } else {
        lines(args, &universe, diameter, smallest)
    };
    console::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn object(universe: &Universe, diameter: f64, smallest: Option<f64>) -> Value {
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

fn lines(args: &InfoArgs, universe: &Universe, diameter: f64, smallest: Option<f64>) -> String {
    let mut facts = vec![
        ("file", format!("{}, {}", args.input.input.display(), universe.format)),
        ("items", universe.len().to_string()),
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
        facts.push(("edges", edges.to_string()));
        let sizes: Vec<String> =
            universe.components.iter().take(5).map(ToString::to_string).collect();
        let more = if universe.components.len() > sizes.len() { ", …" } else { "" };
        facts.push((
            "components",
            format!("{} (of {}{more} nodes)", universe.components.len(), sizes.join(", ")),
        ));
    }
    if let Some(k) = universe.k {
        facts.push(("k in the file", k.to_string()));
    }
    facts.push(("demand", number(universe.demand.total())));
    facts.push(("diameter", format!("at most {}", number(diameter))));
    let smallest = smallest.map_or("none, all items are in one place".to_string(), number);
    facts.push(("smallest distance", smallest));
    facts.iter().map(|(what, value)| format!("{what:<18} {value}\n")).collect()
}
