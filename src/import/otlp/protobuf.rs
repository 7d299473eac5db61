//! Traces as protobuf, as exporters send them by OTLP: read span by span into the JSON form that the importer knows, so that
//! there is one importer. The fields are those of `opentelemetry/proto/{trace,common}/v1` of OTLP 1.
//!
//! Unknown fields are passed over, as protobuf wants it; a broken message is refused, and never read in part.

use serde_json::{Map, Value, json};
use text::Clean;

use super::service_of;
use crate::Malformed;

/// The most levels of messages within messages.
const MOST_LEVELS: u32 = 64;
/// The most messages within one document: each costs a hundred times what an empty one takes on the wire.
const MOST_MESSAGES: u32 = 4_000_000;

/// Gives each span of a document to `each`, in the form of OTLP JSON, with the name of its service.
///
/// # Errors
/// The document is cut, or no protobuf. What came before the fault was given.
pub(super) fn spans(document: &[u8], each: &mut dyn FnMut(&Value, &Clean)) -> Result<(), Malformed> {
    let mut reader = Reader { messages: 0 };
    for field in fields(document) {
        if let (1, Wire::Bytes(resource_spans)) = field? {
            reader.resource_spans(resource_spans, each)?;
        }
    }
    Ok(())
}

/// The value of a field on the wire.
#[derive(Clone, Copy)]
enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

/// The fields of a message, in the order in which they stand there.
struct Fields<'a> {
    rest: &'a [u8],
}

fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Wire<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<(u64, Wire<'a>), Malformed> {
        let key = self.varint()?;
        let wire = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed::BEYOND)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(Malformed("a field is of a type that OTLP does not have")),
        };
        match key >> 3 {
            0 => Err(Malformed("a field has the number 0")),
            number => Ok((number, wire)),
        }
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for (n, byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * n);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[n + 1..];
                return Ok(value);
            }
        }
        Err(if self.rest.len() < 10 { Malformed::CUT } else { Malformed("a number is longer than any can be") })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed::BEYOND)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::CUT)?;
        self.rest = rest;
        Ok(*taken)
    }
}

fn text(bytes: &[u8]) -> Result<Value, Malformed> {
    std::str::from_utf8(bytes).map(Value::from).map_err(|_| Malformed("a text is not UTF-8"))
}

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

/// Bytes as OTLP JSON has them.
fn base64(bytes: &[u8]) -> Value {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize];
            written.push(if n <= three.len() { char::from(letter) } else { '=' });
        }
    }
    written.into()
}

struct Reader {
    messages: u32,
}

impl Reader {
    /// Counts one more message.
    fn enter(&mut self) -> Result<(), Malformed> {
        self.messages += 1;
        if self.messages > MOST_MESSAGES {
            Err(Malformed("there is more in it than in any batch of spans"))
        } else {
            Ok(())
        }
    }

    fn resource_spans(&mut self, message: &[u8], each: &mut dyn FnMut(&Value, &Clean)) -> Result<(), Malformed> {
        self.enter()?;
        let mut service = Clean::default();
        for field in fields(message) {
            if let (1, Wire::Bytes(resource)) = field? {
                let mut attributes = Vec::new();
                for field in fields(resource) {
                    if let (1, Wire::Bytes(pair)) = field? {
                        attributes.push(self.pair(pair, 0)?);
                    }
                }
                service = service_of(&json!({ "attributes": attributes })).unwrap_or_default();
            }
        }
        for field in fields(message) {
            // Exporters of before 2022 write the field 1000.
            if let (2 | 1000, Wire::Bytes(scope_spans)) = field? {
                self.enter()?;
                for field in fields(scope_spans) {
                    if let (2, Wire::Bytes(span)) = field? {
                        each(&self.span(span)?, &service);
                    }
                }
            }
        }
        Ok(())
    }

