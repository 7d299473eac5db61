//! Reads a journal: lists of runs, their events, and the check for damage. The rows come from a store; their sequence, and their
//! agreement with the list of runs, are checked here.

use std::path::Path;
use std::thread;

use super::chain::{self, Hash};
use super::parse::Parser;
use super::rows::FileRows;
use super::{Headline, JournalError, Tag};
use run::record::{self, Records, Unreadable};
use run::{At, Envelope, Event, Run, RunId, Seq};
use text::count;

/// Reads a journal; never writes.
pub struct Reader {
    rows: Box<dyn Rows>,
}

/// The rows of a store, as they are.
pub(super) trait Rows: Send {
    /// The place of the journal, in the words of an error.
    fn place(&self) -> String;

    /// All runs as they stand there, the latest changed first.
    fn runs(&self) -> Result<Vec<StoredRun>, JournalError>;

    /// The head of a run; None if there is no such run.
    fn head(&self, run: &RunId) -> Result<Option<Head>, JournalError>;

    /// Passes the rows of a run after one of its events to `each`, in order, and returns the head that the last of them ends
    /// at; None if there is no such run. Nothing that is appended meanwhile shows.
    fn events(&self, run: &RunId, after: Seq, each: Each<'_>) -> Result<Option<Head>, JournalError>;

    /// The damage that only this kind of store has, a line each.
    fn damage(&self) -> Result<Vec<String>, JournalError>;

    /// The number of events that belong to no run.
    fn strays(&self) -> Result<u64, JournalError>;
}

/// Called with each row.
pub(super) type Each<'a> = &'a mut dyn FnMut(StoredRow<'_>) -> Result<(), JournalError>;

/// The row of a run. Its id may be no id, which is damage.
pub(super) struct StoredRun {
    pub(super) id: String,
    pub(super) opened_at: At,
    pub(super) touched_at: At,
    pub(super) head: Seq,
    pub(super) headline: Headline,
    pub(super) tags: Vec<Tag>,
    /// Whether a process works on it now.
    pub(super) active: bool,
}

impl StoredRun {
    /// The run in a list; None if its id is no id.
    fn into_row(self) -> Option<RunRow> {
        let StoredRun { id, opened_at, touched_at, head, headline, tags, active } = self;
        Some(RunRow { id: id.parse().ok()?, opened_at, touched_at, head, headline, tags, active })
    }
}

/// The row of an event.
pub(super) struct StoredRow<'a> {
    pub(super) seq: i64,
    pub(super) at: At,
    /// None if it is no text.
    pub(super) body: Option<&'a str>,
    /// Empty if it is no hash.
    pub(super) hash: &'a [u8],
}

/// The end of a run, as the row of the run says.
pub(super) struct Head {
    pub(super) seq: Seq,
    /// Empty if it is no hash.
    pub(super) hash: Vec<u8>,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// The time at which it was opened.
    pub opened_at: At,
    /// The time of its last event.
    pub touched_at: At,
    /// The number of its events.
    pub head: Seq,
    /// Its summary.
    pub headline: Headline,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Whether a process works on it now.
    pub active: bool,
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

impl Reader {
    /// Opens the journal in an SQLite file; None if there is none yet, or another process is just making it.
    ///
    /// # Errors
    /// It cannot be read, or is no journal.
    pub fn open(path: &Path) -> Result<Option<Reader>, JournalError> {
        Ok(FileRows::open(path)?.map(Reader::of))
    }

    pub(super) fn of(rows: impl Rows + 'static) -> Reader {
        Reader { rows: Box::new(rows) }
    }

