//! Traces as protobuf, as exporters send them by OTLP: read span by span into the same types as the JSON form, so that there is one
//! importer. The fields are those of `opentelemetry/proto/{trace,common}/v1` of OTLP 1.
//!
//! Unknown fields are passed over, as protobuf wants it; a broken message is refused, and never read in part.

use serde_json::{Map, Value};
use text::Clean;

use super::span::{Attributes, Span, service_of};
use crate::Malformed;
use crate::story::{kept, named};

/// The most levels of messages within messages.
const MOST_LEVELS: u32 = 64;
/// The most messages within one document: each costs a hundred times the size of an empty one on the wire.
const MOST_MESSAGES: u32 = 4_000_000;

/// Gives each span of a document to `each`, with the name of its service. Of a file that is cut, the whole spans are given.
///
/// # Errors
/// The document is cut, or no protobuf. The part before the fault was given.
pub(super) fn spans(document: &[u8], is_cut: bool, each: &mut dyn FnMut(Span, &Clean)) -> Result<(), Malformed> {
    let mut reader = Reader { messages: 0, is_cut };
    for field in reader.list(document) {
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
    /// Whether the last one may go on beyond the end: its part is given, and then that it is cut.
    is_cut: bool,
}

fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message, is_cut: false }
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
        if self.is_cut && length > self.rest.len() {
            return Ok(std::mem::take(&mut self.rest));
        }
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

fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed("a text is not UTF-8"))
}

/// An id in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Bytes as OTLP JSON has them.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize];
            written.push(if n <= three.len() { char::from(letter) } else { '=' });
        }
    }
    written
}

struct Reader {
    messages: u32,
    /// Whether the document may be cut.
    is_cut: bool,
}

impl Reader {
    /// The fields of a message that holds lists of spans.
    fn list<'a>(&self, message: &'a [u8]) -> Fields<'a> {
        Fields { rest: message, is_cut: self.is_cut }
    }

    /// Counts one more message.
    fn enter(&mut self) -> Result<(), Malformed> {
        self.messages += 1;
        if self.messages > MOST_MESSAGES {
            Err(Malformed("there is more in it than in any batch of spans"))
        } else {
            Ok(())
        }
    }

    fn resource_spans(&mut self, message: &[u8], each: &mut dyn FnMut(Span, &Clean)) -> Result<(), Malformed> {
        self.enter()?;
        let mut service = Clean::default();
        for field in self.list(message) {
            if let Ok((1, Wire::Bytes(resource))) = field {
                let mut attributes = Attributes::default();
                for field in fields(resource) {
                    if let (1, Wire::Bytes(pair)) = field? {
                        self.pair(pair, 0, &mut attributes.0)?;
                    }
                }
                service = service_of(&attributes.0).unwrap_or_default();
            }
        }
        for field in self.list(message) {
            // Exporters of before 2022 write the field 1000.
            if let (2 | 1000, Wire::Bytes(scope_spans)) = field? {
                self.enter()?;
                // A span that is cut is none.
                for field in fields(scope_spans) {
                    if let (2, Wire::Bytes(span)) = field? {
                        each(self.span(span)?, &service);
                    }
                }
            }
        }
        Ok(())
    }

    fn span(&mut self, message: &[u8]) -> Result<Span, Malformed> {
        self.enter()?;
        let mut span = Span::default();
        for field in fields(message) {
            match field? {
                (1, Wire::Bytes(id)) => span.trace = hex(id),
                (2, Wire::Bytes(id)) => span.id = hex(id),
                (4, Wire::Bytes(id)) => span.parent = Some(hex(id)).filter(|id| !id.is_empty()),
                (5, Wire::Bytes(name)) => span.name = named(text(name)?),
                (7, Wire::Fixed64(at)) => span.start = Some(i128::from(at)).filter(|at| *at > 0),
                (8, Wire::Fixed64(at)) => span.end = Some(i128::from(at)).filter(|at| *at > 0),
                (9, Wire::Bytes(pair)) => self.pair(pair, 0, &mut span.attributes.0)?,
                (11, Wire::Bytes(event)) => {
                    let event = self.event(event)?;
                    span.events.push(event);
                }
                (15, Wire::Bytes(status)) => self.status(status, &mut span)?,
                (16, Wire::Fixed32(flags)) => span.flags = flags.into(),
                _ => {}
            }
        }
        Ok(span)
    }

    fn event(&mut self, message: &[u8]) -> Result<(String, Attributes), Malformed> {
        self.enter()?;
        let mut event: (String, Attributes) = Default::default();
        for field in fields(message) {
            match field? {
                (2, Wire::Bytes(called)) => event.0 = text(called)?.to_owned(),
                (3, Wire::Bytes(pair)) => self.pair(pair, 0, &mut event.1.0)?,
                _ => {}
            }
        }
        Ok(event)
    }

    fn status(&mut self, message: &[u8], of: &mut Span) -> Result<(), Malformed> {
        self.enter()?;
        for field in fields(message) {
            match field? {
                (2, Wire::Bytes(message)) => of.message = Some(kept(text(message)?)).filter(|m| !m.is_empty()),
                (3, Wire::Varint(code)) => of.is_error = code == 2,
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes in an attribute; one without a value counts for nothing.
    fn pair(&mut self, message: &[u8], level: u32, into: &mut Map<String, Value>) -> Result<(), Malformed> {
        self.enter()?;
        let mut pair = (None, None);
        for field in fields(message) {
            match field? {
                (1, Wire::Bytes(key)) => pair.0 = Some(text(key)?.to_owned()),
                (2, Wire::Bytes(value)) => pair.1 = Some(self.value(value, level + 1)?),
                _ => {}
            }
        }
        if let (Some(key), Some(value)) = pair {
            into.insert(key, value);
        }
        Ok(())
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
                (1, Wire::Bytes(words)) => text(words)?.into(),
                (2, Wire::Varint(is)) => (is != 0).into(),
                (3, Wire::Varint(n)) => n.cast_signed().into(),
                (4, Wire::Fixed64(bits)) => f64::from_bits(bits).into(),
                (5, Wire::Bytes(list)) => {
                    let mut values = Vec::new();
                    for field in fields(list) {
                        if let (1, Wire::Bytes(value)) = field? {
                            values.push(self.value(value, level + 1)?);
                        }
                    }
                    values.into()
                }
                (6, Wire::Bytes(list)) => {
                    let mut values = Map::new();
                    for field in fields(list) {
                        if let (1, Wire::Bytes(pair)) = field? {
                            self.pair(pair, level + 1, &mut values)?;
                        }
                    }
                    values.into()
                }
                (7, Wire::Bytes(bytes)) => base64(bytes).into(),
                _ => continue,
            };
        }
        Ok(value)
    }
}
