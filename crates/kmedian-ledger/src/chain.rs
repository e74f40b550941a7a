//! The chain of hashes over all that was ever written into a ledger.
//!
//! Each dataset, entry and release is an event. The hash of an event is a SHA-256 of the hash
//! before it and of what was written. So no event can be changed, removed, added in between or
//! moved without changing the last hash, the head. Whoever can write the file can also compute the
//! whole chain anew; only a head that was written down elsewhere shows that.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Statement, params};
use sha2::{Digest, Sha256};

use crate::error::quote;

/// The head of a ledger in which nothing has happened yet.
const BEGINNING: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// The kind of an event of the chain: in which table it was written, and by which query it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Dataset,
    Entry,
    Release,
    /// The ledger was upgraded. The events before this one were chained at the upgrade, not when
    /// they happened. The subject of the event is the version that was upgraded.
    Upgrade,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Dataset, Self::Entry, Self::Release, Self::Upgrade];

    fn word(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Entry => "entry",
            Self::Release => "release",
            Self::Upgrade => "upgrade",
        }
    }

    /// The query for what is hashed of an event. It names the columns, so that the hash does not
    /// depend on how a table was created.
    fn query(self) -> &'static str {
        match self {
            Self::Dataset => {
                "SELECT id, name, budget, created, unit, max_per_unit, neighbours FROM dataset \
                 WHERE id = ?1"
            }
            Self::Entry => {
                "SELECT number, dataset, epsilon, unit, max_per_unit, neighbours, mechanism, split, \
                 software, note, reserved FROM entry WHERE number = ?1"
            }
            Self::Release => "SELECT entry, hash FROM release WHERE entry = ?1",
            Self::Upgrade => "SELECT ?1 AS version",
        }
    }

    /// The query for the first row of this kind that has no event; NULL if there is none.
    fn stray(self) -> &'static str {
        match self {
            Self::Dataset => {
                "SELECT min(id) FROM dataset WHERE id NOT IN \
                 (SELECT subject FROM event WHERE kind = 'dataset')"
            }
            Self::Entry => {
                "SELECT min(number) FROM entry WHERE number NOT IN \
                 (SELECT subject FROM event WHERE kind = 'entry')"
            }
            Self::Release => {
                "SELECT min(entry) FROM release WHERE entry NOT IN \
                 (SELECT subject FROM event WHERE kind = 'release')"
            }
            Self::Upgrade => "SELECT NULL",
        }
    }

    /// The subject of an event in words, for a message.
    fn describe(self, connection: &Connection, subject: i64) -> rusqlite::Result<String> {
        let name = |query: &str| {
            connection.query_row(query, [subject], |row| row.get::<_, String>(0)).optional()
        };
        Ok(match self {
            Self::Dataset => match name("SELECT name FROM dataset WHERE id = ?1")? {
                Some(name) => format!("dataset {}", quote(&name)),
                None => format!("dataset number {subject}"),
            },
            Self::Entry => format!("entry {subject}"),
            Self::Release => format!("the release of entry {subject}"),
            Self::Upgrade => "the upgrade".to_owned(),
        })
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

/// Adds an event to the chain, for a row that was just written, and returns the new head.
pub(crate) fn append(
    connection: &Connection,
    kind: Kind,
    subject: i64,
) -> rusqlite::Result<String> {
    let last: Option<String> = connection
        .query_row("SELECT hash FROM event ORDER BY number DESC LIMIT 1", [], |row| row.get(0))
        .optional()?;
    let written = content(&mut connection.prepare(kind.query())?, kind, subject)?
        .ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let hash = link(last.as_deref().unwrap_or(BEGINNING), &written);
    connection.execute(
        "INSERT INTO event (kind, subject, hash) VALUES (?1, ?2, ?3)",
        params![kind.word(), subject, hash],
    )?;
    Ok(hash)
}

/// The chain of a ledger, or the first thing that breaks it, in words.
pub(crate) fn check(connection: &Connection) -> rusqlite::Result<Result<Chain, String>> {
    let mut heads = vec![BEGINNING.to_owned()];
    let mut statement =
        connection.prepare("SELECT number, kind, subject, hash FROM event ORDER BY number")?;
    let mut events = statement.query([])?;
    let mut queries = Kind::ALL
        .into_iter()
        .map(|kind| connection.prepare(kind.query()))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    while let Some(event) = events.next()? {
        let (number, word): (i64, String) = (event.get(0)?, event.get(1)?);
        let (subject, hash): (i64, String) = (event.get(2)?, event.get(3)?);
        let Some(place) = Kind::ALL.iter().position(|kind| kind.word() == word) else {
            return Ok(Err(format!("event {number} is of no known kind")));
        };
        let kind = Kind::ALL[place];
        let what = || kind.describe(connection, subject);
        if number != heads.len() as i64 {
            let missing = heads.len();
            return Ok(Err(format!("event {missing}, before {}, is missing", what()?)));
        }
        let Some(written) = content(&mut queries[place], kind, subject)? else {
            return Ok(Err(format!("event {number}, {}, is no longer there", what()?)));
        };
        if hash != link(&heads[heads.len() - 1], &written) {
            return Ok(Err(format!("event {number}, {}, is not as it was written", what()?)));
        }
        heads.push(hash);
    }
    for kind in Kind::ALL {
        let stray: Option<i64> = connection.query_row(kind.stray(), [], |row| row.get(0))?;
        if let Some(subject) = stray {
            let what = kind.describe(connection, subject)?;
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
fn content(
    statement: &mut Statement<'_>,
    kind: Kind,
    subject: i64,
) -> rusqlite::Result<Option<String>> {
    let names: Vec<String> = statement.column_names().map(String::from).collect();
    let lines = |row: &Row<'_>| {
        let mut text = format!("{}\n", kind.word());
        for (column, name) in names.iter().enumerate() {
            text += &match value(row.get_ref(column)?) {
                Some(value) => format!("{name} {} {value}\n", value.len()),
                None => format!("{name}\n"),
            };
        }
        Ok(text)
    };
    statement.query_row([subject], lines).optional()
}

/// A value of a column as text; `None` for NULL.
fn value(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
    }
}
