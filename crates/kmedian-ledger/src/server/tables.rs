//! The tables of a ledger on a server, and what keeps them from being changed.

use postgres::Client;

use crate::tables::VERSION;

/// The key of the lock that one writer holds at a time, in the numbers of locks that applications
/// define: `kmlg` in ASCII, as the mark of a ledger's file.
pub(super) const LOCK: i64 = 0x6b6d_6c67;

/// The statements that create the tables, in a schema of their own. Columns, amounts in
/// trillionths, and the texts of times are those of the file, so that the hashes are too.
const TABLES: &str = "
CREATE SCHEMA kmedian_ledger;
CREATE TABLE kmedian_ledger.version (number INTEGER PRIMARY KEY);
CREATE TABLE kmedian_ledger.dataset (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    budget BIGINT NOT NULL CHECK (budget > 0),
    created TEXT NOT NULL,
    unit TEXT CHECK (unit IN ('record', 'owner')),
    max_per_unit BIGINT CHECK (max_per_unit > 0),
    neighbours TEXT CHECK (neighbours IN ('add-remove', 'replace-one')),
    CHECK ((unit IS NULL) = (neighbours IS NULL)),
    CHECK ((unit IS NOT DISTINCT FROM 'owner') = (max_per_unit IS NOT NULL))
);
CREATE TABLE kmedian_ledger.entry (
    number BIGINT PRIMARY KEY,
    dataset BIGINT NOT NULL REFERENCES kmedian_ledger.dataset (id),
    epsilon BIGINT NOT NULL CHECK (epsilon > 0),
    unit TEXT CHECK (unit IN ('record', 'owner')),
    max_per_unit BIGINT CHECK (max_per_unit > 0),
    neighbours TEXT CHECK (neighbours IN ('add-remove', 'replace-one')),
    mechanism TEXT,
    split TEXT,
    software TEXT,
    note TEXT NOT NULL,
    reserved TEXT NOT NULL,
    CHECK ((unit IS NULL) = (neighbours IS NULL)),
    CHECK ((unit IS NOT DISTINCT FROM 'owner') = (max_per_unit IS NOT NULL))
);
CREATE INDEX entry_of_dataset ON kmedian_ledger.entry (dataset);
CREATE TABLE kmedian_ledger.release (
    entry BIGINT PRIMARY KEY REFERENCES kmedian_ledger.entry (number),
    hash TEXT NOT NULL
);
CREATE TABLE kmedian_ledger.event (
    number BIGINT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('dataset', 'entry', 'release', 'upgrade')),
    subject BIGINT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (kind, subject)
);
CREATE FUNCTION kmedian_ledger.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'nothing is ever changed or deleted'; END $$;
CREATE FUNCTION kmedian_ledger.is_next() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE next BIGINT;
    BEGIN
        EXECUTE format('SELECT 1 + COALESCE(max(%I), 0) FROM %I.%I', TG_ARGV[0], TG_TABLE_SCHEMA, TG_TABLE_NAME)
            INTO next;
        IF (to_jsonb(NEW) ->> TG_ARGV[0])::BIGINT <> next THEN
            RAISE EXCEPTION 'numbers have no gaps';
        END IF;
        RETURN NEW;
    END $$;
CREATE FUNCTION kmedian_ledger.is_within_budget() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF (SELECT sum(epsilon) FROM kmedian_ledger.entry WHERE dataset = NEW.dataset)
            > (SELECT budget FROM kmedian_ledger.dataset WHERE id = NEW.dataset) THEN
            RAISE EXCEPTION 'the budget would be exceeded';
        END IF;
        RETURN NULL;
    END $$;
CREATE TRIGGER is_within_budget AFTER INSERT ON kmedian_ledger.entry
    FOR EACH ROW EXECUTE FUNCTION kmedian_ledger.is_within_budget();
ALTER TABLE kmedian_ledger.entry ENABLE ALWAYS TRIGGER is_within_budget;
";

/// All tables, and the keys of those whose rows are numbered without gaps.
const KEYS: [(&str, Option<&str>); 5] = [
    ("version", None),
    ("dataset", Some("id")),
    ("entry", Some("number")),
    ("release", None),
    ("event", Some("number")),
];

/// Creates the tables and their triggers, unless they are there. Processes that do so at once wait
/// for each other.
pub(super) fn create(client: &mut Client) -> Result<(), postgres::Error> {
    let mut transaction = client.transaction()?;
    transaction.batch_execute(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
    let there =
        transaction.query_one("SELECT to_regnamespace('kmedian_ledger') IS NOT NULL", &[])?;
    if !there.get::<_, bool>(0) {
        transaction.batch_execute(TABLES)?;
        let insert = format!("INSERT INTO kmedian_ledger.version VALUES ({VERSION})");
        transaction.batch_execute(&insert)?;
        for (table, key) in KEYS {
            transaction.batch_execute(&protection(table, key))?;
        }
    }
    transaction.batch_execute("SET LOCAL synchronous_commit = on")?;
    transaction.commit()
}

/// The statements that keep the rows of a table from being changed, deleted and, if they are
/// numbered, added out of turn. The triggers also run in sessions that replicate, which skip
/// ordinary ones.
fn protection(table: &str, key: Option<&str>) -> String {
    let name = format!("kmedian_ledger.{table}");
    let mut statements = format!(
        "CREATE TRIGGER stays BEFORE UPDATE OR DELETE ON {name}
            FOR EACH ROW EXECUTE FUNCTION kmedian_ledger.refuse();
         CREATE TRIGGER is_kept BEFORE TRUNCATE ON {name}
            FOR EACH STATEMENT EXECUTE FUNCTION kmedian_ledger.refuse();
         ALTER TABLE {name} ENABLE ALWAYS TRIGGER stays, ENABLE ALWAYS TRIGGER is_kept;"
    );
    if let Some(key) = key {
        statements += &format!(
            "CREATE TRIGGER is_next BEFORE INSERT ON {name}
                FOR EACH ROW EXECUTE FUNCTION kmedian_ledger.is_next('{key}');
             ALTER TABLE {name} ENABLE ALWAYS TRIGGER is_next;"
        );
    }
    statements
}

/// The statements between which rows of a file are copied, whose numbers may have the gaps that
/// version 1 left.
pub(super) fn numbered_anyhow(insert: bool) -> String {
    let how = if insert { "DISABLE" } else { "ENABLE ALWAYS" };
    let numbered = KEYS.iter().filter(|(_, key)| key.is_some());
    numbered
        .map(|(table, _)| format!("ALTER TABLE kmedian_ledger.{table} {how} TRIGGER is_next;"))
        .collect()
}

/// The version of the tables; `None` if there are none.
pub(super) fn version(client: &mut Client) -> Result<Option<i32>, postgres::Error> {
    let there = "SELECT to_regclass('kmedian_ledger.version') IS NOT NULL";
    if !client.query_one(there, &[])?.get::<_, bool>(0) {
        return Ok(None);
    }
    let version = client.query_opt("SELECT max(number) FROM kmedian_ledger.version", &[])?;
    Ok(version.map(|row| row.get::<_, Option<i32>>(0).unwrap_or_default()))
}
