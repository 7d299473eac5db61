//! The written form of events, and the way to read it back, also from earlier versions of the program.
//!
//! A record is the event as JSON with the version of its form (`"v"`; version 1 had none). Old records are never
//! rewritten: they are brought up to date as they are read, one version at a time. A run that began in one version
//! and goes on in another holds records of both.

pub mod redacted;
mod sums;
mod version_1;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{At, Envelope, Event, RunId, Seq};
pub use sums::{Changed, Sums};

/// The version of the records that this program writes.
pub const VERSION: u32 = 2;

/// The beginning of a record of this version, as [`write`] writes it.
const OF_TODAY: &str = "{\"v\":2,";

/// The reason why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A newer program wrote it.
    #[error("a newer version of masthead wrote it (form {found}, this one knows up to {VERSION}): read it with that")]
    Newer { found: u32 },
    /// It is no event.
    #[error("it cannot be understood: {0}")]
    NotAnEvent(#[from] serde_json::Error),
}

#[derive(Serialize)]
struct Record<'a> {
    v: u32,
    #[serde(flatten)]
    event: &'a Event,
}

/// An event as it is kept in the journal.
///
/// # Errors
/// None in practice: events are plain data with string keys.
pub fn write(event: &Event) -> serde_json::Result<String> {
    serde_json::to_string(&Record { v: VERSION, event })
}

/// An event with its place and time on one line, as `--events jsonl` prints it: it can be shown on a terminal.
pub fn line(envelope: &Envelope) -> String {
    line_of(None, envelope)
}

/// The same with the run it belongs to, as `journal dump` prints it. The event that opens a run names it itself.
pub fn dump_line(run: &RunId, envelope: &Envelope) -> String {
    line_of((!matches!(envelope.event, Event::RunOpened(_))).then_some(run), envelope)
}

fn line_of(run: Option<&RunId>, envelope: &Envelope) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<&'a RunId>,
        #[serde(flatten)]
        envelope: &'a Envelope,
    }
    // Plain data with string keys: writing it as JSON cannot fail.
    text::escape_in_json(serde_json::to_string(&Line { v: VERSION, run, envelope }).unwrap_or_default())
}

/// The event of a record of this version, which says all by itself; None for one of an earlier version.
pub fn read_alone(record: &str) -> Option<Result<Event, Unreadable>> {
    record.starts_with(OF_TODAY).then(|| Ok(serde_json::from_str(record)?))
}

/// Reads the records of one run, from its first to its last: a fact that an earlier version left out may be known only from the
/// records before.
#[derive(Clone, Debug, Default)]
pub struct Records {
    version_1: version_1::Upcast,
}

impl Records {
    /// The event of the next record.
    ///
    /// # Errors
    /// A newer program wrote it, or it is no event.
    pub fn read(&mut self, record: &str) -> Result<Event, Unreadable> {
        read_alone(record).unwrap_or_else(|| self.upcast(serde_json::from_str(record)?))
    }

    /// The event of the next line of a dump, and its run if the line names it.
    ///
    /// # Errors
    /// As [`Records::read`].
    pub fn read_line(&mut self, line: &str) -> Result<(Option<RunId>, Envelope), Unreadable> {
        #[derive(Deserialize)]
        struct Place {
            run: Option<RunId>,
            seq: Seq,
            at: At,
        }
        let mut line: Value = serde_json::from_str(line)?;
        let Place { run, seq, at } = Place::deserialize(&line)?;
        // Records from before have the last event that a fork keeps under this name, and so no time of their own.
        if let Some(fields) = line.as_object_mut()
            && fields.contains_key("kept")
        {
            fields.remove("at");
        }
        Ok((run, Envelope { seq, at, event: self.upcast(line)? }))
    }

    fn upcast(&mut self, mut record: Value) -> Result<Event, Unreadable> {
        let found = record.get("v").and_then(Value::as_u64).map_or(1, |v| u32::try_from(v).unwrap_or(u32::MAX));
        if found > VERSION {
            return Err(Unreadable::Newer { found });
        }
        if found <= 1 {
            self.version_1.event(&mut record);
        }
        Ok(serde_json::from_value(record)?)
    }
}
