//! Decodes server-sent events from bytes in any chunking, within size limits.

use memchr::memchr2;

/// The most bytes of an event.
const FRAME: usize = 8 << 20;
/// The most bytes of a stream.
const STREAM: usize = 64 << 20;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its name; may be empty.
    pub name: String,
    /// Its data lines joined by `\n`. Invalid UTF-8 becomes U+FFFD.
    pub data: String,
}

/// A size limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// One event.
    #[error("one event of it is larger than 8 MiB")]
    Frame,
    /// All of it.
    #[error("it is longer than 64 MiB")]
    Stream,
}

/// Cuts a byte stream into events. It decodes text only in whole lines, so no character is split.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    name: Vec<u8>,
    data: Option<Vec<u8>>,
    after_cr: bool,
    past_first_line: bool,
    taken: usize,
}

impl Decoder {
    /// Takes the next bytes and returns the events they complete.
    ///
    /// # Errors
    /// An event, or the stream, is larger than any answer.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        self.taken = self.taken.saturating_add(bytes.len());
        if self.taken > STREAM {
            return Err(TooLarge::Stream);
        }
        let mut events = Vec::new();
        while !bytes.is_empty() {
            // CR, LF and CR LF each end one line.
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = memchr2(b'\n', b'\r', bytes);
            self.line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            if self.line.len() + self.data.as_ref().map_or(0, Vec::len) > FRAME {
                return Err(TooLarge::Frame);
            }
            let Some(end) = end else { break };
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.end_line());
        }
        Ok(events)
    }

    /// The event at the end of the stream without its blank line. It may be incomplete.
    pub fn rest(&mut self) -> Option<Event> {
        self.end_line().or_else(|| self.dispatch())
    }

    fn end_line(&mut self) -> Option<Event> {
        let mut line = std::mem::take(&mut self.line);
        let event = self.takes_line(&line);
        // Its room serves the next line.
        line.clear();
        self.line = line;
        event
    }

    fn takes_line(&mut self, mut line: &[u8]) -> Option<Event> {
        if !std::mem::replace(&mut self.past_first_line, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.iter().position(|b| *b == b':') {
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (line, &[][..]),
        };
        match field {
            b"event" => self.name = value.to_vec(),
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            // Comments, `id`, `retry` and unknown fields are ignored.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = self.data.take()?;
        Some(Event { name: text(name), data: text(data) })
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        tracing::warn!("an answer holds bytes that are not UTF-8; they are shown as U+FFFD");
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(parts: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let mut events: Vec<Event> = parts.iter().flat_map(|part| decoder.feed(part).unwrap()).collect();
        events.extend(decoder.rest());
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect()
    }

    /// A stream, and the names and data of its events.
    type Case = (&'static [u8], &'static [(&'static str, &'static str)]);

    #[test]
    fn events_are_read_as_the_standard_says() {
        let cases: &[Case] = &[
            (b"event: a\ndata: 1\n\n", &[("a", "1")]),
            (b"data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", &[("", "1"), ("", "2"), ("", "3")]),
            (b"\xef\xbb\xbfdata: 1\n\n", &[("", "1")]),
            (b": ping\n\n: OPENROUTER PROCESSING\n\ndata: 1\n\n", &[("", "1")]),
            (b"data: a\ndata:b\ndata:  c\n\n", &[("", "a\nb\n c")]),
            (b"data\n\n", &[("", "")]),
            (b"event: a\n\ndata: 1\n\n", &[("", "1")]),
            (b"id: 7\nretry: 10\nretry: 20\nnew: x\ndata: 1\n\n", &[("", "1")]),
            (b"data: 1\n\ndata: [DONE]", &[("", "1"), ("", "[DONE]")]),
            (b"data: a\xffb\n\n", &[("", "a\u{fffd}b")]),
        ];
        for (stream, expected) in cases {
            assert_eq!(events(&[stream]), pairs(expected), "{}", String::from_utf8_lossy(stream));
        }
    }

    #[test]
    fn a_stream_that_never_ends_a_line_or_itself_is_stopped() {
        let mut decoder = Decoder::default();
        let block = vec![b'x'; 1 << 20];
        let stopped = (0..9).find_map(|_| decoder.feed(&block).err());
        assert_eq!(stopped, Some(TooLarge::Frame));
        let mut decoder = Decoder::default();
        let mut lines = Vec::new();
        for _ in 0..1024 {
            lines.extend_from_slice(b"data: x\n");
        }
        let stopped = (0..4096).find_map(|_| decoder.feed(&lines).err());
        assert_eq!(stopped, Some(TooLarge::Frame));
        let mut decoder = Decoder::default();
        let mut comment = vec![b':'; 1 << 20];
        comment.push(b'\n');
        let stopped = (0..70).find_map(|_| decoder.feed(&comment).err());
        assert_eq!(stopped, Some(TooLarge::Stream));
    }

    proptest! {
        /// However a stream is cut, its events are the same.
        #[test]
        fn every_split_gives_the_same_events(
            lines in proptest::collection::vec(
                prop_oneof![
                    Just("data: {\"text\":\"größe 漢字 🦀\"}"), Just("data: 2"), Just("event: x"), Just(""), Just(""),
                    Just(": ping"), Just("data"), Just("id: 1"),
                ], 1..16),
            ends in proptest::collection::vec(prop_oneof![Just("\n"), Just("\r\n"), Just("\r")], 16),
            cuts in proptest::collection::vec(0usize..400, 0..12),
        ) {
            let stream: String = lines.iter().zip(&ends).flat_map(|(line, end)| [*line, *end]).collect();
            let bytes = stream.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let parts: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(events(&parts), events(&[bytes]));
            prop_assert_eq!(events(&single), events(&[bytes]));
        }
    }
}
