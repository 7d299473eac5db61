//! A span, and spans as OTLP JSON.

use std::collections::BTreeMap;
use std::fmt;

use run::{At, RunId};
use serde_json::{Value, json};

/// Names a trace: 16 bytes made of the name of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceId(u128);

/// Names a span within its trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanId(u64);

/// FNV-1a: the same span has the same name whenever it is made.
fn hash(seed: u64, parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

impl TraceId {
    pub(super) fn of(run: &RunId) -> TraceId {
        let half = |seed| u128::from(hash(seed, &["trace", run.as_str()]));
        TraceId((half(0xcbf2_9ce4_8422_2325) << 64 | half(0x8422_2325_cbf2_9ce4)) | 1)
    }
}

impl SpanId {
    pub(super) fn of(run: &RunId, name: &str) -> SpanId {
        SpanId(hash(0xcbf2_9ce4_8422_2325, &[run.as_str(), name]) | 1)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// On which side of a call a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Internal = 1,
    Client = 3,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Unset,
    /// With what went wrong, where that may be said.
    Error(Option<String>),
}

/// A span.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) start: At,
    pub(super) end: Option<At>,
    pub(super) attributes: BTreeMap<&'static str, Value>,
    pub(super) status: Status,
}

impl Span {
    pub(super) fn new(trace: TraceId, id: SpanId, parent: Option<SpanId>, name: String, start: At) -> Span {
        let (end, attributes) = (None, BTreeMap::new());
        Span { trace, id, parent, name, kind: Kind::Internal, start, end, attributes, status: Status::Unset }
    }

    pub(super) fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.insert(name, value.into());
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes.contains_key(name)
    }

    pub(super) fn fail(&mut self, kind: &str, why: Option<String>) {
        self.set("error.type", kind);
        self.status = Status::Error(why);
    }

    pub(super) fn ended(mut self, at: At) -> Span {
        // A clock that was set back ends nothing before it began.
        self.end = Some(at.max(self.start));
        self
    }

    fn json(&self) -> Value {
        let attributes: Value = self.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
        let mut span = Value::from_iter([
            ("traceId", self.trace.to_string().into()),
            ("spanId", self.id.to_string().into()),
            ("name", self.name.as_str().into()),
            ("kind", (self.kind as u8).into()),
            ("startTimeUnixNano", nanos(self.start).into()),
            ("attributes", attributes),
        ]);
        if let Some(parent) = self.parent {
            span["parentSpanId"] = parent.to_string().into();
        }
        if let Some(end) = self.end {
            span["endTimeUnixNano"] = nanos(end).into();
        }
        if let Status::Error(why) = &self.status {
            span["status"] = match why {
                Some(why) => json!({"code": 2, "message": why}),
                None => json!({"code": 2}),
            };
        }
        span
    }
}

pub(super) fn nanos(at: At) -> String {
    (i128::from(at.0) * 1_000_000).to_string()
}

pub(super) fn attribute(name: &str, value: &Value) -> Value {
    Value::from_iter([("key", name.into()), ("value", any(value))])
}

/// A value as OTLP wraps it.
fn any(value: &Value) -> Value {
    let (kind, value) = match value {
        Value::Number(n) if !n.is_f64() => ("intValue", n.to_string().into()),
        Value::Number(_) => ("doubleValue", value.clone()),
        Value::Bool(_) => ("boolValue", value.clone()),
        Value::String(_) => ("stringValue", value.clone()),
        Value::Array(list) => ("arrayValue", Value::from_iter([("values", list.iter().map(any).collect::<Value>())])),
        other => ("stringValue", other.to_string().into()),
    };
    Value::from_iter([(kind, value)])
}

/// The sender of telemetry: the attributes of its resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The attributes, `service.name` among them.
    pub attributes: BTreeMap<String, String>,
    /// The version of the program.
    pub version: String,
}

impl Resource {
    pub(super) fn json(&self) -> Value {
        let attributes: Vec<Value> =
            self.attributes.iter().map(|(name, value)| attribute(name, &value.as_str().into())).collect();
        json!({"attributes": attributes})
    }

    pub(super) fn scope(&self) -> Value {
        json!({"name": "masthead", "version": self.version})
    }
}

/// Spans as one OTLP document.
pub fn document(resource: &Resource, spans: &[Span]) -> Value {
    // The macro of serde_json copies what it is given, and all below it: nested, each span would be copied again and again.
    let spans: Value = spans.iter().map(Span::json).collect();
    let scope = Value::from_iter([("scope", resource.scope()), ("spans", spans)]);
    let of_resource = Value::from_iter([("resource", resource.json()), ("scopeSpans", vec![scope].into())]);
    Value::from_iter([("resourceSpans", Value::from(vec![of_resource]))])
}
