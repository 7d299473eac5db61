//! Macros within a line: links, references, keys, pictures. They show their text, or else their target.

use std::ops::Range;

use super::characters;
use super::inline::{Scan, name_in_braces};

/// The most bytes of the target of a link.
const LONGEST_TARGET: usize = 1_000;
/// The most bytes of a link's text.
const LONGEST_LABEL: usize = 2_000;
/// The most bytes of a footnote.
const LONGEST_NOTE: usize = 2_000;

impl<'a> Scan<'a> {
    /// <<id,text>>
    pub(super) fn reference(&mut self, rest: &'a str) -> Option<()> {
        let inner = rest.strip_prefix("<<")?;
        if !inner.starts_with(|c: char| c.is_alphanumeric() || "_:#./\"".contains(c)) {
            return None;
        }
        let to = self.end(">>", self.at + 2)?;
        let inner = &rest[2..to - self.at];
        if inner.contains("<<") {
            return None;
        }
        match inner.split_once(',').map(|(id, text)| (id, text.trim_start())) {
            Some((_, text)) if !text.is_empty() => self.open(to - text.len()..to, to + 2),
            _ => self.show(&self.place(inner.trim_end_matches(',')), inner.len() + 4),
        }
    }

    /// Predefined attributes, and links whose address begins with an unknown attribute.
    pub(super) fn attribute(&mut self, rest: &str) -> Option<()> {
        let name = name_in_braces(rest)?;
        if let Some(shown) = characters::attribute(name) {
            return self.show(shown, name.len() + 2);
        }
        let from = self.target_end(self.at + name.len() + 2)?;
        let (label, resume) = self.label(from)?;
        if label.is_empty() { None } else { self.open(label, resume) }
    }

    /// `name:target[text]`; the name has been written already.
    pub(super) fn macro_(&mut self, rest: &'a str) -> Option<()> {
        let name = &self.text[..self.at];
        let letters = name.bytes().rev().take(12).take_while(|b| b.is_ascii_lowercase() || *b == b'2').count();
        let name = &name[name.len() - letters..];
        let before = self.text[..self.at - letters].chars().next_back();
        if letters < 3 || !self.out.ends_with(name) || before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let is_address = matches!(name, "http" | "https" | "ftp" | "irc") && rest.starts_with("://");
        let target_end = self.target_end(self.at + 1);
        if is_address && target_end.is_none() {
            let end = rest.find(|c: char| c.is_whitespace() || "[]<>\"`".contains(c)).unwrap_or(rest.len());
            self.keep(end);
            return Some(());
        }
        let from = target_end?;
        let begin = from - self.at;
        let target = &rest[1..begin - 1];
        if name.starts_with("footnote") {
            let end = note_end(&rest[begin..])?;
            self.out.truncate(self.out.len() - name.len());
            self.out.truncate(self.out.trim_end().len());
            return self.show("", begin + end + 1);
        }
        let (label, resume) = self.label(from)?;
        let inner = &self.text[from..resume - 1];
        let used = resume - self.at;
        let kept = self.out.len() - name.len();
        let is_apart = self.at >= self.code && !before.is_some_and(|c| "-/.=".contains(c));
        let is_custom = name.len() >= 4 && is_apart && target.starts_with(char::is_alphanumeric);
        let is_own = is_address || is_macro(name) || is_custom;
        if !is_own {
            return None;
        }
        self.out.truncate(kept);
        match name {
            "image" | "icon" | "indexterm" | "anchor" | "bibitem" => self.show("", used),
            "pass" | "kbd" | "btn" | "stem" | "latexmath" | "asciimath" => self.show(inner, used),
            "menu" if inner.is_empty() => self.show(target, used),
            "menu" => self.show(&format!("{target} > {inner}"), used),
            "linkgit" | "gitlink" if !inner.is_empty() => {
                self.show(&format!("{}({inner})", with_characters(target)), used)
            }
            _ if !label.is_empty() => self.open(label, resume),
            "xref" => self.show(&self.place(target), used),
            "javadoc" => self.show(target.rsplit(['.', '/']).next().unwrap_or(target), used),
            _ if is_address => self.show(&format!("{name}:{target}"), used),
            _ => self.show(target.trim_matches('+'), used),
        }
    }

    /// The end of a target that begins here, behind the bracket that opens its text.
    fn target_end(&mut self, from: usize) -> Option<usize> {
        if self.stop < from {
            let stop = self.text[from..].find(|c: char| c == '[' || c.is_whitespace() || c == ']');
            self.stop = stop.map_or(self.text.len(), |stop| from + stop);
        }
        let is_target = self.text[self.stop..].starts_with('[') && self.stop < self.limit();
        (is_target && self.stop - from <= LONGEST_TARGET).then_some(self.stop + 1)
    }

    /// The bounds of the label of a link whose bracket opens before `from`, and the place where the text continues.
    fn label(&mut self, from: usize) -> Option<(Range<usize>, usize)> {
        let to = self.end("]", from).filter(|to| to - from <= LONGEST_LABEL)?;
        let inner = &self.text[from..to];
        let mut label = from..to;
        if let Some(quoted) = inner.strip_prefix('"').filter(|_| inner.contains('=')) {
            label = from + 1..from + 1 + quoted.find('"').unwrap_or(quoted.len());
        } else if inner.contains('=') {
            let first = inner.split(',').next().unwrap_or("");
            let is_attribute = first
                .split_once('=')
                .is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
            label.end = from + if is_attribute { 0 } else { first.len() };
            if !is_attribute && first.contains('=') {
                label.end = to;
            }
        }
        if self.text[label.clone()].ends_with('^') {
            label.end -= 1;
        }
        Some((label, to + 1))
    }

    /// The text shown for a reference without one: the title of the place, or its name without the path to it.
    fn place(&self, target: &str) -> String {
        let (file, id) = target.split_once('#').unwrap_or((target, ""));
        let place = if id.is_empty() { file } else { id };
        if let Some(title) = self.titles.get(place) {
            return title.clone();
        }
        let place = place.strip_suffix(".adoc").unwrap_or(place);
        let place = place.strip_suffix("/index").or_else(|| place.strip_suffix(":index")).unwrap_or(place);
        let place = place.rsplit(['/', ':']).next().unwrap_or(place);
        match place.chars().next() {
            Some(c) if c.is_ascii_digit() => format!("[{place}]"),
            _ if place.contains('-') => place.to_owned(),
            _ => place.trim_start_matches('_').replace('_', " "),
        }
    }
}

/// The macros that are recognised by their name alone.
pub(super) fn is_macro(name: &str) -> bool {
    matches!(name, "link" | "xref" | "mailto" | "image" | "icon" | "kbd" | "btn" | "menu" | "pass" | "stem" | "linkgit")
        || matches!(
            name,
            "latexmath" | "asciimath" | "indexterm" | "indexterm2" | "anchor" | "footnote" | "footnoteref"
        )
        || matches!(name, "http" | "https" | "ftp" | "irc" | "gitlink")
}

/// The end of a footnote, which may have links in it.
fn note_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(LONGEST_NOTE) {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 0 && !text[..at].ends_with('\\') => return Some(at),
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A target with the characters that it names in braces.
fn with_characters(target: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(target.len()), target);
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let known = name_in_braces(&rest[at..]).and_then(|name| Some((characters::attribute(name)?, name.len() + 2)));
        let (shown, used) = known.unwrap_or(("{", 1));
        out.push_str(shown);
        rest = &rest[at + used..];
    }
    out + rest
}
