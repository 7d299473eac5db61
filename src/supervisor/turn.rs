//! Whose turn it is to hand out work, where several lead at the same time.
//!
//! Assignments are numbered as they are opened, and what they find is named after them. So that the names do not depend
//! on who was quick, those who lead under the supervisor hand out by the order of what they waited for: a step that rests
//! on the end of an assignment is taken when all that were opened before that one have ended too, and of several the one
//! that rests on the earliest is taken first. The first handoff of each rests on nothing and is made at once.

use std::collections::BTreeSet;

use run::handoff::Parts;
use run::transcript::{Did, Sent};
use run::{Assignment, AssignmentId, Outcome, Plan, Role, Run, Subject, TaskId, Team};
use specialist::{Sending, Step};

/// The first assignment that is open and leads nobody: what rests on it, or on one after it, has to wait.
pub(super) fn frontier(run: &Run, team: &Team) -> Option<AssignmentId> {
    run.open().find(|assignment| !team.leads(&assignment.role)).map(|assignment| assignment.id)
}

/// Whether it is certain that one who leads has nothing to do but wait, without asking it.
pub(super) fn waits(run: &Run, leader: &Assignment, frontier: Option<AssignmentId>) -> bool {
    let Some(Did::HandOffs(last)) = leader.transcript.turns.last().map(|turn| &turn.did) else { return false };
    let free = |plan: &Plan| plan.tasks.iter().all(|task| task.after.is_empty());
    let fell_short = |sent: &Sent| matches!(sent.report, Some((Outcome::Failed(_) | Outcome::Partial(_), _)));
    // Tasks that wait for others, and what is tried again, can begin before all are back.
    if !leader.transcript.handoff.plan().is_some_and(free) || leader.transcript.sent().any(fell_short) {
        return false;
    }
    if leader.transcript.sent().any(|sent| sent.report.is_none()) {
        return true;
    }
    let merged = last.first().is_some_and(|sent| sent.role.as_str() == Role::MERGER);
    let rests_on_others = |frontier| latest_below(run, leader).is_some_and(|latest| latest > frontier);
    !merged && frontier.is_some_and(rests_on_others)
}

/// Whether a step has to wait for its turn: assignments and questions to the person are numbered as they come.
pub(super) fn takes_turns(step: &Step) -> bool {
    matches!(step, Step::HandOff { .. } | Step::Checkpoint(_))
}

/// The assignment on whose end a step rests; None if it rests on nothing.
pub(super) fn rests_on(run: &Run, leader: &Assignment, step: &Step) -> Option<AssignmentId> {
    match step {
        Step::HandOff { handoffs, .. } => handoffs_rest_on(run, leader, handoffs),
        Step::Checkpoint(Subject::Question(question)) => question.about.or_else(|| latest_below(run, leader)),
        _ => None,
    }
}

fn handoffs_rest_on(run: &Run, leader: &Assignment, handoffs: &[Sending]) -> Option<AssignmentId> {
    let plan = leader.transcript.handoff.plan();
    let mut after: BTreeSet<TaskId> = BTreeSet::new();
    for sending in handoffs {
        if sending.again.is_some() {
            return sending.again;
        }
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
