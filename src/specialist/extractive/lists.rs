//! Lists of the sources as wholes: the items below the same introduction or heading, each as one claim below the words
//! above its list.
//!
//! It does not judge which lists answer a question.

use std::sync::Arc;

use super::candidate::{Candidate, steering};
use super::claim::{Claim, without_conjunction};
use super::dangling::dangles;
use super::edit::{full_stop, insert};
use super::headings::{NO_LABEL, closed, unnumbered};
use super::standalone::{MOST_WORDS, count};
use super::tool_results::ToolResults;
use super::topic::Tokens;
use run::evidence::{Block, BlockKind, SourceRef};
use run::finding::{EditRule, apply};
use text::words::words;

/// The most items of a list that is quoted whole; a longer one is a reference.
pub(super) const MOST_ITEMS: usize = 10;
/// The most words of the text above a list that stands above it in a brief.
const MOST_OF_LABEL: usize = 16;

/// The items of a list that were read, in the order of the page.
pub(super) struct List<'r> {
    pub source: &'r SourceRef,
    pub items: Vec<&'r Arc<Block>>,
}

/// The lists that were read, except those of pages that give instructions to the software reading them.
pub(super) fn lists(results: &ToolResults) -> Vec<List<'_>> {
    let steering = steering(results);
    let mut found: Vec<List<'_>> = Vec::new();
    // The place where the items and program text that follow each other without a gap begin.
    let mut run: (&str, u32, u32) = ("", 0, 0);
    for (source, block) in results.blocks.values().filter(|(source, _)| !steering.contains(source.path.as_str())) {
        let goes_on = run.0 == source.path.as_str() && run.2 + 1 == block.no;
        if !matches!(block.kind, BlockKind::ListItem | BlockKind::Code) {
            run = ("", 0, 0);
            continue;
        }
        run = (&source.path, if goes_on { run.1 } else { block.no }, block.no);
        if block.kind == BlockKind::Code {
            continue;
        }
        let is_of = |list: &&mut List<'_>| {
            list.source.id == source.id
                && list.items.last().is_some_and(|last| {
                    last.headings == block.headings
                        && last.intro == block.intro
                        && (last.intro.is_some() || last.no >= run.1)
                })
        };
        match found.iter_mut().rev().find(is_of) {
            Some(list) => list.items.push(block),
            None => found.push(List { source, items: vec![block] }),
        }
    }
    found
}

impl List<'_> {
    /// The introduction that its items have in common.
    pub fn intro(&self) -> Option<&str> {
        self.items.first()?.intro.as_deref()
    }

    /// Whether a candidate is one of its items, or a sentence of one.
    pub fn has(&self, candidate: &Candidate) -> bool {
        candidate.source.id == self.source.id && self.items.iter().any(|item| item.no == candidate.block.no)
    }

    /// The words above it from the nearest outwards: the introduction, the headings, the title.
    fn above(&self) -> impl Iterator<Item = &str> {
        let headings = self.items.first().into_iter().flat_map(|item| item.headings.iter().rev());
        let headings = headings.map(|heading| unnumbered(heading));
        self.intro().into_iter().chain(headings).chain([self.source.title.as_str()])
    }

    /// The share of a question (0 to 1) in its headings and the title of its page.
    pub fn share_above(&self, share: impl Fn(&Tokens) -> f64) -> f64 {
        let above: Vec<&str> = self.above().skip(usize::from(self.intro().is_some())).collect();
        share(&Tokens::of(&above.join(" ")))
    }

    /// Each item as one claim with all its sentences, below the nearest words above the list that have a part of the
    /// question. None if an item cannot be told, or no words above can be a label. An item that only introduces program
    /// text is told with that text and left out here.
    pub fn told(&self, share: impl Fn(&Tokens) -> f64) -> Option<Vec<Candidate>> {
        let label = self.above().filter(|text| share(&Tokens::of(text)) > 0.0).find_map(label)?;
        let items = self.items.iter().filter(|item| !item.text.trim_end().ends_with(':'));
        items.map(|item| told(self.source, item, &label)).collect()
    }
}

/// A text above a list as a label: without the verb at its end, "The differences" of "The differences are:".
fn label(above: &str) -> Option<String> {
    let mut text = above.trim().trim_end_matches([':', '.', '…', ' ']);
    if let Some((before, "are" | "is" | "were" | "was")) = text.rsplit_once(' ') {
        text = before;
    }
    let fits = words(text).next().is_some() && count(text) <= MOST_OF_LABEL && closed(text) == text;
    (fits && !dangles(text) && !text.contains(NO_LABEL)).then(|| text.to_owned())
}

/// An item as one claim below a label.
fn told(source: &SourceRef, item: &Arc<Block>, label: &str) -> Option<Candidate> {
    let quote = without_conjunction(item.text.trim_end());
    if count(quote) > MOST_WORDS {
        return None;
    }
    let mut edits = vec![insert(EditRule::NameSubject, 0, format!("[{label}]: "))];
    edits.extend(full_stop(quote));
    let claim = Claim { range: 0..quote.len(), text: apply(quote, &edits)?, edits, nth: 0 };
    Some(Candidate::of_claim(source, item, claim))
}
