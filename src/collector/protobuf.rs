//! OTLP documents as protobuf, which every collector that is spoken to by HTTP takes: by a table of the fields that are sent, with
//! their numbers in `opentelemetry/proto` of OTLP 1. Fields that stand in no table are left out.

use serde_json::Value;

/// The form of a field on the wire.
enum Form {
    Text,
    /// Bytes that stand in the JSON form in hexadecimal.
    Id,
    Varint,
    Fixed,
    Double,
    Fixeds,
    Doubles,
    One(&'static Message),
    Each(&'static Message),
}

use Form::{Double, Doubles, Each, Fixed, Fixeds, Id, One, Text, Varint};

/// The fields of a message: their names in JSON, their numbers, their forms.
type Message = [(&'static str, u64, Form)];

static DOCUMENT: &Message =
    &[("resourceSpans", 1, Each(RESOURCE_SPANS)), ("resourceMetrics", 1, Each(RESOURCE_METRICS))];
static RESOURCE_SPANS: &Message = &[("resource", 1, One(RESOURCE)), ("scopeSpans", 2, Each(SCOPE_SPANS))];
static SCOPE_SPANS: &Message = &[("scope", 1, One(SCOPE)), ("spans", 2, Each(SPAN))];
static SPAN: &Message = &[
    ("traceId", 1, Id),
    ("spanId", 2, Id),
    ("parentSpanId", 4, Id),
    ("name", 5, Text),
    ("kind", 6, Varint),
    ("startTimeUnixNano", 7, Fixed),
    ("endTimeUnixNano", 8, Fixed),
    ("attributes", 9, Each(PAIR)),
    ("status", 15, One(STATUS)),
];
static STATUS: &Message = &[("message", 2, Text), ("code", 3, Varint)];
static RESOURCE_METRICS: &Message = &[("resource", 1, One(RESOURCE)), ("scopeMetrics", 2, Each(SCOPE_METRICS))];
static SCOPE_METRICS: &Message = &[("scope", 1, One(SCOPE)), ("metrics", 2, Each(METRIC))];
static METRIC: &Message = &[("name", 1, Text), ("unit", 3, Text), ("histogram", 9, One(HISTOGRAM))];
static HISTOGRAM: &Message = &[("dataPoints", 1, Each(POINT)), ("aggregationTemporality", 2, Varint)];
static POINT: &Message = &[
    ("startTimeUnixNano", 2, Fixed),
    ("timeUnixNano", 3, Fixed),
    ("count", 4, Fixed),
    ("sum", 5, Double),
    ("bucketCounts", 6, Fixeds),
    ("explicitBounds", 7, Doubles),
    ("attributes", 9, Each(PAIR)),
];
static RESOURCE: &Message = &[("attributes", 1, Each(PAIR))];
static SCOPE: &Message = &[("name", 1, Text), ("version", 2, Text)];
static PAIR: &Message = &[("key", 1, Text), ("value", 2, One(&ANY))];
// These two hold each other, and so they are named by where they stand.
static ANY: [(&str, u64, Form); 5] = [
    ("stringValue", 1, Text),
    ("boolValue", 2, Varint),
    ("intValue", 3, Varint),
    ("doubleValue", 4, Double),
    ("arrayValue", 5, One(&LIST)),
];
static LIST: [(&str, u64, Form); 1] = [("values", 1, Each(&ANY))];

/// A document of spans or metrics.
pub(crate) fn written(document: &Value) -> Vec<u8> {
    message(document, DOCUMENT)
}

fn message(of: &Value, fields: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, number, form) in fields {
        let Some(value) = of.get(name) else { continue };
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        match form {
            Text => long(&mut bytes, *number, value.as_str().unwrap_or_default().as_bytes()),
            Id => long(&mut bytes, *number, &id(value.as_str().unwrap_or_default())),
            Varint => {
                varint(&mut bytes, number << 3);
                varint(&mut bytes, whole(value));
            }
            Fixed => {
                varint(&mut bytes, number << 3 | 1);
                bytes.extend(whole(value).to_le_bytes());
            }
            Double => {
                varint(&mut bytes, number << 3 | 1);
                bytes.extend(value.as_f64().unwrap_or_default().to_le_bytes());
            }
            Fixeds => {
                let packed: Vec<u8> = list.iter().flat_map(|value| whole(value).to_le_bytes()).collect();
                long(&mut bytes, *number, &packed);
            }
            Doubles => {
                let packed = list.iter().flat_map(|value| value.as_f64().unwrap_or_default().to_le_bytes());
                long(&mut bytes, *number, &packed.collect::<Vec<u8>>());
            }
            One(fields) => long(&mut bytes, *number, &message(value, fields)),
            Each(fields) => list.iter().for_each(|one| long(&mut bytes, *number, &message(one, fields))),
        }
    }
    bytes
}

fn varint(into: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        into.push((n & 0x7f) as u8 | 0x80);
        n >>= 7;
    }
    into.push(n as u8);
}

fn long(into: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    varint(into, number << 3 | 2);
    varint(into, bytes.len() as u64);
    into.extend_from_slice(bytes);
}

/// A whole number or a truth; OTLP JSON has numbers of 64 bits as text.
fn whole(value: &Value) -> u64 {
    match value {
        Value::Bool(yes) => u64::from(*yes),
        Value::String(text) => text.parse().map(i64::cast_unsigned).unwrap_or_default(),
        other => other.as_i64().unwrap_or_default().cast_unsigned(),
    }
}

fn id(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).filter_map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_written_as_the_specification_has_it() {
        let point = json!({"timeUnixNano": "258", "count": "1", "sum": 1.5, "bucketCounts": ["1", "0"], "explicitBounds": [2.0]});
        let document = json!({"resourceMetrics": [{"scopeMetrics": [{"metrics": [
            {"name": "m", "unit": "s", "histogram": {"aggregationTemporality": 2, "dataPoints": [point]}}]}]}]});
        let point: Vec<u8> = [
            &[0x19, 2, 1, 0, 0, 0, 0, 0, 0, 0x21, 1, 0, 0, 0, 0, 0, 0, 0, 0x29][..],
            &1.5f64.to_le_bytes(),
            &[0x32, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3a, 8],
            &2.0f64.to_le_bytes(),
        ]
        .concat();
        let histogram = [&[0x0a, point.len() as u8][..], &point, &[0x10, 2]].concat();
        let metric = [&[0x0a, 1, b'm', 0x1a, 1, b's', 0x4a, histogram.len() as u8][..], &histogram].concat();
        let mut expected = metric;
        for tag in [0x12, 0x12, 0x0a] {
            expected = [&[tag, expected.len() as u8][..], &expected].concat();
        }
        assert_eq!(written(&document), expected);
        let span = json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "0a0b", "attributes": [
            {"key": "n", "value": {"intValue": "-1"}}]}]}]}]});
        let pair = [&[0x0a, 1, b'n', 0x12, 11, 0x18][..], &[0xff; 9], &[1]].concat();
        let mut expected = [&[0x0a, 2, 0x0a, 0x0b, 0x4a, pair.len() as u8][..], &pair].concat();
        for tag in [0x12, 0x12, 0x0a] {
            expected = [&[tag, expected.len() as u8][..], &expected].concat();
        }
        assert_eq!(written(&span), expected);
    }
}
