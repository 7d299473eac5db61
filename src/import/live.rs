//! Traces as they come: spans in any order, in many requests, of many traces at once. Nothing is read from files here, and
//! nothing is worked out before it is asked for.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use text::Clean;

use super::otlp::Otlp;
use super::story::Story;
use super::tree::Trace;

/// The fault of a document that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub(crate) &'static str);

impl Malformed {
    pub(crate) const CUT: Malformed = Malformed("it ends in the middle of a field");
    pub(crate) const BEYOND: Malformed = Malformed("a length goes beyond the end");
    pub(crate) const NO_JSON: Malformed = Malformed("it is no JSON of OTLP traces");
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The spans of one request.
#[derive(Debug)]
pub struct Batch {
    spans: Otlp,
    /// The bytes in which they were told.
    bytes: usize,
}

impl Batch {
    /// Reads an `ExportTraceServiceRequest` in the JSON form of protobuf.
    ///
    /// # Errors
    /// It is cut, or no such JSON: then none of it counts.
    pub fn json(bytes: &[u8]) -> Result<Batch, Malformed> {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(Malformed::NO_JSON);
        }
        let mut spans = Otlp::default();
        spans.document(bytes).map_err(|_| Malformed::NO_JSON)?;
        Ok(Batch { spans, bytes: bytes.len() })
    }

    /// Reads an `ExportTraceServiceRequest` as protobuf.
    ///
    /// # Errors
    /// It is cut, or no such message: then none of it counts.
    pub fn protobuf(bytes: &[u8]) -> Result<Batch, Malformed> {
        let mut spans = Otlp::default();
        spans.protobuf(bytes)?;
        Ok(Batch { spans, bytes: bytes.len() })
    }

    /// The number of its spans.
    pub fn spans(&self) -> usize {
        self.spans.traces().values().map(|trace| trace.nodes.len()).sum()
    }
}

/// The most that is kept.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The most traces.
    pub traces: usize,
    /// The most bytes: the size of the spans on the way here, and [`Room::SPAN`] for each.
    pub bytes: usize,
}

impl Room {
    /// The bytes of a span besides its text.
    const SPAN: usize = 1_024;
}

impl Default for Room {
    fn default() -> Room {
        Room { traces: 1_000, bytes: 512 << 20 }
    }
}

/// A trace of which spans have come.
#[derive(Debug, Default)]
struct Coming {
    trace: Trace,
    bytes: usize,
    /// The times at which the first and the last span came (ms since 1970).
    first: i64,
    last: i64,
    /// Whether anybody works in it, as far as has come.
    has_work: bool,
    /// Counts its changes.
    version: u64,
    /// The state of its end; None since more of it has come.
    end: Cell<Option<TraceEnd>>,
}

/// The state of the end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TraceEnd {
    /// Its first span is still at work.
    AtWork,
    /// Its first span has ended, and something below it is missing.
    Torn,
    /// All of it.
    Whole,
}

impl Coming {
    /// Whether nothing more is expected of it at this time.
    fn has_ended(&self, now: i64) -> bool {
        let end = self.end.get().unwrap_or_else(|| match (self.trace.is_whole(), self.trace.top_has_ended()) {
            (true, _) => TraceEnd::Whole,
            (false, true) => TraceEnd::Torn,
            (false, false) => TraceEnd::AtWork,
        });
        self.end.set(Some(end));
        end == TraceEnd::Whole || end == TraceEnd::Torn && now - self.last > LOST_AFTER
    }
}

/// A trace whose top has ended is whole after this time (ms), even with gaps: lost spans do not come any more.
const LOST_AFTER: i64 = 30_000;

/// The result of taking in a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The spans for which there was no room, or that have no id.
    pub rejected: usize,
    /// The traces that were dropped for it, by their ids.
    pub dropped: Vec<Clean>,
}

