//! Who has not reported in the time its member has, or has heard nothing for too long: it is ended, and has failed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Action, Decision};
use run::id::{AssignmentId, At, CallId};
use run::{Assignment, Limits, Outcome, Payload};
use specialist::{Assigned, Step};
use text::Clean;

impl Decision<'_> {
    /// Ends those whose time has passed: calls under way are given up, and what can be made of the rest is reported. Looks
    /// again when the next one's passes. What becomes of the work is up to the policy for failures.
    pub(super) fn end_who_is_overdue(&mut self) {
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

    /// What it would report if this were its last turn, and what it waits for had failed; else the reason alone.
    fn salvaged(&self, assignment: &Assignment, why: &Clean) -> Payload {
        let specialist = self.roster.specialist(&self.opening.team, &assignment.role, assignment.worker);
        let mut transcript = assignment.transcript.clone();
        transcript.fail_what_is_pending(why);
        let (id, left) = (assignment.id, Limits::default());
        let assigned = Assigned { id, handoff: &assignment.transcript.handoff, turns_left: 1, left };
        let last = || specialist.map(|specialist| specialist.next(assigned, &transcript));
        match catch_unwind(AssertUnwindSafe(last)) {
            Ok(Some(Step::Report { payload, .. })) if !payload.is_empty() => payload,
            _ => Payload::note(why.clone()),
        }
    }

    /// Gives up what is under way for an assignment.
    pub(super) fn give_up_calls(&mut self, id: AssignmentId, why: &Clean) {
        let calls = CallId::new(id, 0)..=CallId::new(id, u32::MAX);
        for (call, held) in self.run.under_way.range(calls) {
            self.give_up(*call, held.amounts, why);
        }
    }
}
