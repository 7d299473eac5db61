//! Judging: hands two briefs on one question to a judge, in both orders at the same time, and reports its preferences.
//!
//! Both orders are needed, because judges favour a position. Nothing is searched, written or measured.

use super::failure_policy::{Due, Failures};
use run::handoff::Sending;
use run::id::Role;
use run::preference::{Better, Preference, Ruling};
use run::stage::Leading;
use run::transcript::{Did, Sent, Transcript};
use run::{Outcome, Payload, Subject, Team};
use specialist::{Assigned, Specialist, Step};
use text::Clean;

/// Leads a run that judges two briefs.
#[derive(Clone, Copy, Debug)]
pub struct Judging<'a> {
    team: &'a Team,
}

impl<'a> Judging<'a> {
    /// Judging by this team.
    pub fn new(team: &'a Team) -> Judging<'a> {
        Judging { team }
    }
}

impl Specialist for Judging<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Some([first, second]) = &transcript.handoff.payload.briefs else {
            return Step::failed("there are no two briefs to judge");
        };
        if first == second {
            let same =
                |swapped| Preference { better: Better::Tie, why: "they are the same to the letter".into(), swapped };
            return reported(vec![same(false), same(true)], None);
        }
        if transcript.sent().next().is_none() {
            let refused = transcript.turns.iter().find_map(|turn| match &turn.did {
                Did::Refused { why, .. } => Some(why),
                _ => None,
            });
            return match refused {
                Some(why) => Step::failed(why.clone()),
                None => in_both_orders(transcript, first, second),
            };
        }
        let failures = Failures { transcript, team: self.team };
        let last: Vec<&Sent> = transcript.sent().filter(|sent| !failures.is_tried_again(sent)).collect();
        let waits = last.iter().any(|sent| sent.report.is_none());
        let mut again = Vec::new();
        for sent in last.iter().filter(|_| assigned.turns_left > 1) {
            match failures.due(sent) {
                Due::Again(sending) => again.push(sending),
                Due::Ask(question) => return Step::Checkpoint(Subject::Question(question)),
                Due::Asked => return Step::Wait,
                Due::Fail(_) | Due::Nothing => {}
            }
        }
        if !again.is_empty() {
            return Step::HandOff {
                stage: Leading::Judge.into(),
                why: "what failed is tried again".into(),
                handoffs: again,
            };
        }
        if waits {
            return Step::Wait;
        }
        let preferences = last.iter().filter_map(|sent| preference(transcript.result_of(sent), first)).collect();
        let failed = last.iter().find_map(|sent| sent.report.as_ref().filter(|(outcome, _)| !outcome.usable()));
        reported(preferences, failed.map(|(outcome, _)| outcome))
    }
}

fn in_both_orders(transcript: &Transcript, first: &Clean, second: &Clean) -> Step {
    let question = transcript.handoff.payload.question.clone();
    let handoffs =
        [(first, second, "as they stand"), (second, first, "the other way round")].map(|(former, latter, title)| {
            let briefs = Some([former.clone(), latter.clone()]);
            let payload = Payload { question: question.clone(), briefs, ..Payload::default() };
            Sending::new(&Role::new(Role::JUDGE), title, payload)
        });
    let why = "a judge may prefer what it reads first, so it reads both orders".into();
    Step::HandOff { stage: Leading::Judge.into(), why, handoffs: handoffs.into() }
}

/// The preference of a judge, in the run's order of the briefs; `first` is the run's first.
fn preference(sent: &Sent, first: &Clean) -> Option<Preference> {
    let reported = sent.usable()?.preferences.as_ref()?.first()?.clone();
    let swapped = sent.handoff.payload.briefs.as_ref().is_some_and(|[former, _]| former != first);
    Some(Preference { better: if swapped { reported.better.turned() } else { reported.better }, swapped, ..reported })
}

fn reported(preferences: Vec<Preference>, failed: Option<&Outcome>) -> Step {
    let why = || failed.map_or_else(|| "the judge gave no answer".into(), |outcome| format!("the judge {outcome}"));
    let (outcome, title) = match Ruling::of(&preferences) {
        Ruling::Agreed(better) => (Outcome::Done, format!("{better} in both orders")),
        Ruling::Disagreed => (Outcome::Done, "a tie: a different winner in each order".to_owned()),
        Ruling::Unjudged if preferences.is_empty() => return Step::failed(why()),
        Ruling::Unjudged => {
            (Outcome::Partial(format!("one of two orders was not judged: {}", why()).into()), "one order".into())
        }
    };
    let payload = Payload { preferences: Some(preferences), ..Payload::default() };
    Step::Report { outcome, title: title.into(), payload }
}
