//! The line for the caps of the run: which assignments have a part allotted, and how large.
//!
//! The work budget is one pool. An assignment begins once its part is allotted, and uses nothing else, so that no other assignment
//! can use up its part. When it ends, the rest returns to the pool.
//!
//! **Which work fits does not depend on which was quick.** The size of a part follows from the caps, the plan and what
//! earlier attempts at the same task used. Parts are allotted in the order of the plan, and never past work for which
//! there is no room: a task not handed out yet, one that the person is asked about, or one that has no place to work or
//! is paused. So the last task that fits is the same, however long each before it takes.
//!
//! A part is an even share of the pool for each task, or the full need of such work, if that is more; then fewer tasks run at a
//! time. If a part turns out too small, its assignment waits. If the share has grown since, because the person raised a cap, it
//! gets the larger one as soon as there is room. When all that have begun have ended or wait, the first of them gets everything
//! that is left; if none has begun, the first in line does. Only calls that do not fit then are refused.
//!
//! A worker's own handoffs use its part, while it waits. If that is too little, their receivers wait in line like
//! others.
//!
//! This does not cover caps that the person raises while others work, a paid model that lands the run, or a provider
//! that bills more than was reserved.

use std::collections::{BTreeMap, BTreeSet};

use super::Decision;
use crate::queue::hands_off;
use run::event::{Allotment, Event};
use run::id::AssignmentId;
use run::plan::Task;
use run::transcript::Did;
use run::{Amounts, Assignment, Limits, Role, TaskId, forecast};

/// A place in the plan without an open assignment, and the part that its work will need.
struct Claim {
    order: u32,
    part: Limits,
}

