//! Removes Org's inline markup: the result is the text as exported.

use crate::markup::{FAR, LONGEST, until};

/// Characters after which emphasis may begin, and before which it may end.
const BEFORE: [char; 6] = ['-', '(', '\'', '"', '{', '\u{2014}'];
const AFTER: [char; 13] = ['-', '.', ',', ';', ':', '!', '?', '\'', '"', ')', '}', '[', '\u{2014}'];

/// The text of `raw` without markup.
pub(super) fn plain(raw: &str) -> String {
    if raw.len() > LONGEST {
        return raw.to_owned();
    }
    let mut out = String::with_capacity(raw.len());
    add(raw, &mut out, 0);
    out
}

/// The most nested emphasis.
const DEEPEST: u8 = 4;

fn add(raw: &str, out: &mut String, depth: u8) {
    let mut rest = raw;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let used = match first {
            '[' => link(rest, out, depth).or_else(|| note(rest, out)),
            '<' => angle(rest, out),
            '{' => call(rest, out),
            '@' => rest.strip_prefix("@@").and_then(|inside| until(inside, "@@")).map(|end| end + 4),
            '\\' => escape(rest, out),
            '*' | '/' | '_' | '+' | '=' | '~' if opens(before) => emphasis(first, rest, out, depth),
            _ => None,
        };
        let used = used.unwrap_or_else(|| {
            out.push(first);
            first.len_utf8()
        });
        before = rest[..used].chars().next_back();
        rest = &rest[used..];
    }
}

fn opens(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || BEFORE.contains(&c))
}

/// `*bold*`, `/italic/`, `_underlined_`, `~code~`, `=verbatim=`; text that is `+struck out+` no longer applies.
fn emphasis(mark: char, rest: &str, out: &mut String, depth: u8) -> Option<usize> {
    let inside = &rest[1..];
    let near = &inside[..inside.floor_char_boundary(FAR)];
    if depth >= DEEPEST || near.starts_with(char::is_whitespace) {
        return None;
    }
    let closes = |at: &usize| {
        let after = inside[at + 1..].chars().next();
        *at > 0
            && !inside[..*at].ends_with(char::is_whitespace)
            && after.is_none_or(|c| c.is_whitespace() || AFTER.contains(&c))
    };
    let end = near.match_indices(mark).map(|(at, _)| at).find(closes)?;
    match mark {
        '=' | '~' => out.push_str(&inside[..end]),
        '+' => {}
        _ => add(&inside[..end], out, depth + 1),
    }
    Some(end + 2)
}

/// `[[target][words]]`, `[[target]]`
fn link(rest: &str, out: &mut String, depth: u8) -> Option<usize> {
    let inside = rest.strip_prefix("[[")?;
    let end = until(inside, "]]")?;
    let (target, words) = inside[..end].split_once("][").unwrap_or((&inside[..end], ""));
    let shown = match words {
        "" => target.trim_start_matches("file:").trim_start_matches(['*', '#']),
        words => words,
    };
    if !is_picture(shown) && depth < DEEPEST {
        add(shown, out, depth + 1);
    }
    Some(end + 4)
}

fn is_picture(target: &str) -> bool {
    let ending = target.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ["png", "jpg", "jpeg", "gif", "svg", "webp"].contains(&ending.as_str()))
}

/// `[fn:1]`, `[fn:: a note]`, `[cite:@name]`: none is text.
fn note(rest: &str, out: &mut String) -> Option<usize> {
    if !["[fn:", "[cite:", "[cite/"].iter().any(|begin| rest.starts_with(begin)) {
        return None;
    }
    let end = until(rest, "]")?;
    out.truncate(out.trim_end_matches(' ').len());
    Some(end + 1)
}

/// `<2024-01-05 Fri>`, `<https://example.org>`, `<<target>>`, `<<<term>>>`
fn angle(rest: &str, out: &mut String) -> Option<usize> {
    if let Some(inside) = rest.strip_prefix("<<<") {
        let end = until(inside, ">>>")?;
        out.push_str(&inside[..end]);
        return Some(end + 6);
    }
    if let Some(inside) = rest.strip_prefix("<<") {
        return until(inside, ">>").map(|end| end + 4);
    }
    let inside = rest.strip_prefix('<')?;
    let end = until(inside, ">")?;
    let shown = &inside[..end];
    let is_date = shown.len() >= 10 && shown.as_bytes()[4] == b'-' && shown.starts_with(|c: char| c.is_ascii_digit());
    if !is_date && !shown.starts_with("http") && !shown.starts_with("mailto:") {
        return None;
    }
    out.push_str(shown.trim_start_matches("mailto:"));
    Some(end + 2)
}

/// `{{{kbd(C-c C-e)}}}`: most macros show their argument.
fn call(rest: &str, out: &mut String) -> Option<usize> {
    let inside = rest.strip_prefix("{{{")?;
    let end = until(inside, "}}}")?;
    if let Some((_, given)) = inside[..end].split_once('(') {
        out.push_str(&given.trim_end_matches(')').replace("\\,", ","));
    }
    Some(end + 6)
}

/// A line break, and the names of some characters.
fn escape(rest: &str, out: &mut String) -> Option<usize> {
    const NAMED: [(&str, &str); 8] = [
        ("nbsp", " "),
        ("dots", "\u{2026}"),
        ("ndash", "\u{2013}"),
        ("mdash", "\u{2014}"),
        ("rarr", "\u{2192}"),
        ("to", "\u{2192}"),
        ("vert", "|"),
        ("under", "_"),
    ];
    let name = rest.strip_prefix('\\')?;
    if name.strip_prefix('\\').is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace)) {
        return Some(2);
    }
    let (name, shown) = NAMED.iter().find(|(known, _)| {
        let after = name.strip_prefix(known);
        after.is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })?;
    out.push_str(shown);
    let braces = if rest[1 + name.len()..].starts_with("{}") { 2 } else { 0 };
    Some(1 + name.len() + braces)
}
