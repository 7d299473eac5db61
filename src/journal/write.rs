//! Appends to the journal: one thread, one connection, group commit.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::chain::{self, Hash};
use super::schema::{self, SEQ_BITS};
use super::{Headline, Journal, JournalError, Sending};
use run::{At, Envelope, RunId, Seq, record};

/// The most appends in one commit.
const MOST_TOGETHER: usize = 1024;

/// The journal in an SQLite file.
pub struct SqliteJournal {
    /// Taken when the journal is dropped, which ends the writing thread.
    appends: Option<mpsc::Sender<Append>>,
    writer: Option<thread::JoinHandle<()>>,
    path: PathBuf,
}

struct Append {
    run: RunId,
    /// Serialised by the sender, so that the thread only writes.
    rows: Vec<Row>,
    headline: Headline,
    done: oneshot::Sender<Result<(), JournalError>>,
}

struct Row {
    seq: Seq,
    at: At,
    body: String,
}

impl SqliteJournal {
    /// Opens the journal at `path` for writing; creates it if missing.
    pub fn open(path: &Path) -> Result<SqliteJournal, JournalError> {
        let connection = schema::open_to_write(path)?;
        let (appends, waiting) = mpsc::channel();
        let path = path.to_path_buf();
        let writer = thread::Builder::new()
            .name("journal".into())
            .spawn({
                let path = path.clone();
                move || write(connection, &path, &waiting)
            })
            .map_err(|error| JournalError::io(&path, &error))?;
        Ok(SqliteJournal { appends: Some(appends), writer: Some(writer), path })
    }
}

impl Drop for SqliteJournal {
    /// Waits until all appends are on disk.
    fn drop(&mut self) {
        drop(self.appends.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Journal for SqliteJournal {
    fn append(&self, run: &RunId, events: Vec<Envelope>, headline: Headline) -> Sending<Result<(), JournalError>> {
        let gone = JournalError::Other { path: self.path.clone(), what: "the writing thread has ended".into() };
        let rows: Result<Vec<Row>, _> = events
            .iter()
            .map(|e| Ok(Row { seq: e.seq, at: e.at, body: record::write(&e.event)? }))
            .collect::<Result<_, serde_json::Error>>();
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => {
                let error = JournalError::Other { path: self.path.clone(), what: error.to_string() };
                return Box::pin(async move { Err(error) });
            }
        };
        let (done, committed) = oneshot::channel();
        let append = Append { run: run.clone(), rows, headline, done };
        let handed = self.appends.as_ref().is_some_and(|appends| appends.send(append).is_ok());
        Box::pin(async move {
            if !handed {
                return Err(gone);
            }
            committed.await.unwrap_or(Err(gone))
        })
    }
}

/// Deletes a run with all its events and tags; false if there is none of that id. The caller has made sure that no process works on
/// it. Its text is overwritten in the file.
///
/// # Errors
/// The journal cannot be written.
pub fn delete(path: &Path, run: &RunId) -> Result<bool, JournalError> {
    let of = |error: rusqlite::Error| JournalError::of(path, &error);
    let mut connection = schema::open_to_write(path)?;
    connection.execute_batch("PRAGMA secure_delete=ON;").map_err(of)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(of)?;
    let no: Option<i64> = transaction
        .query_row("SELECT no FROM runs WHERE id = ?1", [run.as_str()], |row| row.get(0))
        .optional()
        .map_err(of)?;
    let Some(no) = no else { return Ok(false) };
    let (first, next) = (row_id(no, Seq(0)), row_id(no + 1, Seq(0)));
    transaction.execute("DELETE FROM events WHERE id >= ?1 AND id < ?2", params![first, next]).map_err(of)?;
    transaction.execute("DELETE FROM runs WHERE no = ?1", [no]).map_err(of)?;
    transaction.commit().map_err(of)?;
    Ok(true)
}

fn write(mut connection: Connection, path: &Path, waiting: &mpsc::Receiver<Append>) {
    while let Ok(first) = waiting.recv() {
        let mut together = vec![first];
        together.extend(waiting.try_iter().take(MOST_TOGETHER - 1));
        if let Err(error) = commit(&mut connection, path, &together) {
            if together.len() == 1 {
                finish(together, Err(error));
                continue;
            }
            // One rejected append must not fail the others.
            for append in together {
                let one = [append];
                let result = commit(&mut connection, path, &one);
                finish(one, result);
            }
            continue;
        }
        finish(together, Ok(()));
    }
}

fn finish(appends: impl IntoIterator<Item = Append>, result: Result<(), JournalError>) {
    for append in appends {
        // The caller may be gone; the events are on disk all the same.
        let _ = append.done.send(result.clone());
    }
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
            "UPDATE runs SET head_seq = ?2, head_hash = ?3, touched_at = ?4, question = ?5, state = ?6, cost = ?7, in_doubt = ?8, parent = ?9, forked_at = ?10 WHERE no = ?1",
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
                headline.forked.as_ref().map(|(_, at)| at.cast_signed())
            ])
        })
        .map_err(of)?;
    Ok(())
}

/// The row id of an event.
pub(super) fn row_id(no: i64, seq: Seq) -> i64 {
    (no << SEQ_BITS) | seq.0.cast_signed()
}
