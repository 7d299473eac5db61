//! Whether an event fits the state of a run. One that does not (of a damaged or newer journal) changes nothing.
//!
//! Asked before anything is changed, so that no event is taken in by half.

use std::collections::BTreeSet;

use super::{Assignment, Ending, Intent, Run};
use crate::checkpoint::{Answer, budget};
use crate::event::{Admission, Event, Opened};
use crate::id::{AssignmentId, CallId};
use crate::steer::Steer;
use crate::transcript::{Did, Sent};

impl Run {
    /// Whether everything that the event names is there, and in a state in which that can happen to it.
    pub(super) fn fits(&self, event: &Event) -> bool {
        match event {
            Event::RunOpened(_) => self.opening.is_none(),
            Event::Forked(fork) => self.fork_fits(fork),
            Event::HandedOff { by, opened, .. } => self.handoffs_fit(*by, opened),
            Event::ToolsCalled { by, .. }
            | Event::ModelCalled { by, .. }
            | Event::PlanAdopted { by, .. }
            | Event::StepRefused { by, .. }
            | Event::Relieved { by, .. }
            | Event::Noted { by, .. }
            | Event::CheckpointOpened { by, .. } => self.is_there(*by),
            Event::Allotted { parts } => {
                parts.iter().all(|part| self.assignment(part.to).is_some_and(|one| one.ended.is_none()))
            }
            Event::RanShort { assignment } => self.assignment(*assignment).is_some_and(|one| one.ended.is_none()),
            Event::CallAdmitted { call, admission, .. } => {
                self.queued.contains_key(call) && *admission != Admission::Queued && self.intent(*call).is_some()
            }
            Event::ToolStarted { call } | Event::ToolReturned { call, .. } | Event::ToolFailed { call, .. } => {
                self.under_way.contains_key(call) && matches!(self.intent(*call), Some(Intent::Tool(_)))
            }
            Event::AttemptSent { call, attempt } | Event::AttemptFailed { call, attempt, .. } => {
                self.is_tried(*call, *attempt)
            }
            Event::ModelReplied { call, .. } => self.under_way.contains_key(call) && self.asks_a_model(*call),
            Event::AttemptDue { call, .. } | Event::ModelFailed { call, .. } => {
                self.faulted.contains_key(call) && self.asks_a_model(*call)
            }
            Event::DoubtAnswered { call, .. } => self.in_doubt.contains_key(call) && self.intent(*call).is_some(),
            Event::CheckpointEdited { checkpoint, edit } => {
                self.checkpoint(*checkpoint).is_some_and(|one| one.clone().edited(edit).is_some())
            }
            Event::CheckpointAnswered { checkpoint, answer, .. } => self.checkpoint(*checkpoint).is_some_and(|one| {
                one.answer.is_none() && one.subject.said(answer).is_some() && self.may_raise(answer)
            }),
            Event::BreakpointSet { breakpoint, on } => {
                *breakpoint > self.last_breakpoint && self.breakpoints.iter().all(|set| set.on != *on)
            }
            Event::BreakpointCleared { breakpoint } => self.breakpoints.iter().any(|set| set.no == *breakpoint),
            Event::CapRaised { to } => self.ledger.run().limits.raised(*to).is_ok(),
            Event::Reported { by, .. } => self.assignment(*by).is_some_and(|assignment| {
                let waited_for = assignment.parent().is_none() || self.sent_to(*by).is_some();
                assignment.ended.is_none() && (waited_for || self.is_to_be_replaced(*by))
            }),
            Event::Steered { assignment, act: Steer::Retry | Steer::Reassign { .. } } => {
                self.sent_to(*assignment).is_some()
            }
            Event::Steered { assignment, act: Steer::Tell { .. } } => {
                let leads = |one: &Assignment| one.parent().is_none() && self.is_led_by_model();
                self.assignment(*assignment).is_some_and(|one| one.parent().is_some() || leads(one))
            }
            Event::Steered { assignment, .. } | Event::NoLongerNeeded { assignment } => {
                self.assignment(*assignment).is_some_and(|one| one.parent().is_some())
            }
            Event::Attached { .. }
            | Event::StoodStill { .. }
            | Event::SourcesRead { .. }
            | Event::SourcesChanged { .. }
            | Event::Paused
            | Event::Continued
            | Event::Cancelled => true,
        }
    }

    /// Whether these assignments have names of their own, and those that they replace are to be replaced.
    fn handoffs_fit(&self, by: Option<AssignmentId>, opened: &[Opened]) -> bool {
        // A name says who handed it out, and is given once.
        let mut names = BTreeSet::new();
        let are_named = opened
            .iter()
            .map(|opened| opened.assignment)
            .all(|name| name.parent() == by && !self.places.contains_key(&name) && names.insert(name));
        let mut replaced: Vec<AssignmentId> = opened.iter().filter_map(|opened| opened.instead_of).collect();
        replaced.sort_unstable();
        let each_once = replaced.windows(2).all(|two| two[0] != two[1]);
        let waits = |id: &AssignmentId| self.sent_to(*id).is_some() && self.is_to_be_replaced(*id);
        by.is_none_or(|by| self.is_there(by)) && are_named && each_once && replaced.iter().all(waits)
    }

    /// Whether caps are higher after an answer that raises them.
    fn may_raise(&self, answer: &Answer) -> bool {
        let Answer::Budget(budget::Answer::Raise { to }) = answer else { return true };
        self.ledger.run().limits.raised(*to).is_ok()
    }

    fn is_there(&self, id: AssignmentId) -> bool {
        self.assignment(id).is_some()
    }

    /// Whether another is to take its place, or has.
    fn is_to_be_replaced(&self, id: AssignmentId) -> bool {
        self.assignment(id).is_some_and(|one| matches!(one.ending, Some(Ending::Replaced { .. })))
    }

    /// The place for its report.
    fn sent_to(&self, id: AssignmentId) -> Option<&Sent> {
        let assignment = self.assignment(id)?;
        let (turn, place) = assignment.turn_of_parent;
        match &self.assignment(assignment.parent()?)?.transcript.turns.get(turn as usize)?.did {
            Did::HandOffs(sent) => sent.get(place as usize).filter(|sent| sent.to == id),
            _ => None,
        }
    }

    fn asks_a_model(&self, call: CallId) -> bool {
        matches!(self.intent(call), Some(Intent::Model(_)))
    }

    /// Whether a call of a model is under way, and this is its attempt.
    pub fn is_tried(&self, call: CallId, attempt: u32) -> bool {
        let last = match self.intent(call).filter(|_| self.under_way.contains_key(&call)) {
            Some(Intent::Model(exchange)) => exchange.attempts.last(),
            Some(Intent::Tool(_)) | None => None,
        };
        last.is_some_and(|last| last.n == attempt)
    }
}
