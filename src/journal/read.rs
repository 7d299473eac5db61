//! Reads the journal: lists of runs, their events, and the check for damage.

use std::path::{Path, PathBuf};
use std::thread;

use rusqlite::{Connection, OptionalExtension, params};

use super::chain::{self, Hash};
use super::parse::Parser;
use super::schema::{self, SEQ_BITS};
use super::wal;
use super::write::row_id;
use super::{Headline, JournalError, Tag};
use run::record::{self, Records, Unreadable};
use run::{At, Envelope, Event, Run, RunId, Seq};

/// Reads a journal; never writes.
pub struct Reader {
    connection: Connection,
    path: PathBuf,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// When it was opened.
    pub opened_at: At,
    /// When its last event was recorded.
    pub touched_at: At,
    /// The number of its events.
    pub head: Seq,
    /// Its summary.
    pub headline: Headline,
    /// Its tags.
    pub tags: Vec<Tag>,
}

/// The result of a check for damage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// The number of runs checked.
    pub runs: u64,
    /// The number of events checked.
    pub events: u64,
    /// The damage, one line each; empty for a sound journal.
    pub damage: Vec<String>,
}

/// The stored row of a run.
struct Head {
    no: i64,
    seq: Seq,
    hash: Hash,
}

impl Reader {
    /// Opens the journal at `path`; None if there is none yet, or another process is just making it.
    ///
    /// # Errors
    /// It cannot be read, or is no journal.
    pub fn open(path: &Path) -> Result<Option<Reader>, JournalError> {
        let unreadable = |what: &str| JournalError::Unreadable { path: path.into(), what: what.into() };
        match path.metadata() {
            Ok(file) if file.is_file() => {}
            // Opening a pipe would wait for ever.
            Ok(_) => return Err(unreadable("it is no file")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(JournalError::unread(path, error)),
        }
        let connection = schema::open_to_read(path)?;
        let reader = Reader { connection, path: path.to_path_buf() };
        let count = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('runs', 'events')";
        match (reader.query_one(count)?, reader.query_one("PRAGMA user_version")?) {
            (2, _) => Ok(Some(reader)),
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

    /// All runs, the latest changed first.
    pub fn runs(&self) -> Result<Vec<RunRow>, JournalError> {
        // Reading does not bring an older journal up to date.
        let version = self.query_one("PRAGMA user_version")?;
        let doubt = if version < schema::WITH_DOUBT { "NULL" } else { "in_doubt" };
        let forked = if version < schema::WITH_FORKS { "NULL, NULL" } else { "parent, forked_at" };
        let tags = match version < schema::WITH_TAGS {
            true => "NULL",
            false => "(SELECT group_concat(tag, ' ' ORDER BY tag) FROM tags WHERE run = no)",
        };
        let rows = || -> rusqlite::Result<Vec<(String, RunRow)>> {
            let mut select = self.connection.prepare(&format!(
                "SELECT id, opened_at, touched_at, head_seq, question, state, cost, {doubt}, {forked}, {tags} FROM runs \
                 ORDER BY touched_at DESC, no DESC"
            ))?;
            let rows = select.query_map([], |row| {
                let id: String = row.get(0)?;
                Ok((
                    id,
                    RunRow {
                        id: RunId::from_random([0; 6]),
                        opened_at: At(row.get(1)?),
                        touched_at: At(row.get(2)?),
                        head: Seq(row.get::<_, i64>(3)?.unsigned_abs()),
                        headline: Headline {
                            question: row.get(4)?,
                            state: row.get(5)?,
                            cost: row.get::<_, i64>(6)?.unsigned_abs(),
                            in_doubt: row.get::<_, Option<i64>>(7)?.map(i64::unsigned_abs),
                            forked: Option::zip(row.get(8)?, row.get::<_, Option<i64>>(9)?.map(i64::unsigned_abs)),
                        },
                        tags: row
                            .get::<_, Option<String>>(10)?
                            .map_or_else(Vec::new, |tags| tags.split(' ').filter_map(|tag| tag.parse().ok()).collect()),
                    },
                ))
            })?;
            rows.collect()
        };
        let rows = rows().map_err(|error| self.of(&error))?;
        // A row with an invalid id is damage, which `verify` reports; lists skip it.
        Ok(rows.into_iter().filter_map(|(id, row)| Some(RunRow { id: id.parse().ok()?, ..row })).collect())
    }

    /// The run with this name: its id, a unique prefix of its id, or `last`.
    pub fn find(&self, name: &str) -> Result<RunId, JournalError> {
        let runs = self.runs()?;
        if name == "last" {
            return runs.first().map(|run| run.id.clone()).ok_or_else(|| JournalError::NoSuchRun(name.into()));
        }
        let fits: Vec<&RunRow> = runs.iter().filter(|run| run.id.as_str().starts_with(name)).collect();
        match fits.as_slice() {
            _ if name.is_empty() => Err(JournalError::NoSuchRun(name.into())),
            [] => Err(JournalError::NoSuchRun(text::Clean::line(name).chars().take(40).collect())),
            [one] => Ok(one.id.clone()),
            many => match many.iter().find(|run| run.id.as_str() == name) {
                Some(exact) => Ok(exact.id.clone()),
                None => {
                    let ids: Vec<&str> = many.iter().map(|run| run.id.as_str()).collect();
                    Err(JournalError::Ambiguous(name.into(), ids.join(", ")))
                }
            },
        }
    }

    fn head(&self, run: &RunId) -> Result<Option<Head>, JournalError> {
        self.connection
            .query_row("SELECT no, head_seq, head_hash FROM runs WHERE id = ?1", [run.as_str()], |row| {
                Ok(Head { no: row.get(0)?, seq: Seq(row.get::<_, i64>(1)?.unsigned_abs()), hash: row.get(2)? })
            })
            .optional()
            .map_err(|error| self.of(&error))
    }

    /// The last event of a run.
    ///
    /// # Errors
    /// The journal cannot be read, or has no such run.
    pub fn last(&self, run: &RunId) -> Result<Seq, JournalError> {
        Ok(self.head(run)?.ok_or_else(|| JournalError::NoSuchRun(run.to_string()))?.seq)
    }

    /// Passes all events of a run to `each`, in order, after checking the hash chain.
    pub fn events(&self, run: &RunId, each: impl FnMut(Envelope)) -> Result<(), JournalError> {
        self.events_after(run, &mut Tail::default(), each)
    }

    /// Passes the events after `tail` to `each` and advances `tail`: for following a run of another process.
    pub fn events_after(
        &self,
        run: &RunId,
        tail: &mut Tail,
        mut each: impl FnMut(Envelope),
    ) -> Result<(), JournalError> {
        // One transaction, so that no other process writes between reading the head and the rows.
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.of(&error))?;
        let head = self.head(run)?.ok_or_else(|| JournalError::NoSuchRun(run.to_string()))?;
        let records = tail.records.clone();
        let (seq, hash, records) = thread::scope(|scope| {
            let mut parser = Parser::new(scope, records);
            let unread = |(seq, error)| self.unread_record(run, seq, &error);
            let each = &mut each;
            let (seq, hash) = self.rows_after(run, head.no, tail, |row| parser.push(row, each).map_err(unread))?;
            Ok((seq, hash, parser.finish(each).map_err(unread)?))
        })?;
        let damaged = |at: Seq, what: &str| JournalError::Damaged { run: run.clone(), at, what: what.into() };
        if seq != head.seq {
            return Err(damaged(seq.next(), &format!("the run has {} events, its head says {}", seq.0, head.seq.0)));
        }
        if hash != head.hash {
            return Err(damaged(seq, "the hash of the run's head is another"));
        }
        *tail = Tail { seq, hash: Some(hash), records };
        transaction.finish().map_err(|error| self.of(&error))
    }

    /// Passes the rows of a run after `tail` to `each` once their hashes are checked; returns the last one and its hash.
    fn rows_after(
        &self,
        run: &RunId,
        no: i64,
        tail: &Tail,
        mut each: impl FnMut((Seq, At, &str)) -> Result<(), JournalError>,
    ) -> Result<(Seq, Hash), JournalError> {
        let mut hash = tail.hash.unwrap_or_else(|| chain::origin(run));
        let mut seq = tail.seq;
        let damaged = |at: Seq, what: &str| JournalError::Damaged { run: run.clone(), at, what: what.into() };
        let mut select = self
            .connection
            .prepare_cached("SELECT id, at, body, hash FROM events WHERE id > ?1 AND id < ?2 ORDER BY id")
            .map_err(|error| self.of(&error))?;
        let mut rows =
            select.query(params![row_id(no, seq), row_id(no + 1, Seq(0))]).map_err(|error| self.of(&error))?;
        while let Some(row) = rows.next().map_err(|error| self.of(&error))? {
            let id: i64 = row.get(0).map_err(|error| self.of(&error))?;
            let next = seq.next();
            if id & ((1 << SEQ_BITS) - 1) != next.0.cast_signed() {
                return Err(damaged(next, "it is missing"));
            }
            let at = At(row.get(1).map_err(|error| self.of(&error))?);
            let body = row.get_ref(2).ok().and_then(|body| body.as_str().ok());
            let body = body.ok_or_else(|| damaged(next, "its text is not text"))?;
            hash = chain::link(&hash, next, at, body.as_bytes());
            if row.get_ref(3).ok().and_then(|hash| hash.as_blob().ok()) != Some(&hash[..]) {
                return Err(damaged(next, "its hash does not fit its content and the event before it"));
            }
            each((next, at, body))?;
            seq = next;
        }
        Ok((seq, hash))
    }

    fn unread_record(&self, run: &RunId, seq: Seq, error: &Unreadable) -> JournalError {
        match error {
            Unreadable::Newer { found } => JournalError::Newer {
                path: self.path.clone(),
                found: i64::from(*found),
                known: i64::from(record::VERSION),
            },
            error => JournalError::Damaged { run: run.clone(), at: seq, what: error.to_string() },
        }
    }

    /// Checks everything: SQLite's own check, its write-ahead log, the chain of every run, and what the list says of it.
    ///
    /// # Errors
    /// A newer program wrote it, or it cannot be read.
    pub fn verify(&self) -> Result<Check, JournalError> {
        let mut check = Check::default();
        check.damage.extend(wal::damage(&self.path)?);
        let integrity = || -> rusqlite::Result<Vec<String>> {
            let mut pragma = self.connection.prepare("PRAGMA integrity_check(20)")?;
            let lines = pragma.query_map([], |row| row.get(0))?;
            lines.collect()
        };
        match integrity() {
            Ok(lines) => check.damage.extend(lines.into_iter().filter(|line| line != "ok")),
            Err(error) => check.damage.push(error.to_string()),
        }
        match self.verify_runs(&mut check) {
            // A column that is gone is no fault of the disk.
            Err(JournalError::Other { what, .. }) => check.damage.push(what),
            done => done?,
        }
        Ok(check)
    }

    fn verify_runs(&self, check: &mut Check) -> Result<(), JournalError> {
        let stored: i64 = self.query_one("SELECT count(*) FROM runs")?;
        let rows = self.runs()?;
        if stored != rows.len() as i64 {
            check.damage.push(format!("{} runs have no proper id", stored - rows.len() as i64));
        }
        for row in rows {
            check.runs += 1;
            let mut run = Run::default();
            let (mut version, mut first, mut last) = (None, None, None);
            let read = self.events(&row.id, |envelope| {
                check.events += 1;
                first = first.or(Some(envelope.at));
                last = Some(envelope.at);
                match &envelope.event {
                    Event::RunOpened(opening) => version = Some(opening.version.clone()),
                    Event::Attached { version: attached } => version = Some(attached.clone()),
                    _ => {}
                }
                run.apply(&envelope);
            });
            match read {
                Err(error) => check.damage.push(error.to_string()),
                Ok(()) => {
                    let ours = version.is_some_and(|version| version == env!("CARGO_PKG_VERSION"));
                    check.damage.extend(
                        differing(&row, &run, (first, last), ours)
                            .map(|what| format!("the list says of run {} {what} than its events", row.id)),
                    );
                }
            }
        }
        let strays = self
            .query_one(&format!("SELECT count(*) FROM events WHERE (id >> {SEQ_BITS}) NOT IN (SELECT no FROM runs)"))?;
        if strays > 0 {
            check.damage.push(format!("{strays} events belong to no run"));
        }
        Ok(())
    }
}

/// What a row of the list says otherwise than the run it is about. Another version of the program may have had other words
/// for a state, and counted costs in another way.
fn differing(row: &RunRow, run: &Run, times: (Option<At>, Option<At>), ours: bool) -> Option<&'static str> {
    let headline = Headline::of(run)?;
    let said = &row.headline;
    let differs = [
        ("another question", said.question != headline.question),
        ("another beginning", Some(row.opened_at) != times.0),
        ("another last moment", Some(row.touched_at) != times.1),
        ("another state", ours && said.state != headline.state),
        ("another cost", ours && said.cost != headline.cost),
        ("another parent", said.forked != headline.forked),
        ("another sum in doubt", ours && said.in_doubt.is_some() && said.in_doubt != headline.in_doubt),
    ];
    differs.into_iter().find_map(|(what, differs)| differs.then_some(what))
}

/// The position of a follower.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    seq: Seq,
    hash: Option<Hash>,
    records: Records,
}
