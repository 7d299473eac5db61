//! The JSON form: numbers of 64 bits are text, ids are hexadecimal.

use std::fmt::Display;
use std::io::Write;

use serde::Serialize;

use super::{Field, Writer};

/// A list of bytes takes all that is written into it.
const TAKES_ALL: &str = "memory takes all that is written into it";

pub(crate) struct Json(Vec<u8>);

impl Json {
    /// The document with these fields.
    pub(crate) fn document(write: impl FnOnce(&mut Json)) -> Vec<u8> {
        let mut json = Json(Vec::new());
        json.object(write);
        json.0
    }

    fn object(&mut self, write: impl FnOnce(&mut Json)) {
        self.0.push(b'{');
        write(self);
        self.0.push(b'}');
    }

    fn name(&mut self, field: Field) {
        if self.0.last() != Some(&b'{') {
            self.0.push(b',');
        }
        self.0.push(b'"');
        self.0.extend_from_slice(field.0.as_bytes());
        self.0.extend_from_slice(b"\":");
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) {
        serde_json::to_writer(&mut self.0, value).expect(TAKES_ALL);
    }

    fn quoted(&mut self, n: impl Display) {
        write!(self.0, "\"{n}\"").expect(TAKES_ALL);
    }

    fn list<T>(&mut self, field: Field, list: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Json, T)) {
        self.name(field);
        self.0.push(b'[');
        for (n, one) in list.into_iter().enumerate() {
            if n > 0 {
                self.0.push(b',');
            }
            write(self, one);
        }
        self.0.push(b']');
    }
}

impl Writer for Json {
    fn text(&mut self, field: Field, text: &str) {
        self.name(field);
        self.value(text);
    }

    fn id(&mut self, field: Field, bytes: &[u8]) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.name(field);
        self.0.push(b'"');
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        self.0.extend(digits.map(|digit| DIGITS[usize::from(digit)]));
        self.0.push(b'"');
    }

    fn truth(&mut self, field: Field, truth: bool) {
        self.name(field);
        self.value(&truth);
    }

    fn number(&mut self, field: Field, n: u32) {
        self.name(field);
        self.value(&n);
    }

    fn whole(&mut self, field: Field, n: i64) {
        self.name(field);
        self.quoted(n);
    }

    fn fixed(&mut self, field: Field, n: i128) {
        self.name(field);
        self.quoted(n);
    }

    fn double(&mut self, field: Field, n: f64) {
        self.name(field);
        self.value(&n);
    }

    fn fixeds(&mut self, field: Field, list: &[u64]) {
        self.list(field, list, |json, n| json.quoted(n));
    }

    fn doubles(&mut self, field: Field, list: &[f64]) {
        self.list(field, list, |json, n| json.value(n));
    }

    fn one(&mut self, field: Field, write: impl FnOnce(&mut Json)) {
        self.name(field);
        self.object(write);
    }

    fn each<T>(&mut self, field: Field, list: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Json, T)) {
        self.list(field, list, |json, one| json.object(|json| write(json, one)));
    }
}
