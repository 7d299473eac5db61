//! HTML to blocks, without a tree: the tokens of html5gum and a stack of what is open.
//!
//! Keeps what a reader of the page came for and drops what surrounds it: menus, breadcrumbs, permalinks,
//! footers. Never runs scripts, never loads anything; any bytes are read in time linear to their length.

mod element;
mod reader;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::draft::Draft;
use element::Region;
use reader::Reader;

/// Less text than this in the region that looks like the content, and it is not believed to be it.
const SCARCE: u64 = 200;

/// Takes a page apart.
pub(super) fn parse(text: &str, draft: &mut Draft) {
    let fresh = draft.clone();
    if let Some(region) = Region::of(text) {
        run(text, draft, Some(region), true);
        if draft.len() >= SCARCE {
            return;
        }
    }
    let narrow = std::mem::replace(draft, fresh.clone());
    run(text, draft, None, true);
    if draft.len() < SCARCE {
        // Perhaps a menu that was never closed swallowed the page.
        let menus_dropped = std::mem::replace(draft, fresh);
        run(text, draft, None, false);
        if draft.len() < 4 * menus_dropped.len() {
            *draft = menus_dropped;
        }
    }
    // A short page that says what it is keeps its region.
    if narrow.len() > 0 && draft.len() < 10 * narrow.len() {
        *draft = narrow;
    }
}

/// Takes a piece of HTML inside another document apart; its first line is `line` of the file.
pub(super) fn fragment(text: &str, draft: &mut Draft, line: u32) {
    let mut reader = Reader::new(draft, None, true, line);
    feed(text, &mut reader);
    reader.finish();
}

fn run(text: &str, draft: &mut Draft, region: Option<Region>, drop_menus: bool) {
    let mut reader = Reader::new(draft, region, drop_menus, 1);
    feed(text, &mut reader);
    reader.finish();
}

fn feed(text: &str, reader: &mut Reader<'_>) {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let bytes = text.as_bytes();
    let (mut counted, mut lines) = (0usize, 0u32);
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
        if let Some(passed) = bytes.get(counted..at) {
            lines += u32::try_from(passed.iter().filter(|b| **b == b'\n').count()).unwrap_or(0);
            counted = at;
        }
        match token {
            Token::StartTag(tag) => reader.start(&tag, lines),
            Token::String(string) => reader.text(&String::from_utf8_lossy(&string), lines),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
