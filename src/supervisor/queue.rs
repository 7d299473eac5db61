//! The ready queue: which open assignments may take a step now.
//!
//! The team caps how many work at a time, in all and at each provider. *Rank* decides which go first:
//!
//! - its priority, and one more for each [`AGEING`] of work time that it has waited in all. It keeps what it has gained, so that
//!   nothing starves: an assignment that comes more than three such spans later ranks below it, whatever its priority;
//! - of equal rank, those that have begun, then the earlier deadline, then the order of names.
//!
//! **Pre-emption** follows from ranking anew at every turn boundary: an assignment that has begun goes on unless one of
//! strictly higher rank waits, and then takes no step until its turn comes. Its calls under way are never given up.
//!
//! **Hysteresis**: an assignment at work gains no rank, and one that waits needs a strictly higher one. After one has made way
//! for another they are a rank apart, so that it has to gain two before they change places again: between the same two, each
//! change after the first takes more than [`AGEING`] of waiting. A change of priority by the person starts anew.

use std::collections::BTreeMap;

use run::id::{AssignmentId, At, CallId};
use run::transcript::{Did, ExchangeEnd};
use run::{Assignment, Priority, Run, Team};
use text::Clean;

/// Work time (ms) of waiting that raises an assignment by one rank.
pub const AGEING: u64 = 120_000;

/// The place of an assignment among those that wait for a step. The least goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    below: std::cmp::Reverse<u64>,
    fresh: bool,
    deadline: u64,
    id: AssignmentId,
}

impl Rank {
    fn of(assignment: &Assignment, worked: u64) -> Rank {
        let level = level(assignment.priority, assignment.waited(worked));
        Rank {
            below: std::cmp::Reverse(level),
            fresh: assignment.transcript.turns.is_empty(),
            deadline: assignment.deadline.unwrap_or(u64::MAX),
            id: assignment.id,
        }
    }
}

/// The priority, raised by the time waited.
fn level(priority: Priority, waited: u64) -> u64 {
    priority as u64 + waited / AGEING
}

/// Places at work: for all, and at each provider that has fewer.
struct Places<'a> {
    free: usize,
    of: BTreeMap<&'a Clean, usize>,
}

impl<'a> Places<'a> {
    fn of(team: &'a Team) -> Places<'a> {
        let of = team.parallel_of.iter().map(|(provider, most)| (provider, (*most).max(1) as usize)).collect();
        Places { free: team.parallel.max(1) as usize, of }
    }

    /// Counts one at work, whether or not there is a place.
    fn fill(&mut self, provider: Option<&Clean>) {
        self.free = self.free.saturating_sub(1);
        if let Some(left) = provider.and_then(|provider| self.of.get_mut(provider)) {
            *left = left.saturating_sub(1);
        }
    }

    /// Takes a place, if there is one.
    fn take(&mut self, provider: Option<&Clean>) -> bool {
        let has = self.free > 0 && provider.and_then(|provider| self.of.get(provider)).is_none_or(|left| *left > 0);
        if has {
            self.fill(provider);
        }
        has
    }
}

/// The open assignments that may take a step now, by id; where it is known which have changed since all that had a place had
/// taken theirs, of those that wait for others only these.
///
/// Assignments that hand out work, or wait for work they have handed out, take no place.
pub(super) fn may_step<'a>(
    run: &'a Run,
    team: &'a Team,
    now: At,
    changed: Option<&[&'a Assignment]>,
) -> Vec<&'a Assignment> {
    let is_late = |one: &Assignment| one.deadline.is_some_and(|deadline| run.worked(now) >= deadline);
    // One that waits for a part of the caps takes no place; past its deadline all that it can do is to report.
    let is_in_line = |one: &Assignment| run.is_in_line(one, now) && !is_late(one);
    if let Some(changed) = changed.filter(|_| all_have_places(run, team)) {
        let steps = |one: &&Assignment| one.ended.is_none() && goes_on(one) && !is_in_line(one);
        // One that had no place before has not changed since.
        let had_none = |one: &&Assignment| !team.delegates(&one.role) && !hands_off(one);
        let in_line = run.unwaiting().filter(steps).filter(had_none);
        let changed = changed.iter().copied().filter(steps);
        let mut stepping: Vec<&Assignment> = changed.chain(in_line).collect();
        stepping.sort_unstable_by_key(|assignment| assignment.id);
        stepping.dedup_by_key(|assignment| assignment.id);
        return stepping;
    }
    let is_new = |one: &Assignment| changed.is_none_or(|all| all.iter().any(|other| other.id == one.id));
    let worked = run.worked(now);
    let mut places = Places::of(team);
    let (mut stepping, mut waiting) = (Vec::new(), Vec::new());
    // Work that has begun goes on, also if the clock was set back.
    let begins = |one: &Assignment| one.not_before.is_none_or(|then| then <= now);
    let due = |one: &&Assignment| !one.transcript.turns.is_empty() || begins(one);
    for assignment in run.open().filter(due).filter(|one| !is_in_line(one)) {
        if team.delegates(&assignment.role) || hands_off(assignment) {
            if goes_on(assignment) && (!hands_off(assignment) || is_new(assignment)) {
                stepping.push(assignment);
            }
        } else if assignment.transcript.waits() {
            if is_at_work(run, assignment) {
                places.fill(provider(team, assignment));
            }
        } else if goes_on(assignment) {
            waiting.push(assignment);
        }
    }
    let chosen = choose(waiting, places, |one| Rank::of(one, worked), |one| provider(team, one));
    if !chosen.is_empty() {
        stepping.extend(chosen);
        stepping.sort_unstable_by_key(|assignment| assignment.id);
    }
    stepping
}

