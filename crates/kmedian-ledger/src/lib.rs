//! A ledger of privacy budgets.
//!
//! Every private release of a dataset spends some ε, and what was spent adds up: ten releases at
//! ε = 1 protect nobody better than one at ε = 10. So books have to be kept. A [`Ledger`] is an
//! SQLite file, or a schema of a PostgreSQL database, with datasets, each with a budget that is set
//! once, and an entry for every run that spent some of it.
//!
//! A run spends ε before it looks at the data. It calls [`Ledger::reserve`] before it reads the
//! demand, and [`Reservation::record`] once its release exists. Whatever happens in between, even a
//! crash or a power loss, the ε stays spent: the ledger may claim too much, never too little. There
//! is no way to give ε back, because nobody can prove that a failed run has told nothing to
//! anybody.
//!
//! Amounts are whole numbers of trillionths, so sums are exact. A number with more digits is
//! rounded up when it is spent and down when it is allowed ([`Amount`]).
//!
//! ```
//! use kmedian_ledger::{Amount, ErrorKind, Ledger, Purpose};
//!
//! let folder = tempfile::tempdir()?;
//! let mut ledger = Ledger::create_or_open(&folder.path().join("ledger.db"))?;
//! ledger.create_dataset("visits", Amount::to_allow("1")?, None)?;
//!
//! let purpose = Purpose { note: "depots, k = 10".into(), ..Purpose::default() };
//! let reservation = ledger.reserve("visits", Amount::to_spend("0.9")?, &purpose)?;
//! // Only now is the demand read, and the release made.
//! reservation.record("sha256:5f0c…")?;
//!
//! let refused = ledger.reserve("visits", Amount::to_spend("0.2")?, &purpose).unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Exhausted);
//! assert_eq!(ledger.dataset("visits")?.left().to_string(), "0.1");
//! println!("write this down elsewhere: {}", ledger.verify()?.head());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A dataset has one [`ProtectedChange`], because the ε of different changes do not add up. All
//! that is ever written is linked by a chain of hashes ([`Ledger::verify`]), which shows whether
//! the file was edited. By itself, the ledger cannot notice that its file was deleted, replaced by
//! an older copy, or edited by someone who computed the whole chain anew. For that, compare the
//! head of the chain with one that was written down elsewhere. A file also relies on the locks of
//! the file system: keep it on a local disk, not on a network share. Where a team on several
//! machines spends one budget, keep the ledger on a server ([`Ledger::move_to_server`]).

mod amount;
mod chain;
mod change;
mod dataset;
mod error;
mod file;
mod ledger;
mod moving;
mod name;
mod place;
mod required;
mod reservation;
mod rows;
mod server;
mod store;
mod tables;
mod upgrade;

pub use amount::Amount;
pub use chain::Chain;
pub use change::{Neighbours, ProtectedChange, ProtectedUnit, Purpose};
pub use dataset::{Dataset, Entry};
pub use error::{Advice, Error, ErrorKind};
pub use ledger::Ledger;
pub use name::check_name;
pub use place::{is_server, shown};
pub use required::{REQUIRE_LEDGER, is_required};
pub use reservation::Reservation;
