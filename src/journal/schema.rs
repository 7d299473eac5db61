//! The tables of the journal, and their migrations.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::claim::Claims;
use super::error::named;
use super::{JournalError, wal};

/// "mast": marks the file as a journal.
const APPLICATION_ID: i64 = 0x6d61_7374;

/// One migration per version; the version is the number of migrations applied.
///
/// `events.id` is `runs.no << 32 | seq`: the rows of a run are adjacent and in order, without another index.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE runs (
        no        INTEGER PRIMARY KEY,
        id        TEXT NOT NULL UNIQUE,
        opened_at INTEGER NOT NULL,
        touched_at INTEGER NOT NULL,
        head_seq  INTEGER NOT NULL,
        head_hash BLOB NOT NULL,
        question  TEXT NOT NULL,
        state     TEXT NOT NULL,
        cost      INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE events (
        id   INTEGER PRIMARY KEY,
        at   INTEGER NOT NULL,
        body TEXT NOT NULL,
        hash BLOB NOT NULL
    ) STRICT;
",
    // The tables are unchanged; new records are of version 2 (`run::record`).
    "",
    // Null until the run goes on: the amount in doubt then was not kept for lists.
    "ALTER TABLE runs ADD COLUMN in_doubt INTEGER;",
    // Null for a run that is no fork: there were none before.
    "ALTER TABLE runs ADD COLUMN parent TEXT; ALTER TABLE runs ADD COLUMN forked_at INTEGER;",
    "
    CREATE TABLE tags (
        run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (run, tag)
    ) STRICT, WITHOUT ROWID;
",
    // JSON of `run::foreign::Imported`; null for a run of this program. For older rows, the list did not keep which part of their
    // money is known.
    r#"
    ALTER TABLE runs ADD COLUMN imported TEXT;
    UPDATE runs SET imported = (
        SELECT '{"format":"' || json_extract(body, '$.origin.format') || '"}' FROM events
        WHERE id = runs.no << 32 | 1 AND json_valid(body)
    );
"#,
];

/// The version from which on `runs.in_doubt` is there.
pub(super) const WITH_DOUBT: i64 = 3;
/// The version from which on `runs.parent` and `runs.forked_at` are there.
pub(super) const WITH_FORKS: i64 = 4;
/// The version from which on there are tags.
pub(super) const WITH_TAGS: i64 = 5;
/// The version from which on `runs.imported` is there.
pub(super) const WITH_IMPORTED: i64 = 6;

/// The newest supported version.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The time for which a statement waits for another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// The bits of `events.id` for the sequence number.
pub(super) const SEQ_BITS: u32 = 32;

