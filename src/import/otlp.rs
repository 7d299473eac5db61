//! OpenTelemetry traces as OTLP JSON or protobuf: the GenAI conventions, old and new, OpenInference, and other dialects.
//!
//! Spans are read one by one, so that a file of any size costs as much as its spans, and a cut file loses only its end.

mod events;
mod json;
mod meaning;
mod protobuf;
mod span;
mod vendors;

use std::collections::BTreeMap;

use run::foreign::{Format, Origin};
use text::Clean;

use super::story::{Story, Unknown};
use super::tree::Trace;
use super::{Importer, Malformed, Unread};
use span::Span;

/// Traces, as far as they have been read.
#[derive(Debug, Default)]
pub struct Otlp {
    traces: BTreeMap<String, Trace>,
    logs: u64,
    unknown: Unknown,
    /// Spans without an id.
    unread_spans: usize,
}

impl Otlp {
    /// Takes in a document in JSON.
    pub(crate) fn document(&mut self, bytes: &[u8]) -> Result<(), serde_json::Error> {
        json::document(self, bytes)
    }

    /// Takes in a document as protobuf.
    pub(crate) fn protobuf(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        protobuf::spans(bytes, false, &mut |span, service| self.take(span, service))
    }

    pub(crate) fn traces(&self) -> &BTreeMap<String, Trace> {
        &self.traces
    }

    pub(crate) fn into_traces(self) -> BTreeMap<String, Trace> {
        self.traces
    }

    /// Spans without an id.
    pub(crate) fn unread_spans(&self) -> usize {
        self.unread_spans
    }

    /// The origin of a trace of which nothing else is known.
    pub(crate) fn origin(id: &str, trace: &Trace) -> Origin {
        let (version, unknown, remarks) = Default::default();
        let records = trace.nodes.len() as u64;
        Origin { format: Format::Otlp, id: Clean::line(id), version, records, unread: 0, unknown, remarks }
    }

    fn take(&mut self, span: Span, service: &Clean) {
        if span.id.is_empty() {
            self.unread_spans += 1;
            return self.unknown.count("span without an id");
        }
        if !self.traces.contains_key(&span.trace) {
            self.traces.insert(span.trace.clone(), Trace::default());
        }
        // It was put there if it was not.
        let Some(trace) = self.traces.get_mut(&span.trace) else { return };
        if trace.service.is_empty() {
            trace.service = service.clone();
        }
        if let Some(title) = meaning::title(&span) {
            trace.title = title;
        }
        if let Some(node) = meaning::node(span) {
            trace.insert(node);
        }
    }
}

impl Importer for Otlp {
    fn record(&mut self, _file: &str, bytes: &[u8]) -> Result<(), Unread> {
        self.document(bytes).map_err(|_| Unread)
    }

    fn message(&mut self, bytes: &[u8], is_cut: bool) -> Result<(), Unread> {
        let read = protobuf::spans(bytes, is_cut, &mut |span, service| self.take(span, service));
        // Cut between two spans, the rest can be read to its end.
        if read.is_err() || is_cut { Err(Unread) } else { Ok(()) }
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let Otlp { traces, logs, unknown, .. } = *self;
        let stories = traces.into_iter().filter_map(|(id, trace)| {
            let mut origin = Otlp::origin(&id, &trace);
            if logs > 0 {
                origin.remarks.push("logs were left out: the traces tell of the same work".into());
            }
            origin.unknown = unknown.0.clone();
            trace.story(origin)
        });
        stories.collect()
    }
}
