//! Finds the place of a quote in what was read. A quote must be verbatim: the result is the source's own bytes, even if
//! the model changed white space, quotation marks or dashes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use run::evidence::{Block, Place, SourceRef};
use run::transcript::{Call, Did, Turn};
use run::{Hit, ToolResult};
use text::Clean;

/// A shorter quote proves nothing: it could be found anywhere.
const FEWEST_WORDS: usize = 3;

/// A block that was read.
pub(super) struct Read<'a> {
    pub(super) source: &'a SourceRef,
    pub(super) block: &'a Arc<Block>,
}

/// Every block that was read in these turns, in order.
pub(super) fn blocks(turns: &[Arc<Turn>]) -> Vec<Read<'_>> {
    let mut read = Vec::new();
    for result in results(turns) {
        match result {
            ToolResult::Excerpt(excerpt) => {
                read.extend(excerpt.blocks.iter().map(|block| Read { source: &excerpt.source, block }));
            }
            ToolResult::Profile(profile) => {
                let lines = profile.measures.iter().map(|measure| &measure.line);
                read.extend(lines.map(|block| Read { source: &profile.source, block }));
            }
            _ => {}
        }
    }
    read
}

/// A passage of a tool's result, whole or its beginning.
#[derive(Clone, Copy)]
pub(super) struct Passage<'a> {
    pub(super) source: &'a SourceRef,
    pub(super) block: u32,
    pub(super) headings: &'a [Clean],
    pub(super) text: &'a str,
}

impl<'a> From<&Read<'a>> for Passage<'a> {
    fn from(read: &Read<'a>) -> Passage<'a> {
        let Read { source, block } = read;
        Passage { source, block: block.no, headings: &block.headings, text: &block.text }
    }
}

impl<'a> From<&'a Hit> for Passage<'a> {
    fn from(hit: &'a Hit) -> Passage<'a> {
        Passage { source: &hit.source, block: hit.block, headings: &hit.headings, text: &hit.snippet }
    }
}

/// Every passage that these turns have brought, once, the best first: what was read, the latest first, then what
/// searches have found, the best hit of each before the second of any.
pub(super) fn passages(turns: &[Arc<Turn>]) -> Vec<Passage<'_>> {
    let read = blocks(turns);
    let mut found: Vec<(usize, &Hit)> = Vec::new();
    let mut searches: Vec<&[Hit]> = results(turns).filter_map(hits_of).collect();
    searches.reverse();
    searches.iter().for_each(|hits| found.extend(hits.iter().enumerate()));
    found.sort_by_key(|(rank, _)| *rank);
    let all = read.iter().rev().map(Passage::from).chain(found.into_iter().map(|(_, hit)| Passage::from(hit)));
    let mut known = BTreeSet::new();
    all.filter(|passage| known.insert((&passage.source.id, passage.block))).collect()
}

fn hits_of(result: &ToolResult) -> Option<&[Hit]> {
    if let ToolResult::Hits(hits) = result { Some(&hits.hits) } else { None }
}

/// Every search hit of these turns, in order.
pub(super) fn hits(turns: &[Arc<Turn>]) -> impl Iterator<Item = &Hit> {
    results(turns).filter_map(hits_of).flatten()
}

fn results(turns: &[Arc<Turn>]) -> impl Iterator<Item = &ToolResult> {
    let calls = turns.iter().flat_map(|turn| if let Did::Tools(calls) = &turn.did { &calls[..] } else { &[] });
    calls.filter_map(Call::result)
}

/// Every file listed or profiled in these turns.
pub(super) fn listed(turns: &[Arc<Turn>]) -> Vec<&SourceRef> {
    let mut known = Vec::new();
    for result in results(turns) {
        match result {
            ToolResult::Files(files) => known.extend(files.files.iter().map(|file| &file.source)),
            ToolResult::Profile(profile) => known.push(&profile.source),
            _ => {}
        }
    }
    known
}

/// The place of a quote among these blocks, those of the named source first, with its block. The place covers the
/// source's own text.
pub(super) fn place<'a>(quote: &str, named: &str, read: &[Read<'a>]) -> Option<(Place, &'a Block)> {
    let wanted = Letters::of(quote);
    if wanted.words() < FEWEST_WORDS {
        return None;
    }
    let is_named = |read: &&Read<'_>| is_called(read.source, named);
    let ordered = read.iter().filter(is_named).chain(read.iter().filter(|read| !is_named(read)));
    for Read { source, block } in ordered {
        let Some(range) = wanted.within(&block.text) else { continue };
        return Some((Place::new(source, block, range), block));
    }
    None
}

