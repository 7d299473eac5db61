//! Work that waits because the caps of the run have no room: once nothing else continues, the person is asked.

use std::sync::Arc;

use super::{Action, Decision};
use run::budget::Limits;
use run::checkpoint::budget::Budget;
use run::event::Event;
use run::id::AssignmentId;
use run::{Cap, Subject, describe};
use text::Clean;

impl Decision<'_> {
    /// Notes that an assignment waits for more of the pool, all of which is used or allotted.
    pub(super) fn waits_for_pool(&mut self, id: AssignmentId) {
        let run = self.run;
        let Some(assignment) = run.assignment(id) else { return };
        let pool = run.pool(assignment, self.now);
        let left = pool.minus(run.ledger.run().committed());
        let needs = self.needs(&assignment.role);
        let is_low = |(kind, _): &(Cap, u64)| left.cap(*kind).is_some_and(|left| left < needs.get(*kind));
        let low: Vec<_> = pool.caps().filter(is_low).collect();
        // The cap with the smallest share left, if none is low.
        let share = |(kind, of): &(Cap, u64)| left.cap(*kind).unwrap_or(0).saturating_mul(1_000) / (*of).max(1);
        let tightest = pool.caps().min_by_key(share);
        let reached = if low.is_empty() { tightest.into_iter().collect() } else { low };
        self.waits_at_cap.extend(reached.into_iter().map(|(cap, _)| (id, cap, needs.get(cap))));
    }

    /// Asks the person about work that waits at a cap of the run, once nothing else is under way or about to be.
    pub(super) fn ask_at_cap(&mut self) {
        let run = self.run;
        let goes_on = |action: &Action| !matches!(action, Action::LookAgain(_));
        let begins = || run.open().any(|assignment| assignment.not_before.is_some_and(|then| then > self.now));
        if self.waits_at_cap.is_empty() || !run.under_way.is_empty() || self.actions.iter().any(goes_on) || begins() {
            return;
        }
        // The answer to another question may lead to more work.
        if run.asks().is_some() {
            return;
        }
        let in_force = run.ledger.run().limits;
        let caps = self.waits_at_cap.iter().filter_map(|(_, cap, _)| Some((*cap, in_force.cap(*cap)?)));
        let reached = caps.fold(Limits::default(), |all, (cap, is)| all.with(cap, Some(is)));
        let needs = self.waits_at_cap.iter().fold(Limits::default(), |all, (_, cap, needs)| {
            // The smallest need: with that, one of them can continue.
            all.with(*cap, Some(all.cap(*cap).map_or(*needs, |other| other.min(*needs))))
        });
        let mut waits: Vec<AssignmentId> = self.waits_at_cap.iter().map(|(id, ..)| *id).collect();
        // Those that have not begun wait for the same.
        waits.extend(run.line(self.now).map(|assignment| assignment.id));
        waits.sort_unstable();
        waits.dedup();
        let names = waits.iter().filter_map(|id| Some(Clean::line(&describe::name(run.assignment(*id)?)))).collect();
        let subject = Arc::new(Subject::Budget(Budget::at(run, reached, needs, names)));
        let checkpoint = self.next_checkpoint();
        self.record(Event::CheckpointOpened { checkpoint, by: AssignmentId::ROOT, subject });
    }
}
