//! Removes inline markup: the result is the text of the rendered page.
//!
//! A text is read once, from left to right. Nested markup ends within its parent, and the next end of each kind is
//! cached, so that the time is linear in the length even if marks are never closed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::characters;
use super::links::is_macro;
use crate::raised::Shift;

/// The most bytes of an attribute's value.
const LONGEST_VALUE: usize = 1_000;
/// The most bytes that values add to a document.
const MOST_EXPANDED: usize = 1 << 20;
/// The most bytes between quotation marks of older documents, and of a role.
const LONGEST_QUOTE: usize = 300;
const SINGLE: [&str; 2] = ["\u{2018}", "\u{2019}"];
const DOUBLE: [&str; 2] = ["\u{201c}", "\u{201d}"];

#[derive(Default)]
pub(super) struct Inline {
    attributes: HashMap<String, String>,
    /// The titles of sections, by their anchors.
    titles: HashMap<String, String>,
    /// Bytes that values have added so far.
    expanded: usize,
    /// Whether the document uses the syntax from before Asciidoctor: an underlined title, and 'x' for emphasis.
    pub(super) is_older: bool,
}

impl Inline {
    /// Sets an attribute, or removes it if its name has `!`. Attributes in its value are replaced by theirs.
    pub(super) fn define(&mut self, name: &str, value: &str) {
        let value = self.expand(value).into_owned();
        let key = name.trim_matches('!').to_lowercase();
        if name.contains('!') || value.len() > LONGEST_VALUE {
            self.attributes.remove(&key);
        } else {
            self.attributes.insert(key, value);
        }
    }

    /// Sets the text shown for a reference to an anchor.
    pub(super) fn entitle(&mut self, id: &str, title: &str) {
        let title = self.plain(title);
        if title.len() <= LONGEST_VALUE {
            self.titles.insert(id.to_owned(), title);
        }
    }

    /// The text with the document's attributes replaced by their values.
    pub(super) fn expand<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if self.attributes.is_empty() || !text.contains('{') {
            return text.into();
        }
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find('{') {
            let value = name_in_braces(&rest[at..]).and_then(|name| {
                let value = self.attributes.get(&name.to_lowercase())?;
                Some((name.len() + 2, value))
            });
            out.push_str(&rest[..at]);
            match value.filter(|_| !out.ends_with('\\')) {
                Some((used, value)) if self.expanded + value.len() <= MOST_EXPANDED => {
                    self.expanded += value.len();
                    out.push_str(value);
                    rest = &rest[at + used..];
                }
                _ => {
                    out.push('{');
                    rest = &rest[at + 1..];
                }
            }
        }
        out.push_str(rest);
        out.into()
    }

    /// The text of `raw` without markup.
    pub(super) fn plain(&mut self, raw: &str) -> String {
        let text = self.expand(raw);
        let mut scan = Scan {
            text: &text,
            at: 0,
            out: String::with_capacity(text.len()),
            ends: Vec::new(),
            code: 0,
            next: Vec::new(),
            stop: 0,
            titles: &self.titles,
            is_older: self.is_older,
        };
        scan.run();
        scan.out
    }
}

/// The name in `{name}`, which begins the text.
pub(super) fn name_in_braces(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('{')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))?;
    (end > 0 && rest[end..].starts_with('}')).then(|| &rest[..end])
}

/// The end of open markup, its visible text, and the place where the text continues.
struct End {
    at: usize,
    shown: &'static str,
    resume: usize,
}

/// Whether a name in braces begins here; its closing brace may be escaped too.
fn begins_name(text: &str) -> bool {
    let name = text
        .strip_prefix('{')
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c)));
    name.is_some_and(|after| after.len() + 1 < text.len() && after.starts_with(['}', '\\']))
}

pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) out: String,
    /// Open markup, the innermost last.
    ends: Vec<End>,
    /// The end of monospaced text, in which marks of emphasis are characters.
    pub(super) code: usize,
    /// The next end of each mark, as far as it was looked for.
    next: Vec<(&'static str, usize)>,
    /// The next end of a target, as far as it was looked for.
    pub(super) stop: usize,
    pub(super) titles: &'a HashMap<String, String>,
    is_older: bool,
}

