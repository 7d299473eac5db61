//! The styles of marks, and the marks of assignments and runs.

use crate::prelude::*;
use run::transcript::{Did, ExchangeEnd};
use run::{Assignment, AssignmentId, CallId, Phase};

pub use run::Mark;

impl From<Mark> for Scope {
    fn from(mark: Mark) -> Scope {
        match mark {
            Mark::Waiting => Scope::Waiting,
            Mark::Running => Scope::Running,
            Mark::Limited => Scope::Limited,
            Mark::NeedsYou => Scope::NeedsYou,
            Mark::Done => Scope::Done,
            Mark::Partial | Mark::SentBack => Scope::Partial,
            Mark::Failed => Scope::Failed,
            Mark::Cancelled => Scope::Cancelled,
            Mark::Paused => Scope::Paused,
            Mark::Warning => Scope::Warning,
        }
    }
}

/// The mark of an assignment on the screen. If no desk works on the run shown, nobody runs; and work that waits for a provider does
/// not run either.
pub fn shown(ui: &Ui, run: &Run, assignment: &Assignment) -> Mark {
    match of(assignment, run) {
        Mark::Running if !ui.is_at_work() => Mark::Paused,
        Mark::Running if stall::of(ui, run, assignment).is_some() => Mark::Limited,
        mark => mark,
    }
}

/// The word for work on which nobody works, though it has not ended and nobody paused it: as lists of runs have it.
pub fn stopped(run: &Run) -> &'static str {
    if run.is_imported() { Mark::NOT_ENDED } else { Mark::STOPPED }
}

/// The mark of an assignment by its record.
pub fn of(assignment: &Assignment, run: &Run) -> Mark {
    match Mark::of_ended(assignment) {
        Some(mark) => mark,
        None if run.ended().is_some() => Mark::Cancelled,
        None if run.paused || assignment.paused => Mark::Paused,
        None if assignment.stopped.is_some() || needs_you(assignment, run) => Mark::NeedsYou,
        None if waits_for_you(assignment, run) => Mark::NeedsYou,
        // The one at the root has the state of the run.
        None if assignment.id == AssignmentId::ROOT && run.asks().is_some() => Mark::NeedsYou,
        None if run.is_stopped() || run.waits_for_its_turn(assignment) => Mark::Waiting,
        None if waits_for_room(assignment, run) => Mark::Waiting,
        None => Mark::Running,
    }
}

/// Whether an assignment has paused for the person.
fn waits_for_you(assignment: &Assignment, run: &Run) -> bool {
    run.open_checkpoint().is_some_and(|open| open.by == assignment.id && select::page_of(open).is_some())
}

/// Whether an assignment, or all that it still wants to do, waits for room in the budget.
pub fn waits_for_room(assignment: &Assignment, run: &Run) -> bool {
    if run.waits_for_room(assignment, run.at) {
        return true;
    }
    let is_queued = |call: &CallId| run.queued.contains_key(call);
    match assignment.transcript.turns.last().map(|turn| &turn.did) {
        Some(Did::Tools(calls)) => {
            let mut open = calls.iter().filter(|call| call.end.is_open()).peekable();
            open.peek().is_some() && open.all(|call| is_queued(&call.id))
        }
        Some(Did::Asked(exchange)) => is_queued(&exchange.call),
        _ => false,
    }
}

/// Whether an assignment waits for the person's answer, or its model call for a decision of the person.
fn needs_you(assignment: &Assignment, run: &Run) -> bool {
    if select::boxed(run).is_some_and(|open| open.by == assignment.id) {
        return true;
    }
    let Some(Did::Asked(exchange)) = assignment.transcript.turns.last().map(|turn| &turn.did) else { return false };
    match exchange.end {
        ExchangeEnd::InDoubt => true,
        ExchangeEnd::Pending => {
            let refused = run.latch_on(&exchange.request.model).is_some();
            let last = exchange.attempts.last();
            refused && last.is_none_or(|attempt| attempt.sent_at.is_none() || attempt.fault.is_some())
        }
        _ => false,
    }
}

/// The state of a run: its mark, and a word of its own for it ("researching").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub mark: Mark,
    pub word: Clean,
}

impl From<&Phase> for State {
    fn from(phase: &Phase) -> State {
        let mark = match phase {
            Phase::NeedsYou => Mark::NeedsYou,
            Phase::Paused => Mark::Paused,
            Phase::Ended(outcome) => Mark::from(outcome),
            _ => Mark::Running,
        };
        State { mark, word: phase.word().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn every_symbol_is_one_cell_and_no_two_are_alike() {
        let mut seen = std::collections::BTreeSet::new();
        for mark in Mark::STATES {
            assert_eq!(mark.symbol().width(), 1, "{mark:?}");
            assert!(seen.insert(mark.symbol()) && seen.insert(mark.word()));
        }
    }
}
