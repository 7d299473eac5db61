//! Fails assignments past their total or idle timeout.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Action, Decision};
use run::id::At;
use run::{Assignment, Limits, Outcome, Payload};
use specialist::{Assigned, Step};
use text::Clean;

impl Decision<'_> {
    /// Fails assignments past a timeout: their calls are given up, and they report what they have. Looks again when the next
    /// timeout passes. Their failure policy applies.
    pub(super) fn fail_overdue(&mut self) {
        let team = &self.opening.team;
        if team.members.values().all(|member| member.timeouts.is_none()) {
            return;
        }
        let worked = self.run.worked(self.now);
        for assignment in self.run.open().filter(|assignment| !team.delegates(&assignment.role)) {
            let Some(timeouts) = team.members.get(&assignment.role).map(|member| member.timeouts) else { continue };
            if let Some(why) = timeouts.passed(&assignment.watch, worked) {
                let why = Clean::from(why);
                self.give_up_calls(assignment.id, &why);
                let payload = self.salvaged(assignment, &why);
                self.report(assignment, Outcome::Failed(why), "failed".into(), payload);
            } else if let Some(left) = timeouts.next(&assignment.watch, worked).filter(|_| self.run.is_working()) {
                let left = i64::try_from(left).unwrap_or(i64::MAX);
                self.actions.push(Action::LookAgain(At(self.now.0.saturating_add(left))));
            }
        }
    }

    /// What it would report at its last turn, if all that it waits for had failed; or else the reason alone.
    fn salvaged(&self, assignment: &Assignment, why: &Clean) -> Payload {
        let specialist = self.roster.specialist(&self.opening.team, &assignment.role, assignment.worker);
        let mut transcript = (*assignment.transcript).clone();
        transcript.fail_what_is_pending(why);
        let (id, left) = (assignment.id, Limits::default());
        let assigned = Assigned { id, handoff: &assignment.transcript.handoff, turns_left: 1, left };
        let last = || specialist.map(|specialist| specialist.next(assigned, &transcript));
        match catch_unwind(AssertUnwindSafe(last)) {
            Ok(Some(Step::Report { payload, .. })) if !payload.is_empty() => payload,
            _ => Payload::note(why.clone()),
        }
    }
}
