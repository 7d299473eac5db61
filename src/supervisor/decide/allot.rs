//! The line for the caps of the run: which assignments have a part of them kept, and how much.
//!
//! What is for work is one pool. An assignment begins once its part is kept for it, and all that it takes comes from there,
//! so that no other can take what it counts on. When it ends, what it has left goes back into the pool.
//!
//! **Which work fits does not depend on which was quick.** The size of a part follows from the caps, the plan and what earlier
//! attempts at the same task took. Parts are given in the order of the plan, never past work for which there is no room: not
//! past a task that has not been handed out yet, one that the person is asked about, or one that has no place to work or is
//! held. So the last task for which there is room is the same, however long each before it takes.
//!
//! A part is an even share of the pool for each task, or what such work needs to begin, if that is more: then fewer work at a
//! time. Where a part turns out too small, its assignment waits. When all that have begun have ended or wait, the first of
//! them goes on with everything that is left, or else the first that has not begun. Only what does not fit then is refused.
//!
//! What a worker hands on is done from its own part: it waits meanwhile. Where that is too little, those to whom it is handed
//! wait in line like others.
//!
//! Not settled by this are caps that the person raises while others work, and what goes on beside the tasks: landing that a
//! model is paid for, a provider that bills more than was reserved.

use std::collections::{BTreeMap, BTreeSet};

use super::Decision;
use crate::queue::hands_off;
use run::event::{Allotment, Event};
use run::id::AssignmentId;
use run::plan::Task;
use run::transcript::Did;
use run::{Amounts, Assignment, Limits, Role, TaskId, forecast};

/// A place in the line: what is to be kept for it, and who is given it; None where that is not open yet.
struct Claim {
    order: u32,
    to: Option<AssignmentId>,
    part: Limits,
}