/// Opens the journal for writing; creates the folder (0700) and the file (0600) if missing.
///
/// # Errors
/// It cannot be opened, or its log has lost commits.
pub(super) fn open_to_write(path: &Path) -> Result<Connection, JournalError> {
    wal::check(path)?;
    sqlite::make_private(path).map_err(|error| JournalError::io(path, &error))?;
    let of = |error: rusqlite::Error| JournalError::of(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(of)?;
    connection.busy_timeout(PATIENCE).map_err(of)?;
    check_version(&connection, path)?;
    sqlite::share(&connection, PATIENCE).map_err(of)?;
    // Rows go to the end of one table: more cache than for a few commits is never read. The log is merged at a rest; without one,
    // within the commit that brings it to 32 MiB. A writer overwrites the space that it frees: a run that is deleted later may have
    // had its text there.
    connection
        .execute_batch(
            "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA cache_size=-1024; PRAGMA wal_autocheckpoint=8192;
             PRAGMA secure_delete=ON;",
        )
        .map_err(of)?;
    migrate(&mut connection).map_err(of)?;
    Ok(connection)
}

/// The time for which it tries to open a journal whose process has just ended.
const READING_PATIENCE: Duration = Duration::from_secs(2);
const READING_PAUSE: Duration = Duration::from_millis(5);

/// Opens the journal for reading only. If a process ended in the middle of making it, its unfinished step is rolled back first; on
/// read-only media, and on a full disk where no process works on a run, it is read as it is.
///
/// # Errors
/// It cannot be opened, or its log has lost commits.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, JournalError> {
    wal::check(path)?;
    let journal = wal::beside(path, "-journal");
    let nothing_waits = || !is_filled(&journal) && !is_filled(&wal::path(path));
    let begun = Instant::now();
    loop {
        let why = match open_read_only(path, path.as_os_str().as_bytes(), OpenFlags::empty()) {
            Err(why @ JournalError::Unread { .. }) => why,
            // On a full disk SQLite has no room for its index of the log.
            Err(JournalError::NotRead { .. }) if nothing_waits() && !Claims::beside(path).any_taken() => {
                return open_read_only(path, &immutable(path), OpenFlags::SQLITE_OPEN_URI);
            }
            done => return done,
        };
        if is_filled(&journal) && open_to_roll_back(path).is_ok() {
            continue;
        }
        if begun.elapsed() < READING_PATIENCE && is_writable(path) {
            std::thread::sleep(READING_PAUSE);
            continue;
        }
        // Nothing can change it here, and nothing beside it waits to be read in.
        if !is_writable(path) && nothing_waits() {
            return open_read_only(path, &immutable(path), OpenFlags::SQLITE_OPEN_URI);
        }
        return Err(match why {
            JournalError::Unread { place, what } if !is_writable(path) => {
                let what = format!(
                    "{what}. Its last events are in a file beside it: copy its folder to where it can be written, and name that with --data-dir"
                );
                JournalError::Unread { place, what }
            }
            why => why,
        });
    }
}

fn open_read_only(path: &Path, name: &[u8], more: OpenFlags) -> Result<Connection, JournalError> {
    let of = |error: rusqlite::Error| JournalError::of_reading(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(Path::new(OsStr::from_bytes(name)), flags).map_err(of)?;
    connection.busy_timeout(PATIENCE).map_err(of)?;
    check_version(&connection, path)?;
    Ok(connection)
}

/// Reading the version rolls back a change that a process left half done.
fn open_to_roll_back(path: &Path) -> Result<(), JournalError> {
    let of = |error: rusqlite::Error| JournalError::of_reading(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(of)?;
    connection.busy_timeout(PATIENCE).map_err(of)?;
    check_version(&connection, path)
}

/// The address of a file that SQLite reads without locks and without files beside it.
fn immutable(path: &Path) -> Vec<u8> {
    let mut uri = b"file:".to_vec();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(*byte),
            byte => uri.extend(format!("%{byte:02x}").bytes()),
        }
    }
    uri.extend(b"?immutable=1");
    uri
}

fn is_filled(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

fn is_writable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    [path, folder].iter().all(|path| rustix::fs::access(*path, rustix::fs::Access::WRITE_OK).is_ok())
}

/// Refuses a newer journal, and the database of another program: most programs leave the version at 0, but only a file
/// without tables is no journal yet.
fn check_version(connection: &Connection, path: &Path) -> Result<(), JournalError> {
    let of = |error: rusqlite::Error| JournalError::of_reading(path, &error);
    // One look at all of it: another process may be making the journal.
    let connection = connection.unchecked_transaction().map_err(of)?;
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(of)?;
    if found > VERSION {
        return Err(JournalError::Newer { place: named(path), found, known: VERSION });
    }
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(of)?;
    let is_ours = match found {
        0 => application == 0 && !has_tables(&connection).map_err(of)?,
        _ => application == APPLICATION_ID,
    };
    if !is_ours {
        return Err(JournalError::Other { place: named(path), what: "this is another program's database".into() });
    }
    Ok(())
}

fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let taken: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for step in MIGRATIONS.iter().skip(usize::try_from(taken).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    if taken < VERSION {
        transaction
            .execute_batch(&format!("PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION};"))?;
    }
    transaction.commit()
}