impl<'a> Scan<'a> {
    fn run(&mut self) {
        const MARKS: &str = "\\`*_#+^~\"'{[<:&($-";
        while self.at < self.text.len() {
            if let Some(end) = self.ends.pop_if(|end| end.at == self.at) {
                self.out.push_str(end.shown);
                self.at = end.resume;
                continue;
            }
            let rest = self.rest();
            let words = rest.find(|c| MARKS.contains(c)).unwrap_or(rest.len());
            self.out.push_str(&rest[..words]);
            self.at += words;
            if words < rest.len() && self.markup().is_none() {
                self.keep(1);
            }
        }
    }

    /// The text from here to the end of the innermost markup.
    fn rest(&self) -> &'a str {
        &self.text[self.at..self.limit()]
    }

    pub(super) fn limit(&self) -> usize {
        self.ends.last().map_or(self.text.len(), |end| end.at)
    }

    /// Copies this many bytes unchanged.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.out.push_str(&self.text[self.at..self.at + bytes]);
        self.at += bytes;
    }

    /// Writes `shown` for this many bytes.
    pub(super) fn show(&mut self, shown: &str, bytes: usize) -> Option<()> {
        self.out.push_str(shown);
        self.at += bytes;
        Some(())
    }

    fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    fn is_in_word(&self) -> bool {
        self.before().is_some_and(char::is_alphanumeric)
    }

    /// The next end of a mark, from a place on.
    pub(super) fn end(&mut self, mark: &'static str, from: usize) -> Option<usize> {
        let known = self.next.iter().position(|(own, _)| *own == mark);
        let at = match known.map(|known| self.next[known].1) {
            Some(at) if at >= from => at,
            _ => {
                let mut found = self.text.get(from..)?.match_indices(mark).map(|(at, _)| from + at);
                let at = found.find(|at| ends_here(self.text, mark, *at)).unwrap_or(usize::MAX);
                match known {
                    Some(known) => self.next[known].1 = at,
                    None => self.next.push((mark, at)),
                }
                at
            }
        };
        (at < usize::MAX && at + mark.len() <= self.limit()).then_some(at)
    }

    /// Reads the markup that begins here; None, without reading anything, if there is none.
    fn markup(&mut self) -> Option<()> {
        let rest = self.rest();
        let is_code = self.at < self.code;
        match rest.as_bytes()[0] {
            b'{' => self.attribute(rest),
            _ if is_code && self.is_older => None,
            b'\\' => self.escape(rest),
            b'+' => self.verbatim(rest),
            b'[' => self.bracket(rest),
            b'<' => self.reference(rest),
            b':' => self.macro_(rest),
            b'&' => {
                let end = rest.bytes().take(10).position(|b| b == b';')?;
                let shown = characters::reference(&rest[1..end])?;
                self.show(shown.encode_utf8(&mut [0; 4]), end + 1)
            }
            _ if is_code => None,
            b'`' => self.monospaced(rest),
            b'*' => self.emphasis(rest, "**", "*"),
            b'_' => self.emphasis(rest, "__", "_"),
            b'#' => self.emphasis(rest, "##", "#"),
            b'^' | b'~' => self.script(rest),
            b'"' => self.quotation(rest, "`\"", DOUBLE),
            b'\'' => match self.quotation(rest, "`'", SINGLE) {
                None if self.is_older => self.emphasis(rest, "'", "'"),
                read => read,
            },
            b'$' if rest.starts_with("$$") => self.enclosed("$$", "$$"),
            b'(' => self.parenthesis(rest),
            b'-' if rest.starts_with("--") => {
                let next = rest[2..].chars().next();
                let is_spaced = self.before().is_none_or(|c| c == ' ') && next.is_none_or(|c| c == ' ');
                let is_joined = self.is_in_word() && next.is_some_and(char::is_alphanumeric);
                if is_spaced || is_joined { self.show("\u{2014}", 2) } else { None }
            }
            _ => None,
        }
    }

    /// Opens markup with the given bounds of its text, and continues behind it.
    pub(super) fn open(&mut self, text: Range<usize>, resume: usize) -> Option<()> {
        self.at = text.start;
        self.ends.push(End { at: text.end, shown: "", resume });
        Some(())
    }

    /// Opens a quotation.
    fn quote(&mut self, text: Range<usize>, [opening, shown]: [&'static str; 2], resume: usize) -> Option<()> {
        self.out.push_str(opening);
        self.at = text.start;
        self.ends.push(End { at: text.end, shown, resume });
        Some(())
    }

    /// Copies the text between two marks unchanged.
    fn enclosed(&mut self, begin: &str, end: &'static str) -> Option<()> {
        let from = self.at + begin.len();
        let to = self.end(end, from + 1)?;
        let text = &self.text[from..to];
        self.show(text, to + end.len() - self.at)
    }

    /// `*strong*` between words, `**strong**` anywhere.
    fn emphasis(&mut self, rest: &str, double: &'static str, single: &'static str) -> Option<()> {
        let marks = if rest.starts_with(double) { double } else { single };
        let first = rest[marks.len()..].chars().next().filter(|c| !c.is_whitespace())?;
        let is_within = marks.len() == 1
            && (self.is_in_word() || self.before().is_some_and(|c| ":;}".contains(c) || single.starts_with(c)));
        if is_within || first == marks.chars().next()? {
            return None;
        }
        let from = self.at + marks.len();
        let to = self.end(marks, from + first.len_utf8())?;
        self.open(from..to, to + marks.len())
    }

    /// `code`, ``code``, and `+code+` verbatim; in older documents also ``quoted''.
    fn monospaced(&mut self, rest: &str) -> Option<()> {
        if rest.starts_with("`+")
            && !rest.starts_with("`++")
            && !rest.starts_with("`+`")
            && let Some(read) = self.enclosed("`+", "+`")
        {
            return Some(read);
        }
        let double = rest.starts_with("``");
        let marks = if double { "``" } else { "`" };
        let first = rest[marks.len()..].chars().next()?;
        let from = self.at + marks.len();
        let code = self.end(marks, from + first.len_utf8());
        let (closing, quotes) = if double { ("''", DOUBLE) } else { ("'", SINGLE) };
        if let Some(to) = self.end(closing, from + first.len_utf8())
            && to - from <= LONGEST_QUOTE
            && code.is_none_or(|code| self.is_older && to < code)
            && !self.text[from..to].contains('\'')
            && self.text[to + closing.len()..].chars().next().is_none_or(|c| c.is_whitespace() || ".,;:)".contains(c))
            && (double || self.is_older && !self.is_in_word())
        {
            return self.quote(from..to, quotes, to + closing.len());
        }
        if !double && (self.is_in_word() || first.is_whitespace() || first == '`') {
            return None;
        }
        let to = code?;
        self.code = to;
        self.open(from..to, to + marks.len())
    }

    /// H~2~O, x^2^
    fn script(&mut self, rest: &str) -> Option<()> {
        let mark = rest.chars().next()?;
        let inner = &rest[1..];
        let end = inner.find(|c: char| c == mark || c.is_whitespace()).filter(|end| *end > 0)?;
        let is_attached = self.before().is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']'));
        (is_attached && inner[end..].starts_with(mark)).then_some(())?;
        let (shown, used) = (&inner[..end], end + 2);
        if self.at + used > self.limit() {
            return None;
        }
        let from = self.out.len();
        self.show(shown, used)?;
        let shift = if mark == '^' { Shift::Raised } else { Shift::Lowered };
        shift.write(&mut self.out, from);
        Some(())
    }

    /// "`quoted`"
    fn quotation(&mut self, rest: &str, end: &'static str, marks: [&'static str; 2]) -> Option<()> {
        let first = rest[1..].strip_prefix('`')?.chars().next().filter(|c| !c.is_whitespace())?;
        let from = self.at + 2;
        let to = self.end(end, from + first.len_utf8())?;
        self.quote(from..to, marks, to + end.len())
    }

    /// `+text+`, `++text++` and `+++text+++`, verbatim.
    fn verbatim(&mut self, rest: &str) -> Option<()> {
        let marks = ["+++", "++", "+"].into_iter().find(|marks| rest.starts_with(marks))?;
        let first = rest[marks.len()..].chars().next().filter(|c| !c.is_whitespace() && *c != '+')?;
        if marks == "+" && (self.is_in_word() || first == '`') {
            return None;
        }
        self.enclosed(marks, marks)
    }

    /// [[anchor]], [.role]#text#
    fn bracket(&mut self, rest: &str) -> Option<()> {
        if rest.starts_with("[[") {
            let marks = if rest.starts_with("[[[") { 3 } else { 2 };
            let end = self.end(if marks == 3 { "]]]" } else { "]]" }, self.at + marks)? - self.at;
            let id = &rest[marks..end];
            if marks == 3 {
                return self.show(&format!("[{id}]"), end + marks);
            }
            let begins = id.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | ':'));
            return if begins && !id.contains(['[', '$', '=']) { self.show("", end + marks) } else { None };
        }
        let end = self.end("]", self.at + 1).map(|end| end - self.at).filter(|end| *end <= LONGEST_QUOTE)?;
        let inner = &rest[1..end];
        let mark = rest[end + 1..].chars().next()?;
        let is_role =
            inner.starts_with(['.', '#']) || inner.starts_with("role=") || mark == '#' && !inner.contains(' ');
        if self.is_in_word() || !is_role || !"*_`#".contains(mark) {
            return None;
        }
        let begin = self.at;
        self.at += end + 1;
        let read = self.markup();
        if read.is_none() {
            self.at = begin;
        }
        read
    }

    /// ((term)), (((index entry))), (C)
    fn parenthesis(&mut self, rest: &str) -> Option<()> {
        if rest.starts_with("(((") {
            let to = self.end(")))", self.at + 3)?;
            return self.show("", to + 3 - self.at);
        }
        if let Some(term) = rest.strip_prefix("((") {
            let to = self.end("))", self.at + 2)?;
            let is_term = term.starts_with(char::is_alphanumeric) && !rest[2..to - self.at].contains(['(', ')']);
            return (is_term && !self.is_in_word()).then_some(()).and_then(|()| self.open(self.at + 2..to, to + 2));
        }
        let signs = [("(C)", "\u{a9}"), ("(R)", "\u{ae}"), ("(TM)", "\u{2122}")];
        let (raw, sign) = signs.into_iter().find(|(raw, _)| rest.starts_with(raw))?;
        self.show(sign, raw.len())
    }

    /// Drops a backslash that escapes markup.
    fn escape(&mut self, rest: &str) -> Option<()> {
        let slashes = rest.bytes().take(2).take_while(|b| *b == b'\\').count();
        let (begin, kept) = (self.at, self.out.len());
        let rest = &rest[slashes..];
        let first = rest.chars().next()?;
        if first.is_ascii_lowercase() {
            let name = rest
                .split(|c: char| !c.is_ascii_lowercase())
                .next()
                .filter(|name| rest[name.len()..].starts_with(':'))?;
            if !is_macro(name) {
                return None;
            }
            self.at += slashes;
            self.keep(name.len() + 1);
            return Some(());
        }
        if !"`*_#+^~\"'{[<&($-.]|}".contains(first) {
            return None;
        }
        self.at += slashes;
        // Text kept from markup may go beyond the open element.
        let (ends, code) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.code));
        let is_markup = matches!(first, ']' | '|' | '}') || begins_name(rest) || self.markup().is_some();
        self.out.truncate(kept);
        (self.ends, self.code, self.at) = (ends, code, begin);
        if !is_markup {
            return None;
        }
        self.at += slashes;
        let marks = rest.chars().take(2).take_while(|c| *c == first).count();
        self.keep(if "*_#`+-".contains(first) { marks } else { 1 });
        Some(())
    }
}

/// Whether a mark at this place may end markup.
fn ends_here(text: &str, mark: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + mark.len()..].chars().next();
    match mark {
        "]" => before != Some('\\'),
        "*" | "_" | "#" | "+" | "'" | "`" => {
            let is_same = |c: Option<char>| c.is_some_and(|c| mark.starts_with(c) && c != '\'');
            let is_word = after.is_some_and(|c| c.is_alphanumeric() || mark == "_" && c == '_');
            before.is_some_and(|c| !c.is_whitespace()) && !is_word && !is_same(before) && !is_same(after)
        }
        _ => true,
    }
}
