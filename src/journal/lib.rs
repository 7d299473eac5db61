//! Outside: the journal, an append-only store of events in SQLite.
//!
//! Knows the rows of runs, never their meaning. Every row is chained to the one before it by SHA-256, and each
//! run's head stands beside its rows, so that damage anywhere (a flipped bit, a lost or cut tail) is found. One
//! thread writes; everything that waits for it is committed together.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod chain;
mod claim;
mod error;
mod memory;
mod read;
mod schema;
mod write;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

pub use claim::{Claim, Claimed};
pub use error::JournalError;
pub use memory::MemoryJournal;
pub use read::{Check, Reader, RunRow, Tail};
pub use write::SqliteJournal;

use run::{Envelope, RunId};

/// What is shown of a run in lists, kept beside its events so that a list does not read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// What was asked.
    pub question: String,
    /// The phase in a word.
    pub state: String,
    /// Money spent, in pico-dollars.
    pub cost: u64,
}

/// A future that can be sent between threads.
pub type Sending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A place to append events to.
///
/// `append` resolves when the events are on disk, all of them, or with an error when none of them is. They follow
/// the last ones of their run without a gap; events that do not are refused.
pub trait Journal: Send + Sync {
    /// Appends events of one run.
    fn append(&self, run: &RunId, events: Vec<Envelope>, headline: Headline) -> Sending<Result<(), JournalError>>;
}

/// The journal's file below a data directory.
pub fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("journal.db")
}
