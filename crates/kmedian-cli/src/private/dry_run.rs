//! `--dry-run`: shows how the demand would be read, to the operator alone.

use std::fmt::Write;

use kmedian_data::{DemandLayout, NonPrivateFacts};

use super::demand::DemandFile;
use super::diagnostics::records;
use crate::console::warn;
use crate::failure::Failure;
use crate::universe::Universe;

/// Counts the records, and prints on standard error how many were counted and dropped. Nothing is
/// spent, written or released.
pub(super) fn run(universe: &Universe, demand: &DemandFile<'_>) -> Result<(), Failure> {
    let private_facts = demand.try_out()?.nonprivate;
    warn("NOT PRIVATE: a dry run, for the operator alone; nothing is spent, written or released");
    let mut text = demand.layout.as_ref().map(layout).unwrap_or_default();
    text += &records(&private_facts);
    text += &keys(universe, demand.is_snapped(), &private_facts);
    text.lines().for_each(warn);
    Ok(())
}

fn layout(layout: &DemandLayout) -> String {
    let DemandLayout { format, gzip, header, columns, items, snapped, unit, .. } = layout;
    let mut text = format.to_string();
    if *gzip {
        text += ", gzip";
    }
    if format.is_text() {
        text += if *header { ", with a header" } else { ", without a header" };
    }
    if let Some(columns) = columns {
        let _ = write!(text, ", columns: {columns}");
    }
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    let what = if *snapped { "the coordinates are in columns" } else { "the keys are in column" };
    let _ = write!(text, "; counted from 0, {what} {}", items.join(", "));
    if let Some(unit) = unit {
        let _ = write!(text, ", the units in column {unit}");
    }
    text + "\n"
}

/// The share of records that name an item, and what to check if none does, in words.
fn keys(universe: &Universe, snapped: bool, facts: &NonPrivateFacts) -> String {
    let NonPrivateFacts { records, unknown, .. } = *facts;
    if records == 0 {
        return "there are no records\n".to_owned();
    }
    let share = 100.0 * (records - unknown) as f64 / records as f64;
    let (verb, snapped) = if snapped { ("are near", true) } else { ("name", false) };
    let mut text = format!("{share:.2} % of the records {verb} an item of the universe\n");
    if unknown == records && snapped {
        let _ = writeln!(
            text,
            "none is, so ε would be spent for nothing: check the columns of --snap, their order, and --snap-within"
        );
    } else if unknown == records {
        let named = universe.naming();
        let _ = writeln!(
            text,
            "none does, so ε would be spent for nothing: items are named {named}; check --key, --id and \
             --demand-separator"
        );
    }
    text
}
