//! Overdue work: gives up calls past the time cap of the run, and fails assignments past a timeout.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Action, Decision};
use run::attempt::Class;
use run::budget::Refusal;
use run::id::{At, CallId};
use run::{Amounts, Assignment, Cap, Limits, Outcome, Payload};
use specialist::{Assigned, Step};
use text::Clean;

impl Decision<'_> {
    /// Gives up calls under way once the run's time cap has passed: an answer of a model is not waited for longer. Sets
    /// a time to decide again. A call that comes later is refused, or waits until the person raises the cap.
    pub(super) fn give_up_at_time_cap(&mut self) {
        let run = self.run;
        let cap = run.ledger.run().limits.cap(Cap::Time);
        if cap.is_none() || run.under_way.is_empty() {
            return;
        }
        let worked = run.worked(self.now);
        let refusal = Refusal { cap: Cap::Time, of: None, most: cap };
        let why = Clean::from(format!("given up: too little is left of {refusal} to wait for it"));
        for assignment in run.open() {
            let out: Vec<(CallId, Amounts)> = run
                .under_way
                .range(CallId::all_of(assignment.id))
                .map(|(call, reserved)| (*call, reserved.amounts))
                .collect();
            if out.is_empty() {
                continue;
            }
            match run.ledger.time_left(assignment.id, worked) {
                Some(0) => out.into_iter().for_each(|(call, most)| self.give_up(call, most, Class::OutOfTime, &why)),
                Some(left) => self.look_again_after(left),
                None => {}
            }
        }
    }

    /// Decides again once the run has worked this much longer (ms).
    fn look_again_after(&mut self, ms: u64) {
        if self.run.is_working() {
            let ms = i64::try_from(ms).unwrap_or(i64::MAX);
            self.actions.push(Action::LookAgain(At(self.now.0.saturating_add(ms))));
        }
    }

    /// Fails assignments past a timeout: gives up their calls and reports what they have. Sets a time to decide again
    /// at the next timeout. Their failure policy applies.
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
            } else if let Some(left) = timeouts.next(&assignment.watch, worked) {
                self.look_again_after(left);
            }
        }
    }

    /// What the specialist would report at its last turn if everything it waits for had failed; else the reason alone.
    fn salvaged(&self, assignment: &Assignment, why: &Clean) -> Payload {
        let specialist = self.roster.specialist(&self.opening.team, &assignment.role, assignment.worker);
        let mut transcript = (*assignment.transcript).clone();
        transcript.fail_what_is_pending(why);
        let (id, left) = (assignment.id, Limits::default());
        let assigned = Assigned { id, handoff: &assignment.transcript.handoff, turns_left: 1, left, known: None };
        let last = || specialist.map(|specialist| specialist.next(assigned, &transcript));
        match catch_unwind(AssertUnwindSafe(last)) {
            Ok(Some(Step::Report { payload, .. })) if !payload.is_empty() => payload,
            _ => Payload::note(why.clone()),
        }
    }
}
