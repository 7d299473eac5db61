//! The protobuf form.

use super::{Field, Writer};

pub(crate) struct Protobuf(Vec<u8>);

/// The types of fields on the wire.
const VARINT: u64 = 0;
const FIXED: u64 = 1;
const LONG: u64 = 2;

/// A number as protobuf writes it: seven bits a byte, the lowest first.
pub fn varint(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n >= 0x80 {
        bytes.push((n & 0x7f) as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
    bytes
}

impl Protobuf {
    /// The document with these fields.
    pub(crate) fn document(write: impl FnOnce(&mut Protobuf)) -> Vec<u8> {
        let mut protobuf = Protobuf(Vec::new());
        write(&mut protobuf);
        protobuf.0
    }

    fn key(&mut self, field: Field, wire: u64) {
        self.varint(field.1 << 3 | wire);
    }

    fn varint(&mut self, n: u64) {
        self.0.extend(varint(n));
    }

    fn long(&mut self, field: Field, bytes: &[u8]) {
        self.key(field, LONG);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A list of numbers of eight bytes each.
    fn packed(&mut self, field: Field, list: impl ExactSizeIterator<Item = [u8; 8]>) {
        self.key(field, LONG);
        self.varint(8 * list.len() as u64);
        self.0.extend(list.flatten());
    }
}

impl Writer for Protobuf {
    fn text(&mut self, field: Field, text: &str) {
        self.long(field, text.as_bytes());
    }

    fn id(&mut self, field: Field, bytes: &[u8]) {
        self.long(field, bytes);
    }

    fn truth(&mut self, field: Field, truth: bool) {
        self.number(field, truth.into());
    }

    fn number(&mut self, field: Field, n: u32) {
        self.key(field, VARINT);
        self.varint(n.into());
    }

    fn whole(&mut self, field: Field, n: i64) {
        self.key(field, VARINT);
        self.varint(n.cast_unsigned());
    }

    fn fixed(&mut self, field: Field, n: i128) {
        self.key(field, FIXED);
        self.0.extend(u64::try_from(n).unwrap_or(0).to_le_bytes());
    }

    fn double(&mut self, field: Field, n: f64) {
        self.key(field, FIXED);
        self.0.extend(n.to_le_bytes());
    }

    fn fixeds(&mut self, field: Field, list: &[u64]) {
        self.packed(field, list.iter().map(|n| n.to_le_bytes()));
    }

    fn doubles(&mut self, field: Field, list: &[f64]) {
        self.packed(field, list.iter().map(|n| n.to_le_bytes()));
    }

    fn one(&mut self, field: Field, write: impl FnOnce(&mut Protobuf)) {
        self.key(field, LONG);
        let start = self.0.len();
        write(self);
        // The length stands before the message, and is known behind it: it changes places with it.
        let end = self.0.len();
        self.varint((end - start) as u64);
        let length = self.0.len() - end;
        self.0[start..].rotate_right(length);
    }

    fn each<T>(&mut self, field: Field, list: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Protobuf, T)) {
        list.into_iter().for_each(|one| self.one(field, |protobuf| write(protobuf, one)));
    }
}
