//! Section: an editor leads a part of a plan by rules. It hands out the tasks, has the findings merged, and reports
//! them with the outcome of each task.
//!
//! An editor never requests a draft and never sees the rest of the plan.

use super::delegation::{Again, Delegation, Next, for_tasks, may_not_group, merged, task_attempts};
use super::failure_policy::Failures;
use run::finding::Finding;
use run::id::Role;
use run::join::Join;
use run::stage::Leading;
use run::transcript::{Did, Transcript};
use run::{Outcome, Payload, Subject, Team};
use specialist::{Assigned, Sending, Specialist, Step};
use text::{Clean, count};

/// Leads a section by a fixed order of stages.
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
        let Some(tasks) = tasks(self.team, transcript) else {
            let (outcome, payload) = (Outcome::Failed("there is no plan".into()), Payload::default());
            return Step::Report { outcome, title: "failed".into(), payload };
        };
        // Work under way is still used.
        let is_out = transcript.sent().any(|sent| sent.report.is_none());
        if assigned.turns_left <= 1 && !is_out {
            return cut_short(&tasks, "its editor ran out of turns".into());
        }
        let refused = transcript.turns.iter().rev().find_map(|turn| match &turn.did {
            Did::Refused { unsent: Some(unsent), .. } if unsent.role.as_str() == Role::EDITOR => None,
            Did::Refused { why, unsent } => Some((why, unsent)),
            _ => None,
        });
        let merger = transcript.sent().rfind(|sent| sent.role.as_str() == Role::MERGER);
        match (refused, merger) {
            _ if assigned.turns_left <= 1 => Step::Wait,
            (Some(_), _) if is_out => Step::Wait,
            // Without a merger, the findings are reported unmerged.
            (Some((_, Some(unsent))), _) if unsent.role.as_str() == Role::MERGER => {
                report(&tasks, unsent.payload.findings())
            }
            (Some((why, _)), _) => cut_short(&tasks, why.clone()),
            (None, Some(merger)) if merger.report.is_none() => Step::Wait,
            (None, Some(merger)) => report(&tasks, merged(merger)),
            (None, None) => hand_out(&tasks),
        }
    }
}

/// The report of an editor that is ended from outside: all findings so far, if there are any.
pub(super) fn left_behind(team: &Team, transcript: &Transcript, why: &Clean) -> Option<(Outcome, Clean, Payload)> {
    match cut_short(&tasks(team, transcript)?, why.clone()) {
        Step::Report { outcome, title, payload } if outcome.usable() => Some((outcome, title, payload)),
        _ => None,
    }
}

/// The tasks of a section and their progress; None without a plan.
fn tasks<'a>(team: &'a Team, transcript: &'a Transcript) -> Option<Delegation<'a>> {
    let handed = &transcript.handoff.payload;
    Some(Delegation {
        failures: Failures { transcript, team },
        question: handed.question.clone().unwrap_or_default(),
        named: for_tasks(handed),
        plan: handed.plan.as_ref()?,
        groups: if may_not_group(transcript) { &[] } else { handed.groups() },
        again: handed.findings.as_ref().map(|known| Again { known, wish: handed.notes().first() }),
        fails_at_once: false,
        merge: Join::BestEffort,
        had_enough: false,
    })
}

fn hand_out(tasks: &Delegation<'_>) -> Step {
    match tasks.next() {
        Next::HandOut { why, handoffs } => Step::HandOff { stage: Leading::Research.into(), why: why.into(), handoffs },
        Next::Ask(question) => Step::Checkpoint(Subject::Question(question)),
        Next::Fail(why) => cut_short(tasks, why.into()),
        Next::Wait | Next::Enough { .. } => Step::Wait,
        Next::AllIn => {
            let findings = found(tasks);
            if findings.is_empty() {
                return report(tasks, &findings);
            }
            let title = count(findings.len(), "finding");
            let question = Some(tasks.question.clone());
            let plan = Some(tasks.plan.clone());
            let payload = Payload { question, plan, findings: Some(findings), ..Payload::default() };
            let merger = Sending::new(&Role::new(Role::MERGER), title, payload);
            let why = "all of the section is in".into();
            Step::HandOff { stage: Leading::Merge.into(), why, handoffs: vec![merger] }
        }
    }
}

fn found(tasks: &Delegation<'_>) -> Vec<Finding> {
    tasks.found(0).into_iter().cloned().collect()
}

/// Reports the findings so far, and why the section ends early.
fn cut_short(tasks: &Delegation<'_>, why: Clean) -> Step {
    match report(tasks, &found(tasks)) {
        Step::Report { outcome, title, payload } => {
            let outcome = if outcome.usable() { Outcome::Partial(why) } else { Outcome::Failed(why) };
            Step::Report { outcome, title, payload }
        }
        other => other,
    }
}

fn report(tasks: &Delegation<'_>, findings: &[Finding]) -> Step {
    let ends = tasks.ends(&Outcome::Failed("its section ended before it did".into()));
    let short = ends.iter().filter(|end| !matches!(end.outcome, Outcome::Done | Outcome::NothingFound)).count();
    let title = format!("{} on {}", count(findings.len(), "finding"), count(ends.len(), "task"));
    let outcome = match (findings.is_empty(), short) {
        (false, 0) => Outcome::Done,
        (false, n) => Outcome::Partial(format!("{n} of {} did not finish", count(ends.len(), "task")).into()),
        (true, _) => nothing(tasks),
    };
    let findings = Some(findings.to_vec()).filter(|findings| !findings.is_empty());
    let payload = Payload { findings, ends: Some(ends), ..Payload::default() };
    Step::Report { outcome, title: title.as_str().into(), payload }
}

/// The outcome of a section that found nothing.
fn nothing(tasks: &Delegation<'_>) -> Outcome {
    let attempts = task_attempts(tasks.failures);
    let ends: Vec<&Outcome> = attempts.iter().filter_map(|attempt| attempt.end.as_ref()).collect();
    if let Some(stopped) = ends.iter().find(|end| matches!(end, Outcome::OutOfBudget(_))) {
        return (*stopped).clone();
    }
    let mut failures = ends.iter().filter_map(|end| if let Outcome::Failed(why) = end { Some(why) } else { None });
    match failures.next() {
        Some(first) if failures.count() + 1 == ends.len() => {
            Outcome::Failed(format!("every task of it failed; the first: {first}").into())
        }
        _ if attempts.is_empty() => Outcome::Failed("nothing was handed out".into()),
        _ => Outcome::NothingFound,
    }
}
