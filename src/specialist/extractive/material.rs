//! What a specialist has in hand: everything its tools brought back, put in order once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use run::evidence::{Block, Hit, Hits, Outline, SourceRef};
use run::id::SourceId;
use run::tool::ToolResult;
use run::tool::builtin;
use run::transcript::{CallEnd, Transcript};
use text::words::{Language, stem};

/// A word whose inverse document frequency is below this is everywhere: a fifth of all passages hold it.
pub(super) const EVERYWHERE: f64 = 1.6;

/// Everything read and found so far.
#[derive(Default)]
pub(super) struct Material {
    /// Searches in order: the query and what it found.
    pub searches: Vec<(String, Arc<ToolResult>)>,
    /// Blocks by document (its path) and place.
    pub blocks: BTreeMap<(String, u32), (SourceRef, Arc<Block>)>,
    /// Outlines by path.
    pub outlines: BTreeMap<String, Outline>,
    /// Documents of which an outline was asked, whatever came of it.
    pub outlined: BTreeSet<SourceId>,
    /// How many blocks hold a stem.
    counts: BTreeMap<String, u32>,
    /// Blocks in the collection.
    total: u32,
}

impl Material {
    /// Of a transcript.
    pub fn of(transcript: &Transcript) -> Material {
        let mut material = Material::default();
        for call in transcript.calls() {
            material.outlined.extend(call.request.of::<builtin::Outline>().map(|outline| outline.source));
            let CallEnd::Returned(result) = &call.end else { continue };
            match &**result {
                ToolResult::Hits(hits) => {
                    material.total = material.total.max(hits.blocks);
                    for term in &hits.terms {
                        // Each search of the web sees other pages: a word is known if any of them holds it.
                        let count = material.counts.entry(stem(&term.term, Language::English)).or_default();
                        *count = term.blocks.max(*count);
                    }
                    if let Some(search) = call.request.of::<builtin::Search>() {
                        material.searches.push((search.query.to_string(), result.clone()));
                    }
                }
                ToolResult::Excerpt(excerpt) => {
                    for block in &excerpt.blocks {
                        let key = (excerpt.source.path.to_string(), block.no);
                        material.blocks.insert(key, (excerpt.source.clone(), block.clone()));
                    }
                }
                ToolResult::Outline(outline) => {
                    material.outlines.insert(outline.source.path.to_string(), outline.clone());
                }
                _ => {}
            }
        }
        material
    }

    /// Of it, what these searches found.
    pub fn of_searches(&self, queries: &[&str]) -> Material {
        let is_one = |query: &str| queries.iter().any(|wanted| wanted.eq_ignore_ascii_case(query));
        Material {
            searches: self.searches.iter().filter(|(query, _)| is_one(query)).cloned().collect(),
            counts: self.counts.clone(),
            total: self.total,
            ..Material::default()
        }
    }

    /// What each search found, in order.
    pub fn hits(&self) -> impl Iterator<Item = (&str, &Hits)> {
        self.searches.iter().filter_map(|(query, result)| match &**result {
            ToolResult::Hits(hits) => Some((query.as_str(), hits)),
            _ => None,
        })
    }

    /// The best relative score that any search gave a block: 1 for the first of a search.
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

    /// How much a stem tells: the rarer, the more. 0 to about 10.
    pub fn idf(&self, stem: &str) -> f64 {
        let total = f64::from(self.total.max(1));
        let blocks = f64::from(self.counts.get(stem).copied().unwrap_or(0));
        ((total + 1.0) / (blocks + 1.0)).ln()
    }

    /// In how many blocks a stem occurs, if a search has told.
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
