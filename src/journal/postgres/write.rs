//! Appends to the journal in a database. Each transaction locks the lease of its run and checks its token before anything is
//! written, so that a process that lost its lease writes nothing, however late it comes.
//!
//! Statements give the types of their parameters, so that each is one exchange with the server. If the connection is lost, the
//! append waits for the database and looks first whether it was committed after all.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use text::locked::Locked;

use postgres::types::{ToSql, Type};
use postgres::{Client, Transaction};

use super::super::chain::{self, Hash};
use super::super::store::Deleted;
use super::super::writer::{Append, Commits, Row, Writer};
use super::super::{BoxFuture, Headline, Journal, JournalError};
use super::address::Address;
use super::lease::{self, HeldLeases, Leases, Lost};
use super::session::{DatabaseError, Session};
use run::{Envelope, RunId, Seq};

/// The pause between two tries to reach the database.
const PAUSE: Duration = Duration::from_millis(250);
/// The most events in one statement.
const TOGETHER: usize = 2_000;

/// The journal of a process in a database.
pub(super) struct DatabaseJournal {
    writer: Writer,
    lost: Lost,
}

impl DatabaseJournal {
    /// A journal that appends to the runs which the process has leases on.
    pub(super) fn open(address: &Arc<Address>, leases: &Leases) -> Result<DatabaseJournal, JournalError> {
        Ok(DatabaseJournal { writer: writer(address, leases.held())?, lost: leases.lost() })
    }
}

impl Journal for DatabaseJournal {
    fn append(&self, run: &RunId, events: Vec<Envelope>, headline: Headline) -> BoxFuture<Result<(), JournalError>> {
        self.writer.append(run, events, headline)
    }

    fn lost(&self, run: &RunId) -> BoxFuture<JournalError> {
        let (run, mut lost) = (run.clone(), self.lost.clone());
        Box::pin(async move {
            let by = lost.wait_for(|lost| lost.contains_key(&run)).await.ok().and_then(|lost| lost.get(&run).cloned());
            match by {
                Some(by) => JournalError::TakenOver { run, by },
                // Nothing tells of losses any more: the next append does.
                None => std::future::pending().await,
            }
        })
    }
}

/// The thread that writes.
fn writer(address: &Arc<Address>, held: HeldLeases) -> Result<Writer, JournalError> {
    let session = Session::to(address.clone());
    Writer::start(address.to_string(), Database { session, held, patience: address.patience, is_gone: false })
}

/// The database, as the one thread of this process writes it.
struct Database {
    session: Session,
    held: HeldLeases,
    patience: Duration,
    /// A database that was waited for in vain is not waited for again by each append that stood behind.
    is_gone: bool,
}

impl Commits for Database {
    fn commit(&mut self, together: &[Append]) -> Result<(), JournalError> {
        let Database { session, held, patience, is_gone } = self;
        let begun = Instant::now();
        let mut again = false;
        loop {
            match session.with(|client, _| commit(client, held, together, again)) {
                Err(JournalError::Unreachable { .. }) if !*is_gone && begun.elapsed() < *patience => {
                    again = true;
                    thread::sleep(PAUSE);
                }
                done => {
                    *is_gone = matches!(done, Err(JournalError::Unreachable { .. }));
                    return done;
                }
            }
        }
    }
}

fn commit(client: &mut Client, held: &HeldLeases, together: &[Append], again: bool) -> Result<(), DatabaseError> {
    let mut transaction = client.transaction()?;
    for append in together {
        let token = held.locked().get(&append.run).copied();
        insert(&mut transaction, append, token, again)?;
    }
    Ok(transaction.commit()?)
}

fn insert(
    transaction: &mut Transaction<'_>,
    append: &Append,
    token: Option<i64>,
    again: bool,
) -> Result<(), DatabaseError> {
    let (Some(first), Some(last)) = (append.rows.first(), append.rows.last()) else { return Ok(()) };
    let id = append.run.as_str();
    let lock = "SELECT token FROM masthead.leases WHERE run = $1 FOR UPDATE";
    let holds: Option<i64> = transaction.query_typed_opt(lock, &[(&id, Type::TEXT)])?.map(|row| row.get(0));
    if holds.is_none() || holds != token {
        let by = lease::holder(transaction, id)?.unwrap_or_default();
        return Err(JournalError::TakenOver { run: append.run.clone(), by }.into());
    }
    // A statement of its own: it sees everything committed until the lock was there.
    let head = "SELECT no, head_seq, head_hash FROM masthead.runs WHERE id = $1";
    let (no, seq, mut hash) = match transaction.query_typed_opt(head, &[(&id, Type::TEXT)])? {
        Some(row) => (row.get(0), Seq(row.get::<_, i64>(1).unsigned_abs()), of_bytes(row.get(2))),
        None => {
            let origin = chain::origin(&append.run);
            let open = "INSERT INTO masthead.runs (id, opened_at, touched_at, head_seq, head_hash, question, state, cost) \
                        VALUES ($1, $2, $2, 0, $3, '', '', 0) RETURNING no";
            (transaction.query_one(open, &[&id, &first.at.0, &&origin[..]])?.get(0), Seq(0), origin)
        }
    };
    if again && is_there(transaction, no, append, first, last)? {
        return Ok(());
    }
    if first.seq != seq.next() {
        return Err(JournalError::Conflict { run: append.run.clone(), expected: first.seq, found: seq }.into());
    }
    put_events(transaction, no, &append.rows, &mut hash)?;
    put_headline(transaction, no, &append.headline, last, &hash)
}

