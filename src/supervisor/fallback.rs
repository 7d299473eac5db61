//! Fallbacks: the other models of a role that can take over work.
//!
//! If another model can take over, a call is retried for seconds; if none can, for minutes.

use super::failure_policy::Failures;
use run::attempt::About;
use run::team::{FailureStep, Team, Worker};
use run::{Assignment, CallId, ModelId, Role, Run};

/// The kinds of fallback that a call has, by its failure policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// Another model.
    pub model: bool,
    /// A model of another provider.
    pub provider: bool,
}

/// The kinds of fallback that a call has.
pub fn elsewhere(run: &Run, call: CallId) -> Elsewhere {
    let Some(assignment) = run.assignment(call.assignment) else { return Elsewhere::default() };
    let takes_over = |about| takes_over(run, assignment, about);
    Elsewhere { model: takes_over(About::Model), provider: takes_over(About::Key) }
}

/// Whether the failure policy of an assignment has another model for its work that a failure about `about` does not
/// concern.
pub(super) fn takes_over(run: &Run, assignment: &Assignment, about: About) -> bool {
    let (Some(opening), Some(model)) = (&run.opening, run.model_of(assignment)) else { return false };
    let (team, role) = (&opening.team, &assignment.role);
    // Nearly all roles have one model: return before reading the handoffs.
    if untried(team, role, &[assignment.worker]).next().is_none() {
        return false;
    }
    let parent = assignment.parent().and_then(|id| run.assignment(id));
    let tried = parent.and_then(|parent| {
        let failures = Failures { transcript: &parent.transcript, team };
        let sent = parent.transcript.sent().find(|sent| sent.to == assignment.id)?;
        Some(failures.tried(sent))
    });
    let is_free = |other: &ModelId| match about {
        About::Model => *other != model.id,
        About::Key | About::Address => other.provider != model.id.provider,
        About::Request | About::Machine => false,
    };
    untried(team, role, tried.as_deref().unwrap_or(&[assignment.worker]))
        .filter_map(|worker| team.model_of(role, worker))
        .any(|other| is_free(&other.id) && run.latch_on(&other.id).is_none())
}

/// The models of a role that its failure policy has left after these workers.
pub(super) fn untried<'a>(team: &'a Team, role: &'a Role, tried: &'a [Worker]) -> impl Iterator<Item = Worker> + 'a {
    let policy = team.members.get(role).map_or(&[][..], |member| &member.on_failure);
    let steps = policy.iter().filter(|step| **step == FailureStep::Failover).count();
    let mut passed = tried.to_vec();
    let rest = std::iter::from_fn(move || {
        let next = team.next_fallback(role, &passed).filter(|worker| *worker != Worker::Rules)?;
        passed.push(next);
        Some(next)
    });
    rest.filter(move |_| steps >= tried.len())
}
