//! Bytes to records: a line each, or the whole file where it is one document over many lines.

/// The longest record that is read, in bytes.
pub(crate) const MOST: usize = 256 * 1024 * 1024;

/// A piece of a file, as it is handed on.
pub(crate) enum Taken<'a> {
    /// A record.
    Record(&'a [u8]),
    /// Something that is no record: longer than any that is read, or broken.
    Unreadable,
}

/// Cuts a file into records, in pieces of any size.
#[derive(Default)]
pub(crate) struct Records {
    line: Vec<u8>,
    /// Whether the rest of the line is passed over.
    is_too_long: bool,
    form: Form,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    /// Nothing has been read.
    #[default]
    Unknown,
    /// A record a line.
    Lines,
    /// A document over many lines.
    Document,
}

/// Takes a record.
type Each<'a> = dyn FnMut(Taken<'_>) + 'a;

impl Records {
    /// The next bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], each: &mut Each<'_>) {
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            self.add(&bytes[..at], each);
            if self.form == Form::Document {
                self.add(b"\n", each);
            } else {
                self.line_ends(each);
            }
            bytes = &bytes[at + 1..];
        }
        self.add(bytes, each);
    }

    fn add(&mut self, bytes: &[u8], each: &mut Each<'_>) {
        if self.is_too_long {
            return;
        }
        if self.line.len().saturating_add(bytes.len()) > MOST {
            self.is_too_long = true;
            self.line = Vec::new();
            each(Taken::Unreadable);
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn line_ends(&mut self, each: &mut Each<'_>) {
        if std::mem::take(&mut self.is_too_long) {
            self.form = Form::Lines;
            return;
        }
        let record = self.line.trim_ascii();
        let record = record.strip_prefix(b"\xef\xbb\xbf").unwrap_or(record);
        if record.is_empty() {
            return self.line.clear();
        }
        if self.form == Form::Unknown {
            let whole = serde_json::from_slice::<serde::de::IgnoredAny>(record);
            self.form = if whole.is_err_and(|error| error.is_eof()) { Form::Document } else { Form::Lines };
            if self.form == Form::Document {
                return self.line.push(b'\n');
            }
        }
        each(Taken::Record(record));
        // The memory of one long line is not kept for short ones.
        match self.line.capacity() > 1024 * 1024 {
            true => self.line = Vec::new(),
            false => self.line.clear(),
        }
    }

    /// The end of the file.
    pub(crate) fn end(mut self, each: &mut Each<'_>) {
        if self.is_too_long {
            return;
        }
        let text = self.line.trim_ascii();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        if text.is_empty() {
            return;
        }
        if self.form != Form::Document {
            each(Taken::Record(text));
            return;
        }
        let whole = serde_json::from_slice::<serde::de::IgnoredAny>(text);
        match whole {
            Ok(_) => each(Taken::Record(text)),
            // Lines of which the first was torn.
            Err(error) if !error.is_eof() && lines(text).skip(1).any(is_whole) => {
                lines(text).for_each(|line| each(Taken::Record(line)));
            }
            Err(_) => match closed(text) {
                Some(document) => {
                    each(Taken::Record(&document));
                    each(Taken::Unreadable);
                }
                None => each(Taken::Record(text)),
            },
        }
        self.line.clear();
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

fn is_whole(line: &[u8]) -> bool {
    line.first() == Some(&b'{') && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

/// A document that was cut, up to the last whole object, with the open brackets closed.
fn closed(text: &[u8]) -> Option<Vec<u8>> {
    let mut open: Vec<u8> = Vec::new();
    let (mut in_text, mut escaped) = (false, false);
    let mut last: Option<(usize, Vec<u8>)> = None;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(*byte) {
                    break;
                }
                if *byte == b'}' && open.last() == Some(&b']') {
                    last = Some((at + 1, open.clone()));
                }
            }
            _ => {}
        }
    }
    let (end, open) = last?;
    let mut document = text[..end].to_vec();
    document.extend(open.iter().rev());
    Some(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &[u8], piece: usize) -> (Vec<String>, usize) {
        let (mut found, mut unreadable) = (Vec::new(), 0);
        let mut each = |taken: Taken<'_>| match taken {
            Taken::Record(record) => found.push(String::from_utf8_lossy(record).into_owned()),
            Taken::Unreadable => unreadable += 1,
        };
        let mut records = Records::default();
        text.chunks(piece.max(1)).for_each(|chunk| records.push(chunk, &mut each));
        records.end(&mut each);
        (found, unreadable)
    }

    #[test]
    fn lines_and_documents_are_told_apart_in_whatever_pieces_they_come() {
        let texts: [(&[u8], &[&str]); 5] = [
            (b"{\"a\":1}\r\n\r\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]),
            (b"\xef\xbb\xbf{\"a\":1}\nnot json\n{\"b\"", &["{\"a\":1}", "not json", "{\"b\""]),
            (b"{\n \"a\": [\n  1\n ]\n}\n", &["{\n \"a\": [\n  1\n ]\n}"]),
            (b"{\"torn\":\n{\"b\":2}\n{\"c\":3}\n", &["{\"torn\":", "{\"b\":2}", "{\"c\":3}"]),
            (b" \n", &[]),
        ];
        for (text, expected) in texts {
            for piece in 1..8 {
                assert_eq!(records(text, piece).0, expected, "{piece}");
            }
        }
    }

    #[test]
    fn of_a_document_that_is_cut_what_is_whole_is_read() {
        let text = b"{\n \"list\": [\n  {\"n\": 1},\n  {\"n\": 2, \"t\": \"}\"},\n  {\"n\"";
        let (found, torn) = records(text, 5);
        assert_eq!((found.len(), torn), (1, 1), "{found:?}");
        let value: serde_json::Value = serde_json::from_str(&found[0]).unwrap();
        assert_eq!(value, serde_json::json!({"list": [{"n": 1}, {"n": 2, "t": "}"}]}));
    }
}
