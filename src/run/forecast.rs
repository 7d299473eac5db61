//! The cost of a run at its end: at the least, probably, and if it goes on for long. Pure; a guess, and never a cap.
//!
//! Before the run it comes from the team, the rates of its models and the usual need of such work. As it goes, the real cost of a
//! role's assignments counts more than the expected one, and the plan says how many there will be.

mod landing;
mod needs;
mod own_caps;
mod reach;
mod tasks;
mod usual;

use super::budget::Money;
use super::checkpoint::Checkpoint;
use super::event::Opening;
use super::id::Role;
use super::plan::Plan;
use super::state::{Assignment, Run};
use super::team::{AssignedModel, Team};
use super::transcript::Exchange;
use tasks::tasks_before;
use usual::{Size, Three, expected, work};

pub(crate) use landing::for_landing;
pub use needs::{ample_room, in_full, least_room, of_task, task, to_begin};
pub use own_caps::{BelowACall, below_a_call};
pub use reach::{Reach, reach, reach_before};
pub use usual::USUAL_WORDS;

/// The cost of a run at its end, including its cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// If everything goes well.
    pub low: Money,
    /// If it takes the usual amount of such runs.
    pub likely: Money,
    /// If it takes long. A run may need more than that, but never costs more than its cap: see [`Forecast::within`].
    pub high: Money,
}

impl Forecast {
    /// The forecast under this cap.
    #[must_use]
    pub fn within(self, cap: Option<Money>) -> Forecast {
        let held = |money: Money| cap.map_or(money, |cap| money.min(cap));
        Forecast { low: held(self.low), likely: held(self.likely), high: held(self.high) }
    }
}

/// The forecast of a run that has not begun; None if its team has no model.
pub fn before(opening: &Opening) -> Option<Forecast> {
    models(&opening.team).next()?;
    let ahead = Ahead::of(opening, None);
    let all = |n: usize, role: &Role, model: &AssignedModel| {
        expected(role, model, model.density, ahead.size(), n).saturating_mul(ahead.number(role, n))
    };
    let three =
        [0, 1, 2].map(|n| models(&opening.team).map(|(role, model)| all(n, role, model)).fold(0, u64::saturating_add));
    Some(in_order(three, Money::default()))
}

/// The forecast of a run as it stands, with the plan that is before the person, if one is; None if its team has no model.
pub fn of(run: &Run) -> Option<Forecast> {
    of_plan(run, run.open_checkpoint().and_then(Checkpoint::plan).or(run.plan.as_deref()))
}

/// The forecast of a run with this plan; None if its team has no model.
pub fn of_plan(run: &Run, plan: Option<&Plan>) -> Option<Forecast> {
    let opening = run.opening.as_ref()?;
    models(&opening.team).next()?;
    let account = run.ledger.run();
    let gone = Money(account.spent.money().0.saturating_add(account.in_doubt.money().0));
    if run.ended().is_some() || run.cancelled {
        return Some(Forecast { low: gone, likely: gone, high: gone });
    }
    let ahead = Ahead::of(opening, plan);
    let three = [0, 1, 2].map(|n| {
        let rest = models(&opening.team).map(|(role, model)| rest(run, &ahead, role, model, n));
        rest.fold(gone.0, u64::saturating_add)
    });
    Some(in_order(three, gone))
}

