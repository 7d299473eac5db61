//! Takes the marks of wikis off a line: links keep their words, emphasis and program text lose their marks, pictures, templates
//! and macros are left out.

use std::borrow::Cow;

/// The most bytes of a link, a template or words between two marks.
const LONGEST: usize = 400;
/// Marks around words, each before those that are a part of it.
const AROUND: [&str; 5] = ["'''", "''", "**", "//", "~~"];
/// An element that is left out as a whole, with its end.
const LEFT_OUT: [(&str, &str); 2] = [("{{", "}}"), ("<<", ">>")];
/// Beginnings of the names of pictures.
const PICTURES: [&str; 3] = ["File:", "Image:", "Media:"];
/// Names of HTML elements within a line.
const ELEMENTS: [&str; 14] =
    ["b", "i", "u", "em", "strong", "small", "big", "tt", "code", "nowiki", "span", "sup", "sub", "br"];

/// A line without its marks.
pub(super) fn without(line: &str) -> Cow<'_, str> {
    if !line.contains(['[', '{', '<', '\'', '*', '/', '~', '\\']) {
        return line.into();
    }
    let mut kept = String::with_capacity(line.len());
    // The places of closing marks, and their lengths.
    let mut closing: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        closing.retain(|(place, _)| *place >= at);
        if let Some((_, length)) = closing.iter().find(|(place, _)| *place == at) {
            at += length;
            continue;
        }
        let rest = &line[at..];
        if let Some((words, length)) = link(rest).or_else(|| left_out(rest)).or_else(|| element(rest)) {
            kept.push_str(words);
            at += length;
        } else if let Some((mark, place)) = opened(&kept, rest) {
            // Struck-out text no longer holds.
            let skipped = if mark == "~~" { place } else { 0 };
            closing.push((at + place, mark.len()));
            at += mark.len().max(skipped);
        } else {
            kept.push(c);
            at += c.len_utf8();
        }
    }
    kept.into()
}

/// The most bytes of a note.
const LONGEST_NOTE: usize = 4_096;

/// A text without its notes (`<ref>…</ref>`), which may go on over several lines; the lines stay.
pub(super) fn without_notes(text: &str) -> Cow<'_, str> {
    if !text.contains("<ref") {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<ref") {
        let note = &rest[at..rest.floor_char_boundary(at + LONGEST_NOTE)];
        let end = match note.split_once('>') {
            // "<ref name=x />", and "<references />" below.
            Some((begin, _)) if begin.ends_with('/') || begin.starts_with("<refe") => Some(begin.len() + 1),
            _ => note.find("</ref>").map(|end| end + "</ref>".len()),
        };
        kept.push_str(&rest[..at]);
        let length = end.unwrap_or(1);
        match end {
            Some(end) => kept.extend(note[..end].chars().filter(|c| *c == '\n')),
            None => kept.push_str(&note[..length]),
        }
        rest = &rest[at + length..];
    }
    kept.push_str(rest);
    kept.into()
}

/// The beginning of a text in which a mark has to end.
fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The words of the link with which a text begins, and its length: `[[target|words]]`, `[http://example.org words]`.
fn link(text: &str) -> Option<(&str, usize)> {
    if let Some(inner) = text.strip_prefix("[[") {
        let (inner, _) = near(inner).split_once("]]")?;
        let target = inner.split('|').next().unwrap_or(inner);
        let is_picture = PICTURES.iter().any(|picture| target.starts_with(picture));
        let words = inner.rsplit('|').map(str::trim).find(|words| !words.is_empty()).unwrap_or("");
        let words = if is_picture { "" } else { words.trim_start_matches([':', '+']) };
        return Some((words, inner.len() + 4));
    }
    let inner = text.strip_prefix('[').filter(|inner| inner.starts_with("http"))?;
    let (inner, _) = near(inner).split_once(']')?;
    let (address, words) = inner.split_once(' ').unwrap_or((inner, inner));
    address.contains("://").then(|| (words.trim(), inner.len() + 2))
}

