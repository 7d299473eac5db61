//! Section: the part of a plan that an editor leads. Hands its tasks to those who do them, has what they found merged,
//! and reports it to whoever leads the editor, with how each task ended.
//!
//! A specialist like any other, a supervisor under the one of the run. It never asks the person, never writes, and
//! never sees the rest of the plan.

use super::delegation::{Again, Delegation, Next, all_given, count, given, may_not_group};
use crate::run::finding::Finding;
use crate::run::handoff::Parts;
use crate::run::id::Role;
use crate::run::transcript::{Did, Sent, Transcript};
use crate::run::{Outcome, Part};
use crate::specialist::{Assigned, Sending, Specialist, Step};
use crate::text::Clean;

/// Leads a section by fixed order.
#[derive(Clone, Copy, Debug)]
pub struct Section;

impl Specialist for Section {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if assigned.turns_left <= 1 {
            // What is under way is still taken in.
            if transcript.sent().any(|sent| sent.report.is_none()) {
                return Step::Wait;
            }
            return end(transcript, Some("its editor ran out of turns".into()));
        }
        let Some(last) = transcript.turns.last() else { return hand_out(transcript) };
        match &last.did {
            Did::HandOffs(sent) => match sent.first() {
                Some(merger) if merger.role.as_str() == Role::MERGER => match &merger.report {
                    None => Step::Wait,
                    Some(_) => report(transcript, merged(merger)),
                },
                _ => hand_out(transcript),
            },
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::EDITOR => hand_out(transcript),
            // Without a merger there is no merging, and nothing is lost.
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::MERGER => {
                report(transcript, unsent.findings().to_vec())
            }
            Did::Refused { why, .. } => end(transcript, Some(why.clone())),
            _ => Step::Wait,
        }
    }
}

/// What an editor leaves behind that does not come to its own end: everything that was found for it so far.
pub(super) fn left_behind(transcript: &Transcript, why: &Clean) -> Option<(Outcome, Clean, Vec<Part>)> {
    match end(transcript, Some(why.clone())) {
        Step::Report { outcome, title, parts } if outcome.usable() => Some((outcome, title, parts)),
        _ => None,
    }
}

fn with_delegation<T>(transcript: &Transcript, then: impl FnOnce(&Delegation<'_>) -> T) -> Option<T> {
    let handoff = &transcript.handoff;
    let wish = handoff.notes().first().copied().cloned();
    let again = handoff.parts.iter().any(|part| matches!(part, Part::Findings { .. }));
    let none = Clean::default();
    Some(then(&Delegation {
        transcript,
        question: handoff.question().cloned().unwrap_or_default(),
        plan: handoff.plan()?,
        groups: if may_not_group(transcript) { &[] } else { handoff.groups() },
        again: again.then(|| Again { known: handoff.findings(), wish: wish.as_ref().unwrap_or(&none) }),
        in_turn: true,
    }))
}

fn hand_out(transcript: &Transcript) -> Step {
    let next = with_delegation(transcript, |section| match section.next() {
        Next::HandOut(handoffs) => Step::HandOff { why: "each task can be worked on by itself".into(), handoffs },
        Next::Wait => Step::Wait,
        Next::AllIn => {
            let findings: Vec<Finding> = section.found(0).into_iter().cloned().collect();
            if findings.is_empty() {
                return report(transcript, findings);
            }
            let title = count(findings.len(), "finding").as_str().into();
            let parts = vec![Part::Plan { plan: section.plan.clone() }, Part::Findings { findings }];
            let merger = Sending { role: Role::new(Role::MERGER), task: None, title, parts };
            Step::HandOff { why: "all of the section is in".into(), handoffs: vec![merger] }
        }
    });
    next.unwrap_or_else(|| end(transcript, Some("there is no plan".into())))
}

/// A merger that fails costs the merging, not the findings.
fn merged(merger: &Sent) -> Vec<Finding> {
    let usable = merger.report.as_ref().filter(|(outcome, _)| outcome.usable());
    usable.map_or_else(|| merger.handoff.findings(), |(_, report)| report.findings()).to_vec()
}

/// Ends before its time: with what is there.
fn end(transcript: &Transcript, why: Option<Clean>) -> Step {
    let found = with_delegation(transcript, |section| section.found(0).into_iter().cloned().collect::<Vec<_>>());
    let found = found.unwrap_or_default();
    match report(transcript, found) {
        Step::Report { outcome, title, parts } => {
            let outcome = match why {
                Some(why) if outcome.usable() => Outcome::Partial(why),
                Some(why) => Outcome::Failed(why),
                None => outcome,
            };
            Step::Report { outcome, title, parts }
        }
        other => other,
    }
}

fn report(transcript: &Transcript, findings: Vec<Finding>) -> Step {
    let open = Outcome::Failed("its section ended before it did".into());
    let ends = with_delegation(transcript, |section| section.ends(&open)).unwrap_or_default();
    let short = ends.iter().filter(|end| !matches!(end.outcome, Outcome::Done | Outcome::NothingFound)).count();
    let title = format!("{} on {}", count(findings.len(), "finding"), count(ends.len(), "task"));
    let outcome = match (findings.is_empty(), short) {
        (false, 0) => Outcome::Done,
        (false, n) => Outcome::Partial(format!("{n} of {} did not finish", count(ends.len(), "task")).into()),
        (true, _) => nothing(transcript),
    };
    let mut parts = vec![Part::Ends { ends }];
    if !findings.is_empty() {
        parts.insert(0, Part::Findings { findings });
    }
    Step::Report { outcome, title: title.as_str().into(), parts }
}

/// How a section ended that found nothing.
fn nothing(transcript: &Transcript) -> Outcome {
    let ends: Vec<Outcome> = all_given(transcript).into_iter().filter_map(|given| given.end).collect();
    if let Some(stopped) = ends.iter().find(|end| matches!(end, Outcome::OutOfBudget(_))) {
        return stopped.clone();
    }
    let failed: Vec<&Outcome> = ends.iter().filter(|end| matches!(end, Outcome::Failed(_))).collect();
    match failed.first() {
        Some(Outcome::Failed(why)) if failed.len() == ends.len() => {
            Outcome::Failed(format!("everybody in it failed; the first: {why}").into())
        }
        _ if ends.is_empty() && given(transcript).next().is_none() => Outcome::Failed("nothing was handed out".into()),
        _ => Outcome::NothingFound,
    }
}