/// Milliseconds that a run still takes, by how long its models have taken so far; None before one has answered, and where one
/// costs money: then its provider is fast enough that money says more.
pub fn rest_ms(run: &Run) -> Option<u64> {
    let opening = run.opening.as_ref().filter(|_| run.ended().is_none())?;
    let is_free = |model: &AssignedModel| model.rates.as_ref().is_some_and(|rates| rates.most(1_000, 1_000).0 == 0);
    if !models(&opening.team).all(|(_, model)| is_free(model)) {
        return None;
    }
    let of_role = |role: &Role| {
        let there = run.assignments().filter(|one| one.role == *role);
        let replies = there.flat_map(|one| one.transcript.exchanges()).filter_map(Exchange::reply);
        replies.fold((0, 0), |(ms, answers): (u64, u64), reply| (ms.saturating_add(reply.whole_ms), answers + 1))
    };
    let taken: Vec<(&Role, (u64, u64))> = models(&opening.team).map(|(role, _)| (role, of_role(role))).collect();
    let (ms, answers) = taken.iter().fold((0u64, 0u64), |sum, (_, (ms, n))| (sum.0.saturating_add(*ms), sum.1 + n));
    let usual = ms.checked_div(answers)?;
    let ahead = Ahead::of(opening, run.plan.as_deref());
    let rest = taken.iter().map(|(role, (ms, answers))| {
        let open = run.assignments().filter(|one| one.role == **role && one.ended.is_none()).count() as u64;
        let ended = run.assignments().filter(|one| one.role == **role && one.ended.is_some()).count() as u64;
        let all = ahead.number(role, 1).max(open + ended);
        // Those that have ended take no more; the others take the usual amount of their role.
        let calls = (all - ended).saturating_mul(work(role).rounds[1]);
        let made = if ended == 0 { *answers } else { 0 };
        calls.saturating_sub(made).max(open).saturating_mul(ms.checked_div(*answers).unwrap_or(usual))
    });
    let rest = u128::from(rest.fold(0, u64::saturating_add));
    // If several models were at work at the same time, they will be.
    let worked = u128::from(run.worked(run.at)).max(1);
    u64::try_from(rest * worked.min(ms.into()) / u128::from(ms.max(1))).ok()
}

/// In order, and not below the money that is gone. The cap is not in it: this is the need of the work.
fn in_order(three: Three, gone: Money) -> Forecast {
    let low = three[0].max(gone.0);
    let likely = three[1].max(low);
    Forecast { low: Money(low), likely: Money(likely), high: Money(three[2].max(likely)) }
}

fn models(team: &Team) -> impl Iterator<Item = (&Role, &AssignedModel)> {
    team.members.iter().filter_map(|(role, member)| Some((role, member.model.as_ref()?)))
}

/// The work of a run, as far as its question or its plan says.
struct Ahead<'a> {
    opening: &'a Opening,
    plan: Option<&'a Plan>,
    tasks: Three,
}

impl<'a> Ahead<'a> {
    fn of(opening: &'a Opening, plan: Option<&'a Plan>) -> Ahead<'a> {
        let tasks = plan.map_or_else(|| tasks_before(opening), |plan| [plan.tasks.len() as u64; 3]);
        Ahead { opening, plan, tasks }
    }

    fn size(&self) -> Size {
        Size { words: self.opening.words, tasks: self.tasks[1] }
    }

    /// The number of assignments of a role that there will be.
    fn number(&self, role: &Role, n: usize) -> u64 {
        let team = &self.opening.team;
        let usual = work(role).assignments[n];
        match (role.as_str(), self.plan) {
            (Role::WRITER | Role::REVIEWER, _) => usual.min(u64::from(team.revisions) + 1),
            (_, Some(plan)) => {
                let tasks = plan.tasks.iter().filter(|task| task.role == *role).count() as u64;
                if tasks == 0 && role.as_str() != Role::RESEARCHER { usual } else { tasks }
            }
            (looks, None) if looks == team.order.looks() => self.tasks[n],
            (_, None) => usual,
        }
    }
}

/// The rest of the cost of a role.
fn rest(run: &Run, ahead: &Ahead<'_>, role: &Role, model: &AssignedModel, n: usize) -> u64 {
    let mut ended: Vec<u64> = Vec::new();
    let mut open: Vec<u64> = Vec::new();
    for assignment in run.assignments().filter(|assignment| assignment.role == *role) {
        let taken = taken(run, assignment);
        if assignment.ended.is_some() { ended.push(taken) } else { open.push(taken) }
    }
    let sum = ended.iter().fold(0u64, |sum, taken| sum.saturating_add(*taken));
    let each = match (ended.len() as u64, n) {
        (0, _) => expected(role, model, run.estimate(model).learnt, ahead.size(), n),
        (_, 0) => ended.iter().copied().min().unwrap_or(0),
        (count, 1) => sum / count,
        (_, _) => ended.iter().copied().max().unwrap_or(0).saturating_mul(3) / 2,
    };
    let there = (ended.len() + open.len()) as u64;
    let to_come = ahead.number(role, n).saturating_sub(there);
    let of_open = open.into_iter().map(|taken| each.saturating_sub(taken));
    of_open.fold(each.saturating_mul(to_come), u64::saturating_add)
}

fn taken(run: &Run, assignment: &Assignment) -> u64 {
    let account = run.ledger.assignment(assignment.id);
    account.spent.money().0.saturating_add(account.in_doubt.money().0)
}

#[cfg(test)]
mod tests;
