//! The numbers of a brief's sources, and its parts in the person's words.

use std::fmt::Write as _;

use serde::Serialize;

use super::markdown::one_line;
use super::{Draft, Sentence};
use crate::evidence::SourceRef;
use crate::finding::{Finding, WordsOf};
use crate::id::{FindingId, SourceId};
use text::Clean;

/// A source with its number in the brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cited<'a> {
    /// A document.
    Document(&'a SourceRef),
    /// The person, whose words have no source: they added them, or wrote them over a finding whose quote went.
    Person,
}

/// Numbers for the sources a draft rests on, in the order in which it cites them.
pub struct Numbering<'a> {
    findings: Vec<&'a Finding>,
    numbers: Vec<(Option<SourceId>, Cited<'a>)>,
    /// The sentences that the person wrote.
    yours: Vec<Clean>,
}

impl<'a> Numbering<'a> {
    /// Numbers the sources of `draft`, whose citations are among `findings`.
    pub fn new(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut findings: Vec<&Finding> = findings.into_iter().collect();
        findings.sort_by_key(|finding| finding.id);
        let mut numbering = Numbering { findings, numbers: Vec::new(), yours: draft.yours.clone() };
        for id in draft.sentences().flat_map(|sentence| &sentence.cites) {
            let Some(finding) = numbering.finding(*id) else { continue };
            match &finding.place {
                Some(place) => numbering.add(Some(place.source.id.clone()), Cited::Document(&place.source)),
                None => numbering.add(None, Cited::Person),
            }
        }
        numbering
    }

    fn add(&mut self, key: Option<SourceId>, cited: Cited<'a>) {
        if !self.numbers.iter().any(|(known, _)| *known == key) {
            self.numbers.push((key, cited));
        }
    }

    pub(super) fn finding(&self, id: FindingId) -> Option<&'a Finding> {
        self.findings.binary_search_by_key(&id, |finding| finding.id).ok().map(|at| self.findings[at])
    }

    /// The number of the source a finding rests on, from 1.
    pub fn of(&self, id: FindingId) -> Option<usize> {
        let key = self.finding(id)?.place.as_ref().map(|place| place.source.id.clone());
        self.numbers.iter().position(|(known, _)| *known == key).map(|at| at + 1)
    }

    /// The numbers that a sentence shows, each with the findings behind it. One that the person wrote shows none: no source says it.
    pub fn shown(&self, sentence: &Sentence) -> Vec<(usize, Vec<FindingId>)> {
        let mut shown: Vec<(usize, Vec<FindingId>)> = Vec::new();
        for id in sentence.cites.iter().filter(|_| !self.is_yours(sentence)) {
            let Some(number) = self.of(*id) else { continue };
            match shown.iter_mut().find(|(known, _)| *known == number) {
                Some((_, ids)) => ids.push(*id),
                None => shown.push((number, vec![*id])),
            }
        }
        shown
    }

    /// The numbers of a sentence's sources as it shows them: `[1][3]`.
    pub fn marks(&self, sentence: &Sentence) -> String {
        self.shown(sentence).iter().fold(String::new(), |mut marks, (n, _)| {
            let _ = write!(marks, "[{n}]");
            marks
        })
    }

    /// Whether the person wrote a sentence of the draft. One in the words of a quote that it cites is the source's.
    pub fn is_yours(&self, sentence: &Sentence) -> bool {
        let mut cited = sentence.cites.iter().filter_map(|id| self.finding(*id));
        self.yours.contains(&sentence.text) && !cited.any(|finding| is_quoted(sentence, finding))
    }

    /// Whether a sentence says something in the person's words: they wrote it, or a finding behind it.
    pub fn is_in_your_words(&self, sentence: &Sentence) -> bool {
        self.is_yours(sentence) || self.in_your_words(sentence).next().is_some()
    }

    /// The findings behind a sentence that the person reworded or added: its part in their words. A sentence in the words of the
    /// quote has none.
    fn in_your_words<'s>(&'s self, sentence: &'s Sentence) -> impl Iterator<Item = &'a Finding> + 's {
        let cited = sentence.cites.iter().filter_map(|id| self.finding(*id));
        cited.filter(move |finding| finding.words_of.is_of_person() && !is_quoted(sentence, finding))
    }

    /// The numbers of a sentence's sources, behind [`YOURS`] where it says something in the person's words.
    pub(super) fn signs(&self, sentence: &Sentence) -> String {
        let marks = self.marks(sentence);
        match self.is_in_your_words(sentence) {
            false => marks,
            true if marks.is_empty() => YOURS.into(),
            true => format!("{YOURS} {marks}"),
        }
    }

    /// The sources, number 1 first.
    pub fn sources(&self) -> impl Iterator<Item = &Cited<'a>> {
        self.numbers.iter().map(|(_, cited)| cited)
    }
}

/// The sign of words of the person, as opposed to those of a source or a model.
pub const YOURS: char = '✎';

/// Whether a sentence stands in the quote of a finding.
fn is_quoted(sentence: &Sentence, finding: &Finding) -> bool {
    one_line(&finding.quote).contains(&one_line(sentence.text.trim_end_matches('.')))
}

/// A statement in the person's words, with the one that it replaced. One that rests on several findings stands once for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Yours<'a> {
    /// The finding that they reworded or added, or that a sentence of theirs rests on; None where it rests on none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingId>,
    /// The words of the person.
    pub words: &'a Clean,
    /// The text of the source at the place that the brief cites; None where the words have no source.
    pub original: Option<&'a Clean>,
}

/// The findings and sentences of a draft that are in the person's words, each once, in the order of the draft.
pub fn yours<'a>(draft: &'a Draft, findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Yours<'a>> {
    let numbering = Numbering::new(draft, findings);
    let mut all: Vec<Yours<'a>> = Vec::new();
    for sentence in draft.sentences() {
        let of = |words: &'a Clean, finding: &'a Finding| {
            let has_source = finding.words_of != WordsOf::Person && finding.place.is_some();
            Yours { finding: Some(finding.id), words, original: has_source.then_some(&finding.quote) }
        };
        let mut told: Vec<Yours<'a>> = match numbering.is_yours(sentence) {
            true => sentence.cites.iter().filter_map(|id| Some(of(&sentence.text, numbering.finding(*id)?))).collect(),
            false => numbering.in_your_words(sentence).map(|finding| of(&finding.claim, finding)).collect(),
        };
        if numbering.is_yours(sentence) && told.is_empty() {
            told.push(Yours { finding: None, words: &sentence.text, original: None });
        }
        told.retain(|one| !all.contains(one));
        all.extend(told);
    }
    all
}

/// The same with each of them once: the words, and the sources' words in their place, nothing if they have no source.
pub fn by_words<'a>(yours: &[Yours<'a>]) -> Vec<(&'a Clean, Vec<(FindingId, &'a Clean)>)> {
    let statement = |same: &[Yours<'a>]| {
        let sources = same.iter().filter_map(|one| one.finding.zip(one.original)).collect();
        // A chunk has at least one element.
        (same[0].words, sources)
    };
    yours.chunk_by(|one, next| one.words == next.words).map(statement).collect()
}

/// The line above the list of the person's words: it explains the sign.
pub const YOURS_MEANS: &str = "What is marked ✎ is in your words, not in those of a source.";
