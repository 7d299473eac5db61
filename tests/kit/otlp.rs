//! Traces as protobuf, written from OTLP JSON as exporters write them: by a way of its own, so that their reader is tested.

use serde_json::Value;

/// A document of OTLP JSON as an `ExportTraceServiceRequest`.
pub fn protobuf(document: &Value) -> Vec<u8> {
    each(document, "resourceSpans", 1, |resource_spans| {
        let resource = message(1, &pairs(&resource_spans["resource"], 1));
        let scopes = each(resource_spans, "scopeSpans", 2, |scope| each(scope, "spans", 2, span));
        [resource, scopes].concat()
    })
}

fn list<'a>(of: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    of.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn each(of: &Value, field: &str, number: u64, write: impl Fn(&Value) -> Vec<u8>) -> Vec<u8> {
    list(of, field).flat_map(|one| message(number, &write(one))).collect()
}

fn varint(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let last = n < 0x80;
        bytes.push((n & 0x7f) as u8 | if last { 0 } else { 0x80 });
        n >>= 7;
        if last {
            return bytes;
        }
    }
}

/// A field that holds bytes.
pub fn message(number: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn text(number: u64, of: &Value) -> Vec<u8> {
    of.as_str().map(|text| message(number, text.as_bytes())).unwrap_or_default()
}

fn id(number: u64, of: &Value) -> Vec<u8> {
    let hex = of.as_str().unwrap_or_default();
    let bytes: Vec<u8> =
        (0..hex.len() / 2).filter_map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).ok()).collect();
    if bytes.is_empty() { Vec::new() } else { message(number, &bytes) }
}

fn whole(of: &Value) -> Option<i64> {
    of.as_i64().or_else(|| of.as_str()?.parse().ok())
}

fn fixed(number: u64, of: &Value) -> Vec<u8> {
    whole(of).map(|n| [varint(number << 3 | 1), n.to_le_bytes().to_vec()].concat()).unwrap_or_default()
}

fn pairs(of: &Value, number: u64) -> Vec<u8> {
    each(of, "attributes", number, pair)
}

fn pair(pair: &Value) -> Vec<u8> {
    [text(1, &pair["key"]), message(2, &value(&pair["value"]))].concat()
}

fn value(of: &Value) -> Vec<u8> {
    let Some((kind, inner)) = of.as_object().and_then(|of| of.iter().next()) else { return Vec::new() };
    match kind.as_str() {
        "stringValue" => text(1, inner),
        "boolValue" => [vec![0x10], varint(u64::from(inner.as_bool().unwrap_or(false)))].concat(),
        "intValue" => [vec![0x18], varint(whole(inner).unwrap_or(0).cast_unsigned())].concat(),
        "doubleValue" => [vec![0x21], inner.as_f64().unwrap_or(0.0).to_le_bytes().to_vec()].concat(),
        "arrayValue" => message(5, &each(inner, "values", 1, value)),
        "kvlistValue" => message(6, &each(inner, "values", 1, pair)),
        other => panic!("{other} is not written"),
    }
}

fn span(of: &Value) -> Vec<u8> {
    let event = |event: &Value| [text(2, &event["name"]), pairs(event, 3)].concat();
    let status = of.get("status").map(|status| {
        let code = match &status["code"] {
            Value::String(name) if name == "STATUS_CODE_ERROR" => 2,
            code => whole(code).unwrap_or(0).cast_unsigned(),
        };
        message(15, &[text(2, &status["message"]), vec![0x18], varint(code)].concat())
    });
    [
        id(1, &of["traceId"]),
        id(2, &of["spanId"]),
        id(4, &of["parentSpanId"]),
        text(5, &of["name"]),
        fixed(7, &of["startTimeUnixNano"]),
        fixed(8, &of["endTimeUnixNano"]),
        pairs(of, 9),
        each(of, "events", 11, event),
        status.unwrap_or_default(),
    ]
    .concat()
}
