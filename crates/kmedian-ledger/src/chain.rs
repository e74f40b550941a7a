//! The chain of hashes over all that was ever written into a ledger.
//!
//! Each dataset, entry and release is an event. The hash of an event is a SHA-256 of the hash
//! before it and of what was written. So no event can be changed, removed, added in between or
//! moved without changing the last hash, the head. Whoever can write the books can also compute the
//! whole chain anew; only a head that was written down elsewhere shows that.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::error::{Error, quote};
use crate::store::{Columns, Store};

/// The head of a ledger in which nothing has happened yet.
const BEGINNING: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// The kind of an event of the chain: in which table it was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Dataset,
    Entry,
    Release,
    /// The ledger was upgraded. The events before this one were chained at the upgrade, not when
    /// they happened. The subject of the event is the version that was upgraded.
    Upgrade,
}

/// A table of which the chain hashes rows.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) key: &'static str,
    /// The columns that are hashed, in this order, so that a hash does not depend on how a table
    /// was created.
    pub(crate) columns: &'static [&'static str],
}

impl Kind {
    const ALL: [Self; 4] = [Self::Dataset, Self::Entry, Self::Release, Self::Upgrade];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Entry => "entry",
            Self::Release => "release",
            Self::Upgrade => "upgrade",
        }
    }

    /// The table of this kind of event; an upgrade has none.
    pub(crate) fn table(self) -> Option<Table> {
        let (key, columns): (_, &[_]) = match self {
            Self::Dataset => {
                ("id", &["id", "name", "budget", "created", "unit", "max_per_unit", "neighbours"])
            }
            Self::Entry => (
                "number",
                &[
                    "number",
                    "dataset",
                    "epsilon",
                    "unit",
                    "max_per_unit",
                    "neighbours",
                    "mechanism",
                    "split",
                    "software",
                    "note",
                    "reserved",
                ],
            ),
            Self::Release => ("entry", &["entry", "hash"]),
            Self::Upgrade => return None,
        };
        Some(Table { name: self.word(), key, columns })
    }

    /// The subject of an event in words, for a message.
    fn describe(self, subject: i64, rows: &BTreeMap<i64, Columns>) -> String {
        match self {
            Self::Dataset => {
                let columns = rows.get(&subject).into_iter().flatten();
                match columns
                    .filter(|column| column.0 == "name")
                    .find_map(|column| column.1.as_ref())
                {
                    Some(name) => format!("dataset {}", quote(name)),
                    None => format!("dataset number {subject}"),
                }
            }
            Self::Entry => format!("entry {subject}"),
            Self::Release => format!("the release of entry {subject}"),
            Self::Upgrade => "the upgrade".to_owned(),
        }
    }
}

/// The chain of hashes of a ledger, found to be whole by [`Ledger::verify`](crate::Ledger::verify).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// All heads that the ledger has had, the oldest first: the first is that of an empty ledger.
    heads: Vec<String>,
}

impl Chain {
    /// The last hash of the chain, which stands for all that ever happened in the ledger:
    /// `sha256:` and 64 hexadecimal digits. Write it down elsewhere, to compare it later.
    #[must_use]
    pub fn head(&self) -> &str {
        self.heads.last().map_or(BEGINNING, String::as_str)
    }

    /// The number of events: datasets, entries and releases that were written, and upgrades of the
    /// ledger.
    #[must_use]
    pub fn events(&self) -> usize {
        self.heads.len() - 1
    }

    /// The number of events since this hash was the head; `None` if it never was.
    #[must_use]
    pub fn events_since(&self, head: &str) -> Option<usize> {
        let place = self.heads.iter().position(|known| known.eq_ignore_ascii_case(head))?;
        Some(self.events() - place)
    }
}

/// Adds an event to the chain, for a row that was just written, and returns the new head; `None` if
/// there is no such row.
pub(crate) fn append(
    store: &mut dyn Store,
    kind: Kind,
    subject: i64,
) -> Result<Option<String>, Error> {
    let last = store.last_hash()?;
    let Some(written) = content(kind, subject, &store.rows(kind, Some(subject))?) else {
        return Ok(None);
    };
    let hash = link(last.as_deref().unwrap_or(BEGINNING), &written);
    store.add_event(kind, subject, &hash)?;
    Ok(Some(hash))
}

/// The chain of a ledger, or the first thing that breaks it, in words.
pub(crate) fn check(store: &mut dyn Store) -> Result<Result<Chain, String>, Error> {
    let mut heads = vec![BEGINNING.to_owned()];
    let mut tables = Vec::new();
    for kind in Kind::ALL {
        tables.push((kind, store.rows(kind, None)?, Vec::new()));
    }
    for event in store.events()? {
        let (number, subject) = (event.number, event.subject);
        let Some((kind, rows, known)) =
            tables.iter_mut().find(|(kind, ..)| kind.word() == event.kind)
        else {
            return Ok(Err(format!("event {number} is of no known kind")));
        };
        let what = || kind.describe(subject, rows);
        if number != heads.len() as i64 {
            let missing = heads.len();
            return Ok(Err(format!("event {missing}, before {}, is missing", what())));
        }
        let Some(written) = content(*kind, subject, rows) else {
            return Ok(Err(format!("event {number}, {}, is no longer there", what())));
        };
        if event.hash != link(&heads[heads.len() - 1], &written) {
            return Ok(Err(format!("event {number}, {}, is not as it was written", what())));
        }
        known.push(subject);
        heads.push(event.hash);
    }
    for (kind, rows, known) in &mut tables {
        known.sort_unstable();
        if let Some(&stray) = rows.keys().find(|key| known.binary_search(key).is_err()) {
            let what = kind.describe(stray, rows);
            return Ok(Err(format!("{what} was added without an event")));
        }
    }
    Ok(Ok(Chain { heads }))
}

/// The hash of an event: of the hash before it, a line break, and what was written.
fn link(before: &str, written: &str) -> String {
    let digest = Sha256::digest(format!("{before}\n{written}").as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// What is hashed of an event, as text: its kind, and for each column a line of its name, the
/// number of bytes of its value, and the value. A column that is NULL has its name alone. `None` if
/// there is no such row.
fn content(kind: Kind, subject: i64, rows: &BTreeMap<i64, Columns>) -> Option<String> {
    let version;
    let columns = match kind {
        Kind::Upgrade => {
            version = vec![("version", Some(subject.to_string()))];
            &version
        }
        Kind::Dataset | Kind::Entry | Kind::Release => rows.get(&subject)?,
    };
    let mut text = format!("{}\n", kind.word());
    for (name, value) in columns {
        text += &match value {
            Some(value) => format!("{name} {} {value}\n", value.len()),
            None => format!("{name}\n"),
        };
    }
    Some(text)
}
