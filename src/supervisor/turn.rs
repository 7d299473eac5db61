//! Whose turn it is to hand out work, where several lead at the same time.
//!
//! Assignments are numbered as they are opened, and what they find is named after them. So that the names do not depend
//! on who was quick, those who lead under the supervisor hand out by the order of what they waited for: a handoff that
//! rests on the end of an assignment is made when all that were opened before that one have ended too, and of several
//! the one that rests on the earliest is made first. The first handoff of each rests on nothing and is made at once.

use std::collections::BTreeSet;

use crate::run::handoff::Parts;
use crate::run::{Assignment, AssignmentId, Run, TaskId, Team};
use crate::specialist::Sending;

/// The first assignment that is open and leads nobody: what rests on it, or on one after it, has to wait.
pub(super) fn frontier(run: &Run, team: &Team) -> Option<AssignmentId> {
    run.open().find(|assignment| !team.leads(&assignment.role)).map(|assignment| assignment.id)
}

/// Whether it is certain that one who leads has nothing to do but wait, without asking it.
pub(super) fn waits(run: &Run, leader: &Assignment, frontier: Option<AssignmentId>) -> bool {
    let Some(last) = leader.transcript.turns.last() else { return false };
    if last.pending() {
        // Only tasks that wait for others can begin before all are back.
        return leader
            .transcript
            .handoff
            .plan()
            .is_some_and(|plan| plan.tasks.iter().all(|task| task.after.is_empty()));
    }
    frontier.is_some_and(|frontier| latest_below(run, leader).is_some_and(|latest| latest > frontier))
}

/// The assignment on whose end these handoffs rest; None if they rest on nothing.
pub(super) fn rests_on(run: &Run, leader: &Assignment, handoffs: &[Sending]) -> Option<AssignmentId> {
    let plan = leader.transcript.handoff.plan();
    let mut after: BTreeSet<TaskId> = BTreeSet::new();
    for sending in handoffs {
        let task = sending.task.and_then(|id| plan.as_ref()?.task(id));
        let Some(task) = task else { return latest_below(run, leader) };
        after.extend(&task.after);
    }
    let waited = leader.transcript.sent().filter(|sent| sent.task.is_some_and(|task| after.contains(&task)));
    waited.map(|sent| sent.to).max()
}

/// The latest assignment that it opened, or that was opened below it.
fn latest_below(run: &Run, leader: &Assignment) -> Option<AssignmentId> {
    let own = leader.transcript.sent().map(|sent| sent.to);
    own.filter_map(|id| run.assignment(id)).map(|below| latest_below(run, below).unwrap_or(below.id)).max()
}
