//! Search in documents outside the index, such as web pages, with the same stems and weights.
//!
//! Word frequencies come from general prose, never from the documents at hand: pages from one web search are all about
//! the same thing. So a passage's score depends on the query and itself alone.

use super::super::Document;
use super::catalogue::{in_fixed_order, titled};
use super::indexed::{FILLER, Indexed, indexed_blocks, name_of};
use super::query::{Ranked, best_first, fit, spread};
use super::schema::WEIGHTS;
use super::shown::Sought;
use super::terms::{Stems, Term, terms, weight};
use run::evidence::{Block, BlockKind, Excerpt, Hit, Hits, Outline, SourceRef, TermCount};
use run::tool::builtin::{HitRoom, Read, Search};
use std::sync::Arc;
use text::words::Language;
use text::{Clean, common};

/// The size of the assumed collection for word frequencies.
const REFERENCE: f64 = 20_000.0;
/// BM25: saturation by repeated words, and the influence of length.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The typical number of words of a passage, with its headings and title.
const TYPICAL_LENGTH: f64 = 60.0;

/// A document prepared for search.
#[derive(Debug)]
pub struct Unindexed {
    source: SourceRef,
    document: Document,
    title_stems: String,
    fields: Vec<Fields>,
}

/// A block prepared for search: stems of title, heading, body and code, each with a space before and after.
#[derive(Debug)]
struct Fields {
    texts: [Arc<str>; 4],
    length: f64,
    /// The stems of its name with their number, for the first block below a name.
    name: Option<(String, usize)>,
}

impl Unindexed {
    pub fn new(source: SourceRef, document: Document) -> Unindexed {
        let mut known: Vec<Stems> = Vec::new();
        let indexed = indexed_blocks(&document, &mut known);
        let title_stems = format!(" {}", Stems::new(document.language).stemmed(&source.title));
        let fields = indexed.into_iter().zip(&document.blocks).map(|(indexed, block)| {
            let is_code = block.kind == BlockKind::Code;
            let name = name_of(block.kind, &block.text, &block.headings, &source.title);
            fields(indexed, is_code, weight(name))
        });
        let fields = fields.collect();
        Unindexed { source, document, title_stems, fields }
    }

    pub fn source(&self) -> &SourceRef {
        &self.source
    }

    pub fn blocks(&self) -> u32 {
        u32::try_from(self.document.blocks.len()).unwrap_or(u32::MAX)
    }

    /// Blocks `from..to`, at most as many as one read returns.
    pub fn read(&self, from: u32, to: u32) -> Excerpt {
        let to = to.min(from.saturating_add(Read::MOST)).min(self.blocks());
        let asked = self.document.blocks.get(from as usize..to as usize).unwrap_or_default();
        Excerpt::fitting(self.source.clone(), asked.iter().cloned().map(Arc::new), self.blocks())
    }

    /// Its sections; if there are too many, the outermost.
    pub fn outline(&self) -> Outline {
        let sections = fit(self.document.sections.clone());
        Outline { source: self.source.clone(), sections, blocks: self.blocks() }
    }
}

fn fields(indexed: Indexed, is_code: bool, name_words: usize) -> Fields {
    let spaced = |text: &str| -> Arc<str> { format!(" {text}").into() };
    let body = indexed.body.trim_end_matches(FILLER);
    // Padding counts: no passage is shorter than a short sentence.
    let words = |text: &str| text.bytes().filter(|b| *b == b' ').count() as f64;
    let length = words(&indexed.body);
    let empty: Arc<str> = "".into();
    if is_code {
        return Fields { texts: [empty.clone(), empty.clone(), empty, spaced(body)], length, name: None };
    }
    let length = length + words(&indexed.title) + words(&indexed.heading);
    let texts = [spaced(&indexed.title), spaced(&indexed.heading), spaced(body), empty];
    Fields { texts, length, name: indexed.name.map(|name| (format!(" {name}"), name_words)) }
}

