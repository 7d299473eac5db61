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

/// A handoff as the transcript of its sender has it.
fn sent(opened: &Opened) -> Sent {
    Sent {
        to: opened.assignment,
        role: opened.role.clone(),
        task: opened.task,
        worker: opened.worker,
        again: opened.again,
        handoff: opened.handoff.clone(),
        report: None,
        failed_call: None,
        failed_answer: false,
    }
}

impl Run {
    pub(super) fn handed_off(
        &mut self,
        at: At,
        by: Option<AssignmentId>,
        (stage, why): (Stage, &Clean),
        opened: &[Opened],
    ) -> Option<()> {
        let fresh = opened.iter().filter(|opened| opened.instead_of.is_none());
        let sent: Vec<Sent> = fresh.map(sent).collect();
        let turn = match by {
            // Assignments that replace others take their places.
            Some(by) if !sent.is_empty() => {
                self.turn(at, by, Turn { stage, why: why.clone(), did: Did::HandOffs(sent) })?
            }
            _ => 0,
        };
        let mut places = 0..;
        for opened in opened {
            let (priority, deadline, turn_of_parent) = match opened.instead_of {
                Some(old) => self.replaced(old, opened)?,
                None => {
                    let (priority, deadline) = self.first_rank(by, opened);
                    (priority, deadline, (turn, places.next()?))
                }
            };
            self.open_account(by, opened);
            self.handoffs.push(opened.handoff.clone());
            let assignment = self.new_assignment(at, by, opened);
            self.register(Assignment { priority, deadline, turn_of_parent, ..assignment });
        }
        Some(())
    }

    fn open_account(&mut self, by: Option<AssignmentId>, opened: &Opened) {
        // Landing is paid from the run's part for it, not from the share of the assignment that asked for it.
        let above = match opened.draws {
            Draws::Work => by,
            Draws::Landing => by.map(|_| AssignmentId::ROOT),
        };
        self.ledger.open(opened.assignment, above, opened.limits, opened.draws);
    }

    /// An assignment as it begins, without its rank and its place in the turn of its parent.
    fn new_assignment(&self, at: At, by: Option<AssignmentId>, opened: &Opened) -> Assignment {
        let of_plan = |task| self.plan.as_ref()?.tasks.iter().zip(1..).find(|(one, _)| one.id == task);
        Assignment {
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
            priority: Priority::default(),
            deadline: None,
            paused: by.and_then(|by| self.assignment(by)).is_some_and(|parent| parent.paused),
            ending: None,
            order: opened.task.map_or(0, |task| of_plan(task).map_or(u32::MAX, |(_, place)| place)),
            turn_of_parent: (0, 0),
            calls: 0,
            ready_since: self.worked_until_last,
            waited: 0,
            watch: Stopwatch::default(),
            is_short: false,
            stopped: None,
        }
    }

    /// Takes in a new assignment, and counts it wherever open ones are counted.
    fn register(&mut self, assignment: Assignment) {
        let (id, place) = (assignment.id, self.assignments.len());
        if !self.delegates(&assignment.role) {
            self.open_specialists += 1;
            self.paused_specialists += usize::from(assignment.paused);
        }
        self.open.insert(id, place);
        self.delayed += usize::from(assignment.not_before.is_some());
        self.changes.insert((self.seq, id));
        if let Some(task) = assignment.task {
            self.given.entry(task).or_default().push(id);
        }
        Arc::make_mut(&mut self.places).insert(id, place);
        self.assignments.push(Arc::new(assignment));
        self.queue_up(id);
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
        let worked = self.worked_until_last;
        let assignment = self.assignment_mut(by)?;
        if assignment.ended.is_some() {
            return None;
        }
        assignment.ended = Some((outcome.clone(), handoff.clone()));
        assignment.touch(at, worked);
        let (paused, role, parent) = (assignment.paused, assignment.role.clone(), by.parent());
        let was_delayed = assignment.not_before.is_some();
        let goes_on = matches!(assignment.ending, Some(Ending::Replaced { with: None, .. }));
        let failed_call = assignment.transcript.failed_call().map(|fault| fault.class);
        let by_rule = handoff.payload.by_rule.is_some();
        let transcript = &assignment.transcript;
        let is_no_use = transcript.failed_answer(outcome, by_rule) || transcript.is_skipped();
        let failed_answer = assignment.ending.is_none() && is_no_use;
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
