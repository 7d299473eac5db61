//! Hands out work: checks the handoff, fills it and opens an assignment, with a name that does not depend on time.

use std::sync::Arc;

use super::Decision;
use crate::guard;
use run::Assignment;
use run::budget::Draws;
use run::event::{Event, Opened};
use run::handoff::Unsent;
use run::id::{AssignmentId, At, Role, Work};
use run::stage::Stage;
use specialist::Sending;
use text::Clean;

impl<'a> Decision<'a> {
    pub(super) fn hand_off(&mut self, assignment: &Assignment, stage: Stage, why: Clean, handoffs: Vec<Sending>) {
        let by = assignment.id;
        let wrong = |sending: &Sending| guard::check_sending(self.run, &self.opening.team, assignment, sending).err();
        if let Some((sending, why)) = handoffs.iter().find_map(|sending| Some((sending, wrong(sending)?))) {
            let Sending { role, title, payload, .. } = sending.clone();
            let unsent = Some(Arc::new(Unsent { role, title, payload }));
            return self.record(Event::StepRefused { by, stage, why: why.into(), unsent });
        }
        let handoffs: Vec<Sending> = handoffs.into_iter().map(|sending| self.filled(sending)).collect();
        if self.stops_before_handoffs(assignment, stage, &why, &handoffs) {
            return;
        }
        let opened = handoffs.into_iter().map(|sending| self.open(assignment, sending)).collect();
        self.record(Event::HandedOff { by: Some(by), stage, why, opened });
    }

    /// A handoff as delivered: with a worker, the passages it asks for, and no more than the worker has room for.
    pub(super) fn filled(&mut self, mut sending: Sending) -> Sending {
        let Sending { role, worker, again, payload, .. } = &mut sending;
        if again.is_none() && worker.is_member() {
            *worker = self.worker_by_load(role);
        }
        if let Some(wanted) = &mut payload.passages
            && wanted.is_empty()
        {
            *wanted = self.run.passages(payload.findings.as_deref().unwrap_or_default());
        }
        self.around_latches(&mut sending);
        let Sending { role, worker, payload, .. } = &mut sending;
        if let Some(most) = self.opening.team.takes_in(role, *worker) {
            payload.fit(most);
        }
        sending
    }

    /// Moves a handoff to another worker if its own model refuses all calls; returns whether it did.
    pub(super) fn around_latches(&self, sending: &mut Sending) -> bool {
        let other = self.run.stand_in(&sending.role, sending.worker);
        sending.worker = other.unwrap_or(sending.worker);
        other.is_some()
    }

    pub(super) fn open(&mut self, parent: &Assignment, sending: Sending) -> Opened {
        // Names go deeper than any team may delegate: `guard` refuses assignments deeper than the team allows.
        let assignment = self.name(parent.id, &sending).expect("a name for what is handed out");
        let Sending { role, task, worker, again, after_ms, title, payload } = sending;
        let after = i64::try_from(after_ms).unwrap_or(i64::MAX);
        let not_before = (after > 0).then(|| At(self.run.at.0.saturating_add(after)));
        let member = self.opening.team.members.get(&role);
        let draws = if member.is_some_and(|member| member.lands) { Draws::Landing } else { Draws::Work };
        // Another attempt has the rest of the caps of the one before.
        let limits = match again {
            Some(failed) => self.run.ledger.assignment(failed).left_of_caps(),
            None => member.map(|member| member.limits).unwrap_or_default(),
        };
        let (from, to) = ((Some(parent.id), parent.role.as_str()), (Some(assignment), role.as_str()));
        let (instead_of, told, handoff) = (None, None, self.handoff(from, to, title, payload));
        Opened { assignment, task, instead_of, worker, not_before, again, told, limits, draws, role, handoff }
    }

    /// The name of an assignment: its work and the number of the attempt, never the time.
    fn name(&mut self, by: AssignmentId, sending: &Sending) -> Option<AssignmentId> {
        let task = sending.task.or_else(|| {
            let section = sending.payload.plan.as_ref().filter(|_| sending.role.as_str() == Role::EDITOR);
            section.and_then(|plan| plan.tasks.first()).map(|task| task.id)
        });
        let work = match sending.again.filter(|failed| failed.parent() == Some(by)) {
            Some(failed) => failed.work()?,
            None => task.map_or_else(|| self.next_work(by), Work::Task),
        };
        let mut name = self.run.next_attempt(by, work)?;
        while !self.named.insert(name) {
            name = by.child(work, name.attempt() + 1)?;
        }
        Some(name)
    }

    fn next_work(&self, by: AssignmentId) -> Work {
        let mut work = self.run.next_work(by);
        while let Work::Step(n) = work
            && by.child(work, 1).is_some_and(|name| self.named.contains(&name))
        {
            work = Work::Step(n + 1);
        }
        work
    }
}
