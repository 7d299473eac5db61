//! Reports on a task about a document as such: the first sentences of the document, or of a part of it, and of each section, in their
//! order. It ranks nothing.

use std::collections::BTreeMap;

use super::Work;
use crate::extractive::candidate::Candidate;
use crate::extractive::claim::{Claim, claims, key_of_line};
use crate::extractive::dangling::dangles;
use crate::extractive::headings::is_of_law;
use crate::extractive::overview::{self, subsections};
use crate::extractive::standalone::{MOST_WORDS, addresses_machine};
use run::evidence::{Block, BlockKind, Outline, Section};
use run::plan::Within;
use run::stage::Research;
use run::tool::ToolCall;
use run::tool::builtin::{self, Read};
use run::transcript::Transcript;
use text::sentence::sentences;
use text::words::words;

/// The most sections whose beginnings are told.
const MOST_SECTIONS: usize = 24;
/// The blocks at the beginning of a section that are read for its first sentence.
const BEGINNING: u32 = 4;
/// The sentences before the first section, or of a document without sections, that are told.
const OF_OPENING: usize = 3;
/// The words from which a claim is long.
const LONG: usize = 30;

impl Work<'_> {
    /// The document of a task about it as such; None once the person wishes for something in it, which has to be searched for.
    pub(super) fn document(&self) -> Option<&Within> {
        self.task.within.as_ref().filter(|_| self.wishes.is_empty() && overview::is_asked(&self.question))
    }

    /// The next reads of a document that is told by its beginnings; None when only the report is left.
    pub(super) fn read_beginnings(
        &self,
        within: &Within,
        transcript: &Transcript,
    ) -> Option<(Research, Vec<ToolCall>)> {
        let source = &within.source;
        if transcript.turns_at(Research::Read) == 0 {
            let to = within.to.min(within.from.saturating_add(Read::MOST));
            let first = Read { source: source.clone(), from: within.from, to };
            let outline = builtin::Outline { source: source.clone() };
            return Some((Research::Read, vec![outline.into(), first.into()]));
        }
        let (outline, path) = self.outline_of(within)?;
        let is_unread = |section: &&&Section| !self.results.has(path, section.first);
        let sections = subsections(outline, within.from..within.to);
        let unread = sections.iter().filter(is_unread).take(MOST_SECTIONS).map(|section| {
            let to = section.first.saturating_add(BEGINNING).min(within.to);
            Read { source: source.clone(), from: section.first, to }.into()
        });
        let unread: Vec<ToolCall> = unread.collect();
        let is_first = transcript.turns_at(Research::ReadCrossCheck) == 0;
        (is_first && !unread.is_empty()).then_some((Research::ReadCrossCheck, unread))
    }

    /// The first sentences of a document and the first one of each of its parts, in its order; where it has no paragraph that can be told,
    /// of its lists and lines.
    pub(super) fn beginnings(&self, within: &Within) -> Vec<Candidate> {
        let of = |kinds: &[BlockKind]| self.beginnings_among(within, kinds);
        let mut found = of(&[BlockKind::Paragraph]);
        if found.is_empty() {
            found = of(&[BlockKind::ListItem, BlockKind::KeyValue]);
        }
        if found.is_empty() {
            found.extend(self.first_words(within));
        }
        let scores = (0..found.len()).rev().map(|rest| 1.0 + rest as f64 / 1_000.0);
        found.iter_mut().zip(scores).for_each(|(candidate, score)| candidate.score = score);
        found
    }

    fn beginnings_among(&self, within: &Within, kinds: &[BlockKind]) -> Vec<Candidate> {
        let outline = self.outline_of(within).map(|(outline, _)| outline);
        let sections = outline.map(|outline| subsections(outline, within.from..within.to)).unwrap_or_default();
        let mut told: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        let mut found: Vec<Candidate> = Vec::new();
        let blocks = self.results.blocks.values().filter(|(source, block)| within.holds(&source.id, block.no));
        let is_line = |block: &Block| block.kind == BlockKind::Paragraph && key_of_line(&block.text).is_some();
        for (source, block) in
            blocks.filter(|(_, block)| kinds.contains(&block.kind) && !is_line(block) && may_tell(block))
        {
            let part = sections.iter().rfind(|section| section.first <= block.no).map(|section| section.first);
            let known = told.entry(part).or_default();
            let room = if part.is_none() { OF_OPENING } else { 1 }.saturating_sub(*known);
            let own = claims(source, block, None)
                .into_iter()
                .map(|claim| Candidate::of_claim(source, block, first_sentence(claim, block)));
            let before = found.len();
            let stands = |candidate: &Candidate| !dangles(&candidate.claim.text) && !self.is_known(candidate);
            found.extend(own.filter(stands).take(room));
            *known += found.len() - before;
        }
        found
    }

    /// The first sentence or line of a document from which no sentence can be told, as it stands.
    fn first_words(&self, within: &Within) -> Option<Candidate> {
        let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic);
        let own = self.results.blocks.values().filter(|(source, block)| within.holds(&source.id, block.no));
        let mut candidates = own.filter(|(_, block)| may_tell(block)).flat_map(|(source, block)| {
            let ranges = match block.kind {
                BlockKind::Code => std::iter::once(0..block.text.len()).collect(),
                _ => sentences(&block.text),
            };
            ranges.into_iter().map(move |range| {
                let text = block.text[range.clone()].to_owned();
                Candidate::of_claim(source, block, Claim { range, edits: Vec::new(), text, nth: 0 })
            })
        });
        candidates.find(|candidate| {
            let text = &candidate.claim.text;
            let is_short = text.split_whitespace().count() <= MOST_WORDS;
            is_short && words(text).any(is_word) && !dangles(text) && !self.is_known(candidate)
        })
    }

    fn outline_of(&self, within: &Within) -> Option<(&Outline, &str)> {
        let mut outlines = self.results.outlines.iter();
        let (path, outline) = outlines.find(|(_, outline)| outline.source.id == within.source)?;
        Some((outline, path))
    }
}

/// A long claim without the sentences that lean on its first one: each document is to have room for its first words.
fn first_sentence(claim: Claim, block: &Block) -> Claim {
    let own = &block.text[claim.range.clone()];
    if own.split_whitespace().count() <= LONG || !claim.edits.is_empty() {
        return claim;
    }
    let end = sentences(own).first().map_or(own.len(), |first| first.end);
    let range = claim.range.start..claim.range.start + end;
    Claim { text: block.text[range.clone()].to_owned(), range, ..claim }
}

/// Whether a block may tell what its document is about.
fn may_tell(block: &Block) -> bool {
    !block.headings.iter().any(|heading| is_of_law(heading)) && !addresses_machine(&block.text)
}
