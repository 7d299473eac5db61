//! Prepares XML for a tokenizer of HTML: without declarations and comments, with entities replaced and references
//! named.
//!
//! Line numbers are kept. Inserted text is limited by the length of the source.

use super::entities::Entities;
use super::links::Links;

/// The document type of a text, and the text from its first element on.
pub(super) fn root(text: &str) -> (&str, Option<&str>) {
    let (mut rest, mut doctype) = (text.trim_start(), "");
    loop {
        let end = if rest.starts_with("<!--") {
            end_of(rest, "-->")
        } else if rest.starts_with("<?") {
            end_of(rest, "?>")
        } else if rest.starts_with("<!DOCTYPE") {
            doctype = &rest[..rest.find(['[', '>']).unwrap_or(rest.len())];
            Entities::default().declarations(rest)
        } else {
            return (doctype, Some(rest).filter(|rest| rest.starts_with('<')));
        };
        rest = rest[end..].trim_start();
    }
}

/// The length of a text up to the end of this mark, or its whole length.
pub(super) fn end_of(text: &str, mark: &str) -> usize {
    text.find(mark).map_or(text.len(), |at| at + mark.len())
}

/// The beginning of a text.
pub(super) fn window(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

pub(super) fn prepared(text: &str) -> String {
    let (mut entities, links) = (Entities::of(text.len()), Links::of(text));
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with('&') {
            entities.reference(rest, &mut out)
        } else if rest.starts_with("<!--") {
            blank(rest, end_of(rest, "-->"), &mut out)
        } else if rest.starts_with("<?") {
            blank(rest, end_of(rest, "?>"), &mut out)
        } else if rest.starts_with("<!DOCTYPE") {
            let end = entities.declarations(rest);
            blank(rest, end, &mut out)
        } else if let Some(text) = rest.strip_prefix("<![CDATA[") {
            let end = text.find("]]>").unwrap_or(text.len());
            out.push_str(&text[..end].replace('&', "&amp;").replace('<', "&lt;"));
            rest.len() - text.len() + (end + "]]>".len()).min(text.len())
        } else {
            links.tag(rest, &mut entities, &mut out)
        };
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Drops the text up to `end`, but keeps its line breaks.
fn blank(text: &str, end: usize, out: &mut String) -> usize {
    out.extend(text[..end].chars().filter(|c| *c == '\n'));
    end
}