    /// All runs, the latest changed first.
    pub fn runs(&self) -> Result<Vec<RunRow>, JournalError> {
        // A row with an invalid id is damage, which `verify` reports; lists skip it.
        Ok(self.rows.runs()?.into_iter().filter_map(StoredRun::into_row).collect())
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

    /// The last event of a run.
    ///
    /// # Errors
    /// The journal cannot be read, or has no such run.
    pub fn last(&self, run: &RunId) -> Result<Seq, JournalError> {
        Ok(self.rows.head(run)?.ok_or_else(|| JournalError::NoSuchRun(run.to_string()))?.seq)
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
        let mut hash = tail.hash.unwrap_or_else(|| chain::origin(run));
        let mut seq = tail.seq;
        let damaged = |at: Seq, what: &str| JournalError::Damaged { run: run.clone(), at, what: what.into() };
        let unread = |(seq, error): (Seq, Unreadable)| self.unread_record(run, seq, &error);
        let (head, records) = thread::scope(|scope| {
            let mut parser = Parser::new(scope, tail.records.clone());
            let head = self.rows.events(run, seq, &mut |row| {
                let next = seq.next();
                if row.seq != next.0.cast_signed() {
                    return Err(damaged(next, "it is missing"));
                }
                let body = row.body.ok_or_else(|| damaged(next, "its text is not text"))?;
                hash = chain::link(&hash, next, row.at, body.as_bytes());
                if row.hash != hash {
                    return Err(damaged(next, "its hash does not fit its content and the event before it"));
                }
                seq = next;
                parser.push((next, row.at, body), &mut each).map_err(unread)
            })?;
            Ok((head, parser.finish(&mut each).map_err(unread)?))
        })?;
        let head = head.ok_or_else(|| JournalError::NoSuchRun(run.to_string()))?;
        if seq != head.seq {
            return Err(damaged(
                seq.next(),
                &format!("the run has {}, its head says {}", count(seq.0, "event"), head.seq.0),
            ));
        }
        if head.hash != hash {
            return Err(damaged(seq, "the hash of the run's head is another"));
        }
        *tail = Tail { seq, hash: Some(hash), records };
        Ok(())
    }

    fn unread_record(&self, run: &RunId, at: Seq, error: &Unreadable) -> JournalError {
        match error {
            Unreadable::Newer { found } => {
                let (place, known) = (self.rows.place(), i64::from(record::VERSION));
                JournalError::Newer { place, found: i64::from(*found), known }
            }
            error => JournalError::Damaged { run: run.clone(), at, what: error.to_string() },
        }
    }

    /// Checks everything: the store's own check, the chain of every run, and its row in the list.
    ///
    /// # Errors
    /// A newer program wrote it, or it cannot be read.
    pub fn verify(&self) -> Result<Check, JournalError> {
        let mut check = Check { damage: self.rows.damage()?, ..Check::default() };
        match self.verify_runs(&mut check) {
            // A column that is gone is no fault of the disk.
            Err(JournalError::Other { what, .. }) => check.damage.push(what),
            done => done?,
        }
        Ok(check)
    }

    fn verify_runs(&self, check: &mut Check) -> Result<(), JournalError> {
        let stored = self.rows.runs()?;
        let all = stored.len();
        let rows: Vec<RunRow> = stored.into_iter().filter_map(StoredRun::into_row).collect();
        if all != rows.len() {
            check.damage.push(format!("{} with no proper id", count(all - rows.len(), "run")));
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
                    Event::Attached { version: attached, .. } => version = Some(attached.clone()),
                    _ => {}
                }
                run.apply(&envelope);
            });
            match read {
                Err(error) => check.damage.push(error.what_is_wrong()),
                Ok(()) => {
                    let ours = version.is_some_and(|version| version == env!("CARGO_PKG_VERSION"));
                    check.damage.extend(
                        differing(&row, &run, (first, last), ours)
                            .map(|what| format!("the list says of run {} {what} than its events", row.id)),
                    );
                }
            }
        }
        let strays = self.rows.strays()?;
        if strays > 0 {
            let belong = if strays == 1 { "belongs" } else { "belong" };
            check.damage.push(format!("{} {belong} to no run", count(strays, "event")));
        }
        Ok(())
    }
}

/// The difference between a row of the list and its run. Another version of the program may have had other words for a state, and
/// counted costs in another way.
fn differing(row: &RunRow, run: &Run, times: (Option<At>, Option<At>), ours: bool) -> Option<&'static str> {
    let headline = Headline::of(run)?;
    let said = &row.headline;
    // An earlier version kept no pricing of imported runs.
    let is_priced = said.imported.is_some_and(|imported| imported.pricing.is_some());
    let differs = [
        ("another question", said.question != headline.question),
        ("another beginning", Some(row.opened_at) != times.0),
        ("another last moment", Some(row.touched_at) != times.1),
        ("another state", ours && said.state != headline.state),
        ("another cost", ours && said.cost != headline.cost),
        ("another parent", said.forked != headline.forked),
        ("another sum in doubt", ours && said.in_doubt.is_some() && said.in_doubt != headline.in_doubt),
        ("another origin", ours && is_priced && said.imported != headline.imported),
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
