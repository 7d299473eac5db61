//! Appends to the journal in an SQLite file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::chain::{self, Hash};
use super::error::named;
use super::schema::{self, SEQ_BITS};
use super::store::Deleted;
use super::writer::{Append, Commits, Writer};
use super::{BoxFuture, Headline, Journal, JournalError};
use run::{Envelope, RunId, Seq};

/// A log with this many bytes of events is merged into the file at the next rest.
const MERGED_FROM: usize = 1 << 20;

/// The largest file, in bytes, that is written anew after a deletion: with a larger one runs at work would wait so long for it that
/// they stop.
const MOST_REWRITTEN: u64 = 200 << 20;
/// The time for which a deletion waits for readers of the log. Nobody else can write meanwhile.
const EMPTYING_PATIENCE: Duration = Duration::from_secs(1);

/// The journal in an SQLite file.
pub struct SqliteJournal(Writer);

impl SqliteJournal {
    /// Opens the journal at `path` for writing; creates it if missing.
    pub fn open(path: &Path) -> Result<SqliteJournal, JournalError> {
        let file = File { connection: schema::open_to_write(path)?, path: path.to_path_buf(), unmerged: 0 };
        Ok(SqliteJournal(Writer::start(named(path), file)?))
    }
}

/// The file, as its one thread writes it.
struct File {
    connection: Connection,
    path: PathBuf,
    /// Bytes of events that were written since the log was last merged into the file.
    unmerged: usize,
}

impl Commits for File {
    fn commit(&mut self, together: &[Append]) -> Result<(), JournalError> {
        commit(&mut self.connection, &self.path, together)?;
        self.unmerged += together.iter().flat_map(|append| &append.rows).map(|row| row.body.len()).sum::<usize>();
        Ok(())
    }

    /// Merges the log into the file: that syncs twice, and the next commit would wait for it.
    fn rest(&mut self) {
        if self.unmerged < MERGED_FROM {
            return;
        }
        self.unmerged = 0;
        // All is safe in the log: if somebody reads it, or the disk is full, it is merged later.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    }
}

impl Journal for SqliteJournal {
    fn append(&self, run: &RunId, events: Vec<Envelope>, headline: Headline) -> BoxFuture<Result<(), JournalError>> {
        self.0.append(run, events, headline)
    }
}

/// Deletes a run with all its events and tags. The caller has made sure that no process works on it. Its text is overwritten in the
/// file, and in the log as soon as nobody reads from that.
///
/// # Errors
/// The journal cannot be written.
pub(super) fn delete(path: &Path, run: &RunId) -> Result<Deleted, JournalError> {
    let of = |error: rusqlite::Error| JournalError::of(path, &error);
    let mut connection = schema::open_to_write(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(of)?;
    let no: Option<i64> = transaction
        .query_row("SELECT no FROM runs WHERE id = ?1", [run.as_str()], |row| row.get(0))
        .optional()
        .map_err(of)?;
    let Some(no) = no else { return Ok(Deleted::NoSuchRun) };
    let (first, next) = (row_id(no, Seq(0)), row_id(no + 1, Seq(0)));
    transaction.execute("DELETE FROM events WHERE id >= ?1 AND id < ?2", params![first, next]).map_err(of)?;
    transaction.execute("DELETE FROM runs WHERE no = ?1", [no]).map_err(of)?;
    transaction.commit().map_err(of)?;
    // SQLite leaves pieces of rows behind when it rearranges pages: the file is written anew, and the log emptied.
    let is_large = std::fs::metadata(path).is_ok_and(|file| file.len() > MOST_REWRITTEN);
    let is_clean = is_large || connection.execute_batch("VACUUM").is_ok();
    match is_clean && empty_log(&connection) {
        true => Ok(Deleted::WithText),
        false => Ok(Deleted::TextInLog),
    }
}

/// Merges the log into the file and empties it; false if another process reads from it for longer than [`EMPTYING_PATIENCE`].
fn empty_log(connection: &Connection) -> bool {
    let emptied = connection.busy_timeout(EMPTYING_PATIENCE).and_then(|()| {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0).map(|busy| busy == 0))
    });
    emptied.unwrap_or(false)
}

fn commit(connection: &mut Connection, path: &Path, together: &[Append]) -> Result<(), JournalError> {
    let of = |error: rusqlite::Error| JournalError::of(path, &error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(of)?;
    for append in together {
        insert(&transaction, append, path)?;
    }
    transaction.commit().map_err(of)
}

fn insert(transaction: &Transaction<'_>, append: &Append, path: &Path) -> Result<(), JournalError> {
    let of = |error: rusqlite::Error| JournalError::of(path, &error);
    let (Some(first), Some(last)) = (append.rows.first(), append.rows.last()) else { return Ok(()) };
    let run = &append.run;
    let head: Option<(i64, i64, Hash)> = transaction
        .prepare_cached("SELECT no, head_seq, head_hash FROM runs WHERE id = ?1")
        .and_then(|mut select| {
            select.query_row([run.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()
        })
        .map_err(of)?;
    let (no, seq, mut hash) = match head {
        Some((no, seq, hash)) => (no, Seq(seq.unsigned_abs()), hash),
        None => {
            transaction
                .execute(
                    "INSERT INTO runs (id, opened_at, touched_at, head_seq, head_hash, question, state, cost)
                     VALUES (?1, ?2, ?2, 0, ?3, '', '', 0)",
                    params![run.as_str(), first.at.0, chain::origin(run)],
                )
                .map_err(of)?;
            (transaction.last_insert_rowid(), Seq(0), chain::origin(run))
        }
    };
    if first.seq != seq.next() {
        return Err(JournalError::Conflict { run: run.clone(), expected: first.seq, found: seq });
    }
    let mut insert =
        transaction.prepare_cached("INSERT INTO events (id, at, body, hash) VALUES (?1, ?2, ?3, ?4)").map_err(of)?;
    for row in &append.rows {
        hash = chain::link(&hash, row.seq, row.at, row.body.as_bytes());
        insert.execute(params![row_id(no, row.seq), row.at.0, row.body, hash]).map_err(of)?;
    }
    let headline = &append.headline;
    transaction
        .prepare_cached(
            "UPDATE runs SET head_seq = ?2, head_hash = ?3, touched_at = ?4, question = ?5, state = ?6, cost = ?7, in_doubt = ?8, parent = ?9, forked_at = ?10, imported = ?11 WHERE no = ?1",
        )
        .and_then(|mut update| {
            update.execute(params![
                no,
                last.seq.0.cast_signed(),
                hash,
                last.at.0,
                headline.question,
                headline.state,
                headline.cost.cast_signed(),
                headline.in_doubt.map(u64::cast_signed),
                headline.forked.as_ref().map(|(parent, _)| parent),
                headline.forked.as_ref().map(|(_, at)| at.cast_signed()),
                super::written(headline.imported.as_ref())
            ])
        })
        .map_err(of)?;
    Ok(())
}

/// The row id of an event.
pub(super) fn row_id(no: i64, seq: Seq) -> i64 {
    (no << SEQ_BITS) | seq.0.cast_signed()
}