/// Those of the waiting that get a place, the least of rank first.
fn choose<'a, T>(
    mut waiting: Vec<T>,
    mut places: Places<'_>,
    rank: impl Fn(&T) -> Rank,
    provider: impl Fn(&T) -> Option<&'a Clean>,
) -> Vec<T> {
    if places.free == 0 {
        return Vec::new();
    }
    // If there are places for all, none has to be ranked.
    if waiting.len() > places.free || !places.of.is_empty() {
        waiting.sort_by_cached_key(rank);
    }
    waiting.retain(|one| places.take(provider(one)));
    waiting
}

/// Whether nothing keeps any open assignment from a step but its own work.
fn all_have_places(run: &Run, team: &Team) -> bool {
    !run.has_delayed() && team.parallel_of.is_empty() && run.open_count() <= team.parallel.max(1) as usize
}

/// Whether an open assignment waits for no answer, is not paused, and does not stand at a breakpoint.
fn goes_on(assignment: &Assignment) -> bool {
    !assignment.paused && assignment.stopped.is_none() && !assignment.transcript.waits()
}

/// Whether it waits for those to whom it has handed work on.
pub(super) fn hands_off(assignment: &Assignment) -> bool {
    assignment.transcript.turns.last().is_some_and(|turn| matches!(turn.did, Did::HandOffs(_)) && turn.pending())
}

/// Whether something is done for it now. Waiting for an answer of the person is not.
fn is_at_work(run: &Run, assignment: &Assignment) -> bool {
    let goes_on = assignment.transcript.turns.last().is_some_and(|turn| match &turn.did {
        Did::Tools(calls) => calls.iter().any(|call| call.end.is_open()),
        Did::Asked(exchange) => matches!(exchange.end, ExchangeEnd::Pending | ExchangeEnd::Queued),
        _ => false,
    });
    let is_out = || run.under_way.range(CallId::all_of(assignment.id)).next().is_some();
    goes_on && (!assignment.paused || is_out())
}

fn provider<'a>(team: &'a Team, assignment: &Assignment) -> Option<&'a Clean> {
    if team.parallel_of.is_empty() {
        return None;
    }
    Some(&team.model_of(&assignment.role, assignment.worker)?.id.provider)
}

#[cfg(test)]
mod tests;
