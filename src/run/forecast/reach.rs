//! The number of tasks that the caps of a run have room for. It says so, and keeps no task from beginning.

use super::landing::for_landing;
use super::needs::{CALLS_A_ROUND, Rated, least_of_a_call, of_task, to_begin};
use super::tasks::tasks_before;
use super::usual::work;
use crate::budget::{Amounts, Cap, Ledger, Limits};
use crate::event::Opening;
use crate::id::Role;
use crate::plan::Plan;
use crate::state::Run;

/// The number of its tasks that a run can work on within its caps, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Tasks that fit, in the order of the plan.
    pub fit: u64,
    /// All tasks.
    pub of: u64,
    /// The cap that the first of the others would pass.
    pub cap: Cap,
    /// The amount of the cap, in the smallest unit of its kind.
    pub most: u64,
    /// The amount that that task would need besides, in the same unit.
    pub lacks: u64,
}

impl std::fmt::Display for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reach { fit, of, cap, most, lacks } = *self;
        let with = cap.counted(most);
        let first = cap.counted(most.saturating_add(lacks));
        // By the usual need of such work: it may do with less.
        match (fit, of) {
            (0, 1) => write!(f, "with {with}, the task hardly fits: about {first} would do"),
            (0, _) => write!(f, "with {with}, hardly one of {of} tasks fits: about {first} would do for the first"),
            _ => write!(f, "with {with}, about {fit} of {of} tasks fit"),
        }
    }
}

/// The number of tasks that fit into the caps of a run that has not begun, if not all do.
pub fn reach_before(opening: &Opening) -> Option<Reach> {
    let looks = Role::new(opening.team.order.looks());
    let number = usize::try_from(tasks_before(opening)[1]).unwrap_or(usize::MAX);
    let plans = opening.team.order.plans().map(Role::new);
    let member = plans.as_ref().and_then(|plans| Some((plans, opening.team.members.get(plans)?)));
    let gone = member.map(|(plans, member)| of_task(plans, member, opening.words));
    let for_work = Ledger::new(opening.limits, for_landing(opening)).for_work();
    reach_of(opening, opening.limits, for_work.minus(gone.unwrap_or_default()), vec![&looks; number])
}

/// The number of tasks of a new plan that fit into the caps of its run, if not all do.
pub fn reach(run: &Run, plan: &Plan) -> Option<Reach> {
    let account = run.ledger.run();
    let left = run.ledger.for_work().minus(account.spent.plus(account.in_doubt));
    let tasks: Vec<&Role> = plan.tasks.iter().map(|task| &task.role).collect();
    reach_of(run.opening.as_ref()?, account.limits, left, tasks)
}

/// Takes the probable cost of each task from the rest, until one cannot begin.
fn reach_of(opening: &Opening, caps: Limits, left: Limits, tasks: Vec<&Role>) -> Option<Reach> {
    let (of, mut left) = (tasks.len() as u64, left);
    for (role, fit) in tasks.into_iter().zip(0..) {
        let member = opening.team.members.get(role)?;
        let (least, takes) = match Rated::of(role, member, opening.words) {
            Some(rated) => (least_of_a_call(rated), takes(rated, left)),
            None => (of_task(role, member, opening.words), of_task(role, member, opening.words)),
        };
        let short = left.caps().find(|(kind, left)| least.get(*kind) > *left);
        if let Some((cap, left)) = short {
            let lacks = least.max(to_begin(role, member, opening.words)).get(cap).saturating_sub(left);
            return Some(Reach { fit, of, cap, most: caps.cap(cap).unwrap_or_default(), lacks });
        }
        left = left.minus(takes);
    }
    None
}

/// The part of the rest that a task probably takes. Its specialist reports early where not even two more calls
/// with long answers fit.
fn takes(rated: Rated<'_>, left: Limits) -> Amounts {
    let work = work(rated.role);
    let (mut before, mut taken) = (0, Amounts::default());
    for round in 1..=work.rounds[1] {
        let new = if round == 1 { work.first[1] } else { work.more[1] + work.calls[1] };
        let reserved = rated.reserved_for_long(before, new);
        let is_short = left.minus(taken).caps().any(|(kind, left)| reserved.get(kind).saturating_mul(2) > left);
        if is_short || round == work.rounds[1] {
            return taken.plus(rated.billed(before, new, work.report[1]));
        }
        let tool_calls = Amounts::of(Cap::ToolCalls, CALLS_A_ROUND);
        taken = taken.plus(rated.billed(before, new, work.calls[1])).plus(tool_calls);
        before += new;
    }
    taken
}
