//! Claims on runs of a journal in a file: one process at a time works on a run, by a lock that ends with its process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::JournalError;
use super::store::{Claim, Claimed, Worker};
use run::{At, RunId};

/// The folder with the locks of a journal's runs.
pub(super) struct Claims(PathBuf);

impl Claims {
    /// The folder beside a journal: beside the file itself, however many names it has.
    pub(super) fn beside(journal: &Path) -> Claims {
        let file = journal.canonicalize().unwrap_or_else(|_| journal.to_path_buf());
        Claims(file.with_file_name("claims"))
    }

    fn lock_of(&self, run: &RunId) -> PathBuf {
        self.0.join(format!("{run}.lock"))
    }

    /// Claims a run.
    pub(super) fn take(&self, run: &RunId) -> Result<Claimed, JournalError> {
        let folder = &self.0;
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|e| JournalError::io(folder, &e))?;
        let path = self.lock_of(run);
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
                let worked_until = signed(&file);
                file.set_len(0).map_err(of)?;
                file.rewind().map_err(of)?;
                // Only for the message that another process shows.
                let _ = write!(file, "{}", std::process::id());
                // Having the claim is no sign of work.
                let _ = file.set_modified(worked_until.unwrap_or(UNIX_EPOCH));
                Ok(Claimed::Ours(Claim::locks(file, worked_until.and_then(moment))))
            }
            Err(TryLockError::WouldBlock) => {
                let mut id = String::new();
                let _ = file.read_to_string(&mut id);
                Ok(Claimed::Theirs(Worker { process: id.trim().parse().ok(), machine: None }))
            }
            Err(TryLockError::Error(error)) => Err(of(error)),
        }
    }

    /// Removes the lock of a run that no longer exists.
    pub(super) fn forget(&self, run: &RunId) {
        // A lock that stays is taken for that of a run that was there once, which it was.
        let _ = std::fs::remove_file(self.lock_of(run));
    }

    /// Whether any run of a journal was ever claimed.
    pub(super) fn any(&self) -> bool {
        self.locks().next().is_some()
    }

    /// Whether a process works on any run of a journal now.
    pub(super) fn any_taken(&self) -> bool {
        self.locks().any(|lock| is_held(&lock))
    }

    /// Whether a process works on a run now.
    pub(super) fn is_taken(&self, run: &RunId) -> bool {
        is_held(&self.lock_of(run))
    }

    fn locks(&self) -> impl Iterator<Item = PathBuf> {
        let files = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "lock"))
    }
}

/// Whether a process holds a lock.
fn is_held(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The time that the last process left as a sign that it works on the run; None if none did.
fn signed(file: &File) -> Option<SystemTime> {
    let signed = file.metadata().ok().filter(|metadata| metadata.len() > 0)?.modified().ok()?;
    Some(signed).filter(|signed| *signed > UNIX_EPOCH)
}

fn moment(time: SystemTime) -> Option<At> {
    time.duration_since(UNIX_EPOCH).ok().map(At::after_1970)
}

/// Locks a file; retries for a moment, because [`Claims::is_taken`] locks it briefly to test it.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..5 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            other => return other,
        }
    }
    file.try_lock()
}
