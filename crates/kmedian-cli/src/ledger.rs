//! `kmedian ledger`: budgets, what was spent of them, and what is left.

use std::process::ExitCode;

use kmedian_ledger::{Dataset, Entry, Ledger};
use serde_json::{Value, json};

use crate::args::LedgerCommand;
use crate::console::{self, table};
use crate::failure::Failure;

/// As much of a release's hash as a person compares.
const SHOWN_HASH: usize = 20;

pub(crate) fn run(command: &LedgerCommand) -> Result<ExitCode, Failure> {
    let text = match command {
        LedgerCommand::Create { file, dataset, budget } => {
            let created = Ledger::create_or_open(&file.path)?.create_dataset(dataset, *budget)?;
            if file.json { pretty(&object(&created)) } else { headline(&created) }
        }
        LedgerCommand::List { file } => {
            let datasets = Ledger::open(&file.path)?.datasets()?;
            if file.json {
                pretty(&datasets.iter().map(object).collect())
            } else {
                dataset_table(&datasets)
            }
        }
        LedgerCommand::Show { file, dataset } => {
            let ledger = Ledger::open(&file.path)?;
            let (dataset, entries) = (ledger.dataset(dataset)?, ledger.entries(dataset)?);
            if file.json {
                let mut shown = object(&dataset);
                shown["entries"] = entries.iter().map(entry_object).collect();
                pretty(&shown)
            } else {
                headline(&dataset) + &entry_table(&entries)
            }
        }
    };
    console::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn object(dataset: &Dataset) -> Value {
    json!({
        "dataset": dataset.name,
        "budget": dataset.budget.to_string(),
        "spent": dataset.spent.to_string(),
        "left": dataset.left().to_string(),
        "runs": dataset.entries,
        "created": dataset.created,
    })
}

fn entry_object(entry: &Entry) -> Value {
    json!({
        "number": entry.number,
        "epsilon": entry.epsilon.to_string(),
        "note": entry.note,
        "reserved": entry.reserved,
        "release": entry.release.as_ref().map(|release| &release.hash),
        "recorded": entry.release.as_ref().map(|release| &release.recorded),
    })
}

fn headline(dataset: &Dataset) -> String {
    let Dataset { name, budget, spent, .. } = dataset;
    format!("{name}: budget {budget}, spent {spent}, left {}\n", dataset.left())
}

fn dataset_table(datasets: &[Dataset]) -> String {
    if datasets.is_empty() {
        return "no datasets; `kmedian ledger create` adds one\n".to_owned();
    }
    let heads = ["dataset", "budget", "spent", "left", "runs", "created"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    rows.extend(datasets.iter().map(|dataset| {
        vec![
            dataset.name.clone(),
            dataset.budget.to_string(),
            dataset.spent.to_string(),
            dataset.left().to_string(),
            dataset.entries.to_string(),
            dataset.created.clone(),
        ]
    }));
    table(&rows)
}

fn entry_table(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let heads = ["run", "epsilon", "reserved", "release", "note"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    rows.extend(entries.iter().map(|entry| {
        let release = entry.release.as_ref().map_or("none", |release| release.hash.as_str());
        vec![
            entry.number.to_string(),
            entry.epsilon.to_string(),
            entry.reserved.clone(),
            release.chars().take(SHOWN_HASH).collect(),
            entry.note.clone(),
        ]
    }));
    format!("\n{}", table(&rows))
}
