//! A researcher's report: the findings that answer its task, or a note that the sources have no answer.

use super::chosen::Chosen;
use super::unanswered::NO_ANSWER;
use super::{Work, dated};
use crate::extractive::candidate::Candidate;
use crate::extractive::kind::kind;
use crate::numbers::{date, numbers};
use crate::{Assigned, Step};
use run::evidence::Place;
use run::finding::{Finding, FindingKind};
use run::handoff::{Outcome, Payload};
use run::id::FindingId;
use run::plan::Shape;
use run::tool::ToolResult;
use run::tool::builtin::{BuiltIn, Search};
use run::transcript::{CallEnd, Did, Transcript};
use text::{Clean, count};

impl Work<'_> {
    /// The report: findings, or the reason why there are none.
    pub(super) fn report(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Chosen { sentences, members } = match self.document() {
            Some(within) => Chosen { sentences: self.beginnings(within), members: Vec::new() },
            None => self.chosen(),
        };
        let ids = (1..).map(|n| FindingId::new(assigned.id, n));
        let mut findings: Vec<Finding> =
            sentences.iter().chain(&members).zip(ids).map(|(candidate, id)| self.finding(candidate, id)).collect();
        findings[sentences.len()..].iter_mut().for_each(|member| member.kind = FindingKind::Member);
        let outcome = outcome(&assigned, transcript, findings.is_empty());
        if outcome == Outcome::NothingFound
            && let Some(report) = self.closest_told(assigned)
        {
            return report;
        }
        let title = match findings.len() {
            0 => "nothing found".into(),
            n => count(n, "finding").into(),
        };
        let payload = match findings.is_empty() {
            true => Payload::note(self.nothing_found(outcome == Outcome::NothingFound)),
            false => Payload { findings: Some(findings), ..Payload::default() },
        };
        Step::Report { outcome, title, payload }
    }

    /// The report of what comes closest to a question that nothing answers; None if nothing does.
    fn closest_told(&self, assigned: Assigned<'_>) -> Option<Step> {
        let closest = self.closest_sentences();
        let ids = (1..).map(|n| FindingId::new(assigned.id, n));
        let told = |(candidate, id)| Finding { kind: FindingKind::Closest, ..self.finding(candidate, id) };
        let findings: Vec<Finding> = closest.iter().zip(ids).map(told).collect();
        let title = format!("no answer, {} that come closest", count(findings.len(), "passage"));
        let payload = Payload { findings: Some(findings), notes: Some(vec![NO_ANSWER.into()]), ..Payload::default() };
        (!closest.is_empty()).then(|| Step::done(title, payload))
    }

    fn finding(&self, candidate: &Candidate, id: FindingId) -> Finding {
        let quote = &candidate.block.text[candidate.claim.range.clone()];
        let dated = if self.shape == Shape::History { dated(candidate) } else { date(&candidate.claim.text) };
        Finding {
            task: Some(self.task.id),
            subtopic: self.task.title.clone(),
            edits: candidate.claim.edits.clone(),
            quote: quote.into(),
            place: Some(Place::new(&candidate.source, &candidate.block, candidate.claim.range.clone())),
            kind: match kind(candidate, self.asks(), self.topic()) {
                FindingKind::Event if self.shape != Shape::History => FindingKind::Fact,
                kind => kind,
            },
            numbers: numbers(quote),
            date: dated.map(Into::into),
            score: (candidate.score * 1000.0) as i32,
            ..Finding::new(id, candidate.claim.text.as_str().into())
        }
    }
}

/// The outcome of a report with findings, or of an empty one.
fn outcome(assigned: &Assigned<'_>, transcript: &Transcript, is_empty: bool) -> Outcome {
    let unasked = unasked(transcript);
    match (transcript.last_refusal(), is_empty) {
        (Some(refusal), true) => Outcome::OutOfBudget(format!("too little was left of {refusal}").into()),
        (Some(refusal), false) => {
            Outcome::Partial(format!("too little was left of {refusal}; these are the findings so far").into())
        }
        // A search that failed or was never made does not prove that there is no answer.
        (None, true) => {
            unasked.map(Outcome::Failed).or_else(|| unsearched(assigned, transcript)).unwrap_or(Outcome::NothingFound)
        }
        (None, false) => unasked.map_or(Outcome::Done, Outcome::Partial),
    }
}

/// The first reason why a search failed or was incomplete.
fn unasked(transcript: &Transcript) -> Option<Clean> {
    transcript.calls().find_map(|call| match (&call.end, call.result()) {
        (CallEnd::Failed(why), _) if call.request.name == Search::NAME => Some(why.clone()),
        (_, Some(ToolResult::Hits(hits))) => hits.notes.first().cloned(),
        _ => None,
    })
}

/// The outcome of a researcher that made no search though it had to.
fn unsearched(assigned: &Assigned<'_>, transcript: &Transcript) -> Option<Outcome> {
    if transcript.calls().any(|call| matches!(call.result(), Some(ToolResult::Hits(_)))) {
        return None;
    }
    let refused = transcript.turns.iter().find_map(|turn| match &turn.did {
        Did::Refused { why, .. } => Some(Outcome::Failed(format!("it could not search: {why}").into())),
        _ => None,
    });
    let had_no_turn = || Outcome::OutOfBudget("it had to report before its first search".into());
    refused.or_else(|| (assigned.turns_left <= 1).then(had_no_turn))
}
