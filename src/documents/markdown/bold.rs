//! Headings that Markdown marks by bold letters alone: items and paragraphs that are one bold element above their text, if a text has
//! several and most of them are questions or numbered. Other bold words are left as they are.

use std::collections::HashSet;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::plain::is_label;

/// A text with fewer such headings has none.
const LEAST: usize = 3;
/// The most bytes of such a heading.
const LONGEST: usize = 200;

/// The places of the bold elements that are headings, in bytes.
pub(super) fn headings(text: &str, options: Options) -> HashSet<usize> {
    if !text.contains("**") && !text.contains("__") {
        return HashSet::new();
    }
    let mut scan = Scan::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        scan.event(&event, range.start);
    }
    let asking = scan.found.iter().filter(|bold| bold.asks()).count();
    if scan.found.len() < LEAST || asking * 2 <= scan.found.len() {
        return HashSet::new();
    }
    scan.found.into_iter().map(|bold| bold.at).collect()
}

/// A bold element at the beginning of its block.
#[derive(Clone, Debug, Default)]
struct Bold {
    at: usize,
    words: String,
}

impl Bold {
    /// Whether it is a question or has a number.
    fn asks(&self) -> bool {
        let words = self.words.trim();
        words.contains('?') || words.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it may be a heading by its words.
    fn may_head(&self) -> bool {
        let words = self.words.trim();
        let fits = (1..=LONGEST).contains(&words.len()) && words.contains(char::is_alphabetic);
        fits && (self.asks() || !words.ends_with(['.', ',', ':', ';', '!']) && !is_label(words))
    }
}

/// The state of the scan in a block.
#[derive(Debug, Default)]
enum At {
    #[default]
    Elsewhere,
    /// At the beginning of an item or a paragraph.
    Begin,
    Within(Bold),
    /// Behind the bold element with which it begins.
    Behind(Bold),
}

#[derive(Debug, Default)]
struct Scan {
    at: At,
    /// A block that is one bold element: a heading, if text is below it.
    above: Option<Bold>,
    found: Vec<Bold>,
}

impl Scan {
    fn event(&mut self, event: &Event<'_>, place: usize) {
        match (std::mem::take(&mut self.at), event) {
            (At::Begin, Event::Start(Tag::Strong)) => self.at = At::Within(Bold { at: place, words: String::new() }),
            (At::Within(mut bold), event) => {
                match event {
                    Event::Text(text) | Event::Code(text) if bold.words.len() <= LONGEST => bold.words.push_str(text),
                    Event::SoftBreak | Event::HardBreak => bold.words.push(' '),
                    _ => {}
                }
                self.at = match event {
                    Event::End(TagEnd::Strong) => At::Behind(bold),
                    _ => At::Within(bold),
                };
            }
            (At::Behind(bold), Event::End(TagEnd::Paragraph | TagEnd::Item)) if bold.may_head() => {
                self.above = Some(bold)
            }
            (At::Behind(bold), Event::Start(Tag::List(_))) if bold.may_head() => {
                self.above = None;
                self.found.push(bold);
            }
            (_, Event::Start(Tag::Paragraph)) => self.at = At::Begin,
            (At::Begin, Event::InlineHtml(_)) => self.at = At::Begin,
            (before, event) => self.other(&before, event),
        }
    }

    /// Reads an event that is no part of such a heading.
    fn other(&mut self, before: &At, event: &Event<'_>) {
        match event {
            // The block below another item is not below this one.
            Event::Start(Tag::Item) => {
                self.above = None;
                self.at = At::Begin;
            }
            Event::Start(Tag::Heading { .. }) => self.above = None,
            Event::End(_) | Event::Rule => {}
            // Text, or a block of another kind.
            _ => self.found.extend(self.above.take()),
        }
        // A block that goes on behind its bold words, or whose words are no heading, is text.
        if matches!(before, At::Behind(_)) {
            self.found.extend(self.above.take());
        }
    }
}
