//! The tables of the index.

use rusqlite::Connection;

/// Increased whenever tables or parsing change; an index of another version is rebuilt.
const VERSION: i64 = 35;

/// The bits of a row id for the number of a block or section within its file.
const WITHIN: u32 = 24;

/// The row id of block (or section) `no` of a file.
pub(super) fn row_id(file: i64, no: u32) -> i64 {
    (file << WITHIN) | i64::from(no)
}

/// The file and number in a row id.
pub(super) fn file_and_no(row: i64) -> (i64, u32) {
    (row >> WITHIN, u32::try_from(row & ((1 << WITHIN) - 1)).unwrap_or(0))
}

/// The weights of a word in title, heading, body and code of a passage: the columns of `passages`, in their order.
pub(super) const WEIGHTS: [f64; 4] = [2.0, 1.5, 1.0, 0.3];

/// Passages are indexed as stems in separate tables, joined by row id. `names` has the heading right above a passage,
/// or the key before its colon.
///
/// `state` has one row. `generation` is another whenever the tables are made anew; no id of a file is ever given twice.
const TABLES: &str = "
    CREATE TABLE state (generation BLOB NOT NULL, next_id INTEGER NOT NULL);
    INSERT INTO state VALUES (randomblob(16), 1);
    CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        label TEXT NOT NULL,
        size INTEGER NOT NULL,
        mtime INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        why TEXT,
        source TEXT,
        title TEXT,
        superseded TEXT,
        untranslated INTEGER NOT NULL DEFAULT 0,
        language TEXT,
        blocks INTEGER NOT NULL DEFAULT 0,
        bytes INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE sections (
        id INTEGER PRIMARY KEY,
        headings TEXT NOT NULL,
        first INTEGER NOT NULL,
        end INTEGER NOT NULL
    );
    CREATE TABLE blocks (
        id INTEGER PRIMARY KEY,
        section INTEGER NOT NULL,
        kind TEXT NOT NULL,
        intro TEXT,
        text TEXT NOT NULL,
        line INTEGER NOT NULL,
        breaks BLOB NOT NULL,
        start INTEGER NOT NULL,
        lead INTEGER NOT NULL
    );
    CREATE VIRTUAL TABLE passages USING fts5(
        title, heading, body, code,
        content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE names USING fts5(
        name, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    );
    INSERT INTO passages(passages, rank) VALUES ('hashsize', 8388608);
";

/// A made index, as distinct from any other that is made of the same documents: ids mean nothing in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Generation(Vec<u8>);

impl Generation {
    pub(super) fn of(connection: &Connection) -> rusqlite::Result<Generation> {
        connection.query_row("SELECT generation FROM state", [], |row| Ok(Generation(row.get(0)?)))
    }
}

/// The error of an index that is not the one that was loaded.
pub(super) fn outdated(why: &str) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_SCHEMA);
    rusqlite::Error::SqliteFailure(code, Some(why.to_owned()))
}

/// Configures a connection; creates the tables in an empty file.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "cache_size", -8192)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == VERSION {
        return Ok(());
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if version != 0 || tables != 0 {
        return Err(outdated("it was made by another version"));
    }
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))
}
