//! Journal errors, as messages for the person.

use std::path::Path;

use super::Worker;
use run::{RunId, Seq};

/// The reason why the journal could not be read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk is full.
    #[error(
        "the journal {0} could not be written: the disk is full. What was committed is safe; free some space and resume"
    )]
    DiskFull(String),
    /// The file or its folder is read-only.
    #[error(
        "the journal {0} could not be written: it or its folder is read-only. Choose another place with --data-dir"
    )]
    ReadOnly(String),
    /// It is there, but cannot be opened to read.
    #[error("the journal {place} could not be read: {what}")]
    Unread { place: String, what: String },
    /// A newer version of the program wrote it.
    #[error(
        "the journal {place} is of version {found}; this program knows versions up to {known}. Use the newer masthead, or another --data-dir"
    )]
    Newer { place: String, found: i64, known: i64 },
    /// Its content was changed.
    #[error("{}. `masthead journal verify` lists everything that is wrong", damaged(run, *at, what))]
    Damaged {
        run: RunId,
        /// The first event that does not fit.
        at: Seq,
        what: String,
    },
    /// SQLite cannot read it.
    #[error(
        "{}. Move it away and keep it: a backup can be put in its place, else the next run begins a new one",
        unreadable(place, what)
    )]
    Unreadable { place: String, what: String },
    /// Its write-ahead log is damaged: SQLite would go on without the commits behind the damage, and write over them.
    #[error(
        "{}. Copy it with its `-wal` and `-shm` before anything else: `sqlite3 {place} 'PRAGMA wal_checkpoint'` then keeps what stands before the damage, and calls that were recorded behind it may be made, and paid, once more",
        unreadable(place, what)
    )]
    Torn { place: String, what: String },
    /// SQLite could not read it, or make the files that it needs beside it.
    #[error("the journal {place} could not be read: {what}. Where the disk is full, free some space")]
    NotRead { place: String, what: String },
    /// Its place is a folder.
    #[error("the journal {0} is a folder: name a file, as in {0}/journal.db")]
    Folder(String),
    /// Another process appended to the run.
    #[error(
        "run {run} has gone on in another process: event {expected} was to come next, but the journal is at {found}"
    )]
    Conflict { run: RunId, expected: Seq, found: Seq },
    /// Another process has taken the lease on the run.
    #[error(
        "run {run} was taken over by {by}: this process had not renewed its lease in time, as when its machine sleeps or is cut off. What this one did since then is not recorded; `masthead resume {run}` follows the run"
    )]
    TakenOver { run: RunId, by: Worker },
    /// The database does not answer, or does not do the work for now.
    #[error(
        "the journal {place} cannot be used for now: {what}. What was committed is safe; once it can, `masthead resume` goes on"
    )]
    Unreachable { place: String, what: String },
    /// The address of a database cannot be used; said without it.
    #[error("the address of the journal cannot be used: {0}")]
    Address(String),
    /// This build has no such kind of store.
    #[error(
        "this masthead was built without PostgreSQL, so --journal takes the path of a file: `cargo install --path . --features postgres` builds one that has it"
    )]
    NoPostgres,
    /// There is no such run.
    #[error("there is no run `{0}` in the journal; `masthead runs` lists them")]
    NoSuchRun(String),
    /// Several runs match.
    #[error("`{0}` is the beginning of more than one run: {1}")]
    Ambiguous(String, String),
    /// Anything else.
    #[error("the journal {place}: {what}")]
    Other { place: String, what: String },
}

impl JournalError {
    /// Whether the journal is damaged (exit code 65).
    pub fn is_damage(&self) -> bool {
        matches!(self, JournalError::Damaged { .. } | JournalError::Unreadable { .. } | JournalError::Torn { .. })
    }

    /// The message without the advice to run `masthead journal verify`: for that command itself.
    pub fn what_is_wrong(&self) -> String {
        match self {
            JournalError::Damaged { run, at, what } => damaged(run, *at, what),
            other => other.to_string(),
        }
    }

    pub(super) fn of(path: &Path, error: &rusqlite::Error) -> JournalError {
        use rusqlite::ErrorCode;
        let place = named(path);
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => JournalError::DiskFull(place),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                JournalError::ReadOnly(place)
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                JournalError::Unreadable { place, what: error.to_string() }
            }
            _ => JournalError::Other { place, what: error.to_string() },
        }
    }

    /// The same for a statement that only reads.
    pub(super) fn of_reading(path: &Path, error: &rusqlite::Error) -> JournalError {
        match JournalError::of(path, error) {
            JournalError::Other { place, what }
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::SystemIoFailure) =>
            {
                JournalError::NotRead { place, what }
            }
            JournalError::ReadOnly(place) | JournalError::DiskFull(place) => {
                JournalError::Unread { place, what: error.to_string() }
            }
            other => other,
        }
    }

    pub(super) fn unread(path: &Path, what: impl std::fmt::Display) -> JournalError {
        JournalError::Unread { place: named(path), what: what.to_string() }
    }

    pub(super) fn io(path: &Path, error: &std::io::Error) -> JournalError {
        let place = named(path);
        match error.kind() {
            std::io::ErrorKind::StorageFull => JournalError::DiskFull(place),
            std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => {
                JournalError::ReadOnly(place)
            }
            _ => JournalError::Other { place, what: error.to_string() },
        }
    }
}

fn damaged(run: &RunId, at: Seq, what: &str) -> String {
    format!("the journal is damaged at run {run}, event {at}: {what}")
}

fn unreadable(place: &str, what: &str) -> String {
    format!("the journal {place} is damaged: {what}")
}

/// A file, in the words of an error.
pub(super) fn named(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
