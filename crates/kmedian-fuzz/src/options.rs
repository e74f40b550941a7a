//! Words and numbers that options are given as.

use std::path::Path;

use kmedian::Metric;
use kmedian::privacy::{Epsilon, Method, Split};
use kmedian_data::{ColumnRef, DemandFormat, GraphFormat, Header, TableFormat};
use kmedian_ledger::{Amount, check_name};
use rand::{Rng, RngExt};

use crate::targets::Outcome;

const WORDS: [&str; 14] = [
    "0.5",
    "1",
    "1e-3",
    "1/3",
    "inf",
    "2.50",
    "l2",
    "csv",
    "edge-list",
    "auto",
    "refined",
    "uniform",
    "visits-2026",
    "0",
];

/// One word.
pub(crate) fn sample(rng: &mut dyn Rng) -> Vec<u8> {
    WORDS[rng.random_range(0..WORDS.len())].as_bytes().to_vec()
}

/// Parses the word as everything that options parse. Being refused is no failure of any of them, so
/// only the messages are looked at.
pub(crate) fn read(path: &Path, _: &mut dyn Rng) -> Outcome {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let word = String::from_utf8_lossy(&bytes);
    let messages = [
        said(word.parse::<Epsilon>()),
        said(word.parse::<Metric>()),
        said(word.parse::<Method>()),
        said(word.parse::<Split>()),
        said(word.parse::<TableFormat>()),
        said(word.parse::<DemandFormat>()),
        said(word.parse::<GraphFormat>()),
        said(word.parse::<Header>()),
        said(word.parse::<ColumnRef>()),
        said(Amount::to_spend(&word)),
        said(Amount::to_allow(&word)),
        said(check_name(&word)),
    ];
    match messages.into_iter().flatten().find(|message| message.contains('\n')) {
        // Two lines are what a run looks for.
        Some(message) => Err(message),
        None => Ok(0),
    }
}

fn said<T, E: std::fmt::Display>(parsed: Result<T, E>) -> Option<String> {
    parsed.err().map(|error| error.to_string())
}
