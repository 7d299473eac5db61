//! The journal: an append-only store of events, in an SQLite file or, with the feature `postgres`, in a database of several
//! machines.
//!
//! It stores rows of runs and does not interpret them, except to check the summary of a run. Each row is chained to the one before
//! by SHA-256, and the head of each run is stored too, so that any damage is found: a flipped bit, a lost or cut tail. One thread
//! writes; all appends that wait for it are committed together. Only the store itself knows its kind.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod chain;
mod claim;
mod error;
mod memory;
mod parse;
#[cfg(feature = "postgres")]
mod postgres;
mod read;
mod rows;
mod schema;
mod store;
mod tags;
mod wal;
mod write;
mod writer;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

pub use error::JournalError;
pub use memory::MemoryJournal;
pub use read::{Check, Reader, RunRow, Tail};
pub use store::{Claim, Claimed, Deleted, Store, Worker, at, relative_to};
pub use tags::Tag;
pub use write::SqliteJournal;

use run::foreign::Imported;
use run::{Envelope, Money, Run, RunId};

/// The summary of a run for lists, stored with its events so that a list need not read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// Its question.
    pub question: String,
    /// Its phase, in one word.
    pub state: String,
    /// Money spent, in pico-dollars; of a fork without its parent's.
    pub cost: u64,
    /// Money in doubt, in pico-dollars; None in a journal of an earlier version, which did not keep it.
    pub in_doubt: Option<u64>,
    /// The run that it was forked from, and the event at which; None for a run that is no fork.
    pub forked: Option<(String, u64)>,
    /// The origin, if another program wrote it, and the part of its money that is known.
    pub imported: Option<Imported>,
}

impl Headline {
    /// The summary of a run in this state; None before its first event.
    pub fn of(run: &Run) -> Option<Headline> {
        Some(Headline {
            question: run.opening.as_ref()?.question.to_string(),
            state: run.phase().word().to_string(),
            cost: in_a_row(run.paid().money()),
            in_doubt: Some(in_a_row(run.may_owe().money())),
            forked: run.forked.as_ref().map(|forked| (forked.fork.parent.to_string(), forked.fork.named().0)),
            imported: run.imported(),
        })
    }
}

/// The column of a list of runs on an imported run, as JSON.
fn written(imported: Option<&Imported>) -> Option<String> {
    // Plain data: writing it as JSON cannot fail.
    imported.and_then(|imported| serde_json::to_string(imported).ok())
}

/// Reads it; None for the form of a newer version.
fn imported(written: Option<String>) -> Option<Imported> {
    serde_json::from_str(&written?).ok()
}

/// An amount as a row of a database can hold it: at most the largest signed number, which nothing costs.
fn in_a_row(amount: Money) -> u64 {
    amount.0.min(i64::MAX.unsigned_abs())
}

/// A future that can be sent between threads.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An event store.
///
/// `append` resolves when all events are on disk, or with an error if none is. They must continue their run without a
/// gap; other events are rejected.
pub trait Journal: Send + Sync {
    /// Appends events of one run.
    fn append(&self, run: &RunId, events: Vec<Envelope>, headline: Headline) -> BoxFuture<Result<(), JournalError>>;

    /// Resolves once this process may append to a run no more that it had claimed; where a claim cannot be lost, never.
    fn lost(&self, _: &RunId) -> BoxFuture<JournalError> {
        Box::pin(std::future::pending())
    }
}

/// The path of the journal below a data directory.
pub fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("journal.db")
}
