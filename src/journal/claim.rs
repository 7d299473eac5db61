//! Claims on runs: one process at a time works on a run, by a lock that ends with its process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use super::JournalError;
use run::RunId;

/// The right to append to a run, until it is dropped or its process ends.
#[derive(Debug)]
pub struct Claim {
    _locked: File,
}

/// The result of claiming a run.
#[derive(Debug)]
pub enum Claimed {
    /// This process has the claim.
    Ours(Claim),
    /// Another process has it, with its process id if known.
    Theirs(Option<u32>),
}

impl Claim {
    /// Claims a run.
    pub fn take(data_dir: &Path, run: &RunId) -> Result<Claimed, JournalError> {
        let folder = data_dir.join("claims");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|e| JournalError::io(&folder, &e))?;
        let path = folder.join(format!("{run}.lock"));
        let of = |error: std::io::Error| JournalError::io(&path, &error);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(of)?;
        match lock(&file) {
            Ok(()) => {
                file.set_len(0).map_err(of)?;
                file.rewind().map_err(of)?;
                // Only for the message that another process shows.
                let _ = write!(file, "{}", std::process::id());
                Ok(Claimed::Ours(Claim { _locked: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut id = String::new();
                let _ = file.read_to_string(&mut id);
                Ok(Claimed::Theirs(id.trim().parse().ok()))
            }
            Err(TryLockError::Error(error)) => Err(of(error)),
        }
    }

    /// Gives the claim on a run up that is no more there, with what it left in the data directory.
    pub fn forget(self, data_dir: &Path, run: &RunId) {
        // A lock that stays is taken for that of a run that was there once, which it was.
        let _ = std::fs::remove_file(data_dir.join("claims").join(format!("{run}.lock")));
    }

    /// Whether any run was ever claimed below this data directory.
    pub fn any(data_dir: &Path) -> bool {
        let locks = std::fs::read_dir(data_dir.join("claims")).into_iter().flatten();
        locks.flatten().any(|entry| entry.path().extension().is_some_and(|ending| ending == "lock"))
    }

    /// Whether a process works on a run now.
    pub fn is_taken(data_dir: &Path, run: &RunId) -> bool {
        let path = data_dir.join("claims").join(format!("{run}.lock"));
        File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Locks a file; retries for a moment, because [`Claim::is_taken`] locks it briefly to test it.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..5 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            other => return other,
        }
    }
    file.try_lock()
}
