//! What a run keeps of its caps for landing: with that, what was found is still written.

use super::needs::{Rated, of_task, to_begin};
use super::tasks::tasks_before;
use super::usual::{Size, work};
use crate::budget::{Amounts, ForLanding};
use crate::event::Opening;
use crate::id::Role;
use crate::team::Member;

/// What a run keeps of its caps: the percentage of its team, and at the least what a call of its writer reserves; but before
/// that comes a plan and a first piece of research.
pub fn for_landing(opening: &Opening) -> ForLanding {
    let percent = ForLanding::from(opening.team.landing_percent);
    match least(opening).filter(|_| opening.team.landing_percent > 0) {
        Some(least) => ForLanding { least, beside: beside(opening), ..percent },
        None => percent,
    }
}

/// What a call of the writer reserves for the shortest brief that is of use; None if no model writes.
fn least(opening: &Opening) -> Option<Amounts> {
    let writes = Role::new(opening.team.order.writes());
    let member = opening.team.members.get(&writes).filter(|member| member.lands)?;
    let size = Size { words: opening.words, tasks: tasks_before(opening)[1] };
    let told = size.told(&writes, work(&writes).first[0]);
    Some(Rated::of(&writes, member, opening.words)?.reserved_first(told))
}

/// What comes before the writer at the least: a plan, and a first piece of research.
fn beside(opening: &Opening) -> Amounts {
    let team = &opening.team;
    let of = |role: &str, needs: fn(&Role, &Member, u32) -> Amounts| {
        let role = Role::new(role);
        team.members.get(&role).map_or_else(Amounts::default, |member| needs(&role, member, opening.words))
    };
    let planned = team.order.plans().map_or_else(Amounts::default, |role| of(role, of_task));
    planned.plus(of(team.order.looks(), to_begin))
}
