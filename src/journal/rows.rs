//! The rows of a journal in an SQLite file.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use super::claim::Claims;
use super::error::named;
use super::read::{Each, Head, Rows, StoredRow, StoredRun};
use super::schema::{self, SEQ_BITS};
use super::wal;
use super::write::row_id;
use super::{Headline, JournalError};
use run::{At, RunId, Seq};

/// Reads the file; never writes.
pub(super) struct FileRows {
    connection: Connection,
    path: PathBuf,
}

impl FileRows {
    /// Opens the file; None if there is none yet, or another process is just making it.
    pub(super) fn open(path: &Path) -> Result<Option<FileRows>, JournalError> {
        let unreadable = |what: &str| JournalError::Unreadable { place: named(path), what: what.into() };
        match path.metadata() {
            Ok(file) if file.is_file() => {}
            // Opening a pipe would wait for ever.
            Ok(_) => return Err(unreadable("it is no file")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(JournalError::unread(path, error)),
        }
        let connection = schema::open_to_read(path)?;
        let rows = FileRows { connection, path: path.to_path_buf() };
        let count = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('runs', 'events')";
        match (rows.query_one(count)?, rows.query_one("PRAGMA user_version")?) {
            (2, _) => Ok(Some(rows)),
            // All tables come at once with the version.
            (0, 0) => Ok(None),
            _ => Err(unreadable("its tables are missing")),
        }
    }

    fn of(&self, error: &rusqlite::Error) -> JournalError {
        JournalError::of_reading(&self.path, error)
    }

    fn query_one(&self, sql: &str) -> Result<i64, JournalError> {
        self.connection.query_row(sql, [], |row| row.get(0)).map_err(|e| self.of(&e))
    }

    /// A run's number and its head.
    fn numbered(&self, run: &RunId) -> Result<Option<(i64, Head)>, JournalError> {
        self.connection
            .query_row("SELECT no, head_seq, head_hash FROM runs WHERE id = ?1", [run.as_str()], |row| {
                let head = Head { seq: Seq(row.get::<_, i64>(1)?.unsigned_abs()), hash: row.get(2)? };
                Ok((row.get(0)?, head))
            })
            .optional()
            .map_err(|error| self.of(&error))
    }
}

impl Rows for FileRows {
    fn place(&self) -> String {
        named(&self.path)
    }

    fn runs(&self) -> Result<Vec<StoredRun>, JournalError> {
        // Reading does not bring an older journal up to date.
        let version = self.query_one("PRAGMA user_version")?;
        let doubt = if version < schema::WITH_DOUBT { "NULL" } else { "in_doubt" };
        let forked = if version < schema::WITH_FORKS { "NULL, NULL" } else { "parent, forked_at" };
        let tags = match version < schema::WITH_TAGS {
            true => "NULL",
            false => "(SELECT group_concat(tag, ' ' ORDER BY tag) FROM tags WHERE run = no)",
        };
        let imported = if version < schema::WITH_IMPORTED { "NULL" } else { "imported" };
        let claims = Claims::beside(&self.path);
        let rows = || -> rusqlite::Result<Vec<StoredRun>> {
            let mut select = self.connection.prepare(&format!(
                "SELECT id, opened_at, touched_at, head_seq, question, state, cost, {doubt}, {forked}, {tags}, {imported} FROM runs \
                 ORDER BY touched_at DESC, no DESC"
            ))?;
            let rows = select.query_map([], |row| {
                let id: String = row.get(0)?;
                Ok(StoredRun {
                    active: id.parse().is_ok_and(|id| claims.is_taken(&id)),
                    id,
                    opened_at: At(row.get(1)?),
                    touched_at: At(row.get(2)?),
                    head: Seq(row.get::<_, i64>(3)?.unsigned_abs()),
                    headline: Headline {
                        question: row.get(4)?,
                        state: row.get(5)?,
                        cost: row.get::<_, i64>(6)?.unsigned_abs(),
                        in_doubt: row.get::<_, Option<i64>>(7)?.map(i64::unsigned_abs),
                        forked: Option::zip(row.get(8)?, row.get::<_, Option<i64>>(9)?.map(i64::unsigned_abs)),
                        imported: super::imported(row.get(11)?),
                    },
                    tags: row
                        .get::<_, Option<String>>(10)?
                        .map_or_else(Vec::new, |tags| tags.split(' ').filter_map(|tag| tag.parse().ok()).collect()),
                })
            })?;
            rows.collect()
        };
        rows().map_err(|error| self.of(&error))
    }

    fn head(&self, run: &RunId) -> Result<Option<Head>, JournalError> {
        Ok(self.numbered(run)?.map(|(_, head)| head))
    }

    fn events(&self, run: &RunId, after: Seq, each: Each<'_>) -> Result<Option<Head>, JournalError> {
        let of = |error: rusqlite::Error| self.of(&error);
        // One transaction, so that no other process writes between reading the head and the rows.
        let transaction = self.connection.unchecked_transaction().map_err(of)?;
        let Some((no, head)) = self.numbered(run)? else { return Ok(None) };
        {
            let mut select = self
                .connection
                .prepare_cached("SELECT id, at, body, hash FROM events WHERE id > ?1 AND id < ?2 ORDER BY id")
                .map_err(of)?;
            let mut rows = select.query(params![row_id(no, after), row_id(no + 1, Seq(0))]).map_err(of)?;
            while let Some(row) = rows.next().map_err(of)? {
                let id: i64 = row.get(0).map_err(of)?;
                each(StoredRow {
                    seq: id & ((1 << SEQ_BITS) - 1),
                    at: At(row.get(1).map_err(of)?),
                    body: row.get_ref(2).ok().and_then(|body| body.as_str().ok()),
                    hash: row.get_ref(3).ok().and_then(|hash| hash.as_blob().ok()).unwrap_or_default(),
                })?;
            }
        }
        transaction.finish().map_err(of)?;
        Ok(Some(head))
    }

    fn damage(&self) -> Result<Vec<String>, JournalError> {
        let mut damage: Vec<String> = wal::unfinished(&self.path).into_iter().collect();
        let integrity = || -> rusqlite::Result<Vec<String>> {
            let mut pragma = self.connection.prepare("PRAGMA integrity_check(20)")?;
            let lines = pragma.query_map([], |row| row.get(0))?;
            lines.collect()
        };
        match integrity() {
            Ok(lines) => damage.extend(lines.into_iter().filter(|line| line != "ok")),
            Err(error) => damage.push(error.to_string()),
        }
        Ok(damage)
    }

    fn strays(&self) -> Result<u64, JournalError> {
        let count = format!("SELECT count(*) FROM events WHERE (id >> {SEQ_BITS}) NOT IN (SELECT no FROM runs)");
        Ok(self.query_one(&count)?.unsigned_abs())
    }
}
