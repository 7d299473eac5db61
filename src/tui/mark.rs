//! States as a person sees them: a symbol of one cell, a word and a style; never colour alone.

use super::select;
use super::theme::Scope;
use run::transcript::{Did, ExchangeEnd};
use run::{Assignment, Outcome, Phase, Run};
use text::Clean;

/// The eight symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Its turn has not come.
    #[default]
    Waiting,
    /// At work.
    Running,
    /// Waits for the person.
    NeedsYou,
    /// Ended well.
    Done,
    /// Ended with less than was asked.
    Partial,
    /// Could not.
    Failed,
    /// Was stopped.
    Cancelled,
    /// Held by the person.
    Paused,
}

impl Mark {
    /// All of them, for the legend.
    pub const ALL: [Mark; 8] = [
        Mark::Waiting,
        Mark::Running,
        Mark::NeedsYou,
        Mark::Done,
        Mark::Partial,
        Mark::Failed,
        Mark::Cancelled,
        Mark::Paused,
    ];

    /// The symbol, one cell wide.
    pub fn symbol(self) -> &'static str {
        match self {
            Mark::Waiting => "○",
            Mark::Running => "●",
            Mark::NeedsYou => "◆",
            Mark::Done => "✓",
            Mark::Partial => "◐",
            Mark::Failed => "✗",
            Mark::Cancelled => "⊘",
            Mark::Paused => "‖",
        }
    }

    /// The mark of a run whose state lists call this: [`Phase::word`], or `stopped` where nobody goes on with it.
    pub fn of_word(phase: &str) -> Mark {
        match phase {
            "needs you" => Mark::NeedsYou,
            "paused" | "stopped" => Mark::Paused,
            "done" | "nothing found" => Mark::Done,
            "partial" | "out of budget" => Mark::Partial,
            "failed" => Mark::Failed,
            "cancelled" => Mark::Cancelled,
            _ => Mark::Running,
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Mark::Waiting => "waiting",
            Mark::Running => "running",
            Mark::NeedsYou => "needs you",
            Mark::Done => "done",
            Mark::Partial => "partial",
            Mark::Failed => "failed",
            Mark::Cancelled => "cancelled",
            Mark::Paused => "paused",
        }
    }

    /// How it is styled.
    pub fn scope(self) -> Scope {
        match self {
            Mark::Waiting => Scope::Waiting,
            Mark::Running => Scope::Running,
            Mark::NeedsYou => Scope::NeedsYou,
            Mark::Done => Scope::Done,
            Mark::Partial => Scope::Partial,
            Mark::Failed => Scope::Failed,
            Mark::Cancelled => Scope::Cancelled,
            Mark::Paused => Scope::Paused,
        }
    }

    /// The mark of an outcome.
    pub fn of_outcome(outcome: &Outcome) -> Mark {
        match outcome {
            Outcome::Done => Mark::Done,
            Outcome::Partial(_) | Outcome::NothingFound | Outcome::OutOfBudget(_) => Mark::Partial,
            Outcome::Failed(_) => Mark::Failed,
            Outcome::Cancelled => Mark::Cancelled,
        }
    }

    /// The mark of an assignment.
    pub fn of(assignment: &Assignment, run: &Run) -> Mark {
        match &assignment.ended {
            Some((outcome, _)) => Mark::of_outcome(outcome),
            None if run.ended().is_some() => Mark::Cancelled,
            None if run.held || assignment.held => Mark::Paused,
            None if needs_you(assignment, run) => Mark::NeedsYou,
            None if waits_for_you(assignment, run) || run.waits_for_its_turn(assignment) => Mark::Waiting,
            None => Mark::Running,
        }
    }
}

/// Whether an assignment has paused for the person.
fn waits_for_you(assignment: &Assignment, run: &Run) -> bool {
    run.open_checkpoint().is_some_and(|open| open.by == assignment.id && select::page_of(open).is_some())
}

/// Whether an assignment waits for the person's answer, or for what becomes of its model call.
fn needs_you(assignment: &Assignment, run: &Run) -> bool {
    if select::boxed(run).is_some_and(|open| open.by == assignment.id) {
        return true;
    }
    let Some(Did::Asked(exchange)) = assignment.transcript.turns.last().map(|turn| &turn.did) else { return false };
    match exchange.end {
        ExchangeEnd::InDoubt => true,
        ExchangeEnd::Pending => {
            let refused = run.latch.as_ref().is_some_and(|latch| latch.provider == exchange.request.model.provider);
            let last = exchange.attempts.last();
            refused && last.is_none_or(|attempt| attempt.sent_at.is_none() || attempt.fault.is_some())
        }
        _ => false,
    }
}

/// A state: its mark, and the word for it where that is another than the mark's own ("researching").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The mark.
    pub mark: Mark,
    /// The word.
    pub word: Clean,
}

impl From<&Phase> for State {
    fn from(phase: &Phase) -> State {
        let mark = match phase {
            Phase::NeedsYou => Mark::NeedsYou,
            Phase::Held => Mark::Paused,
            Phase::Ended(outcome) => Mark::of_outcome(outcome),
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
        for mark in Mark::ALL {
            assert_eq!(mark.symbol().width(), 1, "{mark:?}");
            assert!(seen.insert(mark.symbol()) && seen.insert(mark.word()));
        }
    }
}
