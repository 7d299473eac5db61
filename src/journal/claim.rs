//! Claims on runs of a journal in a file: one process at a time works on a run, by a lock that ends with its process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::JournalError;
use super::store::{Claim, Claimed, Worker};
use run::RunId;

/// The folder with the locks of a journal's runs, beside it.
fn folder(journal: &Path) -> PathBuf {
    journal.with_file_name("claims")
}

/// The lock of a run.
fn lock_of(journal: &Path, run: &RunId) -> PathBuf {
    folder(journal).join(format!("{run}.lock"))
}

/// Claims a run.
pub(super) fn take(journal: &Path, run: &RunId) -> Result<Claimed, JournalError> {
    let folder = folder(journal);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|e| JournalError::io(&folder, &e))?;
    let path = lock_of(journal, run);
    let of = |error: std::io::Error| JournalError::io(&path, &error);
    let mut file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(&path).map_err(of)?;
    match lock(&file) {
        Ok(()) => {
            file.set_len(0).map_err(of)?;
            file.rewind().map_err(of)?;
            // Only for the message that another process shows.
            let _ = write!(file, "{}", std::process::id());
            Ok(Claimed::Ours(Claim::held_by(file)))
        }
        Err(TryLockError::WouldBlock) => {
            let mut id = String::new();
            let _ = file.read_to_string(&mut id);
            Ok(Claimed::Theirs(Worker { process: id.trim().parse().ok(), machine: None }))
        }
        Err(TryLockError::Error(error)) => Err(of(error)),
    }
}

/// Removes the lock of a run that is no more there.
pub(super) fn forget(journal: &Path, run: &RunId) {
    // A lock that stays is taken for that of a run that was there once, which it was.
    let _ = std::fs::remove_file(lock_of(journal, run));
}

/// Whether any run of a journal was ever claimed.
pub(super) fn any(journal: &Path) -> bool {
    let locks = std::fs::read_dir(folder(journal)).into_iter().flatten();
    locks.flatten().any(|entry| entry.path().extension().is_some_and(|ending| ending == "lock"))
}

/// Whether a process works on a run now.
pub(super) fn is_taken(journal: &Path, run: &RunId) -> bool {
    let file = File::open(lock_of(journal, run));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Locks a file; retries for a moment, because [`is_taken`] locks it briefly to test it.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..5 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            other => return other,
        }
    }
    file.try_lock()
}
