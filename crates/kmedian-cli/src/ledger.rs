//! `kmedian ledger`: budgets, what was spent of them, and what is left.

use kmedian_ledger::{Chain, Dataset, Entry, Ledger, ProtectedChange};
use serde_json::{Value, json};

use crate::args::{LedgerCommand, LedgerFile};
use crate::console::{self, table};
use crate::failure::{self, DONE, Failure};

/// The number of characters of a release's hash that are shown in a table, with the prefix
/// `sha256:`: as many as a person compares.
const SHOWN_HASH: usize = 20;

pub(crate) fn run(command: &LedgerCommand) -> Result<u8, Failure> {
    let text = match command {
        LedgerCommand::Create { file, dataset, budget, protects } => {
            let change = protects.change().map_err(|error| {
                Failure::from(error).and("the options are --protects and --max-per-unit")
            })?;
            let created = Ledger::create_with_dataset(&file.path, dataset, *budget, change)?;
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
        LedgerCommand::Verify { file, expect } => {
            verified(file, &Ledger::open(&file.path)?.verify()?, expect.as_deref())?
        }
        LedgerCommand::Move { file, to } => {
            verified(file, &Ledger::move_to_server(&file.path, to)?, None)?
        }
    };
    console::print(&text)?;
    Ok(DONE)
}

/// What to print about a chain that is whole; an error if the expected head was never its head.
fn verified(file: &LedgerFile, chain: &Chain, expect: Option<&str>) -> Result<String, Failure> {
    let (head, events) = (chain.head(), chain.events());
    let path = kmedian_ledger::shown(&file.path);
    let since = expect.map(|expected| {
        chain.events_since(expected).ok_or_else(|| {
            Failure::new(format!(
                "{path}: the chain is whole, but {} was never its head, which is {head}; the ledger was \
                 replaced or made anew, or that head is another ledger's",
                failure::plain(expected)
            ))
        })
    });
    let since = since.transpose()?;
    if file.json {
        let verdict = json!({"events": events, "head": head, "events_since_expected": since});
        return Ok(pretty(&verdict));
    }
    let after = match since {
        None => String::new(),
        Some(0) => ", as expected".to_owned(),
        Some(more) => format!(", and {more} since the head that was expected"),
    };
    Ok(format!("{path}: the chain is whole, {events} events{after}\nhead: {head}\n"))
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
        "protects": dataset.change.map(change_object),
    })
}

fn change_object(change: ProtectedChange) -> Value {
    json!({
        "unit": change.unit.word(),
        "max_per_unit": change.unit.at_most(),
        "neighbours": change.neighbours.to_string(),
    })
}

fn entry_object(entry: &Entry) -> Value {
    json!({
        "number": entry.number,
        "epsilon": entry.epsilon.to_string(),
        "protects": entry.change.map(change_object),
        "mechanism": entry.mechanism,
        "split": entry.split,
        "software": entry.software,
        "note": entry.note,
        "reserved": entry.reserved,
        "release": entry.release,
    })
}

fn headline(dataset: &Dataset) -> String {
    let Dataset { name, budget, spent, .. } = dataset;
    let protects = match dataset.change {
        Some(change) => format!("protects {change}"),
        None => "protects what its next run will".to_owned(),
    };
    format!("{name}: budget {budget}, spent {spent}, left {}; {protects}\n", dataset.left())
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
    let heads = [
        "run",
        "epsilon",
        "reserved",
        "protects",
        "mechanism",
        "split",
        "software",
        "release",
        "note",
    ];
    let known = |text: Option<&str>| match text {
        None => "unknown".to_owned(),
        Some("") => "none".to_owned(),
        Some(text) => text.to_owned(),
    };
    let mut rows = vec![heads.map(String::from).to_vec()];
    rows.extend(entries.iter().map(|entry| {
        let release = entry.release.as_deref().unwrap_or("none");
        vec![
            entry.number.to_string(),
            entry.epsilon.to_string(),
            entry.reserved.clone(),
            known(entry.change.map(|change| change.to_string()).as_deref()),
            known(entry.mechanism.as_deref()),
            known(entry.split.as_deref()),
            known(entry.software.as_deref()),
            release.chars().take(SHOWN_HASH).collect(),
            entry.note.clone(),
        ]
    }));
    format!("\n{}", table(&rows))
}
