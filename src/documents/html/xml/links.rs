//! The text of references without text: the title of the target, or its name.

use std::collections::HashMap;

use super::entities::Entities;
use super::source::window;

/// The most bytes of a tag that is read.
const LONGEST: usize = 1000;
/// The most bytes from the beginning of an element to the end of its title, for its title to be found.
const NEAR: usize = 400;

#[derive(Default)]
pub(super) struct Links<'a> {
    /// The raw titles of elements by their ids.
    titles: HashMap<&'a str, String>,
}

impl<'a> Links<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if text.contains("<xref") { Links { titles: titles(text) } } else { Links::default() }
    }

    /// Copies the mark that begins a tag; for a link without text, copies its tag and adds the name of its target.
    /// Returns the length copied.
    pub(super) fn tag(&self, text: &'a str, entities: &mut Entities<'a>, out: &mut String) -> usize {
        const NAMED: [&str; 9] = ["cmdname", "codeph", "filepath", "keyword", "link", "olink", "ph", "ulink", "xref"];
        let name = window(&text[1..], "filepath>".len());
        let name = name.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next().unwrap_or_default();
        let end = if NAMED.contains(&name) { window(text, LONGEST).find('>') } else { None };
        let Some(end) = end else {
            out.push('<');
            return 1;
        };
        let tag = &text[..=end];
        out.push_str(tag);
        let is_empty = tag.ends_with("/>") || text[tag.len()..].starts_with("</");
        if let Some(place) = place_of(tag).filter(|_| is_empty) {
            match self.titles.get(place).filter(|title| entities.take_room(title.len())) {
                Some(title) => out.push_str(&entities.replaced(title)),
                None => out.push_str(&readable(place)),
            }
        }
        tag.len()
    }
}

/// The target of a link.
fn place_of(tag: &str) -> Option<&str> {
    ["linkend", "xref", "url", "href", "keyref", "conkeyref"].iter().find_map(|name| attribute(tag, name))
}

/// The value of an attribute, with or without a prefix.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    for (at, _) in tag.match_indices(name) {
        let rest = &tag[at + name.len()..];
        let quote = rest.strip_prefix('=').and_then(|rest| rest.chars().next()).filter(|c| matches!(c, '"' | '\''));
        if let Some(quote) = quote.filter(|_| tag[..at].ends_with(|c: char| c.is_whitespace() || c == ':')) {
            return rest[2..].split(quote).next();
        }
    }
    None
}

/// A target for display: an address unchanged, else the words of the last part of its name.
fn readable(place: &str) -> String {
    if place.contains("://") {
        return place.to_owned();
    }
    let last = place.rsplit(['#', '/', ':', ';']).find(|part| !part.is_empty()).unwrap_or_default();
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    stem.replace(['-', '_'], " ")
}

/// The titles of elements with an id, if a reference without text needs one.
fn titles(text: &str) -> HashMap<&str, String> {
    let mut titles = HashMap::new();
    for (at, _) in text.match_indices("id=") {
        let from = text.floor_char_boundary(at.saturating_sub(NEAR));
        let Some(begin) = text[from..at].rfind('<') else { continue };
        let tag = &text[from + begin..];
        let Some(end) = window(tag, NEAR).find('>') else { continue };
        let (tag, after) = (&tag[..end], window(&tag[end..], NEAR));
        let Some(id) = attribute(tag, "id") else { continue };
        if let Some(label) = attribute(tag, "xreflabel") {
            titles.entry(id).or_insert_with(|| label.to_owned());
            continue;
        }
        let title = ["title", "term", "refentrytitle"].iter().find_map(|name| {
            let (before, rest) = after.split_once(&format!("<{name}>"))?;
            let (title, _) = rest.split_once(&format!("</{name}>"))?;
            let is_its_own = !before.contains("<para") && !before.contains("id=");
            is_its_own.then(|| title.split_whitespace().collect::<Vec<_>>().join(" ")).map(|title| match *name {
                "title" => format!("\u{201c}{title}\u{201d}"),
                _ => title,
            })
        });
        if let Some(title) = title {
            titles.entry(id).or_insert(title);
        }
    }
    titles
}
