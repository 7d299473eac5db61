//! Mind: specialists. Each is a pure step over its own assignment and transcript.
//!
//! A specialist is never given anything else, never acts, and never sees another's transcript. Whether it
//! follows rules or asks a model, its contract is the same.

pub mod extractive;
pub mod gate;
pub mod inspect;
pub mod model;
mod numbers;
#[cfg(test)]
mod sample;
mod words;

use std::sync::Arc;

use run::brief::Draft;
use run::density::Estimate;
use run::handoff::Handoff;
pub use run::handoff::Sending;
use run::id::AssignmentId;
use run::stage::Leading;
use run::team::Worker;
use run::verdict::{Issue, Verdict};
use run::{Limits, ModelRequest, Outcome, Payload, Plan, Stage, Subject, ToolCall, Transcript};
use text::{Clean, count};

/// Steps of one assignment that may be refused; with one more it has failed.
pub const MOST_REFUSALS: usize = 2;

/// The next step of a specialist.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a step is made once a turn and moved, never kept")]
pub enum Step {
    /// Use tools, in parallel; the results come back in this order.
    Use { stage: Stage, why: Clean, requests: Vec<ToolCall> },
    /// Ask its model; the conversation so far is sent along.
    Ask { stage: Stage, why: Clean, request: ModelRequest },
    /// Hand work to others, in parallel.
    HandOff { stage: Stage, why: Clean, handoffs: Vec<Sending> },
    /// Make this the plan of the run.
    Adopt(Plan),
    /// Put this before the person, and wait for their answer.
    Checkpoint(Subject),
    /// End these assignments, which it handed out: the results that are in are enough.
    Enough { of: Vec<AssignmentId> },
    /// Lead no further by this model: another one goes on from here, or the rules of the team.
    Relieve {
        why: Clean,
        /// The fallback whose model goes on; None for the rules.
        to: Option<Worker>,
    },
    /// Report the result. This ends the assignment.
    Report {
        outcome: Outcome,
        /// Its title in a few words, for the list of handoffs.
        title: Clean,
        payload: Payload,
    },
    /// Nothing to do before something comes back.
    Wait,
}

impl Step {
    /// Reports work that is done.
    pub fn done(title: impl Into<Clean>, payload: Payload) -> Step {
        Step::Report { outcome: Outcome::Done, title: title.into(), payload }
    }

    /// Reports a failure, and nothing besides.
    pub fn failed(why: impl Into<Clean>) -> Step {
        Step::Report { outcome: Outcome::Failed(why.into()), title: "failed".into(), payload: Payload::default() }
    }

    /// Reports a draft.
    fn drafted(draft: Draft) -> Step {
        let title = format!("{}, {}", count(draft.words(), "word"), count(draft.sections.len(), "section"));
        Step::done(title, Payload { draft: Some(draft), ..Payload::default() })
    }

    /// Reports a verdict on a draft.
    fn judged(verdict: Verdict) -> Step {
        Step::done(verdict.to_string(), Payload { verdicts: Some(vec![verdict]), ..Payload::default() })
    }

    /// The stage of the turn that it is; None if it is no turn.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Step::Use { stage, .. } | Step::Ask { stage, .. } | Step::HandOff { stage, .. } => Some(*stage),
            Step::Adopt(_) => Some(Leading::Plan.into()),
            Step::Checkpoint(subject) => Some(subject.stage()),
            Step::Relieve { .. } => Some(Leading::TakeOver.into()),
            Step::Enough { .. } => Some(Leading::Research.into()),
            Step::Report { .. } | Step::Wait => None,
        }
    }
}

/// The input of a specialist besides its transcript.
#[derive(Clone, Copy, Debug)]
pub struct Assigned<'a> {
    pub id: AssignmentId,
    pub handoff: &'a Arc<Handoff>,
    /// Turns it may still take. By rule this one is included, and at 1 it has to report; with a model they are the answers that
    /// can still be asked for.
    pub turns_left: u32,
    /// Whether its time is over: it can only report what it has.
    pub is_over: bool,
    /// What its own account has left; what siblings take is not in it.
    pub left: Limits,
    /// The known figures of the tokens and bills of its model; None without a model.
    pub known: Option<Estimate>,
}

impl Assigned<'_> {
    /// The same at its end: it can only report what it has.
    pub fn over(self) -> Self {
        Assigned { turns_left: 1, is_over: true, ..self }
    }

    /// The issues that its draft has to mend.
    fn issues(&self) -> impl Iterator<Item = &Issue> {
        let issues = self.handoff.payload.verdicts().iter().flat_map(|verdict| &verdict.issues);
        issues.filter(|issue| issue.blocking)
    }
}

/// Decides the next step of one role.
pub trait Specialist: Send + Sync {
    /// The next step: a pure function of the arguments.
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step;
}

impl<S: Specialist + ?Sized> Specialist for &S {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        (**self).next(assigned, transcript)
    }
}
