//! The results of a specialist's tool calls so far, indexed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use run::evidence::{Block, Hit, Hits, Outline, SourceRef};
use run::id::SourceId;
use run::tool::ToolResult;
use run::tool::builtin;
use run::transcript::{CallEnd, Transcript};
use text::Clean;
use text::words::{Language, is_stop, stem, words};

/// The constant of the rank fusion: the first hit of a search is worth twice the hit at this rank.
const RANKS: f64 = 10.0;

/// All results so far.
#[derive(Default)]
pub(super) struct ToolResults {
    /// Searches in order: query and result.
    pub searches: Vec<(String, Arc<ToolResult>)>,
    /// The results of searches by meaning.
    by_meaning: Vec<Arc<ToolResult>>,
    /// Blocks by document path and number.
    pub blocks: BTreeMap<(String, u32), (SourceRef, Arc<Block>)>,
    /// Outlines by path.
    pub outlines: BTreeMap<String, Outline>,
    /// The number of blocks in each document that was read, by path.
    pub lengths: BTreeMap<String, u32>,
    /// Documents whose outline was requested, with or without a result.
    pub outlined: BTreeSet<SourceId>,
    /// The number of blocks that contain a stem.
    counts: BTreeMap<String, u32>,
    /// The corrections of misspelt words, by their stems.
    read_as: BTreeMap<String, Clean>,
    /// The number of blocks in the collection.
    total: u32,
}

impl ToolResults {
    /// Collects the results in a transcript.
    pub fn of(transcript: &Transcript) -> ToolResults {
        let mut results = ToolResults::default();
        for call in transcript.calls() {
            results.outlined.extend(call.request.of::<builtin::Outline>().map(|outline| outline.source));
            let CallEnd::Returned(result) = &call.end else { continue };
            match &**result {
                ToolResult::Hits(hits) => {
                    results.total = results.total.max(hits.blocks);
                    for term in &hits.terms {
                        // Web searches see different pages: a word is known if one of them has it.
                        let asked = stem(&term.term, Language::English);
                        if let Some(meant) = &term.read_as {
                            // Each of two joined words is at least as frequent as both side by side.
                            for word in words(meant).map(|word| stem(word, Language::English)) {
                                let count = results.counts.entry(word).or_default();
                                *count = term.blocks.max(*count);
                            }
                            results.read_as.insert(asked.clone(), meant.clone());
                        }
                        let count = results.counts.entry(asked).or_default();
                        *count = term.blocks.max(*count);
                    }
                    if let Some(search) = call.request.of::<builtin::Search>() {
                        if let builtin::SearchBy::Meaning { .. } = search.by {
                            results.by_meaning.push(result.clone());
                        }
                        results.searches.push((search.query.to_string(), result.clone()));
                    }
                }
                ToolResult::Excerpt(excerpt) => {
                    results.lengths.insert(excerpt.source.path.to_string(), excerpt.of);
                    for block in &excerpt.blocks {
                        let key = (excerpt.source.path.to_string(), block.no);
                        results.blocks.insert(key, (excerpt.source.clone(), block.clone()));
                    }
                }
                ToolResult::Outline(outline) => {
                    results.outlines.insert(outline.source.path.to_string(), outline.clone());
                }
                _ => {}
            }
        }
        results
    }

    /// The hits of each search, in order.
    pub fn hits(&self) -> impl Iterator<Item = (&str, &Hits)> {
        self.searches.iter().filter_map(|(query, result)| match &**result {
            ToolResult::Hits(hits) => Some((query.as_str(), hits)),
            _ => None,
        })
    }

    /// The sections that searches by meaning found.
    pub fn sections(&self) -> impl Iterator<Item = &Hit> {
        self.by_meaning.iter().flat_map(|result| match &**result {
            ToolResult::Hits(hits) => &hits.hits[..],
            _ => &[],
        })
    }

    /// The score of each block as a passage, over all searches; 1 for the best. Sums reciprocal ranks, because scores
    /// of different searches are not comparable; searches for rare words count more.
    pub fn passage_scores(&self) -> BTreeMap<(String, u32), f64> {
        let mut sums: BTreeMap<(String, u32), f64> = BTreeMap::new();
        for (query, hits) in self.hits() {
            let rarest = words(query).map(|word| self.idf(&stem(word, Language::English))).fold(0.0, f64::max);
            let weight = (rarest / 6.0).clamp(0.2, 1.0);
            for (rank, hit) in hits.hits.iter().enumerate() {
                *sums.entry(key(hit)).or_insert(0.0) += weight / (RANKS + rank as f64);
            }
        }
        let best = sums.values().copied().fold(0.0, f64::max);
        sums.values_mut().for_each(|sum| *sum /= best.max(f64::MIN_POSITIVE));
        sums
    }

    /// The inverse document frequency of a stem, 0 to about 10.
    pub fn idf(&self, stem: &str) -> f64 {
        let total = f64::from(self.total.max(1));
        let blocks = f64::from(self.counts.get(stem).copied().unwrap_or(0));
        ((total + 1.0) / (blocks + 1.0)).ln()
    }

    /// The correction of a misspelt word, by its stem.
    pub fn read_as(&self, stem: &str) -> Option<&Clean> {
        self.read_as.get(stem)
    }

    /// A stem, or the stems of its correction.
    pub fn meant(&self, asked: &str) -> Vec<String> {
        match self.read_as(asked) {
            Some(meant) => {
                words(meant).filter(|word| !is_stop(word)).map(|word| stem(word, Language::English)).collect()
            }
            None => vec![asked.to_string()],
        }
    }

    /// The number of blocks with a stem, if a search reported it.
    pub fn count(&self, stem: &str) -> Option<u32> {
        self.counts.get(stem).copied()
    }

    /// Pretends that a word is in `blocks` of all passages.
    #[cfg(test)]
    pub fn know(&mut self, word: &str, blocks: u32, of: u32) {
        self.counts.insert(stem(word, Language::English), blocks);
        self.total = of;
    }

    /// Pretends that a word was read as another.
    #[cfg(test)]
    pub fn correct(&mut self, word: &str, meant: &str) {
        self.read_as.insert(stem(word, Language::English), Clean::line(meant));
    }

    /// Whether the sources have every content word of a phrase, as far as it was searched for.
    pub fn is_known(&self, phrase: &str) -> bool {
        let mut content =
            words(phrase).filter(|word| !is_stop(word)).map(|word| stem(word, Language::English)).peekable();
        content.peek().is_some() && content.all(|stem| self.count(&stem).is_none_or(|blocks| blocks > 0))
    }

    /// Whether a block has been read.
    pub fn has(&self, path: &str, no: u32) -> bool {
        self.blocks.contains_key(&(path.to_string(), no))
    }
}

/// A block's key: its path and number.
pub(super) fn key(hit: &Hit) -> (String, u32) {
    (hit.source.path.to_string(), hit.block)
}
