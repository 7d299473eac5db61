//! The documents of OTLP 1: each field is described once, for both forms in which they are written.
//!
//! The fields of a message stand in the order of their names, which is that of the JSON form; to protobuf the order is all the same.

use std::collections::BTreeMap;

use run::At;

use super::form::{Field, Form, Writer, written};
use super::metrics::{Histogram, Metrics, Points};
use super::span::{Attribute, Span, Status};

/// The sender of telemetry: the attributes of its resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The attributes, `service.name` among them.
    pub attributes: BTreeMap<String, String>,
    /// The version of the program.
    pub version: String,
}

/// Spans as one document in this form; JSON is one line, without its end.
pub fn spans(resource: &Resource, spans: &[Span], form: Form) -> Vec<u8> {
    written!(form, |to| to.each(Field("resourceSpans", 1), [resource], |to, resource| {
        to.one(Field("resource", 1), |to| sender(to, resource));
        to.each(Field("scopeSpans", 2), [spans], |to, spans| {
            to.one(Field("scope", 1), |to| scope(to, resource));
            to.each(Field("spans", 2), spans, span);
        });
    }))
}

/// Metrics as one document in this form: sums from `start` to `now`.
pub fn metrics(resource: &Resource, of: &Metrics, start: At, now: At, form: Form) -> Vec<u8> {
    written!(form, |to| to.each(Field("resourceMetrics", 1), [resource], |to, resource| {
        to.one(Field("resource", 1), |to| sender(to, resource));
        to.each(Field("scopeMetrics", 2), [of], |to, of| {
            to.each(Field("metrics", 2), of.all(), |to, points| metric(to, &points, start, now));
            to.one(Field("scope", 1), |to| scope(to, resource));
        });
    }))
}

fn sender(to: &mut impl Writer, resource: &Resource) {
    to.each(Field("attributes", 1), &resource.attributes, |to, (name, value)| {
        pair(to, name, |to| to.text(TEXT, value));
    });
}

fn scope(to: &mut impl Writer, resource: &Resource) {
    to.text(Field("name", 1), "masthead");
    to.text(Field("version", 2), &resource.version);
}

fn span(to: &mut impl Writer, span: &Span) {
    to.each(Field("attributes", 9), &span.attributes, |to, (name, value)| pair(to, name, |to| any(to, value)));
    if let Some(end) = span.end {
        to.fixed(Field("endTimeUnixNano", 8), nanos(end));
    }
    to.number(Field("kind", 6), span.kind as u32);
    to.text(Field("name", 5), &span.name);
    if let Some(parent) = span.parent {
        to.id(Field("parentSpanId", 4), &parent.0.to_be_bytes());
    }
    to.id(Field("spanId", 2), &span.id.0.to_be_bytes());
    to.fixed(Field("startTimeUnixNano", 7), nanos(span.start));
    if let Status::Error(why) = &span.status {
        to.one(Field("status", 15), |to| {
            to.number(Field("code", 3), 2);
            if let Some(why) = why {
                to.text(Field("message", 2), why);
            }
        });
    }
    to.id(Field("traceId", 1), &span.trace.0.to_be_bytes());
}

fn metric(to: &mut impl Writer, points: &Points<'_>, start: At, now: At) {
    to.one(Field("histogram", 9), |to| {
        // Sums from the beginning on.
        to.number(Field("aggregationTemporality", 2), 2);
        to.each(Field("dataPoints", 1), &points.points, |to, (labels, histogram)| {
            to.each(Field("attributes", 9), labels, |to, (name, value)| pair(to, name, |to| to.text(TEXT, value)));
            point(to, histogram, points.bounds, start, now);
        });
    });
    to.text(Field("name", 1), points.name);
    to.text(Field("unit", 3), points.unit);
}

