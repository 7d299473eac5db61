//! Events as lines: which are logged, and how each is written.

use std::fmt::{self, Write as _};
use std::sync::mpsc::SyncSender;

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::Written;

/// Sends a line for each event up to a level; spans are not logged. Where the writer is behind, lines are dropped.
pub(super) struct Lines {
    pub most: LevelFilter,
    pub writer: SyncSender<Written>,
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.most
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.most)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = line(Timestamp::now(), event.metadata());
        event.record(&mut Fields(&mut line));
        line.push('\n');
        let _ = self.writer.try_send(Written::Line(line));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn line(now: Timestamp, metadata: &Metadata<'_>) -> String {
    format!("{now:.6} {:>5} {}:", metadata.level(), metadata.target())
}

/// Appends the fields of an event: its message as it is, the others with their names.
struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
