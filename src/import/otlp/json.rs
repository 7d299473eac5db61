//! Traces as JSON: documents of spans, one by one, so that a file of any size costs as much as its spans.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use text::Clean;

use super::Otlp;
use super::span::{Attributes, Span, service_of};
use crate::story::{kept, named};
use crate::told::{self, number};

/// Takes in a document.
///
/// # Errors
/// It is no JSON, or cut. The part before the fault was taken in.
pub(super) fn document(spans: &mut Otlp, bytes: &[u8]) -> Result<(), serde_json::Error> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    Level { spans, level: 0, service: None }.deserialize(&mut from)?;
    from.end()
}

impl Span {
    fn of_json(span: &Value) -> Span {
        // As wide as the field of the protobuf form.
        let nanos = |field: &str| span.get(field).and_then(number).filter(|at| *at > 0).map(i128::from);
        let status = span.get("status");
        let code = status.and_then(|status| status.get("code"));
        let events = span.get("events").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Span {
            id: hex(told::text(span, "spanId").unwrap_or_default()),
            trace: hex(told::text(span, "traceId").unwrap_or_default()),
            parent: told::text(span, "parentSpanId").map(hex),
            name: named(told::text(span, "name").unwrap_or_default()),
            start: nanos("startTimeUnixNano"),
            end: nanos("endTimeUnixNano"),
            attributes: Attributes(attributes(span)),
            events: events
                .iter()
                .filter_map(|event| Some((told::text(event, "name")?.to_owned(), Attributes(attributes(event)))))
                .collect(),
            message: status.and_then(|status| told::text(status, "message")).map(kept),
            is_error: code.is_some_and(|code| number(code) == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR")),
            flags: told::count(span, "flags"),
        }
    }
}

/// The lists that spans stand in, by level.
const LISTS: [&[&str]; 3] = [&["resourceSpans"], &["scopeSpans", "instrumentationLibrarySpans"], &["spans"]];

/// One level of a document: an object with a list of the next level in it.
struct Level<'a> {
    spans: &'a mut Otlp,
    level: usize,
    service: Option<Clean>,
}

impl Level<'_> {
    /// Says that something stood here that is no object.
    fn has_no_spans<E>(self) -> Result<(), E> {
        self.spans.unknown.count("record without spans");
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document of traces")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if LISTS[self.level].contains(&key.as_str()) {
                let (level, service) = (self.level + 1, self.service.clone());
                map.next_value_seed(List { spans: self.spans, level, service })?;
            } else if key == "resource" && self.level == 1 {
                let resource: Value = map.next_value()?;
                self.service = service_of(&attributes(&resource));
            } else if key == "resourceMetrics" && self.level == 0 {
                let metrics: Value = map.next_value()?;
                // The spans have these figures.
                if metrics[0]["scopeMetrics"][0]["scope"]["name"] != "masthead" {
                    self.spans.unknown.count("resourceMetrics");
                }
            } else {
                match key.as_str() {
                    "resourceLogs" => self.spans.logs += 1,
                    other if self.level == 0 => self.spans.unknown.count(other),
                    _ => {}
                }
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.has_no_spans()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Level { spans, level, service } = self;
        while list.next_element_seed(Level { spans: &mut *spans, level, service: service.clone() })?.is_some() {}
        Ok(())
    }
}

/// A list of one level.
struct List<'a> {
    spans: &'a mut Otlp,
    level: usize,
    service: Option<Clean>,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if self.level < LISTS.len() {
            let List { spans, level, service } = self;
            return Level { spans, level, service }.deserialize(from);
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of spans")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let service = self.service.unwrap_or_default();
        while let Some(span) = list.next_element::<Value>()? {
            self.spans.take(Span::of_json(&span), &service);
        }
        Ok(())
    }
}

/// An id in hexadecimal; exporters that follow the protobuf mapping write base64.
fn hex(id: &str) -> String {
    if id.bytes().all(|byte| byte.is_ascii_hexdigit()) && matches!(id.len(), 16 | 32) {
        return id.to_ascii_lowercase();
    }
    base64(id)
        .filter(|bytes| matches!(bytes.len(), 8 | 16))
        .map_or_else(|| Clean::line(id).to_string(), |bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut n) = (0u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        n += 6;
        if n >= 8 {
            n -= 8;
            bytes.push(u8::try_from(bits >> n & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// A value as OTLP wraps it.
fn unwrapped(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|object| object.iter().next()) else { return Value::Null };
    match kind.as_str() {
        "intValue" => number(inner).map_or_else(|| inner.clone(), Value::from),
        "arrayValue" => list(inner).map(|list| list.iter().map(unwrapped).collect()).unwrap_or_default(),
        "kvlistValue" => Value::Object(pairs(inner.get("values"))),
        _ => inner.clone(),
    }
}

fn list(value: &Value) -> Option<&Vec<Value>> {
    value.get("values")?.as_array()
}

fn pairs(list: Option<&Value>) -> Map<String, Value> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let pair = |pair: &Value| Some((pair.get("key")?.as_str()?.to_owned(), unwrapped(pair.get("value")?)));
    list.iter().filter_map(pair).collect()
}

fn attributes(of: &Value) -> Map<String, Value> {
    pairs(of.get("attributes"))
}
