//! Marks at the beginning of a line of extracted text, which contains no other control characters than line and page
//! ends.

/// The kind of a line, by its font or by its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Mark {
    /// A heading of this level, from 1 to 9.
    Heading(u8),
    /// A heading of this level that the source of a page marks as one.
    Titled(u8),
    /// Program text.
    Code,
}

const HEADING: char = '\u{1}';
const CODE: char = '\u{2}';

impl Mark {
    pub(in super::super) fn is_heading(self) -> bool {
        matches!(self, Mark::Heading(_))
    }

    #[cfg(feature = "pdf")]
    pub(super) fn write(self, text: &mut String) {
        match self {
            Mark::Heading(level) | Mark::Titled(level) => text.extend([HEADING, char::from(b'0' + level.min(9))]),
            Mark::Code => text.push(CODE),
        }
    }

    /// The mark of a line, and the line without it.
    pub(super) fn read(line: &str) -> (Option<Mark>, &str) {
        if let Some(rest) = line.strip_prefix(CODE) {
            return (Some(Mark::Code), rest);
        }
        let level = line.strip_prefix(HEADING).and_then(|rest| rest.chars().next()?.to_digit(10));
        match level.and_then(|level| u8::try_from(level).ok()) {
            Some(level) => (Some(Mark::Heading(level.max(1))), &line[2..]),
            None => (None, line),
        }
    }
}
