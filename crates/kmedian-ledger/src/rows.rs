//! Rows of the tables as datasets and entries.

use rusqlite::types::Type;
use rusqlite::{Connection, Row};

use crate::amount::Amount;
use crate::change::{ProtectedChange, ProtectedUnit};
use crate::dataset::{Dataset, Entry};
use crate::error::Error;

/// The SQL query for all datasets, or the one of a name, with what is spent of them. The protected
/// change is the dataset's own, or else that of its first entry that has one.
const DATASETS: &str = "
SELECT d.name, d.budget, COALESCE(SUM(e.epsilon), 0), COUNT(e.epsilon), d.created, d.id,
    COALESCE(d.unit, first.unit), COALESCE(d.max_per_unit, first.max_per_unit),
    COALESCE(d.neighbours, first.neighbours)
FROM dataset AS d LEFT JOIN entry AS e ON e.dataset = d.id
LEFT JOIN entry AS first ON d.unit IS NULL AND first.number =
    (SELECT min(number) FROM entry WHERE dataset = d.id AND unit IS NOT NULL)
WHERE ?1 IS NULL OR d.name = ?1
GROUP BY d.id ORDER BY d.name";

/// The SQL query for the entries of a dataset, with the hashes of their releases.
const ENTRIES: &str = "
SELECT number, epsilon, unit, max_per_unit, neighbours, mechanism, split, software, note, reserved, hash
FROM entry LEFT JOIN release ON release.entry = entry.number
WHERE dataset = ?1 ORDER BY number";

/// All datasets in the order of their names, or the one of this name, with their keys in the table.
pub(crate) fn datasets(
    connection: &Connection,
    name: Option<&str>,
) -> rusqlite::Result<Vec<(i64, Dataset)>> {
    let mut statement = connection.prepare(DATASETS)?;
    let rows = statement.query_map([name], |row| {
        let dataset = Dataset {
            name: row.get(0)?,
            budget: Amount::from_trillionths(row.get(1)?),
            spent: Amount::from_trillionths(row.get(2)?),
            entries: row.get::<_, i64>(3)?.unsigned_abs(),
            created: row.get(4)?,
            change: change(row, 6)?,
        };
        Ok((row.get(5)?, dataset))
    })?;
    rows.collect()
}

/// The entries of a dataset, the oldest first.
pub(crate) fn entries(connection: &Connection, dataset: i64) -> rusqlite::Result<Vec<Entry>> {
    let mut statement = connection.prepare(ENTRIES)?;
    let rows = statement.query_map([dataset], |row| {
        Ok(Entry {
            number: row.get(0)?,
            epsilon: Amount::from_trillionths(row.get(1)?),
            change: change(row, 2)?,
            mechanism: row.get(5)?,
            split: row.get(6)?,
            software: row.get(7)?,
            note: row.get(8)?,
            reserved: row.get(9)?,
            release: row.get(10)?,
        })
    })?;
    rows.collect()
}

/// The words for the unit and the neighbor relation of a change, as the tables keep them.
pub(crate) fn words(change: Option<ProtectedChange>) -> [Option<String>; 2] {
    let words =
        |change: ProtectedChange| (change.unit.word().to_owned(), change.neighbours.to_string());
    let (unit, neighbours) = change.map(words).unzip();
    [unit, neighbours]
}

/// The protected change in three columns of a row, from this one on: unit, number of records and
/// neighbor relation. `None` if they are NULL.
fn change(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<ProtectedChange>> {
    let (unit, neighbours): (Option<String>, Option<String>) = (row.get(at)?, row.get(at + 2)?);
    let (Some(unit), Some(neighbours)) = (unit, neighbours) else { return Ok(None) };
    let wrong = |column: usize| {
        move |error: Error| {
            rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
        }
    };
    let unit = ProtectedUnit::from_words(&unit, row.get(at + 1)?).map_err(wrong(at))?;
    let neighbours = neighbours.parse().map_err(wrong(at + 2))?;
    Ok(Some(ProtectedChange { unit, neighbours }))
}
