//! The effects of breakpoints on the state of a run: the events that met one, and the assignments that stand still.

use std::sync::Arc;

use super::{Hit, Run};
use crate::breakpoint::{BreakpointNo, Condition, Crossing, may_stop_at};
use crate::checkpoint::stop::{Answer, What};
use crate::checkpoint::{Checkpoint, Subject};
use crate::describe;
use crate::event::{Envelope, Event};
use crate::id::{AssignmentId, At, CheckpointId};
use crate::steer::Steer;
use crate::{Assignment, Money};

impl Run {
    /// The number of the next breakpoint.
    pub fn next_breakpoint(&self) -> BreakpointNo {
        BreakpointNo(self.last_breakpoint.0 + 1)
    }

    /// Whether a breakpoint can be set.
    ///
    /// # Errors
    /// It is set already, can never be met, or the run has ended: in words for the person.
    pub fn may_break(&self, on: &Condition) -> Result<(), String> {
        if let Some(set) = self.breakpoints.iter().find(|set| set.on == *on) {
            return Err(format!("{on} is set already: it is breakpoint {}", set.no));
        }
        self.never_met(on).map_or(Ok(()), Err)
    }

    /// The conditions that stop the run: its breakpoints, and the one that it goes on to after the last stop.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.breakpoints.iter().map(|set| &set.on).chain(&self.until)
    }

    /// Whether the run may stop at a breakpoint: then each event is decided on by itself.
    pub fn is_debugged(&self) -> bool {
        !self.breakpoints.is_empty() || self.until.is_some()
    }

    /// Whether nothing new starts before the person has answered at a breakpoint.
    pub fn is_stopped(&self) -> bool {
        self.waiting().any(|open| open.stop().is_some_and(|stop| !stop.others_go_on))
    }

    /// The stop at which an assignment stands, answered or not.
    pub fn stop_of(&self, assignment: &Assignment) -> Option<&Checkpoint> {
        self.checkpoint(assignment.stopped?)
    }

    /// Whether the person dropped the handoff of an assignment at a breakpoint, so that nobody ever worked on it.
    pub fn was_dropped(&self, assignment: &Assignment) -> bool {
        let handoff = &assignment.transcript.handoff;
        let stops = self.checkpoints.iter().rev().filter(|one| Some(one.by) == assignment.parent());
        let dropped = stops.filter_map(Checkpoint::stop).find_map(|stop| match &stop.what {
            What::Handoffs { handoffs, .. } => Some(handoffs.iter().any(|waiting| {
                waiting.is_dropped && waiting.sending.role == assignment.role && waiting.sending.title == handoff.title
            })),
            _ => None,
        });
        assignment.transcript.turns.is_empty() && dropped == Some(true)
    }

    /// The cost of the run, with the possible cost of calls in doubt.
    pub(super) fn cost(&self) -> Money {
        let account = self.ledger.run();
        account.spent.plus(account.in_doubt).money()
    }

    /// Whether the handoff or call of an event has stood at a breakpoint before.
    pub(super) fn stands_at(&self, event: &Event) -> bool {
        let by = match event {
            Event::HandedOff { by, .. } => *by,
            Event::Reported { by, .. } => Some(*by),
            _ => None,
        };
        by.and_then(|by| self.assignment(by)).is_some_and(|by| by.stopped.is_some())
    }

    pub(super) fn stopped_at(&mut self, id: CheckpointId, by: AssignmentId, subject: &Arc<Subject>) -> Option<()> {
        self.until = None;
        if let Subject::Stop(stop) = &**subject
            && let What::Happened { seq, .. } = stop.what
        {
            self.hits.retain(|hit| hit.seq != seq);
        }
        self.assignment_mut(by)?.stopped = Some(id);
        self.checkpoints.push(Checkpoint::open(id, by, subject.clone()));
        Some(())
    }

    pub(super) fn stop_answered(&mut self, at: At, by: AssignmentId, of: &Subject, answer: &Answer) -> Option<()> {
        if let Answer::Go { until } = answer {
            self.until.clone_from(until);
        }
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(by)?;
        assignment.make_ready(at, worked);
        // An event that has happened already needs nothing more.
        if matches!(of, Subject::Stop(stop) if matches!(stop.what, What::Happened { .. })) {
            assignment.stopped = None;
            Arc::make_mut(&mut assignment.transcript).goes_out(at);
        }
        Some(())
    }

    /// Notes an event that met a breakpoint, and lets go the message that was sent, refused or dropped at one.
    pub(super) fn compare_with_breakpoints(&mut self, envelope: &Envelope, cost: Money, stood: bool) {
        self.let_go(&envelope.event);
        if self.is_debugged() && may_stop_at(&envelope.event) {
            let met = self.met_after(&envelope.event, cost, stood);
            if let Some(by) = self.stands_for(&envelope.event).filter(|_| !met.is_empty()) {
                if self.until.as_ref().is_some_and(|until| met.contains(until)) {
                    self.until = None;
                }
                let line = describe::describe(envelope, self).lines.into_iter().next();
                let says = line.map(|line| format!("{} {} {}", line.subject, line.word, line.sentence));
                let says = text::Clean::line(says.unwrap_or_default().trim());
                self.hits.push(Hit { seq: envelope.seq, by, met, says });
            }
        }
    }

    fn let_go(&mut self, event: &Event) {
        let by = match event {
            // A replacement is handed out by the person, not by the one that stands.
            Event::HandedOff { by: Some(by), opened, .. } if opened.iter().any(|one| one.instead_of.is_none()) => *by,
            Event::StepRefused { by, .. } | Event::Reported { by, .. } => *by,
            Event::Steered { assignment, act: Steer::Tell { .. } } => *assignment,
            _ => return,
        };
        let answered = self.assignment(by).and_then(|one| self.stop_of(one)).is_some_and(|stop| stop.answer.is_some());
        if answered && let Some(assignment) = self.assignment_mut(by) {
            assignment.stopped = None;
        }
    }

    fn met_after(&self, event: &Event, cost: Money, stood: bool) -> Vec<Condition> {
        let cost = (cost, self.cost());
        let crossed = |on: &Condition| match event {
            _ if stood => false,
            Event::HandedOff { by: Some(by), opened, .. } => {
                let from = self.assignment(*by).map(|by| &by.role);
                opened.iter().any(|one| {
                    let payload = &one.handoff.payload;
                    on.is_crossed(&Crossing { from, to: Some(&one.role), payload, report: None })
                })
            }
            Event::Reported { by, outcome, handoff } => {
                let role = |id| self.assignment(id).map(|one| &one.role);
                let (from, to) = (role(*by), by.parent().and_then(role));
                on.is_crossed(&Crossing { from, to, payload: &handoff.payload, report: Some((*by, outcome)) })
            }
            _ => false,
        };
        self.conditions().filter(|on| on.has_happened(event, cost) || crossed(on)).cloned().collect()
    }

    /// The assignment that stands still for an event: the one it is about, or the next one above it that is open.
    fn stands_for(&self, event: &Event) -> Option<AssignmentId> {
        if self.ended().is_some() {
            return None;
        }
        let of = match event {
            Event::RanShort { assignment }
            | Event::Steered { assignment, .. }
            | Event::NoLongerNeeded { assignment } => *assignment,
            _ => event.by().unwrap_or(AssignmentId::ROOT),
        };
        let open = |id: &AssignmentId| self.assignment(*id).is_none_or(|one| one.ended.is_none());
        std::iter::successors(Some(of), |id| id.parent()).find(open)
    }
}
