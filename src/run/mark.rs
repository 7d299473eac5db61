//! Marks: how far a run, an assignment or a call is, as a symbol of one cell and a word, never by colour alone.

use self::Mark::{Cancelled, Done, Failed, Limited, NeedsYou, Partial, Paused, Running, SentBack, Waiting};
use crate::handoff::Outcome;
use crate::id::Role;
use crate::state::Assignment;

/// The progress of something, or its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    #[default]
    Waiting,
    Running,
    /// Would go on, and waits for its provider: a rate limit, a server that has too much to do.
    Limited,
    NeedsYou,
    Done,
    /// Ended with less than was asked.
    Partial,
    /// A draft was checked and has to be revised.
    SentBack,
    Failed,
    Cancelled,
    Paused,
    /// No state: something on the way went wrong.
    Warning,
}

impl Mark {
    /// Every state, in the order of the legend.
    pub const STATES: [Mark; 10] =
        [Waiting, Running, Limited, NeedsYou, Done, Partial, SentBack, Failed, Cancelled, Paused];

    fn shown(self) -> (&'static str, &'static str) {
        match self {
            Mark::Waiting => ("○", "waiting"),
            Mark::Running => ("●", "running"),
            Mark::Limited => ("◌", "limited"),
            Mark::NeedsYou => ("◆", "needs you"),
            Mark::Done => ("✓", "done"),
            Mark::Partial => ("◐", "partial"),
            Mark::SentBack => ("↺", "sent back"),
            Mark::Failed => ("✗", "failed"),
            Mark::Cancelled => ("⊘", "cancelled"),
            Mark::Paused => ("‖", "paused"),
            Mark::Warning => ("!", "warning"),
        }
    }

    /// One cell wide.
    pub fn symbol(self) -> &'static str {
        self.shown().0
    }

    pub fn word(self) -> &'static str {
        self.shown().1
    }

    /// The mark of an assignment that has ended, by its outcome and its verdicts; None while it is open.
    pub fn of_ended(assignment: &Assignment) -> Option<Mark> {
        let (outcome, report) = assignment.ended.as_ref()?;
        let is_sent_back = outcome.usable() && report.payload.verdicts().iter().any(|verdict| !verdict.passes());
        Some(match outcome {
            _ if is_sent_back => Mark::SentBack,
            // Nothing is wrong with having nothing to remember.
            Outcome::NothingFound if assignment.role.as_str() == Role::MEMORY => Mark::Done,
            outcome => Mark::from(outcome),
        })
    }

    /// The mark of a run whose state lists call this: [`Phase::word`](crate::Phase::word), or `stopped` if no process
    /// works on it.
    pub fn of_word(phase: &str) -> Mark {
        match phase {
            "needs you" => Mark::NeedsYou,
            "paused" | "stopped" => Mark::Paused,
            "done" => Mark::Done,
            "partial" | "nothing found" | "out of budget" => Mark::Partial,
            "failed" => Mark::Failed,
            "cancelled" => Mark::Cancelled,
            _ => Mark::Running,
        }
    }
}

impl From<&Outcome> for Mark {
    fn from(outcome: &Outcome) -> Mark {
        match outcome {
            Outcome::Done => Mark::Done,
            Outcome::Partial(_) | Outcome::NothingFound | Outcome::OutOfBudget(_) => Mark::Partial,
            Outcome::Failed(_) => Mark::Failed,
            Outcome::Cancelled => Mark::Cancelled,
        }
    }
}
