//! Shares: the limits of each assignment to which work is handed, of what the run has left.
//!
//! Tasks get even shares, so that which call is refused does not depend on which came first. An editor gets the shares of its
//! tasks and hands them on in turn. Limits only get narrower on the way down.

use std::collections::BTreeSet;

use run::budget::{Draws, Limits};
use run::{Assignment, AssignmentId, Role, Run, TaskId, Team};
use specialist::Sending;

/// The limits of each of these handoffs, in their order.
pub(super) fn shares(run: &Run, team: &Team, by: &Assignment, handoffs: &[Sending]) -> Vec<Limits> {
    let one = of_one(run, team, by, handoffs);
    handoffs.iter().map(|sending| one.times(weight(team, sending))).collect()
}

/// Whether the calls of a role are paid from the part for work or from the reserve for landing.
pub(super) fn draws(team: &Team, role: &Role) -> Draws {
    if team.members.get(role).is_some_and(|member| member.lands) { Draws::Landing } else { Draws::Work }
}

/// How many shares a handoff gets: one for each task below it.
fn weight(team: &Team, sending: &Sending) -> u64 {
    match sending.payload.plan.as_ref().filter(|_| team.delegates(&sending.role)) {
        Some(plan) => (plan.tasks.iter().filter(|task| works(team, &task.role)).count() as u64).max(1),
        None => 1,
    }
}

fn works(team: &Team, role: &Role) -> bool {
    draws(team, role) == Draws::Work
}

/// The tasks of a handoff: its own, or those of its part of the plan.
fn tasks(sending: &Sending) -> Vec<TaskId> {
    match (sending.task, sending.payload.plan.as_ref()) {
        (Some(task), _) => vec![task],
        (None, Some(plan)) => plan.tasks.iter().map(|task| task.id).collect(),
        (None, None) => Vec::new(),
    }
}

/// The share of one task.
///
/// Tasks that wait for others have a share from the beginning, because what is left when they begin depends on which task
/// was quick.
fn of_one(run: &Run, team: &Team, by: &Assignment, handoffs: &[Sending]) -> Limits {
    // An editor shares out its own limits.
    if by.id != AssignmentId::ROOT
        && let Some(plan) = by.transcript.handoff.payload.plan.as_ref()
    {
        let tasks = plan.tasks.iter().filter(|task| works(team, &task.role)).count() as u64;
        return run.ledger.assignment(by.id).limits.shared_by(tasks);
    }
    let working: Vec<&Sending> = handoffs.iter().filter(|sending| works(team, &sending.role)).collect();
    let weights = || working.iter().map(|sending| weight(team, sending)).sum::<u64>();
    let left = || run.ledger.left_for_work();
    // Another attempt has a share already.
    let begins = |sending: &Sending| {
        let tasks = tasks(sending);
        sending.again.is_some() || !tasks.is_empty() && tasks.iter().all(|task| run.given(*task).next().is_none())
    };
    let Some(plan) = run.plan.as_ref().filter(|_| handoffs.iter().all(begins)) else {
        return left().shared_by(weights());
    };
    if let Some(first) = run.assignments.iter().find(|one| one.task.is_some() && one.parent() == Some(by.id)) {
        return run.ledger.assignment(first.id).limits;
    }
    let here: BTreeSet<TaskId> = handoffs.iter().flat_map(tasks).collect();
    let waiting = plan.tasks.iter().filter(|task| !here.contains(&task.id));
    let later = waiting.filter(|task| works(team, &task.role)).count() as u64;
    left().shared_by(weights() + later)
}
