//! The effects of steering on the state of a run: assignments that are paused, that go first, or that are replaced.

use std::sync::Arc;

use super::{Assignment, Ending, Run};
use crate::event::Opened;
use crate::id::{AssignmentId, At};
use crate::steer::{Message, Priority, Steer};
use crate::transcript::{Did, Sent};

impl Run {
    /// Whether every specialist that has work is paused by the person, so that nothing goes on before they say so.
    pub fn is_all_paused(&self) -> bool {
        self.paused_specialists > 0 && self.paused_specialists == self.open_specialists && self.under_way.is_empty()
    }

    /// Whether an open assignment could go on but for others who go first: it has not begun, or made way for one of them.
    pub fn waits_for_its_turn(&self, assignment: &Assignment) -> bool {
        let Some(opening) = &self.opening else { return false };
        let transcript = &assignment.transcript;
        let at_work = transcript.turns.last().is_some_and(|turn| turn.pending());
        let crowded = self.open_specialists > opening.team.parallel as usize;
        !opening.team.delegates(&assignment.role) && !at_work && (transcript.turns.is_empty() || crowded)
    }

    pub(super) fn steered(&mut self, at: At, id: AssignmentId, act: &Steer) -> Option<()> {
        if !matches!(act, Steer::Tell { .. }) {
            self.assignment(id)?.parent()?;
        }
        match act {
            Steer::Prioritise(priority) => self.for_each_under(id, |_, one| one.priority = *priority),
            Steer::Pause | Steer::Continue => {
                let paused = *act == Steer::Pause;
                self.for_each_under(id, |run, one| run.set_paused(one, paused));
            }
            Steer::Cancel => self.end_from_outside(id, &Ending::Cancelled),
            Steer::Retry | Steer::Reassign { .. } => {
                let role = match act {
                    Steer::Reassign { role } => role.clone(),
                    _ => self.assignment(id)?.role.clone(),
                };
                self.end_from_outside(id, &Ending::Cancelled);
                self.to_end.insert(id);
                let assignment = self.assignment_mut(id)?;
                assignment.ending = Some(Ending::Replaced { by: role, with: None });
                // Its parent waits again, for the assignment that takes its place.
                self.slot_of(id)?.report = None;
            }
            Steer::Tell { text } => {
                let transcript = Arc::make_mut(&mut self.assignment_mut(id)?.transcript);
                let before = u32::try_from(transcript.turns.len()).ok()?;
                transcript.messages.push(Message { text: text.clone(), before, at });
            }
        }
        Some(())
    }

    /// It is to be ended with those it leads, as far as they are open.
    pub(super) fn end_from_outside(&mut self, id: AssignmentId, ending: &Ending) {
        self.for_each_under(id, |run, one| {
            one.ending = Some(ending.clone());
            run.to_end.insert(one.id);
        });
    }

    /// Every open assignment from this one down.
    fn for_each_under(&mut self, id: AssignmentId, mut change: impl FnMut(&mut Run, &mut Assignment)) {
        // Taken out while they are changed, so that the run can be changed with them.
        let mut assignments = std::mem::take(&mut self.assignments);
        let under = |assignment: &&mut Arc<Assignment>| assignment.id == id || assignment.id.is_below(id);
        for assignment in assignments.iter_mut().filter(under).filter(|assignment| assignment.ended.is_none()) {
            change(self, Arc::make_mut(assignment));
        }
        self.assignments = assignments;
    }

    fn set_paused(&mut self, assignment: &mut Assignment, paused: bool) {
        if assignment.paused == paused {
            return;
        }
        assignment.paused = paused;
        if !self.delegates(&assignment.role) {
            match paused {
                true => self.paused_specialists += 1,
                false => self.paused_specialists -= 1,
            }
        }
        // Time in which it was paused is no time it waited for its turn.
        match paused {
            true if !assignment.transcript.waits() => assignment.has_waited(self.worked_until_last),
            true => {}
            false => assignment.ready_since = self.worked_until_last,
        }
    }

    /// The place for an assignment's report.
    pub(super) fn slot_of(&mut self, id: AssignmentId) -> Option<&mut Sent> {
        let assignment = self.assignment(id)?;
        let (turn, place) = assignment.turn_of_parent;
        let parent = assignment.parent()?;
        match &mut Arc::make_mut(&mut self.assignment_mut(parent)?.transcript).turn_mut(turn)?.did {
            Did::HandOffs(sent) => sent.get_mut(place as usize).filter(|sent| sent.to == id),
            _ => None,
        }
    }

    /// A fresh assignment takes the place of another: its slot, its priority, and its deadline while that has not passed.
    pub(super) fn replaced(
        &mut self,
        id: AssignmentId,
        opened: &Opened,
    ) -> Option<(Priority, Option<u64>, (u32, u32))> {
        let slot = self.slot_of(id)?;
        (slot.to, slot.role, slot.worker) = (opened.assignment, opened.role.clone(), opened.worker);
        slot.handoff = opened.handoff.clone();
        let worked = self.worked_until_last;
        let old = self.assignment_mut(id)?;
        let Some(Ending::Replaced { with, .. }) = &mut old.ending else { return None };
        *with = Some(opened.assignment);
        let (priority, deadline, place) = (old.priority, old.deadline, old.turn_of_parent);
        if old.ended.is_some() {
            self.to_end.remove(&id);
        }
        Some((priority, deadline.filter(|deadline| *deadline > worked), place))
    }
}
