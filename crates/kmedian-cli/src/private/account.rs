//! Spends the ε of a run from a dataset's budget in a ledger.

use std::fmt::Write;

use kmedian::privacy::{self, Protection, Unit};
use kmedian_ledger::{
    Ledger, Neighbours, ProtectedChange, ProtectedUnit, Purpose, REQUIRE_LEDGER, Reservation,
    is_required,
};
use serde_json::{Value, json};

use super::mechanism::protection;
use crate::args::PrivateArgs;
use crate::console::note;
use crate::failure::Failure;

/// The ε that was reserved in a ledger, and the dataset that paid for it.
pub(super) struct Account {
    dataset: String,
    reservation: Reservation,
}

impl Account {
    /// Reserves ε in the ledger; `None` if there is no ledger. Once this returns, the ε is spent.
    pub(super) fn spend(args: &PrivateArgs, ks: &[usize]) -> Result<Option<Self>, Failure> {
        let (Some(file), Some(dataset)) = (&args.ledger, &args.dataset) else { return Ok(None) };
        let purpose = purpose(args, ks);
        let reservation = Ledger::open(file)?.reserve(dataset, args.epsilon.amount, &purpose)?;
        if reservation.fixed_change() {
            let change = purpose.change;
            note(&format!("{dataset}: from now on all runs on it protect {change}, as this one"));
        }
        Ok(Some(Self { dataset: dataset.clone(), reservation }))
    }

    /// Refuses a run without a ledger if it must have one. Call it before anything is read.
    pub(super) fn check(args: &PrivateArgs) -> Result<(), Failure> {
        if args.ledger.is_some() || !(args.require_ledger || is_required()) {
            return Ok(());
        }
        let why = if args.require_ledger { "--require-ledger" } else { REQUIRE_LEDGER };
        let message =
            format!("{why}: no private run without a ledger; give --ledger and --dataset");
        Err(Failure::new(message))
    }

    /// The reservation in the ledger.
    pub(super) fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// The failure of a run, with the addition that its ε stays spent, if there is a ledger.
    pub(super) fn stays_spent(account: Option<&Self>, failure: Failure) -> Failure {
        let Some(Self { reservation, .. }) = account else { return failure };
        let (epsilon, entry) = (reservation.epsilon(), reservation.number());
        failure.and(&format!("ε = {epsilon} stays spent (entry {entry})"))
    }

    /// Records the hash of the release in the ledger.
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

/// What the ε is for, as the ledger keeps it. It follows from public things alone.
fn purpose(args: &PrivateArgs, ks: &[usize]) -> Purpose {
    let (method, mechanism) = (args.method, args.method.looks_by());
    let split = method.method().map(|_| args.noise.split.to_string()).unwrap_or_default();
    let mut text = format!("{method}, k = {}", ks[0]);
    if ks.len() > 1 {
        let _ = write!(text, " and {} more", ks.len() - 1);
    }
    Purpose {
        change: protected_change(protection(args)),
        mechanism: mechanism.into(),
        split,
        software: concat!("kmedian ", env!("CARGO_PKG_VERSION")).into(),
        note: text,
    }
}

/// What a run protects, in the types of the ledger, which does not know the `kmedian` crate.
fn protected_change(protection: Protection) -> ProtectedChange {
    ProtectedChange {
        unit: match protection.unit {
            Unit::Record => ProtectedUnit::Record,
            Unit::Owner { at_most } => ProtectedUnit::Owner { at_most },
        },
        neighbours: match protection.neighbours {
            privacy::Neighbours::AddRemove => Neighbours::AddRemove,
            privacy::Neighbours::ReplaceOne => Neighbours::ReplaceOne,
        },
    }
}
