//! The tables of the journal, in a schema of their own, and their migrations.

use postgres::Client;

use super::super::JournalError;
use super::address::Address;
use super::session::DatabaseError;

/// One migration per version; the version is the number of migrations applied.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE masthead.runs (
        no         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id         TEXT NOT NULL UNIQUE,
        opened_at  BIGINT NOT NULL,
        touched_at BIGINT NOT NULL,
        head_seq   BIGINT NOT NULL,
        head_hash  BYTEA NOT NULL,
        question   TEXT NOT NULL,
        state      TEXT NOT NULL,
        cost       BIGINT NOT NULL,
        in_doubt   BIGINT,
        parent     TEXT,
        forked_at  BIGINT
    );
    CREATE TABLE masthead.events (
        run  BIGINT NOT NULL REFERENCES masthead.runs (no) ON DELETE CASCADE,
        seq  BIGINT NOT NULL,
        at   BIGINT NOT NULL,
        body TEXT NOT NULL,
        hash BYTEA NOT NULL,
        PRIMARY KEY (run, seq)
    );
    CREATE TABLE masthead.tags (
        run BIGINT NOT NULL REFERENCES masthead.runs (no) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (run, tag)
    );
    -- A run is claimed before its first event. No token is given twice, also not after a run was deleted.
    CREATE SEQUENCE masthead.lease_tokens;
    CREATE TABLE masthead.leases (
        run     TEXT PRIMARY KEY,
        token   BIGINT NOT NULL UNIQUE,
        machine TEXT NOT NULL,
        process BIGINT NOT NULL,
        until   TIMESTAMPTZ NOT NULL
    );
",
    // JSON of `run::foreign::Imported`; null for a run of this program. Quotes in texts are escaped: this is the field itself.
    r#"
    ALTER TABLE masthead.runs ADD COLUMN imported TEXT;
    UPDATE masthead.runs SET imported = (
        SELECT '{"format":"' || substring(body from '"origin":[{]"format":"([a-z-]+)"') || '"}'
        FROM masthead.events WHERE run = no AND seq = 1
    );
"#,
];

/// The newest supported version.
const VERSION: i64 = MIGRATIONS.len() as i64;

/// "mast": the lock under which the tables are made.
const MAKING: i64 = 0x6d61_7374;

/// Whether the tables are there.
pub(super) fn is_there(client: &mut Client, address: &Address) -> Result<bool, DatabaseError> {
    Ok(version(client, address)? > 0)
}

/// Makes the tables, or brings them up to date.
pub(super) fn make(client: &mut Client, address: &Address) -> Result<(), DatabaseError> {
    if version(client, address)? == VERSION {
        return Ok(());
    }
    let encoding: String = client.query_one("SHOW server_encoding", &[])?.get(0);
    if encoding != "UTF8" {
        let what = format!("its texts are stored as {encoding}: a journal needs a database with ENCODING 'UTF8'");
        return Err(JournalError::Other { place: address.to_string(), what }.into());
    }
    let mut transaction = client.transaction()?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MAKING])?;
    transaction.batch_execute(
        "CREATE SCHEMA IF NOT EXISTS masthead;
         CREATE TABLE IF NOT EXISTS masthead.journal (version BIGINT NOT NULL);",
    )?;
    let taken: i64 = transaction.query_one("SELECT coalesce(max(version), 0) FROM masthead.journal", &[])?.get(0);
    for step in MIGRATIONS.iter().skip(usize::try_from(taken).unwrap_or(0)) {
        transaction.batch_execute(step)?;
    }
    if taken < VERSION {
        transaction.execute("DELETE FROM masthead.journal", &[])?;
        transaction.execute("INSERT INTO masthead.journal VALUES ($1)", &[&VERSION])?;
    }
    Ok(transaction.commit()?)
}

/// The version of the tables; 0 if there are none.
fn version(client: &mut Client, address: &Address) -> Result<i64, DatabaseError> {
    let there: bool = client.query_one("SELECT to_regclass('masthead.journal') IS NOT NULL", &[])?.get(0);
    if !there {
        return Ok(0);
    }
    let found: i64 = client.query_one("SELECT coalesce(max(version), 0) FROM masthead.journal", &[])?.get(0);
    if found > VERSION {
        return Err(JournalError::Newer { place: address.to_string(), found, known: VERSION }.into());
    }
    Ok(found)
}
