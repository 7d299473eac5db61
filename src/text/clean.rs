//! Clean text: the type for all text from outside before it may reach a journal, a prompt or a terminal.
//!
//! Text is cleaned once, where it comes in. Removed sequences are never interpreted.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Text that can neither drive a terminal nor hide its content.
///
/// It holds no escape sequence, no C0 or C1 control but `\n`, no bidirectional control, no zero-width or
/// tag character; tabs are spaces and line ends are `\n`. Cheap to clone.
///
/// A journal is a file like any other: text read from it is cleaned again.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct Clean(Arc<str>);

impl Clean {
    /// Cleans `raw`, keeping line breaks.
    pub fn new(raw: &str) -> Self {
        if raw.is_empty() {
            // Shared: most runs have many of them.
            return Clean::default();
        }
        if raw.bytes().all(|b| b == b'\n' || (0x20..0x7f).contains(&b)) || !raw.chars().any(needs_work) {
            return Clean(raw.into());
        }
        Clean(scrub(raw).into())
    }

    /// Cleans `raw` down to one line: every run of white space becomes one space, the ends are trimmed.
    pub fn line(raw: &str) -> Self {
        let cleaned = Clean::new(raw);
        let odd = |c: char| c != ' ' && c.is_whitespace();
        if !cleaned.contains(odd) && !cleaned.contains("  ") && cleaned.trim().len() == cleaned.len() {
            return cleaned;
        }
        Clean(cleaned.split_whitespace().collect::<Vec<_>>().join(" ").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a character may never appear in [`Clean`] text.
///
/// Controls but the line break; bidirectional controls (Unicode TR 9), whose abuse is "Trojan Source";
/// zero-width, invisible operator, variation-tag and interlinear characters; the byte order mark.
pub fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{9}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// JSON text in which every character that is forbidden in [`Clean`] text is written as `\uXXXX`. It means the same:
/// outside its strings JSON has none of them.
pub fn escape_in_json(json: String) -> String {
    if !json.chars().any(|c| c >= ' ' && is_forbidden(c)) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if c >= ' ' && is_forbidden(c) {
            let units = &mut [0; 2];
            c.encode_utf16(units).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn needs_work(c: char) -> bool {
    c != '\n' && is_forbidden(c)
}

/// The line break among the C1 controls.
const NEXT_LINE: char = '\u{85}';

/// Removes escape sequences as a terminal would parse them: OSC, DCS, APC and CSI go with their contents.
fn scrub(raw: &str) -> String {
    struct Kept(String);
    impl vte::Perform for Kept {
        fn print(&mut self, c: char) {
            match c {
                // LS and PS are line breaks that terminals ignore.
                '\u{2028}' | '\u{2029}' => self.0.push('\n'),
                c if is_forbidden(c) => {}
                c => self.0.push(c),
            }
        }
        fn execute(&mut self, byte: u8) {
            match byte {
                b'\n' => self.0.push('\n'),
                b'\t' | 0x0b | 0x0c => self.0.push(' '),
                // An overstrike (as in old manual pages) prints a character twice: keep one.
                0x08 if !self.0.ends_with('\n') => {
                    self.0.pop();
                }
                _ => {}
            }
        }
    }
    // C1 controls written as characters start sequences too: convert them to their 7-bit form. Behind another character
    // beyond ASCII they are the rest of one that was encoded twice: only they go.
    let mut bytes = String::with_capacity(raw.len());
    let mut previous = ' ';
    for c in raw.chars() {
        match c {
            '\r' => bytes.push('\n'),
            '\n' if previous == '\r' => {}
            '\u{80}'..='\u{9f}' if !previous.is_ascii() => {}
            NEXT_LINE => bytes.push('\n'),
            '\u{80}'..='\u{9f}' => {
                bytes.push('\u{1b}');
                bytes.push(char::from((c as u32 - 0x40) as u8));
            }
            c => bytes.push(c),
        }
        previous = c;
    }
    let mut parser = vte::Parser::new();
    let mut kept = Kept(String::with_capacity(raw.len()));
    // An unterminated sequence would swallow the rest of a document: sequences end with their line.
    for line in bytes.split_inclusive('\n') {
        parser.advance(&mut kept, line.trim_end_matches('\n').as_bytes());
        parser = vte::Parser::new();
        if line.ends_with('\n') {
            kept.0.push('\n');
        }
    }
    kept.0
}

impl Deref for Clean {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Clean {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl From<&str> for Clean {
    fn from(raw: &str) -> Self {
        Clean::new(raw)
    }
}

impl From<String> for Clean {
    fn from(raw: String) -> Self {
        Clean::new(&raw)
    }
}

impl PartialEq<str> for Clean {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Clean {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_go_with_their_contents() {
        for (raw, kept) in [
            ("plain", "plain"),
            ("a\x1b[31mred\x1b[0m b", "ared b"),
            ("x\x1b]52;c;ZXZpbA==\x07y", "xy"),
            ("x\x1b]0;title\x1b\\y", "xy"),
            ("x\u{9b}31my", "xy"),
            ("x\u{9d}52;c;AAAA\u{9c}y", "xy"),
            ("says \u{e2}\u{80}\u{9d}hello\u{e2}\u{80}\u{9c} to all", "says \u{e2}hello\u{e2} to all"),
            ("one\u{85}two", "one\ntwo"),
            ("\x1bP1$tq\x1b\\done", "done"),
            ("N\x08NA\x08AM\x08ME\x08E", "NAME"),
            ("a\tb\r\nc\rd", "a b\nc\nd"),
            ("ab\u{202e}cd\u{200b}e\u{e0041}f\u{feff}", "abcdef"),
            ("open \x1b]8;;never closed\nnext line stays", "open \nnext line stays"),
        ] {
            assert_eq!(Clean::new(raw).as_str(), kept, "{raw:?}");
        }
    }

    #[test]
    fn a_line_has_no_breaks_and_no_double_spaces() {
        assert_eq!(Clean::line("  a\n b\t\tc  ").as_str(), "a b c");
        assert_eq!(Clean::line("Chapter\u{a0}2.\u{2003}End").as_str(), "Chapter 2. End");
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent_and_leaves_nothing_forbidden(raw in "(\\PC|[\\x00-\\x1f\\x7f-\\u{9f}\\u{200b}-\\u{202e}]){0,80}") {
            let once = Clean::new(&raw);
            prop_assert!(!once.chars().any(|c| c != '\n' && is_forbidden(c)), "{:?}", once);
            prop_assert_eq!(Clean::new(&once), once.clone());
            prop_assert!(once.len() <= raw.len() + 1);
        }
    }
}