/// The passages of these documents that match a query best, in any order of the documents.
pub fn search(documents: &[Arc<Unindexed>], query: &str, limit: u32) -> Hits {
    let limit = limit.min(Search::MOST) as usize;
    let mut documents: Vec<&Unindexed> = documents.iter().map(|document| &**document).collect();
    documents.sort_by(|a, b| (&a.source.path, &a.source.id).cmp(&(&b.source.path, &b.source.id)));
    documents.dedup_by(|a, b| a.source.id == b.source.id);
    let languages = in_fixed_order(documents.iter().map(|document| document.document.language));
    let terms = terms(query, &languages);
    let asked: Vec<Asked> = terms.iter().map(Asked::of).collect();
    let mut ranked: Vec<Ranked> = Vec::new();
    let mut found = vec![false; asked.len()];
    for (at, document) in documents.iter().enumerate() {
        for (no, fields) in document.fields.iter().enumerate() {
            let score = score(fields, &asked, &mut found);
            if score > 0.0 {
                ranked.push((in_thousandths(score), at as u32, no as u32, at.cast_signed() as i64));
            }
        }
    }
    ranked.sort_unstable_by(best_first);
    let blocks = |asked: &Asked| (asked.share * REFERENCE) as u32;
    let mut sought = Sought::of(terms.iter().zip(asked.iter().map(blocks)), &languages);
    let mut room = HitRoom::of(limit);
    let mut hits = Vec::with_capacity(limit);
    for (score, at, no, _) in spread(ranked, limit) {
        let document = documents[at as usize];
        let block = &document.document.blocks[no as usize];
        let Some(most) = room.for_snippet(&document.source.path) else { break };
        let snippet = sought.shown(&block.text, most);
        room.takes(&document.source.path, &snippet);
        hits.push(Hit {
            source: document.source.clone(),
            block: no,
            headings: block.headings.clone(),
            columns: block.columns().cloned(),
            snippet,
            score,
        });
    }
    // An ordinary word that is missing from a few pages is still a known word.
    let count = |(asked, found): (&Asked, &bool)| match *found || asked.common {
        true => (asked.share * REFERENCE).round() as u32,
        false => 0,
    };
    let titles = documents.iter().zip(0..).map(|(document, rank)| (&*document.title_stems, &document.source, rank));
    Hits {
        hits,
        titled: titled(titles, query, &languages),
        terms: terms
            .iter()
            .zip(asked.iter().zip(&found).map(count))
            .map(|(term, blocks)| TermCount { term: Clean::line(&term.word), blocks, read_as: None })
            .collect(),
        documents: u32::try_from(documents.len()).unwrap_or(u32::MAX),
        blocks: if documents.is_empty() { 0 } else { REFERENCE as u32 },
        notes: Vec::new(),
    }
}

/// Scores a passage on its own, independent of any index.
pub fn rate(query: &str, source: &SourceRef, block: &Block) -> u32 {
    let language = Language::of(&block.text);
    let asked: Vec<Asked> = terms(query, &[language]).iter().map(Asked::of).collect();
    let blocks = vec![block.clone()];
    let alone = Document { title: source.title.clone(), language, blocks, ..Document::default() };
    let document = Unindexed::new(source.clone(), alone);
    let mut found = vec![false; asked.len()];
    document.fields.first().map_or(0, |fields| in_thousandths(score(fields, &asked, &mut found)))
}

fn in_thousandths(score: f64) -> u32 {
    (score * 1000.0).round().clamp(0.0, f64::from(u32::MAX)) as u32
}

/// A word of a query with its weight.
struct Asked {
    forms: Vec<String>,
    share: f64,
    common: bool,
    idf: f64,
}

impl Asked {
    fn of(term: &Term) -> Asked {
        let share = common::share(&term.word);
        let common = common::is_common(&term.word);
        let blocks = share * REFERENCE;
        let idf = ((REFERENCE - blocks + 0.5) / (blocks + 0.5)).ln();
        Asked { forms: term.forms.iter().map(|form| format!(" {form} ")).collect(), share, common, idf }
    }

    fn times_in(&self, text: &str) -> usize {
        self.forms.iter().map(|form| text.matches(form.as_str()).count()).max().unwrap_or(0)
    }
}

fn score(fields: &Fields, asked: &[Asked], found: &mut [bool]) -> f64 {
    let mut score = 0.0;
    for (term, found) in asked.iter().zip(found) {
        let times: f64 =
            fields.texts.iter().zip(WEIGHTS).map(|(text, weight)| weight * term.times_in(text) as f64).sum();
        if times > 0.0 {
            *found = true;
            score += term.idf * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * fields.length / TYPICAL_LENGTH));
        }
    }
    // A passage whose name is the query and little else defines it.
    let named =
        fields.name.as_ref().filter(|(name, _)| !asked.is_empty() && asked.iter().all(|term| term.times_in(name) > 0));
    score * (1.0 + named.map_or(0.0, |(_, words)| asked.len() as f64 / (*words).max(asked.len()) as f64))
}
