//! The two forms of OTLP on its way, JSON and protobuf, behind one trait, so that the content of a document is described once.

mod json;
mod protobuf;

pub(super) use json::Json;
pub(super) use protobuf::Protobuf;
pub use protobuf::varint;

/// The form of a document. Every collector takes protobuf, as the specification has it; not every one takes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Protobuf.
    Protobuf,
    /// The JSON form of protobuf.
    Json,
}

impl Form {
    /// Its media type, as HTTP names it.
    pub fn media(self) -> &'static str {
        match self {
            Form::Protobuf => "application/x-protobuf",
            Form::Json => "application/json",
        }
    }
}

/// A field of a message: its name in JSON, and its number in `opentelemetry/proto` of OTLP 1.
#[derive(Clone, Copy)]
pub(super) struct Field(pub(super) &'static str, pub(super) u64);

/// Writes the fields of a message, one after another.
pub(super) trait Writer {
    fn text(&mut self, field: Field, text: &str);

    /// Bytes that JSON has in hexadecimal.
    fn id(&mut self, field: Field, bytes: &[u8]);

    fn truth(&mut self, field: Field, truth: bool);

    /// A number that names one of a few things.
    fn number(&mut self, field: Field, n: u32);

    fn whole(&mut self, field: Field, n: i64);

    /// A number of 64 bits that takes as many on the wire; where it has no room there, 0 stands for it.
    fn fixed(&mut self, field: Field, n: i128);

    fn double(&mut self, field: Field, n: f64);

    fn fixeds(&mut self, field: Field, list: &[u64]);

    fn doubles(&mut self, field: Field, list: &[f64]);

    /// A message within the message.
    fn one(&mut self, field: Field, write: impl FnOnce(&mut Self));

    /// A list of messages.
    fn each<T>(&mut self, field: Field, list: impl IntoIterator<Item = T>, write: impl FnMut(&mut Self, T));
}

/// Writes a message in a form that is known only when the program runs.
macro_rules! written {
    ($form:expr, |$to:ident| $write:expr) => {
        match $form {
            $crate::form::Form::Json => $crate::form::Json::document(|$to| $write),
            $crate::form::Form::Protobuf => $crate::form::Protobuf::document(|$to| $write),
        }
    };
}
pub(super) use written;
