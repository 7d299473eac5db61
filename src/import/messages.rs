//! Bytes to messages: documents of protobuf as exporters and collectors write them into files, one after another, as they are or
//! each with its length before it (four bytes, the highest first).

use super::records::{MOST, Taken};

/// The bytes by which a file is recognised.
const HEAD: usize = 1_024;

/// The form of a file, told by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Too little of it has come.
    Unknown,
    /// Text.
    Text,
    /// Messages of protobuf, with their lengths or without.
    Messages { framed: bool },
}

/// The form of a file with this head; with `is_all` the head is the whole file.
pub(crate) fn beginning(head: &[u8], is_all: bool) -> Beginning {
    // The first field of all documents of OTLP is 1, and has a length. In text that is an empty line.
    let framed = match head {
        [b'\n', ..] => false,
        [0, ..] => true,
        [] => return Beginning::Unknown,
        _ => return Beginning::Text,
    };
    if head.len() < HEAD && !is_all {
        return Beginning::Unknown;
    }
    let is_control = |byte: &u8| *byte < 0x20 && !byte.is_ascii_whitespace();
    let is_text = !head.iter().take(HEAD).any(is_control);
    if is_text { Beginning::Text } else { Beginning::Messages { framed } }
}

/// Cuts a file into its messages, in pieces of any size.
pub(crate) struct Messages {
    framed: bool,
    bytes: Vec<u8>,
    /// Whether nothing more can be read in it.
    is_broken: bool,
}

/// Takes a message, and whether the file ends within it.
type Each<'a> = dyn FnMut(Taken<'_>, bool) + 'a;

impl Messages {
    pub(crate) fn new(framed: bool) -> Messages {
        Messages { framed, bytes: Vec::new(), is_broken: false }
    }

    /// The next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], each: &mut Each<'_>) {
        if self.is_broken {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        let mut at = 0;
        loop {
            let rest = &self.bytes[at..];
            match self.first(rest) {
                First::Whole { head, end } => {
                    each(Taken::Record(&rest[head..end]), false);
                    at += end;
                }
                First::Cut if rest.len() <= MOST => break,
                First::Cut | First::Broken => {
                    self.is_broken = true;
                    self.bytes = Vec::new();
                    return each(Taken::Unreadable, false);
                }
            }
        }
        self.bytes.drain(..at);
    }

    /// The end of the file.
    pub(crate) fn end(self, each: &mut Each<'_>) {
        let head = if self.framed { 4 } else { 0 };
        if !self.bytes.is_empty() {
            each(Taken::Record(self.bytes.get(head..).unwrap_or_default()), true);
        }
    }

    fn first(&self, rest: &[u8]) -> First {
        if self.framed {
            let Some((length, _)) = rest.split_first_chunk::<4>() else { return First::Cut };
            let end = 4 + u32::from_be_bytes(*length) as usize;
            return if end > rest.len() { First::Cut } else { First::Whole { head: 4, end } };
        }
        match rest {
            [] => First::Cut,
            [b'\n', length @ ..] => {
                let mut value = 0;
                for (n, byte) in length.iter().take(5).enumerate() {
                    value |= usize::from(byte & 0x7f) << (7 * n);
                    if byte & 0x80 == 0 {
                        let end = 2 + n + value;
                        return if end > rest.len() { First::Cut } else { First::Whole { head: 0, end } };
                    }
                }
                if length.len() < 5 { First::Cut } else { First::Broken }
            }
            _ => First::Broken,
        }
    }
}

/// The first message of the bytes so far.
enum First {
    Whole { head: usize, end: usize },
    Cut,
    Broken,
}
