//! A document as the index holds it: the stems of its passages, and their names.

use std::sync::Arc;

use super::super::Document;
use super::terms::Stems;
use run::evidence::{Block, BlockKind};
use text::Clean;

/// The least length of a passage in words. BM25 favours short passages so much that a line of three words would outrank
/// the paragraph that explains it; shorter ones are padded.
const SHORTEST: usize = 16;
/// The padding of short passages; no query contains it.
pub(super) const FILLER: &str = "\u{a66e} ";

/// A passage as the index has it: stems, each with a space behind it.
pub(super) struct Indexed {
    pub(super) title: Arc<str>,
    pub(super) heading: Arc<str>,
    pub(super) body: String,
    /// Its name ([`name_of`]), if it is the first block below it.
    pub(super) name: Option<String>,
}

/// The passages of a document; `known` are the stems of languages met before.
pub(super) fn indexed_blocks(document: &Document, known: &mut Vec<Stems>) -> Vec<Indexed> {
    let stems = Stems::of(document.language, known);
    let title: Arc<str> = stems.stemmed(&document.title).into();
    let mut above: Option<(&Block, Arc<str>)> = None;
    document
        .blocks
        .iter()
        .map(|block| {
            // Adjacent blocks mostly have the same headings.
            let same = |known: &Block| known.headings == block.headings && known.intro == block.intro;
            let heading = match &above {
                Some((known, heading)) if same(known) => heading.clone(),
                _ => {
                    let mut heading = String::new();
                    block.headings.iter().chain(&block.intro).for_each(|text| stems.append(text, &mut heading));
                    heading.into()
                }
            };
            above = Some((block, heading.clone()));
            let mut body = stems.stemmed(&block.text);
            let words = body.bytes().filter(|b| *b == b' ').count();
            body.push_str(&FILLER.repeat(SHORTEST.saturating_sub(words)));
            let is_named = block.lead || key_of(block.kind, &block.text).is_some();
            let name = is_named.then(|| name_of(block.kind, &block.text, &block.headings, &document.title));
            let name = name.map(|name| stems.stemmed(name));
            Indexed { title: title.clone(), heading, body, name }
        })
        .collect()
}

/// The key of a `key: value` line.
fn key_of(kind: BlockKind, text: &str) -> Option<&str> {
    let (key, _) = text.split_once(": ").filter(|_| kind == BlockKind::KeyValue)?;
    Some(key)
}

/// The name of a passage: its key, else the heading right above it, else the title.
pub(super) fn name_of<'a>(kind: BlockKind, text: &'a str, headings: &'a [Clean], title: &'a str) -> &'a str {
    key_of(kind, text).or_else(|| headings.last().map(Clean::as_str)).unwrap_or(title)
}