    fn span(&mut self, message: &[u8]) -> Result<Value, Malformed> {
        self.enter()?;
        let mut span = Map::new();
        let (mut attributes, mut events) = (Vec::new(), Vec::new());
        for field in fields(message) {
            let (name, value) = match field? {
                (1, Wire::Bytes(id)) => ("traceId", hex(id)),
                (2, Wire::Bytes(id)) => ("spanId", hex(id)),
                (4, Wire::Bytes(id)) => ("parentSpanId", hex(id)),
                (5, Wire::Bytes(name)) => ("name", text(name)?),
                (6, Wire::Varint(kind)) => ("kind", kind.into()),
                (7, Wire::Fixed64(at)) => ("startTimeUnixNano", at.into()),
                (8, Wire::Fixed64(at)) => ("endTimeUnixNano", at.into()),
                (9, Wire::Bytes(pair)) => {
                    attributes.push(self.pair(pair, 0)?);
                    continue;
                }
                (11, Wire::Bytes(event)) => {
                    events.push(self.event(event)?);
                    continue;
                }
                (15, Wire::Bytes(status)) => ("status", self.status(status)?),
                (16, Wire::Fixed32(flags)) => ("flags", flags.into()),
                _ => continue,
            };
            span.insert(name.into(), value);
        }
        span.insert("attributes".into(), attributes.into());
        span.insert("events".into(), events.into());
        Ok(span.into())
    }

    fn event(&mut self, message: &[u8]) -> Result<Value, Malformed> {
        self.enter()?;
        let (mut name, mut attributes) = (Value::Null, Vec::new());
        for field in fields(message) {
            match field? {
                (2, Wire::Bytes(called)) => name = text(called)?,
                (3, Wire::Bytes(pair)) => attributes.push(self.pair(pair, 0)?),
                _ => {}
            }
        }
        Ok(json!({ "name": name, "attributes": attributes }))
    }

    fn status(&mut self, message: &[u8]) -> Result<Value, Malformed> {
        self.enter()?;
        let mut status = Map::new();
        for field in fields(message) {
            match field? {
                (2, Wire::Bytes(message)) => drop(status.insert("message".into(), text(message)?)),
                (3, Wire::Varint(code)) => drop(status.insert("code".into(), code.into())),
                _ => {}
            }
        }
        Ok(status.into())
    }

    fn pair(&mut self, message: &[u8], level: u32) -> Result<Value, Malformed> {
        self.enter()?;
        let mut pair = Map::new();
        for field in fields(message) {
            match field? {
                (1, Wire::Bytes(key)) => drop(pair.insert("key".into(), text(key)?)),
                (2, Wire::Bytes(value)) => drop(pair.insert("value".into(), self.value(value, level + 1)?)),
                _ => {}
            }
        }
        Ok(pair.into())
    }

    fn value(&mut self, message: &[u8], level: u32) -> Result<Value, Malformed> {
        self.enter()?;
        if level > MOST_LEVELS {
            return Err(Malformed("values stand in each other too deep"));
        }
        let mut value = Value::Null;
        // Of several the last counts.
        for field in fields(message) {
            value = match field? {
                (1, Wire::Bytes(words)) => json!({ "stringValue": text(words)? }),
                (2, Wire::Varint(is)) => json!({ "boolValue": is != 0 }),
                (3, Wire::Varint(n)) => json!({ "intValue": n.cast_signed() }),
                (4, Wire::Fixed64(bits)) => json!({ "doubleValue": f64::from_bits(bits) }),
                (5, Wire::Bytes(list)) => {
                    let mut values = Vec::new();
                    for field in fields(list) {
                        if let (1, Wire::Bytes(value)) = field? {
                            values.push(self.value(value, level + 1)?);
                        }
                    }
                    json!({ "arrayValue": { "values": values } })
                }
                (6, Wire::Bytes(list)) => {
                    let mut values = Vec::new();
                    for field in fields(list) {
                        if let (1, Wire::Bytes(pair)) = field? {
                            values.push(self.pair(pair, level + 1)?);
                        }
                    }
                    json!({ "kvlistValue": { "values": values } })
                }
                (7, Wire::Bytes(bytes)) => json!({ "bytesValue": base64(bytes) }),
                _ => continue,
            };
        }
        Ok(value)
    }
}