/// The length of what is left out as a whole at the beginning of a text.
fn left_out(text: &str) -> Option<(&str, usize)> {
    if let Some(rest) = text.strip_prefix("{{{") {
        let (code, _) = near(rest).split_once("}}}")?;
        return Some((code, code.len() + 6));
    }
    let (begin, end) = LEFT_OUT.iter().find(|(begin, _)| text.starts_with(begin))?;
    let (inner, _) = near(&text[begin.len()..]).split_once(end)?;
    Some(("", begin.len() + inner.len() + end.len()))
}

/// The length of the tag at the beginning of a text, if it only formats; a break is a blank.
fn element(text: &str) -> Option<(&str, usize)> {
    if text.starts_with(r"\\ ") || text == r"\\" {
        return Some(("", 2));
    }
    let (inner, _) = near(text.strip_prefix('<')?).split_once('>')?;
    let name = inner.trim_start_matches('/').split([' ', '/']).next()?;
    let words = if name == "br" { " " } else { "" };
    ELEMENTS.contains(&name).then(|| (words, inner.len() + 2))
}

/// The mark that opens at the beginning of a text, and the place of the one that closes it. `before` is the text in front.
fn opened<'t>(before: &str, text: &'t str) -> Option<(&'t str, usize)> {
    let mark = AROUND.iter().find(|mark| text.starts_with(**mark))?;
    let mark = &text[..mark.len()];
    let inner = &near(text)[mark.len()..];
    let place = inner.find(mark).filter(|place| *place > 0)?;
    let is_quote = mark.starts_with('\'');
    let opens = is_quote || !before.ends_with(|c: char| c.is_alphanumeric() || c == ':');
    let touches =
        !inner.starts_with(char::is_whitespace) && (is_quote || !inner[..place].ends_with(char::is_whitespace));
    (opens && touches).then_some((mark, mark.len() + place))
}

#[cfg(test)]
mod tests {
    use super::{without, without_notes};

    #[test]
    fn notes_are_left_out_over_any_lines_and_the_lines_stay() {
        for (text, wanted) in [
            ("A cat<ref>Lee 2001</ref> sat.", "A cat sat."),
            ("It must be.<ref name=\"why\">Because\nof this.\n</ref> So it is.", "It must be.\n\n So it is."),
            ("It is.<ref name=why /> Really.\n<references />", "It is. Really.\n"),
            ("Never closed <ref>a", "Never closed <ref>a"),
        ] {
            assert_eq!(without_notes(text), wanted);
        }
        let many = "<ref".repeat(100_000);
        assert_eq!(without_notes(&many), many);
    }

    #[test]
    fn marks_are_taken_off_and_words_are_kept() {
        for (line, wanted) in [
            ("See [[Help:Pages|Pages]], [[Journal]] and [[:Usage|]].", "See Pages, Journal and Usage."),
            (
                "Go to [http://example.org/a the page] or [https://example.org].",
                "Go to the page or https://example.org.",
            ),
            ("If **Use //old// dates** is on, ''a:b'' is '''kept'''.", "If Use old dates is on, a:b is kept."),
            ("{{./picture.png}}It is ~~ten~~ twenty.<<BR>> <b>So</b><br/>it is.", "It is  twenty. So it is."),
            ("Type {{{ls -l}}} or <code>ls</code>.", "Type ls -l or ls."),
            ("[[File:a.png|thumb|A cat]]A cat sat.", "A cat sat."),
            (
                "It is at http://example.org//a and a // b; a[[0]] = {1} ** 2",
                "It is at http://example.org//a and a // b; a0 = {1} ** 2",
            ),
            ("``Quoted'' and it's 5 < 6, <host> [a]", "``Quoted'' and it's 5 < 6, <host> [a]"),
            ("Never closed [[a|b and **c", "Never closed [[a|b and **c"),
        ] {
            assert_eq!(without(line), wanted);
        }
        for many in ["[[", "''a", "**a ", "{{", "<b", "//a ", "[http://", "~~a"] {
            let _ = without(&many.repeat(20_000));
        }
    }
}
