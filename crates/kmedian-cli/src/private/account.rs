//! ε that a run spends of a dataset's budget.

use std::fmt::Write;

use kmedian_ledger::{Ledger, Reservation};
use serde_json::{Value, json};

use crate::args::{MethodArg, PrivateArgs};
use crate::failure::Failure;

/// A reservation, and whose it is.
pub(super) struct Account {
    dataset: String,
    reservation: Reservation,
}

impl Account {
    /// Reserves ε, if there is a ledger. From here on it is spent.
    pub(super) fn spend(args: &PrivateArgs, ks: &[usize]) -> Result<Option<Self>, Failure> {
        let (Some(file), Some(dataset)) = (&args.ledger, &args.dataset) else { return Ok(None) };
        let reservation =
            Ledger::open(file)?.reserve(dataset, args.epsilon.amount, &purpose(args, ks))?;
        Ok(Some(Self { dataset: dataset.clone(), reservation }))
    }

    /// Says of a run that failed that its ε is not given back.
    pub(super) fn stays_spent(account: Option<&Self>, failure: Failure) -> Failure {
        let Some(Self { reservation, .. }) = account else { return failure };
        let (epsilon, entry) = (reservation.epsilon(), reservation.number());
        failure.and(&format!("ε = {epsilon} stays spent (entry {entry})"))
    }

    /// Records the release by its hash.
    pub(super) fn record(&self, hash: &str) -> Result<(), Failure> {
        self.reservation.clone().record(hash).map_err(|error| {
            let entry = self.reservation.number();
            Failure::new(format!(
                "the release is made and its ε spent, but {hash} could not be recorded in entry {entry}: {error}"
            ))
        })
    }

    pub(super) fn line(&self) -> String {
        let Self { dataset, reservation } = self;
        format!(
            "ledger: {} of {dataset} spent, entry {}\n",
            reservation.epsilon(),
            reservation.number()
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "dataset": self.dataset,
            "entry": self.reservation.number(),
            "epsilon": self.reservation.epsilon().to_string(),
        })
    }
}

/// What the ε is for, from public things alone.
fn purpose(args: &PrivateArgs, ks: &[usize]) -> String {
    let method = match args.method {
        MethodArg::Refined => "refined",
        MethodArg::Exact => "exact",
        MethodArg::Paper => "paper",
    };
    let mut text = format!("{method}, k = {}", ks[0]);
    if ks.len() > 1 {
        let _ = write!(text, " and {} more", ks.len() - 1);
    }
    text
}