fn point(to: &mut impl Writer, histogram: &Histogram, bounds: &[f64], start: At, now: At) {
    to.fixeds(Field("bucketCounts", 6), &histogram.counts);
    to.fixed(Field("count", 4), histogram.counts.iter().sum::<u64>().into());
    to.doubles(Field("explicitBounds", 7), bounds);
    to.fixed(Field("startTimeUnixNano", 2), nanos(start));
    to.double(Field("sum", 5), histogram.sum);
    to.fixed(Field("timeUnixNano", 3), nanos(now));
}

fn pair<W: Writer>(to: &mut W, name: &str, value: impl FnOnce(&mut W)) {
    to.text(Field("key", 1), name);
    to.one(Field("value", 2), value);
}

/// The field of a value that is text.
const TEXT: Field = Field("stringValue", 1);

/// A value as OTLP wraps it.
fn any(to: &mut impl Writer, value: &Attribute) {
    match value {
        Attribute::Text(text) => to.text(TEXT, text),
        Attribute::Truth(truth) => to.truth(Field("boolValue", 2), *truth),
        Attribute::Whole(n) => to.whole(Field("intValue", 3), *n),
        Attribute::Double(n) => to.double(Field("doubleValue", 4), *n),
        Attribute::Texts(list) => to.one(Field("arrayValue", 5), |to| {
            to.each(Field("values", 1), list, |to, text| to.text(TEXT, text));
        }),
    }
}

fn nanos(at: At) -> i128 {
    i128::from(at.0) * 1_000_000
}

#[cfg(test)]
mod tests {
    use run::At;
    use serde_json::{Value, json};

    use super::super::span::{Kind, SpanId, TraceId};
    use super::*;

    fn resource() -> Resource {
        Resource { attributes: BTreeMap::from([("service.name".into(), "s".into())]), version: "1".into() }
    }

    /// A field that holds bytes, as the specification of protobuf has it.
    fn long(number: u8, parts: &[&[u8]]) -> Vec<u8> {
        let bytes = parts.concat();
        let length = match bytes.len() {
            short @ ..128 => vec![short as u8],
            length => vec![(length % 128) as u8 | 0x80, (length / 128) as u8],
        };
        [&[number << 3 | 2][..], &length, &bytes].concat()
    }

    /// A field of eight bytes.
    fn eight(number: u8, bytes: [u8; 8]) -> Vec<u8> {
        [&[number << 3 | 1][..], &bytes].concat()
    }

    fn pair(key: &str, value: &[u8]) -> Vec<u8> {
        [long(1, &[key.as_bytes()]), long(2, &[value])].concat()
    }

    /// A document with these fields before its scope and after it: those of JSON stand in the order of their names.
    fn document(before: &[u8], after: &[u8]) -> Vec<u8> {
        let sender = long(1, &[&long(1, &[&pair("service.name", &long(1, &[b"s"]))])]);
        let scope = long(1, &[&long(1, &[b"masthead"]), &long(2, &[b"1"])]);
        long(1, &[&sender, &long(2, &[before, &scope, after])])
    }

    fn text(key: &str, kind: &str, value: Value) -> Value {
        json!({"key": key, "value": {kind: value}})
    }

