//! Outside: what every SQLite file that the program writes has in common.
//!
//! For this user alone (folder 0700, file 0600) and in WAL mode. Knows nothing of what is kept in it.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

/// How long to leave a database alone that another process was using.
const MOMENT: Duration = Duration::from_millis(5);

/// Makes folder and file, if they are not there: SQLite would create them with the rights that the umask leaves. Its
/// side files get the rights of the database.
pub fn make_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    File::options().append(true).create(true).mode(0o600).open(path).map(drop)
}

/// Goes over to WAL mode, and lets every statement from then on wait `patience` for other processes.
///
/// The first to do so needs the file for itself, and for that SQLite does not wait: several processes that meet at a
/// new file would fail with "database is locked" (<https://www.sqlite.org/wal.html>, section 9).
pub fn share(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && begun.elapsed() < patience => {
                std::thread::sleep(MOMENT);
            }
            done => return done,
        }
    }
}
