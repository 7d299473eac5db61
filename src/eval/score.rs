//! Measures a brief against its expected facts, in code.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::questions::Question;
use run::brief::markdown;
use run::verdict::Concern;
use run::{Draft, Finding, FindingId, Run, Verdict};

/// The measures of one answer.
#[derive(Clone, Debug)]
pub struct Score {
    pub id: String,
    /// The expected facts, and whether each is in the brief.
    pub facts: Vec<(String, bool)>,
    pub claims: usize,
    pub off_topic: Vec<String>,
    /// Cited sentences, as the gates measured them.
    pub citations: Share,
    /// Quotes found in their stored source.
    pub quotes: Share,
    /// Claims that follow from their quotes by logged edits.
    pub support: Share,
    /// The number of words of the brief.
    pub words: usize,
    pub passed: bool,
    pub brief: String,
}

/// A number of items that pass, out of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub good: usize,
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
}

impl Score {
    /// Facts that are in the brief.
    pub fn covered(&self) -> Share {
        Share { good: self.facts.iter().filter(|(_, covered)| *covered).count(), all: self.facts.len() }
    }
}

/// The measures of a run's brief; None if it has no brief.
pub fn of_run(question: &Question, run: &Run) -> Option<Score> {
    let (draft, findings) = run.brief()?;
    let report = run.root().and_then(|root| root.ended.as_ref());
    let verdicts = report.map_or(&[][..], |(_, report)| report.payload.verdicts());
    Some(measure(question, draft, findings, verdicts))
}

/// Compares a brief with its expected facts.
fn measure(question: &Question, draft: &Draft, findings: &[Finding], verdicts: &[Verdict]) -> Score {
    let find = |id: &FindingId| findings.iter().find(|finding| finding.id == *id);
    // A table cell counts as its claim: row and column are part of it.
    let sentences: Vec<String> = draft
        .sentences()
        .filter(|sentence| !sentence.cites.is_empty())
        .map(|sentence| {
            let claims = sentence.cites.iter().filter_map(find).filter(|f| f.quote == sentence.text);
            claims.fold(sentence.text.to_string(), |text, finding| format!("{text} {}", finding.claim)).to_lowercase()
        })
        .collect();
    let holds = |any: &[Vec<String>]| {
        let in_one = |all: &Vec<String>| {
            sentences.iter().any(|sentence| all.iter().all(|wanted| sentence.contains(&wanted.to_lowercase())))
        };
        any.iter().any(in_one)
    };
    let used: BTreeSet<FindingId> = draft.sentences().flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let used: Vec<&Finding> = used.iter().filter_map(find).collect();
    let on_topic = |finding: &Finding| {
        let places = finding.place.iter().flat_map(|place| place.headings.iter().chain([&place.source.title]));
        question.is_on_topic(&places.fold(finding.claim.to_string(), |text, part| format!("{text} {part}")))
    };
    let off_topic: Vec<String> = used.iter().filter(|f| !on_topic(f)).map(|f| f.claim.to_string()).collect();
    let share = |concern: Concern| {
        // The gates come first: their check is done in code.
        let check = verdicts.iter().flat_map(|verdict| &verdict.checks).find(|check| check.concern == concern);
        let mut numbers = check.iter().flat_map(|check| check.result.split(' ')).filter_map(|word| word.parse().ok());
        Share { good: numbers.next().unwrap_or(0), all: numbers.next().unwrap_or(0) }
    };
    Score {
        id: question.id.clone(),
        facts: question.facts.iter().map(|fact| (fact.name.clone(), holds(&fact.any))).collect(),
        claims: used.len(),
        off_topic,
        citations: share(Concern::Citations),
        quotes: share(Concern::Quotes),
        support: share(Concern::Support),
        words: draft.words(),
        passed: verdicts.iter().all(Verdict::passes),
        brief: markdown(draft, findings),
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
        let score = measure(&question, &draft, &[], &[]);
        assert_eq!(score.covered(), Share { good: 1, all: 2 });
    }
}
