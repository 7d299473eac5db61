//! Sources of wikis to blocks: DokuWiki, MediaWiki, MoinMoin, Zim, and pages that have HTML in place of most marks.
//!
//! The marks become headings, program text and lines without marks, which are read as plain text. Expands no template, runs no
//! macro and follows no link.

mod marks;
mod tagged;

use std::borrow::Cow;

use super::draft::Draft;
use super::pdf::Mark;
use super::{html, plain};

/// A text of unknown format with fewer such headings is not the source of a wiki.
const LEAST: usize = 2;
/// Its first heading stands in one of so many lines: a list of changes may have a few such lines far below.
const FIRST: usize = 40;
/// The most marks on each side of a heading.
const DEEPEST: usize = 6;
/// A heading with fewer marks is none of the largest, where more marks head larger parts.
const LEAST_OF_FALLING: usize = 3;
/// The line with which a page of Zim begins.
const ZIM: &str = "Content-Type: text/x-zim-wiki";
/// Lines that begin program text, and what its last line begins with.
const CODE: [(&str, &str); 6] = [
    ("{{{", "}}}"),
    ("'''", "'''"),
    ("<code", "</code>"),
    ("<file", "</file>"),
    ("<pre", "</pre>"),
    ("<syntaxhighlight", "</syntaxhighlight>"),
];
/// Words with which a line begins that is for the wiki itself.
const SETTINGS: [&str; 8] =
    ["#format", "#acl", "#pragma", "#language", "#redirect", "#REDIRECT", "[[Category:", "__TOC__"];

/// Whether a text of unknown format is the source of a wiki.
pub(super) fn is_source(text: &str) -> bool {
    let is_spaced = |line: &str| heading(line).is_some() && line.trim_matches('=').starts_with(' ');
    let many = || text.lines().filter(|line| is_spaced(line)).nth(LEAST - 1).is_some();
    text.starts_with(ZIM) || text.lines().take(FIRST).any(is_spaced) && many()
}

/// Parses the source of a page of a wiki.
pub(super) fn parse(text: &str, draft: &mut Draft) {
    if tagged::is_one(text) {
        return html::parse(&tagged::as_html(text), draft);
    }
    let text = &*marks::without_notes(text);
    let lines = Lines::of(text).read(text);
    plain::parse_typeset(lines.iter().map(|line| (line.mark, &*line.text, line.no)), draft);
}

/// The number of marks of a heading, and its words: `== Use ==`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let marks = line.bytes().take_while(|b| *b == b'=').count();
    let behind = line.bytes().rev().take_while(|b| *b == b'=').count();
    let words = line.get(marks..line.len().checked_sub(behind)?)?.trim();
    let fits = (1..=DEEPEST).contains(&marks) && marks == behind && words.chars().any(char::is_alphanumeric);
    fits.then_some((marks, words))
}

/// A line without its marks.
struct Line<'t> {
    mark: Option<Mark>,
    text: Cow<'t, str>,
    no: u32,
}

/// The state between two lines.
struct Lines {
    /// Whether more marks head larger parts, as in DokuWiki and Zim.
    is_falling: bool,
    /// The end mark of the open program text.
    code: Option<&'static str>,
}

impl Lines {
    fn of(text: &str) -> Lines {
        let marks = || text.lines().filter_map(heading).map(|(marks, _)| marks);
        let is_falling =
            marks().next().is_some_and(|first| marks().all(|other| other <= first) && first >= LEAST_OF_FALLING);
        Lines { is_falling, code: None }
    }

    fn read<'t>(&mut self, text: &'t str) -> Vec<Line<'t>> {
        let front =
            if text.starts_with(ZIM) { text.lines().take_while(|line| !line.trim().is_empty()).count() } else { 0 };
        let mut kept = Vec::new();
        for (line, no) in text.lines().zip(1u32..).skip(front) {
            self.line(line, no, &mut kept);
        }
        kept
    }

    fn line<'t>(&mut self, line: &'t str, no: u32, kept: &mut Vec<Line<'t>>) {
        let words = line.trim();
        let plain = |text: Cow<'t, str>| Line { mark: None, text, no };
        if let Some(end) = self.code {
            if words.starts_with(end) {
                self.code = None;
            } else {
                let mark = Some(Mark::Code).filter(|_| !words.is_empty());
                kept.push(Line { mark, text: line.into(), no });
            }
            return;
        }
        let begins = |(begin, end): &&(&str, &str)| words.starts_with(begin) && !words[begin.len()..].contains(end);
        if let Some((begin, end)) = CODE.iter().find(begins)
            && (*begin != "'''" || words == *begin)
        {
            self.code = Some(*end);
            return kept.push(plain("".into()));
        }
        if let Some((marks, words)) = heading(line) {
            let level = if self.is_falling { DEEPEST + 1 - marks } else { marks };
            let mark = u8::try_from(level).ok().map(Mark::Titled);
            kept.push(plain("".into()));
            return kept.push(Line { mark, text: marks::without(words), no });
        }
        if SETTINGS.iter().any(|setting| words.starts_with(setting)) || is_rule(words) {
            return kept.push(plain("".into()));
        }
        row(words, no, kept).unwrap_or_else(|| kept.push(plain(item(line, self.is_falling))));
    }
}

/// Whether a line parts the page, or is the frame of a table.
fn is_rule(words: &str) -> bool {
    let is_line = words.len() >= 4 && words.bytes().all(|b| b == b'-');
    is_line || ["{|", "|}", "|-", "|+"].iter().any(|frame| words.starts_with(frame))
}

/// Reads a row of a table: `|| a || b ||`, `^ a ^ b ^`, `! a !! b`.
fn row<'t>(words: &'t str, no: u32, kept: &mut Vec<Line<'t>>) -> Option<()> {
    let is_between = |mark: char| words.len() > 2 && words.starts_with(mark) && words.ends_with(mark);
    let cells = match words {
        _ if words.starts_with("||") && words.ends_with("||") => {
            words.trim_matches('|').split("||").collect::<Vec<_>>()
        }
        _ if is_between('^') => words.trim_matches('^').split('^').collect(),
        _ if words.starts_with("! ") && words.contains("!!") => words[1..].split("!!").collect(),
        _ if words.starts_with("| ") && words.contains("||") => words[1..].split("||").collect(),
        _ => return None,
    };
    let cells: Vec<Cow<'_, str>> = cells.into_iter().map(|cell| marks::without(cell.trim())).collect();
    kept.push(Line { mark: None, text: format!("| {} |", cells.join(" | ")).into(), no });
    if words.starts_with(['^', '!']) {
        kept.push(Line { mark: None, text: "|---|".into(), no });
    }
    Some(())
}

/// A line without its marks; the depth of an item is told by its indent: `** within`. Where larger parts have fewer marks, as in MediaWiki,
/// one sign before words is an item: `# The first`.
fn item(line: &str, is_falling: bool) -> Cow<'_, str> {
    let depth = line.bytes().take_while(|b| matches!(b, b'*' | b'#')).count();
    let below = &line[depth..];
    // Bold words have two stars, and a comment of program text one sign.
    let is_counted = !is_falling && below.strip_prefix(' ').is_some_and(|words| words.starts_with(char::is_uppercase));
    let is_one = if line.starts_with('*') { !below.contains('*') } else { is_counted };
    let is_item = depth > 1 && below.starts_with(' ') || depth == 1 && is_one;
    match is_item {
        true => format!("{}* {}", "  ".repeat(depth.min(DEEPEST) - 1), marks::without(below.trim_start())).into(),
        false => marks::without(line),
    }
}

#[cfg(test)]
mod tests;