impl Decision<'_> {
    fn pool(&self, assignment: &Assignment) -> Limits {
        self.run.pool(assignment, self.now)
    }

    /// Whether an assignment waits in line: no part is kept for it yet, or one that is too small.
    pub(super) fn is_in_line(&self, assignment: &Assignment) -> bool {
        self.run.is_in_line(assignment, self.now)
    }

    /// Whether more may come to an assignment than is kept for it: all is not taken that is kept for others or for none.
    pub(super) fn may_get_more(&self, assignment: &Assignment) -> bool {
        let pool = self.pool(assignment);
        if pool.caps().next().is_none() {
            return false;
        }
        let ledger = &self.run.ledger;
        let elsewhere = ledger.for_work().minus(ledger.run().committed().plus(ledger.assignment(assignment.id).kept()));
        pool.caps().any(|(kind, _)| elsewhere.cap(kind).is_some_and(|left| left > 0))
            || self.run.under_way.keys().any(|call| call.assignment != assignment.id)
    }

    /// Whether little is left of what is kept for an assignment: less than half, or than such work needs to begin.
    pub(super) fn runs_low(&self, assignment: &Assignment) -> bool {
        let account = self.run.ledger.assignment(assignment.id);
        let (part, left) = (account.allotted.unwrap_or_default(), account.left());
        let needs = self.needs(&assignment.role);
        let is_low = |kind, part| left.cap(kind).is_some_and(|left| left < needs.get(kind).max(part / 2));
        part.caps().any(|(kind, part)| is_low(kind, part))
    }

    /// What has to be there before work of a role begins.
    pub(super) fn needs(&self, role: &Role) -> Amounts {
        let member = self.opening.team.members.get(role);
        member.map_or_else(Amounts::default, |member| forecast::to_begin(role, member, self.opening.words))
    }

    /// Gives out parts to those in line, as far as there is room.
    pub(super) fn allot(&mut self) {
        let run = self.run;
        if run.ledger.for_work().caps().next().is_none() || run.line(self.now).next().is_none() {
            return;
        }
        // While one that leads is held, or stands at a breakpoint, it cannot say which of its tasks comes next.
        if run.open().any(|one| (one.held || one.stopped.is_some()) && self.opening.team.delegates(&one.role)) {
            return;
        }
        let mut parts = self.handed_on();
        if parts.is_empty() {
            parts = self.that_fit(run.ledger.free());
        }
        if parts.is_empty() && run.under_way.is_empty() && !run.ledger.allotted().any(|id| self.goes_on(id)) {
            match self.first_in_line() {
                Some(first) if run.asks_at_caps() && !self.gains(&first) => self.waits_for_pool(first.to),
                first => parts.extend(first),
            }
        }
        if !parts.is_empty() {
            self.record(Event::Allotted { parts });
        }
    }

    /// Parts for those to whom work was handed on, out of the part of the one that waits for them: with it, they share equally.
    fn handed_on(&self) -> Vec<Allotment> {
        let mut given: BTreeMap<AssignmentId, Limits> = BTreeMap::new();
        let mut parts = Vec::new();
        for one in self.run.line(self.now).filter(|one| !one.is_short) {
            let Some((parent, whole)) = self.parent_with_part(one) else { continue };
            let left = whole.minus(self.run.ledger.assignment(parent).committed());
            let pool = self.pool(one);
            let each = left.shared_by(self.siblings(one) as u64 + 1);
            let part = pool.caps().fold(Limits::default(), |all, (kind, _)| all.with(kind, each.cap(kind)));
            let needs = self.needs(&one.role);
            if pool.caps().all(|(kind, _)| part.cap(kind).is_some_and(|cap| cap >= needs.get(kind))) {
                let rest = given.entry(parent).or_insert(whole);
                *rest = rest.less(part);
                parts.push(Allotment { to: one.id, part });
            }
        }
        parts.extend(given.into_iter().map(|(to, part)| Allotment { to, part }));
        parts
    }

    /// The worker that handed an assignment on, with the part that is kept for it.
    fn parent_with_part(&self, one: &Assignment) -> Option<(AssignmentId, Limits)> {
        let parent = one.parent()?;
        Some((parent, self.run.ledger.assignment(parent).allotted?))
    }

    /// Whether one that has a part can go on with it: it neither needs more nor waits for those to whom it handed work on.
    fn goes_on(&self, id: AssignmentId) -> bool {
        self.run.assignment(id).is_some_and(|one| !one.is_short && !hands_off(one))
    }

    /// The first parts for which there is room, in the order of the plan.
    fn that_fit(&self, mut free: Limits) -> Vec<Allotment> {
        let begins = self.run.line(self.now).filter(|one| !one.is_short);
        let in_line = begins.map(|one| Claim { order: one.order, to: Some(one.id), part: self.part(one) });
        let later = self.later();
        let mut later = later.iter().peekable();
        let mut parts = Vec::new();
        for claim in in_line {
            while let Some(before) = later.next_if(|later| later.order < claim.order) {
                if !free.cover(before.part) {
                    return parts;
                }
                free = free.less(before.part);
            }
            if !free.cover(claim.part) {
                break;
            }
            free = free.less(claim.part);
            parts.extend(claim.to.map(|to| Allotment { to, part: claim.part }));
        }
        parts
    }

    /// Everything that is left for the first that waits for more; for the first that has not begun, if none does, and the
    /// person is not asked about one before it.
    fn first_in_line(&self) -> Option<Allotment> {
        let line = || self.run.line(self.now);
        let first = line().find(|one| one.is_short).or_else(|| line().next())?;
        let is_before = |asked: &Assignment| asked.order < first.order;
        if self.asked_about().any(is_before) {
            return None;
        }
        Some(Allotment { to: first.id, part: self.all_there_is(first) })
    }

    /// Whether a part is more than what is kept for its assignment already.
    fn gains(&self, given: &Allotment) -> bool {
        let has = self.run.ledger.assignment(given.to).allotted.unwrap_or_default();
        given.part.caps().any(|(kind, part)| has.cap(kind).is_none_or(|has| part > has))
    }

    /// Failed work that the person is asked about: they may want it tried again.
    fn asked_about(&self) -> impl Iterator<Item = &Assignment> {
        self.run.waiting().filter_map(|checkpoint| self.run.assignment(checkpoint.question()?.about?))
    }

    /// What has its place in the plan and is not open: tasks that were not handed out yet, as they wait for others or for their
    /// editor, and failed ones that the person is asked about.
    fn later(&self) -> Vec<Claim> {
        let Some(plan) = &self.run.plan else { return Vec::new() };
        let asked: BTreeSet<TaskId> = self.asked_about().filter_map(|one| one.task).collect();
        let is_later = |task: TaskId| self.run.given(task).next().is_none() || asked.contains(&task);
        let tasks = plan.tasks.iter().zip(1..).filter(|(task, _)| is_later(task.id));
        let claim = |(task, order): (&Task, u32)| {
            let part = self.part_of(&task.role, Some(task.id), plan.tasks.len());
            Some(Claim { order, to: None, part: part? })
        };
        tasks.filter_map(claim).collect()
    }

    /// What an assignment is given to begin with.
    fn part(&self, assignment: &Assignment) -> Limits {
        let of_plan = self.run.plan.as_ref().filter(|_| assignment.order > 0).map(|plan| plan.tasks.len());
        let number = of_plan.unwrap_or_else(|| self.siblings(assignment));
        self.part_of(&assignment.role, assignment.task, number).unwrap_or_default()
    }

    /// What such work is given, where there are so many tasks; None if it takes nothing of what is for work.
    fn part_of(&self, role: &Role, task: Option<TaskId>, number: usize) -> Option<Limits> {
        let team = &self.opening.team;
        let member = team.members.get(role).filter(|member| !member.lands && !team.delegates(role))?;
        let pool = self.run.pool_of(member.model.is_some()).minus(self.run.taken_before_round());
        let part = pool.shared_by(number.max(1) as u64).at_least(self.needs(role)).narrowed_by(pool);
        Some(part.minus(task.map_or_else(Amounts::default, |task| self.run.taken_for(task))))
    }

    /// What of the pool is not taken, also where it is kept for others that wait, with what it has taken itself.
    fn all_there_is(&self, assignment: &Assignment) -> Limits {
        let ledger = &self.run.ledger;
        self.pool(assignment).minus(ledger.run().committed()).plus(ledger.assignment(assignment.id).committed())
    }

    /// The number handed out together with this one.
    fn siblings(&self, assignment: &Assignment) -> usize {
        let parent = assignment.parent().and_then(|id| self.run.assignment(id));
        let turns = parent.iter().flat_map(|parent| &parent.transcript.turns);
        let sent = turns.filter_map(|turn| if let Did::HandOffs(sent) = &turn.did { Some(sent) } else { None });
        sent.filter(|sent| sent.iter().any(|sent| sent.to == assignment.id)).map(Vec::len).max().unwrap_or(1)
    }
}
