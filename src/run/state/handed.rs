//! Assignments as they are handed out, and as they report. Chooses none: `decide` does.

use std::sync::Arc;

use super::{Assignment, Ending, Run};
use crate::budget::Draws;
use crate::event::Opened;
use crate::foreign::Pricing;
use crate::handoff::{Handoff, Outcome};
use crate::id::{AssignmentId, At, Role};
use crate::stage::Stage;
use crate::steer::Priority;
use crate::timeouts::Stopwatch;
use crate::transcript::{Did, Sent, Transcript, Turn};
use text::Clean;

impl Run {
    pub(super) fn handed_off(
        &mut self,
        at: At,
        by: Option<AssignmentId>,
        (stage, why): (Stage, &Clean),
        opened: &[Opened],
    ) -> Option<()> {
        let fresh = opened.iter().filter(|opened| opened.instead_of.is_none());
        let sent: Vec<Sent> = fresh
            .map(|o| Sent {
                to: o.assignment,
                role: o.role.clone(),
                task: o.task,
                worker: o.worker,
                again: o.again,
                handoff: o.handoff.clone(),
                report: None,
                failed_call: None,
                failed_answer: false,
            })
            .collect();
        let turn = match by {
            // What takes the place of others stands where they stood.
            Some(by) if !sent.is_empty() => {
                self.turn(at, by, Turn { stage, why: why.clone(), did: Did::HandOffs(sent) })?
            }
            _ => 0,
        };
        let mut places = 0..;
        for opened in opened {
            let (priority, deadline, place) = match opened.instead_of {
                Some(old) => self.replaced(old, opened)?,
                None => {
                    let (priority, deadline) = self.first_rank(by, opened);
                    (priority, deadline, (turn, places.next()?))
                }
            };
            let paused = by.and_then(|by| self.assignment(by)).is_some_and(|parent| parent.paused);
            let of_plan = |task| self.plan.as_ref()?.tasks.iter().zip(1..).find(|(one, _)| one.id == task);
            let order = opened.task.map_or(0, |task| of_plan(task).map_or(u32::MAX, |(_, place)| place));
            if !self.delegates(&opened.role) {
                self.open_specialists += 1;
                self.paused_specialists += usize::from(paused);
            }
            // Landing is paid from what the run keeps for it, not from the share of the assignment that asked for it.
            let account_above = match opened.draws {
                Draws::Work => by,
                Draws::Landing => by.map(|_| AssignmentId::ROOT),
            };
            self.ledger.open(opened.assignment, account_above, opened.limits, opened.draws);
            self.handoffs.push(opened.handoff.clone());
            self.open.insert(opened.assignment, self.assignments.len());
            self.delayed += usize::from(opened.not_before.is_some());
            self.changes.insert((self.seq, opened.assignment));
            if let Some(task) = opened.task {
                self.given.entry(task).or_default().push(opened.assignment);
            }
            Arc::make_mut(&mut self.places).insert(opened.assignment, self.assignments.len());
            self.assignments.push(Arc::new(Assignment {
                id: opened.assignment,
                role: opened.role.clone(),
                task: opened.task,
                worker: opened.worker,
                told: opened.told.clone(),
                pricing: Pricing::default(),
                not_before: opened.not_before,
                transcript: Arc::new(Transcript::new(opened.handoff.clone())),
                ended: None,
                opened_at: at,
                touched_at: at,
                opened_after: self.worked_until_last,
                touched_after: self.worked_until_last,
                changed: self.seq,
                priority,
                deadline,
                paused,
                ending: None,
                order,
                turn_of_parent: place,
                calls: 0,
                ready_since: self.worked_until_last,
                waited: 0,
                watch: Stopwatch::default(),
                is_short: false,
                stopped: None,
            }));
            self.queue_up(opened.assignment);
        }
        Some(())
    }

    /// Its first priority and deadline: of the plan, else of its member, else of its parent; of deadlines the earliest.
    fn first_rank(&self, by: Option<AssignmentId>, opened: &Opened) -> (Priority, Option<u64>) {
        let task = opened.handoff.payload.task();
        let member = self.opening.as_ref().and_then(|opening| opening.team.members.get(&opened.role));
        let parent = by.and_then(|by| self.assignment(by));
        let priority = task
            .and_then(|task| task.priority)
            .or_else(|| member.and_then(|member| member.priority))
            .or_else(|| parent.map(|parent| parent.priority));
        let deadlines = task.and_then(|task| task.deadline).into_iter().chain(parent.and_then(|p| p.deadline));
        (priority.unwrap_or_default(), deadlines.min())
    }

    pub(super) fn delegates(&self, role: &Role) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.team.delegates(role))
    }

    pub(super) fn reported(
        &mut self,
        at: At,
        by: AssignmentId,
        outcome: &Outcome,
        handoff: &Arc<Handoff>,
    ) -> Option<()> {
        let assignment = self.assignment_mut(by)?;
        if assignment.ended.is_some() {
            return None;
        }
        assignment.ended = Some((outcome.clone(), handoff.clone()));
        assignment.touched_at = at;
        let (paused, role, parent) = (assignment.paused, assignment.role.clone(), by.parent());
        let was_delayed = assignment.not_before.is_some();
        let goes_on = matches!(assignment.ending, Some(Ending::Replaced { with: None, .. }));
        let failed_call = assignment.transcript.failed_call().map(|fault| fault.class);
        let by_rule = handoff.payload.by_rule.is_some();
        let failed_answer = assignment.ending.is_none() && assignment.transcript.failed_answer(outcome, by_rule);
        self.open.remove(&by);
        self.delayed -= usize::from(was_delayed);
        self.allotted(by, None);
        if !self.delegates(&role) {
            self.open_specialists -= 1;
            self.paused_specialists -= usize::from(paused);
        }
        if !goes_on {
            self.to_end.remove(&by);
        }
        self.queued.retain(|call, _| call.assignment != by);
        self.faulted.retain(|call, _| call.assignment != by);
        let doubted = self.in_doubt.extract_if(.., |call, _| call.assignment == by).collect::<Vec<_>>();
        doubted.into_iter().for_each(|(call, reserved)| self.settle_doubt(call, reserved));
        self.handoffs.push(handoff.clone());
        if parent.is_some() {
            match self.slot_of(by) {
                Some(slot) => {
                    slot.report = Some((outcome.clone(), handoff.clone()));
                    (slot.failed_call, slot.failed_answer) = (failed_call, failed_answer);
                }
                // Another has taken its place: nobody waits for it.
                None => self.assignment(by).filter(|a| matches!(a.ending, Some(Ending::Replaced { .. }))).map(drop)?,
            }
        }
        Some(())
    }
}