impl Decision<'_> {
    fn pool(&self, assignment: &Assignment) -> Limits {
        self.run.pool(assignment, self.now)
    }

    /// Whether an assignment waits in line: it has no part yet, or too small a one.
    pub(super) fn is_in_line(&self, assignment: &Assignment) -> bool {
        self.run.is_in_line(assignment, self.now)
    }

    /// Whether an assignment may get more than its part: some of the pool is unused, or allotted to others that wait.
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

    /// Whether little is left of an assignment's part: less than half, or than such work takes in full.
    pub(super) fn runs_low(&self, assignment: &Assignment) -> bool {
        let part = self.run.ledger.assignment(assignment.id).allotted.unwrap_or_default();
        let half = part.caps().fold(Amounts::default(), |all, (kind, part)| all.with(kind, part / 2));
        self.has_less_than(assignment, self.in_full(&assignment.role).max(half))
    }

    /// Whether too little is left of an assignment's part for a short but useful piece of such work.
    pub(super) fn lacks_room(&self, assignment: &Assignment) -> bool {
        self.has_less_than(assignment, self.needs(&assignment.role))
    }

    fn has_less_than(&self, assignment: &Assignment, amounts: Amounts) -> bool {
        let account = self.run.ledger.assignment(assignment.id);
        let (part, left) = (account.allotted.unwrap_or_default(), account.left());
        part.caps().any(|(kind, _)| left.cap(kind).is_some_and(|left| left < amounts.get(kind)))
    }

    /// The amounts that must be available before work of a role begins.
    pub(super) fn needs(&self, role: &Role) -> Amounts {
        let member = self.opening.team.members.get(role);
        member.map_or_else(Amounts::default, |member| forecast::to_begin(role, member, self.opening.words))
    }

    /// The room in which nothing of such work is cut short.
    fn in_full(&self, role: &Role) -> Amounts {
        let member = self.opening.team.members.get(role);
        member.map_or_else(Amounts::default, |member| forecast::in_full(role, member, self.opening.words))
    }

    /// Allots parts to those in line, as far as there is room.
    pub(super) fn allot(&mut self) {
        let run = self.run;
        if run.ledger.for_work().caps().next().is_none() || run.line(self.now).next().is_none() {
            return;
        }
        // While a leader is paused or stopped at a breakpoint, the order of its further tasks is unknown.
        if run
            .open()
            .any(|leader| (leader.paused || leader.stopped.is_some()) && self.opening.team.delegates(&leader.role))
        {
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

    /// Parts for work that a worker handed on, in equal shares of the worker's own part, one share left for the worker.
    fn handed_on(&self) -> Vec<Allotment> {
        let mut left_of: BTreeMap<AssignmentId, Limits> = BTreeMap::new();
        let mut parts = Vec::new();
        for child in self.run.line(self.now).filter(|assignment| !assignment.is_short) {
            let Some((parent, whole)) = self.parent_with_part(child) else { continue };
            let left = whole.minus(self.run.ledger.assignment(parent).committed());
            let pool = self.pool(child);
            let each = left.shared_by(self.siblings(child) as u64 + 1);
            let part = pool.caps().fold(Limits::default(), |all, (kind, _)| all.with(kind, each.cap(kind)));
            let needs = self.in_full(&child.role);
            if pool.caps().all(|(kind, _)| part.cap(kind).is_some_and(|cap| cap >= needs.get(kind))) {
                let rest = left_of.entry(parent).or_insert(whole);
                *rest = rest.less(part);
                parts.push(Allotment { to: child.id, part });
            }
        }
        parts.extend(left_of.into_iter().map(|(to, part)| Allotment { to, part }));
        parts
    }

    /// The worker that handed an assignment on, with its part.
    fn parent_with_part(&self, child: &Assignment) -> Option<(AssignmentId, Limits)> {
        let parent = child.parent()?;
        Some((parent, self.run.ledger.assignment(parent).allotted?))
    }

    /// Whether an assignment with a part can continue: it neither needs more nor waits for work it handed on.
    fn goes_on(&self, id: AssignmentId) -> bool {
        self.run.assignment(id).is_some_and(|assignment| !assignment.is_short && !hands_off(assignment))
    }

    /// The first parts for which there is room, in the order of the plan.
    fn that_fit(&self, mut free: Limits) -> Vec<Allotment> {
        let later = self.later();
        let mut later = later.iter().peekable();
        let mut parts = Vec::new();
        for waiting in self.run.line(self.now) {
            let account = self.run.ledger.assignment(waiting.id);
            let part = self.part(waiting);
            let allotment = Allotment { to: waiting.id, part };
            let more = part.less(account.allotted.unwrap_or_default());
            if waiting.is_short {
                if self.gains(&allotment) && free.cover(more) {
                    free = free.less(more);
                    parts.push(allotment);
                }
                continue;
            }
            while let Some(before) = later.next_if(|later| later.order < waiting.order) {
                if !free.cover(before.part) {
                    return parts;
                }
                free = free.less(before.part);
            }
            if !free.cover(more) {
                break;
            }
            free = free.less(more);
            parts.push(allotment);
        }
        parts
    }

    /// Everything that is left, for the first assignment that waits for more; if there is none, for the first that has
    /// not begun, unless the person is asked about one before it.
    fn first_in_line(&self) -> Option<Allotment> {
        let line = || self.run.line(self.now);
        let first = line().find(|assignment| assignment.is_short).or_else(|| line().next())?;
        let is_before = |asked: &Assignment| asked.order < first.order;
        if self.asked_about().any(is_before) {
            return None;
        }
        Some(Allotment { to: first.id, part: self.all_there_is(first) })
    }

    /// Whether an allotment is more than its assignment has already.
    fn gains(&self, allotment: &Allotment) -> bool {
        let has = self.run.ledger.assignment(allotment.to).allotted.unwrap_or_default();
        allotment.part.caps().any(|(kind, part)| has.cap(kind).is_none_or(|has| part > has))
    }

    /// Failed work that the person is asked about, and may want to retry.
    fn asked_about(&self) -> impl Iterator<Item = &Assignment> {
        self.run.waiting().filter_map(|checkpoint| self.run.assignment(checkpoint.question()?.about?))
    }

    /// Places in the plan without an open assignment: tasks not handed out yet, because they wait for others or for
    /// their editor, and failed ones that the person is asked about.
    fn later(&self) -> Vec<Claim> {
        let Some(plan) = &self.run.plan else { return Vec::new() };
        let asked: BTreeSet<TaskId> = self.asked_about().filter_map(|failed| failed.task).collect();
        let is_later = |task: TaskId| self.run.given(task).next().is_none() || asked.contains(&task);
        let tasks = plan.tasks.iter().zip(1..).filter(|(task, _)| is_later(task.id));
        let claim = |(task, order): (&Task, u32)| {
            let part = self.part_of(&task.role, Some(task.id), plan.tasks.len());
            Some(Claim { order, part: part? })
        };
        tasks.filter_map(claim).collect()
    }

    /// The part of an assignment, including its use so far.
    fn part(&self, assignment: &Assignment) -> Limits {
        let of_plan = self.run.plan.as_ref().filter(|_| assignment.order > 0).map(|plan| plan.tasks.len());
        let number = of_plan.unwrap_or_else(|| self.siblings(assignment));
        let part = self.part_of(&assignment.role, assignment.task, number).unwrap_or_default();
        match assignment.task {
            Some(_) => part.plus(self.run.ledger.assignment(assignment.id).committed()),
            None => part,
        }
    }

    /// The part of work of this role, given the number of tasks, less the amounts taken for its task; None if the role does not use
    /// the work budget.
    fn part_of(&self, role: &Role, task: Option<TaskId>, number: usize) -> Option<Limits> {
        let team = &self.opening.team;
        let member = team.members.get(role).filter(|member| !member.lands && !team.delegates(role))?;
        let pool = self.run.pool_of(member.model.is_some()).minus(self.run.taken_before_round());
        let part = pool.shared_by(number.max(1) as u64).at_least(self.in_full(role)).narrowed_by(pool);
        Some(part.minus(task.map_or_else(Amounts::default, |task| self.run.taken_for(task))))
    }

    /// Everything in the pool that is not used, including the parts of others that wait, plus the amounts that the assignment
    /// itself has used.
    fn all_there_is(&self, assignment: &Assignment) -> Limits {
        let ledger = &self.run.ledger;
        self.pool(assignment).minus(ledger.run().committed()).plus(ledger.assignment(assignment.id).committed())
    }

    /// The number of assignments handed out together with this one.
    fn siblings(&self, assignment: &Assignment) -> usize {
        let parent = assignment.parent().and_then(|id| self.run.assignment(id));
        let turns = parent.iter().flat_map(|parent| &parent.transcript.turns);
        let sent = turns.filter_map(|turn| if let Did::HandOffs(sent) = &turn.did { Some(sent) } else { None });
        sent.filter(|sent| sent.iter().any(|sent| sent.to == assignment.id)).map(Vec::len).max().unwrap_or(1)
    }
}