/// Adds rows to the events of a run; `hash`, that of the event before them, becomes that of the last.
fn put_events(transaction: &mut Transaction<'_>, no: i64, rows: &[Row], hash: &mut Hash) -> Result<(), DatabaseError> {
    let put = "INSERT INTO masthead.events (run, seq, at, body, hash) \
               SELECT $1, * FROM unnest($2::BIGINT[], $3::BIGINT[], $4::TEXT[], $5::BYTEA[])";
    for rows in rows.chunks(TOGETHER) {
        let hashes: Vec<Hash> = links(hash, rows);
        let hashes: Vec<&[u8]> = hashes.iter().map(|hash| &hash[..]).collect();
        let seqs: Vec<i64> = rows.iter().map(|row| row.seq.0.cast_signed()).collect();
        let times: Vec<i64> = rows.iter().map(|row| row.at.0).collect();
        let bodies: Vec<&str> = rows.iter().map(|row| row.body.as_str()).collect();
        let rows: [(&(dyn ToSql + Sync), Type); 5] = [
            (&no, Type::INT8),
            (&seqs, Type::INT8_ARRAY),
            (&times, Type::INT8_ARRAY),
            (&bodies, Type::TEXT_ARRAY),
            (&hashes, Type::BYTEA_ARRAY),
        ];
        transaction.execute_typed(put, &rows)?;
    }
    Ok(())
}

/// Brings the row of a run up to date with its last event.
fn put_headline(
    transaction: &mut Transaction<'_>,
    no: i64,
    headline: &Headline,
    last: &Row,
    hash: &Hash,
) -> Result<(), DatabaseError> {
    let update = "UPDATE masthead.runs SET head_seq = $2, head_hash = $3, touched_at = $4, question = $5, state = $6, \
                  cost = $7, in_doubt = $8, parent = $9, forked_at = $10, imported = $11 WHERE no = $1";
    transaction.execute_typed(
        update,
        &[
            (&no, Type::INT8),
            (&last.seq.0.cast_signed(), Type::INT8),
            (&&hash[..], Type::BYTEA),
            (&last.at.0, Type::INT8),
            (&headline.question, Type::TEXT),
            (&headline.state, Type::TEXT),
            (&headline.cost.cast_signed(), Type::INT8),
            (&headline.in_doubt.map(u64::cast_signed), Type::INT8),
            (&headline.forked.as_ref().map(|(parent, _)| parent), Type::TEXT),
            (&headline.forked.as_ref().map(|(_, at)| at.cast_signed()), Type::INT8),
            (&super::super::written(headline.imported.as_ref()), Type::TEXT),
        ],
    )?;
    Ok(())
}

/// The hashes of rows; `hash`, that of the row before them, becomes that of the last.
fn links(hash: &mut Hash, rows: &[Row]) -> Vec<Hash> {
    let link = |row: &Row| {
        *hash = chain::link(hash, row.seq, row.at, row.body.as_bytes());
        *hash
    };
    rows.iter().map(link).collect()
}

/// Whether an append was committed before its connection was lost.
fn is_there(
    transaction: &mut Transaction<'_>,
    no: i64,
    append: &Append,
    first: &Row,
    last: &Row,
) -> Result<bool, DatabaseError> {
    let hash_of = "SELECT hash FROM masthead.events WHERE run = $1 AND seq = $2";
    let mut hash_at = |seq: u64| -> Result<Option<Hash>, DatabaseError> {
        let row = transaction.query_opt(hash_of, &[&no, &seq.cast_signed()])?;
        Ok(row.map(|row| of_bytes(row.get(0))))
    };
    let before = match first.seq.0 {
        1 => Some(chain::origin(&append.run)),
        seq => hash_at(seq - 1)?,
    };
    let (Some(mut hash), Some(there)) = (before, hash_at(last.seq.0)?) else { return Ok(false) };
    links(&mut hash, &append.rows);
    Ok(hash == there)
}

/// A hash of another length fits nothing.
fn of_bytes(bytes: &[u8]) -> Hash {
    bytes.try_into().unwrap_or_default()
}

/// Adds tags to a run and takes others from it; false if there is no run of that id.
pub(super) fn tag(client: &mut Client, run: &str, add: &[String], remove: &[String]) -> Result<bool, DatabaseError> {
    let mut transaction = client.transaction()?;
    let no = transaction.query_opt("SELECT no FROM masthead.runs WHERE id = $1 FOR KEY SHARE", &[&run])?;
    let Some(no) = no.map(|row| row.get::<_, i64>(0)) else { return Ok(false) };
    transaction.execute("DELETE FROM masthead.tags WHERE run = $1 AND tag = ANY ($2)", &[&no, &remove])?;
    let add_all = "INSERT INTO masthead.tags (run, tag) SELECT $1, unnest($2::TEXT[]) ON CONFLICT DO NOTHING";
    transaction.execute(add_all, &[&no, &add])?;
    transaction.commit()?;
    Ok(true)
}

/// Deletes a run with its events, tags and lease; false if there is none of that id.
pub(super) fn delete(client: &mut Client, run: &RunId, token: Option<i64>) -> Result<Deleted, DatabaseError> {
    let mut transaction = client.transaction()?;
    let lease = "DELETE FROM masthead.leases WHERE run = $1 AND token = $2";
    if transaction.execute(lease, &[&run.as_str(), &token])? == 0 {
        let by = lease::holder(&mut transaction, run.as_str())?.unwrap_or_default();
        return Err(JournalError::TakenOver { run: run.clone(), by }.into());
    }
    let deleted = transaction.execute("DELETE FROM masthead.runs WHERE id = $1", &[&run.as_str()])?;
    transaction.commit()?;
    Ok(if deleted > 0 { Deleted::WithText } else { Deleted::NoSuchRun })
}
