//! Work that has gone past its bounds: gives up calls past the time cap of the run, and those that wait to leave past another; ends
//! assignments past their own cap, and fails those past a timeout.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Action, Decision};
use run::attempt::Class;
use run::budget::Refusal;
use run::id::{At, CallId};
use run::state::Intent;
use run::takeover::first_sentence;
use run::team::Member;
use run::timeouts::Timeouts;
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

    /// Gives up calls that have not left yet once a bill above its reservation has passed a cap of the run. Another attempt is
    /// refused, or waits until the person raises the cap.
    pub(super) fn give_up_past_a_cap(&mut self) {
        let run = self.run;
        let account = run.ledger.run();
        let used = account.spent.plus(account.in_doubt);
        let is_passed = |(kind, cap): &(Cap, u64)| account.overrun.get(*kind) > 0 && used.get(*kind) > *cap;
        let Some((cap, most)) = account.limits.caps().find(is_passed) else { return };
        let refusal = Refusal { cap, of: None, most: Some(most) };
        let why = Clean::from(format!("given up: {refusal} was passed before it left"));
        for (call, reserved) in &run.under_way {
            if matches!(run.intent(*call), Some(Intent::Model(exchange)) if !exchange.is_sent()) {
                self.give_up(*call, reserved.amounts, Class::OutOfBudget, &why);
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

    /// Ends assignments past their time cap or a timeout: gives up their calls and reports their findings so far. Sets a time to
    /// decide again at the next one. After a timeout the failure policy applies.
    pub(super) fn end_overdue(&mut self) {
        let team = &self.opening.team;
        let is_timed = |member: &Member| !member.timeouts.is_none() || member.limits.cap(Cap::Time).is_some();
        if !team.members.values().any(is_timed) {
            return;
        }
        let worked = self.run.worked(self.now);
        for assignment in self.run.open().filter(|assignment| !team.delegates(&assignment.role)) {
            let Some(timeouts) = team.members.get(&assignment.role).map(|member| member.timeouts) else { continue };
            let cap = self.run.ledger.assignment(assignment.id).limits.cap(Cap::Time);
            let timed = Timed { timeouts, cap };
            if let Some(over) = timed.over(assignment, worked) {
                let (Over::Cap(why) | Over::Timeout(why)) = &over;
                self.give_up_calls(assignment.id, why);
                let payload = self.salvaged(assignment, why);
                let outcome = match (over, payload.is_some()) {
                    (Over::Timeout(why), _) => Outcome::Failed(why),
                    (Over::Cap(why), true) => Outcome::Partial(why),
                    (Over::Cap(why), false) => Outcome::OutOfBudget(why),
                };
                let title = outcome.word().into();
                let payload = payload.unwrap_or_else(|| Payload::note(outcome.why().cloned().unwrap_or_default()));
                self.report(assignment, outcome, title, payload);
            } else if let Some(left) = timed.left(assignment, worked) {
                self.look_again_after(left);
            }
        }
    }

    /// What the specialist has found, planned or written so far, as it would report it if everything it waits for had failed; None
    /// if that is nothing. Its remarks are replaced by the reason of its end.
    fn salvaged(&self, assignment: &Assignment, why: &Clean) -> Option<Payload> {
        let specialist = self.roster.specialist(&self.opening.team, &assignment.role, assignment.worker);
        let mut transcript = (*assignment.transcript).clone();
        transcript.fail_what_is_pending(why);
        let (id, left) = (assignment.id, Limits::default());
        let assigned =
            Assigned { id, handoff: &assignment.transcript.handoff, turns_left: 1, is_over: true, left, known: None };
        let last = || specialist.map(|specialist| specialist.next(assigned, &transcript));
        match catch_unwind(AssertUnwindSafe(last)) {
            Ok(Some(Step::Report { payload, .. })) if brings_work(&payload) => {
                let by_rule = payload.by_rule.as_ref().map(|_| first_sentence(why));
                Some(Payload { notes: Some(vec![why.clone()]), by_rule, ..payload })
            }
            _ => None,
        }
    }
}

/// Whether a report has more than remarks on how the work went.
fn brings_work(payload: &Payload) -> bool {
    !payload.findings().is_empty() || payload.plan.is_some() || payload.draft.is_some()
}

/// The time that an assignment has.
struct Timed {
    timeouts: Timeouts,
    /// Its cap of working time (ms).
    cap: Option<u64>,
}

/// The reason why the time of an assignment is over.
enum Over {
    Cap(Clean),
    Timeout(Clean),
}

impl Timed {
    fn over(&self, assignment: &Assignment, worked: u64) -> Option<Over> {
        if let Some(why) = self.timeouts.passed(&assignment.role, &assignment.watch, worked) {
            return Some(Over::Timeout(why.into()));
        }
        self.cap.filter(|cap| assignment.watch.whole(worked) >= *cap)?;
        let refusal = Refusal { cap: Cap::Time, of: Some(assignment.id), most: self.cap };
        Some(Over::Cap(format!("{refusal} was reached").into()))
    }

    /// Working time (ms) until it is over, if nothing happens till then; None while no call is under way.
    fn left(&self, assignment: &Assignment, worked: u64) -> Option<u64> {
        let watch = &assignment.watch;
        watch.idle(worked)?;
        let cap = self.cap.map(|cap| cap.saturating_sub(watch.whole(worked)));
        self.timeouts.next(watch, worked).into_iter().chain(cap).min()
    }
}