/// A place extended to whole sentences of its block.
pub(super) fn in_whole_sentences(place: Place, block: &Block) -> Place {
    let sentences = text::sentence::sentences(&block.text);
    let at = |offset: u32| sentences.iter().find(|sentence| sentence.contains(&(offset as usize)));
    let first = at(place.start).map_or(place.start as usize, |first| first.start);
    let last = at(place.end.saturating_sub(1)).map_or(place.end as usize, |last| last.end);
    Place::new(&place.source, block, first..last)
}

/// Whether a model means this source by a name.
pub(super) fn is_called(source: &SourceRef, named: &str) -> bool {
    let named = named.trim();
    !named.is_empty() && (named == &*source.id.0 || source.path.contains(named) || named.contains(&*source.id.0))
}

/// The characters that count in comparing quotes, each with its place.
struct Letters(Vec<(char, Range<usize>)>);

impl Letters {
    fn of(text: &str) -> Letters {
        let mut letters: Vec<(char, Range<usize>)> = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let c = match c {
                '‘' | '’' | '‛' | '`' => '\'',
                '“' | '”' | '„' | '«' | '»' => '"',
                '‐' | '‑' | '–' | '—' | '−' => '-',
                c if c.is_whitespace() => ' ',
                c => c,
            };
            match letters.last_mut() {
                // A run of white space counts as one space.
                Some((' ', range)) if c == ' ' => range.end = at + 1,
                _ => letters.push((c, at..at + text[at..].chars().next().map_or(1, char::len_utf8))),
            }
        }
        Letters(letters)
    }

    fn words(&self) -> usize {
        self.core().iter().map(|(c, _)| *c).collect::<String>().split(' ').filter(|word| !word.is_empty()).count()
    }

    /// The letters without the punctuation that people put around a quote.
    fn core(&self) -> &[(char, Range<usize>)] {
        let around = |(c, _): &(char, Range<usize>)| matches!(c, ' ' | '"' | '\'' | '…' | '*' | '_');
        let mut core = &self.0[..];
        while let [first, rest @ ..] = core
            && around(first)
        {
            core = rest;
        }
        while let [rest @ .., last] = core
            && (around(last) || last.0 == '.')
        {
            core = rest;
        }
        core
    }

    /// The bytes of `text` that contain these letters, with a full stop behind them.
    fn within(&self, text: &str) -> Option<Range<usize>> {
        let (wanted, there) = (self.core(), Letters::of(text));
        let first = wanted.first()?.0;
        let same = |at: usize| {
            there.0[at..].len() >= wanted.len() && wanted.iter().zip(&there.0[at..]).all(|((a, _), (b, _))| a == b)
        };
        let at = (0..there.0.len()).find(|at| there.0[*at].0 == first && same(*at))?;
        let (from, mut to) = (there.0[at].1.start, there.0[at + wanted.len() - 1].1.end);
        if text[to..].starts_with('.') {
            to += 1;
        }
        Some(from..to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(quote: &str, text: &'a str) -> Option<&'a str> {
        Letters::of(quote).within(text).map(|range| &text[range])
    }

    #[test]
    fn what_comes_back_are_the_bytes_of_the_source() {
        let text = "The route is 363 miles long — the “Great  North” road. It opened in 1922.";
        for quote in [
            "The route is 363 miles long",
            "\"The route is 363 miles long - the \"Great North\" road.\"",
            "the 'Great North' road".replace('\'', "\"").as_str(),
            "…route is 363 miles long…",
        ] {
            let there = found(quote, text).unwrap_or_else(|| panic!("{quote}"));
            assert!(text.contains(there));
        }
        assert_eq!(found("It opened in 1922", text), Some("It opened in 1922."));
    }

    #[test]
    fn a_changed_word_or_number_is_no_quote() {
        let text = "The route is 363 miles long.";
        for quote in ["The route is 263 miles long.", "The route was 363 miles long.", "the route is 363 miles long"] {
            assert_eq!(found(quote, text), None, "{quote}");
        }
    }
}
