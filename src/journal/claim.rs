//! Claims on runs of a journal in a file: one process at a time works on a run, by a lock that ends with its process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
        let open = || {
            let mut how = OpenOptions::new();
            how.create(true).truncate(false).read(true).write(true).mode(0o600).open(&path).map_err(of)
        };
        let mut file = open()?;
        let mut locked = lock(&file);
        // A process that deleted the run meanwhile has taken the file away: its lock is nobody's.
        while locked.is_ok() && !stands_at(&file, &path) {
            file = open()?;
            locked = lock(&file);
        }
        match locked {
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

/// Whether a file is the one at a path now.
fn stands_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// The time for which a lock is waited for that others only look at.
const LOOKED_AT: Duration = Duration::from_secs(2);

/// Locks a file. [`Claims::is_taken`] shares the lock for a moment to look at it: that is waited for, a process that works is not.
fn lock(file: &File) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOOKED_AT => file.try_lock_shared()?,
            done => return done,
        }
        file.unlock().map_err(TryLockError::Error)?;
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(claims: &Claims, run: &RunId) -> Option<Claim> {
        match claims.take(run).unwrap() {
            Claimed::Ours(claim) => Some(claim),
            Claimed::Theirs(_) => None,
        }
    }

    #[test]
    fn a_lock_that_others_look_at_is_waited_for_and_one_of_a_worker_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let (claims, run) = (Claims::beside(&dir.path().join("journal.db")), "abcd".parse().unwrap());
        drop(is_ours(&claims, &run).expect("nobody has it"));
        let looking = File::open(claims.lock_of(&run)).unwrap();
        looking.lock_shared().unwrap();
        // Longer than a lock was waited for when a lock that is looked at was taken for a worker's.
        let looks = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(looking);
        });
        let claim = is_ours(&claims, &run).expect("it was only looked at");
        looks.join().unwrap();
        assert!(claims.is_taken(&run) && is_ours(&claims, &run).is_none());
        drop(claim);
        assert!(!claims.is_taken(&run));
    }

    #[test]
    fn a_lock_whose_file_was_taken_away_meanwhile_is_taken_anew() {
        let dir = tempfile::tempdir().unwrap();
        let (claims, run): (_, RunId) = (Claims::beside(&dir.path().join("journal.db")), "abcd".parse().unwrap());
        let deletes = is_ours(&claims, &run).unwrap();
        let looking = File::open(claims.lock_of(&run)).unwrap();
        let path = claims.lock_of(&run);
        assert!(stands_at(&looking, &path));
        claims.forget(&run);
        assert!(!stands_at(&looking, &path));
        let next = is_ours(&claims, &run).expect("the run is gone, and its lock with it");
        drop(deletes);
        assert!(claims.is_taken(&run));
        drop(next);
    }
}