/// The state of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its id.
    pub id: Clean,
    /// The name that the sending program has for itself.
    pub service: Clean,
    /// Its spans.
    pub spans: usize,
    /// Whether an agent, a model call or a tool call is in it.
    pub has_work: bool,
    /// Whether nothing more is expected of it.
    pub has_ended: bool,
    /// The time at which the first span came (ms since 1970).
    pub first: i64,
    /// The time at which the last span came (ms since 1970).
    pub last: i64,
    /// Changes whenever something of it has come, and when it ends.
    pub version: (u64, bool),
}

/// Traces that are coming, no more of them than there is room for.
#[derive(Debug, Default)]
pub struct Traces {
    room: Room,
    traces: BTreeMap<String, Coming>,
    bytes: usize,
    versions: u64,
}

impl Traces {
    /// Traces with this much room.
    pub fn new(room: Room) -> Traces {
        Traces { room, ..Traces::default() }
    }

    /// Takes in the batch that came at this time (ms since 1970). If there is no room, whole traces go: those that have ended
    /// first, and of those the one that has been quiet the longest.
    pub fn take(&mut self, batch: Batch, now: i64) -> Kept {
        let mut kept = Kept { rejected: batch.spans.unread_spans(), dropped: Vec::new() };
        let share = batch.bytes / batch.spans().max(1);
        for (id, later) in batch.spans.into_traces() {
            let more = later.nodes.len() * (share + Room::SPAN);
            if !self.make_room(&id, more, now, &mut kept.dropped) {
                kept.rejected += later.nodes.len();
                continue;
            }
            self.bytes += more;
            self.versions += 1;
            let coming = self.traces.entry(id).or_insert_with(|| Coming { first: now, ..Coming::default() });
            coming.has_work |= later.has_work();
            coming.trace.extend(later);
            coming.bytes += more;
            (coming.last, coming.version) = (now, self.versions);
            coming.end.set(None);
        }
        kept
    }

    /// Drops other traces until there is room for this much more of one; false if there is none. One alone has half of it, so
    /// that it does not drive all others out.
    fn make_room(&mut self, id: &str, more: usize, now: i64, dropped: &mut Vec<Clean>) -> bool {
        let known = self.traces.get(id).map(|coming| coming.bytes);
        if known.unwrap_or(0) + more > self.room.bytes / 2 {
            return false;
        }
        let is_new = known.is_none();
        loop {
            let fits =
                self.bytes + more <= self.room.bytes && self.traces.len() + usize::from(is_new) <= self.room.traces;
            if fits {
                return true;
            }
            let others = self.traces.iter().filter(|(other, _)| other.as_str() != id);
            let first =
                others.min_by_key(|(_, coming)| (!coming.has_ended(now), coming.last)).map(|(id, _)| id.clone());
            let Some(coming) = first.and_then(|first| {
                dropped.push(Clean::line(&first));
                self.traces.remove(&first)
            }) else {
                return false;
            };
            self.bytes -= coming.bytes;
        }
    }

    /// The state of each trace at this time, in the order in which they began.
    pub fn standing(&self, now: i64) -> Vec<Standing> {
        let mut all: Vec<Standing> = self.traces.iter().map(|(id, coming)| of(id, coming, now)).collect();
        all.sort_by(|a, b| (a.first, &a.id).cmp(&(b.first, &b.id)));
        all
    }

    /// The state of one trace at this time; None if it is not there.
    pub fn one(&self, id: &str, now: i64) -> Option<Standing> {
        self.traces.get(id).map(|coming| of(id, coming, now))
    }

    /// The story of a trace as far as it has been told at this time; None if there is no work in it.
    pub fn story(&self, id: &str, now: i64) -> Option<Story> {
        let coming = self.traces.get(id)?;
        let origin = Otlp::origin(id, &coming.trace);
        match coming.has_ended(now) {
            true => coming.trace.story_of(origin),
            false => coming.trace.story_so_far(origin),
        }
    }
}

fn of(id: &str, coming: &Coming, now: i64) -> Standing {
    let has_ended = coming.has_ended(now);
    Standing {
        id: Clean::line(id),
        service: coming.trace.service.clone(),
        spans: coming.trace.nodes.len(),
        has_work: coming.has_work,
        has_ended,
        first: coming.first,
        last: coming.last,
        version: (coming.version, has_ended),
    }
}
