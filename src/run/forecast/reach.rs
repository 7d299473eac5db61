//! The number of tasks that the caps of a run have room for. It says so, and keeps no task from beginning.

use super::needs::{least_to_begin, of_task};
use super::usual::work;
use crate::budget::{Amounts, Cap, Ledger, Limits};
use crate::event::Opening;
use crate::id::Role;
use crate::plan::Plan;
use crate::state::Run;
use text::listed::listed;

/// The number of its tasks that a run can work on within its caps, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Tasks that fit, in the order of the plan.
    pub fit: u64,
    /// All tasks.
    pub of: u64,
    /// The cap that the first of the others would pass.
    pub cap: Cap,
    /// How high it is, in the smallest unit of its kind.
    pub most: u64,
    /// What that task would need besides, in the same unit.
    pub lacks: u64,
}

impl std::fmt::Display for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reach { fit, of, cap, most, lacks } = *self;
        let with = cap.counted(most);
        let first = cap.counted(most.saturating_add(lacks));
        // By what such work usually takes: it may do with less.
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
    let asked = listed(&opening.question).questions.len() as u64;
    let tasks = match opening.team.order.plans() {
        Some(_) if asked > 1 => asked,
        _ => work(&looks).assignments[1],
    };
    let plans = opening.team.order.plans().map(Role::new);
    let member = plans.as_ref().and_then(|plans| Some((plans, opening.team.members.get(plans)?)));
    let gone = member.map(|(plans, member)| of_task(plans, member, opening.words));
    let for_work = Ledger::new(opening.limits, opening.team.landing_percent).for_work();
    let tasks: Vec<&Role> = (0..tasks.min(opening.team.most_tasks.into())).map(|_| &looks).collect();
    reach_of(opening, opening.limits, for_work, gone.unwrap_or_default(), tasks)
}

/// The number of tasks of a new plan that fit into the caps of its run, if not all do.
pub fn reach(run: &Run, plan: &Plan) -> Option<Reach> {
    let account = run.ledger.run();
    let gone = account.spent.plus(account.in_doubt);
    let tasks: Vec<&Role> = plan.tasks.iter().map(|task| &task.role).collect();
    reach_of(run.opening.as_ref()?, account.limits, run.ledger.for_work(), gone, tasks)
}

fn reach_of(opening: &Opening, caps: Limits, for_work: Limits, gone: Amounts, tasks: Vec<&Role>) -> Option<Reach> {
    let (of, mut gone) = (tasks.len() as u64, gone);
    for (role, fit) in tasks.into_iter().zip(0..) {
        let member = opening.team.members.get(role)?;
        let usual = of_task(role, member, opening.words);
        let needs = gone.plus(usual.max(least_to_begin(role, member, opening.words)));
        let short = for_work.caps().find(|(kind, cap)| needs.get(*kind) > *cap);
        if let Some((cap, of_work)) = short {
            let lacks = needs.get(cap) - of_work;
            return Some(Reach { fit, of, cap, most: caps.cap(cap).unwrap_or_default(), lacks });
        }
        gone = gone.plus(usual);
    }
    None
}
