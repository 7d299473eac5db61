//! Opens SQLite files: private to the user (folder 0700, file 0600), in WAL mode. Knows nothing of their content.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

/// The pause between two tries on a database that another process is using.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Creates folder and file if missing, because SQLite would use the umask's permissions. SQLite's side files get the
/// permissions of the database.
pub fn make_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // Opening a pipe would wait for ever.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("it is no file"));
    }
    File::options().append(true).create(true).mode(0o600).open(path).map(drop)
}

/// Switches to WAL mode, and lets every later statement wait up to `patience` for other processes.
///
/// The switch needs exclusive access, and SQLite does not wait for that: without the retry, several processes that open
/// a new file at once would fail with "database is locked" (<https://www.sqlite.org/wal.html>, section 9).
pub fn share(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && begun.elapsed() < patience => {
                std::thread::sleep(RETRY_PAUSE);
            }
            done => return done,
        }
    }
}
