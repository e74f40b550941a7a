//! A ledger of privacy budgets.
//!
//! Every private release of a dataset spends some ε, and what was spent adds up: ten releases at
//! ε = 1 protect nobody better than one at ε = 10. So somebody has to keep the books. A [`Ledger`] is
//! an SQLite file with datasets, each with a budget that is set once, and an entry for every run that
//! spent some of it.
//!
//! A run spends before it looks. It calls [`Ledger::reserve`] before it reads the demand, and
//! [`Reservation::record`] once its release exists. Whatever happens in between, a crash or a power
//! loss included, the ε stays spent: the ledger may claim too much, never too little. There is no way
//! to give ε back, because nobody can prove that a run that failed has told nobody anything.
//!
//! Amounts are whole numbers of trillionths, so sums are exact; what has more digits is rounded up
//! when it is spent and down when it is allowed ([`Amount`]).
//!
//! ```
//! use kmedian_ledger::{Amount, ErrorKind, Ledger};
//!
//! let folder = tempfile::tempdir()?;
//! let mut ledger = Ledger::create_or_open(&folder.path().join("ledger.db"))?;
//! ledger.create_dataset("visits", Amount::to_allow("1")?)?;
//!
//! let reservation = ledger.reserve("visits", Amount::to_spend("0.9")?, "depots, k = 10")?;
//! // Only now is the demand read, and the release made.
//! reservation.record("sha256:5f0c…")?;
//!
//! let refused = ledger.reserve("visits", Amount::to_spend("0.2")?, "again").unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Exhausted);
//! assert_eq!(ledger.dataset("visits")?.left().to_string(), "0.1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the ledger cannot do: notice that its file was deleted, replaced by an older copy or edited by
//! hand. It protects from mistakes and from races, not from the operator. And it relies on the locks of
//! the file system: keep it on a local disk, not on a network share.

mod amount;
mod dataset;
mod error;
mod file;
mod ledger;
mod reservation;

pub use amount::Amount;
pub use dataset::{Dataset, Entry, Release, check_name};
pub use error::{Error, ErrorKind};
pub use ledger::Ledger;
pub use reservation::Reservation;
