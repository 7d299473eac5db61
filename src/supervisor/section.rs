//! Section: the part of a plan that an editor leads. Hands its tasks to those who do them, has what they found merged,
//! and reports it to whoever leads the editor, with how each task ended.
//!
//! A specialist like any other, a supervisor under the one of the run. It never asks the person, never writes, and
//! never sees the rest of the plan.

use super::delegation::{Again, Delegation, Next, all_given, given, may_not_group};
use super::remedy::Remedies;
use run::finding::Finding;
use run::id::Role;
use run::join::Join;
use run::stage::Leading;
use run::transcript::{Did, Sent, Transcript};
use run::{Outcome, Payload, Subject, Team};
use specialist::{Assigned, Sending, Specialist, Step};
use text::{Clean, count};

/// Leads a section by fixed order.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    team: &'a Team,
}

impl<'a> Section<'a> {
    /// A section of a run by this team.
    pub fn new(team: &'a Team) -> Section<'a> {
        Section { team }
    }
}

impl Specialist for Section<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let remedies = Remedies { transcript, team: self.team };
        if assigned.turns_left <= 1 {
            // What is under way is still taken in.
            if transcript.sent().any(|sent| sent.report.is_none()) {
                return Step::Wait;
            }
            return end(remedies, Some("its editor ran out of turns".into()));
        }
        let Some(last) = transcript.turns.last() else { return hand_out(remedies) };
        match &last.did {
            Did::HandOffs(sent) => match sent.first() {
                Some(merger) if merger.role.as_str() == Role::MERGER => match &merger.report {
                    None => Step::Wait,
                    Some(_) => report(remedies, merged(merger)),
                },
                _ => hand_out(remedies),
            },
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::EDITOR => hand_out(remedies),
            // Without a merger there is no merging, and nothing is lost.
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::MERGER => {
                report(remedies, unsent.payload.findings().to_vec())
            }
            // The person is asked what becomes of one that failed.
            Did::Checkpoint(_) => hand_out(remedies),
            Did::Refused { why, .. } => end(remedies, Some(why.clone())),
            _ => Step::Wait,
        }
    }
}

/// What an editor leaves behind that does not come to its own end: everything that was found for it so far.
pub(super) fn left_behind(team: &Team, transcript: &Transcript, why: &Clean) -> Option<(Outcome, Clean, Payload)> {
    match end(Remedies { transcript, team }, Some(why.clone())) {
        Step::Report { outcome, title, payload } if outcome.usable() => Some((outcome, title, payload)),
        _ => None,
    }
}

fn with_delegation<T>(remedies: Remedies<'_>, then: impl FnOnce(&Delegation<'_>) -> T) -> Option<T> {
    let transcript = remedies.transcript;
    let handoff = &transcript.handoff;
    let wish = handoff.payload.notes().first().cloned();
    let again = handoff.payload.findings.is_some();
    let none = Clean::default();
    Some(then(&Delegation {
        remedies,
        question: handoff.payload.question.clone().unwrap_or_default(),
        plan: handoff.payload.plan.as_ref()?,
        groups: if may_not_group(transcript) { &[] } else { handoff.payload.groups() },
        again: again.then(|| Again { known: handoff.payload.findings(), wish: wish.as_ref().unwrap_or(&none) }),
        fails_at_once: false,
        merge: Join::BestEffort,
        had_enough: false,
    }))
}

fn hand_out(remedies: Remedies<'_>) -> Step {
    let next = with_delegation(remedies, |section| match section.next() {
        Next::HandOut { why, handoffs } => Step::HandOff { stage: Leading::Research.into(), why: why.into(), handoffs },
        Next::Ask(question) => Step::Checkpoint(Subject::Question(question)),
        Next::Fail(why) => end(remedies, Some(why.as_str().into())),
        Next::Wait | Next::Enough { .. } => Step::Wait,
        Next::AllIn => {
            let findings: Vec<Finding> = section.found(0).into_iter().cloned().collect();
            if findings.is_empty() {
                return report(remedies, findings);
            }
            let title = count(findings.len(), "finding");
            let payload = Payload { plan: Some(section.plan.clone()), findings: Some(findings), ..Payload::default() };
            let merger = Sending::new(&Role::new(Role::MERGER), title, payload);
            let why = "all of the section is in".into();
            Step::HandOff { stage: Leading::Merge.into(), why, handoffs: vec![merger] }
        }
    });
    next.unwrap_or_else(|| end(remedies, Some("there is no plan".into())))
}

/// A merger that fails costs the merging, not the findings.
fn merged(merger: &Sent) -> Vec<Finding> {
    let usable = merger.report.as_ref().filter(|(outcome, _)| outcome.usable());
    usable.map_or_else(|| merger.handoff.payload.findings(), |(_, report)| report.payload.findings()).to_vec()
}

/// Ends before its time: with what is there.
fn end(remedies: Remedies<'_>, why: Option<Clean>) -> Step {
    let found = with_delegation(remedies, |section| section.found(0).into_iter().cloned().collect::<Vec<_>>());
    let found = found.unwrap_or_default();
    match report(remedies, found) {
        Step::Report { outcome, title, payload } => {
            let outcome = match why {
                Some(why) if outcome.usable() => Outcome::Partial(why),
                Some(why) => Outcome::Failed(why),
                None => outcome,
            };
            Step::Report { outcome, title, payload }
        }
        other => other,
    }
}

fn report(remedies: Remedies<'_>, findings: Vec<Finding>) -> Step {
    let open = Outcome::Failed("its section ended before it did".into());
    let ends = with_delegation(remedies, |section| section.ends(&open)).unwrap_or_default();
    let short = ends.iter().filter(|end| !matches!(end.outcome, Outcome::Done | Outcome::NothingFound)).count();
    let title = format!("{} on {}", count(findings.len(), "finding"), count(ends.len(), "task"));
    let outcome = match (findings.is_empty(), short) {
        (false, 0) => Outcome::Done,
        (false, n) => Outcome::Partial(format!("{n} of {} did not finish", count(ends.len(), "task")).into()),
        (true, _) => nothing(remedies),
    };
    let findings = Some(findings).filter(|findings| !findings.is_empty());
    let payload = Payload { findings, ends: Some(ends), ..Payload::default() };
    Step::Report { outcome, title: title.as_str().into(), payload }
}

/// How a section ended that found nothing.
fn nothing(remedies: Remedies<'_>) -> Outcome {
    let ends: Vec<Outcome> = all_given(remedies).into_iter().filter_map(|given| given.end).collect();
    if let Some(stopped) = ends.iter().find(|end| matches!(end, Outcome::OutOfBudget(_))) {
        return stopped.clone();
    }
    let failed: Vec<&Outcome> = ends.iter().filter(|end| matches!(end, Outcome::Failed(_))).collect();
    match failed.first() {
        Some(Outcome::Failed(why)) if failed.len() == ends.len() => {
            Outcome::Failed(format!("everybody in it failed; the first: {why}").into())
        }
        _ if ends.is_empty() && given(remedies.transcript).next().is_none() => {
            Outcome::Failed("nothing was handed out".into())
        }
        _ => Outcome::NothingFound,
    }
}
