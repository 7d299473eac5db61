//! The results of a specialist's tool calls so far, indexed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use run::evidence::{Block, Hit, Hits, Outline, SourceRef};
use run::id::SourceId;
use run::tool::ToolResult;
use run::tool::builtin;
use run::transcript::{CallEnd, Transcript};
use text::words::{Language, stem};

/// Words with a lower inverse document frequency are ubiquitous: in more than a fifth of all passages.
pub(super) const EVERYWHERE: f64 = 1.6;

/// All results so far.
#[derive(Default)]
pub(super) struct ToolResults {
    /// Searches in order: query and result.
    pub searches: Vec<(String, Arc<ToolResult>)>,
    /// Blocks by document path and number.
    pub blocks: BTreeMap<(String, u32), (SourceRef, Arc<Block>)>,
    /// Outlines by path.
    pub outlines: BTreeMap<String, Outline>,
    /// Documents whose outline was requested, with or without a result.
    pub outlined: BTreeSet<SourceId>,
    /// The number of blocks that contain a stem.
    counts: BTreeMap<String, u32>,
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
                        // Each web search sees other pages: a word is known if any of them has it.
                        let count = results.counts.entry(stem(&term.term, Language::English)).or_default();
                        *count = term.blocks.max(*count);
                    }
                    if let Some(search) = call.request.of::<builtin::Search>() {
                        results.searches.push((search.query.to_string(), result.clone()));
                    }
                }
                ToolResult::Excerpt(excerpt) => {
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

    /// The part of it from these searches.
    pub fn of_searches(&self, queries: &[&str]) -> ToolResults {
        let is_one = |query: &str| queries.iter().any(|wanted| wanted.eq_ignore_ascii_case(query));
        ToolResults {
            searches: self.searches.iter().filter(|(query, _)| is_one(query)).cloned().collect(),
            counts: self.counts.clone(),
            total: self.total,
            ..ToolResults::default()
        }
    }

    /// The hits of each search, in order.
    pub fn hits(&self) -> impl Iterator<Item = (&str, &Hits)> {
        self.searches.iter().filter_map(|(query, result)| match &**result {
            ToolResult::Hits(hits) => Some((query.as_str(), hits)),
            _ => None,
        })
    }

    /// The best relative score of each block in any search: 1 for the first hit of a search.
    pub fn passage_scores(&self) -> BTreeMap<(String, u32), f64> {
        let mut best = BTreeMap::new();
        for (_, hits) in self.hits() {
            let top = hits.hits.first().map_or(1, |hit| hit.score.max(1));
            for hit in &hits.hits {
                let score = f64::from(hit.score) / f64::from(top);
                let entry = best.entry(key(hit)).or_insert(0.0_f64);
                *entry = entry.max(score);
            }
        }
        best
    }

    /// The inverse document frequency of a stem, 0 to about 10.
    pub fn idf(&self, stem: &str) -> f64 {
        let total = f64::from(self.total.max(1));
        let blocks = f64::from(self.counts.get(stem).copied().unwrap_or(0));
        ((total + 1.0) / (blocks + 1.0)).ln()
    }

    /// The number of blocks with a stem, if a search reported it.
    pub fn count(&self, stem: &str) -> Option<u32> {
        self.counts.get(stem).copied()
    }

    /// Whether a block has been read.
    pub fn has(&self, path: &str, no: u32) -> bool {
        self.blocks.contains_key(&(path.to_string(), no))
    }
}

/// A block by path and place.
pub(super) fn key(hit: &Hit) -> (String, u32) {
    (hit.source.path.to_string(), hit.block)
}
