//! The numbers of a brief's sources, and what in it is in the person's words.

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
}

impl<'a> Numbering<'a> {
    /// Numbers the sources of `draft`, whose citations are among `findings`.
    pub fn new(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut findings: Vec<&Finding> = findings.into_iter().collect();
        findings.sort_by_key(|finding| finding.id);
        let mut numbering = Numbering { findings, numbers: Vec::new() };
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

    /// The numbers of a sentence's sources as it shows them: `[1][3]`.
    pub fn marks(&self, sentence: &Sentence) -> String {
        let mut numbers: Vec<usize> = sentence.cites.iter().filter_map(|id| self.of(*id)).collect();
        let mut seen = Vec::new();
        numbers.retain(|n| {
            !seen.contains(n) && {
                seen.push(*n);
                true
            }
        });
        numbers.iter().fold(String::new(), |mut marks, n| {
            let _ = write!(marks, "[{n}]");
            marks
        })
    }

    /// What a sentence says in the person's words: the findings behind it that they reworded or added. A sentence in the words of
    /// the quote says nothing in theirs.
    pub fn in_your_words<'s>(&'s self, sentence: &'s Sentence) -> impl Iterator<Item = &'a Finding> + 's {
        let cited = sentence.cites.iter().filter_map(|id| self.finding(*id));
        let text = one_line(sentence.text.trim_end_matches('.'));
        cited.filter(move |finding| finding.words_of.is_of_person() && !one_line(&finding.quote).contains(&text))
    }

    /// The numbers of a sentence's sources, with [`YOURS`] where it says something in the person's words.
    pub(super) fn signs(&self, sentence: &Sentence) -> String {
        let marks = self.marks(sentence);
        match self.in_your_words(sentence).next() {
            None => marks,
            Some(_) if marks.is_empty() => YOURS.into(),
            Some(_) => format!("{marks} {YOURS}"),
        }
    }

    /// The sources, number 1 first.
    pub fn sources(&self) -> impl Iterator<Item = &Cited<'a>> {
        self.numbers.iter().map(|(_, cited)| cited)
    }
}

/// The sign of what is in the person's words, not in a source's or a model's.
pub const YOURS: char = '✎';

/// A statement of a brief in the person's words, with what it replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Yours<'a> {
    /// Its name.
    pub finding: FindingId,
    /// What the person wrote.
    pub words: &'a Clean,
    /// The text of the source at the place that the brief cites; None where the words have no source.
    pub original: Option<&'a Clean>,
}

/// What a draft says in the person's words, each once, in the order in which it is cited.
pub fn yours<'a>(draft: &Draft, findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Yours<'a>> {
    let numbering = Numbering::new(draft, findings);
    let mut all: Vec<Yours<'a>> = Vec::new();
    for finding in draft.sentences().flat_map(|sentence| numbering.in_your_words(sentence)) {
        if all.iter().all(|known| known.finding != finding.id) {
            let original = (finding.words_of == WordsOf::PersonEdited).then_some(&finding.quote);
            all.push(Yours { finding: finding.id, words: &finding.claim, original });
        }
    }
    all
}

/// The line above the list of what is in the person's words, which says what the sign means.
pub const YOURS_MEANS: &str = "What is marked ✎ is in your words, not in those of a source.";
