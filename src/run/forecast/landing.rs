//! The part of its caps that a run keeps for landing: with it the findings are still written.

use super::needs::{Rated, of_task, to_begin};
use super::tasks::tasks_before;
use super::usual::{Size, work};
use crate::budget::{Amounts, ForLanding};
use crate::event::Opening;
use crate::id::Role;
use crate::team::Member;

/// The part of its caps that a run keeps: the percentage of its team, and at least the reservation of a call of its writer; but before
/// that comes a plan and a first piece of research.
pub(crate) fn for_landing(opening: &Opening) -> ForLanding {
    let percent = ForLanding::from(opening.team.landing_percent);
    match least(opening).filter(|_| opening.team.landing_percent > 0) {
        Some(least) => ForLanding { least, beside: beside(opening), ..percent },
        None => percent,
    }
}

/// The reservation of a writer's call for the shortest brief that is of use; None if no model writes.
fn least(opening: &Opening) -> Option<Amounts> {
    let writes = Role::new(opening.team.order.writes());
    let member = opening.team.members.get(&writes).filter(|member| member.lands)?;
    let size = Size { words: opening.words, tasks: tasks_before(opening)[1] };
    let told = size.told(&writes, work(&writes).first[0]);
    Some(Rated::of(&writes, member, opening.words)?.reserved_first(told))
}

/// The least work before the writer: a plan, and a first piece of research.
fn beside(opening: &Opening) -> Amounts {
    let team = &opening.team;
    let of = |role: &str, needs: fn(&Role, &Member, u32) -> Amounts| {
        let role = Role::new(role);
        team.members.get(&role).map_or_else(Amounts::default, |member| needs(&role, member, opening.words))
    };
    let planned = team.order.plans().map_or_else(Amounts::default, |role| of(role, of_task));
    planned.plus(of(team.order.looks(), to_begin))
}
