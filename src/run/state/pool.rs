//! The pool: the part of the run's caps for work, and which assignments wait in line for a part of it.

use super::{Assignment, Run};
use crate::budget::{Amounts, Cap, Draws, Limits};
use crate::id::{AssignmentId, At, TaskId};

/// The caps that assignments by rule can use up.
const OF_RULES: [Cap; 2] = [Cap::Tokens, Cap::ToolCalls];
/// The caps that assignments with a model can use up.
const OF_MODELS: [Cap; 4] = [Cap::Money, Cap::Tokens, Cap::ToolCalls, Cap::Calls];

impl Run {
    /// The caps of the run of which a part is kept for an assignment before it begins; none for those that lead or land,
    /// and once the time for work is over.
    pub fn pool(&self, assignment: &Assignment, now: At) -> Limits {
        if !self.works(assignment) || self.ledger.is_time_up(assignment.id, self.worked(now)) {
            return Limits::default();
        }
        self.pool_of(self.model_of(assignment).is_some())
    }

    /// The same for work that a model is asked for, or that rules do.
    pub fn pool_of(&self, by_model: bool) -> Limits {
        self.ledger.for_work().only(if by_model { &OF_MODELS } else { &OF_RULES })
    }

    /// The amounts that had been taken of the caps before this round of tasks began.
    pub fn taken_before_round(&self) -> Amounts {
        self.round.0
    }

    /// The amounts that the assignments of a task have taken of the caps in this round of tasks.
    pub fn taken_for(&self, task: TaskId) -> Amounts {
        let of_round = |id: &&AssignmentId| self.places.get(*id).is_some_and(|place| *place >= self.round.1);
        let given = self.given.get(&task).into_iter().flatten().filter(of_round);
        given.fold(Amounts::default(), |sum, id| sum.plus(self.ledger.assignment(*id).committed()))
    }

    /// A round of tasks begins with a plan, and with the person's answer to findings, once all earlier tasks are through.
    pub(super) fn round_begins(&mut self) {
        if self.open().all(|one| one.task.is_none()) {
            self.round = (self.ledger.run().committed(), self.assignments.len());
        }
    }

    /// The assignments that wait for a part of the run's caps, in the order of the plan.
    pub fn line(&self, now: At) -> impl Iterator<Item = &Assignment> {
        let line = self.line.iter().filter_map(|(_, id)| self.assignment(*id));
        line.filter(move |one| self.is_in_line(one, now))
    }

    /// Whether an assignment waits for a part of the run's caps: for its first, or for more than is kept for it.
    pub fn is_in_line(&self, assignment: &Assignment, now: At) -> bool {
        let has_part = || self.ledger.assignment(assignment.id).allotted.is_some();
        assignment.ended.is_none()
            && (assignment.is_short || !has_part())
            && self.pool(assignment, now).caps().next().is_some()
    }

    /// Whether it waits for room that others have: it has not begun, or needs more to go on.
    pub fn waits_for_room(&self, assignment: &Assignment, now: At) -> bool {
        let waits = assignment.is_short || assignment.transcript.turns.is_empty();
        waits && self.ledger.allotted().next().is_some() && self.is_in_line(assignment, now)
    }

    /// Whether an assignment is paid from the part of the caps for work, and does not only lead others.
    fn works(&self, assignment: &Assignment) -> bool {
        self.ledger.draws(assignment.id) == Draws::Work && !self.delegates(&assignment.role)
    }

    /// Puts an assignment into the line.
    pub(super) fn queue_up(&mut self, id: AssignmentId) {
        if let Some(one) = self.assignment(id).filter(|one| self.works(one)) {
            let place = (one.order, id);
            self.line.insert(place);
        }
    }

    /// A part of the caps is kept for an assignment, or none any more; it waits in line no longer.
    pub(super) fn allotted(&mut self, id: AssignmentId, part: Option<Limits>) -> Option<()> {
        self.ledger.allot(id, part);
        let one = self.assignment_mut(id)?;
        one.is_short = false;
        let place = (one.order, id);
        self.line.remove(&place);
        Some(())
    }
}
