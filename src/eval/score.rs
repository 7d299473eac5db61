//! Measures a brief against its expected facts, in code.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::questions::{Fact, Question};
use crate::results::Found;
use run::brief::markdown;
use run::handoff::Passage;
use run::verdict::Concern;
use run::{Draft, Finding, FindingId, Run, Verdict};
use specialist::gate::{self, Counted};
use text::Clean;

/// The measures of a brief.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// The expected facts, and whether each is in the brief.
    pub facts: Vec<Found>,
    /// The number of findings that the brief cites.
    pub claims: usize,
    /// Those of them that are off the topic.
    pub off_topic: usize,
    /// Citations that lead to a finding with a source.
    pub citations: Share,
    /// Quotes found in their stored source.
    pub quotes: Share,
    /// Claims that follow from their quotes by logged edits.
    pub support: Share,
    /// The number of words of the brief.
    pub words: usize,
    /// Whether there is a brief, and no gate or reviewer of the team has a blocking issue.
    pub passed: bool,
}

impl Measures {
    /// The measures where there is no brief: it has none of the expected facts.
    pub(crate) fn without_brief(question: &Question) -> Measures {
        let facts = question.facts.iter().map(|fact| Found { name: Clean::line(&fact.name), covered: false }).collect();
        Measures { facts, ..Measures::default() }
    }
}

/// Of all items, how many pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Items that pass.
    pub good: usize,
    /// All items; 0 where nothing was measured.
    pub all: usize,
}

impl Share {
    pub(crate) fn add(&mut self, other: Share) {
        self.good += other.good;
        self.all += other.all;
    }

    /// The share as a fraction; 1 if there are no items.
    pub fn fraction(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.good as f64 / self.all as f64 }
    }

    /// "87 %"; a dash where nothing was measured.
    pub(crate) fn in_percent(self) -> String {
        if self.all == 0 { "–".into() } else { format!("{:.0} %", 100.0 * self.fraction()) }
    }
}

/// The measures of a run's brief, and the brief as Markdown; None if it has no brief.
pub(crate) fn of_run(question: &Question, run: &Run) -> Option<(Measures, Clean)> {
    let (draft, findings) = run.brief()?;
    let report = run.root().and_then(|root| root.ended.as_ref());
    let verdicts = report.map_or(&[][..], |(_, report)| report.payload.verdicts());
    let things = run.root().map_or(&[][..], |root| root.transcript.handoff.payload.things());
    let brief = Brief { draft, findings, passages: &run.passages(findings), things, verdicts };
    Some((brief.measured(question), Clean::new(&markdown(draft, findings))))
}

/// A brief, and what it is measured by besides its question.
struct Brief<'a> {
    draft: &'a Draft,
    findings: &'a [Finding],
    passages: &'a [Passage],
    /// The things that the question names.
    things: &'a [Clean],
    verdicts: &'a [Verdict],
}

impl Brief<'_> {
    /// Compares it with the expected facts of its question.
    fn measured(&self, question: &Question) -> Measures {
        let Brief { draft, findings, passages, things, verdicts } = *self;
        let find = |id: &FindingId| findings.iter().find(|finding| finding.id == *id);
        // A table cell counts as its claim: row and column are part of it.
        let sentences: Vec<String> = draft
            .sentences()
            .filter(|sentence| !sentence.cites.is_empty())
            .map(|sentence| {
                let claims = sentence.cites.iter().filter_map(find).filter(|f| f.quote == sentence.text);
                claims
                    .fold(sentence.text.to_string(), |text, finding| format!("{text} {}", finding.claim))
                    .to_lowercase()
            })
            .collect();
        let used: BTreeSet<FindingId> = draft.sentences().flat_map(|sentence| sentence.cites.iter().copied()).collect();
        let used: Vec<&Finding> = used.iter().filter_map(find).collect();
        let on_topic = |finding: &Finding| {
            let places = finding.place.iter().flat_map(|place| place.headings.iter().chain([&place.source.title]));
            question.is_on_topic(&places.fold(finding.claim.to_string(), |text, part| format!("{text} {part}")))
        };
        let found = |fact: &Fact| Found {
            name: Clean::line(&fact.name),
            covered: sentences.iter().any(|sentence| fact.is_in(sentence)),
        };
        // Counted here: a team may have other gates, or none.
        let counts = gate::measured(draft, findings, passages, things);
        let share = |concern: Concern| {
            let Counted { good, all } = counts.get(&concern).copied().unwrap_or_default();
            Share { good, all }
        };
        Measures {
            facts: question.facts.iter().map(found).collect(),
            claims: used.len(),
            off_topic: used.iter().filter(|finding| !on_topic(finding)).count(),
            citations: share(Concern::Citations),
            quotes: share(Concern::Quotes),
            support: share(Concern::Support),
            words: draft.words(),
            passed: verdicts.iter().all(Verdict::passes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::brief::{Piece, Section, Sentence};

    #[test]
    fn a_fact_is_covered_by_one_cited_sentence_that_holds_all_its_words() {
        let question: Question = toml::from_str(
            "id = 'q'\nsources = []\nask = '?'\ntopic = ['lock']\n\
             [[fact]]\nname = 'one'\nany = [['LOCK', 'held']]\n\
             [[fact]]\nname = 'two'\nany = [['lock', 'free'], ['uncited']]\n",
        )
        .unwrap();
        let id: FindingId = "f0.1/1".parse().unwrap();
        let sentence = |text: &str, cites: Vec<FindingId>| Sentence { text: text.into(), cites };
        let sentences = vec![sentence("The lock is held.", vec![id]), sentence("It is uncited.", vec![])];
        let draft = Draft {
            sections: vec![Section { heading: "x".into(), pieces: vec![Piece::Paragraph { sentences }] }],
            ..Draft::default()
        };
        let brief = Brief { draft: &draft, findings: &[], passages: &[], things: &[], verdicts: &[] };
        let score = brief.measured(&question);
        assert_eq!(score.facts.iter().map(|fact| fact.covered).collect::<Vec<_>>(), [true, false]);
        // Without a gate, its citations are counted all the same.
        assert_eq!(score.citations, Share { good: 0, all: 1 });
        assert_eq!((score.quotes.in_percent(), score.citations.in_percent()), ("–".into(), "0 %".into()));
    }
}
