//! The part of its caps that a run keeps for landing: with it the findings are still written.

use super::needs::{Rated, of_sized, to_begin};
use super::tasks::tasks_before;
use super::usual::{Size, work};
use crate::budget::{Amounts, Cap, ForLanding};
use crate::event::Opening;
use crate::id::Role;

/// The part of its caps that a run keeps: the percentage of its team, and at least the reservation of a call of its writer about the
/// tasks that have begun; but before that comes a plan and a first piece of research.
pub(crate) fn for_landing(opening: &Opening) -> ForLanding {
    let percent = ForLanding::from(opening.team.landing_percent);
    let tasks = tasks_before(opening)[1].max(1);
    let of = |tasks| least(opening, tasks).filter(|_| opening.team.landing_percent > 0);
    let (Some(least), Some(most)) = (of(1), of(tasks)) else { return percent };
    let (more, others) = (most.minus(least), tasks - 1);
    let share = |all: Amounts, kind| all.with(kind, more.get(kind).div_ceil(others.max(1)));
    let each = Cap::ALL.into_iter().fold(Amounts::default(), share);
    ForLanding { least, each, most, beside: beside(opening), ..percent }
}

/// The reservation of a writer's call for the shortest brief that is of use, on so many tasks; None if no model writes.
fn least(opening: &Opening, tasks: u64) -> Option<Amounts> {
    let writes = Role::new(opening.team.order.writes());
    let member = opening.team.members.get(&writes).filter(|member| member.lands)?;
    let size = Size { words: opening.words, tasks };
    let told = size.told(&writes, work(&writes).first[0]);
    Some(Rated::of(&writes, member, opening.words)?.reserved_first(told))
}

/// The least work before the writer: a plan, and a first piece of research.
fn beside(opening: &Opening) -> Amounts {
    let team = &opening.team;
    let member = |role: &str| Some((Role::new(role), team.members.get(&Role::new(role))?));
    let size = Size { words: opening.words, tasks: tasks_before(opening)[1] };
    let plan = team.order.plans().and_then(member).map(|(role, member)| of_sized(&role, member, size));
    let first = member(team.order.looks()).map(|(role, member)| to_begin(&role, member, opening.words));
    plan.unwrap_or_default().plus(first.unwrap_or_default())
}
