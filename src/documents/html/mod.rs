//! HTML to blocks, without a DOM: html5gum's tokens and a stack of open elements.
//!
//! Keeps the content and drops menus, breadcrumbs, permalinks and footers. Never runs scripts or loads anything; any
//! input is read in linear time.

mod chapter;
mod element;
mod reader;
mod table;
mod xml;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::draft::Draft;
use super::line_count::LineCount;
use element::Region;
use reader::{Drop, Reader};

pub(super) use chapter::Chapter;
pub(super) use reader::FORMULA;
pub(super) use xml::HEAD;

/// The least bytes of text that count as an article.
const ARTICLE: u64 = 600;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    read(text, draft, Drop::Menus);
}

/// Parses a page of an unknown web site, where furniture has any name and is mostly links.
pub(super) fn parse_site(text: &str, draft: &mut Draft) {
    let mut strict = draft.clone();
    read(text, &mut strict, Drop::Surroundings);
    if strict.len() < ARTICLE {
        // Little is left: the names may mean something else on this site.
        let mut loose = draft.clone();
        read(text, &mut loose, Drop::Menus);
        if strict.len() * 3 < loose.len() {
            strict = loose;
        }
    }
    *draft = strict;
}

fn read(text: &str, draft: &mut Draft, first: Drop) {
    let fresh = std::mem::take(draft);
    let region = Region::of(text);
    for region in region.map(Some).into_iter().chain([None]) {
        let mut drop = first;
        loop {
            let mut reader = Reader::new(fresh.clone(), region, drop, 1);
            feed(text, &mut reader);
            let (read, swallowed) = reader.finish();
            *draft = read;
            if draft.len() > 0 {
                return;
            }
            if !(swallowed && drop != Drop::Nothing) {
                break;
            }
            // An unclosed menu swallowed the page: read it with its menus.
            drop = Drop::Nothing;
        }
    }
}

/// Parses a document in XML.
pub(super) fn parse_xml(text: &str, draft: &mut Draft) {
    xml::parse(text, draft);
}

/// Whether a text is an XML document, not XML data.
pub(super) fn is_xml_document(text: &str) -> bool {
    xml::is_document(text)
}

/// Parses HTML inside another document; its first line is `line` of the file.
pub(super) fn fragment(text: &str, draft: &mut Draft, line: u32) {
    let mut reader = Reader::new(std::mem::take(draft), None, Drop::Menus, line);
    feed(text, &mut reader);
    (*draft, _) = reader.finish();
}

/// Parses a chapter of an e-book.
pub(super) fn chapter(text: &str, draft: &mut Draft, chapter: Chapter) {
    let mut reader = Reader::of_chapter(std::mem::take(draft), chapter);
    feed(text, &mut reader);
    (*draft, _) = reader.finish();
}

fn feed(text: &str, reader: &mut Reader) {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    // In XML a title or a script is an element like any other.
    emitter.naively_switch_states(!reader.is_xml && reader.chapter.is_none());
    let mut lines = LineCount::new(text.as_bytes(), 0);
    for Ok(token) in Tokenizer::new_with_emitter(text, emitter) {
        let at = match &token {
            Token::StartTag(tag) => tag.span.start,
            Token::String(string) => string.span.start,
            Token::EndTag(tag) => {
                reader.end(&tag.name);
                continue;
            }
            _ => continue,
        };
        let line = lines.at(at);
        match token {
            Token::StartTag(tag) => reader.start(&tag, line),
            Token::String(string) => reader.text(&String::from_utf8_lossy(&string), line),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