    #[test]
    fn a_span_is_written_in_both_forms_as_the_specification_has_it() {
        let mut of = Span::new(TraceId(0x0a0b), SpanId(0x0c), Some(SpanId(0x0d)), "n\"".into(), At(1));
        of.kind = Kind::Client;
        of.set("whole", 300u64);
        of.set("truth", true);
        of.set("double", 1.5);
        of.set("texts", Attribute::Texts(vec!["a".into(), "".into()]));
        of.set("below", Attribute::Whole(-1));
        of.fail("timeout", Some("why".into()));
        let of = of.ended(At(2));
        let expected = json!({"resourceSpans": [{
            "resource": {"attributes": [text("service.name", "stringValue", json!("s"))]},
            "scopeSpans": [{"scope": {"name": "masthead", "version": "1"}, "spans": [{
                "traceId": "00000000000000000000000000000a0b", "spanId": "000000000000000c",
                "parentSpanId": "000000000000000d", "name": "n\"", "kind": 3,
                "startTimeUnixNano": "1000000", "endTimeUnixNano": "2000000",
                "attributes": [
                    text("below", "intValue", json!("-1")),
                    text("double", "doubleValue", json!(1.5)),
                    text("error.type", "stringValue", json!("timeout")),
                    text("texts", "arrayValue", json!({"values": [{"stringValue": "a"}, {"stringValue": ""}]})),
                    text("truth", "boolValue", json!(true)),
                    text("whole", "intValue", json!("300")),
                ],
                "status": {"code": 2, "message": "why"},
            }]}],
        }]});
        let spans_of = |form| spans(&resource(), std::slice::from_ref(&of), form);
        assert_eq!(String::from_utf8(spans_of(Form::Json)).unwrap(), expected.to_string());
        let attributes = [
            pair("below", &[&[0x18][..], &[0xff; 9], &[1]].concat()),
            pair("double", &eight(4, 1.5f64.to_le_bytes())),
            pair("error.type", &long(1, &[b"timeout"])),
            pair("texts", &long(5, &[&long(1, &[&long(1, &[b"a"])]), &long(1, &[&long(1, &[b""])])])),
            pair("truth", &[0x10, 1]),
            pair("whole", &[0x18, 0xac, 2]),
        ];
        let attributes = attributes.map(|of| long(9, &[&of])).concat();
        let span = [
            attributes,
            eight(8, 2_000_000u64.to_le_bytes()),
            vec![0x30, 3],
            long(5, &[b"n\""]),
            long(4, &[&0x0du64.to_be_bytes()]),
            long(2, &[&0x0cu64.to_be_bytes()]),
            eight(7, 1_000_000u64.to_le_bytes()),
            long(15, &[&[0x18, 2], &long(2, &[b"why"])]),
            long(1, &[&0x0a0bu128.to_be_bytes()]),
        ];
        assert_eq!(spans_of(Form::Protobuf), document(&[], &long(2, &[&span.concat()])));
    }

    #[test]
    fn a_metric_is_written_in_both_forms_as_the_specification_has_it() {
        let mut of = Metrics::default();
        of.workflow(15);
        let bounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
        let mut counts = [0u64; 15];
        counts[1] = 1;
        let expected = json!({"resourceMetrics": [{
            "resource": {"attributes": [text("service.name", "stringValue", json!("s"))]},
            "scopeMetrics": [{"scope": {"name": "masthead", "version": "1"}, "metrics": [{
                "name": "gen_ai.invoke_workflow.duration", "unit": "s",
                "histogram": {"aggregationTemporality": 2, "dataPoints": [{
                    "attributes": [text("gen_ai.operation.name", "stringValue", json!("invoke_workflow"))],
                    "startTimeUnixNano": "1000000", "timeUnixNano": "2000000", "count": "1", "sum": 0.015,
                    "bucketCounts": counts.map(|n| n.to_string()), "explicitBounds": bounds,
                }]},
            }]}],
        }]});
        let metrics_of = |form| metrics(&resource(), &of, At(1), At(2), form);
        assert_eq!(String::from_utf8(metrics_of(Form::Json)).unwrap(), expected.to_string());
        let point = [
            long(9, &[&pair("gen_ai.operation.name", &long(1, &[b"invoke_workflow"]))]),
            long(6, &[&counts.map(u64::to_le_bytes).concat()]),
            eight(4, 1u64.to_le_bytes()),
            long(7, &[&bounds.map(f64::to_le_bytes).concat()]),
            eight(2, 1_000_000u64.to_le_bytes()),
            eight(5, 0.015f64.to_le_bytes()),
            eight(3, 2_000_000u64.to_le_bytes()),
        ];
        let histogram = long(9, &[&[0x10, 2], &long(1, &[&point.concat()])]);
        let metric = [histogram, long(1, &[b"gen_ai.invoke_workflow.duration"]), long(3, &[b"s"])];
        assert_eq!(metrics_of(Form::Protobuf), document(&long(2, &[&metric.concat()]), &[]));
    }
}
